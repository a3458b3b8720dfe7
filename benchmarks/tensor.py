"""What a Tensor costs over a plain torch tensor: microseconds of one call, the candidates of docs/design/tensor.md side
by side.

taskset -c 0 python benchmarks/tensor.py
"""

from __future__ import annotations

import timeit

import torch

from mindspore_compat import Tensor, nn


class Aliased(torch.Tensor):
    """Candidate: results tagged by as_subclass."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    def __add__(self, other):
        return torch._C.TensorBase.add(self, other).as_subclass(Aliased)


class Dispatched(torch.Tensor):
    """Candidate: torch's own Python-level __torch_function__ does the tagging."""


def best(function, number: int = 20000, rounds: int = 7) -> float:
    return min(timeit.repeat(function, number=number, repeat=rounds)) / number * 1e6


def main() -> None:
    torch.set_num_threads(1)
    a, b = torch.randn(4), torch.randn(4)
    t, u = Tensor(a), Tensor(b)
    al, bl = a.as_subclass(Aliased), b.as_subclass(Aliased)
    d, e = a.as_subclass(Dispatched), b.as_subclass(Dispatched)
    matrix, ours = torch.randn(4, 4), Tensor(torch.randn(4, 4))
    linear, dense = torch.nn.Linear(4, 4), nn.Dense(4, 4)
    grad_a = torch.randn(4, requires_grad=True)
    rows = {
        "a + b, plain torch": lambda: a + b,
        "a + b, subclass with __torch_function__": lambda: d + e,
        "a + b, as_subclass (an alias)": lambda: al + bl,
        "a + b, Tensor (class changed in place)": lambda: t + u,
        "a + 1.0, plain torch": lambda: a + 1.0,
        "a + 1.0, Tensor": lambda: t + 1.0,
        "x.shape, plain torch": lambda: matrix.shape,
        "x.shape, Tensor (a tuple)": lambda: ours.shape,
        "x[0], plain torch": lambda: matrix[0],
        "x[0], Tensor": lambda: ours[0],
        "x.sum(), plain torch": lambda: matrix.sum(),
        "x.sum(), Tensor": lambda: ours.sum(),
        "Linear(4, 4)": lambda: linear(matrix),
        "Dense(4, 4)": lambda: dense(ours),
        "(a * 2).backward of as_subclass": lambda: (grad_a * 2).as_subclass(Aliased).sum().backward(),
        "(a * 2).backward of plain": lambda: (grad_a * 2).sum().backward(),
    }
    for name, function in rows.items():
        print(f"{name:<45}{best(function):8.2f} us", flush=True)


if __name__ == "__main__":
    main()
