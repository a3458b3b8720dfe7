"""Compilation switches. MindSpore: ``mindspore.common.api``. Cells and functions run eagerly here; for `jit` see
docs/design/replay.md.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat import log
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._autograd.forward import tensors_of
from mindspore_compat._autograd.inference import called, is_inference, without_graph
from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.element_stores import register
from mindspore_compat._graph.element_updates import in_graph_version
from mindspore_compat._graph.mode import OUTSIDE, Call, current, run_in_graph
from mindspore_compat._graph.mutable import mutable  # noqa: F401
from mindspore_compat._graph.program import program
from mindspore_compat._runtime.module_tree import modules
from mindspore_compat._tensor.tracing import is_tracing
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.context import in_jit

__all__ = """
    jit ms_function jit_class ms_class JitConfig mutable no_inline lazy_inline no_grad ms_memory_recycle
""".split()


_TORCH_BACKENDS = ("eager", "aot_eager", "inductor", "cudagraphs")
_LEVELS = ("", "O0", "O1", "O2")


def jit(function: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Decorate a function that MindSpore compiles: while it runs, GRAPH_MODE holds. Cells are returned unchanged.

    Use ``@jit``, ``@jit(...)`` or ``jit(fn=...)``.

    Args:
        jit_level: "O0" (MindSpore's default) as in GRAPH_MODE: what repeats itself is replayed. "O1" and "O2":
            torch.compile compiles the function, and what is replayed in it; what it cannot compile runs eagerly, and
            the log says why in one line.
        backend: "inductor", "aot_eager", "eager" or "cudagraphs", torch's, for the same; MindSpore's "ms_backend" and
            "GE" change nothing.
        capture_mode: with "bytecode" and "trace" an assignment to elements, ``x[i] = v``, keeps Python's meaning; with
            "ast", MindSpore's default, it makes a new Tensor for the name ``x`` alone.
        fullgraph: accepted without effect.
        jit_config: its ``jit_level`` as above. Others are accepted without effect.

    Raises:
        ValueError: for another ``jit_level``.
    """
    target = kwargs.get("fn", function)
    config = kwargs.get("jit_config")
    level = kwargs.get("jit_level") or (config.jit_config_dict["jit_level"] if isinstance(config, JitConfig) else "")
    if level not in _LEVELS:
        raise ValueError(f"For 'jit', the parameter 'jit_level' must be one of ['O0', 'O1', 'O2'], but got {level!r}.")
    wanted = kwargs.get("backend", "")
    backend: str = wanted if wanted in _TORCH_BACKENDS else "inductor" if level in ("O1", "O2") else ""
    is_python = kwargs.get("capture_mode", "ast") != "ast"
    decorate = functools.partial(_in_graph_mode, level=level, backend=backend, is_python=is_python)
    return decorate(target) if callable(target) else decorate


_FUNCTIONS = frozenset((types.FunctionType, types.MethodType, functools.partial))


def _in_graph_mode(
    function: Callable[..., Any], level: str = "", backend: str = "", is_python: bool = False
) -> Callable[..., Any]:
    if isinstance(function, torch.nn.Module):
        function.__dict__["_is_jit"] = True
    if not isinstance(function, (types.FunctionType, types.MethodType)):
        return function
    compiled = _Compiled(backend) if backend else None
    cells: list[Any] = []  # named by the function

    def call(*args: Any, **kwargs: Any) -> Any:
        target = function
        if current().updates_names:
            target = in_graph_version(function)
            args = tuple([in_graph_version(item) if type(item) in _FUNCTIONS else item for item in args])
        found = target(*args, **kwargs) if compiled is None else compiled(target, *args, **kwargs)
        return list(found) if isinstance(found, types.GeneratorType) else found  # its code runs in graph mode, too

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        before = in_jit.level
        in_jit.level = level or in_jit.level
        in_jit.depth += 1
        try:
            if is_tracing():
                return in_graph_version(function)(*args, **kwargs)
            cell = _cell_of(function, args)
            first = args[:1] if cell is not None and cell is args[0] else ()
            args, own = args[len(first) :], call
            if cell is not None:
                own = lambda *args, **kwargs: cell._run_method(call, (*first, *args), kwargs)  # noqa: E731
            if current().is_graph:
                return own(*args, **kwargs)
            owner: Any = function if cell is None else cell
            if compiled is None and not isinstance(owner, types.MethodType):
                around = _around([cell] if cell is not None else cells, function, args, kwargs)
                if around is not None:
                    return program.evaluated(owner, around, own, args, kwargs, not is_python, function)
            return run_in_graph(Call(True, (*args, *kwargs.values()), not is_python), own, *args, **kwargs)
        finally:
            in_jit.depth -= 1
            in_jit.level = before

    run._is_jit = True  # type: ignore[attr-defined]
    return run


