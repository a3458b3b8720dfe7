"""The MindRecord file format. MindSpore: ``mindspore.mindrecord``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.mindrecord._page import MindPage
from mindspore_compat.mindrecord.common.exceptions import (
    MindRecordException,
    MRMDefineCategoryError,
    MRMInvalidSchemaError,
    MRMOpenError,
    ParamTypeError,
    ParamValueError,
    PathNotExistsError,
)
from mindspore_compat.mindrecord.config import set_dec_mode, set_enc_key, set_enc_mode
from mindspore_compat.mindrecord.filereader import FileReader
from mindspore_compat.mindrecord.filewriter import FileWriter

_CONVERTERS = (
    "Cifar100ToMR",
    "Cifar10ToMR",
    "CsvToMR",
    "FAILED",
    "ImageNetToMR",
    "MnistToMR",
    "SUCCESS",
    "TFRecordToMR",
)
__all__ = [
    "FileReader",
    "FileWriter",
    "MRMDefineCategoryError",
    "MRMInvalidSchemaError",
    "MRMOpenError",
    "MindPage",
    "MindRecordException",
    "ParamTypeError",
    "ParamValueError",
    "PathNotExistsError",
    "set_dec_mode",
    "set_enc_key",
    "set_enc_mode",
    *_CONVERTERS,
]

# the converters load when they are first used
__getattr__ = module_getattr(
    __name__, dict.fromkeys(_CONVERTERS, "mindrecord._convert"), fallback="mindrecord.common.exceptions"
)
