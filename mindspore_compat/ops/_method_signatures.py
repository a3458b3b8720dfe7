"""The overloads of Tensor's methods, as real MindSpore lists them when a call fits none: for the error of such a call
in compiled code (``common/_compiled_words.py``). Found by calling each method with a name that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common._compiled_source import FailedCall
from mindspore_compat.common._compiled_words import method_words

__all__ = ["OVERLOADS"]

#: method: arguments of an overload | of the next; types as real MindSpore names them, in its order
_TABLE = """
acos:
acosh:
add: other=<number>, *, alpha=<number> | other=<number,Tensor>, *, alpha=<number> | other=<any,Tensor>
add_: other=<Tensor>, *, alpha=<number> | other=<number>, *, alpha=<number>
addbmm: batch1=<Tensor>, batch2=<Tensor>, *, beta=<number,Tensor>, alpha=<number,Tensor> | batch1=<Tensor>,
    batch2=<Tensor>, *, beta=<number>, alpha=<number>
addcdiv: tensor1=<Tensor>, tensor2=<Tensor>, *, value=<number,Tensor> | tensor1=<Tensor>, tensor2=<Tensor>,
    value=<Tensor>
addmm: mat1=<Tensor>, mat2=<Tensor>, *, beta=<number>, alpha=<number>
addmv: mat=<Tensor>, vec=<Tensor>, *, beta=<number>, alpha=<number> | mat=<Tensor>, vec=<Tensor>, beta=<number>,
    alpha=<number>
all: axis=<int,Tuple,Tensor,None,List>, keep_dims=<bool> | dim=<int,Tuple,Tensor,None,List>, keepdim=<bool>
any:  | dim=<int>, keepdim=<bool> | axis=<int,Tuple,Tensor,None,List>, keep_dims=<bool>
arccos:
arccosh:
arcsin:
arcsinh:
arctan:
arctan2: other=<number,Tensor>
argmax: axis=<int>, keepdims=<bool> | dim=<int,None>, keepdim=<bool>
argmin: dim=<int,None>, keepdim=<bool> | axis=<int,None>, keepdims=<bool>
argsort: dim=<int>, descending=<bool>, stable=<bool> | axis=<int>, descending=<bool>
asin:
asinh:
atan:
atan2: other=<number,Tensor>
baddbmm: batch1=<Tensor>, batch2=<Tensor>, *, beta=<number,Tensor>, alpha=<number,Tensor> | batch1=<Tensor>,
    batch2=<Tensor>, *, beta=<number>, alpha=<number>
bincount: weights=<Tensor,None>, minlength=<int,Tensor>
bitwise_and: other=<Tensor> | other=<number>
bitwise_or: other=<Tensor> | other=<number>
bitwise_xor: other=<Tensor> | other=<number>
chunk: chunks=<int>, dim=<int> | chunks=<int>, axis=<int>
clamp: min=<Tensor,None>, max=<Tensor,None> | min=<number,None>, max=<number,None>
clip: min=<Tensor,None>, max=<Tensor,None> | min=<number,None>, max=<number,None>
div: other=<number> | other=<number,Tensor> | other=<number>, *, rounding_mode=<str,None> | other=<number,Tensor>, *,
    rounding_mode=<str,None>
div_: other=<Tensor> | other=<number> | other=<Tensor>, rounding_mode=<str,None> | other=<number>,
    rounding_mode=<str,None>
divide: other=<number> | other=<number,Tensor> | other=<number>, *, rounding_mode=<str,None> | other=<number,Tensor>,
    *, rounding_mode=<str,None>
