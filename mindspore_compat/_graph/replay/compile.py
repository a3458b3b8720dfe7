"""Compilation of a tape to a Python function that runs its operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from mindspore_compat import log
from mindspore_compat._graph.operators import aliased, is_random, is_view
from mindspore_compat._graph.replay.bindings import binding
from mindspore_compat._graph.replay.branches import Branch
from mindspore_compat._graph.replay.cuda_graph import Graphed
from mindspore_compat._graph.replay.inductor import Fused
from mindspore_compat._graph.replay.tape import Node, Opaque, Ref, Tape, refs
from mindspore_compat._tensor.aliasing import Views
from mindspore_compat._tensor.wrapping import memory, wrap

_aten = torch.ops.aten


def compiled(tape: Tape, fused: bool = False) -> Callable[..., Any]:
    """Return a function of the inputs that runs the tape and returns the recorded result, in plain tensors.

    Args:
        fused: whether inductor compiles its operators, up to the first one that is Python.
    """
    return _Compiler(tape, fused).function(fused)


def _batch_norm(x: Any, weight: Any, bias: Any, mean: Any, variance: Any, *rest: Any) -> Any:
    if mean is None:
        return _aten._native_batch_norm_legit.no_stats(x, weight, bias, *rest)
    return _aten._native_batch_norm_legit.default(x, weight, bias, mean, variance, *rest)


class _Compiler:
    """Compiler from tape to Python source. It drops operators that only autograd needed, runs equal operators and makes
    views of constants once, and frees each tensor after its last use.
    """

    def __init__(self, tape: Tape, fused: bool) -> None:
        self.tape, self.fused = tape, fused
        self.same: dict[str, str] = {}  # a name -> the name of the same tensor
        self.given = self._given_away()
        self.values: dict[str, Any] = {name: memory(tensor) for name, tensor in tape.constants.items()}
        self.nodes = self._live(list(self._reduced()))

    def _of(self, value: Any) -> Any:
        """Return ``value`` with each name replaced by that of the first alias."""
        return tree_map(lambda item: Ref(self.same.get(item, item)) if isinstance(item, Ref) else item, value)

    def _reduced(self) -> Iterator[Node]:
        run: dict[tuple, list[str | None]] = {}  # operator and arguments -> its results
        shared = self.given | self.tape.written
        returned: set[str] = set(refs(self.tape.returned))
        roots: dict[str, str] = {}  # a view from the first element on -> its base
        views: dict[tuple, str] = {}  # (memory, shape, strides) -> the tensor
        for node in self.tape.nodes:
            args, kwargs = self._of(node.args), self._of(node.kwargs)
            name, op, call = node.outputs[0] if node.outputs else None, node.op, node.call
            if node.op._schema.is_mutable or _updates(node):
                run.clear()  # a later one would see the written values
            if op is _aten.detach.default and not (args[0][0] != "t" and name in returned):
                self.same[str(name)] = args[0]
                continue
            is_own = not self.tape.recomputes and shared.isdisjoint(node.outputs)
            if is_own and _is_idle(node) and not is_view(op):
                earlier = run.setdefault((op, repr(args), repr(kwargs)), node.outputs)
                if earlier is not node.outputs:
                    self.same.update((str(name), str(other)) for name, other in zip(node.outputs, earlier))
                    continue
            if op is _aten.lift_fresh.default:  # returns the constant itself; the recorded step was its only user
                op = call = _aten.clone.default
            reduced = Node(op, call, args, kwargs, node.outputs, node.is_list, node.described)
            if (
                is_view(op)
                and not node.is_list
                and name not in self.given
                and all(ref in self.values for ref in refs((args, kwargs)))
            ):
                self.values[str(name)] = op(*self._fill(args), **self._fill(kwargs))
            else:
                yield reduced if self.fused else self._quick(reduced, roots, views, returned)

    def _quick(self, node: Node, roots: dict[str, str], views: dict[tuple, str], returned: set[str]) -> Node:
        """Return the node, or a faster equivalent: a view of a view becomes a view of the base."""
        op, args, name = node.op, node.args, str(node.outputs[0]) if node.outputs else ""
        if op is Opaque or len(node.described) != 1 or node.is_list or node.described[0][0].is_complex:
            return node
        dtype, shape, strides, device = node.described[0]
        if op in _FROM_FIRST:
            root = roots[name] = roots.get(args[0], args[0])
            known = views.setdefault((root, shape, strides), name)
            if name not in returned:
                self.same[name] = known
            return Node(_STRIDED, binding(_STRIDED, {}), (Ref(root), shape, strides), {}, [name], False, node.described)
        views.setdefault((name, shape, strides), name)
        is_float = dtype in (torch.float32, torch.float64) and device.type == "cpu"
        if op in _SCALARS and type(args[-1]) in (int, float) and is_float and not node.kwargs:
            number = Ref(f"{name}n")  # torch would make such a tensor at each call
            self.values[number] = torch.tensor(args[-1], dtype=dtype)
            return Node(op, node.call, (args[0], number), {}, node.outputs, False, node.described)
        return node

    def _given_away(self) -> set[str]:
        """Return the names of returned tensors and their bases: each call returns new tensors."""
        found: set[str] = set(refs(self.tape.returned))
        for node in reversed(self.tape.nodes):
            if not found.isdisjoint(filter(None, node.outputs)) and node.op is not Opaque and is_view(node.op):
                found.update(ref for _, ref in aliased(node.op, node.args, node.kwargs) if isinstance(ref, Ref))
        return found

    def _originals(self, value: Any) -> Any:
        """Return the result with tensors from outside as the original objects."""

        def original(item: Any) -> Any:
            is_outside = isinstance(item, Ref) and item in self.tape.constants and item not in self.tape.made
            return Ref("o" + item) if is_outside else self._of(item)

        return tree_map(original, value)

    def _fill(self, value: Any) -> Any:
        return tree_map(lambda item: self.values[item] if isinstance(item, Ref) else item, value)

    def _live(self, nodes: list[Node]) -> list[Node]:
        """Drop operators without side effects whose results are unused."""
        used, kept = set(refs(self._of(self.tape.returned))), []
        for node in reversed(nodes):
            if not used.isdisjoint(node.outputs) or not _is_idle(node):
                used.update(refs((node.args, node.kwargs)))
                kept.append(node)
        return kept[::-1]

    def function(self, fused: bool) -> Callable[..., Any]:
        names: dict[str, Any] = dict(self.values)
        returned = self._originals(self.tape.returned)
        last, keep = _last_uses(self.nodes), {*self.values, *refs(returned)}
        taken = {ref for node in self.tape.nodes for ref in refs((node.args, node.kwargs))} | {*refs(returned)}
        inputs = sorted((ref for ref in taken if ref[0] == "x"), key=lambda ref: int(ref[1:]))
        made = sorted(self.given & self.tape.made)  # tensors that Python makes in each call and returns
        lines = [
            "def run(_inputs):",
            *(f"    {ref} = _inputs[{ref[1:]}]" for ref in inputs),
            *(f"    {ref} = o{ref}.clone()" for ref in made),
        ]
        end = self._end_of_graph()
        if fused and any("cudnn" in node.op._schema.name for node in self.nodes):
            # cuDNN's batch norm writes its averages, which its schema does not say: the compiler would lose them
            log.info("jit_level O1: a step is not compiled, since it uses cuDNN's own operators; it runs as at O0.")
            fused = False
        is_on_cpu = all(value.is_cpu for value in self.values.values())
        if fused and is_on_cpu and len(self.nodes) > _MAX_COMPILED_ON_CPU:
            log.info(
                "jit_level O1: a step of %d operators is not compiled on a CPU, which takes minutes; it runs as at O0.",
                len(self.nodes),
            )
            fused = False
        head = end or (_first(self.nodes, _is_fixed) if fused else 0)
        if head:
            given = sorted({*inputs, *made})
            made_there = self._made_by(self.nodes[:head])
            wanted = sorted(name for name in made_there if last.get(name, -1) >= head or name in keep)
            part = self._part(self.nodes[:head], given, wanted, dict(names), fused)
            if end:
                lent = [name not in keep and _is_lent(name, self.nodes[head:]) for name in wanted]
                part = Graphed(part, list(self.values.values()), generators_of(self.nodes[:head]), lent)
            names["_head"] = part
            lines.append(f"    {''.join(name + ', ' for name in wanted) or '_'} = _head({', '.join(given)})")
        lines += ["    with _below_autograd():", "        pass"]
        for position, node in enumerate(self.nodes[head:], head):
            names[f"f{position}"] = _called(node)
            if node.op is Opaque:
                lines.append(f"    f{position}(*_wrap({_source(node.args, names)}))")
                lines += ["    with _below_autograd():", "        pass"]
                continue
            lines.append(f"        {_statement(node, position, names)}")
            lines += _freed(node, position, last, keep)
        names["_views"] = Views(self.values.values())  # as long as they are held
        names.update((f"o{name}", original) for name, original in self.tape.constants.items())
        # the caller has the original
        names.update((f"o{name}", self.tape.constants[Ref(name)].clone()) for name in made)
        names.update(_below_autograd=torch._C._AutoDispatchBelowAutograd, _wrap=wrap)
        lines.append(f"    return {_source(returned, names)}")
        exec("\n".join(lines), names)  # only names and numbers made here
        return names["run"]

    @staticmethod
    def _made_by(nodes: list[Node]) -> set[str]:
        return {
            name for node in nodes for name in node.outputs if name and name not in set(refs((node.args, node.kwargs)))
        }

    def _end_of_graph(self) -> int:
        """Return how many of the nodes a CUDA graph can hold, 0 on a CPU: up to Python, if all are on the GPU."""
        on_cpu = self.tape.on_cpu
        if self._named(self.tape.nodes) <= on_cpu:
            return 0
        end = _first(self.nodes, lambda node: node.op is Opaque)
        outside = next((node for node in self.nodes[:end] if not on_cpu.isdisjoint(self._named([node]))), None)
        if outside is None and not any(name[0] == "x" for name in self.tape.written & self._named(self.nodes[:end])):
            return end
        log.info(
            "GRAPH_MODE: a step runs operator by operator, without a CUDA graph: %s.",
            f"{outside.op} takes or gives a tensor on the CPU" if outside is not None else "it writes to its inputs",
        )
        return 0

    @staticmethod
    def _named(nodes: list[Node]) -> set[str]:
        """Return the names of all tensors in nodes."""
        return {name for node in nodes for name in (*refs((node.args, node.kwargs)), *node.outputs) if name}

    def _part(
        self, nodes: list[Node], given: list[str], wanted: list[str], names: dict[str, Any], fused: bool
    ) -> Callable[..., Any]:
        """Return a function of the tensors ``given`` that returns a list of those that are ``wanted``."""
        head = _first(nodes, _is_fixed) if fused else 0
        if head and head == len(nodes):
            return self._fused(nodes, given, wanted, names)
        lines, last = [f"def part({', '.join(given)}):"], _last_uses(nodes)
        if head:
            between = sorted(
                name for name in self._made_by(nodes[:head]) if last.get(name, -1) >= head or name in wanted
            )
            names["_fused_head"] = self._fused(nodes[:head], given, between, dict(names))
            lines.append(f"    [{', '.join(between)}] = _fused_head({', '.join(given)})")
        lines += self._statements(nodes[head:], head, names, last, {*self.values, *given, *wanted})
        lines.append(f"    return [{', '.join(wanted)}]")
        names["_below_autograd"] = torch._C._AutoDispatchBelowAutograd
        exec("\n".join(lines), names)
        return names["part"]

    @staticmethod
    def _statements(
        nodes: list[Node], first: int, names: dict[str, Any], last: dict[str, int], keep: set[str]
    ) -> Iterator[str]:
        """Yield Python that runs the operators below autograd, and frees each tensor after its last use."""
        yield "    with _below_autograd():"
        yield "        pass"
        for position, node in enumerate(nodes, first):
            names[f"f{position}"] = _called(node)
            yield f"        {_statement(node, position, names)}"
            yield from _freed(node, position, last, keep)

    def _fused(
        self, nodes: list[Node], given: list[str], wanted: list[str], names: dict[str, Any]
    ) -> Callable[..., Any]:
        """Return a function of the tensors ``given`` that returns those that are ``wanted``, compiled by inductor."""
        both = []
        last, keep = _last_uses(nodes), {*self.values, *given, *wanted}
        for below, is_traceable in ("    with _below_autograd():", False), ("    if True:", True):
            own, lines = dict(names), [f"def head({', '.join(given)}):", below]
            for position, node in enumerate(nodes):
                own[f"f{position}"] = _FUNCTIONAL.get(node.op, node.op) if is_traceable else _called(node)
                lines.append(f"        {_statement(node, position, own)}")
                lines += [] if is_traceable else _freed(node, position, last, keep)
            lines.append(f"    return [{', '.join(wanted)}]")
            own["_below_autograd"] = torch._C._AutoDispatchBelowAutograd
            exec("\n".join(lines), own)
            both.append(own["head"])
        return Fused(both[0], both[1], [value for name, value in self.values.items() if name in self.tape.constants])


#: operators of a step: inductor's C++ takes about half a second for each and gains little
_MAX_COMPILED_ON_CPU = 50


def _first(nodes: list[Node], what: Callable[[Node], bool]) -> int:
    """Return the place of the first node that satisfies ``what``, else the number of nodes."""
    return next((place for place, node in enumerate(nodes) if what(node)), len(nodes))


def _is_lent(name: str, nodes: list[Node]) -> bool:
    """Return whether no node keeps a tensor beyond the replay: a graph's result needs no copy then."""
    return all(
        isinstance(node.call, Branch) or getattr(getattr(node.call, "__self__", None), "_keeps_no_gradient", False)
        if node.op is Opaque
        else all(is_write or item != name for is_write, item in aliased(node.op, node.args, node.kwargs))
        for node in nodes
        if name in {*refs((node.args, node.kwargs))}
    )


