// What the sources of the fake CUDA device share. Memory is CPU memory, kernels are the CPU's; devices, streams, checks
// and waits are as CUDA's.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/Stream.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fakecuda {

using at::Tensor;
using c10::DeviceIndex;

// devices and streams (streams.cpp); both are per thread, as in CUDA
DeviceIndex current_device();
void set_current_device(DeviceIndex index);
c10::Stream current_stream(DeviceIndex index);

class OnDevice {
 public:
  explicit OnDevice(c10::Device device) : before_(current_device()) {
    if (device.has_index()) set_current_device(device.index());
  }
  ~OnDevice() { set_current_device(before_); }
  OnDevice(const OnDevice&) = delete;

 private:
  DeviceIndex before_;
};

// memory (memory.cpp)
c10::Allocator* device_allocator();
c10::Allocator* pinned_allocator();
bool is_pinned(const void* data);

// The memory that a graph takes for as long as it lives: as much as was in use at a time while it was captured. What is
// freed in between serves later allocations of the capture; the fake device counts so, but gives each its own address.
struct Pool;
std::shared_ptr<Pool> make_pool();
void close_pool(const std::shared_ptr<Pool>& pool);  // what tensors still use becomes memory like any other
bool is_in_pool(const c10::Storage& storage, const Pool* pool);

class Uncounted {  // while it lives, this thread's allocations are in no statistics: CUDA would not make them
 public:
  Uncounted();
  ~Uncounted();
  Uncounted(const Uncounted&) = delete;
};

// generators (hooks.cpp): the CPU generator that does a CUDA generator's work
const at::Generator& default_generator(DeviceIndex index);
at::Generator cpu_generator(const at::Generator& generator);

// tensors (tensors.cpp)
Tensor empty_strided_on(DeviceIndex index, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype);
Tensor cpu_view(const Tensor& tensor);               // the same memory as a CPU tensor; others as they are
Tensor to_device(const Tensor& tensor, DeviceIndex index);  // a CPU tensor's copy on the device
Tensor unowned(const Tensor& tensor);  // the same memory without keeping it, if the graph that is captured has it

// what is reported to Python (report.cpp): kinds are listed in __init__.py
void report(const char* kind, const std::string& name);

// graphs (graph.cpp)
bool capturing();                                    // is the current stream of the current device captured?
// A call that the graph repeats when it is replayed, and the results that have no values until then.
void record(std::function<void()> call, const std::vector<Tensor>& results);
void before_write(const Tensor& tensor);             // while capturing: CUDA only records, so this is undone at the end
void host_wait(const char* kind, const std::string& name);  // report it; an error during a capture
void check_generator(const at::Generator& generator);       // an error if the graph does not know it
void on_event_recorded(uint64_t event, const c10::Stream& stream);
void on_event_awaited(uint64_t event, const c10::Stream& stream);
bool is_captured(const c10::Stream& stream);
bool any_capture();
std::shared_ptr<Pool> active_pool();                 // of the capture on the current stream, or null

}  // namespace fakecuda
