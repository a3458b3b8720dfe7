"""The operator `damped_inverse_`: on the CPU, as the kernel's per-thread code on the host, and under opcheck."""

from __future__ import annotations

import contextlib
import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from mindspore_compat._runtime import extension
from mindspore_compat.nn.optim.thor_inverse import damped_inverse_

CSRC = Path(__file__).parents[2] / "csrc/thor"
SIZES = (1, 2, 5, 17, 63, 64, 65, 100, 127, 128, 129, 136, 300)
Inverse = Callable[..., tuple[torch.Tensor, torch.Tensor]]


def spd(size: int, condition: float = 10.0) -> torch.Tensor:
    """Symmetric, with eigenvalues from 1 / condition to 1."""
    random = np.random.RandomState(size)
    vectors, _ = np.linalg.qr(random.standard_normal((size, size)))
    values = np.logspace(-np.log10(condition), 0, size) if size > 1 else np.ones(1)
    matrix = vectors * values @ vectors.T
    return torch.from_numpy(((matrix + matrix.T) / 2).astype(np.float32))


def initial(size: int, block: int) -> torch.Tensor:
    return torch.eye(block).repeat(-(-size // block), 1, 1)


def expected(factor: torch.Tensor, block: int, scale: float, damping: float, multiplier: float) -> np.ndarray:
    result = []
    for start in range(0, len(factor), block):
        part = factor.numpy()[start : start + block, start : start + block].astype(np.float64) * scale
        padded = np.eye(block)
        padded[: len(part), : len(part)] = part + damping * np.eye(len(part))
        result.append(multiplier * np.linalg.inv(padded))
    return np.stack(result)


def with_torch(
    factor: torch.Tensor, inverse: torch.Tensor, scale: float, damping: float, multiplier: float
) -> tuple[torch.Tensor, torch.Tensor]:
    info = damped_inverse_([inverse], [factor], [scale], [damping], [multiplier])
    return inverse, info


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Inverse:
    """The kernel's per-thread code, compiled for the host."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    target = tmp_path_factory.mktemp("kernel") / "host.so"
    subprocess.run(
        [
            compiler,
            "-O2",
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unknown-pragmas",
            "-shared",
            "-fPIC",
            str(CSRC / "kron_inverse_host.cpp"),
            "-o",
            str(target),
        ],
        check=True,
    )
    library = ctypes.CDLL(str(target))

    def run(
        factor: torch.Tensor, inverse: torch.Tensor, scale: float, damping: float, multiplier: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        info = torch.full((len(inverse),), -1, dtype=torch.int32)
        library.msc_damped_inverse_host(
            ctypes.c_void_p(factor.data_ptr()),
            ctypes.c_void_p(inverse.data_ptr()),
            len(factor),
            inverse.shape[-1],
            ctypes.c_float(scale),
            ctypes.c_float(damping),
            ctypes.c_float(multiplier),
            ctypes.c_void_p(info.data_ptr()),
        )
        return inverse, info

    return run


@pytest.fixture(params=["torch", "host"])
def invert(request: pytest.FixtureRequest) -> Inverse:
    return with_torch if request.param == "torch" else request.getfixturevalue("host")


@pytest.mark.parametrize("size", SIZES)
def test_every_block_is_the_damped_inverse(invert: Inverse, size: int) -> None:
    factor, block = spd(size), min(size, 128)
    found, info = invert(factor, initial(size, block), 2.0, 0.1, 0.5)
    assert info.tolist() == [0] * len(found)
    np.testing.assert_allclose(found.numpy(), expected(factor, block, 2.0, 0.1, 0.5), rtol=0, atol=5e-6)


@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6, 1e7])
def test_error_grows_with_the_condition_as_it_must(invert: Inverse, condition: float) -> None:
    factor = spd(128, condition)
    found, info = invert(factor, initial(128, 128), 1.0, 0.0, 1.0)
    reference = expected(factor, 128, 1.0, 0.0, 1.0)
    assert info.tolist() == [0]
    assert np.linalg.norm(found.numpy() - reference) / np.linalg.norm(reference) <= 4e-8 * condition


def test_the_kernels_inverse_is_symmetric_bit_by_bit(host: Inverse) -> None:
    found, _ = host(spd(128, 1e4), initial(128, 128), 1.0, 0.0, 1.0)
    assert torch.equal(found, found.mT)


@pytest.mark.parametrize("pivot", [1, 2, 64, 65, 127, 128])
def test_a_pivot_that_is_not_positive_is_reported_and_the_old_inverse_kept(invert: Inverse, pivot: int) -> None:
    factor = spd(136)
    factor[pivot - 1, pivot - 1] = -1.0
    old = torch.full((2, 128, 128), 7.0)
    found, info = invert(factor, old.clone(), 1.0, 0.01, 1.0)
    assert info.tolist() == [pivot, 0]
    assert torch.equal(found[0], old[0])
    assert not torch.equal(found[1], old[1])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_no_nan_or_infinity_gets_into_an_inverse(invert: Inverse, value: float) -> None:
    for place in ((0, 0), (5, 5), (99, 99), (7, 3), (99, 98)):
        factor = spd(100)
        factor[place] = factor[place[::-1]] = value
        found, info = invert(factor, initial(100, 100), 1.0, 0.01, 1.0)
        assert info[0] > 0, place
        assert torch.equal(found, initial(100, 100)), place


def test_host_and_torch_report_the_same_pivot(host: Inverse) -> None:
    for seed in range(20):
        random = np.random.RandomState(seed)
        matrix = random.standard_normal((40, 40))
        factor = torch.from_numpy(((matrix + matrix.T) / 2 + 4.0 * np.eye(40)).astype(np.float32))
        infos = [run(factor, initial(40, 40), 1.0, 0.0, 1.0)[1].tolist() for run in (host, with_torch)]
        assert infos[0] == infos[1], seed


def test_many_factors_of_different_sizes_in_one_call() -> None:
    sizes = [6, 300, 128, 6, 200]
    factors = [spd(size) for size in sizes]
    inverses = [initial(size, min(size, 128)) for size in sizes[:-1]] + [initial(200, 200)]  # the last one whole
    scales, dampings, multipliers = [1.0, 2.0, 3.0, 4.0, 5.0], [0.1, 0.2, 0.3, 0.4, 0.5], [1.0, 0.5, 0.25, 2.0, 3.0]
    info = damped_inverse_(inverses, factors, scales, dampings, multipliers)
    assert info.tolist() == [0] * 7
    for inverse, *arguments in zip(inverses, factors, scales, dampings, multipliers):
        np.testing.assert_allclose(
            inverse.numpy(), expected(arguments[0], inverse.shape[-1], *arguments[1:]), rtol=0, atol=2e-5
        )


def test_a_large_whole_factor_reports_its_pivot() -> None:
    factor = spd(700)
    factor[600, 600] = -3.0
    inverse = initial(700, 700)
    assert damped_inverse_([inverse], [factor], [1.0], [0.01], [1.0]).tolist() == [601]
    assert torch.equal(inverse[0], torch.eye(700))


def test_nothing_to_invert() -> None:
    assert damped_inverse_([], [], [], [], []).shape == (0,)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda a: a["factors"].pop(), ValueError),
        (lambda a: a["factors"].__setitem__(0, torch.zeros(3, 4)), ValueError),
        (lambda a: a["factors"].__setitem__(0, torch.zeros(4, 4, dtype=torch.float16)), TypeError),
        (lambda a: a["inverses"].__setitem__(0, torch.zeros(2, 4, 4)), ValueError),
        (lambda a: a["factors"].__setitem__(0, torch.zeros(8, 4)[::2]), ValueError),
    ],
)
@pytest.mark.parametrize("fake", [False, True])
def test_bad_arguments_are_named(change: Callable[[dict], object], error: type[Exception], fake: bool) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    arguments = {
        "inverses": [torch.zeros(1, 4, 4)],
        "factors": [torch.eye(4)],
        "scales": [1.0],
        "dampings": [0.1],
        "multipliers": [1.0],
    }
    change(arguments)
    if not fake:
        with pytest.raises(error):
            damped_inverse_(**arguments)
        return
    mode = FakeTensorMode()
    for name in ("inverses", "factors"):
        arguments[name] = [mode.from_tensor(item) for item in arguments[name]]  # type: ignore[arg-type]
    with mode, pytest.raises(error):
        damped_inverse_(**arguments)


def test_opcheck() -> None:
    sizes = (6, 136)
    arguments = (
        [initial(size, min(size, 128)) for size in sizes],
        [spd(size) for size in sizes],
        [1.0, 2.0],
        [0.1, 0.2],
        [1.0, 0.5],
    )
    torch.library.opcheck(damped_inverse_, arguments)
    torch.library.opcheck(damped_inverse_, ([initial(200, 200)], [spd(200)], [1.0], [0.1], [1.0]))


# --- the compiled library ---------------------------------------------------------------------------------------------


def test_library_compiles_where_nvcc_is_and_loads_without_a_gpu(tmp_path: Path) -> None:
    compiler = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if compiler is None:
        pytest.skip("no nvcc")
    target = tmp_path / "kernel.so"
    done = subprocess.run(
        [
            compiler,
            "-std=c++17",
            "-O1",
            "--shared",
            "-Xcompiler",
            "-fPIC",
            "-cudart",
            "static",
            "-gencode=arch=compute_90,code=sm_90",
            str(CSRC / "kron_inverse.cu"),
            "-o",
            str(target),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(target))
    assert library.msc_abi_version() == extension._ABI
    assert hasattr(library, "msc_damped_inverse")


def test_kernel_does_not_spill(tmp_path: Path) -> None:
    compiler = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if compiler is None:
        pytest.skip("no nvcc")
    done = subprocess.run(
        [
            compiler,
            "-std=c++17",
            "-O3",
            "-cubin",
            "-Xptxas",
            "-v",
            "-arch=sm_90",
            str(CSRC / "kron_inverse.cu"),
            "-o",
            str(tmp_path / "kernel.cubin"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "0 bytes spill stores, 0 bytes spill loads" in done.stderr


def test_the_librarys_arguments_arrive_in_order(host: Inverse, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CUDA side's Python code, over a stand-in for the library that runs the kernel's per-thread code
    on the host.
    """
    from mindspore_compat.nn.optim import thor_inverse

    class Library:
        calls = 0

        def msc_damped_inverse(
            self, count, factors, inverses, sizes, widths, firsts, scales, dampings, multipliers, info, stream
        ):
            Library.calls += 1
            for k in range(count.value):
                matrix = np.ctypeslib.as_array(
                    ctypes.cast(factors[k], ctypes.POINTER(ctypes.c_float)), (sizes[k], sizes[k])
                )
                blocks = -(-sizes[k] // widths[k])
                out = np.ctypeslib.as_array(
                    ctypes.cast(inverses[k], ctypes.POINTER(ctypes.c_float)), (blocks, widths[k], widths[k])
                )
                _, found = host(torch.from_numpy(matrix), torch.from_numpy(out), scales[k], dampings[k], multipliers[k])
                infos = np.ctypeslib.as_array(ctypes.cast(info, ctypes.POINTER(ctypes.c_int32)), (firsts[k] + blocks,))
                infos[firsts[k] :] = found.numpy()
            return 0

    monkeypatch.setattr(thor_inverse, "library", Library)
    monkeypatch.setattr(torch.cuda, "device", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: SimpleNamespace(cuda_stream=0))
    sizes, blocks = (6, 300, 200, 136), (6, 128, 200, 128)  # 200 whole: for torch
    factors = [spd(size) for size in sizes]
    factors[3][130, 130] = -9.0
    inverses = [initial(size, block) for size, block in zip(sizes, blocks)]
    scales, dampings, multipliers = [1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.3, 0.4], [1.0, 0.5, 0.25, 2.0]
    info = thor_inverse._invert_with_library(inverses, factors, scales, dampings, multipliers)
    assert Library.calls == 1
    assert info.tolist() == [0, 0, 0, 0, 0, 0, 3]
    for inverse, *arguments in list(zip(inverses, factors, scales, dampings, multipliers))[:3]:
        np.testing.assert_allclose(
            inverse.numpy(), expected(arguments[0], inverse.shape[-1], *arguments[1:]), rtol=0, atol=1e-5
        )
    assert torch.equal(inverses[3][1], torch.eye(128))


def test_env_says_whether_the_library_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    from mindspore_compat.cli import main

    assert main(["env"]) == 0
    assert f"CUDA kernels       {extension.describe()}" in capsys.readouterr().out


def test_why_the_library_is_not_there_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    load = extension._load.__wrapped__
    monkeypatch.setattr(extension, "LIBRARY", tmp_path / "absent.so")
    assert load() == (None, "not built (no nvcc when the package was installed; absent.so is missing)")
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(extension, "LIBRARY", broken)
    found, reason = load()
    assert found is None
    assert reason.startswith("built, but does not load: ")