def generators_of(nodes: list[Node]) -> list[torch.Generator]:
    """Return the random generators among the arguments of nodes."""
    leaves = [leaf for node in nodes for leaf in tree_leaves((node.args, node.kwargs))]
    return list({id(leaf): leaf for leaf in leaves if isinstance(leaf, torch.Generator)}.values())


def _last_uses(nodes: list[Node]) -> dict[str, int]:
    """Return each tensor's name -> the place of the last node that takes or makes it."""
    return {name: place for place, node in enumerate(nodes) for name in _names(node)}


def _names(node: Node) -> set[str]:
    return {name for name in (*refs((node.args, node.kwargs)), *node.outputs) if name}


def _freed(node: Node, place: int, last: dict[str, int], keep: set[str]) -> list[str]:
    dead = sorted(name for name in _names(node) - keep if last[name] == place and name[0] == "t")
    return [f"        del {', '.join(dead)}"] if dead else []


def _called(node: Node) -> Any:
    return getattr(node.op, "_op", node.op) if node.call is node.op else node.call


def _statement(node: Node, position: int, names: dict[str, Any]) -> str:
    """Return the call of a node as Python, with its results assigned; a tensor written in place keeps its name."""
    given = set(refs((node.args, node.kwargs)))
    arguments = [
        *(_source(item, names) for item in node.args),
        *(f"{key}={_source(item, names)}" for key, item in node.kwargs.items()),
    ]
    targets = ["_" if name is None or name in given else name for name in node.outputs]
    assign = "" if set(targets) <= {"_"} else f"[{', '.join(targets)}] = " if node.is_list else f"{targets[0]} = "
    return f"{assign}f{position}({', '.join(arguments)})"


