// Devices, streams and events: everything runs at once, but who waits for whom is kept and reported as CUDA sees it.
#include "runtime.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <map>

namespace fakecuda {
namespace {

int device_count = 2;
thread_local DeviceIndex current = 0;
thread_local std::map<DeviceIndex, c10::StreamId> streams;  // absent: the default stream
std::atomic<int64_t> last_stream{0};
std::atomic<uint64_t> last_event{0};

struct Event {
  uint64_t number;  // of the last record
};

c10::Stream stream_of(DeviceIndex device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::kCUDA, device), id);
}

DeviceIndex index_of(c10::Device device) { return device.has_index() ? device.index() : current; }

std::string name_of(const c10::Stream& stream) {
  return "cuda:" + std::to_string(stream.device_index()) + " stream " + std::to_string(stream.id());
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const auto before = getDevice();
    setDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return {c10::kCUDA, current}; }
  void setDevice(c10::Device device) const override { set_current_device(device.index()); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) current = device.index();
  }
  DeviceIndex deviceCount() const noexcept override { return static_cast<DeviceIndex>(device_count); }

  c10::Stream getStream(c10::Device device) const override { return current_stream(index_of(device)); }
  c10::Stream getDefaultStream(c10::Device device) const override { return stream_of(index_of(device), 0); }
  c10::Stream getNewStream(c10::Device device, int) const override {
    return stream_of(index_of(device), ++last_stream);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getNewStream(device, 0); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const auto before = current_stream(stream.device_index());
    streams[stream.device_index()] = stream.id();
    return before;
  }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream& stream) const override {
    host_wait("sync", name_of(stream) + " synchronize");
  }
  bool isStreamCapturing(const c10::Stream& stream) const override { return is_captured(stream); }
  void* getStreamNativeHandle(const c10::Stream stream) const override { return reinterpret_cast<void*>(stream.id()); }
  void synchronizeDevice(const DeviceIndex) const override { host_wait("sync", "cuda.synchronize"); }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream& stream) const override {
    report("record_stream", name_of(stream));
  }

  void record(void** event, const c10::Stream& stream, DeviceIndex, c10::EventFlag) const override {
    if (*event == nullptr) *event = new Event;
    auto* it = static_cast<Event*>(*event);
    it->number = ++last_event;
    on_event_recorded(it->number, stream);
    report("record_event", name_of(stream));
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event == nullptr) return;
    on_event_awaited(static_cast<Event*>(event)->number, stream);
    report("wait_event", name_of(stream));
  }
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr) host_wait("sync", "event.synchronize");
  }
  void destroyEvent(void* event, DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
};

}  // namespace

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

DeviceIndex current_device() { return current; }

void set_current_device(DeviceIndex index) {
  TORCH_CHECK(index < device_count, "CUDA error: invalid device ordinal");
  if (index >= 0) current = index;
}

c10::Stream current_stream(DeviceIndex index) {
  const auto found = streams.find(index);
  return stream_of(index, found == streams.end() ? 0 : found->second);
}

}  // namespace fakecuda

extern "C" {
void fakecuda_set_device_count(int count) { fakecuda::device_count = count; }
int fakecuda_device_count() { return fakecuda::device_count; }
int fakecuda_current_device() { return fakecuda::current; }
void fakecuda_set_device(int index) { fakecuda::current = static_cast<c10::DeviceIndex>(index); }
int64_t fakecuda_current_stream(int device) {
  return fakecuda::current_stream(static_cast<c10::DeviceIndex>(device)).id();
}
void fakecuda_set_stream(int device, int64_t id) { fakecuda::streams[static_cast<c10::DeviceIndex>(device)] = id; }
}
