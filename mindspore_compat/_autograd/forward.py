"""Forward computations and their gradients. All differentiation runs here.

Every derivative runs its computation as a `Forward`, and `gradients` takes nothing else. MindSpore's semantics follow
from that:

- While a `Forward` runs, every gradient inside keeps its own graph, since the whole may be differentiated: derivatives
  compose.
- A value computed before a `Forward` is a constant for it, although torch recorded it. `gradients` goes no further than
  the nodes of the forward itself. At top level in PYNATIVE_MODE it also follows forwards that Cells have kept
  (`Cell.set_grad`).

MindSpore: ``set_grad`` and the PyNative executor's recording.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_map

from mindspore_compat._autograd.engine import grad
from mindspore_compat._autograd.float_status import note_status
from mindspore_compat._autograd.grad_inputs import (
    CHANGED,
    TemporaryLeaf,
    as_variable,
    is_differentiable,
    point,
    points,
    variable,
)
from mindspore_compat._autograd.integer_gradients import Shadows, has_integers, is_integer
from mindspore_compat._autograd.recorded import DIFFERENTIABLE, THREAD, keeps_graph, outside, sequence_number, spend
from mindspore_compat._autograd.saved_copies import with_copies
from mindspore_compat._graph.element_stores import assigns_elements
from mindspore_compat._graph.element_updates import in_graph_version
from mindspore_compat._graph.mode import EAGER, OUTSIDE, Call, begin, current, end
from mindspore_compat._numerics.integer_results import history
from mindspore_compat._tensor.wrapping import maker, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.sparse_tensor import Sparse
from mindspore_compat.context import is_graph_mode

__all__ = [
    "KEPT",
    "Forward",
    "as_variable",
    "detached",
    "gradients",
    "in_floats",
    "is_differentiable",
    "keep",
    "scalar_gradients",
    "tensors_of",
]

_Base = torch._C.TensorBase
_set_multithreaded = torch._C._set_multithreading_enabled
_requires_grad = _Base.requires_grad.__get__  # type: ignore[attr-defined]
_interpreters = torch._C._functorch.peek_interpreter_stack  # of torch.vmap and the like
_NOTHING: Any = contextlib.nullcontext()


def tensors_of(outputs: Any) -> list[torch.Tensor]:
    """Return the tensors of an output, in order; of sparse ones their values."""
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    if isinstance(outputs, (tuple, list)):
        return [tensor for item in outputs for tensor in tensors_of(item)]
    if isinstance(outputs, dict):
        return [tensor for item in outputs.values() for tensor in tensors_of(item)]
    return [outputs.values] if isinstance(outputs, Sparse) else []


def detached(outputs: Any, _known: dict[int, Any] | None = None) -> Any:
    """Return the structure without its graph, unless an enclosing forward keeps it. Walk shared containers once."""
    if isinstance(outputs, torch.Tensor):
        has_graph = outputs.requires_grad and not isinstance(outputs, Parameter) and not keeps_graph()
        return wrap(_Base.detach(outputs)) if has_graph else outputs
    if isinstance(outputs, Sparse):
        return outputs._like(detached(outputs.values))
    make = maker(type(outputs))
    if (make is None and type(outputs) is not dict) or keeps_graph():
        return outputs
    _known = {} if _known is None else _known
    if id(outputs) not in _known:
        if type(outputs) is dict:
            _known[id(outputs)] = {key: detached(item, _known) for key, item in outputs.items()}
        else:
            _known[id(outputs)] = make([detached(item, _known) for item in outputs])
    return _known[id(outputs)]


class Forward:
    """A computation that has run to be differentiated.

    Args:
        fn: what to compute; it is called once, here.
        wanted: positions of ``args`` to differentiate by.
        by_place: the same Tensor at two places is two variables, as in compiled code; else it is one variable.
        keeps_inputs: in GRAPH_MODE, too, keep the graph of ``args``.

    Attributes:
        outputs: its result, with its graph.
        variables: the arguments at ``wanted``.
        start: the number of its first node, if earlier nodes are constant for it although forwards recorded them:
            inside of another one, and in GRAPH_MODE; else None.
        shadows: of integers that are differentiated by, else None.
        before_writes: Parameters that it has written to, with their old values: derivatives by them are by both.
        lent: those of the variables that require a gradient only while it runs or is differentiated.
    """

    __slots__ = ("before_writes", "end", "lent", "outputs", "shadows", "start", "variables")

    def __init__(
        self,
        fn: Callable[..., Any],
        args: tuple,
        kwargs: dict[str, Any] | None = None,
        wanted: Sequence[int] = (),
        weights: Sequence[Any] = (),
        by_place: bool = False,
        keeps_inputs: bool = False,
    ) -> None:
        self.shadows: Shadows | None = None
        self.lent: list[torch.Tensor] = []
        if is_graph_mode() and not (THREAD.running or keeps_inputs):
            args = detached(args)
        by_place = bool(wanted) and (by_place or is_graph_mode() or _interpreters() is not None)
        if has_integers(args, wanted, weights):
            fn, args, self.shadows = self._following(fn, args, wanted, weights, by_place)
        if by_place:
            args = tuple([point(arg) if position in wanted else arg for position, arg in enumerate(args)])
        elif wanted:
            args, self.lent = points(args, wanted)
        self.variables = [variable(args[position]) for position in wanted]
        nodes = [item.grad_fn for item in self.variables]
        self.start = sequence_number() if THREAD.running or (THREAD.has_kept and is_graph_mode()) else None
        token = begin(Call(True, args) if is_graph_mode() else EAGER) if current() is OUTSIDE else None
        try:
            if current().updates_names:
                fn = in_graph_version(fn)
            elif assigns_elements(fn, False):
                fn = with_copies(fn)
            with TemporaryLeaf(self.lent) if self.lent else _NOTHING:
                if torch.is_grad_enabled():
                    with DIFFERENTIABLE:
                        self.outputs = wrap(fn(*args, **kwargs) if kwargs else fn(*args))
                        self.before_writes = THREAD.before_writes
                else:
                    with torch.enable_grad(), DIFFERENTIABLE:
                        self.outputs = wrap(fn(*args, **kwargs) if kwargs else fn(*args))
                        self.before_writes = THREAD.before_writes
        finally:
            if token is not None:
                end(token)
        self.end = sequence_number()
        if any(item.grad_fn is not node for item, node in zip(self.variables, nodes, strict=True)):
            raise RuntimeError(CHANGED)

    @staticmethod
    def _following(
        fn: Callable[..., Any], args: tuple, wanted: Sequence[int], weights: Sequence[Any], by_place: bool
    ) -> tuple[Any, tuple, Shadows]:
        """Return the computation with shadows of its integers, its arguments, and those shadows."""
        outer, shadows = THREAD.shadows, Shadows()
        shadows.follow_weights(weights)
        places = [place for place in wanted if is_integer(args[place])]
        if by_place:
            made = {place: shadows.variable(args[place], outer) for place in places}
        else:
            of = {id(args[place]): args[place] for place in places}
            variables = {key: shadows.variable(value, outer) for key, value in of.items()}
            made = {place: variables[id(arg)] for place, arg in enumerate(args) if id(arg) in variables}
        args = tuple([made.get(place, arg) for place, arg in enumerate(args)])

        def follow(*args: Any, **kwargs: Any) -> Any:
            THREAD.shadows = shadows
            try:
                with shadows:
                    return fn(*args, **kwargs)
            finally:
                THREAD.shadows = outer

        return follow, args, shadows

    def of(self, outputs: Any) -> Forward:
        """Return this forward with a part of its outputs as the whole."""
        return self._like(outputs, self.variables)

    def by(self, variables: list[Any]) -> Forward:
        """Return this forward with other variables: some of its own, and ones that it does not depend on."""
        return self._like(self.outputs, variables)

    def _like(self, outputs: Any, variables: list[Any]) -> Forward:
        made = Forward.__new__(Forward)
        made.outputs, made.variables, made.start, made.shadows = outputs, variables, self.start, self.shadows
        made.lent, made.end, made.before_writes = self.lent, self.end, self.before_writes
        return made


def gradients(
    forward: Forward, targets: Sequence[torch.Tensor], sens: Any = None, again: bool = False
) -> tuple[Any, ...]:
    """Return d(outputs·sens)/d(target) for each target; zeros without a dependence. ``sens`` None means ones.

    Args:
        again: the forward will be asked once more.

    Raises:
        ValueError: if ``sens`` does not match the outputs in number or shape. RuntimeError: within `no_grad`.
    """
    _refuse_without_grad()
    if forward.shadows is not None:
        return _by_integers(forward, forward.shadows, targets, sens, again)
    with TemporaryLeaf(forward.lent) if forward.lent else _NOTHING:
        return _gradients_of_roots(forward, targets, sens, again)


def _gradients_of_roots(forward: Forward, targets: Sequence[torch.Tensor], sens: Any, again: bool) -> tuple[Any, ...]:
    roots = [history(root) for root in tensors_of(forward.outputs)]
    if _maps(roots) and not all(map(_is_batched, filter(_requires_grad, targets))):
        raise RuntimeError("torch's vmap does not see the gradients by what it does not map over, such as Parameters.")
    if sens is None:
        seeds: list[torch.Tensor | None] = [None] * len(roots)  # ones
    else:
        given = (
            tensors_of(sens) if not isinstance(sens, (int, float)) else [torch.full_like(_Base.detach(roots[0]), sens)]
        )
        if len(given) != len(roots):
            raise ValueError(
                f"For 'GradOperation', 'sens' must have one Tensor for each of the {len(roots)} outputs, but got "
                f"{len(given)}."
            )
        seeds = [_matching_seed(seed, root) for seed, root in zip(given, roots)]
    pairs = [(root, seed) for root, seed in zip(roots, seeds) if root.requires_grad]
    found = _gradients(forward, [root for root, _ in pairs], [seed for _, seed in pairs], targets, again)
    return wrap(tuple([gradient if gradient.is_contiguous() else _writable(gradient) for gradient in found]))


def _writable(gradient: torch.Tensor) -> torch.Tensor:
    """Return it with memory for each element: torch refuses writes to an expanded gradient such as that of a sum."""
    return gradient.contiguous() if 0 in gradient.stride() else gradient


def _by_integers(
    forward: Forward, shadows: Shadows, targets: Sequence[torch.Tensor], sens: Any, again: bool
) -> tuple[Any, ...]:
    """Run `gradients` through the shadows; each gradient has its target's dtype."""
    found = gradients(in_floats(forward), [shadows.of(target) for target in targets], sens, again)
    cast = []
    for target, gradient in zip(targets, found):
        value = gradient if gradient.dtype is target.dtype else _Base.to(gradient.detach(), target.dtype)
        if value is not gradient and THREAD.shadows is not None and gradient.requires_grad:
            THREAD.shadows.follow(value, gradient)
        cast.append(value)
    return wrap(tuple(cast))


