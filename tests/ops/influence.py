"""Arguments that change nothing.

The calls in the tables of cases and in docstring examples are recorded. `effects` repeats each with one argument
changed and compares results, gradients, Parameters and in-place writes. An argument that never changes any of them is
unused. `python -m tests.ops.influence` prints the list; test_influence.py has the expected one.
"""

from __future__ import annotations

import ast
import collections
import copy
import doctest
import functools
import inspect
import itertools
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, nn, ops
from mindspore_compat.ops import Primitive
from tests.ops.cases import cases, inputs, names_in, scope_of

LOADED_LATE = (nn.TensorArray,)  # looked at in every order of tests

__all__ = ["Probe", "effects", "probes"]

#: arguments of the constructor of every Cell
_OF_ALL_CELLS = ("auto_prefix", "flags")


@dataclass
class Probe:
    """A recorded call: the values of its arguments by name, the defaults of those that it leaves out, and how to run
    it. Arguments of a constructor have "init." in front.
    """

    key: str
    given: dict[str, Any]
    left_out: dict[str, Any]
    run: Callable[[dict[str, Any]], Any]
    words: tuple[str, ...] = ()
    seen: dict[str, list[Any]] | None = None  # other calls' values

    @property
    def arguments(self) -> dict[str, Any]:
        return {**self.given, **self.left_out}


