"""What ``mindspore.scipy`` gives. Run by ours and by real MindSpore: ``FILE``."""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor
from mindspore.scipy import linalg, ops_wrapper
from mindspore.scipy import ops as operators

R = np.random.RandomState(3)
A = R.randn(4, 4)
SPD = A @ A.T + 4 * np.eye(4)
BATCH = np.stack([SPD, 2 * SPD])
B = R.randn(4, 2)


def T(value, dtype="float32"):
    return Tensor(np.array(value, dtype))


KINDS = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float64")
ALIGNED = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
COSTS = np.array([[4, 1, 3], [2, 0, 5]])


def _triangle_of(kind):
    return lambda: linalg.solve_triangular(T([[4, 1], [2, 3]], kind), T([2, 3], kind))


def _remade(values, vectors):
    values, vectors = values.asnumpy(), vectors.asnumpy()
    return Tensor((vectors @ np.diag(values) @ np.linalg.inv(vectors)).real)


def _assignment(limit, most):
    return lambda: operators.LinearSumAssignment()(T(COSTS), Tensor(limit), most)


def _diagonals(k, align):
    rows = k[1] - k[0] + 1
    longest = max(min(3 + min(0, d), 4 - max(0, d)) for d in range(k[0], k[1] + 1))
    return lambda: ops_wrapper.matrix_set_diag(T(np.zeros((3, 4))), T(np.ones((rows, longest))), k, align)


