"""Functions and layers that are rows. Written by ``python -m tools.make_stubs``."""

from typing import Any, Literal


__all__ = ['abs', 'acos', 'acosh', 'add', 'addbmm', 'addcdiv', 'addcmul', 'addmm', 'addmv', 'addr_', 'all', 'allclose', 'amax', 'amin', 'any', 'arange', 'arccos', 'arccosh', 'arcsin', 'arcsinh', 'arctan', 'arctan2', 'arctanh', 'argmax', 'argmin', 'argsort', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'baddbmm', 'batch_norm_elemt', 'batch_norm_gather_stats_with_counts', 'batch_norm_stats', 'bernoulli', 'bincount', 'bitwise_and', 'bitwise_not', 'bitwise_or', 'bitwise_xor', 'bmm', 'broadcast_to', 'cat', 'cdist', 'ceil', 'chunk', 'clamp', 'clip', 'clone', 'concat', 'conv_tbc', 'cos', 'cosh', 'count_nonzero', 'cross', 'cummax', 'cummin', 'cumprod', 'cumsum', 'diag', 'diff', 'div', 'divide', 'dot', 'dstack', 'einsum', 'empty', 'empty_like', 'eq', 'equal', 'erf', 'erfc', 'erfinv', 'exp', 'exp2', 'expm1', 'eye', 'flatten', 'flip', 'float_power', 'floor', 'floor_divide', 'fmod', 'frac', 'full', 'full_like', 'gather', 'gcd', 'ge', 'greater', 'greater_equal', 'gt', 'histc', 'hstack', 'imag', 'index_add', 'index_select', 'inverse', 'isclose', 'isfinite', 'isinf', 'isnan', 'isneginf', 'kthvalue', 'le', 'lerp', 'less', 'less_equal', 'linspace', 'log', 'log10', 'log1p', 'log2', 'logaddexp', 'logaddexp2', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'logsumexp', 'lt', 'masked_select', 'matmul', 'max', 'maximum', 'mean', 'median', 'meshgrid', 'min', 'minimum', 'mm', 'mul', 'multinomial', 'mv', 'nan_to_num', 'nansum', 'narrow', 'ne', 'neg', 'negative', 'nonzero', 'norm', 'normal', 'not_equal', 'npu_gelu', 'ones', 'ones_like', 'outer', 'permute', 'polar', 'pow', 'prod', 'rand', 'rand_like', 'randint', 'randint_like', 'randn', 'randn_like', 'randperm', 'ravel', 'real', 'reciprocal', 'remainder', 'repeat_interleave', 'reshape', 'roll', 'round', 'rsqrt', 'scatter', 'scatter_add', 'searchsorted', 'select', 'sigmoid', 'sign', 'sin', 'sinc', 'sinh', 'softmax', 'sort', 'split', 'sqrt', 'square', 'squeeze', 'stack', 'std', 'std_mean', 'sub', 'sum', 'swapaxes', 't', 'take', 'tan', 'tanh', 'tile', 'topk', 'trace', 'transpose', 'triangular_solve', 'tril', 'triu', 'trunc', 'fix', 'unbind', 'unique', 'unique_consecutive', 'unsqueeze', 'var', 'var_mean', 'vdot', 'where', 'xlogy', 'zeros', 'zeros_like']

def abs(input: Any) -> Any:
    """As ``torch``'s ``abs``, with MindSpore's Tensors."""

def acos(input: Any) -> Any:
    """As ``torch``'s ``acos``, with MindSpore's Tensors."""

def acosh(input: Any) -> Any:
    """As ``torch``'s ``acosh``, with MindSpore's Tensors."""

def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """As ``torch``'s ``add``, with MindSpore's Tensors."""

def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """As ``torch``'s ``addbmm``, with MindSpore's Tensors."""

def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """As ``torch``'s ``addcdiv``, with MindSpore's Tensors."""

def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """As ``torch``'s ``addcmul``, with MindSpore's Tensors."""

def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """As ``torch``'s ``addmm``, with MindSpore's Tensors."""

def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """As ``torch``'s ``addmv``, with MindSpore's Tensors."""

