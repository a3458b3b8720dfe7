"""Linear algebra: products, factors, solutions, norms, diagonals and bands.

A sum of a tensor and a product adds beta * input and alpha * product, as MindSpore does. The result has the broadcast
shape and the promoted type, and a beta of 0 keeps NaN. torch's fused kernel is used where it agrees.

A band k = (lowest, highest) is packed as (..., diagonals, longest), the highest diagonal first; shorter ones lie at the
left or right as ``align`` says of those above and below the main diagonal: "RIGHT_LEFT", "LEFT_RIGHT", ...
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels, norms, subgradients
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype, with_dtype_fallback
from mindspore_compat._ops.adapt import as_axes, as_ints, as_plain, dtype_or_none, is_cast_by_operator, pair, to_dtype
from mindspore_compat._ops.declare import Bool, Typed, classes, functions, op, primitive, primitive_class
from mindspore_compat._ops.reduction import sum
from mindspore_compat._runtime.placement import sent
from mindspore_compat._tensor.wrapping import plain, wrap

_Run = Callable[..., Any]


_ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(k: Any, align: str, owner: str, shape: Any = None) -> tuple[int, int]:
    """Return (lowest, highest), both of them diagonals of matrices of this shape."""
    if align not in _ALIGNS:
        raise ValueError(f"For '{owner}', the 'align' must be one of {list(_ALIGNS)}, but got {align!r}.")
    given = as_ints(k)
    if len(given) not in (1, 2) or given[0] > given[-1]:
        raise ValueError(f"For '{owner}', the 'k' must be a number or (lowest, highest), but got {given}.")
    if shape is not None and not -shape[-2] < given[0] <= given[-1] < shape[-1]:
        raise ValueError(
            f"For '{owner}', the 'k' must be between {1 - shape[-2]} and {shape[-1] - 1}, the diagonals of matrices of "
            f"shape {tuple(shape[-2:])}, but got {given}."
        )
    return given[0], given[-1]


def _places(rows: int, columns: int, low: int, high: int, align: str) -> tuple[Any, Any, Any]:
    """Return (row, column, whether there is one) of each packed value, (diagonals, longest), on the host."""
    above, below = (side == "LEFT" for side in align.split("_"))
    numbers = torch.arange(high, low - 1, -1).unsqueeze(1)
    sizes = torch.minimum(rows + torch.clamp(numbers, max=0), columns - torch.clamp(numbers, min=0))
    longest = int(torch.max(sizes))
    at_left = ((numbers >= 0) & above) | ((numbers <= 0) & below)
    rank = torch.arange(longest).unsqueeze(0) - torch.where(at_left, 0, longest - sizes)
    exists = (rank >= 0) & (rank < sizes)
    row = torch.clamp(rank - torch.clamp(numbers, max=0), 0, rows - 1)
    column = torch.clamp(rank + torch.clamp(numbers, min=0), 0, columns - 1)
    return row, column, exists


@op
def matrix_diag_part(x: Any, k: Any, padding_value: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Return the diagonals k of matrices (..., rows, columns): (..., length), or packed as a band."""
    low, high = _band(k, align, "matrix_diag_part", x.shape)
    places = _places(x.shape[-2], x.shape[-1], low, high, align)
    row, column, exists = (sent(item, x.device) for item in places)
    found = torch.where(exists, x[..., row, column], as_plain(padding_value, x.dtype, x).detach())
    return wrap(found[..., 0, :] if low == high else found)


