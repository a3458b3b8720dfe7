"""The CUDA source itself on the host: 256 threads with barriers for a block, a stand-in for cuda_runtime.h, no GPU.

Checks what kron_inverse_host.cpp does not share with the kernel: the search for a block's factor, shuffles, barriers,
early ends.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.thor.test_inverse import CSRC, expected, initial, spd

RUNTIME = """
#include <algorithm>
#include <barrier>
#include <thread>
#include <vector>
#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define CUDART_VERSION 13000
using std::min;
using cudaStream_t = void*;
using cudaError_t = int;
constexpr int cudaSuccess = 0, cudaErrorInvalidValue = 1;
inline int cudaGetLastError() { return 0; }
struct Index { unsigned x; };
inline thread_local Index threadIdx, blockIdx;
constexpr int kHostThreads = 256;
inline std::barrier<> host_barrier(kHostThreads);
using Barrier = std::barrier<>;
inline Barrier host_warps[] = {Barrier(32), Barrier(32), Barrier(32), Barrier(32), Barrier(32), Barrier(32), Barrier(32), Barrier(32)};
inline float host_lanes[kHostThreads];
inline void __syncthreads() { host_barrier.arrive_and_wait(); }
inline float __shfl_sync(unsigned, float value, int source, int width) {
  Barrier& warp = host_warps[threadIdx.x / 32];  // waits for no other warp, so that races between warps stay visible
  host_lanes[threadIdx.x] = value;
  warp.arrive_and_wait();
  const float found = host_lanes[threadIdx.x / width * width + source];
  warp.arrive_and_wait();
  return found;
}
template <class Kernel, class Work>
void host_launch(Kernel kernel, int blocks, const Work& work) {
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < kHostThreads; ++id)
    threads.emplace_back([=, &work] {
      threadIdx.x = id;
      for (unsigned block = 0; block < static_cast<unsigned>(blocks); ++block) {
        blockIdx.x = block;
        kernel(work);
        __syncthreads();
      }
    });
  for (auto& thread : threads) thread.join();
}
"""


def host_source() -> str:
    """kron_inverse.cu as C++20."""
    source = (CSRC / "kron_inverse.cu").read_text(encoding="utf-8").replace("#include <cuda_runtime.h>", RUNTIME)
    source, count = re.subn(
        r"msc::damped_inverse_kernel<<<(\w+), .*?>>>\(work\);",
        r"host_launch(msc::damped_inverse_kernel, \1, work);",
        source,
    )
    assert count == 1
    return source


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++")
    folder = tmp_path_factory.mktemp("source")
    (folder / "kernel.cpp").write_text(host_source(), encoding="utf-8")
    command = [
        compiler,
        "-O2",
        "-std=c++20",
        "-pthread",
        "-shared",
        "-fPIC",
        "-Wno-unknown-pragmas",
        f"-I{CSRC}",
        str(folder / "kernel.cpp"),
        "-o",
        str(folder / "kernel.so"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 and "barrier" in done.stderr and "No such file" in done.stderr:
        pytest.skip("g++ without C++20's <barrier>")
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "kernel.so"))


def test_several_factors_in_one_launch(library: ctypes.CDLL) -> None:
    sizes = (5, 136, 66, 130)
    factors = [spd(size) for size in sizes]
    factors[3][129, 129] = -9.0
    inverses = [initial(size, min(size, 128)) for size in sizes]
    info = torch.full((6,), -1, dtype=torch.int32)
    count = len(sizes)

    def pointers(tensors: list[torch.Tensor]) -> ctypes.Array:
        return (ctypes.c_void_p * count)(*[item.data_ptr() for item in tensors])

    code = library.msc_damped_inverse(
        ctypes.c_int(count),
        pointers(factors),
        pointers(inverses),
        (ctypes.c_int * count)(*sizes),
        (ctypes.c_int * count)(*[min(size, 128) for size in sizes]),
        (ctypes.c_int * count)(0, 1, 3, 4),
        (ctypes.c_float * count)(1.0, 2.0, 3.0, 4.0),
        (ctypes.c_float * count)(0.1, 0.2, 0.3, 0.4),
        (ctypes.c_float * count)(1.0, 0.5, 2.0, 3.0),
        ctypes.c_void_p(info.data_ptr()),
        None,
    )
    assert code == 0
    assert info.tolist() == [0, 0, 0, 0, 0, 2]
    for index, (scale, damping, multiplier) in enumerate([(1.0, 0.1, 1.0), (2.0, 0.2, 0.5), (3.0, 0.3, 2.0)]):
        reference = expected(factors[index], inverses[index].shape[-1], scale, damping, multiplier)
        np.testing.assert_allclose(inverses[index].numpy(), reference, rtol=0, atol=1e-5)
        assert torch.equal(inverses[index], inverses[index].mT)
    assert torch.equal(inverses[3][1], torch.eye(128))
    assert not torch.equal(inverses[3][0], torch.eye(128))


def test_a_block_that_is_too_wide_is_refused(library: ctypes.CDLL) -> None:
    one = ctypes.c_int * 1
    nothing, number = (ctypes.c_void_p * 1)(), (ctypes.c_float * 1)(1.0)
    assert (
        library.msc_damped_inverse(1, nothing, nothing, one(200), one(200), one(0), number, number, number, None, None)
        == 1
    )


MAIN = """
int main() {
  const int size = 136;
  std::vector<float> matrix(size * size), out(2 * 128 * 128);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) matrix[i * size + j] = (i == j ? 2.0f : 0.0f) + 1.0f / (1 + std::abs(i - j));
  const void* factors[] = {matrix.data()};
  void* inverses[] = {out.data()};
  const int sizes[] = {size}, widths[] = {128}, firsts[] = {0};
  const float ones[] = {1.0f};
  int info[] = {-1, -1};
  return msc_damped_inverse(1, factors, inverses, sizes, widths, firsts, ones, ones, ones, info, nullptr) + info[0] + info[1];
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("broken", [False, True])
def test_threads_of_a_block_do_not_race(tmp_path: Path, broken: bool) -> None:
    """Under ThreadSanitizer, and that it would tell if one of the two buffers were missing."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++")
    source = host_source() + MAIN
    if broken:
        whole = source
        source = source.replace("shared[p & 1]", "shared[0]").replace("shared[(p + 1) & 1]", "shared[0]")
        assert source != whole
    (tmp_path / "race.cpp").write_text(source, encoding="utf-8")
    built = subprocess.run(
        [
            compiler,
            "-O1",
            "-g",
            "-std=c++20",
            "-pthread",
            "-fsanitize=thread",
            "-Wno-unknown-pragmas",
            f"-I{CSRC}",
            str(tmp_path / "race.cpp"),
            "-o",
            str(tmp_path / "race"),
        ],
        capture_output=True,
        text=True,
    )
    if built.returncode != 0:
        pytest.skip("g++ without ThreadSanitizer or C++20's <barrier>")
    done = subprocess.run([str(tmp_path / "race")], capture_output=True, text=True, timeout=120)
    if "FATAL: ThreadSanitizer" in done.stderr:
        pytest.skip("ThreadSanitizer does not run here")
    assert ("data race" in done.stderr) is broken
    assert done.returncode == (66 if broken else 0)
