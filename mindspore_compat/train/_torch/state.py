"""State of a run with a torch network that is no separate tensor in a checkpoint: rates, schedules, counts, place in
the data, generator states.

All of it is one entry of the checkpoint, `NAME`: the bytes of a JSON text.
"""

from __future__ import annotations

import base64
import contextlib
import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

NAME = "torch_train_state"
_TUPLE, _ITEMS, _COUNTS = "tuple", "items", "counts"


def random_state(own: Sequence[torch.Generator] = ()) -> dict[str, Any]:
    """Return the state of torch's, NumPy's and Python's global generators, and of the data's ``own``."""
    kind, keys, place, has_gauss, gauss = np.random.get_state(legacy=True)
    state = {
        "torch": _text(torch.get_rng_state().numpy()),
        "python": random.getstate(),
        "numpy": [str(kind), _text(np.asarray(keys)), int(place), int(has_gauss), float(gauss)],
    }
    if own:
        state["data"] = [_text(one.get_state().numpy()) for one in own]
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        state["cuda"] = [_text(item.numpy()) for item in torch.cuda.get_rng_state_all()]
    return state


def set_random_state(state: dict[str, Any], own: Sequence[torch.Generator] = ()) -> None:
    """Restore the global generators, and those of the data."""
    for generator, text in zip(own, state.get("data", ())):
        generator.set_state(torch.from_numpy(_array(text, np.uint8)))
    torch.set_rng_state(torch.from_numpy(_array(state["torch"], np.uint8)))
    version, keys, gauss = state["python"]
    random.setstate((version, tuple(keys), gauss))
    kind, words, place, has_gauss, last = state["numpy"]
    np.random.set_state((kind, _array(words, np.uint32), place, has_gauss, last))
    if "cuda" in state and torch.cuda.is_available():
        for device, item in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(torch.from_numpy(_array(item, np.uint8)), device)


def generators_of(dataset: Any) -> list[torch.Generator]:
    """Return a DataLoader's own generators, and its samplers', each once."""
    batch_sampler = getattr(dataset, "batch_sampler", None)
    owners = (dataset, getattr(dataset, "sampler", None), batch_sampler, getattr(batch_sampler, "sampler", None))
    found = [getattr(owner, "generator", None) for owner in owners]
    return list({id(item): item for item in found if isinstance(item, torch.Generator)}.values())


def packed(value: Any) -> Any:
    """Return the JSON form of numbers, texts, None, lists, tuples, dicts with keys of any kind, tensors of one element.

    Raises:
        TypeError: for anything else.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic) or (isinstance(value, torch.Tensor) and value.numel() == 1):
        return value.item()
    if isinstance(value, list):
        return [packed(item) for item in value]
    if isinstance(value, tuple):
        return {_TUPLE: [packed(item) for item in value]}
    if isinstance(value, dict):
        return {
            _COUNTS if isinstance(value, Counter) else _ITEMS: [
                [packed(key), packed(item)] for key, item in value.items()
            ]
        }
    raise TypeError(f"a checkpoint cannot hold a {type(value).__name__}")


def unpacked(value: Any) -> Any:
    """Return the inverse of `packed`; the type of a dict is lost, except Counter."""
    if isinstance(value, list):
        return [unpacked(item) for item in value]
    if isinstance(value, dict):
        if _TUPLE in value:
            return tuple(unpacked(item) for item in value[_TUPLE])
        if _COUNTS in value:  # MultiStepLR counts its milestones
            return Counter({unpacked(key): item for key, item in value[_COUNTS]})
        return {unpacked(key): unpacked(item) for key, item in value[_ITEMS]}
    return value


def packed_parts(values: dict[str, Any], leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return each entry that `packed` supports; the constructor's caller provides the others again."""
    found = {}
    for key, value in values.items():
        if key not in leave_out:
            with contextlib.suppress(TypeError):
                found[key] = packed(value)
    return found


def restore_parts(target: dict[str, Any], parts: dict[str, Any]) -> None:
    """Restore the entries of a dict; tensors are filled in place."""
    for key, value in parts.items():
        old = target.get(key)
        if isinstance(old, torch.Tensor):
            with torch.no_grad():
                old.fill_(unpacked(value))
        else:
            target[key] = unpacked(value)


def encoded(state: dict[str, Any]) -> torch.Tensor:
    """Return the entry of a checkpoint, uint8 of shape (bytes,)."""
    return torch.frombuffer(bytearray(json.dumps(state).encode()), dtype=torch.uint8)


def decoded(entry: torch.Tensor) -> dict[str, Any]:
    """Return the inverse of `encoded`.

    Raises:
        ValueError: if the entry is not such a text.
    """
    try:
        state = json.loads(bytes(entry.detach().cpu().to(torch.uint8).numpy().tobytes()))
    except ValueError as error:
        raise ValueError(
            f"The checkpoint's entry {NAME!r} is damaged: {error}. Leave it out of the parameter dict to go without it."
        ) from None
    if not isinstance(state, dict):
        raise ValueError(
            f"The checkpoint's entry {NAME!r} is damaged: it holds {type(state).__name__}. Leave it out of the "
            "parameter dict."
        )
    return state


def _text(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode()


def _array(text: str, dtype: Any) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype).copy()
