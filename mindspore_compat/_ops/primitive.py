"""`Primitive`, the base of all operators in class form. MindSpore: ``mindspore.ops.Primitive``.

Here a primitive is a thin callable around a function of ``ops.function``. It has attributes and may have a strategy,
but no graph node or device. Settings for MindSpore's graph compiler are stored for reading and have no other effect.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from mindspore_compat._api.former_names import renamed_args
from mindspore_compat._graph.program import program
from mindspore_compat._ops.own_bprop import by_own_bprop
from mindspore_compat.common._strategy import Layout, check_strategy

__all__ = """
    Primitive PrimitiveWithInfer PrimitiveWithCheck prim_attr_register prim_arg_register constexpr _primexpr
""".split()


#: name -> the operator that computes it
KERNELS: dict[str, Any] = {}


class Primitive:
    """Operator with attributes. Subclasses set attributes in ``__init__`` and compute in ``__call__``; ``get_bprop``,
    if defined, returns the derivative.

    Args:
        name: the operator's name.
    """

    const_value = None
    #: whether ``mindspore.ops`` shows it, not ``ops.auto_generate`` alone
    _is_listed = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Wrap operators of the program for their own ``bprop``."""
        super().__init_subclass__(**kwargs)
        is_own = not cls.__module__.startswith("mindspore_compat")
        if is_own and {"__call__", "get_bprop"} & vars(cls).keys() and hasattr(cls, "get_bprop"):
            cls.__call__ = by_own_bprop(cls.__call__)  # type: ignore[method-assign]

    def __init__(self, name: str) -> None:
        self.__dict__.update(
            name=name, attrs={}, init_attrs={"name": name}, instance_name="", in_strategy=None, out_strategy=None
        )

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Compute as the operator of this name, with this one's attributes. MindSpore finds kernels by name, so a
        program may declare its own operator over one of them.

        Raises:
            NotImplementedError: if there is none.
        """
        kernel = self.__dict__.get("_kernel")
        if kernel is None:
            found = KERNELS.get(self.name)
            if found is None or isinstance(self, found):
                raise NotImplementedError(
                    f"For '{self.name}', the Primitive has no computation on PyTorch. Define '__call__' in the "
                    "subclass, or use a function of mindspore.ops."
                )
            known = {**self.attrs, **self.__dict__}
            kernel = found(**{name: known[name] for name in inspect.signature(found).parameters if name in known})
            self.__dict__["_kernel"] = kernel
        return kernel(*args, **kwargs)

    def __getattr__(self, item: str) -> Any:
        attrs = self.__dict__.get("attrs", {})
        if item in attrs:
            return attrs[item]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{item}'")

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value}" for key, value in self.attrs.items())
        return f"Prim[{self.name}]<{shown}>" if shown else f"Prim[{self.name}]"

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Set an attribute; an argument of the constructor counts from then on. As in MindSpore, it is also an
        attribute of the object, in front of a method: ``relu.recompute`` is True after ``relu.recompute()``.
        """
        self.__dict__[name] = value
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Remove an attribute."""
        self.__dict__.pop(name, None)
        self.attrs.pop(name, None)
        return self

    def get_attr_dict(self) -> dict[str, Any]:
        """Return all attributes by name."""
        return dict(self.attrs)

    def set_prim_instance_name(self, instance_name: str) -> Primitive:
        """Name this instance."""
        self.instance_name = instance_name
        return self

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Name inputs and outputs."""
        self.attrs.update(input_names=inputs, output_names=outputs)

    @renamed_args(strategy="in_strategy")
    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> Primitive:
        """Set the sharding of the operator's tensors over processes, in the modes semi_auto_parallel and auto_parallel;
        in others it has no effect.

        Args:
            in_strategy: for each input Tensor a tuple with the number of pieces of each axis, or a `Layout`.
            out_strategy: the same for the outputs.

        Raises:
            TypeError: for strategies of another type. ValueError: for an ``out_strategy`` alone.
        """
        if in_strategy is None and out_strategy is None:
            return self
        for name, strategy in (("in_strategy", in_strategy), ("out_strategy", out_strategy)):
            if strategy is not None:
                check_strategy(strategy, name)
        if in_strategy is None:
            raise ValueError(
                f"The out_strategy of {self.name} is {out_strategy}, need to set in_strategy, but got none"
            )
        self.__dict__.update(in_strategy=in_strategy, out_strategy=out_strategy)
        for name, strategy in (("in", in_strategy), ("out", out_strategy)):
            if strategy and isinstance(strategy[0], Layout):
                said = [item.to_dict() for item in strategy]
                shown = tuple({key: value for key, value in item.items() if key != "rank_list"} for item in said)
                self.attrs[f"{name}_layout"] = shown
            elif strategy is not None:
                self.attrs[f"{name}_strategy"] = strategy
        own: Any = type(self)
        self.__class__ = _sharded(own)
        return self

    def recompute(self, mode: bool = True) -> Primitive:
        """Do nothing: recomputation is set on Cells."""
        return self.add_prim_attr("recompute", mode)

    def set_stage(self, stage: int) -> Primitive:
        """Store the pipeline stage; without effect."""
        return self.add_prim_attr("stage", stage)

    def set_device(self, device_target: str) -> Primitive:
        """Do nothing: an operator runs on its inputs' device."""
        return self.add_prim_attr("primitive_target", device_target)

    def place(self, role: str, rank_id: int) -> Primitive:
        """Do nothing."""
        return self

    def set_const_prim(self, is_const_prim: bool = True) -> None:
        """Do nothing: there is no graph compiler."""

    def set_const_input_indexes(self, const_input_indexes: list[int]) -> None:
        """Do nothing: there is no graph compiler."""

    def set_inplace_indexes(self, *indexes: Any) -> None:
        """Do nothing: there is no graph compiler."""

    @property
    def update_parameter(self) -> bool:
        """True if the operator changes a Parameter."""
        return bool(self.attrs.get("side_effect_mem", False))

    def check_elim(self, *args: Any) -> tuple[bool, Any]:
        """Return (False, None): nothing is left out."""
        return False, None


