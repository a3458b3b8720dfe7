"""Errors of exports: computations that no file can hold, and the refusals of this run."""

from __future__ import annotations

#: of this run: 'construct' may catch what is raised in it, and go on
REFUSALS: list[NotImplementedError] = []


def refuse(what: str, scope: str) -> NotImplementedError:
    """Return the error for a computation that no file can hold, with the place and the ways around it."""
    error = NotImplementedError(
        f"For 'export', {what}{f' (in {scope})' if scope else ''}. Rewrite that part of 'construct', or use "
        "save_checkpoint for the parameters, or torch.onnx.export on the Cell, which is a torch.nn.Module."
    )
    REFUSALS.append(error)
    return error
