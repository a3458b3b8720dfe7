"""Damped inverses of all Kronecker factors in one call: the operator ``mindspore_compat::damped_inverse_``.

Shapes: a factor f is (n, n), symmetric positive semidefinite; its inverses are (k, m, m), k = ceil(n / m), one for each
m×m block on the diagonal; blocks off the diagonal do not count. The last block is padded with the identity after
damping. With m = n nothing is split.

On CUDA with the library of csrc/ built, all blocks of at most 128 are one kernel launch; everywhere else torch computes
them. The CPU inverts blocks by halves, all at once, down to sizes for LAPACK's Cholesky. This is faster than LAPACK's
inverse of one block after the other (docs/benchmarks.md).
"""

from __future__ import annotations

import ctypes
import functools
import logging
from collections.abc import Sequence

import torch

from mindspore_compat._runtime.extension import library
from mindspore_compat._runtime.placement import sent
from mindspore_compat.common.dtype import dtype_name

_log = logging.getLogger("mindspore_compat")

__all__ = ["damped_inverse_"]

Tensors = Sequence[torch.Tensor]
Numbers = Sequence[float]

#: largest block that the kernel takes
_KERNEL_BLOCK = 128
_SMALL_LEAF, _LARGE_LEAF = 32, 512
_SCHEMA = "(Tensor(a!)[] inverses, Tensor[] factors, float[] scales, float[] dampings, float[] multipliers) -> Tensor"