CALLS = {
    "block_diag": lambda: linalg.block_diag(T([[1, 2]]), T([3, 4, 5]), T(6.0)),
    "block_diag empty": lambda: linalg.block_diag(),
    "block_diag 3-D": lambda: linalg.block_diag(T(BATCH)),
    "inv": lambda: linalg.inv(T(SPD)),
    "inv int": lambda: linalg.inv(T([[2, 1], [1, 3]], "int32")),
    "inv float64": lambda: linalg.inv(T(SPD, "float64")),
    "inv batch": lambda: linalg.inv(T(BATCH)),
    "inv of no square": lambda: linalg.inv(T(B)),
    "inv of an array": lambda: linalg.inv(SPD),
    "inv half": lambda: linalg.inv(T(SPD, "float16")),
    "inv overwrite": lambda: linalg.inv(T(SPD), overwrite_a=1),
    "cho_factor": lambda: linalg.cho_factor(T(SPD)),
    "cho_factor lower": lambda: linalg.cho_factor(T(SPD), lower=True),
    "cholesky": lambda: linalg.cholesky(T(SPD)),
    "cholesky lower": lambda: linalg.cholesky(T(SPD), lower=True),
    "cholesky int": lambda: linalg.cholesky(T([[2, 1], [1, 3]], "int64")),
    "cholesky of no square": lambda: linalg.cholesky(T(B)),
    "cho_solve": lambda: linalg.cho_solve(linalg.cho_factor(T(SPD)), T(B)),
    "cho_solve lower": lambda: linalg.cho_solve(linalg.cho_factor(T(SPD), lower=True), T(B[:, 0])),
    "eigh values": lambda: linalg.eigh(T(SPD), eigvals_only=True),
    "eigh": lambda: (lambda w, v: (w, v @ ms.numpy.diag(w) @ v.T))(*linalg.eigh(T(SPD))),
    "eigh upper": lambda: linalg.eigh(T(A), lower=False, eigvals_only=True),
    "eigh b": lambda: linalg.eigh(T(SPD), T(SPD)),
    "eigh of no square": lambda: linalg.eigh(T(B)),
    "lu_factor": lambda: linalg.lu_factor(T(A)),
    "lu": lambda: linalg.lu(T(A)),
    "lu permuted": lambda: linalg.lu(T(A), permute_l=True),
    "lu tall": lambda: linalg.lu(T(B)),
    "lu wide": lambda: linalg.lu(T(B.T)),
    "lu batch": lambda: linalg.lu(T(BATCH)),
    "lu_solve": lambda: linalg.lu_solve(linalg.lu_factor(T(A)), T(B)),
    "det": lambda: linalg.det(T(A)),
    "solve_triangular": lambda: linalg.solve_triangular(T(A), T(B)),
    "solve_triangular lower": lambda: linalg.solve_triangular(T(A), T(B[:, 0]), lower=True, unit_diagonal=True),
    "solve_triangular T": lambda: linalg.solve_triangular(T(A), T(B), trans="T", lower=True),
    "solve_triangular X": lambda: linalg.solve_triangular(T(A), T(B), trans="X"),
    "solve_triangular batch": lambda: linalg.solve_triangular(T(BATCH), T(np.stack([B, B])), 1, True),
    "solve_triangular batch of vectors": lambda: linalg.solve_triangular(T(BATCH), T(B.T)),
    **{f"solve_triangular {kind}": _triangle_of(kind) for kind in KINDS},
    "solve_triangular trans 5": lambda: linalg.solve_triangular(T(A), T(B), trans=5),
    "solve_triangular trans True": lambda: linalg.solve_triangular(T(A), T(B), trans=True),
    "solve_triangular lower 1": lambda: linalg.solve_triangular(T(A), T(B), lower=1),
    "solve_triangular two dtypes": lambda: linalg.solve_triangular(T(A), T(B, "float64")),
    "solve_triangular other batch": lambda: linalg.solve_triangular(T(BATCH), T(B[None])),
    "solve_triangular few axes": lambda: linalg.solve_triangular(T(BATCH), T(B[:, 0])),
    "solve_triangular of a vector": lambda: linalg.solve_triangular(T(B[:, 0]), T(B)),
    "SolveTriangular": lambda: operators.SolveTriangular()(T(A), T(B)),
    "SolveTriangular C": lambda: operators.SolveTriangular(True, True, "C")(
        T(A, "complex64"), T(B, "complex64")
    ).real(),
    "SolveTriangular X": lambda: operators.SolveTriangular(trans="X")(T(A), T(B)),
    "Eig": lambda: _remade(*operators.Eig()(T(A))),
    "Eig values": lambda: ms.ops.sort(operators.Eig(False)(T(SPD))[0].real())[0],
    "Eig of integers": lambda: operators.Eig()(T(A, "int32")),
    "Eig of a vector": lambda: operators.Eig()(T(B[:, 0])),
    "Eig of no square": lambda: operators.Eig()(T(B)),
    "Eig 1": lambda: operators.Eig(1),
    "LU": lambda: operators.LU()(T(A, "float64")),
    "LU batch": lambda: operators.LU()(T(BATCH)),
    "LU wide": lambda: operators.LU()(T(B.T)),
    "LU of integers": lambda: operators.LU()(T(A, "int32")),
    "LU of a vector": lambda: operators.LU()(T(B[:, 0])),
    **{
        f"assignment {limit} {most}": _assignment(limit, most)
        for limit in (-1, 0, 1, 2, 3, 9)
        for most in (True, False)
    },
    "assignment transposed": lambda: operators.LinearSumAssignment()(T(COSTS.T), Tensor(2), False),
    "assignment limit int": lambda: operators.LinearSumAssignment()(T(COSTS), 2, False),
    "assignment limit int32": lambda: operators.LinearSumAssignment()(T(COSTS), Tensor(2, ms.int32), False),
    "assignment maximize 1": lambda: operators.LinearSumAssignment()(T(COSTS), Tensor(2), 1),
    "assignment complex": lambda: operators.LinearSumAssignment()(T(COSTS, "complex64"), Tensor(2), False),
    "assignment of a vector": lambda: operators.LinearSumAssignment()(T(COSTS[0]), Tensor(2), False),
    "assignment nan": lambda: operators.LinearSumAssignment()(T(COSTS * np.nan), Tensor(2), False),
    **{f"set_diag {k} {align}": _diagonals(k, align) for k in ((-1, 1), (0, 2), (-3, -2)) for align in ALIGNED},
    "set_diag 1": lambda: ops_wrapper.matrix_set_diag(T(np.ones((2, 3, 4))), T(B.T[:, :3]), 1),
    "set_diag of integers": lambda: ops_wrapper.matrix_set_diag(T([[1, 2], [3, 4]], "int32"), T([1.5, 2.0])),
    "set_diag k 1.5": lambda: ops_wrapper.matrix_set_diag(T(A), T(A[0]), 1.5),
    "set_diag align": lambda: ops_wrapper.matrix_set_diag(T(A), T(A[0]), 0, "LEFT"),
    "lstsq": lambda: linalg.lstsq(T(np.vstack([A, A + 1])), T(np.vstack([B, B]))),
}


def plain(value):
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, Tensor):
        return [str(value.dtype).split(".")[-1].lower(), value.asnumpy().astype("float64").tolist()]
    return value


def main():
    found = {}
    for name, call in CALLS.items():
        try:
            found[name] = plain(call())
        except Exception as error:
            found[name] = type(error).__name__
    with open(sys.argv[1], "w") as file:
        json.dump(found, file)


main()
