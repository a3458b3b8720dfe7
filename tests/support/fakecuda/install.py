"""Makes ``torch.cuda`` answer: the functions of ``torch._C`` that a CUDA build has, on the fake device's library."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from . import traffic
from .build import library as built
from .graphs import give_graphs
from .streams import give_streams

__all__ = ["install", "installed"]

_ARCHITECTURE = (9, 0)
_MEMORY = 80 * 2**30
_state: dict[str, ctypes.CDLL] = {}


def installed() -> bool:
    """Whether `install` was called in this process."""
    return bool(_state)


def install(devices: int = 2) -> None:
    """Make ``devices`` CUDA devices in this process, for good. Before anything is computed."""
    if installed():
        return
    path = built()
    torch.ops.load_library(str(path))
    library = ctypes.CDLL(str(path))
    library.fakecuda_current_stream.restype = ctypes.c_int64
    library.fakecuda_set_stream.argtypes = [ctypes.c_int, ctypes.c_int64]
    library.fakecuda_host_register.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.fakecuda_host_unregister.argtypes = [ctypes.c_void_p]
    for name in ("graph_begin", "graph_end", "graph_replay", "synchronize"):
        getattr(library, f"fakecuda_{name}").restype = ctypes.c_char_p
    library.fakecuda_take_hooks()
    library.fakecuda_set_device_count(devices)
    library.fakecuda_without_kernel("\n".join(operators_without_cuda()).encode())
    _state["library"] = library
    traffic.connect(library)
    _give_devices(library, devices)
    _give_memory(library)
    _give_storages()
    give_streams(library)
    give_graphs(library)
    torch.cuda.default_generators = tuple(_default_generator(library, index) for index in range(devices))


def operators_without_cuda() -> list[str]:
    """Operators that torch has on a CPU and not on CUDA, from its own table."""
    import yaml  # type: ignore[import-untyped]

    spec = importlib.util.find_spec("torchgen")
    assert spec is not None and spec.origin is not None
    table = Path(spec.origin).parent / "packaged/ATen/native/native_functions.yaml"
    rows = yaml.load(table.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    found = []
    for row in rows:
        keys = {key.strip() for group in row.get("dispatch", {}) for key in group.split(",")}
        everywhere = any(key.startswith("Composite") for key in keys) or "structured_delegate" in row
        if "CPU" in keys and "CUDA" not in keys and not everywhere:
            found.append("aten::" + row["func"].split("(")[0])
    return found


def _give_storages() -> None:
    """Memory made from Python (copies, pickles), which a CPU build refuses on "cuda"."""
    plain = torch.UntypedStorage.__new__

    def new(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is None or torch.device(device).type != "cuda":
            return plain(cls, *args, **kwargs) if device is None else plain(cls, *args, device=device, **kwargs)
        size = args[0] if args and isinstance(args[0], int) else 0
        found = torch.empty(size, dtype=torch.uint8, device=device).untyped_storage()
        if args and not isinstance(args[0], int):
            raise NotImplementedError("the fake CUDA device makes storages by their size only")
        return found

    torch.UntypedStorage.__new__ = new  # type: ignore[method-assign,assignment]


def _exchange(library: ctypes.CDLL) -> Callable[[int], int]:
    def exchange(index: int) -> int:
        before = library.fakecuda_current_device()
        if index >= 0:
            library.fakecuda_set_device(index)
        return before

    return exchange


def _give_devices(library: ctypes.CDLL, devices: int) -> None:
    def set_device(index: int) -> None:
        if not 0 <= index < devices:
            raise torch.AcceleratorError("CUDA error: invalid device ordinal")
        traffic.tell("set_device", str(index))
        library.fakecuda_set_device(index)

    def synchronize() -> None:
        problem = library.fakecuda_synchronize()
        if problem is not None:
            raise torch.AcceleratorError(problem.decode())

    cuda: Any = torch.cuda
    own: Any = torch._C
    own._cuda_init = lambda: None
    own._cuda_getDeviceCount = lambda: devices
    own._cuda_getDevice = lambda: library.fakecuda_current_device()
    own._cuda_setDevice = set_device
    own._cuda_synchronize = synchronize
    own._cuda_getArchFlags = lambda: "sm_{}{}".format(*_ARCHITECTURE)
    own._cuda_canDeviceAccessPeer = lambda first, second: first != second
    own._cuda_ipc_collect = lambda: None
    own._cuda_set_sync_debug_mode = traffic.set_sync_debug_mode
    cuda._exchange_device, cuda._maybe_exchange_device = _exchange(library), _exchange(library)
    cuda._is_compiled = cuda.is_available = lambda: True
    cuda._initialized = True
    cuda.device_count = lambda: devices
    cuda.get_device_name = lambda device=None: "fake CUDA device"
    cuda.get_device_capability = lambda device=None: _ARCHITECTURE
    cuda.get_device_properties = lambda device=None: Properties()
    cuda.is_bf16_supported = lambda including_emulation=True: True
    cuda.cudart = lambda: _Cudart(library)
    torch.backends.cuda.is_built = lambda: True


class Properties:
    """What ``torch.cuda.get_device_properties`` answers."""

    name = "fake CUDA device"
    major, minor = _ARCHITECTURE
    total_memory = _MEMORY
    multi_processor_count = 1
    is_integrated = is_multi_gpu_board = False
    warp_size = 32
    gcnArchName = ""


class _Cudart:
    """The runtime's functions that pin memory; 0 is success."""

    class cudaError:
        success = 0

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def cudaHostRegister(self, pointer: int, size: int, flags: int) -> int:
        traffic.tell("pin", "cudaHostRegister")
        self._library.fakecuda_host_register(pointer, size)
        return 0

    def cudaHostUnregister(self, pointer: int) -> int:
        return 0 if self._library.fakecuda_host_unregister(pointer) else 713  # cudaErrorHostMemoryNotRegistered

    def cudaMemGetInfo(self, device: int) -> tuple[int, int]:
        counts = _counts(self._library, device)
        return _MEMORY - counts[0], _MEMORY


def _counts(library: ctypes.CDLL, device: int) -> list[int]:
    counts = (ctypes.c_int64 * 6)()
    library.fakecuda_memory(device, counts)
    return list(counts)


def _give_memory(library: ctypes.CDLL) -> None:
    def statistics(device: int) -> dict[str, Any]:
        now, peak, ever, blocks, most, all_blocks = _counts(library, device)
        size = {"current": now, "peak": peak, "allocated": ever, "freed": ever - now}
        number = {"current": blocks, "peak": most, "allocated": all_blocks, "freed": all_blocks - blocks}
        names = ("allocated_bytes", "reserved_bytes", "active_bytes", "requested_bytes")
        return {name: {"all": size} for name in names} | {"allocation": {"all": number}, "active": {"all": number}}

    own: Any = torch._C
    own._cuda_memoryStats = statistics
    own._cuda_resetPeakMemoryStats = lambda device: library.fakecuda_reset_peaks(device)
    own._cuda_resetAccumulatedMemoryStats = lambda device: None
    own._cuda_emptyCache = own._host_emptyCache = lambda: None
    torch.cuda.mem_get_info = lambda device=None: _Cudart(library).cudaMemGetInfo(  # type: ignore[assignment]
        torch.cuda._utils._get_device_index(device, optional=True)
    )


def _default_generator(library: ctypes.CDLL, index: int) -> torch.Generator:
    library.fakecuda_next_generator_is_default(1)
    try:
        return torch.Generator(device=f"cuda:{index}")
    finally:
        library.fakecuda_next_generator_is_default(0)
