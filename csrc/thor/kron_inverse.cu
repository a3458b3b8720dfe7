// The kernel over kron_inverse.h, and the C ABI that mindspore_compat/nn/optim/thor_inverse.py calls.
#include <cuda_runtime.h>

#include <algorithm>

#include "kron_inverse.h"

namespace msc {
namespace {

// Kernel arguments may take 32,764 bytes from CUDA 12.1 on, 4,096 before; nothing has to be copied to the device then.
#if CUDART_VERSION >= 12010
constexpr int kMaxFactors = 640;
#else
constexpr int kMaxFactors = 80;
#endif

struct Work {
  Factor factors[kMaxFactors];
  int count;
  int* info;
};

static_assert(sizeof(Work) <= (CUDART_VERSION >= 12010 ? 32764 : 4096), "too many factors for kernel arguments");

// One pivot: p = kLocal / 4 * 64 + place * 4 + kLocal % 4. Publishes the next one's row, if there is a next one.
template <int kLocal, bool kLastPlace>
__device__ __forceinline__ void pivot(float (&tile)[kTile][kTile], Published (&shared)[2], int* failed, int p, int width, int place, int ty,
                                      int tx) {
  constexpr int kNext = next_local(kLocal, kLastPlace);
  const int next_place = kLocal % kHalf < kHalf - 1 ? place : (kLastPlace ? 0 : place + 1);
  const Published& now = shared[p & 1];
  float t_row[kTile], t_col[kTile];
  fetch(now, t_row, t_col, ty, tx);
  const float root = now.root;
  const bool own_column = tx == place;
  sweep_row<kLocal>(tile, kNext, t_row, t_col, root, own_column);
  if (p + 1 < width) {
    const float d = __shfl_sync(0xffffffffu, tile[kNext][kNext], next_place, kSide);
    if (ty == next_place) {
      publish<kNext>(tile, shared[(p + 1) & 1], d, tx);
      if (tx == next_place && !is_pivot(d) && *failed == 0) *failed = p + 2;
    }
  }
#pragma unroll
  for (int r = 0; r < kTile; ++r) {
    if (r != kNext) sweep_row<kLocal>(tile, r, t_row, t_col, root, own_column);
  }
  if (ty == place) sweep_pivot_row<kLocal>(tile, t_col, root, own_column);
  __syncthreads();
}

template <int kGroupIndex>
__device__ __forceinline__ void pivots_of_group(float (&tile)[kTile][kTile], Published (&shared)[2], int* failed, int width, int ty, int tx) {
  constexpr int kFirst = kGroupIndex * kHalf;
#pragma unroll 1
  for (int place = 0; place < kSide; ++place) {
    const int p = kGroupIndex * kGroup + place * kHalf;
    if (p >= width) return;
    pivot<kFirst, false>(tile, shared, failed, p, width, place, ty, tx);
    if (p + 1 >= width) return;
    pivot<kFirst + 1, false>(tile, shared, failed, p + 1, width, place, ty, tx);
    if (p + 2 >= width) return;
    pivot<kFirst + 2, false>(tile, shared, failed, p + 2, width, place, ty, tx);
    if (p + 3 >= width) return;
    if (place + 1 < kSide) {
      pivot<kFirst + 3, false>(tile, shared, failed, p + 3, width, place, ty, tx);
    } else {
      pivot<kFirst + 3, true>(tile, shared, failed, p + 3, width, place, ty, tx);
    }
  }
}

__global__ void __launch_bounds__(kSide* kSide, 2) damped_inverse_kernel(const __grid_constant__ Work work) {
  __shared__ Published shared[2];
  __shared__ int failed;
  const int tx = threadIdx.x % kSide, ty = threadIdx.x / kSide;
  int low = 0, high = work.count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (work.factors[middle].first_block <= static_cast<int>(blockIdx.x)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const Factor& f = work.factors[low];
  const int block = blockIdx.x - f.first_block;
  const int width = min(f.m, f.n - block * f.m);
  float tile[kTile][kTile];
  load(tile, f, block, width, ty, tx);
  if (threadIdx.x == 0) failed = 0;
  __syncthreads();
  {
    const float d = __shfl_sync(0xffffffffu, tile[0][0], 0, kSide);
    if (ty == 0) {
      publish<0>(tile, shared[0], d, tx);
      if (tx == 0 && !is_pivot(d)) failed = 1;
    }
  }
  __syncthreads();
  pivots_of_group<0>(tile, shared, &failed, width, ty, tx);
  pivots_of_group<1>(tile, shared, &failed, width, ty, tx);
  if (failed == 0) store(tile, f, block, width, ty, tx);
  if (threadIdx.x == 0) work.info[f.first_info + block] = failed;
}

}  // namespace
}  // namespace msc

extern "C" {

int msc_abi_version() { return 1; }

// Inverts the blocks of `count` factors on `stream` of the current device; returns a cudaError_t. Nothing waits for the device.
int msc_damped_inverse(int count, const void* const* factors, void* const* inverses, const int* sizes, const int* widths,
                       const int* first_infos, const float* scales, const float* dampings, const float* multipliers, void* info,
                       void* stream) {
  for (int start = 0; start < count; start += msc::kMaxFactors) {
    msc::Work work;
    work.count = std::min(count - start, msc::kMaxFactors);
    work.info = static_cast<int*>(info);
    int blocks = 0;
    for (int k = 0; k < work.count; ++k) {
      const int at = start + k;
      if (widths[at] < 1 || widths[at] > msc::kBlock || sizes[at] < widths[at]) return cudaErrorInvalidValue;
      work.factors[k] = {static_cast<const float*>(factors[at]), static_cast<float*>(inverses[at]), sizes[at],   widths[at],
                         first_infos[at],                        blocks,                            scales[at], dampings[at],
                         multipliers[at]};
      blocks += (sizes[at] + widths[at] - 1) / widths[at];
    }
    if (blocks == 0) continue;
    msc::damped_inverse_kernel<<<blocks, msc::kSide * msc::kSide, 0, static_cast<cudaStream_t>(stream)>>>(work);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // extern "C"
