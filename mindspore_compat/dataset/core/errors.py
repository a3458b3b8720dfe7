"""Errors of failed operations and functions in a pipeline."""

from __future__ import annotations

import traceback


def _composed(is_function: bool, what: str, file: str, text: str) -> RuntimeError:
    where = " ".join(filter(None, (what, f"The corresponding data file is: {file}." if file else "", text)))
    origin = "user defined Python function in dataset" if is_function else "dataset pipeline"
    error = RuntimeError(f"Exception thrown from {origin}. {where}")
    error.parts = (is_function, what, text)  # type: ignore[attr-defined]
    return error


def failed_operation(name: str, error: Exception) -> RuntimeError:
    """Return the error for a built-in operation that raised `error`."""
    return _composed(False, f"map operation: [{name}] failed.", "", str(error))


def failed_function(what: str, error: Exception, is_own: bool = False) -> RuntimeError:
    """Return the error for a Python function that raised `error`: the user's, with traceback, or (`is_own`) ours."""
    told = str(error) if is_own else "".join(traceback.format_exception(error))
    return _composed(True, what, "", f"Error description:\n{type(error).__name__}: {told}")


def failed_pipeline(text: str) -> RuntimeError:
    """Return the error for a pipeline that cannot continue."""
    return _composed(False, "", "", text)


def with_file(error: Exception, file: str) -> Exception:
    """Return the same error, naming the file of the failing row; other errors stay."""
    parts = getattr(error, "parts", None)
    if parts is None or not file:
        return error
    return _composed(parts[0], parts[1], file, parts[2])