def addr_(input: Any, vec1: Any, vec2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """As ``torch``'s ``addr_``, with MindSpore's Tensors."""

def all(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    """As ``torch``'s ``all``, with MindSpore's Tensors."""

def allclose(input: Any, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    """As ``torch``'s ``allclose``, with MindSpore's Tensors."""

def amax(input: Any, dim: Any = ..., keepdim: Any = False) -> Any:
    """As ``torch``'s ``amax``, with MindSpore's Tensors."""

def amin(input: Any, dim: Any = ..., keepdim: Any = False) -> Any:
    """As ``torch``'s ``amin``, with MindSpore's Tensors."""

def any(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    """As ``torch``'s ``any``, with MindSpore's Tensors."""

def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``arange``, with MindSpore's Tensors."""

def arccos(input: Any) -> Any:
    """As ``torch``'s ``arccos``, with MindSpore's Tensors."""

def arccosh(input: Any) -> Any:
    """As ``torch``'s ``arccosh``, with MindSpore's Tensors."""

def arcsin(x: Any) -> Any:
    """As ``torch``'s ``arcsin``, with MindSpore's Tensors."""

def arcsinh(input: Any) -> Any:
    """As ``torch``'s ``arcsinh``, with MindSpore's Tensors."""

def arctan(input: Any) -> Any:
    """As ``torch``'s ``arctan``, with MindSpore's Tensors."""

def arctan2(input: Any, other: Any) -> Any:
    """As ``torch``'s ``arctan2``, with MindSpore's Tensors."""

def arctanh(input: Any) -> Any:
    """As ``torch``'s ``arctanh``, with MindSpore's Tensors."""

def argmax(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    """As ``torch``'s ``argmax``, with MindSpore's Tensors."""

def argmin(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    """As ``torch``'s ``argmin``, with MindSpore's Tensors."""

def argsort(input: Any, dim: Any = -1, descending: Any = False, stable: Any = False) -> Any:
    """As ``torch``'s ``argsort``, with MindSpore's Tensors."""

def asin(input: Any) -> Any:
    """As ``torch``'s ``asin``, with MindSpore's Tensors."""

def asinh(input: Any) -> Any:
    """As ``torch``'s ``asinh``, with MindSpore's Tensors."""

def atan(input: Any) -> Any:
    """As ``torch``'s ``atan``, with MindSpore's Tensors."""

def atan2(input: Any, other: Any) -> Any:
    """As ``torch``'s ``atan2``, with MindSpore's Tensors."""

def atanh(input: Any) -> Any:
    """As ``torch``'s ``atanh``, with MindSpore's Tensors."""

def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """As ``torch``'s ``baddbmm``, with MindSpore's Tensors."""

def batch_norm_elemt(input: Any, weight: Any = None, bias: Any = None, mean: Any = None, invstd: Any = None, eps: Any = 1e-05) -> Any:
    """As ``torch``'s ``batch_norm_elemt``, with MindSpore's Tensors."""

def batch_norm_gather_stats_with_counts(input: Any, mean: Any, invstd: Any, running_mean: Any = None, running_var: Any = None, momentum: Any = 0.1, eps: Any = 1e-05, counts: Any = None) -> Any:
    """As ``torch``'s ``batch_norm_gather_stats_with_counts``, with MindSpore's Tensors."""

def batch_norm_stats(input: Any, eps: Any) -> Any:
    """As ``torch``'s ``batch_norm_stats``, with MindSpore's Tensors."""

def bernoulli(input: Any, *, generator: Any = None) -> Any:
    """As ``torch``'s ``bernoulli``, with MindSpore's Tensors."""

def bincount(input: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """As ``torch``'s ``bincount``, with MindSpore's Tensors."""

def bitwise_and(input: Any, other: Any) -> Any:
    """As ``torch``'s ``bitwise_and``, with MindSpore's Tensors."""

def bitwise_not(input: Any) -> Any:
    """As ``torch``'s ``bitwise_not``, with MindSpore's Tensors."""

def bitwise_or(input: Any, other: Any) -> Any:
    """As ``torch``'s ``bitwise_or``, with MindSpore's Tensors."""

def bitwise_xor(input: Any, other: Any) -> Any:
    """As ``torch``'s ``bitwise_xor``, with MindSpore's Tensors."""

def bmm(input: Any, mat2: Any) -> Any:
    """As ``torch``'s ``bmm``, with MindSpore's Tensors."""

def broadcast_to(input: Any, shape: Any) -> Any:
    """As ``torch``'s ``broadcast_to``, with MindSpore's Tensors."""

def cat(tensors: Any, dim: Any = 0) -> Any:
    """As ``torch``'s ``cat``, with MindSpore's Tensors."""

def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = "use_mm_for_euclid_dist_if_necessary") -> Any:
    """As ``torch``'s ``cdist``, with MindSpore's Tensors."""

def ceil(input: Any) -> Any:
    """As ``torch``'s ``ceil``, with MindSpore's Tensors."""

def chunk(input: Any, chunks: Any, dim: Any = 0) -> Any:
    """As ``torch``'s ``chunk``, with MindSpore's Tensors."""

def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """As ``torch``'s ``clamp``, with MindSpore's Tensors."""

def clip(input: Any, min: Any = None, max: Any = None) -> Any:
    """As ``torch``'s ``clamp``, with MindSpore's Tensors."""

def clone(input: Any) -> Any:
    """As ``torch``'s ``clone``, with MindSpore's Tensors."""

def concat(tensors: Any, dim: Any = 0) -> Any:
    """As ``torch``'s ``cat``, with MindSpore's Tensors."""

def conv_tbc(input: Any, weight: Any, bias: Any, pad: Any = 0) -> Any:
    """As ``torch``'s ``conv_tbc``, with MindSpore's Tensors."""

def cos(input: Any) -> Any:
    """As ``torch``'s ``cos``, with MindSpore's Tensors."""

def cosh(input: Any) -> Any:
    """As ``torch``'s ``cosh``, with MindSpore's Tensors."""

def count_nonzero(input: Any, dim: Any = None) -> Any:
    """As ``torch``'s ``count_nonzero``, with MindSpore's Tensors."""

def cross(input: Any, other: Any, dim: Any = None) -> Any:
    """As ``torch``'s ``cross``, with MindSpore's Tensors."""

def cummax(input: Any, dim: Any) -> Any:
    """As ``torch``'s ``cummax``, with MindSpore's Tensors."""

def cummin(input: Any, dim: Any) -> Any:
    """As ``torch``'s ``cummin``, with MindSpore's Tensors."""

def cumprod(input: Any, dim: Any, dtype: Any = None) -> Any:
    """As ``torch``'s ``cumprod``, with MindSpore's Tensors."""

def cumsum(input: Any, dim: Any, dtype: Any = None) -> Any:
    """As ``torch``'s ``cumsum``, with MindSpore's Tensors."""

def diag(input: Any, diagonal: Any = 0) -> Any:
    """As ``torch``'s ``diag``, with MindSpore's Tensors."""

def diff(input: Any, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """As ``torch``'s ``diff``, with MindSpore's Tensors."""

def div(input: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    """As ``torch``'s ``div``, with MindSpore's Tensors."""

def divide(input: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    """As ``torch``'s ``div``, with MindSpore's Tensors."""

def dot(input: Any, other: Any) -> Any:
    """As ``torch``'s ``dot``, with MindSpore's Tensors."""

def dstack(tensors: Any) -> Any:
    """As ``torch``'s ``dstack``, with MindSpore's Tensors."""

def einsum(equation: Any, *operands: Any) -> Any:
    """As ``torch``'s ``einsum``, with MindSpore's Tensors."""

def empty(*size: Any, dtype: Any = None) -> Any:
    """As ``torch``'s ``empty``, with MindSpore's Tensors."""

def empty_like(input: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """As ``torch``'s ``empty_like``, with MindSpore's Tensors."""

def eq(input: Any, other: Any) -> Any:
    """As ``torch``'s ``eq``, with MindSpore's Tensors."""

def equal(input: Any, other: Any) -> Any:
    """As ``torch``'s ``equal``, with MindSpore's Tensors."""

def erf(input: Any) -> Any:
    """As ``torch``'s ``erf``, with MindSpore's Tensors."""

def erfc(input: Any) -> Any:
    """As ``torch``'s ``erfc``, with MindSpore's Tensors."""

def erfinv(input: Any) -> Any:
    """As ``torch``'s ``erfinv``, with MindSpore's Tensors."""

def exp(input: Any) -> Any:
    """As ``torch``'s ``exp``, with MindSpore's Tensors."""

def exp2(input: Any) -> Any:
    """As ``torch``'s ``exp2``, with MindSpore's Tensors."""

def expm1(input: Any) -> Any:
    """As ``torch``'s ``expm1``, with MindSpore's Tensors."""

def eye(n: Any, m: Any = None, dtype: Any = None) -> Any:
    """As ``torch``'s ``eye``, with MindSpore's Tensors."""

def flatten(input: Any, start_dim: Any = 0, end_dim: Any = -1) -> Any:
    """As ``torch``'s ``flatten``, with MindSpore's Tensors."""

def flip(input: Any, dims: Any) -> Any:
    """As ``torch``'s ``flip``, with MindSpore's Tensors."""

def float_power(input: Any, exponent: Any) -> Any:
    """As ``torch``'s ``float_power``, with MindSpore's Tensors."""

def floor(input: Any) -> Any:
    """As ``torch``'s ``floor``, with MindSpore's Tensors."""

def floor_divide(input: Any, other: Any) -> Any:
    """As ``torch``'s ``floor_divide``, with MindSpore's Tensors."""

def fmod(input: Any, other: Any) -> Any:
    """As ``torch``'s ``fmod``, with MindSpore's Tensors."""

def frac(input: Any) -> Any:
    """As ``torch``'s ``frac``, with MindSpore's Tensors."""

def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``full``, with MindSpore's Tensors."""

def full_like(input: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``full_like``, with MindSpore's Tensors."""

def gather(input: Any, dim: Any, index: Any) -> Any:
    """As ``torch``'s ``gather_elements``, with MindSpore's Tensors."""

def gcd(input: Any, other: Any) -> Any:
    """As ``torch``'s ``gcd``, with MindSpore's Tensors."""

def ge(input: Any, other: Any) -> Any:
    """As ``torch``'s ``ge``, with MindSpore's Tensors."""

def greater(input: Any, other: Any) -> Any:
    """As ``torch``'s ``gt``, with MindSpore's Tensors."""

def greater_equal(input: Any, other: Any) -> Any:
    """As ``torch``'s ``ge``, with MindSpore's Tensors."""

def gt(input: Any, other: Any) -> Any:
    """As ``torch``'s ``gt``, with MindSpore's Tensors."""

def histc(input: Any, bins: Any = 100, min: Any = 0, max: Any = 0) -> Any:
    """As ``torch``'s ``histc``, with MindSpore's Tensors."""

def hstack(tensors: Any) -> Any:
    """As ``torch``'s ``hstack``, with MindSpore's Tensors."""

def imag(input: Any) -> Any:
    """As ``torch``'s ``imag``, with MindSpore's Tensors."""

def index_add(input: Any, dim: Any, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """As ``torch``'s ``index_add``, with MindSpore's Tensors."""

def index_select(input: Any, dim: Any, index: Any) -> Any:
    """As ``torch``'s ``index_select``, with MindSpore's Tensors."""

def inverse(input: Any) -> Any:
    """As ``torch``'s ``inverse``, with MindSpore's Tensors."""

def isclose(input: Any, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    """As ``torch``'s ``isclose``, with MindSpore's Tensors."""

def isfinite(input: Any) -> Any:
    """As ``torch``'s ``isfinite``, with MindSpore's Tensors."""

def isinf(input: Any) -> Any:
    """As ``torch``'s ``isinf``, with MindSpore's Tensors."""

def isnan(tensor: Any) -> Any:
    """As ``torch``'s ``isnan``, with MindSpore's Tensors."""

def isneginf(input: Any) -> Any:
    """As ``torch``'s ``isneginf``, with MindSpore's Tensors."""

def kthvalue(input: Any, k: Any, dim: Any = -1, keepdim: Any = False) -> Any:
    """As ``torch``'s ``kthvalue``, with MindSpore's Tensors."""

def le(input: Any, other: Any) -> Any:
    """As ``torch``'s ``le``, with MindSpore's Tensors."""

def lerp(input: Any, end: Any, weight: Any) -> Any:
    """As ``torch``'s ``lerp``, with MindSpore's Tensors."""

def less(input: Any, other: Any) -> Any:
    """As ``torch``'s ``lt``, with MindSpore's Tensors."""

def less_equal(input: Any, other: Any) -> Any:
    """As ``torch``'s ``le``, with MindSpore's Tensors."""

def linspace(start: Any, end: Any, steps: Any, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``linspace``, with MindSpore's Tensors."""

def log(input: Any) -> Any:
    """As ``torch``'s ``log``, with MindSpore's Tensors."""

def log10(input: Any) -> Any:
    """As ``torch``'s ``log10``, with MindSpore's Tensors."""

def log1p(input: Any) -> Any:
    """As ``torch``'s ``log1p``, with MindSpore's Tensors."""

def log2(input: Any) -> Any:
    """As ``torch``'s ``log2``, with MindSpore's Tensors."""

def logaddexp(input: Any, other: Any) -> Any:
    """As ``torch``'s ``logaddexp``, with MindSpore's Tensors."""

def logaddexp2(input: Any, other: Any) -> Any:
    """As ``torch``'s ``logaddexp2``, with MindSpore's Tensors."""

def logical_and(input: Any, other: Any) -> Any:
    """As ``torch``'s ``logical_and``, with MindSpore's Tensors."""

def logical_not(input: Any) -> Any:
    """As ``torch``'s ``logical_not``, with MindSpore's Tensors."""

def logical_or(input: Any, other: Any) -> Any:
    """As ``torch``'s ``logical_or``, with MindSpore's Tensors."""

def logical_xor(input: Any, other: Any) -> Any:
    """As ``torch``'s ``logical_xor``, with MindSpore's Tensors."""

def logsumexp(input: Any, dim: Any, keepdim: Any = False) -> Any:
    """As ``torch``'s ``logsumexp``, with MindSpore's Tensors."""

def lt(input: Any, other: Any) -> Any:
    """As ``torch``'s ``lt``, with MindSpore's Tensors."""

def masked_select(input: Any, mask: Any) -> Any:
    """As ``torch``'s ``masked_select``, with MindSpore's Tensors."""

def matmul(input: Any, other: Any) -> Any:
    """As ``torch``'s ``matmul``, with MindSpore's Tensors."""

def max(input: Any, *args: Any, **kwargs: Any) -> Any:
    """As ``torch``'s ``max``, with MindSpore's Tensors."""

def maximum(input: Any, other: Any) -> Any:
    """As ``torch``'s ``maximum``, with MindSpore's Tensors."""

def mean(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``mean``, with MindSpore's Tensors."""

def median(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    """As ``torch``'s ``median``, with MindSpore's Tensors."""

def meshgrid(*tensors: Any, indexing: Any = None) -> Any:
    """As ``torch``'s ``meshgrid``, with MindSpore's Tensors."""

def min(input: Any, *args: Any, **kwargs: Any) -> Any:
    """As ``torch``'s ``min``, with MindSpore's Tensors."""

def minimum(input: Any, other: Any) -> Any:
    """As ``torch``'s ``minimum``, with MindSpore's Tensors."""

def mm(input: Any, mat2: Any) -> Any:
    """As ``torch``'s ``mm``, with MindSpore's Tensors."""

def mul(input: Any, other: Any) -> Any:
    """As ``torch``'s ``mul``, with MindSpore's Tensors."""

def multinomial(input: Any, num_samples: Any, replacement: Any = False, *, generator: Any = None) -> Any:
    """As ``torch``'s ``multinomial``, with MindSpore's Tensors."""

def mv(input: Any, vec: Any) -> Any:
    """As ``torch``'s ``mv``, with MindSpore's Tensors."""

def nan_to_num(input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """As ``torch``'s ``nan_to_num``, with MindSpore's Tensors."""

def nansum(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``nansum``, with MindSpore's Tensors."""

def narrow(input: Any, dim: Any, start: Any, length: Any) -> Any:
    """As ``torch``'s ``narrow``, with MindSpore's Tensors."""

def ne(input: Any, other: Any) -> Any:
    """As ``torch``'s ``ne``, with MindSpore's Tensors."""

def neg(input: Any) -> Any:
    """As ``torch``'s ``neg``, with MindSpore's Tensors."""

def negative(input: Any) -> Any:
    """As ``torch``'s ``neg``, with MindSpore's Tensors."""

def nonzero(input: Any, *, as_tuple: Any = False) -> Any:
    """As ``torch``'s ``nonzero``, with MindSpore's Tensors."""

def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``norm``, with MindSpore's Tensors."""

def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Any:
    """As ``torch``'s ``normal``, with MindSpore's Tensors."""

def not_equal(input: Any, other: Any) -> Any:
    """As ``torch``'s ``ne``, with MindSpore's Tensors."""

def npu_gelu(input: Any, approximate: Any = "none") -> Any:
    """As ``torch``'s ``npu_gelu``, with MindSpore's Tensors."""

def ones(size: Any, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``ones``, with MindSpore's Tensors."""

def ones_like(input: Any, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``ones_like``, with MindSpore's Tensors."""

def outer(input: Any, vec2: Any) -> Any:
    """As ``torch``'s ``outer``, with MindSpore's Tensors."""

def permute(input: Any, dims: Any) -> Any:
    """As ``torch``'s ``permute``, with MindSpore's Tensors."""

def polar(abs: Any, angle: Any) -> Any:
    """As ``torch``'s ``polar``, with MindSpore's Tensors."""

def pow(input: Any, exponent: Any) -> Any:
    """As ``torch``'s ``pow``, with MindSpore's Tensors."""

def prod(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``prod``, with MindSpore's Tensors."""

def rand(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Any:
    """As ``torch``'s ``rand``, with MindSpore's Tensors."""

def rand_like(input: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """As ``torch``'s ``rand_like``, with MindSpore's Tensors."""

def randint(*args: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Any:
    """As ``torch``'s ``randint``, with MindSpore's Tensors."""

def randint_like(input: Any, *args: Any, dtype: Any = None, device: Any = None) -> Any:
    """As ``torch``'s ``randint_like``, with MindSpore's Tensors."""

def randn(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Any:
    """As ``torch``'s ``randn``, with MindSpore's Tensors."""

def randn_like(input: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """As ``torch``'s ``randn_like``, with MindSpore's Tensors."""

def randperm(n: Any, *, generator: Any = None, dtype: Any = ...) -> Any:
    """As ``torch``'s ``randperm``, with MindSpore's Tensors."""

def ravel(input: Any) -> Any:
    """As ``torch``'s ``ravel``, with MindSpore's Tensors."""

def real(input: Any) -> Any:
    """As ``torch``'s ``real``, with MindSpore's Tensors."""

def reciprocal(input: Any) -> Any:
    """As ``torch``'s ``reciprocal``, with MindSpore's Tensors."""

def remainder(input: Any, other: Any) -> Any:
    """As ``torch``'s ``remainder``, with MindSpore's Tensors."""

def repeat_interleave(input: Any, repeats: Any, dim: Any = None, *, output_size: Any = None) -> Any:
    """As ``torch``'s ``repeat_interleave``, with MindSpore's Tensors."""

def reshape(input: Any, shape: Any) -> Any:
    """As ``torch``'s ``reshape``, with MindSpore's Tensors."""

def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """As ``torch``'s ``roll``, with MindSpore's Tensors."""

def round(input: Any, *, decimals: Any = 0) -> Any:
    """As ``torch``'s ``round``, with MindSpore's Tensors."""

def rsqrt(input: Any) -> Any:
    """As ``torch``'s ``rsqrt``, with MindSpore's Tensors."""

def scatter(input: Any, dim: Any, index: Any, src: Any) -> Any:
    """As ``torch``'s ``scatter``, with MindSpore's Tensors."""

def scatter_add(input: Any, dim: Any, index: Any, src: Any) -> Any:
    """As ``torch``'s ``scatter_add``, with MindSpore's Tensors."""

def searchsorted(sorted_sequence: Any, values: Any, *, out_int32: Any = False, right: Any = False, side: Any = None, sorter: Any = None) -> Any:
    """As ``torch``'s ``searchsorted``, with MindSpore's Tensors."""

def select(input: Any, dim: Any, index: Any) -> Any:
    """As ``torch``'s ``select``, with MindSpore's Tensors."""

def sigmoid(input: Any) -> Any:
    """As ``torch``'s ``sigmoid``, with MindSpore's Tensors."""

def sign(input: Any) -> Any:
    """As ``torch``'s ``sign``, with MindSpore's Tensors."""

def sin(input: Any) -> Any:
    """As ``torch``'s ``sin``, with MindSpore's Tensors."""

def sinc(input: Any) -> Any:
    """As ``torch``'s ``sinc``, with MindSpore's Tensors."""

def sinh(input: Any) -> Any:
    """As ``torch``'s ``sinh``, with MindSpore's Tensors."""

def softmax(input: Any, dim: Any, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``softmax``, with MindSpore's Tensors."""

def sort(input: Any, *, dim: Any = -1, descending: Any = False, stable: Any = False) -> Any:
    """As ``torch``'s ``sort``, with MindSpore's Tensors."""

def split(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> Any:
    """As ``torch``'s ``split``, with MindSpore's Tensors."""

def sqrt(input: Any) -> Any:
    """As ``torch``'s ``sqrt``, with MindSpore's Tensors."""

def square(input: Any) -> Any:
    """As ``torch``'s ``square``, with MindSpore's Tensors."""

def squeeze(input: Any, dim: Any = ...) -> Any:
    """As ``torch``'s ``squeeze``, with MindSpore's Tensors."""

def stack(tensors: Any, dim: Any = 0) -> Any:
    """As ``torch``'s ``stack``, with MindSpore's Tensors."""

def std(input: Any, dim: Any = None, *, correction: Any = 1, keepdim: Any = False) -> Any:
    """As ``torch``'s ``std``, with MindSpore's Tensors."""

def std_mean(input: Any, dim: Any = None, *, correction: Any = 1, keepdim: Any = False) -> Any:
    """As ``torch``'s ``std_mean``, with MindSpore's Tensors."""

def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """As ``torch``'s ``sub``, with MindSpore's Tensors."""

def sum(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``sum``, with MindSpore's Tensors."""

def swapaxes(input: Any, axis0: Any, axis1: Any) -> Any:
    """As ``torch``'s ``swapaxes``, with MindSpore's Tensors."""

def t(input: Any) -> Any:
    """As ``torch``'s ``t``, with MindSpore's Tensors."""

def take(input: Any, index: Any) -> Any:
    """As ``torch``'s ``take``, with MindSpore's Tensors."""

def tan(input: Any) -> Any:
    """As ``torch``'s ``tan``, with MindSpore's Tensors."""

def tanh(input: Any) -> Any:
    """As ``torch``'s ``tanh``, with MindSpore's Tensors."""

def tile(input: Any, dims: Any) -> Any:
    """As ``torch``'s ``tile``, with MindSpore's Tensors."""

def topk(input: Any, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Any:
    """As ``torch``'s ``topk``, with MindSpore's Tensors."""

def trace(input: Any) -> Any:
    """As ``torch``'s ``trace``, with MindSpore's Tensors."""

def transpose(input: Any, dim0: Any, dim1: Any) -> Any:
    """As ``torch``'s ``transpose``, with MindSpore's Tensors."""

def triangular_solve(b: Any, A: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False) -> Any:
    """As ``torch``'s ``triangular_solve``, with MindSpore's Tensors."""

def tril(input: Any, diagonal: Any = 0) -> Any:
    """As ``torch``'s ``tril``, with MindSpore's Tensors."""

def triu(input: Any, diagonal: Any = 0) -> Any:
    """As ``torch``'s ``triu``, with MindSpore's Tensors."""

def trunc(input: Any) -> Any:
    """As ``torch``'s ``trunc``, with MindSpore's Tensors."""

def fix(input: Any) -> Any:
    """As ``torch``'s ``trunc``, with MindSpore's Tensors."""

def unbind(input: Any, dim: Any = 0) -> Any:
    """As ``torch``'s ``unbind``, with MindSpore's Tensors."""

def unique(input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
    """As ``torch``'s ``unique``, with MindSpore's Tensors."""

def unique_consecutive(input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
    """As ``torch``'s ``unique_consecutive``, with MindSpore's Tensors."""

def unsqueeze(input: Any, dim: Any) -> Any:
    """As ``torch``'s ``unsqueeze``, with MindSpore's Tensors."""

def var(input: Any, dim: Any = None, *, correction: Any = 1, keepdim: Any = False) -> Any:
    """As ``torch``'s ``var``, with MindSpore's Tensors."""

def var_mean(input: Any, dim: Any = None, *, correction: Any = 1, keepdim: Any = False) -> Any:
    """As ``torch``'s ``var_mean``, with MindSpore's Tensors."""

def vdot(input: Any, other: Any) -> Any:
    """As ``torch``'s ``vdot``, with MindSpore's Tensors."""

def where(condition: Any, *args: Any) -> Any:
    """As ``torch``'s ``where``, with MindSpore's Tensors."""

def xlogy(input: Any, other: Any) -> Any:
    """As ``torch``'s ``xlogy``, with MindSpore's Tensors."""

def zeros(size: Any, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``zeros``, with MindSpore's Tensors."""

def zeros_like(input: Any, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``zeros_like``, with MindSpore's Tensors."""
