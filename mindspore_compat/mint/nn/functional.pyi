"""Functions and layers that are rows. Written by ``python -m tools.make_stubs``."""

from typing import Any, Literal


__all__ = ['adaptive_avg_pool1d', 'adaptive_avg_pool2d', 'adaptive_avg_pool3d', 'adaptive_max_pool1d', 'adaptive_max_pool2d', 'avg_pool1d', 'avg_pool2d', 'avg_pool3d', 'batch_norm', 'binary_cross_entropy', 'binary_cross_entropy_with_logits', 'conv1d', 'conv2d', 'conv3d', 'conv_transpose2d', 'cosine_embedding_loss', 'cross_entropy', 'dropout', 'dropout2d', 'elu', 'elu_', 'embedding', 'flatten', 'fold', 'gelu', 'glu', 'grid_sample', 'group_norm', 'hardshrink', 'hardsigmoid', 'hardswish', 'hardtanh', 'hardtanh_', 'interpolate', 'kl_div', 'l1_loss', 'layer_norm', 'leaky_relu', 'linear', 'log_softmax', 'logsigmoid', 'max_pool2d', 'max_unpool2d', 'mish', 'mse_loss', 'nll_loss', 'normalize', 'one_hot', 'pad', 'pixel_shuffle', 'prelu', 'relu', 'relu6', 'relu_', 'selu', 'sigmoid', 'sigmoid_', 'silu', 'smooth_l1_loss', 'soft_margin_loss', 'softmax', 'softplus', 'softshrink', 'tanh', 'threshold', 'threshold_', 'unfold', 'upsample']

def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """As ``torch``'s ``adaptive_avg_pool1d``, with MindSpore's Tensors."""

def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """As ``torch``'s ``adaptive_avg_pool2d``, with MindSpore's Tensors."""

def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """As ``torch``'s ``adaptive_avg_pool3d``, with MindSpore's Tensors."""

def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    """As ``torch``'s ``adaptive_max_pool1d``, with MindSpore's Tensors."""

def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    """As ``torch``'s ``adaptive_max_pool2d``, with MindSpore's Tensors."""

def avg_pool1d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True) -> Any:
    """As ``torch``'s ``avg_pool1d``, with MindSpore's Tensors."""

def avg_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None) -> Any:
    """As ``torch``'s ``avg_pool2d``, with MindSpore's Tensors."""

def avg_pool3d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None) -> Any:
    """As ``torch``'s ``avg_pool3d``, with MindSpore's Tensors."""

def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: Any = False, momentum: Any = 0.1, eps: Any = 1e-05) -> Any:
    """As ``torch``'s ``batch_norm``, with MindSpore's Tensors."""

def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: Any = "mean") -> Any:
    """As ``torch``'s ``binary_cross_entropy``, with MindSpore's Tensors."""

def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None, reduction: Any = "mean", pos_weight: Any = None) -> Any:
    """As ``torch``'s ``binary_cross_entropy_with_logits``, with MindSpore's Tensors."""

def conv1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
    """As ``torch``'s ``conv1d``, with MindSpore's Tensors."""

def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
    """As ``torch``'s ``conv2d``, with MindSpore's Tensors."""

def conv3d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
    """As ``torch``'s ``conv3d``, with MindSpore's Tensors."""

def conv_transpose2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Any:
    """As ``torch``'s ``conv_transpose2d``, with MindSpore's Tensors."""

def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: Any = 0.0, reduction: Any = "mean") -> Any:
    """As ``torch``'s ``cosine_embedding_loss``, with MindSpore's Tensors."""

def cross_entropy(input: Any, target: Any, weight: Any = None, ignore_index: Any = -100, reduction: Any = "mean", label_smoothing: Any = 0.0) -> Any:
    """As ``torch``'s ``cross_entropy``, with MindSpore's Tensors."""

def dropout(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Any:
    """As ``torch``'s ``dropout``, with MindSpore's Tensors."""

def dropout2d(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Any:
    """As ``torch``'s ``dropout2d``, with MindSpore's Tensors."""

def elu(input: Any, alpha: Any = 1.0, inplace: Any = False) -> Any:
    """As ``torch``'s ``elu``, with MindSpore's Tensors."""

def elu_(input: Any, alpha: Any = 1.0) -> Any:
    """As ``torch``'s ``elu_``, with MindSpore's Tensors."""

def embedding(input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0, scale_grad_by_freq: Any = False) -> Any:
    """As ``torch``'s ``embedding``, with MindSpore's Tensors."""

def flatten(input: Any, start_dim: Any = 0, end_dim: Any = -1) -> Any:
    """As ``torch``'s ``flatten``, with MindSpore's Tensors."""

def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """As ``torch``'s ``fold``, with MindSpore's Tensors."""

def gelu(input: Any, *, approximate: Any = "none") -> Any:
    """As ``torch``'s ``gelu``, with MindSpore's Tensors."""

def glu(input: Any, dim: Any = -1) -> Any:
    """As ``torch``'s ``glu``, with MindSpore's Tensors."""

def grid_sample(input: Any, grid: Any, mode: Any = "bilinear", padding_mode: Any = "zeros", align_corners: Any = None) -> Any:
    """As ``torch``'s ``grid_sample``, with MindSpore's Tensors."""

def group_norm(input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-05) -> Any:
    """As ``torch``'s ``group_norm``, with MindSpore's Tensors."""

def hardshrink(input: Any, lambd: Any = 0.5) -> Any:
    """As ``torch``'s ``hardshrink``, with MindSpore's Tensors."""

def hardsigmoid(input: Any) -> Any:
    """As ``torch``'s ``hardsigmoid``, with MindSpore's Tensors."""

def hardswish(input: Any) -> Any:
    """As ``torch``'s ``hardswish``, with MindSpore's Tensors."""

def hardtanh(input: Any, min_val: Any = -1.0, max_val: Any = 1.0, inplace: Any = False) -> Any:
    """As ``torch``'s ``hardtanh``, with MindSpore's Tensors."""

def hardtanh_(input: Any, min_val: Any = -1, max_val: Any = 1) -> Any:
    """As ``torch``'s ``hardtanh_``, with MindSpore's Tensors."""

def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: Any = "nearest", align_corners: Any = None, recompute_scale_factor: Any = None) -> Any:
    """As ``torch``'s ``interpolate``, with MindSpore's Tensors."""

def kl_div(input: Any, target: Any, reduction: Any = "mean", log_target: Any = False) -> Any:
    """As ``torch``'s ``kl_div``, with MindSpore's Tensors."""

def l1_loss(input: Any, target: Any, reduction: Any = "mean") -> Any:
    """As ``torch``'s ``l1_loss``, with MindSpore's Tensors."""

def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-05) -> Any:
    """As ``torch``'s ``layer_norm``, with MindSpore's Tensors."""