@op
def matrix_set_diag(x: Any, diagonal: Any, k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Return matrices with the diagonals k replaced by those of `matrix_diag_part`."""
    low, high = _band(k, align, "matrix_set_diag", x.shape)
    if x.dtype is not diagonal.dtype:
        x, diagonal = pair(x, diagonal)
    row, column, exists = _places(x.shape[-2], x.shape[-1], low, high, align)
    values = diagonal.unsqueeze(-2) if low == high and diagonal.dim() == x.dim() - 1 else diagonal
    if tuple(values.shape) != (*x.shape[:-2], *row.shape):
        raise ValueError(
            f"For 'matrix_set_diag', the shape of 'diagonal' must be {(*x.shape[:-2], *row.shape)}, but got "
            f"{tuple(diagonal.shape)}."
        )
    to = sent((row * x.shape[-1] + column)[exists], x.device)
    kept = sent(torch.nonzero(torch.flatten(exists)).squeeze(1), x.device)
    whole = torch.flatten(torch.clone(x), -2)
    new = torch.index_select(torch.flatten(values, -2), -1, kept)
    return wrap(torch.reshape(torch.scatter(whole, -1, to.expand(new.shape), new), tuple(x.shape)))


@op
def matrix_diag(
    x: Any, k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Return matrices with ``x`` on the diagonals k, as `matrix_diag_part` packs them, and ``padding_value`` elsewhere;
    -1 rows or columns are as few as it takes.
    """
    low, high = _band(k, align, "matrix_diag")
    longest = x.shape[-1]
    rows, columns = (int(item) for item in (num_rows, num_cols))
    least_rows, least_columns = longest - min(high, 0), longest + max(low, 0)
    if rows < 0 and columns < 0:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows < 0 else rows, least_columns if columns < 0 else columns
    leading = x.shape[:-1] if low == high else x.shape[:-2]
    value = as_plain(padding_value, x.dtype, x).detach()
    whole = torch.Tensor.expand(torch.reshape(value, (1,) * (len(leading) + 2)), (*leading, rows, columns))
    return matrix_set_diag(whole, x, k, align)


@op(formerly="input_x=A")
def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return vector or matrix norm."""
    return wrap(norms.norm(A, ord, as_axes(dim), keepdim, dtype_or_none(dtype)))


@op
def vector_norm(x: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Return the ``ord``-norm of vectors along ``axis``."""
    return wrap(norms.vector_norm(x, ord, as_axes(axis), keepdims, dtype_or_none(dtype)))


@op
def matrix_norm(A: Any, ord: Any = "fro", axis: Any = (-2, -1), keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Return the ``ord``-norm of matrices in the two axes."""
    return wrap(norms.matrix_norm(A, ord, tuple(axis), bool(keepdims), dtype_or_none(dtype)))


@with_dtype_fallback
def euclidean_norm(x: Any, axes: Any = (), keep_dims: bool = False) -> Any:
    """Return the root of the sum of squares over ``axes``, in the dtype of ``x``."""
    exact = torch.abs(x if x.is_floating_point() or x.is_complex() else x.double())
    return wrap(torch.sqrt(torch.sum(kernels.square(exact), as_axes(axes), keep_dims)).to(x.dtype))


@with_dtype_fallback
def lp_norm(x: Any, axis: Any, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> Any:
    """Return the p-norm over ``axis``, at least ``epsilon``."""
    return wrap(subgradients.clamp(norms.vector_norm(x, p, as_axes(axis), keep_dims), min=epsilon))


LpNorm = primitive_class(
    "LpNorm", lp_norm, axis=(Any, ...), p=(int, 2), keep_dims=(bool, False), epsilon=(float, 1e-12), inputs="input"
)


@with_dtype_fallback
def nuclear_norm(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the sum of singular values."""
    return wrap(kernels.matrix_norm(x, "nuc", tuple(dim) if dim else (-2, -1), keepdim))


NuclearNorm = primitive_class("NuclearNorm", nuclear_norm, dim=(Any, None), keepdim=(bool, False))


@with_dtype_fallback
def l2_normalize(x: Any, axis: Any = 0, epsilon: float = 1e-4) -> Any:
    """Return x / sqrt(max(sum(x²), epsilon)) over ``axis``."""
    squares = torch.sum(kernels.square(x), as_axes(axis), True)
    return wrap(x / torch.sqrt(subgradients.clamp(squares, min=epsilon)))


L2Normalize = primitive_class(
    "L2Normalize", l2_normalize, "x / sqrt(max(sum(x²), epsilon)).", axis=(Any, 0), epsilon=(float, 0.0001)
)


@op(formerly="input_x=input dim=axis", method="renorm")
def renorm(input: Any, p: Any, axis: int, maxnorm: float) -> Any:
    """Scale each slice along ``axis`` down to a p-norm of at most ``maxnorm``."""
    return wrap(kernels.renorm(input, p, axis, maxnorm))


Renorm = primitive_class(
    "Renorm",
    renorm,
    "Each slice scaled down to a p-norm of at most ``maxnorm``.",
    p=(float, ...),
    dim=(int, ..., "axis"),
    maxnorm=(float, ...),
    inputs="x",
)


@op(method="dist")
def dist(input: Any, other: Any, p: Any = 2) -> Any:
    """Return the p-norm of input - other."""
    return wrap(torch.dist(input, other, p))


def _whole_factors(addend: torch.Tensor, beta: Any, alpha: Any) -> tuple[Any, Any]:
    """Return the factors beside an addend; those of integers are truncated."""
    return (beta, alpha) if addend.is_floating_point() else (int(beta), int(alpha))


def _fused(kernel: Any, addend: Any, one: Any, other: Any, beta: Any, alpha: Any) -> Any:
    """Return the sum by torch's one kernel, or None where that computes another."""
    if not (addend.is_floating_point() and addend.dtype is one.dtype is other.dtype and beta and alpha):
        return None
    try:
        return wrap(kernel(addend, one, other, beta=beta, alpha=alpha))
    except NotImplementedError:
        raise
    except (IndexError, RuntimeError):  # a larger addend, or operands that do not fit: the parts tell
        return None


@op(formerly="x=input", method="addmm")
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * (mat1 @ mat2), input of any shape that broadcasts with the product's."""
    fused = _fused(kernels.addmm, input, mat1, mat2, beta, alpha)
    if fused is not None:
        return fused
    return beta * input + alpha * mat_mul(mat1, mat2)


@with_dtype_fallback
def addmm_(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Run `addmm` in place."""
    return wrap(torch.Tensor.addmm_(input, mat1, mat2, beta=beta, alpha=alpha))


@op(formerly="x=input")
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * (mat @ vec), input of any shape that broadcasts with the product's."""
    beta, alpha = _whole_factors(input, beta, alpha)
    fused = _fused(kernels.addmv, input, mat, vec, beta, alpha)
    return beta * input + alpha * mv(mat, vec) if fused is None else fused


@op(formerly="x=input", method="addbmm")
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * the products' sum over the batch (of two matrices over the product's rows)."""
    fused = _fused(kernels.addbmm, input, batch1, batch2, beta, alpha)
    return beta * input + alpha * sum(bmm(batch1, batch2), 0) if fused is None else fused


@op(formerly="x=input", method="baddbmm")
def baddbmm(input: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * (batch1 @ batch2), of matrices too; input broadcasts with the product."""
    fused = _fused(kernels.baddbmm, input, batch1, batch2, beta, alpha)
    return beta * input + alpha * bmm(batch1, batch2) if fused is None else fused


baddbmm_ext = baddbmm


@op
def addr(x: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * x + alpha * outer(vec1, vec2), x of any shape that broadcasts with the product's."""
    beta, alpha = _whole_factors(x, beta, alpha)
    fused = _fused(kernels.addr, x, vec1, vec2, beta, alpha) if x.dim() <= 2 else None  # torch's derivative has no more
    if fused is not None:
        return fused
    column, row = vec1.reshape(vec1.shape[0], 1), vec2.reshape(1, vec2.shape[0])
    return beta * x + alpha * mat_mul(column, row)


#: share of the largest coordinate that rounding may move a corner on an edge outside
_ROUNDING = 1e-9


@op(fallback=False)
def rotated_iou(
    boxes: Any,
    query_boxes: Any,
    trans: bool = False,
    mode: int = 0,
    is_cross: bool = True,
    v_threshold: float = 0.0,
    e_threshold: float = 0.0,
) -> Any:
    """Return the share that rotated rectangles have in common.

    Args:
        boxes, query_boxes: (B, N, 5) and (B, K, 5): the centre, width, height and angle in degrees of each; with
            ``trans`` the corners x1, y1, x2, y2 before it is turned about its centre, and the angle.
        mode: 1: of the area of ``boxes``; else of the area of both together.
        is_cross: every box with every query box: (B, N, K); else the n-th with the n-th: (B, N).
        v_threshold, e_threshold: so far outside of a rectangle a corner still counts as in it, and so far beyond its
            ends an edge is still crossed, in units of the coordinates.

    Raises:
        ValueError: for shapes that do not fit.

    Examples:
        >>> a = Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]])
        >>> b = Tensor([[[1.0, 0.0, 2.0, 2.0, 90.0]]])
        >>> print(ops.rotated_iou(a, b).shape)
        (1, 1, 1)
    """
    for name, item in (("boxes", boxes), ("query_boxes", query_boxes)):
        if item.dim() != 3 or item.shape[-1] != 5:
            raise ValueError(f"For 'rotated_iou', '{name}' must have the shape (B, N, 5), but got {tuple(item.shape)}.")
    if boxes.shape[0] != query_boxes.shape[0] or (not is_cross and boxes.shape != query_boxes.shape):
        raise ValueError(
            f"For 'rotated_iou', the shapes {tuple(boxes.shape)} and {tuple(query_boxes.shape)} do not fit."
        )
    (first, first_area), (second, second_area) = (
        _corners(plain(item).detach().to(torch.float64), trans) for item in (boxes, query_boxes)
    )
    if is_cross:
        first, first_area = first.unsqueeze(2), first_area.unsqueeze(2)
        second, second_area = second.unsqueeze(1), second_area.unsqueeze(1)
    first, second = torch.broadcast_tensors(first, second)
    common = _common_area(first, second, v_threshold, e_threshold)
    whole = first_area.expand_as(common) if mode == 1 else first_area + second_area - common
    share = torch.where(whole > 0, common / whole, torch.zeros_like(common))
    return wrap(share.to(boxes.dtype))


def _corners(boxes: torch.Tensor, trans: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ((..., 4, 2) counter-clockwise, areas)."""
    a, b, c, d, angle = boxes.unbind(-1)
    x, y, width, height = ((a + c) / 2, (b + d) / 2, c - a, d - b) if trans else (a, b, c, d)
    width, height, turn = width.abs(), height.abs(), angle * (math.pi / 180)
    signs = torch.tensor([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=boxes.dtype, device=boxes.device) / 2
    across, up = width[..., None] * signs[:, 0], height[..., None] * signs[:, 1]
    cos, sin = torch.cos(turn)[..., None], torch.sin(turn)[..., None]
    corners = torch.stack((x[..., None] + across * cos - up * sin, y[..., None] + across * sin + up * cos), -1)
    return corners, width * height


def _cross(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _is_inside(points: torch.Tensor, corners: torch.Tensor, slack: torch.Tensor) -> torch.Tensor:
    """Return whether (..., P, 2) points lie in rectangles (..., 4, 2), at most ``slack`` outside."""
    edges = torch.roll(corners, -1, -2) - corners
    lengths = torch.hypot(*edges.unbind(-1)).clamp(min=1e-300)
    distances = _cross(edges.unsqueeze(-3), points.unsqueeze(-2) - corners.unsqueeze(-3)) / lengths.unsqueeze(-2)
    return (distances >= -slack[..., None, None]).all(-1)


def _common_area(a: torch.Tensor, b: torch.Tensor, v_slack: float, e_slack: float) -> torch.Tensor:
    """Return the area of the polygon between corners of each that lie in the other and crossings of the edges."""
    rounding = torch.maximum(a.abs().amax((-1, -2)), b.abs().amax((-1, -2))) * _ROUNDING
    along, other = torch.roll(a, -1, -2) - a, torch.roll(b, -1, -2) - b
    between = b.unsqueeze(-3) - a.unsqueeze(-2)  # (..., edge of a, edge of b, 2)
    turn = _cross(along.unsqueeze(-2), other.unsqueeze(-3))
    lengths = [torch.hypot(*item.unbind(-1)) for item in (along, other)]
    is_parallel = turn.abs() <= 1e-12 * lengths[0].unsqueeze(-1) * lengths[1].unsqueeze(-2)
    safe = torch.where(is_parallel, torch.ones_like(turn), turn)
    on_a, on_b = _cross(between, other.unsqueeze(-3)) / safe, _cross(between, along.unsqueeze(-2)) / safe
    slack = (rounding + e_slack)[..., None, None]
    beyond = [slack / item.clamp(min=1e-300) for item in (lengths[0].unsqueeze(-1), lengths[1].unsqueeze(-2))]
    meets = ~is_parallel
    for place, more in zip((on_a, on_b), beyond):
        meets = meets & (place >= -more) & (place <= 1 + more)
    crossings = (a.unsqueeze(-2) + on_a.unsqueeze(-1) * along.unsqueeze(-2)).flatten(-3, -2)
    points = torch.cat((a, b, crossings), -2)
    counts = torch.cat(
        (_is_inside(a, b, rounding + v_slack), _is_inside(b, a, rounding + v_slack), meets.flatten(-2)), -1
    )
    return _hull_area(points, counts)


def _hull_area(points: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Return the area of the convex polygon of those of the points that count."""
    number = counts.sum(-1, keepdim=True)
    centre = (points * counts.unsqueeze(-1)).sum(-2) / number.clamp(min=1)
    moved = torch.where(counts.unsqueeze(-1), points - centre.unsqueeze(-2), torch.zeros_like(points))
    angles = torch.where(counts, torch.atan2(moved[..., 1], moved[..., 0]), torch.full_like(moved[..., 0], 9.0))
    order = torch.argsort(angles, -1)
    ring = torch.gather(moved, -2, order.unsqueeze(-1).expand_as(moved))
    counted = torch.gather(counts, -1, order).unsqueeze(-1)
    ring = torch.where(counted, ring, ring[..., :1, :])  # ignored points repeat the first corner
    return _cross(ring, torch.roll(ring, -1, -2)).sum(-1).clamp(min=0) / 2


_INNER = dict.fromkeys((torch.int8, torch.int16, torch.int32, torch.float16), torch.float32)

_INNER |= {torch.int64: torch.float64}


def solve_triangular(a: Any, b: Any, trans: int = 0, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """Return x with a·x = b, where only a triangle of ``a`` is read.

    Args:
        a: (…, N, N). b: (…, N, M) or (…, N), of the same dtype. Integers give float32, int64 float64.
        trans: 0 as above, 1 for aᵀ·x = b, 2 for its conjugate.
        lower: which triangle. unit_diagonal: whether its diagonal counts as 1.

    Examples:
        >>> print(solve_triangular(Tensor([[2.0, 1.0], [9.0, 4.0]]), Tensor([4.0, 4.0])))
        [1.5 1. ]
    """
    inner = _INNER.get(a.dtype, a.dtype)
    matrix, right = torch.Tensor.to(a, inner), torch.Tensor.to(b, inner)
    is_vector = b.dim() < a.dim()
    read = (matrix, matrix.mT, matrix.mH)[trans]
    found = torch.linalg.solve_triangular(
        read, right.unsqueeze(-1) if is_vector else right, upper=lower == bool(trans), unitriangular=unit_diagonal
    )
    found = found.squeeze(-1) if is_vector else found
    return wrap(to_dtype(found, a.dtype) if a.dtype.is_floating_point else found)


@op(fallback=False, formerly="x1=input x2=other tensor2=other", method="matmul")
def matmul(input: Any, other: Any) -> Any:
    """Return the matrix product, with broadcasting of leading axes. Real inputs of two dtypes become float32."""
    if input.dtype is not other.dtype:
        input, other = pair(input, other)
        if not input.is_complex():
            input, other = input.float(), other.float()
    try:
        return wrap(kernels.matmul(input, other))
    except RuntimeError as error:
        return wrap(retry_in_wider_dtype(error, kernels.matmul, (input, other), None, "matmul"))


def _matrix_product(input: Any, mat2: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Return the product of two matrices, each transposed first if so asked."""
    if transpose_a:
        input = torch.transpose(input, -1, -2)
    if transpose_b:
        mat2 = torch.transpose(mat2, -1, -2)
    return wrap(kernels.matmul(input, mat2))


mat_mul = batch_mat_mul = op(_matrix_product, name="mat_mul", listed=False)
MatMul = primitive_class("MatMul", mat_mul, transpose_a=(Bool, False), transpose_b=(Bool, False), settable=True)
BatchMatMul = primitive_class(
    "BatchMatMul",
    batch_mat_mul,
    "The products of matrices in leading axes, each transposed first if so asked.",
    transpose_a=(Bool, False),
    transpose_b=(Bool, False),
    inputs="x y",
    settable=True,
)


@op
def mm(input: Any, mat2: Any) -> Any:
    """Return the product of two matrices."""
    return wrap(kernels.mm(input, mat2))


@op(method="bmm")
def bmm(input_x: Any, mat2: Any) -> Any:
    """Return the products of matrices in a batch."""
    return wrap(kernels.matmul(input_x, mat2))


@op
def mv(mat: Any, vec: Any) -> Any:
    """Return a matrix times a vector."""
    return wrap(kernels.mv(mat, vec))


@op(hidden="x1 x2", formerly="a=input b=other", method="dot")
def dot(input: Any = None, other: Any = None, *, x1: Any = None, x2: Any = None) -> Any:
    """Return the product over the last axis of the first and the last but one of the second, as numpy's ``dot``; matrix
    @ vector works too.
    """
    input, other = x1 if input is None else input, x2 if other is None else other
    if input.dim() == 0 or other.dim() == 0:
        return wrap(torch.mul(input, other))
    if input.dim() <= 2 and other.dim() <= 2:
        return wrap(kernels.matmul(input, other))
    axis = max(other.dim() - 2, 0)
    return wrap(kernels.tensordot(input, other, ([input.dim() - 1], [axis])))


@op
def batch_dot(x1: Any, x2: Any, axes: Any = None) -> Any:
    """Return for each batch element the product summed over one axis of each input."""
    if axes is None:
        axes = (x1.dim() - 1, 1 if x2.dim() == 2 else x2.dim() - 2)
    axes = (axes, axes) if isinstance(axes, int) else tuple(axes)
    first, second = axes[0] % x1.dim(), axes[1] % x2.dim()
    a, b = torch.movedim(x1, first, -1), torch.movedim(x2, second, 1)
    rest_a, rest_b = tuple(a.shape[1:-1]), tuple(b.shape[2:])
    product = kernels.bmm(
        torch.reshape(a, (a.shape[0], -1, a.shape[-1])), torch.reshape(b, (b.shape[0], b.shape[1], -1))
    )
    return wrap(torch.reshape(product, (a.shape[0], *(rest_a + rest_b or (1,)))))


def _summed_axes(x1: Any, x2: Any, axes: Any) -> list[list[int]]:
    """Return the axes of each input that ``tensor_dot`` sums over, counted from the front. Their sizes agree one by
    one, in this or in the reverse order: MindSpore accepts both.
    """
    shapes = f"'x1_shape': {tuple(x1.shape)}, 'x2_shape': {tuple(x2.shape)}, 'axes': {axes}"
    if isinstance(axes, int):
        if not 0 <= axes <= min(x1.dim(), x2.dim()):
            raise ValueError(f"For 'tensor_dot', 'axes' must be from 0 to what each input has, but got {shapes}.")
        axes = (range(x1.dim() - axes, x1.dim()), range(axes))
    named = [[item] if isinstance(item, int) else list(item) for item in axes]
    for tensor, items in zip((x1, x2), named):
        if any(not -tensor.dim() <= item < tensor.dim() for item in items):
            raise ValueError(f"For 'tensor_dot', 'axes' must be axes that the inputs have, but got {shapes}.")
        items[:] = [item % tensor.dim() for item in items]
        if len(set(items)) < len(items):
            raise ValueError(f"For 'tensor_dot', the 'axes' cannot have duplicating values, but got {shapes}.")
    sizes = [[tensor.shape[item] for item in items] for tensor, items in zip((x1, x2), named)]
    if sizes[1] not in (sizes[0], sizes[0][::-1]):
        raise ValueError(f"For 'tensor_dot', axes summed over must be as long in 'x1' as in 'x2', but got {shapes}.")
    return named


@op
def tensor_dot(x1: Any, x2: Any, axes: Any) -> Any:
    """Return the product summed over axes: the last and first ``axes`` ones, or those named in a pair. Each input is
    flattened in the named order, which also pairs the axes where their sizes agree in reverse order.
    """
    first, second = _summed_axes(x1, x2, axes)
    rest = [[i for i in range(tensor.dim()) if i not in summed] for tensor, summed in ((x1, first), (x2, second))]
    shape = [x1.shape[i] for i in rest[0]] + [x2.shape[i] for i in rest[1]]
    left = torch.flatten(torch.permute(x1, rest[0] + first), len(rest[0])) if first else torch.unsqueeze(x1, -1)
    right = torch.permute(x2, second + rest[1])
    right = torch.flatten(right, 0, len(second) - 1) if second else torch.unsqueeze(right, 0)
    return wrap(torch.reshape(kernels.tensordot(left, right, ([left.dim() - 1], [0])), shape))


@op(method="inner")
def inner(input: Any, other: Any) -> Any:
    """Return the product summed over the last axes."""
    return wrap(kernels.inner(input, other))


@op(formerly="x1=input x2=vec2", method="outer")
def outer(input: Any, vec2: Any) -> Any:
    """Return the outer product of two vectors."""
    return wrap(torch.mul(torch.reshape(input, (-1, 1)), vec2))


@op(formerly="x1=input x2=vec2", method="ger", in_method="x=vec2")
def ger(input: Any, vec2: Any) -> Any:
    """Return the outer product of two vectors."""
    return wrap(torch.outer(input, vec2))


Ger = primitive_class("Ger", ger, inputs="x1 x2")


@op(formerly="x=input y=other")
def kron(input: Any, other: Any) -> Any:
    """Return the Kronecker product."""
    return wrap(torch.kron(input, other))


@op
def vecdot(x: Any, y: Any, *, axis: int = -1) -> Any:
    """Return the product of vectors along ``axis``; of integers in int64, of bools how often both are true."""
    if x.is_complex() or y.is_complex():
        return wrap(torch.linalg.vecdot(x, y, dim=axis))
    return wrap(torch.sum(x * y, dim=axis))


@op(method="cross")
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Return the cross product along ``dim`` (None: the first axis of length 3)."""
    input, other = torch.broadcast_tensors(input, other)
    if dim is None or dim == -65530:
        dim = next((axis for axis, length in enumerate(input.shape) if length == 3), None)
        if dim is None:
            raise ValueError(f"For 'Cross', one axis of the inputs must have size 3, but got {tuple(input.shape)}.")
    return wrap(torch.linalg.cross(input, other, dim=dim))


Cross = primitive_class("Cross", cross, "The cross product.", dim=(int, -65530), settable=True)


@op
def einsum(equation: str, *operands: Any) -> Any:
    """Return sums of products by Einstein's notation."""
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    return wrap(kernels.einsum(equation, *operands))


einsum_ext = einsum


@op
def bidense(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """Return input1 · weight · input2 + bias, for each output."""
    return wrap(kernels.bilinear(input1, input2, weight, bias))


@op
def dense(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return input @ weight.T + bias."""
    return wrap(kernels.linear(input, weight, bias))


Dense = primitive_class("Dense", dense)


@op(hidden="data_format")
def bias_add(input_x: Any, bias: Any, data_format: str = "NCHW") -> Any:
    """Return ``bias`` added to the channels: the second axis, or the last for "NHWC"."""
    if data_format in ("NCHW", "NCDHW") and input_x.dim() > 2:
        bias = torch.reshape(bias, (-1, *(1,) * (input_x.dim() - 2)))
    return wrap(torch.add(input_x, bias))


BiasAdd = primitive_class(
    "BiasAdd",
    bias_add,
    "A bias added to the channels.",
    data_format=(Literal["NCHW", "NHWC", "NCDHW"], "NCHW"),
    inputs="input_x bias",
    settable=True,
)


@op(formerly="x=x1 y=x2")
def cdist(x1: Any, x2: Any, p: float = 2.0) -> Any:
    """Return p-norm distances of all pairs of rows."""
    return wrap(kernels.cdist(x1, x2, p))


Cdist = primitive_class("Cdist", cdist, p=(float, 2.0), settable=True)


@op(formerly="x=input")
def pdist(input: Any, p: float = 2.0) -> Any:
    """Return p-norm distances of all pairs of rows of one matrix."""
    if input.dtype is torch.float16:  # torch has no kernel of it
        distances = torch.pdist(torch.Tensor.float(input), p)
        return wrap(distances if is_cast_by_operator() else to_dtype(distances, torch.float16))
    return wrap(torch.pdist(input, p))


Pdist = primitive_class("Pdist", pdist, p=(float, 2.0), inputs="x")


# --- factors and solutions --------------------------------------------------------------------------------------------
@op(method="cholesky")
def cholesky(input_x: Any, upper: bool = False) -> Any:
    """Return the Cholesky factor."""
    return wrap(torch.linalg.cholesky(input_x, upper=upper))


Cholesky = primitive_class("Cholesky", cholesky, upper=(bool, False), settable=True)


def from_triangle(matrix: torch.Tensor, lower: bool) -> torch.Tensor:
    """Return the symmetric (Hermitian) matrix with this triangle; the gradient is by the triangle alone."""
    kept = torch.tril(matrix) if lower else torch.triu(matrix)
    return kept + torch.tril(matrix, -1).mH if lower else kept + torch.triu(matrix, 1).mH


@op(method="cholesky_inverse")
@kernels.as_given
def cholesky_inverse(input_x: Any, upper: bool = False) -> Any:
    """Return the inverse of a matrix given by its Cholesky factor L (U, ``upper``): of L·Lᵀ (Uᵀ·U), the other triangle
    as it is, as in MindSpore.
    """
    inverse = torch.linalg.inv(input_x)
    return wrap(kernels.matmul(*((inverse, inverse.mT) if upper else (inverse.mT, inverse))))


CholeskyInverse = primitive_class("CholeskyInverse", cholesky_inverse, upper=(bool, False), settable=True)


@op(method="cholesky_solve")
def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Any:
    """Return the solution of A x = input, with the Cholesky factor ``input2`` of A."""
    return wrap(torch.cholesky_solve(input, input2, upper))


CholeskySolve = primitive_class(
    "CholeskySolve",
    cholesky_solve,
    "The solution of a system by the Cholesky factor.",
    upper=(bool, False),
    inputs="x1 x2",
)


@op
def cond(A: Any, p: Any = None) -> Any:
    """Return the condition number."""
    return wrap(torch.linalg.cond(A, p))


@op(formerly="x=input", method="det matrix_determinant")
def det(input: Any) -> Any:
    """Return the determinant."""
    return wrap(torch.linalg.det(input))


matrix_determinant = det
MatrixDeterminant = primitive_class("MatrixDeterminant", matrix_determinant)


@op
def logdet(input: Any) -> Any:
    """Return the logarithm of the determinant."""
    return wrap(torch.logdet(input))


@op(formerly="x=input", method="log_matrix_determinant slogdet")
def slogdet(input: Any) -> Any:
    """Return (sign, logarithm of the absolute value) of the determinant."""
    return wrap(tuple(torch.linalg.slogdet(input)))


log_matrix_determinant = slogdet
LogMatrixDeterminant = primitive_class("LogMatrixDeterminant", log_matrix_determinant)


@op
def eig(A: Any) -> Any:
    """Return (eigenvalues, eigenvectors), complex."""
    return wrap(tuple(torch.linalg.eig(A)))


@op(method="eigvals")
def eigvals(A: Any) -> Any:
    """Return eigenvalues, complex."""
    return wrap(torch.linalg.eigvals(A))


@op(method="geqrf")
def geqrf(input: Any) -> Any:
    """Return (factor, tau) of the QR decomposition in LAPACK's form."""
    return wrap(tuple(torch.geqrf(input)))


Geqrf = primitive_class("Geqrf", geqrf)


@op
def inverse(input: Any) -> Any:
    """Return the inverse matrix."""
    return wrap(torch.linalg.inv(input))


@op(method="lu_solve")
def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """Return the solution of A x = b from the LU factors of A."""
    return wrap(torch.lu_solve(b, LU_data, LU_pivots))


LuSolve = primitive_class("LuSolve", lu_solve)


@op
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return (P, L, U) from LAPACK's form."""
    return wrap(tuple(torch.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)))


LuUnpack = primitive_class("LuUnpack", lu_unpack, unpack_data=(bool, True), unpack_pivots=(bool, True))


@op(formerly="x=input")
def matrix_exp(input: Any) -> Any:
    """Return the matrix exponential."""
    return wrap(torch.linalg.matrix_exp(input))


MatrixExp = primitive_class("MatrixExp", matrix_exp)


@op
def matrix_power(input: Any, n: int) -> Any:
    """Return the n-th power of a square matrix."""
    return wrap(kernels.matrix_power(input, n))


MatrixPower = primitive_class("MatrixPower", matrix_power, n=(int, ...))


@op
def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """Return the solution of matrix @ x = rhs."""
    return wrap(torch.linalg.solve(torch.adjoint(matrix) if adjoint else matrix, rhs))


MatrixSolve = primitive_class("MatrixSolve", matrix_solve, adjoint=(bool, False))


@with_dtype_fallback
def matrix_triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Any:
    """Run `matrix_solve` for a triangular matrix."""
    if adjoint:
        matrix, lower = torch.adjoint(matrix), not lower
    return wrap(torch.linalg.solve_triangular(matrix, rhs, upper=not lower))


MatrixTriangularSolve = primitive_class(
    "MatrixTriangularSolve",
    matrix_triangular_solve,
    "`MatrixSolve` for a triangular matrix.",
    lower=(bool, True),
    adjoint=(bool, False),
)


@op(formerly="x=input tau=input2")
def orgqr(input: Any, input2: Any) -> Any:
    """Return Q from Householder vectors and their factors."""
    return wrap(torch.linalg.householder_product(input, input2))


Orgqr = primitive_class("Orgqr", orgqr, inputs="x tau")


@op
def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    """Return Q @ other (or other @ Q) from Householder vectors."""
    return wrap(torch.ormqr(input[..., : tau.shape[-1]], tau, other, left, transpose))


Ormqr = primitive_class(
    "Ormqr",
    ormqr,
    "Q times a matrix from Householder vectors.",
    left=(bool, True),
    transpose=(bool, False),
    inputs="x tau other",
)


@op
def pinv(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the pseudo-inverse."""
    return wrap(torch.linalg.pinv(x, atol=atol, rtol=rtol, hermitian=hermitian))


@op
def qr(input: Any, mode: str = "reduced") -> Any:
    """Return (Q, R); mode "complete" gives a square Q, "r" only R."""
    q, r = torch.linalg.qr(input, mode)
    return (wrap(q), wrap(r))


@op(formerly="a=input", method="svd")
def svd(input: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Return (singular values, U, V), or the values alone. V is not transposed."""
    if not compute_uv:
        return wrap(torch.linalg.svdvals(input))
    u, s, vh = torch.linalg.svd(input, full_matrices)
    return wrap(s), wrap(u), wrap(torch.adjoint(vh).resolve_conj())


@op(method="lstsq")
def lstsq(input: Any, A: Any) -> Any:
    """Return the least-squares solution of input @ x = A."""
    return wrap(torch.linalg.lstsq(input, torch.unsqueeze(A, 1) if A.dim() == 1 else A).solution)


Lstsq = primitive_class(
    "Lstsq",
    lstsq,
    "The least-squares solution.",
    fast=(Annotated[bool, functools.partial(check_one_of, choices=(True,))], True, None),
    l2_regularizer=(Annotated[float, functools.partial(check_one_of, choices=(0.0,))], 0.0, None),
)


@primitive
def MatrixSolveLs(fast: Bool = True) -> _Run:
    """(matrix (..., m, n), rhs (..., m, k), l2): x of least |matrix · x - rhs|² + l2 · |x|²; without ``fast`` l2 is
    ignored, as in MindSpore.
    """

    @kernels.as_given
    def run(matrix: Any, rhs: Any, l2: Any) -> Any:
        weight = l2.to(matrix.device, matrix.real.dtype if matrix.is_complex() else matrix.dtype)
        if not fast:
            return wrap(kernels.matmul(torch.linalg.pinv(matrix), rhs))
        rows, columns = matrix.shape[-2:]
        turned = torch.conj(torch.transpose(matrix, -1, -2)).resolve_conj()
        eye = torch.eye(min(rows, columns), dtype=matrix.dtype, device=matrix.device) * weight
        if rows >= columns:
            return wrap(torch.linalg.solve(kernels.matmul(turned, matrix) + eye, kernels.matmul(turned, rhs)))
        return wrap(kernels.matmul(turned, torch.linalg.solve(kernels.matmul(matrix, turned) + eye, rhs)))

    return run


def _tridiagonal_matmul(superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any) -> Any:
    """Return the product of a matrix with three diagonals (..., 1, m), and ``rhs`` (..., m, n); the last of
    ``superdiag`` and the first of ``subdiag`` do not count.
    """
    above, main, below = (torch.transpose(item, -1, -2) for item in (superdiag, maindiag, subdiag))
    zeros = torch.zeros_like(rhs[..., :1, :])
    following = torch.cat((rhs[..., 1:, :], zeros), -2)
    before = torch.cat((zeros, rhs[..., :-1, :]), -2)
    return wrap(below * before + main * rhs + above * following)


TridiagonalMatMul = primitive_class("TridiagonalMatMul", _tridiagonal_matmul)


@primitive
def Eigh(compute_eigenvectors: Bool = True, lower: Bool = True) -> _Run:
    """The eigenvalues of a symmetric matrix, rising, and its eigenvectors in columns; one triangle of it counts."""

    def run(A: Any) -> Any:
        A, side = from_triangle(A, lower), "L" if lower else "U"
        return wrap(tuple(torch.linalg.eigh(A, side)) if compute_eigenvectors else torch.linalg.eigvalsh(A, side))

    return run


_Align = Literal["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]


@primitive
def DiagPart() -> _Run:
    """The diagonal of a tensor of 2k axes, whose first k lengths equal the last k."""

    def run(input_x: Any) -> Any:
        half = tuple(input_x.shape[: input_x.dim() // 2])
        count = 1
        for length in half:
            count *= length
        return wrap(torch.reshape(torch.diagonal(torch.reshape(input_x, (count, count))), half))

    return run


@primitive
def MatrixDiagV3(align: _Align = "RIGHT_LEFT") -> _Run:
    """Matrices with the diagonals k: (x, k, num_rows, num_cols, padding_value)."""
    return lambda x, k, num_rows=-1, num_cols=-1, padding_value=0: matrix_diag(
        x, k, num_rows, num_cols, padding_value, align
    )


@primitive
def MatrixDiagPartV3(align: _Align = "RIGHT_LEFT") -> _Run:
    """The diagonals k of matrices: (x, k, padding_value)."""
    return lambda x, k, padding_value: matrix_diag_part(x, k, padding_value, align)


@primitive
def MatrixSetDiagV3(align: _Align = "RIGHT_LEFT") -> _Run:
    """Matrices with the diagonals k replaced: (x, diagonal, k)."""
    return lambda x, diagonal, k: matrix_set_diag(x, diagonal, k, align)


@primitive
def EuclideanNorm(keep_dims: bool = False) -> _Run:
    """Root of the sum of squares over ``axes``."""
    return lambda x, axes: euclidean_norm(x, axes, keep_dims)


@primitive(inputs="inputs")
def Einsum(equation: Typed[str]) -> _Run:
    """Sums of products by Einstein's notation."""
    return lambda *inputs: einsum(equation, *inputs)


@primitive
def MatrixInverse(adjoint: bool = False) -> _Run:
    """The inverse matrix, of the adjoint if so asked."""
    return lambda x: inverse(torch.adjoint(x) if adjoint else x)


@primitive(settable=True)
def Eig(compute_v: bool = False) -> _Run:
    """(eigenvalues, eigenvectors or an empty tensor), complex."""
    return lambda x: (
        eig(x)
        if compute_v
        else (eigvals(x), wrap(x.new_empty((0,), dtype=torch.promote_types(x.dtype, torch.complex64))))
    )


@primitive(settable=True)
def Qr(full_matrices: bool = False) -> _Run:
    """(Q, R)."""
    return lambda x: qr(x, "complete" if full_matrices else "reduced")


@primitive(settable=True)
def Svd(full_matrices: bool = False, compute_uv: bool = True) -> _Run:
    """(singular values, U, V); without U and V, empty tensors in their place."""
    if compute_uv:
        return lambda input: svd(input, full_matrices, True)
    return lambda input: (
        svd(input, full_matrices, False),
        wrap(torch.zeros((1,), dtype=input.dtype, device=input.device)),
        wrap(torch.zeros((1,), dtype=input.dtype, device=input.device)),
    )


def _matrix_logarithm(x: Any) -> Any:
    values, vectors = torch.linalg.eig(x)
    return wrap(vectors @ torch.diag_embed(torch.log(values)) @ torch.linalg.inv(vectors))


MatrixLogarithm = primitive_class("MatrixLogarithm", _matrix_logarithm)

__all__ = functions(globals())
PRIMITIVES = classes(globals())
