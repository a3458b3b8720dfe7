"""What the reader of a pipeline is told when an operation or a function fails: its own message within upstream's, which
programs search for texts of.
"""

from __future__ import annotations

import traceback

__all__ = ["failed_function", "failed_operation", "failed_pipeline", "with_file"]

_RULE = "-" * 66


def _section(title: str, text: str) -> str:
    return f"{_RULE}\n- {title}: \n{_RULE}\n{text}\n"


def _composed(is_function: bool, what: str, file: str, text: str) -> RuntimeError:
    where = " ".join(filter(None, (what, f"The corresponding data file is: {file}." if file else "", text)))
    if is_function:
        message = (
            "Exception thrown from user defined Python function in dataset. \n\n"
            + _section("Python Call Stack", where)
            + "\n"
            + _section(
                "Dataset Pipeline Error Message",
                "[ERROR] Execute user Python code failed, check 'Python Call Stack' above.",
            )
        )
    else:
        message = "Exception thrown from dataset pipeline. Refer to 'Dataset Pipeline Error Message'. \n\n" + _section(
            "Dataset Pipeline Error Message", f"[ERROR] {where}"
        )
    error = RuntimeError(message)
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
    if parts is None or not file or getattr(error, "is_without_file", False):
        return error
    return _composed(parts[0], parts[1], file, parts[2])
