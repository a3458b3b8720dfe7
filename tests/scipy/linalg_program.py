"""What ``mindspore.scipy`` gives. Run by ours and by real MindSpore: ``FILE``."""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor
from mindspore.scipy import linalg

R = np.random.RandomState(3)
A = R.randn(4, 4)
SPD = A @ A.T + 4 * np.eye(4)
BATCH = np.stack([SPD, 2 * SPD])
B = R.randn(4, 2)


def T(value, dtype="float32"):
    return Tensor(np.array(value, dtype))


KINDS = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float64")


def _triangle_of(kind):
    return lambda: linalg.solve_triangular(T([[4, 1], [2, 3]], kind), T([2, 3], kind))


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
