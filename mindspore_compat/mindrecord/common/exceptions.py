"""Exceptions of the MindRecord format. MindSpore: ``mindspore.mindrecord.common.exceptions``."""

from __future__ import annotations

#: errors of MindSpore's library, never raised here; for code that catches them
_OTHERS = """
    DbConnectionError MRMAddSchemaError MRMBuildSchemaError MRMCloseError MRMCommitError MRMDefineBlobError
    MRMFetchCandidateFieldsError MRMFinishError MRMIndexGeneratorError MRMInitSegmentError
    MRMInvalidHeaderSizeError MRMInvalidPageSizeError MRMLaunchError MRMOpenForAppendError MRMReadCategoryInfoError
    MRMSetHeaderError MRMUnsupportedSchemaError MRMValidateDataError MRMWriteDatasetError ParamMissError UnknownError
""".split()

__all__ = [
    *_OTHERS,
    "MRMAddIndexError",
    "MRMFetchDataError",
    "MRMGenerateIndexError",
    "MRMGetMetaError",
    "MRMDefineCategoryError",
    "MRMDefineIndexError",
    "MRMInvalidSchemaError",
    "MRMOpenError",
    "MindRecordException",
    "ParamTypeError",
    "ParamValueError",
    "PathNotExistsError",
]


class MindRecordException(Exception):
    """Base of the others."""


class ParamTypeError(MindRecordException):
    """An argument of the wrong type."""


class ParamValueError(MindRecordException):
    """An argument of the wrong value."""


class MRMInvalidSchemaError(MindRecordException):
    """A schema that the format cannot hold."""


class MRMOpenError(MindRecordException, RuntimeError):
    """A file in another format, or a broken one; MindSpore's readers raise RuntimeError for those."""


class MRMDefineCategoryError(MindRecordException):
    """An invalid field for `MindPage`'s category."""


class MRMDefineIndexError(MindRecordException):
    """An invalid field for an index."""


class PathNotExistsError(MindRecordException):
    """Missing files of a dataset."""


class MRMAddIndexError(MindRecordException):
    """An index that cannot be added."""


class MRMFetchDataError(MindRecordException):
    """Rows that cannot be read."""


class MRMGenerateIndexError(MindRecordException):
    """An index file that cannot be written."""


class MRMGetMetaError(MindRecordException):
    """A file with an unreadable header."""


for _name in _OTHERS:
    globals()[_name] = type(_name, (MindRecordException,), {"__doc__": "As MindSpore's.", "__module__": __name__})