# --- values -----------------------------------------------------------------------------------------------------------
def _plain(value: Any) -> Any:
    """The value without Tensors, as something to compare."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if value.is_sparse or value.layout != torch.strided:
            return value.shape, repr(value)
        value = value.resolve_conj().resolve_neg().contiguous()
        return tuple(value.shape), str(value.dtype), value.reshape(-1).view(torch.uint8).numpy().tobytes()
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, (tuple, list)):
        return tuple(_plain(item) for item in value)
    if isinstance(value, dict):
        return tuple((key, _plain(item)) for key, item in value.items())
    if isinstance(value, nn.Cell):
        state = [getattr(value, name, None) for name in ("eps", "rate")]
        parameters = tuple((p.name, p.requires_grad, _plain(p)) for p in value.get_parameters())
        return type(value).__name__, parameters, repr(state)
    for parts in (("indptr", "indices", "values", "shape"), ("indices", "values", "shape")):
        if all(hasattr(value, part) for part in parts):
            return tuple(_plain(getattr(value, part)) for part in parts)
    return re.sub(r"0x[0-9a-f]+", "", repr(value))


def _copied(value: Any) -> Any:
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return type(value)(_copied(item) for item in value)
    if isinstance(value, Tensor) and type(value) is Tensor:
        return value.copy() if value.dtype is not None else value
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def _of_tensor(tensor: Any) -> Iterator[Any]:
    """Tensors with other values of the same shape and dtype."""
    array = tensor.asnumpy()
    kind = array.dtype.kind
    wave = np.cos(np.arange(array.size) * 1.7).reshape(array.shape) if array.size else array
    if kind in "fc":
        made = [array * 1.25 + 0.125 * wave, array * 0.75, array + 1 + 0.5 * wave, array.reshape(-1)[::-1], -array]
        made += [np.full_like(array, 0.5), array * 20]
    elif kind == "b":
        made = [~array, array.reshape(-1)[::-1], np.zeros_like(array)]
    else:
        made = [array.reshape(-1)[::-1], array + 1, array - 1, array * 2, np.zeros_like(array), np.ones_like(array)]
        made += [np.maximum(array - 1, 0), np.sort(array.reshape(-1))]
    for item in made:
        item = np.ascontiguousarray(np.asarray(item).reshape(array.shape).astype(array.dtype))
        if item.tobytes() != array.tobytes():
            other = Tensor(item)
            yield Parameter(other, name=tensor.name) if isinstance(tensor, Parameter) else other


_DTYPES = ("float16", "float64", "int32", "float32", "int64")


def _of_number(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, 0, 1, 2, -1, -2, value * 2, 3)
    else:
        yield from (value * 1.5 + 0.1, value * 0.5, 0.0, 1.0, 0.5, value + 1, -value, 1e3)


def _of_none(name: str, probe: Probe) -> Iterator[Any]:
    """Values for an argument whose default is None."""
    if name.endswith("generator"):
        yield ms.Generator().manual_seed(77)
    if name.endswith("dtype"):
        yield from (getattr(ms, dtype) for dtype in _DTYPES)
        return
    yield from (1, 0, 2, 0.5, True, (1,), (0, 1), (2, 2))
    for given in probe.given.values():
        for tensor in given if isinstance(given, (tuple, list)) else (given,):
            if isinstance(tensor, Tensor) and tensor.ndim and tensor.size:
                array = tensor.asnumpy()
                yield from (tensor, Tensor(array.real > 0), Tensor(np.array(array[0])))
                for size in dict.fromkeys(tensor.shape):
                    yield Tensor(np.linspace(0.4, 0.9, size).astype(np.float32))
    yield from (getattr(ms, dtype) for dtype in _DTYPES)


def variants(value: Any, name: str, probe: Probe) -> Iterator[Any]:
    """Other values for an argument, first those that other calls have."""
    yield from (probe.seen or {}).get(name, ())
    if isinstance(value, Tensor):
        yield from _of_tensor(value)
    elif isinstance(value, np.ndarray):
        yield from (item.asnumpy() for item in _of_tensor(Tensor(value)))
    elif isinstance(value, (bool, int, float)):
        yield from (other for other in _of_number(value) if other != value)
    elif isinstance(value, str):
        yield from (word for word in probe.words if word != value)
    elif value is None:
        yield from _of_none(name, probe)
        yield from probe.words
    elif isinstance(value, type(ms.float32)):
        yield from (getattr(ms, dtype) for dtype in _DTYPES if getattr(ms, dtype) != value)
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value[:4]):
            for other in itertools.islice(variants(item, "", probe), 5):
                yield type(value)([*value[:index], other, *value[index + 1 :]])
        yield value[::-1]
        if all(isinstance(item, (int, float)) for item in value):
            yield type(value)(item + 1 for item in value)
            yield type(value)(item * 2 for item in value)
    elif isinstance(value, nn.Cell) or callable(value):
        if not isinstance(value, type):
            yield from (ops.sin, lambda *items: items[0] * 3)
    elif hasattr(value, "values") and hasattr(value, "indices"):
        for other in _of_tensor(value.values):
            made = copy.copy(value)
            try:
                yield (
                    ms.CSRTensor(value.indptr, value.indices, other, value.shape)
                    if hasattr(value, "indptr")
                    else ms.COOTensor(value.indices, other, value.shape)
                )
            except Exception:
                yield made


# --- running ----------------------------------------------------------------------------------------------------------
def _seed() -> None:
    with patch.object(torch, "manual_seed", torch.default_generator.manual_seed):  # torch's also seeds devices: 1 ms
        ms.set_seed(3)


def outcome(probe: Probe, arguments: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """(what a call gives, its arguments afterwards)."""
    _seed()
    arguments = {name: _copied(value) for name, value in arguments.items()}
    result = probe.run(arguments)
    return _plain(result), {name: _plain(value) for name, value in arguments.items() if isinstance(value, Tensor)}


def _differ(one: tuple, other: tuple, name: str) -> bool:
    """Whether outcomes differ in more than what was written to the argument ``name``."""
    return one[0] != other[0] or any(value != other[1].get(key, value) for key, value in one[1].items() if key != name)


def gradients(probe: Probe, arguments: dict[str, Any]) -> Any:
    """The gradients of a call by all its float Tensors."""
    _seed()
    arguments = {name: _copied(value) for name, value in arguments.items()}
    names = [n for n, v in arguments.items() if isinstance(v, Tensor) and v.dtype in (ms.float32, ms.float64)]
    if not names:
        return None

    def total(*values: Any) -> Any:
        out = 0
        pending = [probe.run({**arguments, **dict(zip(names, values))})]
        while pending:
            item = pending.pop()
            if isinstance(item, (tuple, list)):
                pending += item
            elif isinstance(item, Tensor) and item.is_floating_point():
                weights = np.cos(np.arange(item.size)).reshape(item.shape).astype(np.float32)
                out = out + (item * Tensor(weights)).sum()
        return out

    found = ms.grad(total, grad_position=tuple(range(len(names))))(*(arguments[name] for name in names))
    return _plain(found)


# --- recording --------------------------------------------------------------------------------------------------------
def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _named(function: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], Callable]:
    """(arguments by name, defaults of the others, how to put them back)."""
    signature = _signature(function)
    parameters = list(signature.parameters.values()) if signature else []
    names: list[str] = []
    for index in range(len(args)):
        parameter = parameters[index] if index < len(parameters) else None
        is_named = parameter is not None and parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
        )
        if not is_named:
            parameters = parameters[:index]
        names.append(parameter.name if is_named else f"#{index}")
    given = {**dict(zip(names, args)), **kwargs}
    known = [p for p in (signature.parameters.values() if signature else ()) if p.name not in given]
    left = {p.name: p.default for p in known if p.default is not p.empty and p.name not in _OF_ALL_CELLS}

    def put_back(values: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        return (
            tuple(values[name] for name in names),
            {name: value for name, value in values.items() if name not in names},
        )

    return given, left, put_back


@cache
def _words_of(*documented: Any) -> tuple[str, ...]:
    """The strings that a docstring or an annotation names."""
    found: dict[str, None] = {}
    for item in documented:
        text = inspect.getdoc(item) or ""
        text = text.partition("Examples:")[0]
        found.update(dict.fromkeys(re.findall(r"[\"'`]([a-zA-Z_]\w{1,15})[\"'`]", text)))
        signature = _signature(item)
        for parameter in signature.parameters.values() if signature else ():
            found.update(dict.fromkeys(re.findall(r"'([a-zA-Z]\w*)'", str(parameter.annotation))))
    return (
        *found,
        *(
            w
            for w in ("none", "sum", "mean", "same", "valid", "pad", "NHWC", "zeros", "ones", "normal", "relu", "tanh")
            if w not in found
        ),
    )


#: folder of modules -> how names in it are shown
_AREAS = {
    "nn.transformer": "nn.transformer",
    "nn.probability": "nn.probability",
    "experimental.optim": "experimental.optim",
    "mint.optim": "mint.optim",
    "mint.nn": "mint.nn",
    "scipy.linalg": "scipy.linalg",
    "scipy.fft": "scipy.fft",
    "nn": "nn",
    "numpy": "numpy",
    "mint": "mint",
    "ops": "ops",
}


def _name_of(function: Any) -> str:
    """As programs know it: "P.Add", "ops.add", "nn.Dense"."""
    module, name = function.__module__.removeprefix("mindspore_compat.").replace("_ops", "ops"), function.__name__
    if isinstance(function, type) and issubclass(function, Primitive):
        return f"P.{name}"
    return f"{next((area for folder, area in _AREAS.items() if module.startswith(folder)), module)}.{name}"


class Recorder:
    """Collects probes while cases run."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[Any, Any, tuple, dict[str, Any]]] = {}
        self.returned: dict[int, tuple[Any, Any, tuple, dict[str, Any]]] = {}
        self.found: list[Probe] = []

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``, recorded."""
        if isinstance(function, type):
            if issubclass(function, (Primitive, nn.Cell)) and function.__module__.startswith("mindspore_compat"):
                before = _copied(args), _copied(kwargs)
                instance = function(*args, **kwargs)
                self.made[id(instance)] = instance, function, *before
                return instance
        elif id(function) in self.made:
            self._record_instance(function, args, kwargs)
        elif id(function) in self.returned:
            self._record_returned(function, args, kwargs)
        elif str(getattr(function, "__module__", "")).startswith("mindspore_compat") and hasattr(
            function, "__qualname__"
        ):
            if "<lambda>" not in function.__qualname__ and not hasattr(function, "__self__"):
                before = _copied(args), _copied(kwargs)
                result = function(*args, **kwargs)
                if inspect.isfunction(result) or isinstance(result, functools.partial):
                    self.returned[id(result)] = result, function, *before
                else:
                    self._record(_name_of(function), function, *before)
                return result
        return function(*args, **kwargs)

    def method(self, owner: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """``owner.name(*args, **kwargs)``, recorded."""
        function = getattr(owner, name)
        if isinstance(owner, Tensor) and not isinstance(function, type):
            plain = getattr(type(owner), name, function)

            def of(self: Any, /, *args: Any, **kwargs: Any) -> Any:
                return getattr(self, name)(*args, **kwargs)

            given, left, put_back = _named(function, args, kwargs)

            def run(values: dict[str, Any]) -> Any:
                values = dict(values)
                self = values.pop("self")
                args, kwargs = put_back(values)
                return of(self, *args, **kwargs)

            self._add(Probe(f"Tensor.{name}", {"self": owner, **given}, left, run, _words_of(plain)))
            return function(*args, **kwargs)
        if id(owner) in self.made and not isinstance(function, type):
            if name not in ("trainable_params", "get_lr", "set_train", "get_parameters"):
                self._record_instance(owner, args, kwargs, name)
            return function(*args, **kwargs)
        return self.call(function, *args, **kwargs)

    def _add(self, probe: Probe) -> None:
        probe.given = {name: _copied(value) for name, value in probe.given.items()}
        self.found.append(probe)

    def _record(self, key: str, function: Any, args: tuple, kwargs: dict[str, Any]) -> None:
        given, left, put_back = _named(function, args, kwargs)

        def run(values: dict[str, Any]) -> Any:
            args, kwargs = put_back(values)
            return function(*args, **kwargs)

        self._add(Probe(key, given, left, run, _words_of(function)))

    def _record_returned(self, result: Any, args: tuple, kwargs: dict[str, Any]) -> None:
        """A call of a function that another one returned."""
        _, function, outer_args, outer_kwargs = self.returned[id(result)]
        outer, outer_left, outer_back = _named(function, outer_args, outer_kwargs)
        given, _, back = _named(None, args, kwargs)

        def run(values: dict[str, Any]) -> Any:
            args, kwargs = outer_back({n.partition(".")[2]: v for n, v in values.items() if n.startswith("init.")})
            called = function(*args, **kwargs)
            args, kwargs = back({n: v for n, v in values.items() if not n.startswith("init.")})
            return called(*args, **kwargs)

        prefixed = [{f"init.{n}": v for n, v in part.items()} for part in (outer, outer_left)]
        self._add(Probe(_name_of(function), {**prefixed[0], **given}, prefixed[1], run, _words_of(function)))

    def _record_instance(self, instance: Any, args: tuple, kwargs: dict[str, Any], method: str = "") -> None:
        _, cls, init_args, init_kwargs = self.made[id(instance)]
        is_training = getattr(instance, "training", False) if isinstance(instance, nn.Cell) else None
        self.add_instance(cls, init_args, init_kwargs, args, kwargs, method, is_training)

    def add_instance(
        self,
        cls: Any,
        init_args: tuple,
        init_kwargs: dict[str, Any],
        args: tuple,
        kwargs: dict[str, Any],
        method: str = "",
        is_training: bool | None = None,
    ) -> None:
        init, init_left, init_back = _named(cls, init_args, init_kwargs)
        called = getattr(cls, method or ("construct" if issubclass(cls, nn.Cell) else "__call__"))
        given, left, back = _named(called, (None, *args), kwargs)
        given.pop(next(iter(given)))
        is_cell = issubclass(cls, nn.Cell)

        def run(values: dict[str, Any]) -> Any:
            parts: tuple[dict, dict, dict] = {}, {}, {}
            for name, value in values.items():
                place = 0 if name.startswith("init.") else 2 if name.startswith("weight.") else 1
                parts[place][name.partition(".")[2] if place != 1 else name] = value
            args, kwargs = init_back(parts[0])
            instance = cls(*args, **kwargs)
            if is_training:
                instance.set_train()
            first = next(iter(_parameter_names(called)), "self")
            args, kwargs = back({first: None, **parts[1]})
            if is_cell:
                for parameter in instance.get_parameters():
                    if parameter.name in parts[2]:
                        parameter.set_data(parts[2][parameter.name])
            try:
                result = (getattr(instance, method) if method else instance)(*args[1:], **kwargs)
            except Exception:
                if not is_cell or parts[2]:
                    raise
                return "refused", instance
            return (result, instance) if is_cell and not parts[2] else result

        key = _name_of(cls)
        weights = {}
        if is_cell and not method:
            _seed()
            made = cls(*_copied(init_args), **_copied(init_kwargs))
            weights = {f"weight.{p.name}": Tensor(p.asnumpy()) for p in made.get_parameters()}
        prefixed = [{f"init.{n}": v for n, v in part.items()} for part in (init, init_left)]
        probe = Probe(
            key, {**prefixed[0], **given}, {**prefixed[1], **left, **weights}, run, _words_of(cls, cls.__init__)
        )
        self._add(probe)


def _parameter_names(function: Any) -> list[str]:
    signature = _signature(function)
    return list(signature.parameters) if signature else []


class _Traced(ast.NodeTransformer):
    """Calls through a recorder."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            args = [node.func.value, ast.Constant(node.func.attr), *node.args]
            return ast.Call(ast.Name("__method", ast.Load()), args, node.keywords)
        return ast.Call(ast.Name("__call", ast.Load()), [node.func, *node.args], node.keywords)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