class _WithStrategy:
    """Mixin that `Primitive.shard` adds to an operator's class: calls go through the parallel mode."""

    _without: type

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        run = super().__call__  # type: ignore[misc]
        if program.parallel is None:
            return run(*args, **kwargs)
        return program.parallel.operator(self, run, args, kwargs)

    def __reduce__(self) -> Any:
        return _restore_sharded, (type(self)._without, dict(self.__dict__))


def _restore_sharded(cls: type, state: dict[str, Any]) -> Any:
    made = _sharded(cls)
    result = made.__new__(made)
    result.__dict__.update(state)
    return result


@functools.cache
def _sharded(cls: Any) -> Any:
    """Return the class with its strategy in front."""
    if issubclass(cls, _WithStrategy):
        return cls
    own = {"_without": cls, "__module__": cls.__module__, "__doc__": cls.__doc__}
    return type(cls.__name__, (_WithStrategy, cls), own)


class PrimitiveWithCheck(Primitive):
    """Primitive whose subclass checks its inputs in ``check_shape`` and ``check_dtype``; only the subclass itself calls
    them.
    """

    def check_shape(self, *args: Any) -> None:
        """Check the shapes; to be overridden."""

    def check_dtype(self, *args: Any) -> None:
        """Check the dtypes; to be overridden."""


class PrimitiveWithInfer(Primitive):
    """Primitive whose subclass infers shapes and dtypes of outputs; here the computation determines them."""

    def infer_shape(self, *args: Any) -> Any:
        """Infer the shapes; to be overridden."""

    def infer_dtype(self, *args: Any) -> Any:
        """Infer the dtypes; to be overridden."""

    def infer_value(self, *args: Any) -> Any:
        """Infer the value; to be overridden."""


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorate a Primitive's ``__init__``: its arguments become attributes before it runs."""
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def register(self: Any, *args: Any, **kwargs: Any) -> None:
        if "attrs" not in self.__dict__:
            Primitive.__init__(self, type(self).__name__)
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
            self.init_attrs[name] = value
        fn(self, *args, **kwargs)

    return register


prim_arg_register = prim_attr_register


def constexpr(
    fn: Any = None, get_instance: bool = True, name: str | None = None, reuse_result: bool = True, check: bool = True
) -> Any:
    """Return a function that MindSpore runs during compilation unchanged.

    Args:
        get_instance: False gives a class whose instances call the function.
        name, reuse_result, check: accepted; they steer MindSpore's graph compiler.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if get_instance:
            return function

        class CompileOp(PrimitiveWithInfer):
            def __init__(self) -> None:
                super().__init__(name or function.__name__)

            def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)

        return CompileOp

    return decorate if fn is None else decorate(fn)


def _primexpr(fn: Any = None, get_instance: bool = True, name: str | None = None, reuse_result: bool = True) -> Any:
    """Return the same as `constexpr`."""
    return constexpr(fn, get_instance, name, reuse_result)


def _run_op(obj: Primitive, op_name: str, args: tuple[Any, ...]) -> Any:
    """Run ``obj`` as this package computes it, whatever its subclass calls: MindSpore's way to an operator's kernel."""
    own = next(kind for kind in type(obj).__mro__ if kind.__module__.startswith("mindspore_compat."))
    return own.__call__(obj, *args)