dot: other=<Tensor>
eq: other=<number> | other=<number,Tensor>
expand_as: other=<Tensor> | x=<Tensor>
fill_: value=<Tensor> | value=<number>
flatten: start_dim=<int>, end_dim=<int> | order=<str>, start_dim=<int>, end_dim=<int>
floor_divide: other=<number> | other=<number,Tensor>
floor_divide_: other=<Tensor> | other=<number>
fmod: other=<Tensor> | other=<number> | other=<number,Tensor>
frac:
gather: dim=<int,Tensor>, index=<Tensor> | input_indices=<Tensor>, axis=<int,Tensor>, batch_dims=<int>
ge: other=<number> | other=<number,Tensor>
greater_equal: other=<number> | other=<number,Tensor>
histc: bins=<int,Tensor>, min=<number,Tensor>, max=<number,Tensor>
imag:
index_add: dim=<int>, index=<Tensor>, source=<Tensor>, *, alpha=<number> | indices=<Tensor>, y=<Tensor>, axis=<int>,
    use_lock=<bool>, check_index_bound=<bool>
index_fill_: dim=<int>, index=<Tensor>, value=<Tensor> | dim=<int>, index=<Tensor>, value=<number>
index_select: dim=<int>, index=<Tensor> | axis=<int>, index=<Tensor>
inverse:
isclose: other=<Tensor>, rtol=<int,float,bool>, atol=<int,float,bool>, equal_nan=<bool> | x2=<Tensor>,
    rtol=<int,float,bool>, atol=<int,float,bool>, equal_nan=<bool>
isneginf:
lerp: end=<Tensor>, weight=<float,Tensor> | end=<Tensor>, weight=<float>
less: other=<number> | other=<number,bool,Tensor>
log10:
log2:
logaddexp: other=<Tensor>
logaddexp2: other=<Tensor>
logical_and: y=<bool,Tensor> | other=<bool,Tensor>
logical_or: y=<bool,Tensor> | other=<bool,Tensor>
logsumexp: dim=<int,Tuple,List>, keepdim=<bool>
lt: other=<number> | other=<number,bool,Tensor>
masked_fill: mask=<Tensor>, value=<number> | mask=<Tensor>, value=<number,Tensor>
masked_fill_: mask=<Tensor>, value=<Tensor> | mask=<Tensor>, value=<number>
matmul: other=<Tensor> | tensor2=<Tensor>
max:  | dim=<int>, keepdim=<bool> | axis=<int,Tuple,None,List>, keepdims=<bool>, *, initial=<number,None>,
    where=<bool,Tensor>, return_indices=<bool>
mean: dim=<int,Tuple,Tensor,None,List>, keepdim=<bool>, *, dtype=<mstype,int,None> |
    axis=<int,Tuple,Tensor,None,List>, keep_dims=<bool>
median:  | dim=<int>, keepdim=<bool> | axis=<int>, keepdims=<bool>
min:  | dim=<int>, keepdim=<bool> | axis=<int,Tuple,None,List>, keepdims=<bool>, *, initial=<number,None>,
    where=<bool,Tensor>, return_indices=<bool>
mm: mat2=<Tensor>
mul: other=<number> | other=<number,Tensor> | other=<any,Tensor>
mul_: other=<Tensor> | other=<number>
nansum: dim=<int,Tuple,Tensor,None,List>, keepdim=<bool>, *, dtype=<mstype,int,None> | axis=<int,Tuple,None,List>,
    keepdims=<bool>, *, dtype=<mstype,int,None>
narrow: dim=<int>, start=<int,Tensor>, length=<int> | axis=<int>, start=<int,Tensor>, length=<int>
outer: vec2=<Tensor>
permute: dims=<Tuple,List> | axis=<int,Tuple,None,List>
pow: exponent=<number> | exponent=<number,Tensor>
prod: dim=<int,None>, keepdim=<bool>, dtype=<mstype,int,None>
real:
remainder: other=<Tensor> | other=<number> | divisor=<number,Tensor>
remainder_: other=<Tensor> | other=<number>
repeat_interleave: repeats=<int,Tuple,Tensor,List>, dim=<int,None> | repeats=<Tuple,Tensor,List>, dim=<int,None>, *,
    output_size=<int,None> | repeats=<int>, dim=<int,None>, *, output_size=<int,None>
roll: shifts=<int,Tuple,List>, dims=<int,Tuple,None,List>
scatter: dim=<int,Tensor>, index=<Tensor>, src=<Tensor>, reduce=<str> | dim=<int,Tensor>, index=<Tensor>,
    src=<number>, reduce=<str> | axis=<int>, index=<Tensor>, src=<float,Tensor>
