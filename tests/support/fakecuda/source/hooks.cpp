// What torch asks of CUDA at large: is it there, its generators, pinned memory.
#include "runtime.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <cstring>
#include <mutex>
#include <vector>

extern "C" int fakecuda_device_count();

namespace fakecuda {
namespace {

constexpr uint64_t kSeed = 67280421310721ull;  // torch's own

struct Generator final : c10::GeneratorImpl {
  explicit Generator(DeviceIndex index, at::Generator numbers = at::detail::createCPUGenerator(kSeed))
      : c10::GeneratorImpl(c10::Device(c10::kCUDA, index), c10::DispatchKeySet(c10::DispatchKey::CUDA)),
        numbers(std::move(numbers)) {}

  void set_current_seed(uint64_t seed) override { numbers.set_current_seed(seed); }
  uint64_t current_seed() const override { return numbers.current_seed(); }
  uint64_t seed() override { return numbers.seed(); }
  void set_offset(uint64_t) override { TORCH_CHECK(false, "the fake CUDA device's generators have no offset"); }
  uint64_t get_offset() const override { return 0; }
  void set_state(const c10::TensorImpl& state) override { numbers.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return numbers.unsafeGetGeneratorImpl()->get_state();
  }
  Generator* clone_impl() const override { return new Generator(device().index(), numbers.clone()); }

  at::Generator numbers;
};

bool next_is_default = false;  // how Python gets at the default generators

DeviceIndex index_or_current(DeviceIndex index) { return index < 0 ? current_device() : index; }

struct CUDAHooks final : at::CUDAHooksInterface {
  explicit CUDAHooks(at::CUDAHooksArgs) {}
  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasCUDA() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  const at::Generator& getDefaultGenerator(DeviceIndex index) const override { return default_generator(index); }
  at::Generator getNewGenerator(DeviceIndex index) const override {
    if (next_is_default) return default_generator(index);
    return at::make_generator<Generator>(index_or_current(index));
  }
  at::Device getDeviceFromPtr(void*) const override { return {c10::kCUDA, current_device()}; }
  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  at::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  at::Allocator* getCUDADeviceAllocator() const override { return device_allocator(); }
  DeviceIndex deviceCount() const override { return static_cast<DeviceIndex>(fakecuda_device_count()); }
  int getNumGPUs() const override { return fakecuda_device_count(); }
  DeviceIndex current_device() const override { return fakecuda::current_device(); }
  DeviceIndex getCurrentDevice() const override { return fakecuda::current_device(); }
  void setCurrentDevice(DeviceIndex index) const override { set_current_device(index); }
  DeviceIndex exchangeDevice(DeviceIndex index) const override {
    const auto before = fakecuda::current_device();
    set_current_device(index);
    return before;
  }
  DeviceIndex maybeExchangeDevice(DeviceIndex index) const override { return exchangeDevice(index); }
  void deviceSynchronize(DeviceIndex) const override { host_wait("sync", "cuda.synchronize"); }
};

}  // namespace

const at::Generator& default_generator(DeviceIndex index) {
  static std::mutex mutex;
  static std::vector<at::Generator> generators(16);
  std::lock_guard<std::mutex> lock(mutex);
  auto& found = generators.at(index_or_current(index));
  if (!found.defined()) found = at::make_generator<Generator>(index_or_current(index));
  return found;
}

at::Generator cpu_generator(const at::Generator& generator) {
  return static_cast<Generator*>(generator.unsafeGetGeneratorImpl())->numbers;
}

}  // namespace fakecuda

extern "C" {

// torch made its hooks when it was imported and keeps them. They have no data, so ours can take their place by their
// table of virtual functions.
void fakecuda_take_hooks() {
  static const fakecuda::CUDAHooks ours{at::CUDAHooksArgs()};
  static_assert(sizeof(fakecuda::CUDAHooks) == sizeof(at::CUDAHooksInterface));
  auto* theirs = const_cast<at::CUDAHooksInterface*>(&at::detail::getCUDAHooks());
  std::memcpy(static_cast<void*>(theirs), static_cast<const void*>(&ours), sizeof(void*));
}

void fakecuda_next_generator_is_default(int yes) { fakecuda::next_is_default = yes != 0; }
}
