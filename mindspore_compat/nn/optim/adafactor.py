"""MindSpore: ``mindspore.nn.AdaFactor``. Source of the method: https://arxiv.org/abs/1804.04235."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.nn.optim._device import Number, Picks, Tensors, as_weight, counted, root, smaller
from mindspore_compat.nn.optim._groups import not_negative
from mindspore_compat.nn.optim.optimizer import Optimizer, host_parameter

__all__ = ["AdaFactor"]


class AdaFactor(Optimizer):
    """Adam with second moments kept as one row and one column for each matrix.

    Args:
        learning_rate: None (the default) with ``relative_step``: min(0.01, 1/sqrt(t)), or min(1e-6·t, ...) with
            ``warmup_init``.
        eps: what is added to g², and the smallest scale of a parameter.
        clip_threshold: the largest root mean square of an update.
        decay_rate: the second moments' decay in step t is 1 - t ** -decay_rate.
        beta1: 0 or None keeps no first moment.
        scale_parameter: multiplies the learning rate with the parameter's root mean square.
        compression: keeps the second moments of vectors in float16.

    A schedule or list as learning rate turns ``relative_step`` and ``scale_parameter`` off, as in MindSpore.
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = None,
        eps: Any = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: Any = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        if learning_rate is not None and relative_step:
            raise ValueError(
                f"For 'AdaFactor', 'learning_rate' cannot be given together with relative_step=True, but got "
                f"{learning_rate}. Set relative_step=False."
            )
        if warmup_init and not relative_step:
            raise ValueError("For 'AdaFactor', warmup_init=True requires relative_step=True, but got False.")
        if learning_rate is None and not relative_step:
            raise ValueError("For 'AdaFactor', 'learning_rate' cannot be None with relative_step=False.")
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        self.eps = tuple(not_negative(item, "eps") for item in eps)
        self.clip_threshold = not_negative(clip_threshold, "clip_threshold")
        self.decay_rate = decay_rate
        self.__dict__["_decay"] = weight_decay
        self.beta1 = not_negative(beta1 or 0.0, "beta1")
        constant = learning_rate is None or isinstance(learning_rate, (int, float))
        self.scale_parameter = scale_parameter and constant
        self.relative_step = relative_step and constant
        self.warmup_init, self.compression = warmup_init, compression
        self.init_ada_factor_state(self.beta1)
        self.step = self._count([0.0], "afactor_step")

    @property
    def supports_memory_efficient_fp16(self) -> bool:
        """Always True."""
        return True

    @property
    def supports_flat_params(self) -> bool:
        """Always False: Parameters joined into one have no rows and columns."""
        return False

    def init_ada_factor_state(self, beta1: float) -> None:
        """Make the moments anew, all zero; first moments only if ``beta1`` is positive."""
        self.use_first_moment = beta1 > 0
        # MindSpore keeps one unused scalar in the place of the first moments, which checkpoints hold.
        self.exp_avg = (
            self.parameters.clone(prefix="exp_avg", init="zeros")
            if self.use_first_moment
            # type: ignore[attr-defined]
            else ParameterTuple([host_parameter(0.0, "")] * self.param_length)
        )
        rows: list[Parameter] = []
        columns: list[Parameter] = []
        wholes: list[Parameter] = []
        for item in self.parameters:  # type: ignore[attr-defined]
            shape, matrix = tuple(item.shape), item.dim() > 1
            whole_dtype = torch.float16 if self.compression and not matrix else item.dtype
            for into, kind, size, dtype in (
                (rows, "row_", shape[:-1] if matrix else (1,), item.dtype),
                (columns, "col_", (*shape[:-2], *shape[-1:]) if matrix else (1,), item.dtype),
                (wholes, "", (1,) if matrix else shape, whole_dtype),
            ):
                into.append(
                    Parameter(initializer(0, size, dtype).to(item.device), name=f"exp_avg_sq_{kind}{item.name}")
                )
        self.exp_avg_sq_row, self.exp_avg_sq_col, self.exp_avg_sq = (
            ParameterTuple(items) for items in (rows, columns, wholes)
        )

    _decoupled_decay = True
    _counts = ("global_step", "step")
    _repeats = "on a device"

    def _begin_step(self) -> None:
        torch._C.TensorBase.add_(self.step, 1)

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        step = counted(self.step)
        if self.relative_step:
            rate = smaller(1e-6 * step if self.warmup_init else 0.01, 1.0 / root(step))
        beta2 = as_weight(1.0 - step**-self.decay_rate)
        positions = range(self.param_length) if picks is None else picks
        for position, parameter, gradient in zip(positions, parameters, gradients):
            self._update_one(position, parameter, gradient.to(torch.float32), rate, beta2)

    def _update_one(self, position: int, parameter: Any, gradient: Any, rate: Number, beta2: Number) -> None:
        values = parameter.to(torch.float32)
        pace: Any = rate * torch.clamp(_root_mean_square(values), min=self.eps[1]) if self.scale_parameter else rate
        update = torch.mul(self._factor(position, torch.square(gradient) + self.eps[0], beta2), gradient)
        update = update / torch.clamp(_root_mean_square(update) / self.clip_threshold, min=1.0) * pace
        if self.use_first_moment:
            moment = self._picked(self.exp_avg, [position])[0]
            torch._C.TensorBase.copy_(moment, torch.lerp(update, moment.to(torch.float32), self.beta1))
            update = moment.to(torch.float32)
        if self.__dict__["_decay"]:
            values = values - values * (self.__dict__["_decay"] * pace)
        torch._C.TensorBase.copy_(parameter, values - update)

    def _factor(self, position: int, squares: Any, beta2: Number) -> Any:
        """Return 1 / sqrt of the second moment, after its update."""
        if squares.dim() < 2:
            whole = self._picked(self.exp_avg_sq, [position])[0]
            squares = torch.lerp(squares, whole.to(torch.float32), beta2)
            torch._C.TensorBase.copy_(whole, squares)
            return torch.rsqrt(squares)  # of the moment before it is kept, perhaps in 16 bits
        row, column = (self._picked(item, [position])[0] for item in (self.exp_avg_sq_row, self.exp_avg_sq_col))
        for moment, axis in ((row, -1), (column, -2)):
            torch._C.TensorBase.copy_(moment, torch.lerp(torch.mean(squares, axis), moment.to(torch.float32), beta2))
        rows = row.to(torch.float32)
        share = torch.rsqrt(rows / torch.mean(rows, -1, True))
        return torch.mul(torch.unsqueeze(share, -1), torch.unsqueeze(torch.rsqrt(column.to(torch.float32)), -2))


def _root_mean_square(values: Any) -> Any:
    return torch.sqrt(torch.mean(torch.square(values)))
