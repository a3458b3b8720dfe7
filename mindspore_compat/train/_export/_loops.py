"""Loops with a number of rounds that depends on values: ``ops.WhileLoop``, and ``while`` in ``construct``, become one
``loop`` node.

A trace does not see the statement ``while``: for the export, functions with one run as a copy in which ``while test:
body`` is ``names = run(test, body, names)``, with the test and the body as functions of the names that the body assigns
to.

Optimizers in an exported train step: the same updates as Tensor arithmetic, with rates and powers from Parameters at
each run.

The optimizers' own updates compute with Python numbers, which would be constants in a file.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from mindspore_compat import nn
from mindspore_compat._ops import other as other_ops
from mindspore_compat.context import in_jit
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer, _IteratorLearningRate

_RUN, _GET = "__run_while", "__value_of"
#: methods that change a list, dict, set or deque in place; Tensors have some of these names too
_CHANGING = frozenset(
    (
        "append extend insert pop remove clear update add setdefault sort reverse popitem discard appendleft "
        "extendleft popleft rotate"
    ).split()
)
_OF_NO_MODULE = frozenset(
    {"append", "extend", "appendleft", "extendleft", "popleft", "popitem", "setdefault", "discard"}
)


_MAKING = frozenset("zeros ones zeros_like ones_like full full_like copy clone Tensor ZerosLike OnesLike".split())


class _Undefined:
    """Placeholder of a name that only a loop assigns to."""


UNDEFINED = _Undefined()


def _value_of(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except NameError:
        return UNDEFINED


class _Names(ast.NodeVisitor):
    """The names that statements assign to, or may change by a method, in order; and whether a loop of them can be a
    function.

    Args:
        local: the function's own names. unshared: those of them that alone hold what they hold.
    """

    def __init__(self, statements: list[ast.stmt], local: Container[str], unshared: Container[str]) -> None:
        self.found: dict[str, None] = {}
        self.local, self.unshared = local, unshared
        self.plain = True
        for statement in statements:
            self.visit(statement)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.found[node.id] = None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load) and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            self.plain = False  # attributes of Cells are read after the loop
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name) and node.value.id in self.unshared:
                self.found[node.value.id] = None
            else:
                self.plain = False  # another name may alias the same tensor or list
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        base: Any = node.func
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        if (
            method in _CHANGING
            and isinstance(base, ast.Name)
            and base.id in self.local
            and not _has_attributes(node.func)
        ):
            self.found[base.id] = None
        elif method in _OF_NO_MODULE or (isinstance(node.func, ast.Name) and node.func.id in self.local):
            self.plain = False  # an inner function may change its closure
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.found[node.name] = None  # its own names are its own

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def _leaves(self, node: ast.AST) -> None:
        self.plain = False

    visit_Break = visit_Continue = visit_Return = visit_Yield = visit_YieldFrom = visit_Global = visit_Nonlocal = (
        visit_Delete
    ) = _leaves


def _unshared(definition: ast.AST) -> set[str]:
    """Return names that only get new values (of arithmetic, of ``zeros`` and the like), with no alias in another name
    or container.
    """
    new: dict[str, bool] = {}
    shared: set[str] = set()
    harmless: set[int] = set()  # tuples that are indices, or return values
    for node in ast.walk(definition):
        if isinstance(node, ast.Subscript):
            harmless.add(id(node.slice))
        elif isinstance(node, ast.Return):
            harmless.add(id(node.value))
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                parts = [(target, node.value)]
                if (
                    isinstance(target, ast.Tuple)
                    and isinstance(node.value, ast.Tuple)
                    and len(target.elts) == len(node.value.elts)
                ):
                    parts = list(zip(target.elts, node.value.elts))
                    harmless.update((id(target), id(node.value)))
                for name, value in parts:
                    for inner in ast.walk(name):
                        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                            new[inner.id] = new.get(inner.id, True) and name is inner and _is_new(value)
                    if isinstance(value, (ast.Name, ast.IfExp, ast.BoolOp, ast.NamedExpr)):
                        shared.update(inner.id for inner in ast.walk(value) if isinstance(inner, ast.Name))
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)) and id(node) not in harmless:
            shared.update(inner.id for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.Name))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            shared.update(argument.id for argument in node.args if isinstance(argument, ast.Name))
        elif isinstance(node, (ast.For, ast.comprehension)):
            new.update({inner.id: False for inner in ast.walk(node.target) if isinstance(inner, ast.Name)})
    return {name for name, is_new in new.items() if is_new and name not in shared}


def _is_new(value: Any) -> bool:
    """Return whether an expression makes a new tensor or number."""
    if isinstance(value, ast.Call):
        function = value.func
        name = (
            function.attr
            if isinstance(function, ast.Attribute)
            else function.id
            if isinstance(function, ast.Name)
            else ""
        )
        return name in _MAKING
    return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant))


def _has_attributes(method: Any) -> bool:
    """Return whether a method's object is an attribute of something, not a name of its own."""
    return any(isinstance(node, ast.Attribute) for node in ast.walk(method.value))


