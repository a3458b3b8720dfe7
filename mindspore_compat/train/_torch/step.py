"""Training steps of torch networks under `Model`: plain tensors, torch losses, ``torch.optim`` optimizers
(docs/torch.md).
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat._autograd.recorded import differentiable
from mindspore_compat._runtime import placement
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.train._torch import state
from mindspore_compat.train._torch.arguments import OWNER, check_clip_norm, check_network, check_torch_parts
from mindspore_compat.train._torch.batch import loss_of, prediction_of, split
from mindspore_compat.train._torch.names import torch_targets
from mindspore_compat.train._torch.network import TorchStep
from mindspore_compat.train._torch.rates import Rates
from mindspore_compat.train._torch.scale import LossScaler
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager

_UNSET: Any = object()
_log = logging.getLogger("mindspore_compat")


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
            _log.warning(
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
        self._generators = state.generators_of(dataset)
        if resumed is not None:
            if self.epoch != epoch:
                raise ValueError(
                    f"The training resumes in epoch {self.epoch}, not {epoch}: give initial_epoch=step.resume()."
                )
            self._began, self._now = resumed["began"], resumed["now"] if self.batch else None
            state.set_random_state(resumed["began"], self._generators)
            return self.batch
        self.epoch, self.batch, self._done = epoch, 0, 0
        self._began = state.random_state(self._generators)
        return None

    def continue_epoch(self) -> None:
        """Restore the generator states after the batches before a resumed run were skipped."""
        if self._now is not None:
            state.set_random_state(self._now, self._generators)
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
        states, now = self.optimizer.state, state.random_state(self._generators)
        numbers = {
            name: state.packed_parts(
                {key: value for key, value in states.get(tensor, {}).items() if not isinstance(value, torch.Tensor)}
            )
            for name, tensor in names.items()
        }
        yield (
            state.NAME,
            state.encoded(
                {
                    "optimizer": type(self.optimizer).__name__,
                    "groups": [state.packed_parts(group, ("params",)) for group in self.optimizer.param_groups],
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
        if self.optimizer is None or not isinstance(values.get(state.NAME), torch.Tensor):
            return
        found = state.decoded(values[state.NAME])
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
        if isinstance(values.get(state.NAME), torch.Tensor):
            self._restore_run(state.decoded(values[state.NAME]), by_name)
            used.append(state.NAME)
        return used

    def _restore_run(self, found: dict[str, Any], by_name: dict[str, torch.Tensor]) -> None:
        assert self._rates is not None
        groups = self.optimizer.param_groups
        try:
            for group, parts in zip(groups, found["groups"], strict=True):
                state.restore_parts(group, parts)
            for name, parts in found["states"].items():
                if name in by_name:
                    state.restore_parts(self.optimizer.state[by_name[name]], parts)
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
        f"The checkpoint's entry {state.NAME!r} does not fit this optimizer and scheduler: {what}. Build them as they "
        "were, or load into the step's 'network' to go on with fresh ones."
    )
