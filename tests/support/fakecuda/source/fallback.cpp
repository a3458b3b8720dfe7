// Every operator without a kernel of its own: CUDA's checks of devices, what waits for the device, then the CPU's
// kernel on the same memory.
#include "runtime.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty_strided.h>
#include <torch/library.h>

#include <functional>
#include <set>
#include <sstream>
#include <vector>

namespace fakecuda {
namespace {

using Stack = torch::jit::Stack;

std::set<std::string> without_cuda_kernel;  // operators that only the CPU has, said by Python at installation

// operators that read a value, or a size that depends on values, back to the host
const std::set<std::string> kWaits = {
    "aten::nonzero", "aten::nonzero.out", "aten::masked_select", "aten::masked_select.out", "aten::_unique",
    "aten::_unique2", "aten::unique_dim", "aten::unique_dim_consecutive", "aten::unique_consecutive", "aten::equal",
    "aten::bincount", "aten::histc", "aten::multinomial", "aten::multinomial.out", "aten::_linalg_eigh",
    "aten::_linalg_eigh.eigenvalues", "aten::linalg_eig", "aten::linalg_eig.out", "aten::_linalg_eigvals",
    "aten::linalg_eigvals.out", "aten::_linalg_svd", "aten::_linalg_svd.U", "aten::cholesky", "aten::cholesky.out",
    "aten::cholesky_inverse", "aten::cholesky_inverse.out", "aten::linalg_lstsq", "aten::linalg_lstsq.out",
    "aten::_ctc_loss.Tensor", "aten::_ctc_loss_backward.Tensor", "aten::_pack_padded_sequence"};

// operators whose kernels CUDA has for floating point numbers only
const std::set<std::string> kNoIntegers = {
    "aten::mm", "aten::mm.out", "aten::bmm", "aten::bmm.out", "aten::addmm", "aten::addmm.out", "aten::addmm_",
    "aten::baddbmm", "aten::baddbmm.out", "aten::baddbmm_", "aten::addmv", "aten::addmv.out", "aten::addmv_",
    "aten::dot", "aten::vdot", "aten::convolution"};

// lengths that CUDA's operator wants on the host
const std::set<std::string> kHostLengths = {"aten::_pack_padded_sequence", "aten::_ctc_loss.Tensor",
                                            "aten::_ctc_loss_backward.Tensor"};

std::string name_of(const c10::FunctionSchema& schema) {
  return schema.overload_name().empty() ? schema.name() : schema.name() + "." + schema.overload_name();
}

void for_each_tensor(const c10::IValue& value, const std::function<void(const Tensor&)>& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) for_each_tensor(item, visit);
  }
}

class Call {
 public:
  Call(const c10::OperatorHandle& op, Stack* stack)
      : op_(op), schema_(op.schema()), name_(name_of(schema_)), stack_(stack),
        begin_(stack->size() - schema_.arguments().size()) {}

