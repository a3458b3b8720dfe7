"""Execution context. MindSpore: ``mindspore.context``.

``mode``, ``device_target`` and ``device_id`` have an effect. The other keys describe Ascend, graph compilation or
memory pools of MindSpore's own runtime: they are checked, stored and returned by `get_context`, and change nothing
here.
"""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable
from typing import Any

from mindspore_compat._api.context_keys import (
    ALGO_KEYS,
    AS_NUMBERS,
    COMPATIBLE,
    GRAPH_MODE,
    KEYS,
    LAX,
    PARALLEL_KEYS,
    PARALLEL_RESULTS,
    PS_KEYS,
    PYNATIVE_MODE,
    STRICT,
    ParallelMode,
)
from mindspore_compat._api.context_keys import DEBUG as DEBUG
from mindspore_compat._api.context_keys import RELEASE as RELEASE
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._runtime import placement
from mindspore_compat._runtime.device import current_device, own_device_id, select_device
from mindspore_compat._runtime.gpu_settings import apply_gpu_config, make_deterministic

__all__ = [
    "GRAPH_MODE",
    "PYNATIVE_MODE",
    "STRICT",
    "COMPATIBLE",
    "LAX",
    "ParallelMode",
    "set_context",
    "get_context",
    "set_device",
    "get_current_device",
    "set_auto_parallel_context",
    "get_auto_parallel_context",
    "reset_auto_parallel_context",
    "set_ps_context",
    "get_ps_context",
    "reset_ps_context",
    "set_algo_parameters",
    "get_algo_parameters",
    "reset_algo_parameters",
    "set_recursion_limit",
    "set_deterministic",
]

_values: dict[str, Any] = {}
_parallel_values: dict[str, Any] = {}
_ps_values: dict[str, Any] = {}
_algo_values: dict[str, Any] = {}
#: called without arguments after each change of the parallel keys
parallel_listeners: list[Callable[[], None]] = []


def _check(where: str, keys: dict[str, tuple[Any, Any]], key: str, value: Any) -> None:
    if key not in keys:
        raise ValueError(
            f"For '{where}', the keyword argument {key} is not recognized! Known ones are: {', '.join(sorted(keys))}."
        )
    types = keys[key][0]
    allowed = types if isinstance(types, tuple) else (types,)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        names = " or ".join(item.__name__ for item in allowed)
        raise TypeError(
            f"For '{where}', the argument '{key}' must be {names}, but got {value!r} of type {type(value).__name__}."
        )


def _get(where: str, keys: dict[str, tuple[Any, Any]], values: dict[str, Any], key: str) -> Any:
    if key not in keys:
        raise ValueError(
            f"For '{where}', the argument {key} is not recognized! Known ones are: {', '.join(sorted(keys))}."
        )
    return values.get(key, keys[key][1])


def set_context(**kwargs: Any) -> None:
    """Set any of the context's keys.

    Args:
        mode: in PYNATIVE_MODE (1) everything runs eagerly; in GRAPH_MODE (0) too, but that a training step which
            repeats itself is replayed without Python's share of it, as MindSpore (docs/design/replay.md).
        jit_config: in GRAPH_MODE, ``{"jit_level": "O1"}`` or "O2" has torch.compile's inductor compile what is
            replayed; "O0" is a replay operator by operator. jit_level="O1" is the same.
        device_target: "CPU", "GPU" or "Ascend"; the latter two mean CUDA where there is a GPU, else the CPU, said once.
        device_id: which GPU; by default the one that the launcher gives to this process (docs/distributed.md).

    Raises:
        ValueError: for an unknown key or a value out of range. TypeError: for a value of the wrong type.

    Examples:
        >>> ms.set_context(mode=ms.GRAPH_MODE)
        >>> print(ms.get_context("mode") == ms.GRAPH_MODE)
        True
    """
    for key, value in kwargs.items():
        _check("context.set_context", KEYS, key, value)
    mode = kwargs.get("mode", PYNATIVE_MODE)
    if mode not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(
            "For 'context.set_context', the argument 'mode' should be context.GRAPH_MODE (0) or context.PYNATIVE_MODE "
            f"(1), but got {mode}."
        )
    target = kwargs.get("device_target", "CPU")
    if target not in ("CPU", "GPU", "Ascend", "Davinci"):
        raise ValueError(
            "For 'context.set_context', the argument 'device_target' must be one of ['CPU', 'GPU', 'Ascend', "
            f"'Davinci'], but got {target}."
        )
    _check_jit_config(kwargs)
    if kwargs.get("deterministic", "OFF") not in ("ON", "OFF"):
        raise ValueError(
            "For 'context.set_context', the argument 'deterministic' must be one of ['ON', 'OFF'], but got "
            f"{kwargs['deterministic']}."
        )
    apply_gpu_config(kwargs.get("gpu_config", {}))
    if "deterministic" in kwargs:
        make_deterministic(kwargs["deterministic"] == "ON")
    _values.update(kwargs)
    if "device_target" in kwargs or ("device_id" in kwargs and "device_target" in _values):
        name = "Ascend" if get_context("device_target") == "Davinci" else get_context("device_target")
        before = current_device()
        placement.move_all(before, select_device(name, _values.get("device_id")))


