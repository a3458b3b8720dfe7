"""Torch and numpy on elements at odd addresses, as `load_checkpoint` hands them out: a crash here ends the process (see
test_checkpoint_files).
"""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch.nn import functional as F

SIZES = (1, 2, 3, 5, 7, 9, 13)  # addresses modulo 16


def odd(*shape: int, dtype: torch.dtype = torch.float32, number: list[int] = [0]) -> torch.Tensor:
    """A tensor in (0, 1), or of small ints, whose elements are not aligned."""
    values = (
        torch.rand(shape).to(dtype)
        if dtype.is_floating_point or dtype.is_complex
        else torch.randint(0, 100, shape, dtype=dtype)
    )
    number[0] += 1
    memory = torch.empty(values.nbytes + 32, dtype=torch.uint8).numpy()
    start = -memory.ctypes.data % 16 + SIZES[number[0] % len(SIZES)]
    memory[start : start + values.nbytes] = values.reshape(-1).view(torch.uint8).numpy()
    return torch.frombuffer(memory.data[start : start + values.nbytes], dtype=dtype).view(shape)


def same(function, *tensors: torch.Tensor) -> None:
    """The function gives the same on aligned copies."""
    torch.testing.assert_close(function(*tensors), function(*[tensor.clone() for tensor in tensors]), equal_nan=True)


def floats(dtype: torch.dtype) -> None:
    x, image, vector = odd(33, 257, dtype=dtype), odd(2, 16, 19, 21, dtype=dtype), odd(10_007, dtype=dtype)
    same(F.linear, x, odd(40, 257, dtype=dtype), odd(40, dtype=dtype))
    same(lambda i, w: F.conv2d(i, w, padding=1), image, odd(9, 16, 3, 3, dtype=dtype))
    same(lambda q: F.scaled_dot_product_attention(q, q, q), odd(2, 4, 17, 32, dtype=dtype))
    same(lambda t: F.embedding(torch.arange(50), t), odd(100, 65, dtype=dtype))
    same(lambda t, g: F.layer_norm(t, (257,), g, g), x, odd(257, dtype=dtype))
    same(lambda i, c: F.batch_norm(i, c, c, c, c, False), image, odd(16, dtype=dtype))
    for function in (torch.sum, torch.exp, torch.erf, torch.std, torch.max, torch.sort, torch.abs, torch.round):
        same(function, vector)
    same(lambda v, w: torch.where(v > w, v * w, v + w).cumsum(0), vector, odd(10_007, dtype=dtype))
    vector.add_(1).mul_(2).clamp_(0, 3).copy_(odd(10_007, dtype=dtype)).to(torch.int64)
    vector.fill_(2).uniform_().normal_()
    for optimizer in (torch.optim.SGD, torch.optim.Adam):
        for how in ({}, {"foreach": True}, {"fused": True}):
            parameter = torch.nn.Parameter(odd(1003, dtype=dtype))
            parameter.grad = odd(1003, dtype=dtype)
            optimizer([parameter], lr=0.1, **how).step()


def main() -> None:
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        floats(dtype)
    for dtype in (torch.int16, torch.int32, torch.int64):
        same(lambda v: (v + v * 3).sum(), odd(10_007, dtype=dtype))
        same(torch.unique, odd(10_007, dtype=dtype))
    for dtype in (torch.float32, torch.float64):
        same(torch.linalg.inv, odd(65, 65, dtype=dtype) + 50 * torch.eye(65, dtype=dtype))
        same(torch.fft.rfft, odd(1001, dtype=dtype))
    same(lambda v: (v * v).abs().sum(), odd(1001, dtype=torch.complex64))
    lstm = torch.nn.LSTM(16, 9)
    aligned = copy.deepcopy(lstm)
    for parameter in lstm.parameters():
        parameter.data = odd(*parameter.shape)
    aligned.load_state_dict(lstm.state_dict())
    x = odd(7, 3, 16)
    torch.testing.assert_close(lstm(x)[0], aligned(x)[0])
    for kind in (torch.float16, torch.float32, torch.float64, torch.int16, torch.int32, torch.int64, torch.complex64):
        array = odd(1003, dtype=kind).numpy()
        whole = array.copy()
        assert (
            (array == whole).all() and (np.sort(array) == np.sort(whole)).all() and array.tobytes() == whole.tobytes()
        )
        assert (
            np.dot(array, array).dtype == array.dtype
            and array.astype(np.complex128).sum() == whole.astype(np.complex128).sum()
        )
        array += 1
    print("done")


if __name__ == "__main__":
    main()