def in_floats(forward: Forward) -> Forward:
    """Return this forward with shadows in place of integers, if it has any."""
    shadows = forward.shadows
    if shadows is None:
        return forward
    through = Forward.__new__(Forward)
    through.outputs, through.start, through.shadows = tree_map(shadows.of, forward.outputs), forward.start, None
    through.lent, through.end, through.before_writes = forward.lent, forward.end, forward.before_writes
    through.variables = [shadows.of(variable) for variable in forward.variables]
    return through


_is_batched: Callable[[Any], bool] = torch._C._functorch.is_batchedtensor


def _refuse_without_grad() -> None:
    if THREAD.refused:
        raise RuntimeError(
            "In no_grad context, you cannot calculate gradient. Differentiate outside of it, or call "
            "ops.stop_gradient on what is constant."
        )


def _maps(roots: Sequence[torch.Tensor]) -> bool:
    """Return whether torch.vmap computes them for several inputs at once."""
    return _interpreters() is not None and any(map(_is_batched, roots))


def scalar_gradients(forward: Forward, targets: Sequence[torch.Tensor]) -> tuple[Any, ...]:
    """Return `gradients` of a single output of shape (), as torch's own tensors."""
    _refuse_without_grad()
    loss = forward.outputs
    return _gradients(forward, (loss,) if loss.requires_grad else (), None, targets, False)


