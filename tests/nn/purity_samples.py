"""Networks for test_purity.py, in a module that pytest does not rewrite."""
from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore_compat import Parameter, Tensor, nn, ops, set_seed
from mindspore_compat import dtype as mstype

SCALE = 2.0
SEEN: list[Any] = []
TABLE = np.ones(3, np.float32)


def doubled(x: Any, times: int = 1) -> Any:
    """Some docstring."""
    for _ in range(times):
        x = x * SCALE
    return x


def seen(x: Any) -> Any:
    SEEN.append(1)
    return x


class Settings:
    """Of a class, of an instance, and what runs code."""

    rate = 0.5

    def __init__(self) -> None:
        self.times = 1.0
        self.sizes: list[Any] = [1, [2, 3]]

    @property
    def computed(self) -> float:
        SEEN.append(5)
        return 0.5

    def method(self) -> float:
        SEEN.append(6)
        return 0.5


class Dictionary(dict):
    """Its items are attributes, as in EasyDict."""

    rate: float

    def __init__(self, **items: Any) -> None:
        super().__init__(**items)
        self.__dict__.update(items)


class Catching:
    def __getattr__(self, name: str) -> Any:
        SEEN.append(7)
        return 0.5


settings, dictionary, catching = Settings(), Dictionary(rate=0.5), Catching()
numbers: dict[str, Any] = {"one": 1.0, "more": [1.0, 2.0]}