scatter_: dim=<int,Tensor>, index=<Tensor>, src=<Tensor> | dim=<int,Tensor>, index=<Tensor>, src=<Tensor>, *,
    reduce=<str> | dim=<int,Tensor>, index=<Tensor>, value=<number,Tensor> | dim=<int,Tensor>, index=<Tensor>,
    value=<number,Tensor>, *, reduce=<str>
scatter_add: dim=<int>, index=<Tensor>, src=<Tensor> | indices=<Tensor>, updates=<Tensor>
select: dim=<int>, index=<int> | condition=<Tensor>, y=<number,Tensor>
set_: source=<Storage> | source=<Tensor>
sort: dim=<int>, descending=<bool>, stable=<bool> | axis=<int>, descending=<bool>
split: split_size=<int>, dim=<int> | split_size=<Tuple,List>, dim=<int> | split_size_or_sections=<int,Tuple,List>,
    axis=<int>
squeeze: axis=<int,Tuple,List> | axis=<int,Tuple,None,List>
sub: other=<number>, *, alpha=<number> | other=<number,Tensor>, *, alpha=<number> | y=<any,Tensor>
sum: dim=<int,Tuple,Tensor,None,List>, keepdim=<bool>, *, dtype=<mstype,int,None> | axis=<int,Tuple,Tensor,None,List>,
    dtype=<mstype,int,None>, keepdims=<bool>, initial=<number,None>
t:
tile: dims=<Tuple,Tensor> | reps=<Tuple,Tensor>
to: device=<str,None>, dtype=<mstype,int,None>, non_blocking=<bool>, copy=<bool> | dtype=<mstype,int,None>,
    non_blocking=<bool>, copy=<bool> | other=<Tensor>, non_blocking=<bool>, copy=<bool>
topk: k=<int>, dim=<int>, largest=<bool>, sorted=<bool> | k=<int>, dim=<int,None>, largest=<bool>, sorted=<bool>
tril: diagonal=<int,Tensor>
type_as: other=<Tensor>
unbind: dim=<int>
unsqueeze: axis=<int,Tensor> | dim=<int,Tensor>
var: axis=<int,Tuple,None>, ddof=<int,bool>, keepdims=<bool> | dim=<int,Tuple,None,List>, correction=<int>,
    keepdim=<bool>
view: shape=<Tuple,Tensor,List> | dtype=<mstype,int>
view_as: other=<Tensor>
where: condition=<Tensor>, other=<number,Tensor> | condition=<Tensor>, y=<number,Tensor>
xlogy: other=<Tensor> | other=<number> | other=<number,Tensor>
"""

#: method -> its overloads, each as written in `_TABLE`
OVERLOADS: dict[str, list[str]] = {
    name: [item.strip() for item in rest.split("|")]
    for name, _, rest in (line.partition(":") for line in _TABLE.replace("\n    ", " ").strip().splitlines())
}

_IS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, torch.Tensor),
    "int": lambda value: isinstance(value, int),
    "float": lambda value: isinstance(value, (int, float)),
    "number": lambda value: isinstance(value, (int, float, complex)),
    "bool": lambda value: isinstance(value, bool),
    "None": lambda value: value is None,
    "Tuple": lambda value: isinstance(value, tuple) and all(isinstance(item, (int, torch.Tensor)) for item in value),
    "List": lambda value: isinstance(value, list) and all(isinstance(item, (int, torch.Tensor)) for item in value),
    "str": lambda value: isinstance(value, str),
    "mstype": lambda value: isinstance(value, torch.dtype),
}


class _Overload:
    """One way to call a method: (name, types) of each argument."""

    def __init__(self, text: str) -> None:
        self.text = text
        items = [item for item in text.split(", ") if item]
        self.by_position = items.index("*") if "*" in items else len(items)
        pairs = [item.partition("=<")[::2] for item in items if item != "*"]
        self.types = {name: kinds.rstrip(">").split(",") for name, kinds in pairs}

    def unknown_names(self, call: FailedCall) -> list[str]:
        return [name for name in call.kwargs if name not in self.types]

    def takes_so_many(self, call: FailedCall) -> bool:
        return len(call.args) + len(call.kwargs) <= len(self.types)

    def wrong(self, call: FailedCall) -> int | None:
        """The first argument, by position and then by name, that it does not take."""
        names = list(self.types)
        for place, item in enumerate(call.args):
            if place >= self.by_position or not self._takes(names[place], item):
                return place
        for place, (name, item) in enumerate(call.kwargs.items(), len(call.args)):
            if name in names[: len(call.args)] or not self._takes(name, item):
                return place
        return None

    def _takes(self, name: str, value: Any) -> bool:
        return any(kind not in _IS or _IS[kind](value) for kind in self.types[name])


def _kind(value: Any) -> str:
    """A value's type as the compiler writes it."""
    if isinstance(value, torch.Tensor):
        return "Tensor"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}<{', '.join(map(_kind, value))}>"
    return {"str": "string", "NoneType": "None", "dtype": "mstype"}.get(type(value).__name__, type(value).__name__)