def _gradients(
    forward: Forward,
    roots: Sequence[torch.Tensor],
    seeds: Sequence[torch.Tensor | None] | None,
    targets: Sequence[torch.Tensor],
    again: bool,
) -> tuple[Any, ...]:
    wanted = [target for target in targets if _requires_grad(target)]
    found = _backward(forward, roots, seeds, wanted, again) if roots and wanted else ()
    if len(found) == len(targets) and all(gradient is not None for gradient in found):
        return found
    by_target = dict(zip(map(id, wanted), found))
    return tuple(
        [_no_gradient(target) if by_target.get(id(target)) is None else by_target[id(target)] for target in targets]
    )


def _no_gradient(target: torch.Tensor) -> torch.Tensor:
    """Return zeros. As in MindSpore, the target's hooks receive them, except for hooks set by the forward itself."""
    gradient = torch.zeros_like(_Base.detach(target))
    for hook in (getattr(target, "_backward_hooks", None) or {}).values():
        found = None if getattr(hook, "is_of_forward", False) else hook(gradient)
        gradient = gradient if found is None else found
    return gradient


def _backward(
    forward: Forward,
    roots: Sequence[torch.Tensor],
    seeds: Sequence[torch.Tensor | None] | None,
    wanted: list[torch.Tensor],
    again: bool,
) -> tuple[Any, ...]:
    keeps, multithreaded = keeps_graph(), torch._C._is_multithreading_enabled()
    # a gradient is captured before the hook, so that hook may end the graph at a variable
    # inside of another forward they are older than this one, and cut off with the rest
    cuts = []
    if forward.start is None:
        cuts += [_end_at(variable) for variable in forward.variables if _is_computed(variable)]
    if forward.start is not None or THREAD.spans:
        cuts += [node.register_prehook(_nothing) for node in outside(roots, forward.start)]
    further = [
        (place, before) for now, before in forward.before_writes for place, target in enumerate(wanted) if target is now
    ]
    _set_multithreaded(False)  # on a GPU as well, backward runs in this thread: its forwards, its numbers, its modes
    try:
        found = grad(
            roots,
            [*wanted, *[before for _, before in further]],
            seeds,
            allow_unused=True,
            create_graph=keeps,
            retain_graph=keeps or again or bool(cuts),
        )
        found = _with_further(found, [place for place, _ in further]) if further else found
        if THREAD.overflow is not None:
            note_status([*roots, *found])
        return found
    finally:
        if forward.start is not None and not (THREAD.running or again):
            spend(forward.start, forward.end)
        _set_multithreaded(multithreaded)
        for cut in cuts:
            cut.remove()


