"""Upstream's data engine in C++, of which libraries borrow a few names: the operations that a subclass of
`TensorOperation` returns from ``parse``, and what profiles pipelines. Upstream: ``mindspore._c_dataengine``.
"""

from __future__ import annotations

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.engine._execution.profile import Manager, manager
from mindspore_compat.dataset.text._vocab import Vocab

__all__ = ["DataType", "GlobalContext", "Vocab"]

#: a type by its name, also "string"
DataType = numpy_dtype


class GlobalContext:
    """What the process has once."""

    @staticmethod
    def profiling_manager() -> Manager:
        """What records what pipelines cost."""
        return manager


#: operations on texts: each takes the arguments of the public class of its name, in their order
_OPERATIONS = (
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "FilterWikipediaXML",
    "Lookup",
    "NormalizeUTF8",
    "RegexReplace",
    "RegexTokenizer",
    "SlidingWindow",
    "ToNumber",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
)

__getattr__ = module_getattr(
    __name__, lazy={f"{name}Operation": f"dataset.text.transforms:{name}" for name in _OPERATIONS}
)
