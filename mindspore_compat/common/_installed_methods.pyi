"""Methods that ``ops/_tensor_methods.py`` installs on Tensor. Written by ``python -m tools.make_stubs``."""

from typing import Any, Literal

class InstalledMethods:
    def abs(self) -> Any:
        """Abs, element by element."""

    def absolute(self) -> Any:
        """Abs, element by element."""

    def addbmm(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
        """beta * input + alpha * the products' sum over the batch (of two matrices over the product's rows)."""

    def addcdiv(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
        """input + value * tensor1 / tensor2."""

    def addcmul(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
        """input + value * tensor1 * tensor2."""

    def addmm(self, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
        """beta * input + alpha * (mat1 @ mat2), input of any shape that broadcasts with the product's."""

    def addmv(self, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        """beta * self + alpha * (mat @ vec)."""

    def addr(self, vec1: Any, vec2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        """beta * self + alpha * outer(vec1, vec2)."""

    def amax(self, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
        """Maximum over ``axis`` (None: all)."""

    def amin(self, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
        """Minimum over ``axis`` (None: all)."""

    def aminmax(self, *, axis: Any = 0, keepdims: bool = False) -> Any:
        """(minimum, maximum) over ``axis``; at equal elements the first has the gradient."""

    def approximate_equal(self, y: Any, tolerance: float = 1e-05) -> Any:
        """Whether |x - y| < tolerance."""

    def arctan2(self, other: Any) -> Any:
        """Atan2 of ``input`` and ``other``, element by element."""

    def atan2(self, other: Any) -> Any:
        """Atan2 of ``input`` and ``other``, element by element."""

    def baddbmm(self, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        """beta * input + alpha * (batch1 @ batch2), of matrices too; input broadcasts with the product."""

    def bessel_i0(self) -> Any:
        """Modified Bessel function of the first kind, order 0, element by element."""

    def bincount(self, weights: Any = None, minlength: int = 0) -> Any:
        """How often each non-negative int occurs, as float32. Whole floats count as ints."""

    def bitwise_and(self, other: Any) -> Any:
        """Bitwise and of ``input`` and ``other``, element by element."""

    def bitwise_left_shift(self, other: Any) -> Any:
        """Bitwise left shift of ``input`` and ``other``, element by element."""

    def bitwise_or(self, other: Any) -> Any:
        """Bitwise or of ``input`` and ``other``, element by element."""

    def bitwise_right_shift(self, other: Any) -> Any:
        """Bitwise right shift of ``input`` and ``other``, element by element."""

    def bitwise_xor(self, other: Any) -> Any:
        """Bitwise xor of ``input`` and ``other``, element by element."""

    def bmm(self, mat2: Any) -> Any:
        """The products of matrices in a batch."""

    def cholesky(self, upper: bool = False) -> Any:
        """The Cholesky factor."""

    def cholesky_inverse(self, upper: bool = False) -> Any:
        """The inverse of a matrix given by its Cholesky factor L (U, ``upper``): of L·Lᵀ (Uᵀ·U), the other triangle as it is, as upstream."""

    def cholesky_solve(self, input2: Any, upper: bool = False) -> Any:
        """The solution of A x = input, with the Cholesky factor ``input2`` of A."""

    def clamp(self, min: Any = None, max: Any = None) -> Any:
        """``input`` cut to [min, max], numbers or Tensors; ints with a fractional bound become float32."""

    def clip(self, min: Any = None, max: Any = None, dtype: Any = None, *, xmin: Any = None, xmax: Any = None) -> Any:
        """Cut to [min, max] (``xmin``, ``xmax`` and ``dtype`` in 1.x)."""

    def col2im(self, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Any:
        """Columns (N, C, k, L) added up into (N, C, H, W)."""

    def conj(self) -> Any:
        """Conj, element by element."""

    def copysign(self, other: Any) -> Any:
        """|x| with the sign of ``other``: of x's dtype, float32 where that is bfloat16 or no float."""

    def count_nonzero(self, axis: Any = ..., keep_dims: bool = False, dtype: Any = ...) -> Any:
        """How many elements over ``axis`` are not zero."""

    def cross(self, other: Any, dim: int | None = None) -> Any:
        """The cross product along ``dim`` (None: the first axis of length 3)."""

    def cummax(self, axis: int) -> Any:
        """(running maximum, its int64 index) over ``axis``."""

    def cummin(self, axis: int) -> Any:
        """(running minimum, its int32 index) over ``axis``."""

    def det(self) -> Any:
        """The determinant."""

    def diag(self) -> Any:
        """A tensor of twice the axes with ``input`` on its diagonal."""

    def diagflat(self, offset: int = 0) -> Any:
        """A matrix with the flattened ``input`` on a diagonal."""

    def diff(self, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
        """The n-th difference along ``axis``."""

    def digamma(self) -> Any:
        """Digamma, element by element."""

    def dist(self, other: Any, p: Any = 2) -> Any:
        """The p-norm of input - other."""

    def div(self, other: Any, *, rounding_mode: str | None = None) -> Any:
        """input / other, rounded by "floor" or "trunc" if ``rounding_mode`` says so."""

    def divide(self, other: Any, *, rounding_mode: str | None = None) -> Any:
        """input / other, rounded by "floor" or "trunc" if ``rounding_mode`` says so."""

    def dot(self, other: Any = None) -> Any:
        """The product over the last axis of the first and the last but one of the second, as numpy's ``dot``; matrix @ vector works too."""

    def dsplit(self, indices_or_sections: Any) -> Any:
        """`tensor_split` along the third axis."""

    def eigvals(self) -> Any:
        """Eigenvalues, complex."""

    def eq(self, other: Any) -> Any:
        """Equal of ``input`` and ``other``, element by element; one of them may be a number."""

    def equal(self, other: Any) -> Any:
        """Equal of ``input`` and ``other``, element by element; one of them may be a number."""

    def expand(self, *size: Any, **kwargs: Any) -> Any:
        """Broadcast to a size: ints, a sequence of them or a Tensor."""

    def expand_as(self, other: Any = None, *, x: Any = None) -> Any:
        """With the shape of ``other`` (``x`` in PyNative's older form)."""

    def fill_diagonal(self, fill_value: Any, wrap: Any = False) -> Any:
        """A copy with a value on the main diagonal."""

    def fills(self, value: Any) -> Any:
        """A tensor like ``x`` filled with one value."""

    def float_power(self, exponent: Any) -> Any:
        """input ** exponent in float64."""

    def floor_divide(self, other: Any) -> Any:
        """Floor divide of ``input`` and ``other``, element by element; one of them may be a number."""

    def floor_mod(self, y: Any) -> Any:
        """Remainder of ``input`` and ``other``, element by element; one of them may be a number."""

    def fmax(self, other: Any) -> Any:
        """Fmax of ``input`` and ``other``, element by element."""

    def fmin(self, other: Any) -> Any:
        """Fmin of ``input`` and ``other``, element by element."""

    def fmod(self, other: Any) -> Any:
        """Fmod of ``input`` and ``other``, element by element."""

    def fold(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
        """Columns (N, C·k, L) or (N, C, k, L) added up into (N, C, H, W)."""

    def gather(self, *args: Any, **kwargs: Any) -> Any:
        """``gather(input_indices, axis, batch_dims=0)`` takes slices; torch's ``gather(dim, index)`` single elements."""

    def gather_elements(self, dim: int, index: Any) -> Any:
        """out[i][j] = input[index[i][j]][j] for ``dim`` 0, and so on."""

    def gather_nd(self, indices: Any) -> Any:
        """Slices at coordinates: the last axis of ``indices`` holds one."""

    def gcd(self, other: Any) -> Any:
        """Gcd of ``input`` and ``other``, element by element."""

    def ge(self, other: Any) -> Any:
        """Greater equal of ``input`` and ``other``, element by element; one of them may be a number."""

    def geqrf(self) -> Any:
        """(factor, tau) of the QR decomposition in LAPACK's form."""

    def ger(self, vec2: Any) -> Any:
        """The outer product of two vectors."""

    def greater(self, other: Any) -> Any:
        """Greater of ``input`` and ``other``, element by element; one of them may be a number."""

    def greater_equal(self, other: Any) -> Any:
        """Greater equal of ``input`` and ``other``, element by element; one of them may be a number."""

    def gt(self, other: Any) -> Any:
        """Greater of ``input`` and ``other``, element by element; one of them may be a number."""

    def heaviside(self, values: Any) -> Any:
        """Heaviside of ``input`` and ``other``, element by element."""

    def histc(self, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Any:
        """Counts in ``bins`` equal bins between ``min`` and ``max`` (0 and 0: the data's own range)."""

    def hsplit(self, indices_or_sections: Any) -> Any:
        """`tensor_split` along the second axis (the first if there is only one)."""

    def hypot(self, other: Any) -> Any:
        """Hypot of ``input`` and ``other``, element by element."""

    def igamma(self, other: Any) -> Any:
        """Igamma of ``input`` and ``other``, element by element."""

    def igammac(self, other: Any) -> Any:
        """Igammac of ``input`` and ``other``, element by element."""

    def index_add(self, indices: Any, y: Any, axis: int, use_lock: bool = True, check_index_bound: bool = True) -> Any:
        """``x``, itself changed, with ``y`` added at the indices of ``axis``."""

    def index_fill(self, axis: int, index: Any, value: Any) -> Any:
        """``x`` with one value at the indices of ``axis``."""

    def index_put(self, indices: Any, values: Any, accumulate: bool = False) -> Any:
        """``x`` with values at the index tensors."""

    def index_select(self, axis: int, index: Any) -> Any:
        """Slices along ``axis`` at the 1-d indices; those below 0 count from the end."""

    def inner(self, other: Any) -> Any:
        """The product summed over the last axes."""

    def inplace_update(self, v: Any, indices: Any) -> Any:
        """A copy of ``x`` with its rows replaced by those of ``v``."""

    def inv(self) -> Any:
        """Reciprocal, element by element; of integers rounded towards zero, the least number at 0."""

    def invert(self) -> Any:
        """Every bit flipped, element by element."""

    def isclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
        """Whether |input - other| <= atol + rtol * |other|."""

    def lcm(self, other: Any) -> Any:
        """Lcm of ``input`` and ``other``, element by element."""

    def le(self, other: Any) -> Any:
        """Less equal of ``input`` and ``other``, element by element; one of them may be a number."""

    def lerp(self, end: Any, weight: Any) -> Any:
        """input + weight * (end - input)."""

    def less(self, other: Any) -> Any:
        """Less of ``input`` and ``other``, element by element; one of them may be a number."""

    def less_equal(self, other: Any) -> Any:
        """Less equal of ``input`` and ``other``, element by element; one of them may be a number."""

    def log_matrix_determinant(self) -> Any:
        """(sign, logarithm of the absolute value) of the determinant."""

    def logaddexp(self, other: Any) -> Any:
        """Logaddexp of ``input`` and ``other``, element by element."""

    def logaddexp2(self, other: Any) -> Any:
        """Logaddexp2 of ``input`` and ``other``, element by element."""

    def logcumsumexp(self, axis: int) -> Any:
        """Log of the running sum of exponentials."""

    def logical_and(self, other: Any) -> Any:
        """Logical and of ``input`` and ``other``, element by element."""

    def logical_or(self, other: Any) -> Any:
        """Logical or of ``input`` and ``other``, element by element."""

    def logical_xor(self, other: Any) -> Any:
        """Logical xor of ``input`` and ``other``, element by element."""

    def logit(self, eps: float | None = None) -> Any:
        """log(x / (1 - x)), with x cut to [eps, 1 - eps] if ``eps`` is given."""

    def logsumexp(self, dim: Any, keepdim: bool = False) -> Any:
        """log(sum(exp(input))) over ``dim``."""

    def lstsq(self, A: Any) -> Any:
        """The least-squares solution of input @ x = A."""

    def lt(self, other: Any) -> Any:
        """Less of ``input`` and ``other``, element by element; one of them may be a number."""

    def lu_solve(self, LU_data: Any, LU_pivots: Any) -> Any:
        """The solution of A x = b from the LU factors of A."""

    def masked_fill(self, mask: Any, value: Any) -> Any:
        """``input_x`` with ``value`` where the mask holds."""

    def masked_scatter(self, mask: Any, source: Any) -> Any:
        """``input`` with the elements of ``source`` in order where the mask holds."""

    def masked_select(self, mask: Any) -> Any:
        """The elements where the mask holds, in one axis."""

    def matmul(self, other: Any) -> Any:
        """The matrix product, with broadcasting of leading axes."""

    def matrix_determinant(self) -> Any:
        """The determinant."""

    def maximum(self, other: Any) -> Any:
        """Maximum of ``input`` and ``other``, element by element."""

    def median(self, axis: Any = -1, keepdims: bool = False) -> Any:
        """(lower median over ``axis``, its index)."""

    def minimum(self, other: Any) -> Any:
        """Minimum of ``input`` and ``other``, element by element."""

    def move_to(self, to: str = "CPU", blocking: bool = True) -> Any:
        """``input`` on another device: "CPU" or "Ascend" / "GPU" (CUDA)."""

    def moveaxis(self, source: Any, destination: Any) -> Any:
        """Axes moved to other places."""

    def movedim(self, source: Any, destination: Any) -> Any:
        """Axes moved to other places."""

    def mul(self, other: Any) -> Any:
        """Mul of ``input`` and ``other``, element by element; one of them may be a number."""

    def multinomial(self, num_samples: Any, replacement: Any = True, seed: Any = None) -> Any:
        """int32 classes drawn by the weights in the last axis."""

    def nan_to_num(self, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
        """``input`` with nan and infinities replaced; None: 0 and the dtype's extremes."""

    def nanmean(self, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
        """Mean without nans."""

    def nanmedian(self, axis: Any = -1, keepdims: bool = False) -> Any:
        """(lower median without nans, its index)."""

    def nanquantile(self, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The q-th quantiles without nans."""

    def nansum(self, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
        """Sum with nans as 0."""

    def narrow(self, axis: Any = None, start: Any = None, length: Any = None, *, dim: Any = None) -> Any:
        """``length`` slices of ``axis`` from ``start``."""

    def ne(self, other: Any) -> Any:
        """Not equal of ``input`` and ``other``, element by element; one of them may be a number."""

    def new_ones(self, *size: Any, **kwargs: Any) -> Any:
        """Ones of a size, in ``dtype`` or that of this tensor; torch's ``new_ones(*sizes)`` as well."""

    def new_zeros(self, *size: Any, **kwargs: Any) -> Any:
        """Zeros, as `new_ones`."""

    def nextafter(self, other: Any) -> Any:
        """The next number that the dtype has after ``input``, towards ``other``."""

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        """int64 coordinates of the elements that are not zero, one row each; or a tuple of one tensor for each axis."""

    def not_equal(self, other: Any) -> Any:
        """Not equal of ``input`` and ``other``, element by element; one of them may be a number."""

    def outer(self, vec2: Any) -> Any:
        """The outer product of two vectors."""

    def permute(self, axis: Any, *rest: int) -> Any:
        """The axes in the order ``axis``."""

    def pow(self, exponent: Any) -> Any:
        """Power of ``input`` to ``exponent``, element by element; one of them may be a number."""

    def qr(self, some: Any = True) -> Any:
        """(Q, R), square Q unless ``some``."""

    def quantile(self, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The q-th quantiles, linearly interpolated."""

    def random_categorical(self, num_sample: int, seed: int = 0, dtype: Any = ...) -> Any:
        """Classes drawn by softmax(logits), by the same numbers in every row; the same ones at every call with a seed."""

    def remainder(self, other: Any) -> Any:
        """Remainder of ``input`` and ``other``, element by element; one of them may be a number."""

    def renorm(self, p: Any, axis: int, maxnorm: float) -> Any:
        """Each slice along ``axis`` scaled down to a p-norm of at most ``maxnorm``."""

    def reverse(self, axis: Any) -> Any:
        """Reversed along the axes."""

    def reverse_sequence(self, seq_lengths: Any, seq_dim: int = 0, batch_dim: int = 0) -> Any:
        """For each batch element, the first ``seq_lengths`` steps reversed."""

    def rot90(self, k: int, dims: Any) -> Any:
        """Turned by k·90° in the plane of two axes."""

    def round(self, decimals: Any = 0) -> Any:
        """Rounded half to even, to ``decimals`` places."""

    def scatter_add(self, *args: Any, **kwargs: Any) -> Any:
        """``scatter_add(indices, updates)`` adds at coordinates; torch's ``scatter_add(dim, index, src)`` element by element."""

    def scatter_div(self, indices: Any, updates: Any) -> Any:
        """A copy of ``input_x`` with the updates combined (div) at coordinates."""

    def scatter_max(self, indices: Any, updates: Any) -> Any:
        """A copy of ``input_x`` with the updates combined (max) at coordinates."""

    def scatter_min(self, indices: Any, updates: Any) -> Any:
        """A copy of ``input_x`` with the updates combined (min) at coordinates."""

    def scatter_mul(self, indices: Any, updates: Any) -> Any:
        """A copy of ``input_x`` with the updates combined (mul) at coordinates."""

    def scatter_sub(self, indices: Any, updates: Any) -> Any:
        """A copy of ``input_x`` with the updates combined (sub) at coordinates."""

    def select(self, *args: Any, **kwargs: Any) -> Any:
        """``select(condition, y)`` is self where the condition holds, else y; torch's ``select(dim, index)`` one slice."""

    def select_scatter(self, src: Any, axis: int, index: int) -> Any:
        """``input`` with one slice of ``axis`` replaced."""

    def sgn(self) -> Any:
        """Sgn, element by element."""

    def slice_scatter(self, src: Any, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
        """``input`` with a slice of ``axis`` replaced."""

    def slogdet(self) -> Any:
        """(sign, logarithm of the absolute value) of the determinant."""

    def soft_shrink(self, lambd: float = 0.5) -> Any:
        """x moved towards 0 by ``lambd``, 0 in between."""

    def softmax(self, axis: Any = -1, dtype: Any = None) -> Any:
        """exp(x) normalized to sum 1 along ``axis``."""

    def std_mean(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        """(standard deviation, mean) over ``axis``."""

    def subtract(self, other: Any, *, alpha: Any = 1) -> Any:
        """input - alpha * other; bools that are subtracted count as int64."""

    def svd(self, full_matrices: bool = False, compute_uv: bool = True) -> Any:
        """(singular values, U, V), or the values alone. V is not transposed."""

    def swapaxes(self, axis0: Any = None, axis1: Any = None, *, axis2: Any = None) -> Any:
        """Two axes exchanged: ``axis0`` and ``axis1``; in 1.x ``axis1`` and ``axis2``."""

    def t(self) -> Any:
        """The transposed matrix; 0-d and 1-d stay."""

    def tensor_split(self, indices_or_sections: Any, axis: int = 0) -> Any:
        """Pieces: a number of nearly equal ones, or cut at the indices."""

    def top_k(self, k: int, sorted: bool = True) -> Any:
        """(the k largest values of the last axis, their int32 indices)."""

    def topk(self, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True) -> Any:
        """(the k largest or smallest values along ``dim``, their int32 indices)."""

    def true_divide(self, divisor: Any) -> Any:
        """True divide of ``input`` and ``other``, element by element; one of them may be a number."""

    def unique(self) -> Any:
        """(distinct elements in the order of first occurrence, index of each element in them)."""

    def unique_consecutive(self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
        """Elements without consecutive repetitions, and what else is asked for."""

    def unique_with_pad(self, pad_num: Any) -> Any:
        """`unique`, with the distinct elements filled up by ``pad_num`` to the length of ``x``."""

    def unsorted_segment_max(self, segment_ids: Any, num_segments: Any) -> Any:
        """Maxima of the slices with one id; segments without any are the dtype's minimum."""

    def unsorted_segment_min(self, segment_ids: Any, num_segments: Any) -> Any:
        """Minima of the slices with one id; segments without any are the dtype's maximum."""

    def unsorted_segment_prod(self, segment_ids: Any, num_segments: Any) -> Any:
        """Products of the slices with one id; segments without any are 1."""

    def var_mean(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        """(variance, mean) over ``axis``."""

    def vsplit(self, indices_or_sections: Any) -> Any:
        """`tensor_split` along the first axis."""

    def where(self, condition: Any, y: Any) -> Any:
        """self where the condition holds, else ``y``."""

    def xdivy(self, y: Any) -> Any:
        """x / y, and 0 where x is 0."""

    def xlogy(self, other: Any) -> Any:
        """input * log(other), 0 where input is; beside a number, which counts as float32, 16-bit floats are cast to it."""
