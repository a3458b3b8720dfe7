"""`Callback`, `RunContext` and the runner of a list of callbacks. MindSpore: ``mindspore.train.callback``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
import torch

from mindspore_compat.common.callback import Callback

__all__ = ["Callback", "RunContext", "CallbackManager", "InternalCallbackParam", "set_cur_net"]


def is_train_only(callback: Callback) -> bool:
    """Return whether a callback does not run in the evaluation inside of `fit`: one of this package that says so, or
    its subclass of the same name.

    Subclasses with another name do run there, as in MindSpore.
    """
    cls = type(callback)
    return any(base.__dict__.get("_trains_only", False) and base.__name__ == cls.__name__ for base in cls.__mro__)


_STAGES = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
_HOOKS = tuple(f"on_{mode}_{stage}" for mode in ("train", "eval") for stage in _STAGES)


#: the default hooks, which do nothing: a test may set others in the class
_DEFAULTS = {name: value for name, value in vars(Callback).items() if callable(value)}


def _is_default(callback: Callback, hook: str) -> bool:
    """Return whether a hook does nothing: neither it nor its fallback is overridden."""
    for name in (hook, hook.removeprefix("on_train_").removeprefix("on_eval_")):
        if name in callback.__dict__ or getattr(type(callback), name) is not _DEFAULTS[name]:
            return False
    return True


class CallbackManager(Callback):
    """Runner of a list of callbacks in order.

    Raises:
        TypeError: if there is anything but Callbacks.
    """

    def __init__(self, callbacks: Any) -> None:
        found = [callbacks] if isinstance(callbacks, Callback) else list(callbacks or [])
        for callback in found:
            if not isinstance(callback, Callback):
                raise TypeError(f"The 'callbacks' must be a Callback or a list of them, but got {callback!r}.")
        self._callbacks: list[Callback] = found
        self._stack: ExitStack | None = None
        self._bind()

    def __enter__(self) -> CallbackManager:
        if self._stack is None:
            with ExitStack() as stack:  # closes the open callbacks if a later one raises
                entered = [stack.enter_context(callback) for callback in self._callbacks]
                self._stack = stack.pop_all()
            self._callbacks = [new if isinstance(new, Callback) else old for new, old in zip(entered, self._callbacks)]
        self._bind()
        return self

    def __exit__(self, *err: Any) -> Any:
        return self._stack.__exit__(*err) if self._stack is not None else None

    def _bind(self) -> None:
        """Make a runner for each hook."""
        for hook in (*_STAGES, *_HOOKS):
            self.__dict__[hook] = self._runner(hook)

    def _runner(self, hook: str) -> Callable[[Any], None]:
        def run(run_context: Any) -> None:
            for callback in self._callbacks:
                if not _is_default(callback, hook):  # asked at each call: `begin` may set `self.step_end`
                    getattr(callback, hook)(run_context)

        return run


class MissingParamError(AttributeError, KeyError):
    """KeyError as in MindSpore, and an AttributeError, so that ``hasattr`` works."""


class InternalCallbackParam(dict):
    """A dict with items as attributes, too: the result of ``RunContext.original_args()``."""

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise MissingParamError(f"The callback parameters have no '{key}'; they have {sorted(self)}.") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value


class RunContext:
    """State of a run for callbacks; `request_stop` ends it.

    ``original_args()`` holds in training: train_network, network, epoch_num, batch_num, mode, loss_fn, optimizer,
    parallel_mode, device_number, train_dataset, train_dataset_element, list_callback, cur_epoch_num, cur_step_num (from
    1 over the whole run), dataset_sink_mode, net_outputs, last_save_ckpt_step, latest_ckpt_file; in evaluation:
    eval_network, valid_dataset, metrics and the like.
    """

    def __init__(self, original_args: dict) -> None:
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> Any:
        """Return the run's parameters."""
        return self._original_args

    def request_stop(self) -> None:
        """End the run after this step."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Return whether a stop was requested."""
        return self._stop_requested


_current_net: Any = None


def set_cur_net(net: Any) -> None:
    """Remember the network to save; scripts call it before saving as on Ascend."""
    global _current_net
    _current_net = net


def _handle_loss(loss: Any) -> Any:
    """Return the loss in a network's outputs: the mean of a Tensor as a float; of several outputs, the first."""
    if isinstance(loss, (tuple, list)):
        return loss[0] if isinstance(loss[0], torch.Tensor) else loss
    if isinstance(loss, torch.Tensor):
        array = loss.detach().cpu()
        return float(array) if array.dim() == 0 else float(np.mean(array.float().numpy()))
    return loss