def leaky_relu(input: Any, negative_slope: Any = 0.01) -> Any:
    """As ``torch``'s ``leaky_relu``, with MindSpore's Tensors."""

def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """As ``torch``'s ``linear``, with MindSpore's Tensors."""

def log_softmax(input: Any, dim: Any = None, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``log_softmax``, with MindSpore's Tensors."""

def logsigmoid(input: Any) -> Any:
    """As ``torch``'s ``log_sigmoid``, with MindSpore's Tensors."""

def max_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Any:
    """As ``torch``'s ``max_pool2d``, with MindSpore's Tensors."""

def max_unpool2d(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Any:
    """As ``torch``'s ``max_unpool2d``, with MindSpore's Tensors."""

def mish(input: Any) -> Any:
    """As ``torch``'s ``mish``, with MindSpore's Tensors."""

def mse_loss(input: Any, target: Any, reduction: Any = "mean") -> Any:
    """As ``torch``'s ``mse_loss``, with MindSpore's Tensors."""

def nll_loss(input: Any, target: Any, weight: Any = None, ignore_index: Any = -100, reduction: Any = "mean") -> Any:
    """As ``torch``'s ``nll_loss``, with MindSpore's Tensors."""

def normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12) -> Any:
    """As ``torch``'s ``normalize``, with MindSpore's Tensors."""

def one_hot(tensor: Any, num_classes: Any = -1) -> Any:
    """As ``torch``'s ``one_hot``, with MindSpore's Tensors."""

def pad(input: Any, pad: Any, mode: Any = "constant", value: Any = None) -> Any:
    """As ``torch``'s ``pad``, with MindSpore's Tensors."""

def pixel_shuffle(input: Any, upscale_factor: Any) -> Any:
    """As ``torch``'s ``pixel_shuffle``, with MindSpore's Tensors."""

def prelu(input: Any, weight: Any) -> Any:
    """As ``torch``'s ``prelu``, with MindSpore's Tensors."""

def relu(input: Any, inplace: Any = False) -> Any:
    """As ``torch``'s ``relu``, with MindSpore's Tensors."""

def relu6(input: Any, inplace: Any = False) -> Any:
    """As ``torch``'s ``relu6``, with MindSpore's Tensors."""

def relu_(input: Any) -> Any:
    """As ``torch``'s ``relu_``, with MindSpore's Tensors."""

def selu(input: Any) -> Any:
    """As ``torch``'s ``selu``, with MindSpore's Tensors."""

def sigmoid(input: Any) -> Any:
    """As ``torch``'s ``sigmoid``, with MindSpore's Tensors."""

def sigmoid_(input: Any) -> Any:
    """As ``torch``'s ``sigmoid_``, with MindSpore's Tensors."""

def silu(input: Any, inplace: Any = False) -> Any:
    """As ``torch``'s ``silu``, with MindSpore's Tensors."""

def smooth_l1_loss(input: Any, target: Any, reduction: Any = "mean", beta: Any = 1.0) -> Any:
    """As ``torch``'s ``smooth_l1_loss``, with MindSpore's Tensors."""

def soft_margin_loss(input: Any, target: Any, reduction: Any = "mean") -> Any:
    """As ``torch``'s ``soft_margin_loss``, with MindSpore's Tensors."""

def softmax(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """As ``torch``'s ``softmax``, with MindSpore's Tensors."""

def softplus(input: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    """As ``torch``'s ``softplus``, with MindSpore's Tensors."""

def softshrink(input: Any, lambd: Any = 0.5) -> Any:
    """As ``torch``'s ``softshrink``, with MindSpore's Tensors."""

def tanh(input: Any) -> Any:
    """As ``torch``'s ``tanh``, with MindSpore's Tensors."""

def threshold(input: Any, threshold: Any, value: Any, inplace: Any = False) -> Any:
    """As ``torch``'s ``_threshold``, with MindSpore's Tensors."""

def threshold_(input: Any, threshold: Any, value: Any) -> Any:
    """As ``torch``'s ``threshold_``, with MindSpore's Tensors."""

def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """As ``torch``'s ``unfold``, with MindSpore's Tensors."""

def upsample(input: Any, size: Any = None, scale_factor: Any = None, mode: Any = "nearest", align_corners: Any = None) -> Any:
    """As ``torch``'s ``upsample``, with MindSpore's Tensors."""