def _check(inverses: Tensors, factors: Tensors, scales: Numbers, dampings: Numbers, multipliers: Numbers) -> int:
    """Return the number of blocks of all factors.

    Raises:
        ValueError, TypeError: for what does not fit together.
    """
    lengths = [len(inverses), len(factors), len(scales), len(dampings), len(multipliers)]
    if len(set(lengths)) != 1:
        raise ValueError(
            "damped_inverse_: 'inverses', 'factors', 'scales', 'dampings' and 'multipliers' must have one length, but "
            f"got {lengths}."
        )
    total = 0
    for number, (inverse, factor) in enumerate(zip(inverses, factors)):
        if factor.dim() != 2 or factor.shape[0] != factor.shape[1] or factor.shape[0] == 0:
            raise ValueError(
                f"damped_inverse_: factors[{number}] must be a square matrix, but got shape {tuple(factor.shape)}."
            )
        size = factor.shape[0]
        width = inverse.shape[-1] if inverse.dim() else 0
        if not 0 < width <= size or tuple(inverse.shape) != (-(-size // width), width, width):
            raise ValueError(
                f"damped_inverse_: inverses[{number}] must be (ceil({size} / m), m, m), but got shape "
                f"{tuple(inverse.shape)}."
            )
        if factor.dtype not in (torch.float32, torch.float64) or inverse.dtype is not factor.dtype:
            raise TypeError(
                f"damped_inverse_: factors[{number}] and inverses[{number}] must both be float32 or float64, "
                f"but got {dtype_name(factor.dtype)} and {dtype_name(inverse.dtype)}."
            )
        if not factor.is_contiguous() or not inverse.is_contiguous():
            raise ValueError(f"damped_inverse_: factors[{number}] and inverses[{number}] must be contiguous.")
        if factor.device != factors[0].device or inverse.device != factor.device:
            raise ValueError(
                f"damped_inverse_: all tensors must be on one device, but got {factors[0].device}, {factor.device}, "
                f"{inverse.device}."
            )
        total += inverse.shape[0]
    return total


@torch.library.custom_op("mindspore_compat::damped_inverse_", mutates_args=("inverses",), schema=_SCHEMA)
def damped_inverse_(
    inverses: Tensors, factors: Tensors, scales: Numbers, dampings: Numbers, multipliers: Numbers
) -> torch.Tensor:
    """Set ``inverses[f][b]`` to multipliers[f] · inverse of (scales[f] · block b of factors[f] + dampings[f] · I).

    A block with a pivot that is not positive (NaN and infinity included) keeps its inverse.

    Returns:
        int32, one for each block in order: 0, or the 1-based index of the pivot that failed.
    """
    _check(inverses, factors, scales, dampings, multipliers)
    device = factors[0].device if factors else torch.device("cpu")
    info = torch.zeros(sum(inverse.shape[0] for inverse in inverses), dtype=torch.int32, device=device)
    _invert_with_torch(inverses, factors, scales, dampings, multipliers, info, range(len(factors)))
    return info


@damped_inverse_.register_fake
def _(inverses: Tensors, factors: Tensors, scales: Numbers, dampings: Numbers, multipliers: Numbers) -> torch.Tensor:
    total = _check(inverses, factors, scales, dampings, multipliers)
    return torch.empty(total, dtype=torch.int32, device=factors[0].device if factors else "cpu")


# --- with torch -------------------------------------------------------------------------------------------------------


def _invert_with_torch(
    inverses: Tensors,
    factors: Tensors,
    scales: Numbers,
    dampings: Numbers,
    multipliers: Numbers,
    info: torch.Tensor,
    picks: Sequence[int],
) -> None:
    """Invert the factors at ``picks``, all blocks of one size together."""
    first = [0]
    for inverse in inverses:
        first.append(first[-1] + inverse.shape[0])
    groups: dict[tuple[int, torch.dtype], list[int]] = {}
    for pick in picks:
        groups.setdefault((inverses[pick].shape[-1], factors[pick].dtype), []).append(pick)
    for members in groups.values():
        counts = [inverses[pick].shape[0] for pick in members]

        def of_each_block(
            values: Sequence[float], members: list[int] = members, counts: list[int] = counts
        ) -> torch.Tensor:
            spread = [values[pick] for pick, count in zip(members, counts) for _ in range(count)]
            return sent(torch.tensor(spread, dtype=factors[members[0]].dtype), info.device)

        stack = _damped(
            [factors[pick] for pick in members],
            inverses[members[0]].shape[-1],
            of_each_block(scales) if any(scales[pick] != 1.0 for pick in members) else None,
            of_each_block(dampings),
        )
        found, failed = _inverted(stack)
        if any(multipliers[pick] != 1.0 for pick in members):
            found *= of_each_block(multipliers)[:, None, None]
        targets = [inverses[pick] for pick in members]
        if stack.device.type != "cpu" or failed.any():
            found = torch.where((failed != 0)[:, None, None], torch.cat(targets), found)
        torch._foreach_copy_(targets, list(found.split(counts)))
        for pick, part in zip(members, failed.split(counts)):
            info[first[pick] : first[pick + 1]] = part


def _damped(
    factors: Sequence[torch.Tensor], width: int, scales: torch.Tensor | None, dampings: torch.Tensor
) -> torch.Tensor:
    """Return all diagonal blocks (k, width, width) of ``factors``, times ``scales`` and with ``dampings`` (k,) added;
    padded with the identity.
    """
    parts, padded = [], []
    for factor in factors:
        size = factor.shape[0]
        whole = size // width
        parts.append(
            torch.as_strided(factor, (whole, width, width), (width * (size + 1), size, 1), factor.storage_offset())
        )
        rest = size - whole * width
        if rest:
            parts.append(torch._C._nn.pad(factor[-rest:, -rest:], (0, width - rest, 0, width - rest))[None])
            padded.append((sum(map(len, parts)) - 1, rest))
    stack = torch.cat(parts)
    if scales is not None:
        stack *= scales[:, None, None]
    stack.diagonal(dim1=-2, dim2=-1).add_(dampings[:, None])
    for place, rest in padded:
        stack[place].diagonal()[rest:] = 1.0
    return stack


def _inverted(stack: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (inverses, info) of a stack (k, m, m) of symmetric matrices, which is overwritten."""
    # LAPACK takes an infinite pivot; infinities elsewhere make a later pivot NaN
    infinite = ~torch.isfinite(stack.diagonal(dim1=-2, dim2=-1))
    first = torch.where(infinite.any(-1), infinite.to(torch.int32).argmax(-1).to(torch.int32) + 1, 0)
    if stack.device.type == "cpu":
        info, found = torch.zeros(stack.shape[0], dtype=torch.int32), stack
        _by_halves(stack, stack, info, 0, _SMALL_LEAF if stack.shape[-1] <= _KERNEL_BLOCK else _LARGE_LEAF, False)
    else:
        lower, info = torch.linalg.cholesky_ex(stack)
        found = torch.cholesky_inverse(lower)
    return found, torch.where(info == 0, first, info)


def _by_halves(
    stack: torch.Tensor, out: torch.Tensor, info: torch.Tensor, offset: int, leaf: int, need_root: bool
) -> torch.Tensor | None:
    """Write the inverses of a stack (k, m, m) into ``out``, which may be the stack; return X with XᵀX = inverse, if
    asked for.

    With A = [[A1, Bᵀ], [B, A2]], as in a blocked Cholesky: W = B X1ᵀ, S = A2 - W Wᵀ, Z = W X1. The inverse is [[P1 + Zᵀ
    P2 Z, .], [-P2 Z, P2]], P1 and P2 those of A1 and S. A leaf's pivots are the whole matrix's, so ``info`` is potrf's.
    """
    size = stack.shape[-1]
    if size <= leaf:
        lower, failed = torch.linalg.cholesky_ex(stack.contiguous())
        if failed.any():
            info.copy_(torch.where((info == 0) & (failed != 0), failed + offset, info))
        root = torch.linalg.solve_triangular(
            lower.mT, torch.eye(size, dtype=stack.dtype).expand_as(lower), upper=True, left=False
        ).mT
        out.copy_(torch.bmm(root.mT, root))
        return root
    half = size // 2
    above, below = out[:, :half, :half], out[:, half:, half:]
    root1 = _by_halves(stack[:, :half, :half], above, info, offset, leaf, True)
    assert root1 is not None
    w = torch.bmm(stack[:, half:, :half], root1.mT)
    root2 = _by_halves(
        torch.baddbmm(stack[:, half:, half:], w, w.mT, alpha=-1), below, info, offset + half, leaf, need_root
    )
    z = torch.bmm(w, root1)
    product = torch.bmm(below, z)
    torch.neg(product, out=out[:, half:, :half])
    torch.neg(product.mT, out=out[:, :half, half:])
    above += torch.bmm(z.mT, product)
    if not need_root or root2 is None:
        return None
    root = stack.new_zeros(stack.shape)
    root[:, :half, :half], root[:, half:, half:] = root1, root2
    torch.neg(torch.bmm(root2, z), out=root[:, half:, :half])
    return root


# --- with the library of csrc/ ----------------------------------------------------------------------------------------


#: cudaError_t of a library that the driver or the device does not run: nothing was started, torch can do the work
_NO_KERNEL = {
    35: "the driver is older than the library",
    98: "the library has no code for this device",
    209: "the library has no code for this device",
    221: "the driver compiles no PTX",
    222: "the library's PTX is newer than the driver",
    803: "the driver does not fit the device",
}


@functools.cache
def _say_once(device: torch.device, code: int) -> None:
    _log.warning(
        "THOR's CUDA kernel does not run on %s (cudaError %d: %s): torch.linalg does its work, more slowly. Build the "
        "package on this machine (csrc/README.md), or update the driver.",
        device,
        code,
        _NO_KERNEL[code],
    )


def _fits_kernel(factor: torch.Tensor, inverse: torch.Tensor) -> bool:
    return factor.dtype is torch.float32 and inverse.shape[-1] <= _KERNEL_BLOCK


def _invert_with_library(
    inverses: Tensors, factors: Tensors, scales: Numbers, dampings: Numbers, multipliers: Numbers
) -> torch.Tensor:
    """Launch one kernel on the current stream for every factor that fits it; nothing waits for the device."""
    found = library()
    assert found is not None
    total = _check(inverses, factors, scales, dampings, multipliers)
    device = factors[0].device if factors else torch.device("cuda")
    info = torch.zeros(total, dtype=torch.int32, device=device)
    first, count = 0, len(factors)
    picks = [number for number in range(count) if _fits_kernel(factors[number], inverses[number])]
    firsts = []
    for inverse in inverses:
        firsts.append(first)
        first += inverse.shape[0]
    chosen = len(picks)
    with torch.cuda.device(device):
        code = found.msc_damped_inverse(
            ctypes.c_int(chosen),
            (ctypes.c_void_p * chosen)(*[factors[pick].data_ptr() for pick in picks]),
            (ctypes.c_void_p * chosen)(*[inverses[pick].data_ptr() for pick in picks]),
            (ctypes.c_int * chosen)(*[factors[pick].shape[0] for pick in picks]),
            (ctypes.c_int * chosen)(*[inverses[pick].shape[-1] for pick in picks]),
            (ctypes.c_int * chosen)(*[firsts[pick] for pick in picks]),
            (ctypes.c_float * chosen)(*[scales[pick] for pick in picks]),
            (ctypes.c_float * chosen)(*[dampings[pick] for pick in picks]),
            (ctypes.c_float * chosen)(*[multipliers[pick] for pick in picks]),
            ctypes.c_void_p(info.data_ptr()),
            ctypes.c_void_p(torch.cuda.current_stream(device).cuda_stream),
        )
    others = [number for number in range(count) if not _fits_kernel(factors[number], inverses[number])]
    if code in _NO_KERNEL:
        _say_once(device, code)
        others = list(range(count))
    elif code != 0:
        raise RuntimeError(
            f"damped_inverse_: the CUDA kernel could not be launched (cudaError {code}) for {chosen} factors on "
            f"{device}."
        )
    if others:
        _invert_with_torch(inverses, factors, scales, dampings, multipliers, info, others)
    return info


if library() is not None:
    damped_inverse_.register_kernel("cuda")(_invert_with_library)
