"""torch's own methods and attributes on `Tensor`, returning Tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import raise_documented, retry_in_wider_dtype
from mindspore_compat._tensor import tracing
from mindspore_compat._tensor.aliasing import for_writing, is_of_parameter
from mindspore_compat._tensor.operators import truncated
from mindspore_compat._tensor.wrapping import unaliased, wrap
from mindspore_compat.common.generator import generator_on

_Base = torch._C.TensorBase

_UNTOUCHED = frozenset(
    """
    apply_ as_subclass data_ptr dense_dim detach_ dim dim_order element_size get_device has_names is_coalesced
    is_complex is_conj is_contiguous is_distributed is_floating_point is_inference is_neg is_nonzero is_pinned
    is_same_size is_set_to is_shared is_signed map_ map2_ ndimension
    nelement numel numpy q_scale q_zero_point qscheme record_stream register_hook
    register_post_accumulate_grad_hook reinforce requires_grad_ retain_grad share_memory_ sparse_dim storage
    storage_offset storage_type stride tolist type typed_storage untyped_storage
    refine_names rename rename_ align_to align_as names module_load size to_sparse
""".split()
)


_RANDOM = frozenset(
    "bernoulli bernoulli_ cauchy_ exponential_ geometric_ log_normal_ multinomial normal_ random_ uniform_".split()
)


def install_torch_methods(cls: type) -> None:
    """Install torch's methods and tensor-valued attributes that ``cls`` and its mixins do not define; they return
    Tensors.
    """
    own = {name for base in cls.__mro__[: cls.__mro__.index(torch.Tensor)] for name in vars(base)}
    for name in dir(torch.Tensor):
        method = getattr(torch.Tensor, name)
        if (
            name.startswith("_")
            or name in own
            or name in _UNTOUCHED
            or not callable(method)
            or isinstance(method, type)
        ):
            continue
        found = kernels.METHODS.get(name, method)
        returned = _returning_tensor(name, _with_generator(found) if name in _RANDOM else found)
        setattr(cls, name, _in_place(cls, name, returned) if name in _IN_PLACE else returned)
    cls.backward = _backward  # type: ignore[attr-defined]
    for name in ("real", "imag"):
        setattr(cls, name, _part(name, type("Tensor", (cls,), {"__call__": _itself, "__reduce_ex__": _reduced})))
    for name in ("T", "mT", "H", "mH", "grad"):
        descriptor = getattr(_Base, name, None) or getattr(torch.Tensor, name)
        setattr(cls, name, _tensor_property(descriptor, _BY_FUNCTION.get(name)))


#: methods -> (the method that is not in place, its operator) where MindSpore's PyNative gives another dtype
_IN_PLACE = {
    "add_": ("add", "add"),
    "mul_": ("mul", "mul"),
    "div_": ("div", "truediv"),
    "floor_divide_": ("floor_divide", "floordiv"),
    "remainder_": ("remainder", "mod"),
}


def _in_place(cls: Any, name: str, inner: Callable[..., Any]) -> Callable[..., Any]:
    """Compute with whole numbers: where the result has another dtype, PyNative returns it and ``self`` stays; in
    compiled code ``self`` changes, and the operand is cast.
    """
    plain_name, operator = _IN_PLACE[name]

    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        other = args[0] if args else kwargs.get("other")
        is_float = self.dtype.is_floating_point or self.dtype.is_complex
        if is_float or len(args) + len(kwargs) != 1 or not isinstance(other, (int, float, torch.Tensor)):
            return inner(self, *args, **kwargs)
        if tracing.is_tracing():
            return inner(self, *args, **kwargs)
        result = getattr(cls, plain_name)(self, other)
        if result.dtype is self.dtype:
            return inner(self, *args, **kwargs)
        return wrap(_Base.copy_(self, truncated(operator, self, other))) if in_graph() else result

    return method


#: what Dynamo takes for attributes of torch's that are properties here
_BY_FUNCTION: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "T": lambda x: torch.permute(x, tuple(range(_Base.dim(x) - 1, -1, -1))),
    "mT": lambda x: torch.transpose(x, -2, -1),
    "H": lambda x: torch.adjoint(x),
    "mH": lambda x: torch.adjoint(x),
}


def _tensor_property(descriptor: Any, function: Callable[[torch.Tensor], torch.Tensor] | None) -> property:
    def get(self: Any) -> Any:
        if function is not None and tracing.is_tracing():
            return wrap(function(self))
        return wrap(descriptor.__get__(self))

    return property(get, getattr(descriptor, "__set__", None))


def _part(name: str, callable_tensor: type) -> property:
    """Return ``x.real``: an attribute in torch and numpy, a method in MindSpore, so the result can be called."""

    def get(self: Any) -> Any:
        if tracing.is_tracing():
            return wrap(getattr(torch, name)(self))
        if not self.dtype.is_complex:
            made = torch.zeros_like(self) if name == "imag" else _Base.view_as(self, self)
        else:
            made = getattr(torch, name)(self)
        made.__class__ = callable_tensor
        return made

    return property(get)


def _itself(self: Any) -> Any:
    return wrap(torch.clone(_Base.view_as(self, self)))


def _reduced(self: Any, protocol: Any) -> Any:
    return _itself(self).__reduce_ex__(protocol)


def _backward(self: Any, *args: Any, **kwargs: Any) -> None:
    """Call torch's ``backward``; explain the error if there is no graph."""
    if not self.requires_grad and not tracing.is_tracing():
        raise RuntimeError(
            "For 'backward', this Tensor has no graph. A Cell in evaluation mode, called with MindSpore's Tensors, "
            "records none, as in MindSpore: call its 'set_train()' first, or give it torch's tensors. "
            "MindSpore's own way is 'mindspore.value_and_grad'."
        )
    torch.Tensor.backward(self, *args, **kwargs)


