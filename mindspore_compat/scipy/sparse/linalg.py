"""Solvers of A x = b by products with A alone: SciPy's on Tensors, with gradients by A and b.

MindSpore: ``mindspore.scipy.sparse.linalg`` (1.6 to 2.x).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor
from mindspore_compat.common.tensor import Tensor

__all__ = ["bicgstab", "cg", "gmres"]

_Arrays = Callable[[np.ndarray], np.ndarray]


def _product(matrix: Any, like: torch.Tensor) -> _Arrays:
    """Return v -> matrix @ v on arrays; ``matrix`` may be a function of a Tensor."""
    if callable(matrix) and not isinstance(matrix, torch.Tensor):
        return lambda v: matrix(Tensor(v.astype(np.float64)).to(like.dtype)).asnumpy()
    array = matrix.detach().cpu().numpy()
    return lambda v: array @ v


def _solved(name: str, matrix: Any, b: torch.Tensor, x0: Any, m: Any, options: dict[str, Any]) -> tuple[Any, int]:
    """Return (x, SciPy's code)."""
    import scipy.sparse.linalg as solvers

    size, dtype = b.numel(), np.float64 if b.dtype is torch.float64 else np.float32
    solver = getattr(solvers, name)
    tolerance = "rtol" if "rtol" in inspect.signature(solver).parameters else "tol"  # SciPy before 1.12
    options = {tolerance if key == "tol" else key: value for key, value in options.items()}

    def operator(of: Any) -> Any:
        return None if of is None else solvers.LinearOperator((size, size), matvec=_product(of, b), dtype=dtype)

    start = None if x0 is None else x0.detach().cpu().numpy().ravel()
    x, info = solver(operator(matrix), b.detach().cpu().numpy().ravel(), start, M=operator(m), **options)
    return torch.from_numpy(np.asarray(x)).to(b).reshape(b.shape), int(info)


class _Solution(torch.autograd.Function):
    """x = A⁻¹ b, with the gradients of the exact solution: Aᵀ g_b = g_x, and g_A = -g_b xᵀ."""

    @staticmethod
    def forward(ctx: Any, matrix: torch.Tensor, b: torch.Tensor, solve: Callable[..., Any]) -> torch.Tensor:
        x = solve(matrix, b)
        ctx.solve = solve
        ctx.save_for_backward(matrix, x)
        return x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Any:  # type: ignore[override]
        matrix, x = ctx.saved_tensors
        of_b = ctx.solve(torch.transpose(matrix, 0, 1), g)
        return -torch.outer(torch.flatten(of_b), torch.flatten(x)), of_b, None


def _run(name: str, a: Any, b: Any, x0: Any, m: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    if isinstance(b, torch.Tensor) and b.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"For '{name}', 'b' must be float32 or float64, but got {b.dtype}. Cast A and b.")
    a, m = (item.to_dense() if isinstance(item, (COOTensor, CSRTensor)) else item for item in (a, m))
    info = 0

    def solve(matrix: Any, right: torch.Tensor) -> Any:
        nonlocal info
        x, info = _solved(name, matrix, right, x0, m, options)
        return x

    x = _Solution.apply(a, b, solve) if isinstance(a, torch.Tensor) else solve(a, b)
    return wrap(x), Tensor(info)


def cg(
    A: Any, b: Any, x0: Any = None, *, tol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None, M: Any = None
) -> tuple[Any, Any]:
    """Solve A x = b for a symmetric positive definite A by conjugate gradients.

    Args:
        A: Tensor or CSRTensor (n, n), or the function v -> A v (then x has no gradient).
        b: (n,) or (n, 1), float32 or float64. x0: where to begin, None for zeros.
        tol, atol: it ends where the norm of the residual is at most max(tol · norm(b), atol).
        maxiter: most iterations, None for 10 n. M: about the inverse of A, in the same forms.

    Returns:
        (x, code): 0 if it converged, else the number of iterations.

    Raises:
        TypeError: for another dtype. ImportError: without SciPy.
    """
    return _run("cg", A, b, x0, M, {"tol": tol, "atol": atol, "maxiter": maxiter})


def bicgstab(
    A: Any, b: Any, x0: Any = None, *, tol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None, M: Any = None
) -> tuple[Any, Any]:
    """Solve A x = b by stabilized biconjugate gradients; arguments and result as in `cg`."""
    return _run("bicgstab", A, b, x0, M, {"tol": tol, "atol": atol, "maxiter": maxiter})


def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: float = 1e-5,
    restart: int = 20,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    restrt: Any = None,
    atol: float = 0.0,
    callback_type: Any = None,
    solve_method: str = "batched",
) -> tuple[Any, Any]:
    """Solve A x = b by the generalized minimal residual method; arguments and result as in `cg`.

    Args:
        restart: the size of the Krylov space that is built between restarts. maxiter: most restarts.
        callback, restrt, callback_type: None, as in MindSpore.
        solve_method: "batched" or "incremental", of one effect here.
    """
    if any(item is not None for item in (callback, restrt, callback_type)):
        raise ValueError("For 'gmres', 'callback', 'restrt' and 'callback_type' must be None. Use 'restart'.")
    return _run("gmres", A, b, x0, M, {"tol": tol, "atol": atol, "maxiter": maxiter, "restart": restart})
