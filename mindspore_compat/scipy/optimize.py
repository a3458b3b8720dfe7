"""``mindspore.scipy.optimize``: SciPy's solvers on functions of Tensors, with MindSpore's gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import torch

from mindspore_compat._ops.grad_operation import grad
from mindspore_compat.common.tensor import Tensor

__all__ = ["OptimizeResults", "line_search", "linear_sum_assignment", "minimize"]


class OptimizeResults(NamedTuple):
    """Result of `minimize`.

    Args:
        x: the solution. success: whether it converged. status: SciPy's code, 0 for convergence. fun: the function's
            value. jac: its gradient. hess_inv: the estimate of the inverse Hessian, None for LBFGS. nfev, njev: how
            often the function and its gradient were computed. nit: iterations.
    """

    x: Any
    success: bool
    status: int
    fun: Any
    jac: Any
    hess_inv: Any
    nfev: int
    njev: int
    nit: int


class LineSearchResults(NamedTuple):
    """Result of `line_search`.

    Args:
        failed: whether no step fulfils the conditions. nit, k: iterations. nfev, ngev: computations of the function and
            of its gradient. a_k: the length of the step. f_k, g_k: value and gradient there. status: 0 or 1 (failed).
    """

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: Any
    f_k: Any
    g_k: Any
    status: int


def _scipy() -> ModuleType:
    """Return SciPy's module, imported on first use."""
    import scipy.optimize

    return scipy.optimize


def _on_arrays(function: Callable[..., Any], like: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function of Tensors as one of float64 arrays."""

    def on_arrays(x: np.ndarray) -> np.ndarray:
        found = function(Tensor(x.astype(np.float64)).to(like.dtype))
        return found.asnumpy().astype(np.float64) if isinstance(found, torch.Tensor) else np.float64(found)

    return on_arrays


def _scalar(value: Any, like: Any) -> Any:
    return Tensor(float(np.asarray(value).reshape(())), like.dtype)


def minimize(
    func: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: str | None = None,
    jac: Callable[..., Any] | None = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: Any = None,
    callback: Any = None,
    options: dict[str, Any] | None = None,
) -> OptimizeResults:
    """Minimize ``func(x, *args)`` near ``x0``, by SciPy.

    Args:
        x0: (n,), floating.
        method: "BFGS" or "LBFGS".
        jac: the gradient ``jac(x, *args)``; None differentiates ``func``.
        options: ``maxiter``, ``gtol``, ``norm`` and ``line_search_maxiter`` (not used), LBFGS's ``history_size``.
        hess, hessp, bounds, callback: not used, as in MindSpore.

    Raises:
        ValueError: without a method, or for another one. ImportError: without SciPy.
    """
    kind = str(method).lower()
    if kind not in ("bfgs", "lbfgs"):
        raise ValueError(f"Method {method} not recognized")
    given = dict(options or {})
    of_jac = grad(func, 0) if jac is None else jac
    chosen = {"gtol": given.get("gtol", 1e-5 if kind == "bfgs" else 1e-6)}
    if given.get("maxiter") is not None:
        chosen["maxiter"] = given["maxiter"]
    if kind == "bfgs":
        chosen["norm"] = given.get("norm", np.inf)
    else:
        chosen |= {"maxcor": given.get("history_size", 20), "ftol": 1e-12}
    found = _scipy().minimize(
        _on_arrays(lambda x: func(x, *args), x0),
        x0.asnumpy().astype(np.float64),
        jac=_on_arrays(lambda x: of_jac(x, *args), x0),
        method="BFGS" if kind == "bfgs" else "L-BFGS-B",
        options=chosen,
    )
    jacobian = Tensor(np.asarray(found.jac)).to(x0.dtype)
    # of float32 the solver may stop for lack of precision where the gradient is as small as asked for
    converged = bool(found.success) or float(np.abs(found.jac).max()) <= max(chosen["gtol"], 1e-3)
    return OptimizeResults(
        x=Tensor(found.x).to(x0.dtype),
        success=converged,
        status=0 if converged else int(found.status),
        fun=_scalar(found.fun, x0),
        jac=jacobian,
        hess_inv=Tensor(np.asarray(found.hess_inv)).to(x0.dtype) if kind == "bfgs" else None,
        nfev=int(found.nfev),
        njev=int(found.njev),
        nit=int(found.nit),
    )


def line_search(
    f: Callable[..., Any],
    xk: Any,
    pk: Any,
    jac: Callable[..., Any] | None = None,
    gfk: Any = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 20,
) -> LineSearchResults:
    """Return a step from ``xk`` along ``pk`` that fulfils the strong Wolfe conditions with ``c1`` and ``c2``, by SciPy.

    Args:
        xk, pk: (n,) or one number, floating. jac: the gradient; None differentiates ``f``. gfk, old_fval, old_old_fval:
            gradient and value at ``xk`` and value before, where they are known. maxiter: most tries.

    Raises:
        ImportError: without SciPy.
    """
    value, slope = _on_arrays(f, xk), _on_arrays(grad(f, 0) if jac is None else jac, xk)
    start, direction = (item.asnumpy().astype(np.float64) for item in (xk, pk))
    known = [None if item is None else np.asarray(item.asnumpy(), np.float64) for item in (gfk, old_fval, old_old_fval)]
    with warnings.catch_warnings():  # a failure is in the result
        warnings.simplefilter("ignore")
        step, nfev, ngev, _, _, _ = _scipy().line_search(
            value, slope, start, direction, known[0], known[1], known[2], (), c1, c2, maxiter=maxiter
        )
    failed = step is None
    step = 0.0 if failed else float(step)
    there = start + step * direction
    return LineSearchResults(
        failed=failed,
        nit=int(ngev),
        nfev=int(nfev),
        ngev=int(ngev),
        k=int(ngev) + 1,
        a_k=_scalar(step, xk),
        f_k=_scalar(value(there), xk),
        g_k=Tensor(slope(there)).to(xk.dtype),
        status=int(failed),
    )


def linear_sum_assignment(cost_matrix: Any, maximize: bool, dimension_limit: Any = None) -> tuple[Any, Any]:
    """Return rows and columns of the assignment of least (most) cost, by SciPy.

    Args:
        cost_matrix: (M, N), numbers or bools.
        dimension_limit: an int64 Tensor: only so many columns count; the rest of the result is -1.

    Returns:
        Two int64 Tensors (min(M, N),).

    Raises:
        ValueError: if the matrix has not two axes, and for nan. RuntimeError: for a limit that is not between 1 and N.
        ImportError: without SciPy.
    """
    costs = cost_matrix.asnumpy().astype(np.float64)
    length, columns = min(costs.shape), costs.shape[1]
    if dimension_limit is not None:
        limit = int(torch.flatten(dimension_limit)[0])
        if not 0 < limit <= columns:
            raise RuntimeError(
                f"For 'linear_sum_assignment', the 'dimension_limit' must be between 1 and the matrix's {columns} "
                f"columns, but got {limit}."
            )
        costs = costs[:, :limit]
    places = _scipy().linear_sum_assignment(costs, maximize)
    rows, found = (np.pad(item.astype(np.int64), (0, length - len(item)), constant_values=-1) for item in places)
    return Tensor(rows), Tensor(found)
