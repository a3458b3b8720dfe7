"""Adam and AdamWeightDecay with MindSpore's arithmetic. MindSpore: ``mindspore.nn.Adam``,
``mindspore.nn.AdamWeightDecay``.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.optim._device import (
    Number,
    Picks,
    Tensors,
    add_quotients_,
    add_scaled_,
    counted,
    in_single,
    is_zero,
    number,
    on_device,
    root,
)
from mindspore_compat.nn.optim._fused import adam_step, is_fusible
from mindspore_compat.nn.optim._groups import host_tensor, not_negative
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["Adam", "AdamOffload", "AdamWeightDecay"]


def check_betas(beta1: Any, beta2: Any, eps: Any, owner: str) -> None:
    """Raise ValueError unless 0 <= beta < 1 and eps is not negative."""
    not_negative(eps, "eps")
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        if not 0.0 <= value < 1.0:
            raise ValueError(f"For '{owner}', the '{name}' must be in range [0.0, 1.0), but got {value}.")


def update_moments(moments1: list[Any], moments2: list[Any], gradients: list[Any], beta1: float, beta2: float) -> None:
    """Compute m += (g - m)·(1 - beta1); v += (g² - v)·(1 - beta2), in place."""
    torch._foreach_lerp_(moments1, gradients, 1.0 - beta1)
    torch._foreach_mul_(moments2, beta2)
    torch._foreach_addcmul_(moments2, gradients, gradients, 1.0 - beta2)


class Adam(Optimizer):
    """m, v as usual; p -= lr·sqrt(1 - beta2ᵗ)/(1 - beta1ᵗ) · m/(sqrt(v) + eps).

    Here ``eps`` is added before the bias correction, unlike in torch's Adam. ``use_nesterov`` takes beta1·m + (1 -
    beta1)·g for m; ``use_amsgrad`` the running maximum of v, with m itself. With ``use_lazy`` a step changes only
    looked-up rows, as `LazyAdam`'s; ``use_offload`` is for Ascend: no effect.

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
        >>> print(optimizer.get_lr().asnumpy())
        0.01
    """

    _counts = ("global_step", "beta1_power", "beta2_power")
    _repeats = "on a device"
    _fused_states = ("moment1", "moment2", "vhat")
    _takes_rows = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        unknown = set(kwargs) - {"use_lazy", "use_offload"}
        if unknown:
            raise KeyError(
                "For 'Adam', invalid keys are passed as kwargs, supported keys are 'use_lazy' and 'use_offload', "
                f"but got {sorted(unknown)}."
            )
        check_betas(beta1, beta2, eps, "Adam")
        use_lazy, use_offload = kwargs.get("use_lazy", False), kwargs.get("use_offload", False)
        if sum((use_lazy, use_offload, use_amsgrad)) > 1:
            raise ValueError("For 'Adam', only one of 'use_lazy', 'use_offload' and 'use_amsgrad' can be True.")
        self.beta1, self.beta2, self.eps = host_tensor(beta1), host_tensor(beta2), host_tensor(eps)
        self.beta1_power: Parameter = self._count(1.0, "beta1_power")
        self.beta2_power: Parameter = self._count(1.0, "beta2_power")
        self.use_nesterov, self.use_amsgrad, self.use_locking = use_nesterov, use_amsgrad, use_locking
        self.use_lazy, self.use_offload = use_lazy, use_offload
        if use_lazy:
            self._row_states = ("moment1", "moment2")
        self.moment1 = self.parameters.clone(prefix="moment1", init="zeros")  # type: ignore[attr-defined]
        self.moment2 = self.parameters.clone(prefix="moment2", init="zeros")  # type: ignore[attr-defined]
        if use_amsgrad:
            self.vhat = self.parameters.clone(prefix="vhat", init="zeros")  # type: ignore[attr-defined]

    def _begin_step(self) -> None:
        for power, beta in ((self.beta1_power, self.beta1), (self.beta2_power, self.beta2)):
            torch._C.TensorBase.mul_(power, number(beta))

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        moments1, moments2 = self._picked(self.moment1, picks), self._picked(self.moment2, picks)
        powers = self.beta1_power, self.beta2_power
        self._advance(parameters, gradients, moments1, moments2, rate, powers, picks, decay)

    def _advance(
        self,
        parameters: list[Any],
        gradients: list[Any],
        moments1: list[Any],
        moments2: list[Any],
        rate: Number,
        powers: tuple[Any, Any],
        picks: list[int] | None,
        decay: float = 0.0,
    ) -> None:
        rate = rate * root(1.0 - counted(powers[1])) / (1.0 - counted(powers[0]))
        maxima = self._picked(self.vhat, picks) if self.use_amsgrad else []
        beta1 = number(self.beta1)
        if self._is_fused() and is_fusible(parameters, gradients, moments1, moments2, maxima):
            betas = (beta1, number(self.beta2))
            adam_step(
                *(parameters, gradients, moments1, moments2, maxima, rate, betas, number(self.eps), decay),
                found_inf=self._found_inf(),
            )
            return
        with in_single((parameters, moments1, moments2, maxima), gradients) as (values, means, squares, tops, slopes):
            update_moments(means, squares, slopes, beta1, number(self.beta2))
            if self.use_amsgrad:
                torch._foreach_maximum_(tops, squares)
                squares = tops
            divisors = torch._foreach_sqrt(squares)
            torch._foreach_add_(divisors, number(self.eps))
            numerators = means
            if self.use_nesterov and not self.use_amsgrad:
                numerators = list(torch._foreach_mul(means, beta1))
                torch._foreach_add_(numerators, slopes, alpha=1.0 - beta1)
            add_quotients_(values, numerators, divisors, -rate)

    def _is_fused(self) -> bool:
        return on_device(self.global_step) and (self.use_amsgrad or not self.use_nesterov) and not self.use_lazy

    def _apply_adam(
        self, params: Any, beta1_power: Any, beta2_power: Any, moment1: Any, moment2: Any, lr: Any, gradients: Any
    ) -> bool:
        """Finish a script's own ``construct``: apply this step's moments and values, with its powers and rates (one for
        all, or a list of one for each parameter).
        """
        rates = list(lr) if isinstance(lr, (tuple, list)) else [lr] * len(params)
        with torch.no_grad():
            for place, (parameter, gradient, mean, square) in enumerate(zip(params, gradients, moment1, moment2)):
                rate, powers = counted(rates[place]), (beta1_power, beta2_power)
                self._advance([parameter], [gradient], [mean], [square], rate, powers, [place])
        return True


class VectorPowersAdam(Adam):
    """`Adam` whose powers have shape (1,)."""

    @arguments_of(Adam, without="use_amsgrad kwargs")
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for name in ("beta1_power", "beta2_power"):
            self.__dict__["_parameters"][name] = self._count([1.0], name)


class AdamOffload(VectorPowersAdam):
    """`Adam` whose update ran on the host; here it runs where the parameters are. Powers have shape (1,), as
    MindSpore's.
    """

    _repeats = "on a device"
    _takes_rows = False


class AdamWeightDecay(Optimizer):
    """m, v as usual, without bias correction; p -= lr·(m/(sqrt(v) + eps) + weight_decay·p)."""

    _decoupled_decay = True
    _repeats = "on a device"
    _fused_states = ("moments1", "moments2")

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        check_betas(beta1, beta2, eps, "AdamWeightDecay")
        self.beta1, self.beta2, self.eps = host_tensor([beta1]), host_tensor([beta2]), host_tensor([eps])
        self.moments1 = self.parameters.clone(prefix="adam_m", init="zeros")  # type: ignore[attr-defined]
        self.moments2 = self.parameters.clone(prefix="adam_v", init="zeros")  # type: ignore[attr-defined]

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        moments1, moments2 = self._picked(self.moments1, picks), self._picked(self.moments2, picks)
        if self._is_fused() and is_fusible(parameters, gradients, moments1, moments2):
            betas = (number(self.beta1), number(self.beta2))
            adam_step(
                *(parameters, gradients, moments1, moments2, [], rate, betas, number(self.eps), decay),
                is_decoupled=True,
                found_inf=self._found_inf(),
            )
            return
        update_moments(moments1, moments2, gradients, number(self.beta1), number(self.beta2))
        divisors = torch._foreach_sqrt(moments2)
        torch._foreach_add_(divisors, number(self.eps))
        if is_zero(decay):
            add_quotients_(parameters, moments1, divisors, -rate)
            return
        updates = list(torch._foreach_div(moments1, divisors))
        add_scaled_(updates, parameters, decay)
        add_scaled_(parameters, updates, -rate)

    def _is_fused(self) -> bool:
        return on_device(self.global_step) and not self.dynamic_weight_decay
