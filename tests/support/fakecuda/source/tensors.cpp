// Kernels that make, view and copy the device's tensors; all others go through fallback.cpp.
#include "runtime.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <cstring>

namespace fakecuda {

Tensor empty_strided_on(DeviceIndex index, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype) {
  const OnDevice here(c10::Device(c10::kCUDA, index));
  const c10::DispatchKeySet keys(c10::DispatchKey::CUDA);
  return at::detail::empty_strided_generic(sizes, strides, device_allocator(), keys, dtype);
}

Tensor cpu_view(const Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda()) return tensor;
  TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, "the fake CUDA device has no sparse tensors");
  const at::AutoDispatchBelowAutograd below;
  const auto options = at::TensorOptions().dtype(tensor.scalar_type()).device(at::kCPU);
  if (tensor.numel() == 0) return at::empty_strided(tensor.sizes(), tensor.strides(), options);
  auto* start = static_cast<char*>(tensor.storage().mutable_data()) + tensor.storage_offset() * tensor.itemsize();
  auto view = at::from_blob(start, tensor.sizes(), tensor.strides(), [tensor](void*) {}, options, at::Device(at::kCPU));
  view._set_conj(tensor.is_conj());
  view._set_neg(tensor.is_neg());
  return view;
}

Tensor to_device(const Tensor& tensor, DeviceIndex index) {
  if (!tensor.defined() || tensor.is_cuda()) return tensor;
  auto copy = empty_strided_on(index, tensor.sizes(), tensor.strides(), tensor.scalar_type());
  copy._set_conj(tensor.is_conj());
  copy._set_neg(tensor.is_neg());
  const at::AutoDispatchBelowAutograd below;
  cpu_view(copy).copy_(tensor);
  return copy;
}

Tensor unowned(const Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda() || !is_in_pool(tensor.storage(), active_pool().get())) return tensor;
  const auto& storage = tensor.storage();
  c10::Storage alias(c10::Storage::use_byte_size_t(), storage.nbytes(),
                     c10::DataPtr(storage.mutable_data(), tensor.device()), device_allocator(), false);
  const c10::DispatchKeySet keys(c10::DispatchKey::CUDA);
  auto same = at::detail::make_tensor<c10::TensorImpl>(std::move(alias), keys, tensor.dtype());
  same.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  same._set_conj(tensor.is_conj());
  same._set_neg(tensor.is_neg());
  return same;
}

namespace {

using OptionalDevice = std::optional<at::Device>;
using OptionalType = std::optional<at::ScalarType>;
using OptionalLayout = std::optional<at::Layout>;
using OptionalFormat = std::optional<at::MemoryFormat>;

DeviceIndex index_of(const OptionalDevice& device) {
  return device && device->has_index() ? device->index() : current_device();
}

at::ScalarType type_of(const OptionalType& dtype) {
  return dtype.value_or(at::typeMetaToScalarType(at::get_default_dtype()));
}

Tensor empty(at::IntArrayRef sizes, OptionalType dtype, OptionalLayout, OptionalDevice device, std::optional<bool> pin,
             OptionalFormat format) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  const OnDevice here(c10::Device(c10::kCUDA, index_of(device)));
  const c10::DispatchKeySet keys(c10::DispatchKey::CUDA);
  return at::detail::empty_generic(sizes, device_allocator(), keys, type_of(dtype), format);
}

Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, OptionalType dtype, OptionalLayout,
                     OptionalDevice device, std::optional<bool>) {
  return empty_strided_on(index_of(device), sizes, strides, type_of(dtype));
}

Tensor as_strided(const Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, sizes, strides, offset);
}

Tensor view(const Tensor& self, c10::SymIntArrayRef sizes) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(sizes));
}

Tensor reshape_alias(const Tensor& self, c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(sizes), C10_AS_INTARRAYREF_SLOW(strides));
}

const Tensor& resize_(const Tensor& self, at::IntArrayRef sizes, OptionalFormat format) {
  const size_t needed = at::detail::computeStorageNbytesContiguous(sizes, self.itemsize(), self.storage_offset());
  const auto& storage = self.storage();
  if (storage.nbytes() < needed) {
    const OnDevice here(self.device());
    auto memory = device_allocator()->allocate(needed);
    if (storage.nbytes() != 0) std::memcpy(memory.get(), storage.data(), storage.nbytes());
    storage.set_data_ptr_noswap(std::move(memory));
    storage.set_nbytes(needed);
  }
  self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  if (format) self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  return self;
}