  void run() {
    check_devices();
    check_kernel();
    report_waits();
    const bool captured = capturing();
    Stack arguments;
    if (captured) arguments = kept_arguments();
    take_placement();
    give_cpu_arguments();
    {
      const at::AutoDispatchBelowAutograd below;
      op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack_);
    }
    write_back();
    return_results();
    if (captured) keep(std::move(arguments));
  }

 private:
  c10::IValue& argument(size_t place) { return (*stack_)[begin_ + place]; }
  size_t count() const { return schema_.arguments().size(); }

  [[noreturn]] void refuse_mix(const c10::Device& first, const c10::Device& second) {
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ", first,
                " and ", second, "! (when checking arguments of ", name_, ")");
  }

  void check_devices() {
    for (size_t i = 0; i < count(); i++) {
      for_each_tensor(argument(i), [&](const Tensor& t) {
        if (!t.is_cuda()) return;
        if (index_ >= 0 && index_ != t.device().index()) refuse_mix(c10::Device(c10::kCUDA, index_), t.device());
        index_ = t.device().index();
      });
    }
    if (index_ < 0) return;
    const c10::Device here(c10::kCUDA, index_);
    for (size_t i = 0; i < count(); i++) {
      const auto& value = argument(i);
      const bool indices = value.isOptionalTensorList() && schema_.arguments()[i].name() == "indices";
      for_each_tensor(value, [&](const Tensor& t) {
        if (t.is_cuda()) return;
        if (indices && argument(0).toTensor().is_cuda()) {
          if (name_ == "aten::_index_put_impl_") host_wait("h2d", name_ + " with indices on the host");
        } else if (kHostLengths.count(name_) != 0) {
          return;
        } else if (t.dim() == 0 && !value.isTensorList()) {
          if (!t.unsafeGetTensorImpl()->is_wrapped_number()) report("mix0", name_);
        } else {
          refuse_mix(here, t.device());
        }
      });
    }
  }

  void check_kernel() {
    TORCH_CHECK_NOT_IMPLEMENTED(without_cuda_kernel.count(name_) == 0, "Could not run '", name_,
                                "' with arguments from the 'CUDA' backend.");
    if (kNoIntegers.count(name_) == 0) return;
    const auto type = argument(0).toTensor().scalar_type();
    TORCH_CHECK_NOT_IMPLEMENTED(!at::isIntegralType(type, true), "\"", schema_.name().substr(6),
                                "_cuda\" not implemented for '", type, "'");
  }

  bool by_mask() {
    if (name_ != "aten::_index_put_impl_") return false;  // index.Tensor calls nonzero itself
    bool mask = false;
    for_each_tensor(argument(1), [&](const Tensor& t) {
      mask |= t.scalar_type() == at::kBool || t.scalar_type() == at::kByte;
    });
    return mask;
  }

  void report_waits() {
    const bool counted = name_ == "aten::repeat_interleave.Tensor" && argument(1).isNone();
    if (counted || kWaits.count(name_) != 0) host_wait("sync", name_);
    if (by_mask()) host_wait("sync", name_ + " with a mask");
  }

  // device= and generator= of the call become the CPU's
  void take_placement() {
    out_index_ = index_ >= 0 ? index_ : current_device();
    for (size_t i = 0; i < count(); i++) {
      auto& value = argument(i);
      if (value.isDevice()) {
        const auto device = value.toDevice();
        results_stay_ = !device.is_cuda();
        if (device.is_cuda()) out_index_ = device.has_index() ? device.index() : current_device();
        value = c10::IValue(c10::Device(c10::kCPU));
      } else if (value.isGenerator()) {
        take_generator(value, value.toGenerator());
      } else if (value.isNone() && schema_.arguments()[i].name() == "generator") {
        take_generator(value, default_generator(out_index_));
      }
    }
  }

  void take_generator(c10::IValue& value, const at::Generator& generator) {
    TORCH_CHECK(generator.device().is_cuda(), "Expected a 'cuda' device type for generator but found 'cpu'");
    if (capturing()) check_generator(generator);
    value = c10::IValue(cpu_generator(generator));
  }

  Tensor on_cpu(const Tensor& t) {
    if (!t.defined() || !t.is_cuda()) return t;
    for (const auto& [view, original] : views_) {
      if (original.is_same(t)) return view;
    }
    views_.emplace_back(cpu_view(t), t);
    return views_.back().first;
  }

  // `out=` may be resized by the kernel, which a view of foreign memory cannot
  Tensor resizable(const Tensor& t) {
    if (!t.defined() || !t.is_cuda()) return t;
    const at::AutoDispatchBelowAutograd below;
    auto own = at::empty_strided(t.sizes(), t.strides(), at::TensorOptions().dtype(t.scalar_type()).device(at::kCPU));
    if (t.numel() != 0) own.copy_(cpu_view(t));
    views_.emplace_back(own, t);
    outs_.emplace_back(own, t);
    return own;
  }

  void give_cpu_arguments() {
    for (size_t i = 0; i < count(); i++) {
      auto& value = argument(i);
      if (value.isTensor()) {
        const auto t = value.toTensor();
        value = c10::IValue(schema_.arguments()[i].is_out() ? resizable(t) : on_cpu(t));
      } else if (value.isTensorList()) {
        c10::List<Tensor> items;
        for (const auto& t : value.toTensorVector()) items.push_back(on_cpu(t));
        value = c10::IValue(items);
      } else if (value.isOptionalTensorList()) {
        c10::List<std::optional<Tensor>> items;
        for (const auto& t : value.toOptionalTensorVector()) {
          items.push_back(t ? std::optional(on_cpu(*t)) : std::nullopt);
        }
        value = c10::IValue(items);
      }
    }
  }

  void write_back() {
    const at::AutoDispatchBelowAutograd below;
    for (const auto& [own, original] : outs_) {
      if (!own.sizes().equals(original.sizes())) {
        auto* tensor = original.unsafeGetTensorImpl();
        const auto end = (static_cast<size_t>(original.storage_offset() + own.numel())) * own.element_size();
        if (original.numel() == 0 && own.is_contiguous() && end <= original.storage().nbytes()) {  // a view of more
          tensor->set_sizes_contiguous(own.sizes());
          cpu_view(original).copy_(own);
          continue;
        }
        const auto fresh = to_device(own, original.device().index());
        tensor->set_storage_and_dtype(fresh.storage(), fresh.dtype());
        tensor->set_sizes_and_strides(fresh.sizes(), fresh.strides(), fresh.storage_offset());
      } else if (own.numel() != 0) {
        cpu_view(original).copy_(own);
      }
    }
  }

  Tensor on_device(const Tensor& t) {
    if (!t.defined()) return t;
    for (const auto& [view, original] : views_) {
      if (view.is_same(t)) return original;
    }
    return results_stay_ ? t : to_device(t, out_index_);
  }

  void return_results() {
    for (size_t i = stack_->size() - schema_.returns().size(); i < stack_->size(); i++) {
      auto& value = (*stack_)[i];
      if (value.isTensor()) {
        value = c10::IValue(on_device(value.toTensor()));
      } else if (value.isTensorList()) {
        c10::List<Tensor> items;
        for (const auto& t : value.toTensorVector()) items.push_back(on_device(t));
        value = c10::IValue(items);
      }
    }
  }

  // numbers from the host are constants in a graph
  Stack kept_arguments() {
    Stack kept(stack_->begin() + static_cast<std::ptrdiff_t>(begin_), stack_->end());
    const at::AutoDispatchBelowAutograd below;
    for (size_t i = 0; i < count(); i++) {
      const auto& declared = schema_.arguments()[i];
      const auto* alias = declared.alias_info();
      const bool is_average = declared.name().rfind("running_", 0) == 0;  // which batch norm's schema does not say
      if (is_average || (alias != nullptr && alias->isWrite())) for_each_tensor(argument(i), &before_write);
    }
    for (auto& value : kept) {
      const bool on_host = value.isTensor() && value.toTensor().defined() && !value.toTensor().is_cuda();
      if (on_host) value = value.toTensor().clone();
    }
    return kept;
  }

  void keep(Stack arguments);

  const c10::OperatorHandle& op_;
  const c10::FunctionSchema& schema_;
  const std::string name_;
  Stack* stack_;
  const size_t begin_;
  DeviceIndex index_ = -1;          // of the tensors
  DeviceIndex out_index_ = -1;      // of the results
  bool results_stay_ = false;       // on the CPU, as device= says
  std::vector<std::pair<Tensor, Tensor>> views_;  // (CPU tensor, the device's)
  std::vector<std::pair<Tensor, Tensor>> outs_;
};

