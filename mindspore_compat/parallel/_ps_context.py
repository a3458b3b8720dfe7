"""Which part a process plays for parameter servers, which this package has none of. Upstream:
``mindspore.parallel._ps_context``.
"""

__all__ = ["_is_role_sched"]


def _is_role_sched() -> bool:
    return False
