"""Sources, samplers, iterators and the pipeline. MindSpore: ``mindspore.dataset.engine``.

`_dataset.py` has `Dataset`, `_nodes/` the results of its methods, `_sources/` the readers, `_execution/` the engine;
the other files have MindSpore's names (docs/design/dataset.md).
"""

# ruff: noqa: F403 (names come by `*` from files that list them)

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.dataset.callback import DSCallback, WaitedDSCallback
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.engine import (
    _kinds,
    datasets,
    datasets_audio,
    datasets_standard_format,
    datasets_text,
    datasets_user_defined,
    datasets_vision,
    graphdata,
)
from mindspore_compat.dataset.engine._kinds import *
from mindspore_compat.dataset.engine.cache_client import DatasetCache
from mindspore_compat.dataset.engine.datasets import *
from mindspore_compat.dataset.engine.datasets_audio import *
from mindspore_compat.dataset.engine.datasets_standard_format import *
from mindspore_compat.dataset.engine.datasets_text import *
from mindspore_compat.dataset.engine.datasets_user_defined import *
from mindspore_compat.dataset.engine.datasets_vision import *
from mindspore_compat.dataset.engine.graphdata import *
from mindspore_compat.dataset.engine.iterators import DictIterator, TupleIterator

__all__ = ["DSCallback", "DatasetCache", "DictIterator", "TupleIterator", "WaitedDSCallback", "config"]
__all__ += _kinds.__all__
__all__ += datasets.__all__
__all__ += datasets_audio.__all__
__all__ += datasets_standard_format.__all__
__all__ += datasets_text.__all__
__all__ += datasets_user_defined.__all__
__all__ += datasets_vision.__all__
__all__ += graphdata.__all__
__getattr__ = module_getattr(
    __name__, dict.fromkeys(("compare", "deserialize", "serialize", "show"), "dataset._serialized")
)