void fallback(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) { Call(op, stack).run(); }

std::vector<Tensor> tensors_of(const Stack& values) {
  std::vector<Tensor> found;
  for (const auto& value : values) for_each_tensor(value, [&](const Tensor& t) { found.push_back(t); });
  return found;
}

// A value with its tensors replaced by `unowned` ones.
c10::IValue unowned_value(const c10::IValue& value) {
  if (value.isTensor()) return c10::IValue(unowned(value.toTensor()));
  if (value.isTensorList()) {
    c10::List<Tensor> items;
    for (const auto& t : value.toTensorVector()) items.push_back(unowned(t));
    return c10::IValue(items);
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<Tensor>> items;
    for (const auto& t : value.toOptionalTensorVector()) items.push_back(t ? std::optional(unowned(*t)) : std::nullopt);
    return c10::IValue(items);
  }
  return value;
}

void Call::keep(Stack arguments) {
  const Stack results(stack_->end() - static_cast<std::ptrdiff_t>(schema_.returns().size()), stack_->end());
  const auto made = tensors_of(results);
  for (auto& value : arguments) value = unowned_value(value);
  std::vector<Tensor> kept;
  for (const auto& result : made) kept.push_back(unowned(result));
  auto repeat = [op = op_, arguments = std::move(arguments), kept = std::move(kept)] {
    Stack stack = arguments;
    Call(op, &stack).run();
    const auto fresh = tensors_of(stack);
    const at::AutoDispatchBelowAutograd below;
    for (size_t i = 0; i < kept.size(); i++) {
      if (!kept[i].is_same(fresh[i]) && kept[i].numel() != 0) cpu_view(kept[i]).copy_(cpu_view(fresh[i]));
    }
  };
  record(std::move(repeat), made);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, CUDA, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>()); }

// above the device torch would choose a library (cuDNN, MKL) for these
TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("convolution", torch::CppFunction::makeFromBoxedFunction<&fallback>());
  m.impl("convolution_backward", torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

}  // namespace fakecuda

extern "C" void fakecuda_without_kernel(const char* lines) {
  std::istringstream names(lines);
  for (std::string name; std::getline(names, name);) fakecuda::without_cuda_kernel.insert(name);
}