def _words(call: FailedCall) -> str:
    """What the compiler says of a call that fits no overload; nothing if it fits one, or the method is not known."""
    if call.name == "reshape" and not call.kwargs:  # the one way, a shape of ints each by itself
        places = [place for place, item in enumerate(call.args, 1) if isinstance(item, (float, str, bool))]
        if not places:
            return ""
        kind = _kind(call.args[places[0] - 1])
        return f"reshape(): argument 'shape' (position {places[0]}) must be tuple of int, not {kind}."
    overloads = list(map(_Overload, OVERLOADS.get(call.name, ())))
    possible = [item for item in overloads if item.takes_so_many(call)]
    named = [item for item in possible if not item.unknown_names(call)]
    lacks = not call.args and not call.kwargs and all(item.text for item in overloads)
    if not overloads or (not lacks and any(item.wrong(call) is None for item in named)):
        return ""
    if not lacks and len(named) == 1 and len(overloads) > 1 and not call.args[named[0].by_position :]:
        return _of_the_only(call, named[0])
    return _of_all(call, overloads)


def _of_the_only(call: FailedCall, overload: _Overload) -> str:
    place = overload.wrong(call) or 0
    if place < len(call.args):
        name, value = list(overload.types)[place], call.args[place]
        expected = " or ".join(overload.types[name])
        return f"{call.name}(): argument '{name}' (position {place + 1}) must be {expected}, not {_kind(value)}."
    name = list(call.kwargs)[place - len(call.args)]
    expected = " or ".join(kind.replace("number", "Number") for kind in overload.types[name] if kind != "None")
    value = call.kwargs[name]
    got = f"{type(value).__name__} of Any" if isinstance(value, (list, tuple)) else _kind(value)
    return f"{call.name}(): argument '{name}' must be {expected} but got {got}."


def _of_all(call: FailedCall, overloads: list[_Overload]) -> str:
    given = [*map(_kind, call.args), *(f"{name}={_kind(value)}" for name, value in call.kwargs.items())]
    lines = [f'Failed calling {call.name} with "{call.name}({", ".join(given)})".', "The valid calling should be:"]
    for item in overloads:
        lines.append(f'"Tensor.{call.name}({item.text})"')
        if not item.takes_so_many(call) or not given:
            continue
        if item.unknown_names(call):
            lines.append(f"    match failed because incorrect keyword name: {item.unknown_names(call)[0]}")
            continue
        first = min(item.wrong(call) or 0, len(call.args))  # of names, all are marked
        reason = "    match failed because invalid types: ("
        before = len(reason) + len("".join(f"{text}, " for text in given[:first]))
        lines += [f"{reason}{', '.join(given)})", " " * before + "~" * (len(", ".join(given[first:])) + 2)]
    return "\n".join(lines)


method_words.words = _words  # type: ignore[method-assign]
