"""Settings without effect."""

from mindspore_compat._api.errors import warn_once


def accepted(owner: str) -> None:
    """Log once that ``owner`` has no effect."""
    warn_once(f"device_context.ascend.{owner}", f"'{owner}' has no effect: there is no Ascend device here.")
