from mindspore_compat.dataset.vision.utils import *
from mindspore_compat.dataset.vision._basic import *
from mindspore_compat.dataset.vision._resize import *
from mindspore_compat.dataset.vision._crop import *
from mindspore_compat.dataset.vision._geometric import *
from mindspore_compat.dataset.vision._color_ops import *