Tensor& set_storage(Tensor& self, at::Storage storage, int64_t offset, at::IntArrayRef sizes, at::IntArrayRef strides) {
  const bool contiguous = strides.empty() && !sizes.empty();
  const auto steps = contiguous ? c10::contiguous_strides(sizes) : c10::DimVector(strides);
  self.unsafeGetTensorImpl()->set_storage_and_dtype(std::move(storage), self.dtype());
  self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, steps, offset);
  return self;
}

Tensor& set_whole_storage(Tensor& self, at::Storage storage) {
  const auto count = static_cast<int64_t>(storage.nbytes() / self.itemsize());
  return set_storage(self, std::move(storage), 0, {count}, {});
}

Tensor& set_nothing(Tensor& self) {
  const OnDevice here(self.device());
  return set_whole_storage(self, at::Storage(at::Storage::use_byte_size_t(), 0, device_allocator(), true));
}

Tensor& set_tensor(Tensor& self, const Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

bool in_pinned_memory(const Tensor& tensor) { return is_pinned(tensor.storage().data()); }

// A copy that does not wait needs pinned memory on the host's side; without, it waits whatever was asked.
void report_copy(const Tensor& to, const Tensor& from, bool non_blocking) {
  if (to.is_cuda() && from.is_cuda()) {
    if (to.device() != from.device()) report("d2d", "copy_");
    return;
  }
  const bool waits = !non_blocking || !in_pinned_memory(to.is_cuda() ? from : to);
  const auto kind = std::string(to.is_cuda() ? "h2d" : "d2h") + (waits ? "" : "_nb");
  const std::string name = non_blocking && waits ? "copy_ (non_blocking, but not pinned)" : "copy_";
  waits ? host_wait(kind.c_str(), name) : report(kind.c_str(), name);
}

void copy_memory(const Tensor& to, const Tensor& from) {
  const at::AutoDispatchBelowAutograd below;
  cpu_view(to).copy_(cpu_view(from));
}

Tensor& copy_(Tensor& self, const Tensor& source, bool non_blocking) {
  if (self.numel() == 0) return self;
  report_copy(self, source, non_blocking);
  before_write(self);
  copy_memory(self, source);
  if (capturing()) record([to = unowned(self), from = unowned(source)] { copy_memory(to, from); }, {});
  return self;
}

at::Scalar local_scalar_dense(const Tensor& self) {
  host_wait("sync", "aten::item");
  return cpu_view(self).item();
}

void record_stream(Tensor&, c10::Stream stream) { report("record_stream", "stream " + std::to_string(stream.id())); }

Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& mask,
                 double dropout, bool causal, std::optional<double> scale, bool grouped) {
  const auto found = at::_scaled_dot_product_attention_math(query, key, value, mask, dropout, causal, std::nullopt,
                                                            scale, grouped);
  return std::get<0>(found);
}

bool no_cudnn_ctc(const Tensor&, const Tensor&, at::IntArrayRef, at::IntArrayRef, int64_t) { return false; }
bool no_cudnn_ctc_tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&, int64_t) { return false; }

}  // namespace

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("empty.memory_format", TORCH_FN(empty));
  m.impl("empty_strided", TORCH_FN(empty_strided));
  m.impl("as_strided", TORCH_FN(as_strided));
  m.impl("view", TORCH_FN(view));
  m.impl("_reshape_alias", TORCH_FN(reshape_alias));
  m.impl("unfold", TORCH_FN(at::native::unfold));
  m.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  m.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
  m.impl("resize_", TORCH_FN(resize_));
  m.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
  m.impl("set_.source_Storage", TORCH_FN(set_whole_storage));
  m.impl("set_", TORCH_FN(set_nothing));
  m.impl("set_.source_Tensor", TORCH_FN(set_tensor));
  m.impl("copy_", TORCH_FN(copy_));
  m.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
  m.impl("record_stream", TORCH_FN(record_stream));
  m.impl("scaled_dot_product_attention", TORCH_FN(attention));
  m.impl("_use_cudnn_ctc_loss", TORCH_FN(no_cudnn_ctc));
  m.impl("_use_cudnn_ctc_loss.Tensor", TORCH_FN(no_cudnn_ctc_tensor));
  m.impl("_use_miopen_ctc_loss", TORCH_FN(no_cudnn_ctc));
  m.impl("_use_miopen_ctc_loss.Tensor", TORCH_FN(no_cudnn_ctc_tensor));
}

// torch chooses between CUDA's fused kernels above the device; here there is one way
TORCH_LIBRARY_IMPL(aten, AutogradCUDA, m) { m.impl("scaled_dot_product_attention", TORCH_FN(attention)); }

}  // namespace fakecuda
