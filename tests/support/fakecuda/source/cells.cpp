// The recurrent cells that CUDA fuses where cuDNN does not run, made of other operators. The order of
// gates is torch's: input, forget, cell, output; reset, update, new.
#include "runtime.h"

#include <ATen/ATen.h>
#include <torch/library.h>

namespace fakecuda {
namespace {

using Optional = std::optional<Tensor>;

Tensor with_bias(const Tensor& gates, const Optional& bias) { return bias && bias->defined() ? gates + *bias : gates; }

std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx,
                                             const Optional& input_bias, const Optional& hidden_bias) {
  const auto gates = with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias);
  const auto parts = gates.chunk(4, 1);
  const auto in = parts[0].sigmoid(), forget = parts[1].sigmoid(), cell = parts[2].tanh(), out = parts[3].sigmoid();
  const auto cy = forget * cx + in * cell;
  return {out * cy.tanh(), cy, at::cat({in, forget, cell, out}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const Optional& grad_hy, const Optional& grad_cy,
                                                      const Tensor& cx, const Tensor& cy, const Tensor& workspace,
                                                      bool has_bias) {
  const auto parts = workspace.chunk(4, 1);
  const auto &in = parts[0], &forget = parts[1], &cell = parts[2], &out = parts[3];
  const auto squashed = cy.tanh();
  const auto ghy = grad_hy && grad_hy->defined() ? *grad_hy : at::zeros_like(cy);
  const auto gcy = grad_cy && grad_cy->defined() ? *grad_cy : at::zeros_like(cy);
  const auto gc = gcy + ghy * out * (1 - squashed * squashed);
  const auto gates = at::cat({gc * cell * in * (1 - in), gc * cx * forget * (1 - forget), gc * in * (1 - cell * cell),
                              ghy * squashed * out * (1 - out)},
                             1);
  return {gates, gc * forget, has_bias ? gates.sum(0) : Tensor()};
}

std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx,
                                    const Optional& input_bias, const Optional& hidden_bias) {
  const auto inputs = with_bias(input_gates, input_bias).chunk(3, 1);
  const auto hiddens = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
  const auto reset = (inputs[0] + hiddens[0]).sigmoid(), update = (inputs[1] + hiddens[1]).sigmoid();
  const auto fresh = (inputs[2] + reset * hiddens[2]).tanh();
  return {fresh + update * (hx - fresh), at::cat({reset, update, fresh, hx, hiddens[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& grad, const Tensor& workspace,
                                                                     bool has_bias) {
  const auto parts = workspace.chunk(5, 1);
  const auto &reset = parts[0], &update = parts[1], &fresh = parts[2], &hx = parts[3], &hidden = parts[4];
  const auto gz = grad * (hx - fresh) * update * (1 - update);
  const auto gn = grad * (1 - update) * (1 - fresh * fresh);
  const auto gr = gn * hidden * reset * (1 - reset);
  const auto input_gates = at::cat({gr, gz, gn}, 1), hidden_gates = at::cat({gr, gz, gn * reset}, 1);
  return {input_gates, hidden_gates, grad * update, has_bias ? input_gates.sum(0) : Tensor(),
          has_bias ? hidden_gates.sum(0) : Tensor()};
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
  m.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
  m.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
  m.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gru_cell_backward));
}

}  // namespace fakecuda
