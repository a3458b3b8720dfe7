// The kernel's per-thread code run on the host, thread by thread between two barriers: tests compile this with any C++17 compiler.
#include <algorithm>
#include <vector>

#include "kron_inverse.h"

namespace msc {
namespace {

constexpr int kThreads = kSide * kSide;

struct Thread {
  float tile[kTile][kTile];
};

template <int kLocal, bool kLastPlace>
void pivot(std::vector<Thread>& threads, Published (&shared)[2], int& failed, int p, int width, int place) {
  constexpr int kNext = next_local(kLocal, kLastPlace);
  const int next_place = kLocal % kHalf < kHalf - 1 ? place : (kLastPlace ? 0 : place + 1);
  const Published now = shared[p & 1];
  for (int id = 0; id < kThreads; ++id) {
    float t_row[kTile], t_col[kTile];
    fetch(now, t_row, t_col, id / kSide, id % kSide);
    sweep_row<kLocal>(threads[id].tile, kNext, t_row, t_col, now.root, id % kSide == place);
  }
  if (p + 1 < width) {
    const float d = threads[next_place * kSide + next_place].tile[kNext][kNext];  // the shuffle
    for (int tx = 0; tx < kSide; ++tx) publish<kNext>(threads[next_place * kSide + tx].tile, shared[(p + 1) & 1], d, tx);
    if (!is_pivot(d) && failed == 0) failed = p + 2;
  }
  for (int id = 0; id < kThreads; ++id) {
    float t_row[kTile], t_col[kTile];
    fetch(now, t_row, t_col, id / kSide, id % kSide);
    for (int r = 0; r < kTile; ++r) {
      if (r != kNext) sweep_row<kLocal>(threads[id].tile, r, t_row, t_col, now.root, id % kSide == place);
    }
    if (id / kSide == place) sweep_pivot_row<kLocal>(threads[id].tile, t_col, now.root, id % kSide == place);
  }
}

template <int kGroupIndex>
void pivots_of_group(std::vector<Thread>& threads, Published (&shared)[2], int& failed, int width) {
  constexpr int kFirst = kGroupIndex * kHalf;
  for (int place = 0; place < kSide; ++place) {
    const int p = kGroupIndex * kGroup + place * kHalf;
    if (p < width) pivot<kFirst, false>(threads, shared, failed, p, width, place);
    if (p + 1 < width) pivot<kFirst + 1, false>(threads, shared, failed, p + 1, width, place);
    if (p + 2 < width) pivot<kFirst + 2, false>(threads, shared, failed, p + 2, width, place);
    if (p + 3 < width) {
      if (place + 1 < kSide) {
        pivot<kFirst + 3, false>(threads, shared, failed, p + 3, width, place);
      } else {
        pivot<kFirst + 3, true>(threads, shared, failed, p + 3, width, place);
      }
    }
  }
}

int invert(const Factor& f, int block) {
  const int width = std::min(f.m, f.n - block * f.m);
  std::vector<Thread> threads(kThreads);
  Published shared[2];
  for (int id = 0; id < kThreads; ++id) load(threads[id].tile, f, block, width, id / kSide, id % kSide);
  const float d = threads[0].tile[0][0];
  int failed = is_pivot(d) ? 0 : 1;
  for (int tx = 0; tx < kSide; ++tx) publish<0>(threads[tx].tile, shared[0], d, tx);
  pivots_of_group<0>(threads, shared, failed, width);
  pivots_of_group<1>(threads, shared, failed, width);
  if (failed == 0) {
    for (int id = 0; id < kThreads; ++id) store(threads[id].tile, f, block, width, id / kSide, id % kSide);
  }
  return failed;
}

}  // namespace
}  // namespace msc

// One factor in host memory; the arguments as of msc_damped_inverse.
extern "C" void msc_damped_inverse_host(const float* factor, float* inverse, int n, int m, float scale, float damping, float multiplier,
                                        int* info) {
  const msc::Factor f = {factor, inverse, n, m, 0, 0, scale, damping, multiplier};
  for (int block = 0; block * m < n; ++block) info[block] = msc::invert(f, block);
}
