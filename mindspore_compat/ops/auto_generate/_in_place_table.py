"""Operators that write to their first input, in class form and ready made: ``InplaceAddExt``, ``inplace_add_ext_op``.

They are Tensor's methods whose names end in an underscore, under the arguments of upstream's operators, and the step of
an optimizer. Upstream has them on Ascend; on a CPU it has the names only. Those that draw random numbers are left out:
they get a state.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._declare import declared
from mindspore_compat.ops.operations._update_ops import _step

__all__ = ["IN_PLACE", "MADE"]


def _adamw(
    var: Any,
    m: Any,
    v: Any,
    max_v: Any,
    gradient: Any,
    step: Any,
    lr: float,
    beta1: float,
    beta2: float,
    decay: float,
    eps: float,
    amsgrad: bool = False,
    maximize: bool = False,
) -> tuple[int, int, int]:
    """One step of `mint.optim.AdamW`, of which ``step`` were taken before."""
    grad = (-gradient if maximize else gradient).to(m.dtype)
    m.mul_(beta1).add_(grad, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    squares = torch.maximum(max_v, v, out=max_v) if amsgrad else v
    taken = step + 1
    divisor = torch.sqrt(squares) / torch.sqrt(1.0 - kernels.pow(beta2, taken)) + eps
    var.mul_(1 - lr * decay).sub_(lr / (1.0 - kernels.pow(beta1, taken)) * m / divisor)
    return 0, 1, 2


_FUNCTIONS: dict[str, Any] = {
    "AdamW": lambda var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad=False, maximize=False: (
        _step(_adamw)(var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad, maximize)
    ),
    "InplaceAddExt": lambda input, other, alpha=1: input.add_(other, alpha=alpha),
    "InplaceAddsExt": lambda input, other, alpha=1: input.add_(other, alpha=alpha),
    "InplaceAddmm": lambda input, mat1, mat2, beta=1, alpha=1: input.addmm_(mat1, mat2, beta=beta, alpha=alpha),
    "InplaceAddr": lambda input, vec1, vec2, beta=1, alpha=1: input.addr_(vec1, vec2, beta=beta, alpha=alpha),
    "InplaceClampScalar": lambda input, min=None, max=None: input.clamp_(min, max),
    "InplaceClampTensor": lambda input, min=None, max=None: input.clamp_(min, max),
    "InplaceCopy": lambda input, src, non_blocking=False: input.copy_(src, non_blocking),
    "InplaceDiv": lambda input, other: input.div_(other),
    "InplaceDivs": lambda input, other: input.div_(other),
    "InplaceDivMod": lambda input, other, rounding_mode=None: input.div_(other, rounding_mode=rounding_mode),
    "InplaceDivMods": lambda input, other, rounding_mode=None: input.div_(other, rounding_mode=rounding_mode),
    "InplaceElu": lambda input, alpha=1.0: wrap(torch.nn.functional.elu_(input, alpha)),
    "InplaceErfinv": lambda input: input.erfinv_(),
    "InplaceExp": lambda input: input.exp_(),
    "InplaceFillDiagonal": lambda input, fill_value, wrap=False: input.fill_diagonal_(fill_value, wrap),
    "InplaceFillScalar": lambda input, value: input.fill_(value),
    "InplaceFillTensor": lambda input, value: input.fill_(value),
    "InplaceFloor": lambda input: input.floor_(),
    "InplaceFloorDivide": lambda input, other: input.floor_divide_(other),
    "InplaceFloorDivides": lambda input, other: input.floor_divide_(other),
    "InplaceHardtanh": lambda input, min_val=-1, max_val=1: wrap(
        torch.nn.functional.hardtanh_(input, min_val, max_val)
    ),
    "InplaceIndexAddExt": lambda input, dim, index, source, alpha=1: input.index_add_(dim, index, source, alpha=alpha),
    "InplaceIndexCopy": lambda input, dim, index, tensor: input.index_copy_(dim, index, tensor),
    "InplaceIndexFillScalar": lambda input, dim, index, value: input.index_fill_(dim, index, value),
    "InplaceIndexFillTensor": lambda input, dim, index, value: input.index_fill_(dim, index, value),
    "InplaceIndexPut": lambda input, indices, values, accumulate=False: input.index_put_(indices, values, accumulate),
    "InplaceLog": lambda input: input.log_(),
    "InplaceMaskedFillScalar": lambda input, mask, value: input.masked_fill_(mask, value),
    "InplaceMaskedFillTensor": lambda input, mask, value: input.masked_fill_(mask, value),
    "InplaceMaskedScatter": lambda input, mask, source: input.masked_scatter_(mask, source),
    "InplaceMul": lambda input, other: input.mul_(other),
    "InplaceMuls": lambda input, other: input.mul_(other),
    "InplacePut": lambda input, index, source, accumulate=False: input.put_(index, source, accumulate),
    "InplaceReLU": lambda input: input.relu_(),
    "InplaceRemainderTensorScalar": lambda input, other: input.remainder_(other),
    "InplaceRemainderTensorTensor": lambda input, other: input.remainder_(other),
    "InplaceScatterAdd": lambda input, dim, index, src: input.scatter_add_(dim, index, src),
    "InplaceScatterSrc": lambda input, dim, index, src: input.scatter_(dim, index, src),
    "InplaceScatterSrcReduce": lambda input, dim, index, src, reduce: input.scatter_(dim, index, src, reduce=reduce),
    "InplaceScatterValue": lambda input, dim, index, value: input.scatter_(dim, index, value),
    "InplaceScatterValueReduce": lambda input, dim, index, value, reduce: input.scatter_(
        dim, index, value, reduce=reduce
    ),
    "InplaceSiLU": lambda input: wrap(torch.nn.functional.silu(input, inplace=True)),
    "InplaceSigmoid": lambda input: input.sigmoid_(),
    "InplaceSign": lambda input: input.sign_(),
    "InplaceSubExt": lambda input, other, alpha=1: input.sub_(other, alpha=alpha),
    "InplaceSubScalar": lambda input, other, alpha=1: input.sub_(other, alpha=alpha),
    "InplaceTanh": lambda input: input.tanh_(),
    "InplaceThreshold": lambda input, threshold, value: wrap(torch.nn.functional.threshold_(input, threshold, value)),
    "InplaceZero": lambda input: input.zero_(),
}

IN_PLACE: dict[str, Any] = declared(_FUNCTIONS, "mindspore_compat.ops.auto_generate.gen_ops_prim")

#: upstream's names without the "ext" that the class has
_SHORTER = {
    "adam_w": "adamw",
    "inplace_re_l_u": "inplace_relu",
    "inplace_si_l_u": "inplace_silu",
    "inplace_index_add_ext": "inplace_index_add",
}


def _made_name(name: str) -> str:
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
    return _SHORTER.get(words, words).replace("div_mod", "divmod") + "_op"


MADE: dict[str, Any] = {_made_name(name): operator() for name, operator in IN_PLACE.items()}
