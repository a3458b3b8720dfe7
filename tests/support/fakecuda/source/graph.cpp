// CUDA graphs: a capture keeps every call on the device together with its tensors, a replay computes it again into the
// same memory. What CUDA refuses during a capture is an error here as well.
#include "runtime.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/library.h>

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

extern "C" int fakecuda_device_count();

namespace fakecuda {
namespace {

using StreamKey = std::pair<DeviceIndex, c10::StreamId>;

struct Graph {
  std::vector<std::function<void()>> calls;
  std::set<const c10::GeneratorImpl*> generators;  // those registered beside the default ones
  StreamKey origin;
  std::set<StreamKey> streams;   // those whose work is captured: the origin, and who waits for captured work
  std::set<StreamKey> unjoined;  // those that the origin has not waited for
  std::map<uint64_t, StreamKey> events;
  bool failed = false;
  std::shared_ptr<Pool> pool;

  // what the capture changed in passing: CUDA records and computes nothing
  struct Memory {
    c10::Storage storage;
    std::vector<char> bytes;
  };
  std::map<const void*, Memory> written;
  struct Made {
    char* start;
    size_t bytes;
    c10::Storage storage;  // none of memory in the pool, which the graph keeps anyway
  };
  std::vector<Made> made;
  std::vector<at::Tensor> random_states;
  at::Tensor cpu_random_state;  // from which operators draw that take no generator
};

std::recursive_mutex mutex;
std::map<int, Graph> graphs;
Graph* active = nullptr;
int last_graph = 0;
std::string last_error;

StreamKey key_of(const c10::Stream& stream) { return {stream.device_index(), stream.id()}; }

// Everything as before the capture; what it made has no values until the first replay.
void undo(Graph& graph) {
  for (auto& item : graph.made) {
    if (graph.written.count(item.start) == 0 && item.bytes != 0) std::memset(item.start, 0x7f, item.bytes);
  }
  for (auto& [start, memory] : graph.written) {
    std::memcpy(memory.storage.mutable_data(), memory.bytes.data(), memory.bytes.size());
  }
  graph.written.clear();
  graph.made.clear();
  for (size_t i = 0; i < graph.random_states.size(); i++) {
    auto generator = default_generator(static_cast<DeviceIndex>(i));
    generator.set_state(graph.random_states[i]);
  }
  if (graph.cpu_random_state.defined()) {
    at::Generator on_cpu = at::detail::getDefaultCPUGenerator();
    on_cpu.set_state(graph.cpu_random_state);
    graph.cpu_random_state.reset();
  }
  graph.random_states.clear();
}

const char* error(std::string text) {
  last_error = std::move(text);
  return last_error.c_str();
}

}  // namespace

bool is_captured(const c10::Stream& stream) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return active != nullptr && active->streams.count(key_of(stream)) != 0;
}

bool any_capture() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return active != nullptr;
}

bool capturing() { return is_captured(current_stream(current_device())); }

std::shared_ptr<Pool> active_pool() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return active != nullptr && capturing() ? active->pool : nullptr;
}

void before_write(const Tensor& tensor) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  const auto& storage = tensor.storage();
  if (!capturing() || storage.nbytes() == 0 || active->written.count(storage.data()) != 0) return;
  if (is_in_pool(storage, active->pool.get())) return;  // without values until the first replay
  const auto* start = static_cast<const char*>(storage.data());
  active->written[start] = {storage, std::vector<char>(start, start + storage.nbytes())};
}

void record(std::function<void()> call, const std::vector<Tensor>& results) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  TORCH_CHECK(!active->failed, "CUDA error: operation failed due to a previous error during capture");
  const auto stream = key_of(current_stream(current_device()));
  if (stream != active->origin) active->unjoined.insert(stream);
  active->calls.push_back(std::move(call));
  for (const auto& result : results) {
    const auto& storage = result.storage();
    const bool is_kept = is_in_pool(storage, active->pool.get());
    auto* start = static_cast<char*>(storage.mutable_data());
    active->made.push_back({start, storage.nbytes(), is_kept ? c10::Storage() : storage});
  }
}

void host_wait(const char* kind, const std::string& name) {
  report(kind, name);
  std::lock_guard<std::recursive_mutex> lock(mutex);
  const bool everywhere = name == "cuda.synchronize";
  if (active == nullptr || !(everywhere || capturing())) return;
  active->failed = true;
  TORCH_CHECK(false, "CUDA error: operation not permitted when stream is capturing (", kind, " of ", name, ")");
}

void check_generator(const at::Generator& generator) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  const auto* own = generator.unsafeGetGeneratorImpl();
  const bool is_default = own == default_generator(generator.device().index()).unsafeGetGeneratorImpl();
  TORCH_CHECK(is_default || active->generators.count(own) != 0,
              "Attempt to increase offset for a CUDA generator not in capture mode.");
}

