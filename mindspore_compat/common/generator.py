"""`Generator`: random numbers with a state of their own. MindSpore: ``mindspore.Generator``, ``mindspore.manual_seed``.

The state is that of torch's generator on the current device; MindSpore's numbers are not reproduced.
"""

from __future__ import annotations

import os
from typing import Any

import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import plain, wrap

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


class Generator:
    """Source of random numbers for the functions of `mindspore.mint` that accept ``generator=``.

    Examples:
        >>> generator = ms.Generator()
        >>> _ = generator.manual_seed(5)
        >>> state = generator.get_state()
        >>> first = ms.mint.rand(2, generator=generator)
        >>> generator.set_state(state)
        >>> print(bool((ms.mint.rand(2, generator=generator) == first).all()), generator.initial_seed())
        True 5
    """

    def __init__(self) -> None:
        self._by_device: dict[torch.device, torch.Generator] = {}
        self._seed = 0

    def on(self, device: torch.device) -> torch.Generator:
        """Return torch's generator behind it on ``device``."""
        if device not in self._by_device:
            self._by_device[device] = torch.Generator(device).manual_seed(self._seed)
        return self._by_device[device]

    @property
    def _own(self) -> torch.Generator:
        return self.on(current_device())

    def manual_seed(self, seed: int) -> Generator:
        """Start the sequence of ``seed``.

        Raises:
            TypeError: if it is no int.
        """
        if not isinstance(seed, int):
            raise TypeError("Seed must be an integer.")
        self._seed = int(seed)
        for generator in self._by_device.values():
            generator.manual_seed(self._seed)
        return self

    def seed(self) -> int:
        """Start an unpredictable sequence; return its seed (32 bits)."""
        self.manual_seed(int.from_bytes(os.urandom(4), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed of the present sequence."""
        return self._seed

    def get_state(self) -> Any:
        """Return the generator state, as a uint8 Tensor on the CPU."""
        return wrap(self._own.get_state())

    def set_state(self, state: Any) -> None:
        """Restore a generator state from `get_state`."""
        self._own.set_state(plain(state).cpu())
        self._seed = self._own.initial_seed()


class _Default(Generator):
    """Torch's global generators, used where no generator is given."""

    def on(self, device: torch.device) -> torch.Generator:
        if device.type == "cuda":
            torch.cuda.init()
            return torch.cuda.default_generators[device.index or 0]
        return torch.default_generator

    def manual_seed(self, seed: int) -> Generator:
        super().manual_seed(seed)
        torch.manual_seed(seed)
        return self

    def initial_seed(self) -> int:
        found = self._own.initial_seed()
        return found - 2**64 if found >= 2**63 else found


default_generator = _Default()


def generator_on(generator: Any, device: Any) -> torch.Generator | None:
    """Return the argument of torch's functions for a `Generator` (or torch's, or None) on ``device``."""
    return generator.on(torch.device(device)) if isinstance(generator, Generator) else generator


def seed() -> int:
    """Seed all global generators by chance; return the seed."""
    return default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Seed torch's global generators on the device. numpy, datasets and initializers are seeded by `set_seed` only.

    Raises:
        TypeError: if it is no int.

    Examples:
        >>> _ = ms.manual_seed(7)
        >>> print(ms.initial_seed())
        7
    """
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    """Return the initial seed of the current device's generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """Return the state of the current device's generator, as a uint8 Tensor on the CPU."""
    return default_generator.get_state()


def set_rng_state(state: Any) -> None:
    """Restore the current device's generator state from `get_rng_state`."""
    default_generator.set_state(state)