class _Rewriter(ast.NodeTransformer):
    """Transformer of loops without ``break``, ``continue``, ``return`` and ``else`` to calls; others stay, and their
    decisions are traced one by one.
    """

    def __init__(self, local: Container[str], unshared: Container[str]) -> None:
        self.count, self.local, self.unshared = 0, local, unshared

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        names = _Names(node.body, self.local, self.unshared)
        if node.orelse or not names.plain or not names.found:
            return node
        self.count += 1
        carried = [name for name in names.found if not name.startswith("__loop_")]
        given = ", ".join(carried)
        text = (
            f"def __loop_test_{self.count}({given}):\n    return None\n"
            f"def __loop_body_{self.count}({given}):\n    return ({given},)\n"
            f"({given},) = {_RUN}(__loop_test_{self.count}, __loop_body_{self.count}, "
            f"({', '.join(f'{_GET}(lambda: {name})' for name in carried)},))\n"
        )
        made: list[Any] = ast.parse(text).body
        made[0].body = [ast.Return(node.test)]
        made[1].body = [*node.body, made[1].body[-1]]
        return [ast.copy_location(item, node) for item in made]


def _has_private_names(definition: ast.FunctionDef) -> bool:
    """Return whether ``self.__name`` occurs, which means another name within its class than in a copy outside of it."""
    names = [
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(definition)
        if isinstance(node, (ast.Attribute, ast.Name))
    ]
    return any(name.startswith("__") and not name.endswith("__") for name in names)