def _with_further(found: Sequence[Any], places: list[int]) -> tuple[Any, ...]:
    """Return the gradients with the last ones added to those at ``places``."""
    count = len(found) - len(places)
    summed = list(found[:count])
    for place, gradient in zip(places, found[count:]):
        if gradient is not None:
            summed[place] = gradient if summed[place] is None else summed[place] + gradient
    return tuple(summed)


def _is_computed(variable: Any) -> bool:
    return isinstance(variable, torch.Tensor) and variable.grad_fn is not None


def _nothing(gradients: tuple) -> tuple:
    return (None,) * len(gradients)


def _end_at(variable: torch.Tensor) -> Any:
    """Stop the backward pass at a variable, although it was computed from others."""
    place = variable.output_nr
    node: Any = variable.grad_fn
    return node.register_prehook(
        lambda gradients: tuple([None if index == place else item for index, item in enumerate(gradients)])
    )


def _matching_seed(seed: torch.Tensor, root: torch.Tensor) -> torch.Tensor:
    if tuple(seed.shape) != tuple(root.shape):
        if seed.numel() != root.numel():
            raise ValueError(
                f"For 'GradOperation', the shape of 'sens' must be that of the output {tuple(root.shape)}, but got "
                f"{tuple(seed.shape)}."
            )
        seed = torch.reshape(seed, tuple(root.shape))
    return seed if seed.dtype is root.dtype else _Base.to(seed, root.dtype)


#: Cells with a forward that has not been differentiated yet, by id
KEPT: dict[int, weakref.ref[Any]] = {}


def keep(cell: Any) -> None:
    """Add a Cell to `KEPT`, as long as it lives."""
    key = id(cell)
    KEPT[key] = weakref.ref(cell, lambda _: KEPT.pop(key, None))