_JIT_OPTIONS = {"jit_level": ["O0", "O1", "O2"], "infer_boost": ["on", "off"]}


def _check_jit_config(given: dict[str, Any]) -> None:
    """Check ``jit_config``, and copy ``jit_level`` from it."""
    if "jit_level" in given:
        given["jit_config"] = {**given.get("jit_config", {}), "jit_level": given.pop("jit_level")}
    for key, value in given.get("jit_config", {}).items():
        if key not in _JIT_OPTIONS:
            raise ValueError(
                f"For 'context.set_context', the key of argument 'jit_config' must be one of {_JIT_OPTIONS}, but got "
                f"{key}."
            )
        if value not in _JIT_OPTIONS[key]:
            raise ValueError(
                f"For 'jit_config', the value of argument {key} must be one of {_JIT_OPTIONS[key]}, but got {value}."
            )


def get_context(attr_key: str) -> Any:
    """Return the value of a context key.

    Raises:
        ValueError: for an unknown key.
    """
    if attr_key == "jit_level":
        return get_context("jit_config").get("jit_level", "")
    if attr_key == "device_id" and attr_key not in _values:
        return own_device_id()
    value = _get("context.get_context", KEYS, _values, attr_key)
    return AS_NUMBERS[attr_key](value) if attr_key in AS_NUMBERS else value


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device, as ``set_context(device_target=, device_id=)`` does."""
    set_context(device_target=device_target, **({} if device_id is None else {"device_id": device_id}))


class DeviceInfo(tuple):
    """Tuple (device_target, device_id), with attributes."""

    device_target = property(operator.itemgetter(0))
    device_id = property(operator.itemgetter(1))


def get_current_device() -> DeviceInfo:
    """Return the current device."""
    return DeviceInfo((get_context("device_target"), get_context("device_id")))


class _InJit(threading.local):
    """Number of functions under ``jit`` that are running."""

    depth = 0
    level = ""  # of the innermost that has one
    is_python = False  # whether the innermost keeps Python's meaning: capture_mode "bytecode" and "trace"
    is_strict: bool | None = None  # whether the innermost is of the strict level, if it says so: fullgraph


in_jit = _InJit()


def jit_level() -> str:
    """Return "O0", "O1", "O2", or "" if unset: of the running function under ``jit``, else the context's."""
    return in_jit.level or _values.get("jit_config", {}).get("jit_level", "")


def is_strict(said: bool | None = None) -> bool:
    """Return whether compiled code has MindSpore's strict level: by the options of the Cell or function, the context,
    or MS_DEV_JIT_SYNTAX_LEVEL.
    """
    of_environment = os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL")
    said = in_jit.is_strict if said is None else said
    if of_environment == "0" or said is not None:
        return of_environment == "0" or bool(said)
    return _values.get("jit_syntax_level") == STRICT and of_environment != "2"