def _jitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function run as `jit` does, which would compile its source anew."""

    def run(*arguments: Any, **named: Any) -> Any:
        in_jit.depth += 1
        try:
            return function(*arguments, **named)
        finally:
            in_jit.depth -= 1

    return run


def _rewritten(function: Any, run: Callable[..., Any]) -> Any:
    """Return the function with loops as calls of ``run``; None without loops or source, or if decorated (not `jit`)."""
    if getattr(function, "_is_jit", False):
        inner = _rewritten(function.__wrapped__, run)
        return inner and _jitted(inner)
    if hasattr(function, "__wrapped__"):
        return None
    try:
        source = textwrap.dedent(inspect.getsource(function))
        if "while" not in source:
            return None
        (definition,) = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if not isinstance(definition, ast.FunctionDef) or _has_private_names(definition):
        return None
    rewriter = _Rewriter({*function.__code__.co_varnames, *function.__code__.co_cellvars}, _unshared(definition))
    definition.decorator_list = []
    definition = rewriter.visit(definition)
    if not rewriter.count:
        return None
    try:
        free = dict(zip(function.__code__.co_freevars, [cell.cell_contents for cell in function.__closure__ or ()]))
    except ValueError:  # a name around it has no value yet
        return None
    factory: Any = ast.parse(f"def make({', '.join([_RUN, _GET, *free])}):\n    return {definition.name}").body[0]
    factory.body.insert(0, definition)
    module = ast.fix_missing_locations(ast.Module([factory], []))
    ast.increment_lineno(module, function.__code__.co_firstlineno - 1)
    names: dict[str, Any] = {}
    exec(compile(module, function.__code__.co_filename, "exec"), function.__globals__, names)
    made = names["make"](run, _value_of, **free)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


@contextmanager
def looping(net: Any, run: Callable[..., Any]) -> Iterator[Any]:
    """Yield ``net`` (a function: its copy) with its loops, those of its Cells and `ops.WhileLoop` going to ``run(test,
    body, values)``.
    """

    def starred(test: Callable[..., Any], body: Callable[..., Any], values: Any) -> Any:
        return run(lambda items: test(*items), lambda items: body(*items), values)

    cells = [cell for _, cell in net.cells_and_names() if isinstance(cell, Cell)] if isinstance(net, Cell) else []
    known: dict[Any, Any] = {}
    changed: list[Cell] = []
    before, other_ops.loop_of_trace = other_ops.loop_of_trace, run
    try:
        for cell in cells:
            function = type(cell).construct
            if "construct" in cell.__dict__ or not isinstance(function, types.FunctionType):
                continue
            if function not in known:
                known[function] = _rewritten(function, starred)
            if known[function] is not None:
                cell.__dict__["construct"] = types.MethodType(known[function], cell)
                changed.append(cell)
        yield (_rewritten(net, starred) if isinstance(net, types.FunctionType) else None) or net
    finally:
        other_ops.loop_of_trace = before
        for cell in changed:
            del cell.__dict__["construct"]


_write = torch._C.TensorBase.copy_


def _momentum(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    buffer = opt.moments[place]
    new = buffer * opt.momentum + g
    _write(buffer, new)
    _write(p, p - rate * (g + new * opt.momentum if opt.use_nesterov else new))


def _sgd(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    if not _number(opt.momentum):
        _write(p, p - rate * g)
        return
    accum, fresh = opt.accum[place], opt.stat[place]
    new = torch.where(fresh > 0, g, accum * opt.momentum + g * (1.0 - opt.dampening))
    _write(accum, new)
    _write(fresh, torch.zeros_like(fresh))
    _write(p, p - rate * (g + new * opt.momentum if opt.nesterov else new))


def _moments(first: Any, second: Any, g: Any, opt: Any) -> tuple[Any, Any]:
    beta1, beta2 = _number(opt.beta1), _number(opt.beta2)
    m, v = first * beta1 + g * (1.0 - beta1), second * beta2 + g * g * (1.0 - beta2)
    _write(first, m)
    _write(second, v)
    return m, v


def _adam(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    m, v = _moments(opt.moment1[place], opt.moment2[place], g, opt)
    if opt.use_amsgrad:
        v = torch.maximum(opt.vhat[place], v)
        _write(opt.vhat[place], v)
    if opt.use_nesterov:
        m = m * _number(opt.beta1) + g * (1.0 - _number(opt.beta1))
    pace = rate * torch.sqrt(1.0 - opt.beta2_power) / (1.0 - opt.beta1_power)
    _write(p, p - pace * m / (torch.sqrt(v) + _number(opt.eps)))


def _adam_powers(opt: Any) -> None:
    for power, beta in ((opt.beta1_power, opt.beta1), (opt.beta2_power, opt.beta2)):
        _write(power, power * _number(beta))


def _adam_weight_decay(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    m, v = _moments(opt.moments1[place], opt.moments2[place], g, opt)
    update = m / (torch.sqrt(v) + _number(opt.eps))
    _write(p, p - rate * (update + p * decay if decay else update))


def _rms_prop(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    squares, moment = opt.ms[place], opt.moment[place]
    new = squares * opt.decay + g * g * (1.0 - opt.decay)
    _write(squares, new)
    if opt.centered:
        mean = opt.mg[place] * opt.decay + g * (1.0 - opt.decay)
        _write(opt.mg[place], mean)
        new = new - mean * mean
    step = moment * opt.momentum + rate * g / torch.sqrt(new + opt.epsilon)
    _write(moment, step)
    _write(p, p - step)


#: {class: (values once a step, the update of one Parameter)}
_RULES: dict[type, tuple[Callable[[Any], None] | None, Callable[..., None]]] = {
    nn.Momentum: (None, _momentum),
    nn.SGD: (None, _sgd),
    nn.Adam: (_adam_powers, _adam),
    nn.AdamWeightDecay: (None, _adam_weight_decay),
    nn.RMSProp: (None, _rms_prop),
}


def _construct(refuse: Callable[[str], Exception]) -> Callable[..., Any]:
    def construct(self: Any, gradients: Any) -> Any:
        names = ", ".join(sorted(cls.__name__ for cls in _RULES))
        instead = f"Export the gradients instead (ops.value_and_grad in 'construct'), or train with one of {names}"
        if type(self) not in _RULES:
            raise refuse(f"the optimizer {type(self).__name__} in a train step is not available. {instead}")
        if self.dynamic_weight_decay:
            raise refuse(
                f"{type(self).__name__} with a schedule of weight decays in a train step is not available. {instead}"
            )
        before, update = _RULES[type(self)]
        with torch.no_grad():
            decays, gradients = self._current_decays(), self._centralized(list(gradients), range(self.param_length))
            rates = [self.learning_rate] * len(gradients) if not self.is_group_lr else list(self.learning_rate)
            rates = [_rate(rate, self.global_step, refuse) for rate in rates]
            _write(self.global_step, self.global_step + 1)
            if before is not None:
                before(self)
            for place, (p, g, rate, decay) in enumerate(zip(self.parameters, gradients, rates, decays)):
                if decay and not self._decoupled_decay:
                    g = g + p * (decay * self.loss_scale)
                update(self, place, p, g * (1.0 / self.loss_scale) if self.need_scale else g, rate, decay)
        return True

    return construct


def _number(parameter: Any) -> float:
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes(), torch._C.DisableTorchFunction():
        return float(parameter.detach())


def _rate(rate: Any, step: Any, refuse: Callable[[str], Exception]) -> Any:
    """Return the learning rate of this step: a Parameter, or its place in a list."""
    if isinstance(rate, _IteratorLearningRate):
        place = torch.clamp(step.to(torch.int64), 0, rate.learning_rate.shape[0] - 1)
        return torch.reshape(torch.index_select(rate.learning_rate, 0, torch.reshape(place, (-1,))), ())
    if isinstance(rate, Cell):
        raise refuse(
            f"the learning rate schedule {type(rate).__name__} in a train step is not available. Give the learning "
            "rates as a list, one for each step"
        )
    return rate


@contextmanager
def recordable_optimizers(net: Any, refuse: Callable[[str], Exception]) -> Iterator[None]:
    """Let the optimizers among the Cells of ``net`` update by Tensor arithmetic."""
    found = [cell for _, cell in net.cells_and_names() if isinstance(cell, Optimizer)] if isinstance(net, Cell) else []
    found = [cell for cell in found if type(cell).__call__ is Optimizer.__call__ and "construct" not in cell.__dict__]
    for cell in found:
        cell.__dict__["construct"] = types.MethodType(_construct(refuse), cell)
    try:
        yield
    finally:
        for cell in found:
            del cell.__dict__["construct"]
