"""Training steps of torch networks under `Model`: plain tensors, torch losses, ``torch.optim`` optimizers
(docs/torch.md).

MindSpore's loss scale runs on ``torch.amp.GradScaler``: the scaler scales and skips updates, a `LossScaleManager`
controls the scale. Learning rates come from a scheduler of torch, or from a schedule or list of MindSpore's. The state
of a run that is no separate tensor in a checkpoint (rates, schedules, counts, place in the data, generator states) is
one entry of it, `NAME`: the bytes of a JSON text.
"""

from __future__ import annotations

import base64
import contextlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch.amp.grad_scaler import _refresh_per_optimizer_state

from mindspore_compat._api.validate import check_positive_int, check_str_in
from mindspore_compat._autograd.recorded import differentiable
from mindspore_compat._runtime import placement
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._torch.names import torch_targets
from mindspore_compat.train._torch.network import (
    OWNER,
    TorchStep,
    check_clip_norm,
    check_network,
    check_torch_parts,
    loss_of,
    prediction_of,
    split,
)
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager

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


_OWNER = "TorchTrainStep"
_INTERVALS = ("step", "epoch")


class Rates:
    """Schedule of an optimizer's rates.

    Args:
        scheduler: of ``torch.optim.lr_scheduler``, stepped after each update or epoch; or a `LearningRateSchedule`, a
            list of rates or a function of the number of updates (or epochs) before, which give all groups their rate;
            or None.
        interval: "step" or "epoch".

    Raises:
        TypeError: for a scheduler of another kind, or whose state a checkpoint cannot hold. ValueError: for another
            interval.
    """

    def __init__(self, optimizer: torch.optim.Optimizer, scheduler: Any, interval: str) -> None:
        self._interval = check_str_in(interval, "interval", _INTERVALS, _OWNER)
        self._optimizer, self._torch, self._rate = optimizer, None, None
        self.count = 0
        if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
            raise TypeError(
                f"For '{_OWNER}', use the callback mindspore.ReduceLROnPlateau in place of torch's, which needs a "
                "metric."
            )
        if isinstance(scheduler, torch.optim.lr_scheduler.LRScheduler):
            self._torch = scheduler
            self._check_state()
        elif scheduler is not None:
            self._rate = _as_function(scheduler)

    def _check_state(self) -> None:
        try:
            self.state()
        except TypeError as error:
            raise TypeError(
                f"For '{_OWNER}', the state of {type(self._torch).__name__}: {error}. Move its rates by a callback."
            ) from None

    def before_update(self) -> None:
        """Set the rate of this update, if it is a function of their number."""
        if self._rate is not None:
            rate = self._rate(self.count)
            for group in self._optimizer.param_groups:
                if isinstance(group["lr"], torch.Tensor):
                    group["lr"].fill_(rate)
                else:
                    group["lr"] = rate

    def after(self, what: str) -> None:
        """Count a finished update ("step") or "epoch"."""
        if what == self._interval:
            self.count += 1
            if self._torch is not None:
                self._torch.step()

    def state(self) -> dict[str, Any]:
        """Return the state for `restore`."""
        return {"count": self.count, "scheduler": None if self._torch is None else packed(self._torch.state_dict())}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self.count = int(state["count"])
        if self._torch is not None and state["scheduler"] is not None:
            self._torch.load_state_dict(unpacked(state["scheduler"]))


def _as_function(scheduler: Any) -> Callable[[int], float]:
    if isinstance(scheduler, Cell):
        return lambda count: float(scheduler(Tensor(count, torch.int32)))
    if isinstance(scheduler, torch.Tensor):
        scheduler = scheduler.tolist()
    if isinstance(scheduler, (list, tuple)):
        rates = [float(rate) for rate in scheduler]
        if rates:
            return lambda count: rates[min(count, len(rates) - 1)]
    elif callable(scheduler):
        return lambda count: float(scheduler(count))
    raise TypeError(
        f"For '{_OWNER}', 'scheduler' must be of torch.optim.lr_scheduler, a LearningRateSchedule, a list of rates, a "
        f"function of the number of updates, or None, but got {type(scheduler).__name__}."
    )


