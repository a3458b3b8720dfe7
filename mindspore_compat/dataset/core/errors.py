"""Errors of a pipeline whose operation or function fails."""

from __future__ import annotations

import traceback

__all__ = ["failed_function", "failed_operation", "failed_pipeline", "with_file"]


def _composed(is_function: bool, what: str, file: str, text: str) -> RuntimeError:
    where = " ".join(filter(None, (what, f"The corresponding data file is: {file}." if file else "", text)))
    origin = "user defined Python function in dataset" if is_function else "dataset pipeline"
    error = RuntimeError(f"Exception thrown from {origin}. {where}")
    error.parts = (is_function, what, text)  # type: ignore[attr-defined]
    return error


def failed_operation(name: str, error: Exception) -> RuntimeError:
    """A built-in operation of a pipeline has raised `error`."""
    return _composed(False, f"map operation: [{name}] failed.", "", str(error))


def failed_function(what: str, error: Exception, is_own: bool = False) -> RuntimeError:
    """A Python function of a pipeline has raised `error`: the user's, whose traceback comes too, or (`is_own`) ours."""
    told = str(error) if is_own else "".join(traceback.format_exception(error))
    return _composed(True, what, "", f"Error description:\n{type(error).__name__}: {told}")


def failed_pipeline(text: str) -> RuntimeError:
    """The pipeline itself can not go on."""
    return _composed(False, "", "", text)


def with_file(error: Exception, file: str) -> Exception:
    """The same error, naming the file whose row was worked on; others stay."""
    parts = getattr(error, "parts", None)
    if parts is None or not file:
        return error
    return _composed(parts[0], parts[1], file, parts[2])
