"""MindSpore: ``mindspore.mint.optim.AdamW``, ``mindspore.mint.optim.FusedAdamW``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.mint.optim.adam import Adam, TorchAdam

__all__ = ["AdamW", "FusedAdamW"]


class AdamW(TorchAdam):
    """torch's AdamW: p *= 1 - lr·weight_decay, then as `Adam`. ``state_step`` starts at -1, as MindSpore's.

    Raises:
        TypeError: for other types. ValueError: for a rate or decay below 0, betas outside [0, 1).
    """

    _first_count = -1.0

    @arguments_of(Adam)
    def __init__(self, weight_decay: float = 1e-2, **given: Any) -> None:
        super().__init__(weight_decay=weight_decay, **given)


class FusedAdamW(AdamW):
    """`AdamW`, with one ``amsgrad`` for all groups. MindSpore joins each group's memory for one kernel. torch's kernels
    over lists do not need that, so parameters keep their memory.

    Raises:
        ValueError: if groups differ in ``amsgrad``.
    """

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group as `AdamW`.

        Raises:
            ValueError: if its ``amsgrad`` is not that of the others.
        """
        flags = [bool(group["amsgrad"]) for group in self.param_groups]
        if isinstance(param_group, dict):
            flags.append(bool(param_group.get("amsgrad", self.defaults["amsgrad"])))
        if len(set(flags)) > 1:
            raise ValueError(
                f"{self.cls_name} does not support mixed amsgrad across param_groups. Found amsgrad flags per group: "
                f"{flags}. Please keep amsgrad consistent."
            )
        super().add_param_group(param_group)