_STRIDED = _aten.as_strided.default
#: views that begin with the first element of their base
_FROM_FIRST = frozenset(
    getattr(_aten, name).default for name in "_unsafe_view alias expand permute squeeze t unsqueeze view".split()
) | {_aten.transpose.int, _aten.squeeze.dim}
#: operators with a number that torch makes a tensor of
_SCALARS = frozenset({_aten.add.Tensor, _aten.div.Tensor, _aten.mul.Tensor, _aten.sub.Tensor})
#: operators whose schema hides a write -> for the compiler, functions that show it
_FUNCTIONAL = {_aten.native_batch_norm.default: _batch_norm}


def _is_fixed(node: Node) -> bool:
    """Return whether inductor cannot compile it: Python, or a fused optimizer step of torch without fake tensors."""
    return node.op is Opaque or node.op._schema.name.startswith("aten::_fused_")


# Operators without an effect but their result, beside those that work element by element: they check no value that
# could be wrong.
_IDLE = frozenset(
    (
        "addmm _softmax _log_softmax _softmax_backward_data _log_softmax_backward_data baddbmm bmm cat clone _to_copy "
        "convolution convolution_backward empty empty_like full full_like mean mm native_layer_norm "
        "native_layer_norm_backward new_empty new_full new_ones new_zeros ones ones_like scalar_tensor stack sum "
        "threshold_backward zeros zeros_like"
    ).split()
)


def _is_idle(node: Node) -> bool:
    """Return whether an operator has no effect but its results."""
    op, name = node.op, node.op._schema.name.removeprefix("aten::")
    if op is Opaque or op._schema.is_mutable or is_random(op) or not any(node.outputs):
        return False
    # a division of integers can fail
    by_element = torch.Tag.pointwise in op.tags and all(
        dtype.is_floating_point or dtype is torch.bool for dtype, *_ in node.described
    )
    return by_element or name in _IDLE or is_view(op)


def _updates(node: Node) -> bool:
    """Return whether it is batch norm: in training it writes its running statistics, which its schema does not show."""
    return "batch_norm" in node.op._schema.name


def _source(value: Any, names: dict[str, Any]) -> str:
    """Return the Python source of a value; a value without a literal gets a name."""
    if isinstance(value, Ref):
        return str(value)
    if isinstance(value, (list, tuple)):
        inner = "".join(_source(item, names) + ", " for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, dict):
        return "{" + "".join(f"{key!r}: {_source(item, names)}, " for key, item in value.items()) + "}"
    if value is None or type(value) in (int, bool, str):
        return repr(value)
    name = f"k{len(names)}"
    names[name] = value
    return name
