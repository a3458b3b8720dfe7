"""Where the package makes the host wait for the device: what `fakecuda.recorded` saw, without what the tests ask for
themselves.
"""

from __future__ import annotations

from tests.support.fakecuda import Event, Traffic

__all__ = ["waits_within"]

_ASKED = ("__new__", "__init__", "asnumpy", "tolist", "__bool__", "__float__", "__int__", "item", "set_data", "copy")


def _is_asked(event: Event) -> bool:
    """The test makes a Tensor, or looks at one: the outermost frame of the package says so."""
    ours = [frame for frame in event.stack if frame.startswith("mindspore_compat/")]
    if not ours:
        return bool(event.stack)  # torch's own, called by a test; autograd's threads show no frame at all
    place, _, function = ours[-1].partition(" ")
    return function in _ASKED and place.startswith(("mindspore_compat/common/tensor", "mindspore_compat/common/param"))


def waits_within(traffic: Traffic) -> list[str]:
    """Operators at which the host waits, with the innermost line of the package."""
    found = []
    for event in traffic.waits:
        if not _is_asked(event):
            ours = [frame for frame in event.stack if frame.startswith("mindspore_compat/")]
            found.append(f"{event.kind} {event.operator} {ours[0] if ours else 'backward'}")
    return list(dict.fromkeys(found))