def _with_generator(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``method`` with support for a `Generator` as its ``generator``."""

    def drawing(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("generator") is not None:
            kwargs["generator"] = generator_on(kwargs["generator"], self.device)
        return method(self, *args, **kwargs)

    drawing.__doc__ = method.__doc__
    return drawing


#: MindSpore's names of arguments, and torch's
_OTHER_NAMES = {
    "copy_": {"src": "other"},
    "index_copy_": {"tensor": "source"},
    "random_": {"from_": "from"},
    "uniform_": {"from_": "from"},
}


def _returning_tensor(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return wrap(method(self, *args, **kwargs))
        except (IndexError, RuntimeError) as error:
            return wrap(retry_in_wider_dtype(error, method, (self, *args), kwargs, name))

    if name.endswith("_"):  # in a trace ``x.add_(y)`` must not be taken for ``x += y``
        names = _OTHER_NAMES.get(name, {})

        def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
            if tracing.is_tracing():
                with torch._C.DisableTorchFunctionSubclass():
                    return wrap(method(self, *args, **kwargs))
            if kwargs:
                kwargs = {names.get(key, key): item for key, item in kwargs.items()}
            if name != "set_":  # which is to lie there
                args = tuple([unaliased(self, item) if isinstance(item, _Base) else item for item in args])
                kwargs = {
                    key: unaliased(self, item) if isinstance(item, _Base) else item for key, item in kwargs.items()
                }
            try:
                if is_of_parameter(self) and self.requires_grad and not THREAD.running:
                    with torch.no_grad():  # MindSpore refuses it, as torch does, only where a gradient is computed
                        return method(for_writing(self), *args, **kwargs)
                if isinstance(self, torch.nn.Parameter):
                    for_writing(self)
                return wrap(method(self, *args, **kwargs))
            except (IndexError, RuntimeError) as error:
                raise_documented(error, name)

    wrapped.__name__ = name
    wrapped.__doc__ = getattr(method, "__doc__", None)
    return wrapped
