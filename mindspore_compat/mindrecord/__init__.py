"""The MindRecord file format. Upstream: ``mindspore.mindrecord``."""

from mindspore_compat.mindrecord.common.exceptions import (
    MindRecordException,
    MRMInvalidSchemaError,
    MRMOpenError,
    ParamTypeError,
    ParamValueError,
)
from mindspore_compat.mindrecord.filereader import FileReader
from mindspore_compat.mindrecord.filewriter import FileWriter

__all__ = [
    "FileReader", "FileWriter", "MRMInvalidSchemaError", "MRMOpenError", "MindRecordException", "ParamTypeError",
    "ParamValueError",
]  # fmt: skip
