// Damped inverses of the diagonal blocks of Kronecker factors: the contract, and what one thread does.
//
// factor   (n, n) row-major float32, symmetric positive semidefinite
// inverse  (ceil(n / m), m, m) row-major float32, m <= 128: block b becomes
//              multiplier * inverse(scale * factor[b*m : b*m+m, b*m : b*m+m] + damping * I),
//          rows and columns past n as of the identity
// info     one int32 a block: 0, or the 1-based pivot that was not positive and finite; such a block keeps its old inverse
//
// One block of 16 x 16 threads inverts one 128 x 128 matrix held in registers. It sweeps one pivot after the other (Gauss-Jordan without
// pivoting, in the symmetric form):
//     d = a_pp;  t_j = a_pj / sqrt(d);  a_ij -= t_i * t_j;  a_pj = a_jp = a_pj / d;  a_pp = -1 / d
// which leaves -inverse(a). Products t_i * t_j commute, so what was symmetric stays so bit by bit, and only row p has to be published.
// Before the last barrier of a pivot the owners of the next one publish its row: one barrier a pivot, two buffers.
//
// Everything here also compiles for the host (kron_inverse_host.cpp), where tests run it without a GPU.
#pragma once

#include <cmath>
#include <cstdint>

#if defined(__CUDACC__)
#define MSC_HD __host__ __device__ __forceinline__
#else
#define MSC_HD inline
#endif

namespace msc {

constexpr int kBlock = 128;          // largest matrix
constexpr int kSide = 16;            // threads along an axis
constexpr int kTile = 8;             // rows and columns of a thread
constexpr int kHalf = kTile / 2;     // they come in two groups of four neighbours, 64 apart: vector loads without bank conflicts
constexpr int kGroup = kSide * kHalf;

struct Factor {
  const float* factor;
  float* inverse;
  int n, m;
  int first_info;   // of its block 0
  int first_block;  // in this launch
  float scale, damping, multiplier;
};

// What a pivot's owners publish: t_j for all columns, and 1 / sqrt(d).
struct alignas(16) Published {
  float row[kBlock];
  float root;
};

// Row or column of the matrix that a thread at `place` (0..15) holds at `local` (0..7).
MSC_HD int place_of(int place, int local) { return (local / kHalf) * kGroup + place * kHalf + local % kHalf; }

MSC_HD bool is_pivot(float d) { return d > 0.0f && d <= 3.402823466e38f; }

// 1 / sqrt(d) to about one unit in the last place.
MSC_HD float reciprocal_root(float d) {
#if defined(__CUDA_ARCH__)
  const float y = rsqrtf(d);
  return fmaf(0.5f * y, fmaf(-d * y, y, 1.0f), y);
#else
  return 1.0f / std::sqrt(d);
#endif
}

// The entries of a thread: damped, and of the identity outside of the `width` rows that the factor has here.
MSC_HD void load(float (&tile)[kTile][kTile], const Factor& f, int block, int width, int ty, int tx) {
  const float* corner = f.factor + (static_cast<int64_t>(block) * f.m) * (f.n + 1LL);
#pragma unroll
  for (int r = 0; r < kTile; ++r) {
    const int i = place_of(ty, r);
#pragma unroll
    for (int c = 0; c < kTile; ++c) {
      const int j = place_of(tx, c);
      float value = i == j ? 1.0f : 0.0f;
      if (i < width && j < width) {
        value = f.scale * corner[static_cast<int64_t>(i) * f.n + j];
        if (i == j) value += f.damping;
      }
      tile[r][c] = value;
    }
  }
}

MSC_HD void store(const float (&tile)[kTile][kTile], const Factor& f, int block, int width, int ty, int tx) {
  float* out = f.inverse + static_cast<int64_t>(block) * f.m * f.m;
#pragma unroll
  for (int r = 0; r < kTile; ++r) {
    const int i = place_of(ty, r);
#pragma unroll
    for (int c = 0; c < kTile; ++c) {
      const int j = place_of(tx, c);
      if (i < f.m && j < f.m) {
        const float value = i < width && j < width ? -tile[r][c] : (i == j ? 1.0f : 0.0f);
        out[static_cast<int64_t>(i) * f.m + j] = f.multiplier * value;
      }
    }
  }
}

// Owners of row kRow publish it; `d` is its pivot.
template <int kRow>
MSC_HD void publish(const float (&tile)[kTile][kTile], Published& to, float d, int tx) {
  const float root = reciprocal_root(d);
#pragma unroll
  for (int c = 0; c < kTile; ++c) to.row[place_of(tx, c)] = tile[kRow][c] * root;
  if (tx == 0) to.root = root;
}

// t of a thread's rows and columns.
MSC_HD void fetch(const Published& from, float (&t_row)[kTile], float (&t_col)[kTile], int ty, int tx) {
#pragma unroll
  for (int k = 0; k < kTile; ++k) t_row[k] = from.row[place_of(ty, k)];
#pragma unroll
  for (int k = 0; k < kTile; ++k) t_col[k] = from.row[place_of(tx, k)];
}

// Row `row` of the tile after the pivot with local index kPivot; `own_column`: the thread holds the pivot's column.
template <int kPivot>
MSC_HD void sweep_row(float (&tile)[kTile][kTile], int row, const float (&t_row)[kTile], const float (&t_col)[kTile], float root,
                      bool own_column) {
#pragma unroll
  for (int c = 0; c < kTile; ++c) tile[row][c] = fmaf(-t_row[row], t_col[c], tile[row][c]);
  if (own_column) tile[row][kPivot] = t_row[row] * root;
}

// The pivot's own row, by its owners.
template <int kPivot>
MSC_HD void sweep_pivot_row(float (&tile)[kTile][kTile], const float (&t_col)[kTile], float root, bool own_column) {
#pragma unroll
  for (int c = 0; c < kTile; ++c) tile[kPivot][c] = t_col[c] * root;
  if (own_column) tile[kPivot][kPivot] = -root * root;
}

// Local index of the pivot after one with local index `local`.
MSC_HD constexpr int next_local(int local, bool last_place) {
  return local % kHalf < kHalf - 1 ? local + 1 : (last_place ? kHalf : local - (kHalf - 1));
}

}  // namespace msc
