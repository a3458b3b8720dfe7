"""Layers. MindSpore: ``mindspore.nn.layer``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.nn.layer import (
    activation,
    basic,
    channel_shuffle,
    combined,
    container,
    conv,
    dense,
    embedding,
    image,
    math,
    normalization,
    padding,
    pooling,
    rnn_cells,
    rnns,
    thor_layer,
    timedistributed,
    transformer,
)
from mindspore_compat.nn.layer.activation import *  # noqa: F403
from mindspore_compat.nn.layer.basic import *  # noqa: F403
from mindspore_compat.nn.layer.channel_shuffle import *  # noqa: F403
from mindspore_compat.nn.layer.combined import *  # noqa: F403
from mindspore_compat.nn.layer.container import *  # noqa: F403
from mindspore_compat.nn.layer.conv import *  # noqa: F403
from mindspore_compat.nn.layer.dense import *  # noqa: F403
from mindspore_compat.nn.layer.embedding import *  # noqa: F403
from mindspore_compat.nn.layer.image import *  # noqa: F403
from mindspore_compat.nn.layer.math import *  # noqa: F403
from mindspore_compat.nn.layer.normalization import *  # noqa: F403
from mindspore_compat.nn.layer.padding import *  # noqa: F403
from mindspore_compat.nn.layer.pooling import *  # noqa: F403
from mindspore_compat.nn.layer.rnn_cells import *  # noqa: F403
from mindspore_compat.nn.layer.rnns import *  # noqa: F403
from mindspore_compat.nn.layer.thor_layer import *  # noqa: F403
from mindspore_compat.nn.layer.timedistributed import *  # noqa: F403
from mindspore_compat.nn.layer.transformer import *  # noqa: F403

_PARTS = (
    activation,
    basic,
    channel_shuffle,
    combined,
    container,
    conv,
    dense,
    embedding,
    image,
    math,
    normalization,
    padding,
    pooling,
    rnn_cells,
    rnns,
    thor_layer,
    timedistributed,
    transformer,
)
# `mindspore.nn.CosineSimilarity` is the metric: the layer of that name is only reached as nn.layer.CosineSimilarity.
__all__ = [name for part in _PARTS for name in part.__all__ if name != "CosineSimilarity"]
#: of MindSpore 1.x; later versions have none of them
FORMER = {
    **dict.fromkeys(
        """ActQuant Conv2dBnFoldQuant Conv2dBnFoldQuantOneConv Conv2dBnWithoutFoldQuant Conv2dQuant DenseQuant
        FakeQuantWithMinMax FakeQuantWithMinMaxObserver HSigmoidQuant HSwishQuant LeakyReLUQuant MulQuant QuantBlock
        TensorAddQuant""".split(),
        "nn.layer.quant",
    ),
    **dict.fromkeys(("GlobalBatchNorm", "LinSpace"), "nn.layer._earlier"),
}
__getattr__ = module_getattr(__name__, FORMER)
