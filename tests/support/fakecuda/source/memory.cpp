// Device memory with CUDA's statistics, and pinned host memory.
#include "runtime.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace fakecuda {
namespace {

constexpr size_t kBlock = 512;  // CUDA's caching allocator rounds up to this
constexpr int kMostDevices = 16;

struct Statistics {
  int64_t bytes, peak_bytes, all_bytes, blocks, peak_blocks, all_blocks;
};

std::mutex mutex;
std::array<Statistics, kMostDevices> statistics{};
std::map<const char*, size_t> pinned;  // start -> length

void* aligned(size_t bytes) {
  void* memory = nullptr;
  TORCH_CHECK(posix_memalign(&memory, kBlock, bytes) == 0, "CUDA out of memory: ", bytes, " bytes");
  return memory;
}

}  // namespace

struct Pool {
  std::array<int64_t, kMostDevices> used{}, held{};
  std::vector<void*> freed;
  bool is_closed = false;
};

namespace {

struct Block {
  void* memory;
  size_t bytes;
  DeviceIndex device;
  std::shared_ptr<Pool> pool;
};

thread_local int uncounted = 0;

void take(DeviceIndex device, int64_t bytes) {
  auto& counts = statistics[device];
  counts.bytes += bytes;
  counts.all_bytes += bytes;
  counts.peak_bytes = std::max(counts.peak_bytes, counts.bytes);
}

void free_block(void* context) {
  const std::unique_ptr<Block> block(static_cast<Block*>(context));
  std::lock_guard<std::mutex> lock(mutex);
  if (block->bytes != 0) statistics[block->device].blocks -= 1;
  if (block->pool != nullptr && !block->pool->is_closed) {
    block->pool->used[block->device] -= block->bytes;
    block->pool->freed.push_back(block->memory);
    return;
  }
  statistics[block->device].bytes -= block->bytes;
  std::free(block->memory);
}

struct DeviceAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device device(c10::kCUDA, current_device());
    if (bytes == 0) return {nullptr, nullptr, &free_block, device};
    const size_t rounded = (bytes + kBlock - 1) / kBlock * kBlock;
    void* memory = aligned(rounded);
    std::memset(memory, 0x7f, rounded);  // never zeros by luck
    if (uncounted != 0) return {memory, new Block{memory, 0, device.index(), nullptr}, &free_block, device};
    const auto pool = active_pool();
    std::lock_guard<std::mutex> lock(mutex);
    if (pool != nullptr) {
      auto& used = pool->used[device.index()];
      auto& held = pool->held[device.index()];
      used += static_cast<int64_t>(rounded);
      take(device.index(), std::max<int64_t>(used - held, 0));
      held = std::max(used, held);
    } else {
      take(device.index(), static_cast<int64_t>(rounded));
    }
    auto& counts = statistics[device.index()];
    counts.blocks += 1;
    counts.all_blocks += 1;
    counts.peak_blocks = std::max(counts.peak_blocks, counts.blocks);
    return {memory, new Block{memory, rounded, device.index(), pool}, &free_block, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }
};

void free_pinned(void* memory) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    pinned.erase(static_cast<char*>(memory));
  }
  std::free(memory);
}

struct PinnedAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    report("pin", "pin_memory");
    void* memory = aligned(bytes);
    std::lock_guard<std::mutex> lock(mutex);
    pinned[static_cast<char*>(memory)] = bytes;
    return {memory, memory, &free_pinned, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }
};

DeviceAllocator on_device;
PinnedAllocator in_pinned_memory;

}  // namespace

REGISTER_ALLOCATOR(c10::kCUDA, &on_device)

Uncounted::Uncounted() { uncounted++; }
Uncounted::~Uncounted() { uncounted--; }

std::shared_ptr<Pool> make_pool() { return std::make_shared<Pool>(); }

void close_pool(const std::shared_ptr<Pool>& pool) {
  if (pool == nullptr) return;
  std::lock_guard<std::mutex> lock(mutex);
  if (pool->is_closed) return;
  pool->is_closed = true;
  for (size_t i = 0; i < kMostDevices; i++) statistics[i].bytes -= pool->held[i] - pool->used[i];
  for (void* memory : pool->freed) std::free(memory);
  pool->freed.clear();
}

bool is_in_pool(const c10::Storage& storage, const Pool* pool) {
  const auto& memory = storage.data_ptr();
  if (pool == nullptr || memory.get_deleter() != &free_block || memory.get_context() == nullptr) return false;
  return static_cast<const Block*>(memory.get_context())->pool.get() == pool;
}

c10::Allocator* device_allocator() { return &on_device; }
c10::Allocator* pinned_allocator() { return &in_pinned_memory; }

bool is_pinned(const void* data) {
  std::lock_guard<std::mutex> lock(mutex);
  auto after = pinned.upper_bound(static_cast<const char*>(data));
  if (after == pinned.begin()) return false;
  const auto& [start, bytes] = *std::prev(after);
  return static_cast<const char*>(data) < start + bytes;
}

}  // namespace fakecuda

// For Python, through ctypes.
extern "C" {

// six counts: bytes, peak, ever; blocks, peak, ever
void fakecuda_memory(int device, int64_t* counts) {
  std::lock_guard<std::mutex> lock(fakecuda::mutex);
  std::memcpy(counts, &fakecuda::statistics[device], sizeof(fakecuda::Statistics));
}

void fakecuda_reset_peaks(int device) {
  std::lock_guard<std::mutex> lock(fakecuda::mutex);
  auto& counts = fakecuda::statistics[device];
  counts.peak_bytes = counts.bytes;
  counts.peak_blocks = counts.blocks;
}

void fakecuda_host_register(void* memory, size_t bytes) {
  std::lock_guard<std::mutex> lock(fakecuda::mutex);
  fakecuda::pinned[static_cast<char*>(memory)] = bytes;
}

int fakecuda_host_unregister(void* memory) {
  std::lock_guard<std::mutex> lock(fakecuda::mutex);
  return static_cast<int>(fakecuda::pinned.erase(static_cast<char*>(memory)));
}
}
