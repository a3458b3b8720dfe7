"""Exchanges between single members of a group; their gradients go the other way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.communication._collectives import plain_p2p
from mindspore_compat.communication._groups import Group

_Run = Callable[..., tuple[torch.Tensor, ...]]


class _Linear(torch.autograd.Function):
    """Function of tensors, with another one for its gradients."""

    @staticmethod
    def forward(ctx: Any, run: _Run, back: _Run, *inputs: torch.Tensor) -> Any:  # type: ignore[override]
        ctx.back = back
        return run(*inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return None, None, *ctx.back(*gradients)


def _linear(run: _Run, back: _Run, *inputs: torch.Tensor) -> Any:
    return wrap(tuple(_Linear.apply(run, back, *inputs)))


def send(x: torch.Tensor, peer: int, tag: int, group: Group) -> Any:
    """Send ``x`` and return it; its gradient comes from the receiver."""

    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        plain_p2p([(x, peer)], [], group, "Send", tag)
        return (plain(x).clone(),)

    def back(dout: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (receive(None, torch.empty_like(plain(dout)), peer, tag, group),)

    return _linear(run, back, x)[0]


def receive(depends: torch.Tensor | None, like: torch.Tensor, peer: int, tag: int, group: Group) -> Any:
    """Receive a tensor from the member ``peer``, of the shape and type of ``like``. If ``depends`` has a gradient, the
    incoming gradient goes to the sender, and ``depends`` gets zeros.
    """

    def run(*_: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(plain_p2p([], [(like, peer)], group, "Receive", tag))

    def back(dout: torch.Tensor) -> tuple[torch.Tensor, ...]:
        plain_p2p([(dout, peer)], [], group, "Receive", tag)
        return (torch.zeros_like(plain(depends)),) if depends is not None else ()

    return _linear(run, back, *([] if depends is None else [depends]))[0]


def exchange(
    inputs: Sequence[torch.Tensor],
    send_to: Sequence[int],
    receive_from: Sequence[int],
    receive_like: Sequence[torch.Tensor],
    group: Group,
) -> Any:
    """Send each input to a member, and return the received tensors."""

    def run(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        pairs = list(zip(receive_like, receive_from))
        return tuple(plain_p2p(list(zip(inputs, send_to)), pairs, group, "NeighborExchange"))

    def back(*douts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return exchange(douts, receive_from, send_to, [plain(item) for item in inputs], group)

    return _linear(run, back, *inputs)


# --- NeighborExchangeV2: the borders of a picture; 8 directions clockwise, the first is the top -----------------------

_TOP, _BOTTOM, _LEFT, _RIGHT = range(4)
_SIDES = ((_TOP,), (_TOP, _RIGHT), (_RIGHT,), (_BOTTOM, _RIGHT), (_BOTTOM,), (_BOTTOM, _LEFT), (_LEFT,), (_TOP, _LEFT))


def _border(height: int, width: int, lens: Sequence[int], direction: int) -> tuple[Any, slice, slice]:
    """Return the index of the border on that side, as wide as ``lens`` says, of a picture of that size."""
    sides, rows, columns = _SIDES[direction], slice(None), slice(None)
    if _TOP in sides:
        rows = slice(0, lens[_TOP])
    elif _BOTTOM in sides:
        rows = slice(height - lens[_BOTTOM], height)
    if _LEFT in sides:
        columns = slice(0, lens[_LEFT])
    elif _RIGHT in sides:
        columns = slice(width - lens[_RIGHT], width)
    return (..., rows, columns)


def exchange_borders(
    x: torch.Tensor,
    send_to: Sequence[int],
    send_lens: Sequence[int],
    receive_from: Sequence[int],
    receive_lens: Sequence[int],
    group: Group,
) -> Any:
    """Return ``x`` of shape (N, C, H, W) with the borders from its neighbours around it; -1 is no neighbour. A
    neighbour on one side sends the border of its opposite side.
    """
    height, width = int(x.shape[-2]), int(x.shape[-1])
    top, bottom, left, right = receive_lens
    inner = (..., slice(top, top + height), slice(left, left + width))

    def received_at(direction: int) -> tuple[Any, slice, slice]:
        """Return the index of the border in the result, without the corners from others."""
        _, rows, columns = _border(top + height + bottom, left + width + right, receive_lens, direction)
        return ..., inner[1] if rows == slice(None) else rows, inner[2] if columns == slice(None) else columns

    sends = [side for side in range(8) if send_to[side] != -1]
    receives = sorted((side for side in range(8) if receive_from[side] != -1), key=lambda side: (side + 4) % 8)

    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x = plain(x)
        result = x.new_zeros((*x.shape[:-2], top + height + bottom, left + width + right))
        result[inner] = x
        parts = plain_p2p(
            [(x[_border(height, width, send_lens, side)], send_to[side]) for side in sends],
            [(result[received_at(side)], receive_from[side]) for side in receives],
            group,
            "NeighborExchangeV2",
        )
        for side, part in zip(receives, parts):
            result[received_at(side)] = part
        return (result,)

    def back(dout: torch.Tensor) -> tuple[torch.Tensor, ...]:
        dout = plain(dout)
        result = dout[inner].clone()
        borders = [_border(height, width, send_lens, side) for side in sends]
        parts = plain_p2p(
            [(dout[received_at(side)], receive_from[side]) for side in receives],
            [(result[border], send_to[side]) for border, side in zip(borders, sends)],
            group,
            "NeighborExchangeV2",
        )
        for border, part in zip(borders, parts):
            result[border] += part
        return (result,)

    return _linear(run, back, x)[0]