void on_event_recorded(uint64_t event, const c10::Stream& stream) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (is_captured(stream)) active->events[event] = key_of(stream);
}

void on_event_awaited(uint64_t event, const c10::Stream& stream) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (active == nullptr) return;
  const auto found = active->events.find(event);
  const auto waiting = key_of(stream);
  if (found == active->events.end()) {
    if (is_captured(stream)) {  // CUDA: "dependency created on uncaptured work in another stream"
      active->failed = true;
      TORCH_CHECK(false, "CUDA error: dependency created on uncaptured work in another stream");
    }
    return;
  }
  if (found->second == waiting) return;
  active->unjoined.erase(found->second);
  if (active->streams.insert(waiting).second && waiting != active->origin) active->unjoined.insert(waiting);
}

namespace {

void register_generator(int64_t graph, const std::optional<at::Generator>& generator) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  graphs.at(static_cast<int>(graph)).generators.insert(generator->unsafeGetGeneratorImpl());
}

}  // namespace

TORCH_LIBRARY(fakecuda, library) {
  library.def("register_generator(int graph, Generator? generator) -> ()", &register_generator);
}

}  // namespace fakecuda

// For Python, through ctypes: no exception may leave these, so they return a text, or null where all is well.
extern "C" {

int fakecuda_graph_new() {
  std::lock_guard<std::recursive_mutex> lock(fakecuda::mutex);
  fakecuda::graphs[++fakecuda::last_graph];
  return fakecuda::last_graph;
}

const char* fakecuda_graph_begin(int handle) {
  using namespace fakecuda;
  std::lock_guard<std::recursive_mutex> lock(mutex);
  const auto stream = key_of(current_stream(current_device()));
  auto& graph = graphs[handle];
  if (active != nullptr) return error("CUDA error: operation not permitted: another capture is underway");
  if (stream.second == 0) {
    return error("CUDA graphs must be captured on a non-default stream. "
                 "(However, after capture, it's ok to replay them on the default stream.)");
  }
  if (!graph.calls.empty()) return error("This CUDAGraph instance already owns a captured graph. Reset it first.");
  graph.origin = stream;
  graph.streams = {stream};
  graph.unjoined.clear();
  graph.events.clear();
  graph.failed = false;
  for (DeviceIndex i = 0; i < static_cast<DeviceIndex>(fakecuda_device_count()); i++) {
    graph.random_states.push_back(default_generator(i).get_state());
  }
  graph.cpu_random_state = at::detail::getDefaultCPUGenerator().get_state();
  graph.pool = make_pool();
  active = &graph;
  return nullptr;
}

const char* fakecuda_graph_end(int handle) {
  using namespace fakecuda;
  std::lock_guard<std::recursive_mutex> lock(mutex);
  auto& graph = graphs[handle];
  if (active != &graph) return error("CUDA error: this graph is not being captured");
  active = nullptr;
  undo(graph);
  const char* problem = nullptr;
  if (key_of(current_stream(current_device())) != graph.origin) {
    problem = error("Capture must end on the same stream it began on.");
  } else if (graph.failed) {
    problem = error("CUDA error: operation failed due to a previous error during capture");
  } else if (!graph.unjoined.empty()) {
    problem = error("CUDA error: capturing stream has unjoined work");
  }
  if (problem != nullptr) {
    graph.calls.clear();
    close_pool(graph.pool);
  }
  return problem;
}

const char* fakecuda_graph_replay(int handle) {
  using namespace fakecuda;
  const Uncounted replay;
  try {
    for (const auto& call : graphs[handle].calls) call();
  } catch (const c10::Error& problem) {
    return error(problem.what_without_backtrace());
  }
  return nullptr;
}

const char* fakecuda_synchronize() {
  try {
    fakecuda::host_wait("sync", "cuda.synchronize");
  } catch (const c10::Error& problem) {
    return fakecuda::error(problem.what_without_backtrace());
  }
  return nullptr;
}

int fakecuda_graph_size(int handle) { return static_cast<int>(fakecuda::graphs[handle].calls.size()); }
void fakecuda_graph_reset(int handle) {
  fakecuda::graphs[handle].calls.clear();
  fakecuda::close_pool(fakecuda::graphs[handle].pool);
}
int fakecuda_capturing() { return fakecuda::capturing() ? 1 : 0; }

void fakecuda_graph_delete(int handle) {
  std::lock_guard<std::recursive_mutex> lock(fakecuda::mutex);
  if (fakecuda::active == &fakecuda::graphs[handle]) fakecuda::active = nullptr;
  fakecuda::graphs[handle].calls.clear();
  fakecuda::close_pool(fakecuda::graphs[handle].pool);
  fakecuda::graphs.erase(handle);
}
}