class Base(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense, self.relu, self.cast = nn.Dense(3, 3), nn.ReLU(), ops.Cast()
        self.blocks = nn.CellList([nn.Dense(3, 3), nn.Dense(3, 3)])
        self.pair = (nn.Tanh(), nn.Sigmoid())
        self.weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")
        self.rate: Any = 0.5
        self.numbers = [1.0, 2.0]
        self.settings = settings
        self.flag = True


class Plain(Base):
    """What networks usually look like."""

    def construct(self, x: Any, scale: float = 1.0) -> Any:
        outputs = []
        for block in self.blocks:
            x = self.relu(block(x))
            outputs.append(x)
        if self.flag and x.shape[0] > 1:
            x = self.helper(x, rate=self.rate) + self.weight.sum() * math.pi
        y, z = self.pair[0](x), ops.concat(tuple(outputs), axis=-1)
        x = self.cast(self.dense(y), mstype.float32) * scale
        x += doubled(x, 2)
        kept = [item * 2 for item in outputs if item is not None]
        assert len(kept) == 2, f"{len(kept)} outputs"
        if self.training and not isinstance(x, Tensor):
            raise TypeError("never")
        return nn.Dropout(p=0.0)(x).view(-1) if False else (x.reshape((-1, 3)), {"z": z}, kept[0].astype(mstype.float32))[0]

    def helper(self, x: Any, *, rate: float) -> Any:
        return x * rate

    @staticmethod
    def static(x: Any) -> Any:
        return x


class Derived(Plain):
    def construct(self, x: Any, scale: float = 1.0) -> Any:
        return super().construct(self.static(x), scale) * 2


def net_of(construct: Callable[..., Any], **members: Any) -> nn.Cell:
    return type("Net", (Base,), {"construct": construct, **members})()


class Overridden(Base):
    def __call__(self, *args: Any) -> Any:
        return super().__call__(*args)

    def construct(self, x: Any) -> Any:
        return x


class WithProperty(Base):
    @property
    def half(self) -> float:
        SEEN.append(2)
        return 0.5

    def construct(self, x: Any) -> Any:
        return x * self.half


class SuperOfAnother(Base):
    def construct(self, x: Any) -> Any:
        super().set_train(False)
        return x


class ImpureBase(Base):
    def construct(self, x: Any) -> Any:
        return seen(x)


class OverImpure(ImpureBase):
    def construct(self, x: Any) -> Any:
        return super().construct(x)


class Scaled(nn.Cell):
    times = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")

    def construct(self, x: Any) -> Any:
        return self.scaled(self.dense(x)) * SCALE * self.times

    def scaled(self, x: Any) -> Any:
        return x


# --- what may have an effect ------------------------------------------------------------------------------------------------------------


def sets_an_attribute(self: Any, x: Any) -> Any:
    self.rate = 1.0
    return x


def counts(self: Any, x: Any) -> Any:
    self.rate += 1.0
    return x


def appends(self: Any, x: Any) -> Any:
    self.numbers.append(1)
    return x


def appends_to_an_alias(self: Any, x: Any) -> Any:
    outputs = self.pair
    outputs = x.extra
    outputs.append(1)
    return x


def appends_to_an_argument(self: Any, x: Any, found: Any = None) -> Any:
    found.append(x)
    return x


def reads_a_local_cell(self: Any, x: Any) -> Any:
    for block in self.blocks:
        x = x * block.some_attribute
    return x


def sets_an_item(self: Any, x: Any) -> Any:
    x[0] = 1
    return x


def prints(self: Any, x: Any) -> Any:
    print(x)
    return x


def calls_numpy(self: Any, x: Any) -> Any:
    return x * np.random.rand()


def uses_an_array(self: Any, x: Any) -> Any:
    return x * Tensor(TABLE)


def calls_what_has_an_effect(self: Any, x: Any) -> Any:
    return seen(x)


def has_a_global(self: Any, x: Any) -> Any:
    global SCALE
    SCALE = 3.0
    return x


def uses_a_lambda(self: Any, x: Any) -> Any:
    return (lambda value: SEEN.append(value) or value)(x)  # type: ignore[func-returns-value]


def catches(self: Any, x: Any) -> Any:
    try:
        return self.missing(x)
    except AttributeError:
        return x


def opens(self: Any, x: Any) -> Any:
    open("/dev/null").close()
    return x


def gets(self: Any, x: Any) -> Any:
    return x * getattr(self, "rate")


def uses_the_system(self: Any, x: Any) -> Any:
    return x * sys.getrefcount(x)


def uses_with(self: Any, x: Any) -> Any:
    with self.settings:
        return x


def unknown_name(self: Any, x: Any) -> Any:
    return nowhere(x)  # type: ignore[name-defined]  # noqa: F821


def imports(self: Any, x: Any) -> Any:
    import time
    return x * time.time()


def rebinds_self(self: Any, x: Any) -> Any:
    self = self.settings
    return x * self.rate


def saves(self: Any, x: Any) -> Any:
    from mindspore_compat import save_checkpoint
    save_checkpoint(self, "x.ckpt")
    return x


@functools.lru_cache
def remembered(x: Any) -> Any:
    return x


def calls_a_decorated_function(self: Any, x: Any) -> Any:
    return remembered(x)


def sets_the_seed(self: Any, x: Any) -> Any:
    set_seed(1)
    return x


class Sliced(Base):
    """A Cell with a method that Tensors have as well, one that iterates, and two that are called through local variables."""

    def construct(self, x: Any) -> Any:
        return x

    def split(self, x: Any) -> Any:
        SEEN.append(3)
        return x


class Iterated(Base):
    def __iter__(self) -> Any:
        SEEN.append(4)
        return iter(self.blocks)

    def construct(self, x: Any) -> Any:
        for block in self:
            x = block(x)
        return x


class Kept(Base):
    def __init__(self) -> None:
        super().__init__()
        self.norm = seen

    def construct(self, x: Any) -> Any:
        return x


class Outer(nn.Cell):
    def __init__(self, inner: nn.Cell) -> None:
        super().__init__()
        self.inner = nn.CellList([inner])

    def construct(self, x: Any) -> Any:
        for inner in self.inner:
            x = inner.norm(x) + inner.split(x)
        return x


def reads_a_property(self: Any, x: Any) -> Any:
    return x * settings.computed


def calls_a_method_of_an_object(self: Any, x: Any) -> Any:
    return x * self.settings.method()


def reads_what_is_caught(self: Any, x: Any) -> Any:
    return x * catching.rate


def uses_an_object(self: Any, x: Any) -> Any:
    return doubled(x, settings)  # type: ignore[arg-type]


def reads_what_others_may_change(self: Any, x: Any) -> Any:
    """Each of these is looked at before a replay."""
    for size in self.settings.sizes[1]:
        x = x * size
    return x * settings.times * settings.rate * dictionary.rate * numbers["one"] * numbers["more"][1] * Settings.rate


def with_defaults(x: Any, *, times: float = 2.0) -> Any:
    return x * times


def without(x: Any, *, times: float = 2.0) -> Any:
    return x


def calls_with_defaults(self: Any, x: Any, rate: float = 1.0) -> Any:
    return with_defaults(x) * rate


EFFECTS = (reads_a_property, calls_a_method_of_an_object, reads_what_is_caught, uses_an_object, sets_the_seed, sets_an_attribute, counts, appends, appends_to_an_alias, appends_to_an_argument, reads_a_local_cell, sets_an_item, prints, calls_numpy, uses_an_array, calls_what_has_an_effect, has_a_global,
           uses_a_lambda, catches, opens, gets, uses_the_system, uses_with, unknown_name, imports, rebinds_self, saves, calls_a_decorated_function)


def closure() -> tuple[Any, Any]:
    """A function over variables, and one that sets them."""
    times = 1.0
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")

    def forward(x: Any) -> Any:
        return net(x) * times

    def change(value: float) -> None:
        nonlocal times
        times = value
    return forward, change
