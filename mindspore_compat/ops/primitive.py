"""`Primitive`, the base of all operators in class form. Upstream: ``mindspore.ops.Primitive``.

Here a primitive is a thin callable around a function of ``ops.function``: it has attributes, but no graph node, shard
strategy or place. What upstream sets for its graph compiler is kept where it can be read back and has no effect
otherwise.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = """
    Primitive PrimitiveWithInfer PrimitiveWithCheck prim_attr_register prim_arg_register constexpr _primexpr
""".split()


class Primitive:
    """An operator with attributes. Subclasses set attributes in ``__init__`` and compute in ``__call__``.

    Args:
        name: the operator's name.
    """

    const_value = None

    def __init__(self, name: str) -> None:
        self.__dict__.update(
            name=name, attrs={}, init_attrs={"name": name}, instance_name="", in_strategy=None, out_strategy=None
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"For '{self.name}', the Primitive has no computation on PyTorch. Define '__call__' in the subclass, "
            "or use a function of mindspore.ops."
        )

    def __getattr__(self, item: str) -> Any:
        attrs = self.__dict__.get("attrs", {})
        if item in attrs:
            return attrs[item]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{item}'")

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value}" for key, value in self.attrs.items())
        return f"Prim[{self.name}]<{shown}>" if shown else f"Prim[{self.name}]"

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Set an attribute; what an operator computes follows from its constructor arguments only."""
        if not hasattr(type(self), name):
            self.__dict__[name] = value
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Remove an attribute."""
        self.__dict__.pop(name, None)
        self.attrs.pop(name, None)
        return self

    def set_prim_instance_name(self, instance_name: str) -> Primitive:
        """Name this instance."""
        self.instance_name = instance_name
        return self

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Name inputs and outputs.

        Raises:
            TypeError: if one of the names is not a str.
        """
        for name in (*inputs, *outputs):
            if not isinstance(name, str):
                raise TypeError(
                    f"For '{self.name}', the names of inputs and outputs must be str, but got {type(name).__name__}."
                )
        self.attrs.update(input_names=inputs, output_names=outputs)

    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> Primitive:
        """Keep a sharding strategy; a single operator is not split here, use ``mindspore.parallel`` for
        whole networks.
        """
        self.__dict__.update(in_strategy=in_strategy, out_strategy=out_strategy)
        self.attrs.update(
            {
                key: value
                for key, value in (("in_strategy", in_strategy), ("out_strategy", out_strategy))
                if value is not None
            }
        )
        return self

    def recompute(self, mode: bool = True) -> Primitive:
        """Accepted without effect: recomputation is set on Cells."""
        if not isinstance(mode, bool):
            raise TypeError(
                f"For 'recompute', the 'mode' must be bool, but got {type(mode).__name__}. Pass True or False."
            )
        self.attrs["recompute"] = mode
        return self

    def set_stage(self, stage: int) -> Primitive:
        """Keep the pipeline stage; without effect."""
        return self.add_prim_attr("stage", stage)

    def set_device(self, device_target: str) -> Primitive:
        """Accepted without effect: an operator runs where its inputs are."""
        return self.add_prim_attr("primitive_target", device_target)

    def place(self, role: str, rank_id: int) -> Primitive:
        """Accepted without effect."""
        return self

    def set_const_prim(self, is_const_prim: bool = True) -> None:
        """Accepted without effect: there is no graph compiler."""

    def set_const_input_indexes(self, const_input_indexes: list[int]) -> None:
        """Accepted without effect: there is no graph compiler."""

    def set_inplace_indexes(self, *indexes: Any) -> None:
        """Accepted without effect: there is no graph compiler."""

    @property
    def update_parameter(self) -> bool:
        """Whether it changes a Parameter."""
        return bool(self.attrs.get("side_effect_mem", False))

    def check_elim(self, *args: Any) -> tuple[bool, Any]:
        """(False, None): nothing is left out."""
        return False, None


class PrimitiveWithCheck(Primitive):
    """A Primitive whose subclass checks its inputs in ``check_shape`` and ``check_dtype``; those are only called by the
    subclass itself.
    """

    def check_shape(self, *args: Any) -> None:
        """To be overridden."""

    def check_dtype(self, *args: Any) -> None:
        """To be overridden."""


class PrimitiveWithInfer(Primitive):
    """A Primitive whose subclass says shapes and dtypes of outputs; here the computation itself says them."""

    def infer_shape(self, *args: Any) -> Any:
        """To be overridden."""

    def infer_dtype(self, *args: Any) -> Any:
        """To be overridden."""

    def infer_value(self, *args: Any) -> Any:
        """To be overridden."""


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorator of a Primitive's ``__init__``: its arguments become attributes before it runs."""
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
    """Decorator of a function that upstream runs while it compiles; here it is the function itself.

    Args:
        get_instance: False gives a class whose instances call the function.
        name, reuse_result, check: accepted; they steer upstream's graph compiler.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if get_instance:
            return function

        class CompileOp(PrimitiveWithInfer):
            def __init__(self) -> None:
                super().__init__(name or function.__name__)

            def __call__(self, *args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)

        return CompileOp

    return decorate if fn is None else decorate(fn)


def _primexpr(fn: Any = None, get_instance: bool = True, name: str | None = None, reuse_result: bool = True) -> Any:
    """The same as `constexpr`."""
    return constexpr(fn, get_instance, name, reuse_result)