class LossScaler(torch.amp.GradScaler):
    """GradScaler with a scale changed by the update Cell of a loss scale manager, on the device.

    A manager without such a Cell is read before each step; the caller notifies it of overflows.

    Args:
        device_type: of the network's parameters.
        manager: a `LossScaleManager`.
    """

    def __init__(self, device_type: str, manager: Any) -> None:
        super().__init__(device_type, init_scale=float(manager.get_loss_scale()))
        self._manager = manager
        self._update_cell = manager.get_update_cell()
        self._drops = self._update_cell is not None or getattr(manager, "get_drop_overflow_update", lambda: False)()
        self._sense = Parameter(Tensor(float(manager.get_loss_scale()), torch.float32), name="scale_sense")
        self._growth_tracker = torch.zeros((), dtype=torch.int32)  # torch counts here; the manager does so itself

    @property
    def _scale(self) -> Any:
        """The memory of the Parameter, which may move to another device."""
        return plain(self._sense)

    @_scale.setter
    def _scale(self, value: Any) -> None:
        """Do nothing: torch's constructor has no scale yet."""

    def _lazy_init_scale_growth_tracker(self, dev: torch.device) -> None:
        """Do nothing: torch creates its state here; this class has its own from the start."""

    def begin(self) -> None:
        """Begin an update's first batch."""
        if self._update_cell is None:
            plain(self._sense).fill_(float(self._manager.get_loss_scale()))

    def current(self) -> torch.Tensor:
        """Return the current scale, float32 of shape ()."""
        return plain(self._sense).clone()

    def overflow(self) -> torch.Tensor:
        """Return whether gradients unscaled since the last `update` held NaN or infinity; bool of shape ()."""
        assert self._scale is not None
        found = [
            value.to(self._scale.device)
            for state in self._per_optimizer_states.values()
            for value in state["found_inf_per_device"].values()
        ]
        return torch.stack(found).sum() > 0

    def leaves_out(self, overflow: torch.Tensor) -> bool:
        """Return whether a step with that overflow changes no weight."""
        return self._drops and bool(overflow)

    def step(self, optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> float | None:
        """Update from unscaled gradients; skip this after an overflow, if the manager drops such updates."""
        if not self._drops:
            return optimizer.step(*args, **kwargs)
        return super().step(optimizer, *args, **kwargs)

    def update(self, new_scale: float | torch.Tensor | None = None) -> None:
        """Change the scale by the manager, or set it."""
        if new_scale is not None:
            plain(self._sense).copy_(torch.as_tensor(new_scale))
        elif self._update_cell is not None:
            self._update_cell(self._sense, Tensor(self.overflow()))
        self._per_optimizer_states: Any = defaultdict(_refresh_per_optimizer_state)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)  # torch's stores the scale as the initial one

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def targets(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield (name, tensor) of the entries of a checkpoint, under the names of a MindSpore step."""
        yield "scale_sense", plain(self._sense)
        if self._update_cell is not None:
            yield from ((parameter.name, plain(parameter)) for parameter in self._update_cell.get_parameters())


_UNSET: Any = object()


class TorchTrainStep(TorchStep):
    """A training step of a torch network: forward, backward, update. `Model` builds one; for more options, pass one to
    `Model` as the network.

    Returns the loss as a Tensor, with a loss scale (loss, overflow, scale of the next step) as
    `nn.TrainOneStepWithLossScaleCell`.

    Args:
        network: any ``torch.nn.Module``: plain, compiled, DataParallel, DistributedDataParallel; or a Cell.
        loss_fn: takes (outputs, label, ...); of an output object its "logits". None if the network returns the loss, or
            an object with a "loss".
        optimizer: of ``torch.optim``; None if the network updates itself.
        amp_level: "O0", or "O1", "O2", "O3", "auto": ``torch.autocast``, which decides by operator at each of them;
            "O2" also brings a `DynamicLossScaleManager`, as in MindSpore. See ``amp_dtype`` of the base.
        loss_scale_manager: replaces what the level brings; None is no loss scale.
        scheduler: of ``torch.optim.lr_scheduler``, a `LearningRateSchedule`, a list of rates, or a function of the
            number of updates.
        interval: "step" or "epoch": when the scheduler goes on.
        accumulate: number of batches that make one update, by the mean of their gradients; an epoch's end also makes
            one.
        clip_norm: the gradients' greatest norm (``torch.nn.utils.clip_grad_norm_``), of the unscaled ones.
        ema: a ``torch.optim.swa_utils.AveragedModel`` of the network, updated after each update.

    Checkpoints of a step hold everything that a resumed run needs to go on bit for bit: after
    ``load_param_into_net(step, parameters)``, ``Model.train(..., initial_epoch=step.resume())`` does so, within an
    epoch too.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind.
    """

    def __init__(
        self,
        network: torch.nn.Module,
        loss_fn: Any = None,
        optimizer: Any = None,
        *,
        amp_level: str = "O0",
        amp_dtype: torch.dtype | None = None,
        loss_scale_manager: Any = _UNSET,
        scheduler: Any = None,
        interval: str = "step",
        accumulate: int = 1,
        clip_norm: float | None = None,
        ema: Any = None,
    ) -> None:
        check_network(amp_level, amp_dtype)
        check_torch_parts(optimizer)
        if optimizer is None and (scheduler, clip_norm, ema, accumulate) != (None, None, None, 1):
            raise ValueError(f"For '{OWNER}', 'scheduler', 'clip_norm', 'ema' and 'accumulate' need an 'optimizer'.")
        super().__init__(network, loss_fn, amp_level, amp_dtype)
        manager = loss_scale_manager
        if manager is _UNSET:
            manager = DynamicLossScaleManager() if amp_level == "O2" and optimizer is not None else None
        check_clip_norm(clip_norm)
        self.loss_scale_manager = manager
        object.__setattr__(self, "optimizer", optimizer)
        object.__setattr__(self, "ema", ema)
        placement.adopted(self)
        self._scaler = None if manager is None else LossScaler(self.device_type(), manager)
        self._rates = None if optimizer is None else Rates(optimizer, scheduler, interval)
        self._parts = check_positive_int(accumulate, "accumulate", OWNER)
        self._clip_norm = clip_norm
        self._done = 0  # batches with gradients that wait for an update
        self.epoch = self.batch = 0
        self._began: dict[str, Any] | None = None  # generator states at the start of the epoch
        self._loaded: dict[str, Any] | None = None  # generator states of the loaded checkpoint
        self._resumed: dict[str, Any] | None = None
        self._now: dict[str, Any] | None = None
        self._generators: list[torch.Generator] = []  # the data's own
        known = {id(tensor) for _, tensor in self._named()}
        if optimizer is not None and any(
            id(item) not in known for group in optimizer.param_groups for item in group["params"]
        ):
            logger.warning(
                "For '%s', the 'optimizer' has parameters that are neither the network's nor the loss function's: "
                "checkpoints do not hold them.",
                OWNER,
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_generators": []}

    def forward(self, *inputs: Any) -> Any:
        optimizer, scaler = self.optimizer, self._scaler
        batch = split(self.network, inputs, self.loss_fn is not None)
        self.batch += 1
        if optimizer is None:
            outputs = self.outputs_for(batch)
            return outputs if self.loss_fn is None else batch.loss(self.loss_fn, prediction_of(outputs))
        if not self._done:
            optimizer.zero_grad(set_to_none=True)
            if scaler is not None:
                scaler.begin()
        self._done += 1
        is_last = self._done >= self._parts
        with contextlib.nullcontext() if is_last else self._without_reduction():
            with differentiable():  # derivatives inside of the network too
                outputs = self.outputs_for(batch)
                loss = loss_of(outputs if self.loss_fn is None else batch.loss(self.loss_fn, prediction_of(outputs)))
            share = loss if self._parts == 1 else loss / self._parts
            (share if scaler is None else scaler.scale(share)).backward()
        overflow = self._update() if is_last else torch.tensor(False)
        found = wrap(loss.detach())
        return found if scaler is None else (found, wrap(overflow), wrap(scaler.current()))

    def _without_reduction(self) -> Any:
        """Return DistributedDataParallel's no_sync: only an update's last batch reduces gradients, for all batches."""
        no_sync = getattr(self.network, "no_sync", None)
        return contextlib.nullcontext() if no_sync is None else no_sync()

    def _update(self) -> torch.Tensor:
        """Update once from the accumulated gradients; return whether they overflowed."""
        optimizer, scaler, rates = self.optimizer, self._scaler, self._rates
        assert rates is not None
        if self._done < self._parts:  # an epoch's last batches: the mean of the present ones
            for parameter in self._parameters_with_gradients():
                parameter.grad.mul_(self._parts / self._done)
        self._done = 0
        overflow = torch.tensor(False)
        if scaler is not None:
            scaler.unscale_(optimizer)
            overflow = scaler.overflow()
        if self._clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self._parameters_with_gradients(), self._clip_norm)
        rates.before_update()
        if scaler is None:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()
        if scaler is None or not scaler.leaves_out(overflow):
            rates.after("step")
            if self.ema is not None:
                self.ema.update_parameters(self.network)
        return overflow

    def _parameters_with_gradients(self) -> list[Any]:
        return [
            parameter
            for group in self.optimizer.param_groups
            for parameter in group["params"]
            if parameter.grad is not None
        ]

    # --- epochs -------------------------------------------------------------------------------------------------------

    def resume(self) -> int:
        """Continue from the loaded checkpoint in the next training; return its ``initial_epoch``.

        Raises:
            RuntimeError: if no checkpoint of a step was loaded.
        """
        if self._loaded is None:
            raise RuntimeError(
                "There is nothing to resume: load a checkpoint that ModelCheckpoint saved into the step before."
            )
        self._resumed = self._loaded
        return self.epoch

    def begin_epoch(self, epoch: int, dataset: Any = None) -> int | None:
        """Begin an epoch of the loop, counted from 0, over the dataset.

        Returns:
            The number of its batches that a resumed run has behind it, else None.

        Raises:
            ValueError: if a resumed run begins with another epoch.
        """
        resumed, self._resumed, self._loaded, self._now = self._resumed, None, None, None
        self._generators = generators_of(dataset)
        if resumed is not None:
            if self.epoch != epoch:
                raise ValueError(
                    f"The training resumes in epoch {self.epoch}, not {epoch}: give initial_epoch=step.resume()."
                )
            self._began, self._now = resumed["began"], resumed["now"] if self.batch else None
            set_random_state(resumed["began"], self._generators)
            return self.batch
        self.epoch, self.batch, self._done = epoch, 0, 0
        self._began = random_state(self._generators)
        return None

    def continue_epoch(self) -> None:
        """Restore the generator states after the batches before a resumed run were skipped."""
        if self._now is not None:
            set_random_state(self._now, self._generators)
            self._now = None

    def end_epoch(self, size: int) -> None:
        """End the loop's epoch of ``size`` batches; one stopped inside continues on resumption."""
        if self.batch < size:
            return
        if self._done:
            self._update()
        if self._rates is not None:
            self._rates.after("epoch")
        self.epoch, self.batch, self._began = self.epoch + 1, 0, None

    # --- checkpoints --------------------------------------------------------------------------------------------------

    def _named(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield (MindSpore name, tensor) of the network, and of a loss function that is a module as ``loss_fn.NAME``,
        each tensor once.
        """
        seen = set()
        for prefix, module in (("", self.network), ("loss_fn.", self.loss_fn)):
            for name, tensor in torch_targets(module) if isinstance(module, torch.nn.Module) else ():
                if id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield prefix + name, tensor

    def checkpoint_targets(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield (MindSpore name, tensor): `_named`, the optimizer's state as ``STATE.PARAMETER``, the loss scale's, the
        average's as ``ema.``.
        """
        found = list(self._named())
        yield from found
        states = self.optimizer.state if self.optimizer is not None else {}
        for name, tensor in found:
            for key, value in states.get(tensor, {}).items():
                if isinstance(value, torch.Tensor):
                    yield f"{key}.{name}", value
        if self._scaler is not None:
            yield from self._scaler.targets()
        if self.ema is not None:
            yield from ((f"ema.{name}", tensor) for name, tensor in torch_targets(self.ema))

    def checkpoint_extras(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the entries of a checkpoint beside `checkpoint_targets`: gradients that wait for an update, and one
        entry of all other state.
        """
        if self.optimizer is None:
            return
        names = dict(self._named())
        if self._done:
            yield from (
                (f"accumulated.{name}", tensor.grad) for name, tensor in names.items() if tensor.grad is not None
            )
        states, now = self.optimizer.state, random_state(self._generators)
        numbers = {
            name: packed_parts(
                {key: value for key, value in states.get(tensor, {}).items() if not isinstance(value, torch.Tensor)}
            )
            for name, tensor in names.items()
        }
        yield (
            NAME,
            encoded(
                {
                    "optimizer": type(self.optimizer).__name__,
                    "groups": [packed_parts(group, ("params",)) for group in self.optimizer.param_groups],
                    "states": {name: found for name, found in numbers.items() if found},
                    "rates": self._rates.state(),  # type: ignore[union-attr]
                    "counters": {name: counter.item() for name, counter in self._counters()},
                    "done": self._done,
                    "epoch": self.epoch,
                    "batch": self.batch,
                    "began": self._began or now,
                    "now": now,
                }
            ),
        )

    def _counters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield (torch name, tensor) of single numbers without a MindSpore name: ``num_batches_tracked`` of norms."""
        for prefix, module in (("", self.network), ("loss_fn.", self.loss_fn), ("ema.", self.ema)):
            if isinstance(module, torch.nn.Module):
                named = {id(tensor) for _, tensor in torch_targets(module)}
                yield from (
                    (prefix + name, item)
                    for name, item in module.named_buffers()
                    if id(item) not in named and item.numel() == 1
                )

    def check_optimizer_state(self, values: dict[str, Any]) -> None:
        """Raise ValueError if the entry of the run's state is damaged or of another optimizer, before any change."""
        if self.optimizer is None or not isinstance(values.get(NAME), torch.Tensor):
            return
        found = decoded(values[NAME])
        mine, its = type(self.optimizer).__name__, found.get("optimizer")
        if its is not None and its != mine:
            raise _misfit(f"the optimizer is {mine}, the checkpoint's was {its}")
        groups = found.get("groups")
        if isinstance(groups, list) and len(groups) != len(self.optimizer.param_groups):
            raise _misfit(
                f"the optimizer has {len(self.optimizer.param_groups)} groups of parameters, the checkpoint's had "
                f"{len(groups)}"
            )

    def restore_optimizer_state(self, values: dict[str, Any]) -> list[str]:
        """Restore entries without a tensor in `load_param_into_net`: a fresh optimizer's states and
        `checkpoint_extras`. Return the names used.

        Raises:
            ValueError: if the entry of the run's state is damaged.
        """
        if self.optimizer is None:
            return []
        used = []
        by_name = dict(self._named())
        for name, value in values.items():
            key, _, parameter = name.partition(".")
            tensor = by_name.get(parameter)
            if tensor is None or not isinstance(value, torch.Tensor):
                continue
            if key == "accumulated":
                tensor.grad = torch._C.TensorBase.detach(value).to(tensor.device, copy=True)
            elif key not in self.optimizer.state[tensor]:
                where = "cpu" if key == "step" else tensor.device  # a step counter stays on the CPU, as in torch
                found = value.detach().to(where, copy=True)
                self.optimizer.state[tensor][key] = torch._C.TensorBase.detach(found)
            else:
                continue
            used.append(name)
        if isinstance(values.get(NAME), torch.Tensor):
            self._restore_run(decoded(values[NAME]), by_name)
            used.append(NAME)
        return used

    def _restore_run(self, found: dict[str, Any], by_name: dict[str, torch.Tensor]) -> None:
        assert self._rates is not None
        groups = self.optimizer.param_groups
        try:
            for group, parts in zip(groups, found["groups"], strict=True):
                restore_parts(group, parts)
            for name, parts in found["states"].items():
                if name in by_name:
                    restore_parts(self.optimizer.state[by_name[name]], parts)
            for name, counter in self._counters():
                if name in found["counters"]:
                    counter.fill_(found["counters"][name])
            self._rates.restore(found["rates"])
            self._done, self.epoch, self.batch = int(found["done"]), int(found["epoch"]), int(found["batch"])
            self._loaded = {"began": found["began"], "now": found["now"]}
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise _misfit(repr(error)) from error


def _misfit(what: str) -> ValueError:
    return ValueError(
        f"The checkpoint's entry {NAME!r} does not fit this optimizer and scheduler: {what}. Build them as they "
        "were, or load into the step's 'network' to go on with fresh ones."
    )