def _around(cells: list[Any], function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Return the caller of a function under ``jit`` that runs without recording; None if it must be recorded.

    Args:
        cells: of its own or by name; looked up at the first call, where it is empty.
    """
    if THREAD.running or not torch.is_grad_enabled():
        return None if THREAD.running else called
    if not cells:
        try:
            names = inspect.getclosurevars(function)
        except ValueError:  # a name of the function around it has no value yet
            return None
        found = [*names.nonlocals.values(), *names.globals.values()]
        cells += [item for item in found if isinstance(item, torch.nn.Module)] or [None]
    is_evaluation = all(
        cell is not None and not (cell.training or getattr(cell, "_is_optimizer", True)) for cell in cells
    )
    return without_graph if is_evaluation and current() is OUTSIDE and is_inference(args, kwargs) else None


def _cell_of(function: Any, args: tuple) -> Any:
    """Return the Cell whose method it is; None if there is none."""
    if isinstance(function, types.MethodType):
        cell = function.__self__
    elif args and isinstance(args[0], torch.nn.Module):
        cell = args[0]
        method = getattr(type(cell), getattr(function, "__name__", ""), None)
        if not callable(method) or inspect.unwrap(method) is not inspect.unwrap(function):
            return None
    else:
        return None
    return cell if hasattr(type(cell), "_run_method") else None


class _Compiled:
    """Function that torch.compile compiles at its first call. If the compiler fails, it runs eagerly, piece by piece:
    nothing runs twice.
    """

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.function: Any = None
        self.run: Callable[..., Any] | None = None

    def __call__(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_dynamo_compiling():
            return function(*args, **kwargs)
        if self.run is None or function != self.function:
            self.function, self.run = function, torch.compile(function, backend=self._backend)
        with torch._dynamo.config.patch(suppress_errors=True):
            return self.run(*args, **kwargs)

    def _backend(self, graph: Any, inputs: Any) -> Callable[..., Any]:
        from torch._dynamo.backends.registry import lookup_backend

        try:
            return lookup_backend(self.backend)(graph, inputs)
        except Exception as error:  # whatever it is, the program must not fail for it
            log.warning(
                "%s runs eagerly: the backend %s of torch.compile fails with %s: %s",
                self.function.__name__,
                self.backend,
                type(error).__name__,
                " ".join(str(error).split())[:200],
            )
            return graph.forward


ms_function = jit


def jit_class(cls: type) -> type:
    """Return a class for compiled code unchanged."""
    register(cls)
    return cls


ms_class = jit_class


def lazy_inline(fn: Any = None, attrs: Any = None, policy: Any = None) -> Any:
    """Return a Cell's ``__init__`` unchanged."""
    return fn if callable(fn) else (lambda wrapped: wrapped)


def no_inline(fn: Any = None) -> Any:
    """Return the function unchanged."""
    return fn


class JitConfig:
    """Options for compilation: stored, without effect."""

    def __init__(
        self,
        jit_level: str = "",
        exec_mode: str = "auto",
        jit_syntax_level: str = "",
        debug_level: str = "RELEASE",
        infer_boost: str = "off",
        **kwargs: Any,
    ) -> None:
        self.jit_config_dict = {
            "jit_level": jit_level,
            "exec_mode": exec_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
            **kwargs,
        }


def _function_forbid_reuse(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function: MindSpore marks one to compile anew for each use. Libraries borrow it."""
    return func


def ms_memory_recycle() -> None:
    """Release cached GPU memory."""
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


class _PyNativeExecutor:
    """Methods of MindSpore's eager executor that scripts call."""

    def sync(self) -> None:
        """Wait until the device has finished its work."""
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()

    def set_async_for_graph(self, flag: bool) -> None:
        """Do nothing: MindSpore runs graphs asynchronously by it."""

    def set_grad_flag(self, flag: bool) -> None:
        """Do nothing: torch records for differentiation."""

    def new_graph(self, obj: Any, *args: Any, **kwargs: Any) -> None:
        """Do nothing: torch records for differentiation."""

    def end_graph(self, obj: Any, output: Any, *args: Any, **kwargs: Any) -> None:
        """Keep the results of a forward for `grad`."""
        self._output = output

    def grad(self, obj: Any, grad: Any, weights: Any, grad_position: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the gradients of the sum of the last forward's results by ``weights``, 0 where there is none."""
        outputs = [item for item in tensors_of(self.__dict__.pop("_output")) if item.requires_grad]
        found = torch.autograd.grad(outputs, weights, [torch.ones_like(item) for item in outputs], allow_unused=True)
        return wrap(tuple(torch.zeros_like(w) if g is None else g for g, w in zip(found, weights)))

    def enable_grad(self) -> bool:
        """Return whether operators are recorded for differentiation: they are, except in `no_grad`."""
        return torch.is_grad_enabled()

    def set_enable_grad(self, flag: bool) -> None:
        """Turn recording for differentiation on or off from now on, as `no_grad` does for its body."""
        THREAD.refused = 0 if flag else max(THREAD.refused, 1)
        torch._C._set_grad_enabled(flag)


class _CellGraphExecutor:
    """Methods of MindSpore's executor of graphs that scripts call."""

    def compile(self, obj: Any, *args: Any, phase: str = "predict", **kwargs: Any) -> tuple[str, bool]:
        """Return (phase, True). Nothing is compiled ahead. Instead a Cell computes once on copies of the inputs, which
        shows the errors of MindSpore's compiler: names, types and shapes. A Cell that trains runs its ``network``, if
        it has one. Inputs of open shape are not run.
        """
        if isinstance(obj, torch.nn.Module) and hasattr(obj, "construct"):
            if hasattr(obj, "check_names"):
                obj.check_names()
            tried = getattr(obj, "network", None) if getattr(obj, "_trains", False) else obj
            if hasattr(tried, "construct") and not any(hasattr(arg, "_sizes") for arg in args):
                _try(tried, args, kwargs)
        return phase, True

    def __call__(self, obj: Any, *args: Any, phase: str = "predict") -> Any:
        """Return the result of the Cell or function."""
        return obj(*args)


def _try(cell: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    """Compute and discard the result; restore state that a forward changes by itself, such as moving averages."""
    held = [
        *(item for item in cell.get_parameters() if not item.requires_grad),
        *(item for module in modules(cell) for item in module._buffers.values() if item is not None),
    ]
    before = [item.detach().clone() for item in held]
    with torch.no_grad(), torch.random.fork_rng(enabled=True):
        copies = [arg.clone() if isinstance(arg, torch.Tensor) else arg for arg in args]
        try:
            cell.construct(*copies, **kwargs)
        except RuntimeError as error:
            if "not implemented for" not in str(error):  # a missing kernel of torch is no mistake of the program
                raise
        finally:
            for item, value in zip(held, before):
                item.data.copy_(value)


_pynative_executor = _PyNativeExecutor()
_cell_graph_executor = _executor = _CellGraphExecutor()
cells_compile_cache: dict[int, set[str]] = {}  # nothing is compiled


class no_grad(torch.no_grad):
    """Context (or decorator) without recording for differentiation.

    Raises:
        RuntimeError: for a gradient that is asked for in it.
    """

    def __enter__(self) -> None:
        super().__enter__()
        THREAD.refused += 1

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        THREAD.refused -= 1
        super().__exit__(exc_type, exc_value, traceback)


_no_grad = no_grad

__getattr__ = module_getattr(
    __name__,
    {"_MindsporeFunctionExecutor": "_legacy.function_executor"},
    unsupported={
        "flops_collection": "it counts what MindSpore's compiled graph of a phase computes. "
        "torch.utils.flop_counter.FlopCounterMode counts a step."
    },
)