def _execute(source: str, scope: dict[str, Any], mode: str, recorder: Recorder) -> None:
    tree = ast.fix_missing_locations(_Traced().visit(ast.parse(source, mode=mode)))
    _seed()
    scope.update({"__call": recorder.call, "__method": recorder.method})
    exec(compile(tree, source[:60], mode), scope)


def _after(recorder: Recorder, operator: Any, count: int, *args: Any) -> Any:
    recorder.call(operator, *args)
    return args[:count]


def _of_tables(recorder: Recorder) -> None:
    arrays = inputs()
    for case in cases():
        if case[:2] == "! ":
            continue
        expression = case[2:] if case[:2] == "g " else case
        tensors = {name: Tensor(arrays[name].copy()) for name in names_in(expression, arrays)}
        after = functools.partial(_after, recorder)
        try:
            _execute(expression, {**scope_of(ms), **tensors, "after": after}, "eval", recorder)
        except Exception:
            continue


def _of_extra_calls(recorder: Recorder) -> None:
    arrays = inputs()
    for line in (Path(__file__).parent / "influence_calls.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            tensors = {name: Tensor(arrays[name].copy()) for name in names_in(line, arrays)}
            scope = {**scope_of(ms), **tensors, "mint": mint, "msp": ms.scipy}
            _execute(line, scope, "eval", recorder)


def _of_optimizers(recorder: Recorder) -> None:
    from tests.nn.optim_cases import SETTINGS

    class Made:
        def __getattr__(self, name: str) -> Any:
            return lambda *args, **kwargs: (getattr(nn, name), args[1:], kwargs)

    rows = [make(Made(), [None]) for name, make in SETTINGS.items() if not re.search("group|schedule", name)]
    rows += [(nn.Lamb, (0.1,), {}), (nn.AdamOffload, (0.1,), {})]
    for space in (ms.experimental.optim, mint.optim):
        for name in (
            "Adam",
            "AdamW",
            "SGD",
            "ASGD",
            "Adadelta",
            "Adagrad",
            "Adamax",
            "NAdam",
            "RAdam",
            "RMSprop",
            "Rprop",
        ):
            if hasattr(space, name):
                rows.append((getattr(space, name), (0.1,), {"momentum": 0.9} if name == "SGD" else {}))
    for cls, args, kwargs in rows:
        given, left, put_back = _named(cls, (None, *args), kwargs)
        first = next(iter(given))
        del given[first]
        recorder._add(
            Probe(_name_of(cls), given, left, functools.partial(_trained, cls, first, put_back), _words_of(cls))
        )


def _trained(cls: Any, first: str, put_back: Callable, values: dict[str, Any]) -> Any:
    """The weights after eight steps, some of which have no gradient."""
    random = np.random.RandomState(2)
    shapes = (3, 2), (4,)
    weights = [
        Parameter(Tensor(random.randn(*shape).astype(np.float32)), name=name)
        for shape, name in zip(shapes, ("conv", "fc.bias"))
    ]
    args, kwargs = put_back({first: weights, **values})
    optimizer = cls(*args, **kwargs)
    for step in range(8):
        optimizer(tuple(Tensor((random.randn(*shape) * (step % 3)).astype(np.float32)) for shape in shapes))
    return weights, optimizer


def _of_rates(recorder: Recorder) -> None:
    from tests.nn.rate_cases import LISTS, SCHEDULES

    for name, kwargs in LISTS:
        recorder.call(getattr(nn, name), **kwargs)
    for name, kwargs in SCHEDULES:
        recorder.add_instance(getattr(nn, name), (), kwargs, (Tensor(5, ms.int32),), {})


def _of_distributions(recorder: Recorder) -> None:
    from mindspore_compat.nn.probability import bijector, distribution

    tree = ast.parse((Path(__file__).parents[1] / "nn" / "probability_program.py").read_text(encoding="utf-8"))
    tables = {item.targets[0].id: item.value for item in tree.body if isinstance(item, ast.Assign)}  # type: ignore

    def tensor(*values: Any) -> Any:
        return Tensor(np.array(values, np.float32))

    for name, rows in ast.literal_eval(tables["DISTRIBUTIONS"]).items():
        cls = getattr(distribution, name)
        for own, other, values in rows:
            recorder.add_instance(cls, own, {}, (), {}, "sample")
            for method in "prob log_prob cdf log_cdf survival_function log_survival".split():
                recorder.add_instance(cls, own, {}, (tensor(*values),), {}, method)
            for method in "mean mode sd var entropy".split():
                recorder.add_instance(cls, own, {}, (), {}, method)
            for method in ("kl_loss", "cross_entropy"):
                recorder.add_instance(cls, own, {}, (name, *map(tensor, other)), {}, method)
    for name, rows in ast.literal_eval(tables["BIJECTORS"]).items():
        for args in rows:
            for method in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
                recorder.add_instance(getattr(bijector, name), args, {}, (tensor(0.3, 0.6),), {}, method)


def _of_mint(recorder: Recorder) -> None:
    from tests.mint import samples

    for space, table in (("mint", samples.FUNCTIONS), ("mint.nn.functional", samples.FUNCTIONAL)):
        for name, calls in table.items():
            for arguments in calls:
                scope = {**samples.names_of(ms), "nn": nn}
                try:
                    _execute(f"{space}.{name}({arguments})", scope, "eval", recorder)
                except Exception:
                    continue


class _Noted:
    """Stands for ``nn`` and notes how classes are made."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def __getattr__(self, name: str) -> Any:
        value = getattr(nn, name)
        if isinstance(value, type) and issubclass(value, nn.Cell):
            return lambda *args, **kwargs: self.recorder.call(value, *args, **kwargs)
        return value


def _of_layers(recorder: Recorder) -> None:
    from tests.nn.cases import CASES

    for case in CASES:
        _seed()
        made = case.make(_Noted(recorder), Tensor)
        if id(made) in recorder.made:
            _, cls, init_args, init_kwargs = recorder.made[id(made)]
            args = tuple(Tensor(item) if isinstance(item, np.ndarray) else item for item in case.inputs)
            recorder.add_instance(cls, init_args, init_kwargs, args, {}, "", case.train)


def _of_mint_layers(recorder: Recorder) -> None:
    from tests.mint.test_layers import CASES

    random = np.random.RandomState(5)
    for name, calls in CASES.items():
        for arguments, shapes in calls:
            tensors = tuple(Tensor(random.rand(*shape).astype(np.float32)) for shape in shapes)
            try:
                args, kwargs = eval(f"(lambda *a, **k: (a, k))({arguments})")
                recorder.add_instance(getattr(mint.nn, name), args, kwargs, tensors, {})
            except Exception:
                continue


#: not called again: they change the process
_APART = re.compile(
    r"\b(set_context|set_seed|init\(|set_auto_parallel|distributed|communication|reset|mindspore_compat)"
)


def _documented() -> dict[str, Any]:
    found: dict[int, tuple[str, Any]] = {}
    from mindspore_compat import scipy as msp
    from mindspore_compat.nn.probability import bijector, distribution

    for space in (ops, nn, ms.numpy, mint, mint.nn, mint.nn.functional, mint.linalg, mint.special, ops.operations):
        for name in dir(space):
            value = getattr(space, name, None)
            if not name.startswith("_") and callable(value) and ">>>" in (getattr(value, "__doc__", "") or ""):
                found.setdefault(id(value), (f"{space.__name__}.{name}", value))
    for space in (distribution, bijector, msp.linalg, msp.fft, msp.optimize, ms.experimental.optim, mint.optim):
        for name in dir(space):
            value = getattr(space, name, None)
            if not name.startswith("_") and callable(value) and ">>>" in (getattr(value, "__doc__", "") or ""):
                found.setdefault(id(value), (f"{space.__name__}.{name}", value))
    for name in dir(Tensor):
        value = getattr(Tensor, name, None)
        if not name.startswith("_") and callable(value) and ">>>" in (getattr(value, "__doc__", "") or ""):
            found.setdefault(id(value), (f"Tensor.{name}", value))
    return dict(found.values())


def _of_examples(recorder: Recorder) -> None:
    for name, value in _documented().items():
        source = "".join(part.source for part in doctest.DocTestParser().get_examples(value.__doc__))
        if _APART.search(source):
            continue
        scope = {
            "ms": ms,
            "mindspore": ms,
            "nn": nn,
            "ops": ops,
            "mint": mint,
            "Tensor": Tensor,
            "Parameter": Parameter,
            "np": np,
            "mnp": ms.numpy,
            "print": lambda *args: None,
        }
        try:
            _execute(source, scope, "exec", recorder)
        except Exception as error:
            if "--verbose" in sys.argv:
                print("example", name, type(error).__name__, str(error)[:100])


@cache
def probes() -> list[Probe]:
    """All recorded calls."""
    recorder = Recorder()
    for source in (
        _of_extra_calls,
        _of_optimizers,
        _of_rates,
        _of_distributions,
        _of_tables,
        _of_mint,
        _of_layers,
        _of_mint_layers,
        _of_examples,
    ):
        source(recorder)
    seen: dict[str, dict[str, dict[str, Any]]] = {}
    for probe in recorder.found:
        probe.seen = seen.setdefault(probe.key, {})  # type: ignore[assignment]
        for name, value in probe.given.items():
            if isinstance(value, (str, tuple, int, float)) and len(probe.seen.setdefault(name, {})) < 8:
                probe.seen[name].setdefault(repr(value), value)
    for values in seen.values():
        for name, by_text in values.items():
            values[name] = list(by_text.values())  # type: ignore[assignment]
    return recorder.found


# --- comparing --------------------------------------------------------------------------------------------------------
MOST_VARIANTS = 24


def _effect(probe: Probe, name: str, base: Any) -> str:
    """ "changes", "no change", or "refused" if each other value is, and also where a flipped bool is."""
    arguments, original = dict(probe.given), probe.arguments[name]
    if name.startswith("weight."):
        arguments.update({key: value for key, value in probe.left_out.items() if key.startswith("weight.")})
        base = outcome(probe, arguments)
    others = list(itertools.islice(variants(original, name, probe), MOST_VARIANTS))
    state = "refused"
    for other in others:
        try:
            found = outcome(probe, {**arguments, name: other})
        except Exception:
            if isinstance(original, bool):
                return "refused"
            continue
        if _differ(found, base, name):
            return "changes"
        state = "no change" if not _is_refused(found) else state
    if state == "no change":
        for other in others[:8]:
            try:
                if gradients(probe, {**arguments, name: other}) != gradients(probe, arguments):
                    return "changes"
            except Exception:
                continue
    return state


def _is_refused(found: Any) -> bool:
    return found[0][:1] == (repr("refused"),)


def effects(is_right: Callable[[str, str], bool] = lambda key, name: False) -> dict[tuple[str, str], str]:
    """(computation, argument) -> "changes", "no change" or "refused" in all calls, but for those that are right."""
    found: dict[tuple[str, str], str] = {}
    for probe in probes():
        names = [n for n in probe.arguments if found.get((probe.key, n)) != "changes" and not is_right(probe.key, n)]
        if not names:
            continue
        try:
            base = outcome(probe, probe.given)
        except Exception:
            continue
        if _is_refused(base):
            continue
        for name in names:
            state = _effect(probe, name, base)
            if state == "changes" or found.get((probe.key, name)) != "refused":
                found[probe.key, name] = state
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    found = effects()
    kinds = collections.Counter(found.values())
    print(len(probes()), "calls of", len({key for key, _ in found}), "computations; arguments:", dict(kinds))
    for (key, name), state in sorted(found.items()):
        if state != "changes":
            print(state, key, name)


if __name__ == "__main__":
    main()