def is_graph_mode() -> bool:
    """Return whether GRAPH_MODE is set, or a function decorated by ``jit`` runs."""
    return _values.get("mode") == GRAPH_MODE or in_jit.depth > 0


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Set the keys of distributed training. docs/design/parallel.md describes the modes. A setting that processes here
    do not support raises when the network is called.

    Raises:
        ValueError: for an unknown key or mode. TypeError: for a value of the wrong type.

    Examples:
        >>> ms.set_auto_parallel_context(gradients_mean=True)
        >>> print(ms.get_auto_parallel_context("gradients_mean"))
        True
    """
    for key, value in kwargs.items():
        if key not in PARALLEL_KEYS:
            raise ValueError(
                f"Set context keyword {key} is not recognized! Known ones are: {', '.join(sorted(PARALLEL_KEYS))}."
            )
        _check("set_auto_parallel_context", PARALLEL_KEYS, key, value)
    mode = kwargs.get("parallel_mode", ParallelMode.STAND_ALONE)
    if mode not in ParallelMode.MODE_LIST:
        raise ValueError(
            "The context configuration parameter 'parallel_mode' only support 'stand_alone', 'data_parallel', "
            f"'hybrid_parallel', 'semi_auto_parallel' and 'auto_parallel', but got the value : {mode}."
        )
    if "mirror_mean" in kwargs:  # 1.0's name
        kwargs = {**kwargs, "gradients_mean": kwargs["mirror_mean"]}
    _parallel_values.update(kwargs)
    _tell_parallel_listeners()


def _tell_parallel_listeners() -> None:
    for listener in parallel_listeners:
        listener()


def get_auto_parallel_context(attr_key: str) -> Any:
    """Return the value of a key of `set_auto_parallel_context`.

    Examples:
        >>> print(ms.get_auto_parallel_context("device_num"))
        1
    """
    return _get("get_auto_parallel_context", {**PARALLEL_KEYS, **PARALLEL_RESULTS}, _parallel_values, attr_key)


def reset_auto_parallel_context() -> None:
    """Restore the defaults.

    Examples:
        >>> ms.set_auto_parallel_context(gradients_mean=True)
        >>> ms.reset_auto_parallel_context()
        >>> print(ms.get_auto_parallel_context("gradients_mean"))
        False
    """
    _parallel_values.clear()
    _tell_parallel_listeners()


def set_ps_context(**kwargs: Any) -> None:
    """Store settings of parameter-server mode; ``enable_ps=True`` is refused, since there is no server here.

    Raises:
        RuntimeError: for ``enable_ps=True``.
    """
    for key, value in kwargs.items():
        _check("set_ps_context", PS_KEYS, key, value)
    if kwargs.get("enable_ps"):
        raise RuntimeError(
            "For 'set_ps_context', parameter server training is not available on PyTorch. Use data parallel training "
            "instead."
        )
    _ps_values.update(kwargs)


def get_ps_context(attr_key: str) -> Any:
    """Return the value of a key of `set_ps_context`."""
    return _get("get_ps_context", PS_KEYS, _ps_values, attr_key)


def reset_ps_context() -> None:
    """Restore the defaults."""
    _ps_values.clear()


def set_algo_parameters(**kwargs: Any) -> None:
    """Store keys of auto parallel's strategy search, without effect."""
    for key, value in kwargs.items():
        _check("set_algo_parameters", ALGO_KEYS, key, value)
    _algo_values.update(kwargs)


def get_algo_parameters(attr_key: str) -> Any:
    """Return the value of a key of `set_algo_parameters`."""
    return _get("get_algo_parameters", ALGO_KEYS, _algo_values, attr_key)


def reset_algo_parameters() -> None:
    """Restore the defaults."""
    _algo_values.clear()


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Store the limit of MindSpore's graph compiler, without effect."""
    set_context(max_call_depth=recursion_limit)


def set_deterministic(deterministic: bool) -> None:
    """Set torch to deterministic algorithms. MindSpore's variables for Ascend's libraries are stored, since programs
    read them.
    """
    if not isinstance(deterministic, bool):
        raise TypeError(
            f"For 'set_deterministic', 'deterministic' must be bool, but got {type(deterministic).__name__}."
        )
    make_deterministic(deterministic)
    for variable, on, off in (("HCCL_DETERMINISTIC", "true", "false"), ("TE_PARALLEL_COMPILER", "1", "0")):
        if deterministic and os.environ.get(variable) != "strict":
            os.environ[variable] = on
        elif not deterministic and os.environ.get(variable, off) != off:
            del os.environ[variable]
    _values["deterministic"] = "ON" if deterministic else "OFF"


__getattr__ = module_getattr(__name__, {"K_CONTEXT": "_legacy.core"})
