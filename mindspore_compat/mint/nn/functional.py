"""``mindspore.mint.nn.functional``: torch's functions under MindSpore's signatures."""

from __future__ import annotations

from typing import Any

import torch
from torch._C import _nn
from torch.nn import functional

from mindspore_compat.mint._declare import functions
from mindspore_compat.mint.nn import _adapted

ROWS = """
    adaptive_avg_pool1d(input, output_size)
    adaptive_avg_pool2d(input, output_size)
    adaptive_avg_pool3d(input, output_size)
    adaptive_max_pool1d(input, output_size, return_indices=False)
    adaptive_max_pool2d(input, output_size, return_indices=False)
    avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)
    avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, \
        divisor_override=None)
    avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, \
        divisor_override=None)
    batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)
    binary_cross_entropy(input, target, weight=None, reduction="mean")
    binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None)
    conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)
    cosine_embedding_loss(input1, input2, target, margin=0.0, | reduction="mean")
    cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0)
    dropout(input, p=0.5, training=True, inplace=False)
    dropout2d(input, p=0.5, training=True, inplace=False)
    elu(input, alpha=1.0, inplace=False)
    elu_(input, alpha=1.0)
    embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False)
    flatten(input, start_dim=0, end_dim=-1)
    fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)
    gelu(input, *, approximate="none")
    glu(input, dim=-1)
    grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None)
    group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)
    hardshrink(input, lambd=0.5)
    hardsigmoid(input)
    hardswish(input)
    hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False)
    hardtanh_(input, min_val=-1, max_val=1)
    interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None)
    kl_div(input, target, | reduction="mean", log_target=False)
    l1_loss(input, target, | reduction="mean")
    layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)
    leaky_relu(input, negative_slope=0.01)
    linear(input, weight, bias=None)
    log_softmax(input, dim=None, *, dtype=None)
    logsigmoid(input)
    max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
    max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None)
    mish(input)
    mse_loss(input, target, | reduction="mean")
    nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean")
    normalize(input, p=2.0, dim=1, eps=1e-12)
    one_hot(tensor, num_classes=-1)
    pad(input, pad, mode="constant", value=None)
    pixel_shuffle(input, upscale_factor)
    prelu(input, weight)
    relu(input, inplace=False)
    relu6(input, inplace=False)
    relu_(input)
    selu(input)
    sigmoid(input)
    sigmoid_(input)
    silu(input, inplace=False)
    smooth_l1_loss(input, target, | reduction="mean", beta=1.0)
    soft_margin_loss(input, target, | reduction="mean")
    softmax(input, dim=None, dtype=None)
    softplus(input, beta=1, threshold=20)
    softshrink(input, lambd=0.5)
    tanh(input)
    threshold(input, threshold, value, inplace=False)
    threshold_(input, threshold, value)
    unfold(input, kernel_size, dilation=1, padding=0, stride=1)
    upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None)
"""
_FAST = "dropout embedding gelu layer_norm linear log_softmax sigmoid silu softmax tanh"  # for floats
MADE = functions(ROWS, "mindspore_compat.mint.nn.functional", _adapted, functional, _nn, torch, fast=_FAST)
globals().update(MADE)
__all__ = list(MADE)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
