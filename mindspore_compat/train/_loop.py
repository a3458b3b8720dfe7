"""The loops of `Model.train`, `Model.fit` and `Model.eval` as functions over a state.

Training, with the content of ``run_context.original_args()`` for callbacks::

    callbacks entered
    on_train_begin                       train_network, epoch_num, batch_num, train_dataset, ...; cur_step_num = 0
    for each epoch:
        on_train_epoch_begin             cur_epoch_num
        for each batch:
            on_train_step_begin          cur_step_num (over the whole run), train_dataset_element
            net_outputs = train_network(*batch)
            on_train_step_end            net_outputs; request_stop() ends the epoch here
        [fit: on_eval_begin … on_eval_end with the evaluation's cb_params; adds metrics, eval_results]
        on_train_epoch_end               metrics if there was an evaluation; request_stop() ends the run here
    on_train_end
    callbacks left

Evaluation: on_eval_begin, on_eval_epoch_begin, (on_eval_step_begin, on_eval_step_end)…, on_eval_epoch_end, on_eval_end
(metrics).

Sinking on a GPU in graph mode makes a whole sink one "step" for callbacks, as in MindSpore; on a CPU MindSpore does not
sink.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from mindspore_compat import context
from mindspore_compat._graph.program import program
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._runtime.module_tree import modules
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train.callback._callback import CallbackManager, InternalCallbackParam, RunContext
from mindspore_compat.train.dataset_helper import endless, epochs, init_step, prefetched, resumed_epochs
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager


class BackboneMode:
    """Training mode of the layers that a Model's networks share, as last switched by the Model.

    A pass of the other kind switches all of them. A program's own switches (batch norms kept in evaluation mode while
    the rest is trained) stay, as in MindSpore. In GRAPH_MODE every layer computes in its mode at the network's first
    call with such inputs, when MindSpore compiles it.
    """

    def __init__(self) -> None:
        self.is_train = True
        self._compiled: dict[Any, _Modes] = {}

    def begin(self, network: Any, is_train: bool) -> None:
        """Switch the network at the beginning of a run."""
        network.set_train(is_train)
        self.is_train = is_train

    def check(self, network: Any, is_train: bool) -> None:
        """Switch the network if a run of the other kind came in between."""
        if self.is_train is not is_train:
            self.begin(network, is_train)

    def call(self, network: Any, is_train: bool, batch: tuple[Any, ...]) -> Any:
        """Return the network's outputs for a batch."""
        self.check(network, is_train)
        if not isinstance(network, Cell) or context.get_context("mode") != context.GRAPH_MODE:
            return network(*batch)
        key = (id(network), network.phase, *((x.shape, x.dtype) for x in batch if isinstance(x, torch.Tensor)))
        modes = self._compiled.get(key)
        if modes is None:  # inputs of many shapes share one object
            same = (other for other in self._compiled.values() if other.are_those_of(network))
            modes = self._compiled[key] = next(same, None) or _Modes(network)
        with modes.restored():
            return network(*batch)


class _Modes:
    """The modes of a network's layers at one time."""

    def __init__(self, network: Cell) -> None:
        self._network = network  # keeps its id reserved
        self._modes = [(module.__dict__, module.training) for module in modules(network)]
        self._equal_at = program.epoch

    def are_those_of(self, network: Cell) -> bool:
        """Return whether the network's layers are in these modes now."""
        return network is self._network and all(state["training"] is mode for state, mode in self._modes)

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Put the layers into these modes within the context."""
        if self._equal_at == program.epoch:
            yield
            return
        others = [(state, mode, state["training"]) for state, mode in self._modes if state["training"] is not mode]
        if not others:
            self._equal_at = program.epoch
        for state, mode, _ in others:
            state["training"] = mode
        try:
            yield
        finally:
            for state, _, mode in others:
                state["training"] = mode


class Sinking:
    """Effect of ``dataset_sink_mode`` and ``sink_size``.

    Args:
        enabled: the user's dataset_sink_mode.
        sink_size: steps of an epoch, or -1.
        size: batches of the dataset.
    """

    def __init__(self, enabled: bool, sink_size: int, size: int) -> None:
        self.limits_steps = enabled and sink_size not in (-1, size)
        self.steps = sink_size if enabled and sink_size > 0 else size
        on_gpu = current_device() is not CPU
        self.is_on = enabled and on_gpu
        self.one_step_per_sink = self.is_on and context.get_context("mode") == context.GRAPH_MODE

    def begins_an_epoch(self, dataset: Any) -> None:
        """Restart a resumed epoch from its start when a device is fed epoch by epoch, as in MindSpore."""
        told = init_step(dataset)
        if self.is_on and told % self.steps:
            begin = told // self.steps * self.steps
            logger.warning(
                "In sink mode the init step must be the end of an epoch, but got %d. The run begins at step %d, the "
                "end of epoch %d.",
                told,
                begin,
                told // self.steps,
            )
            dataset.set_init_step(begin)

    def epochs(
        self, dataset: Any, first: int, last: int, plain: bool, behind: int | None = None, then: Any = None
    ) -> Iterator[Iterable[tuple[Any, ...]]]:
        """Yield the batches of each epoch from ``first`` up to ``last``; a resumed run skips ``behind`` of the first
        epoch's, others have None.

        Raises:
            ValueError: for a resumed run with a ``sink_size``.
        """
        if not self.limits_steps:
            yield from map(
                partial(prefetched, dataset),
                epochs(dataset, last - first, plain, first)
                if behind is None
                else resumed_epochs(dataset, first, last, plain, behind, then),
            )
            return
        number = last - first
        if behind is not None and (behind or first):
            raise ValueError(
                "A run in epochs of 'sink_size' steps resumes at an epoch only. Leave 'sink_size' out, or 'resume()'."
            )
        stream = iter(prefetched(dataset, endless(dataset, plain)))
        for _ in range(number):
            yield (next(stream) for _ in range(self.steps))


def _checked_elements(network: Any, batch: tuple[Any, ...], has_loss_fn: bool) -> tuple[Any, ...]:
    if has_loss_fn and isinstance(network, Cell) and len(batch) != 2:
        raise ValueError(
            f"When 'loss_fn' is not None, 'train_dataset' should return two elements, but got {len(batch)}: use "
            "project() to keep two columns, or put the loss into the network."
        )
    return batch


@dataclass
class Run:
    """A run of a network over a dataset; ``plain``: of a torch module, with torch's tensors."""

    network: Any
    mode: BackboneMode
    dataset: Any
    cb_params: InternalCallbackParam
    callbacks: CallbackManager
    plain: bool


def train_epochs(
    run: Run,
    first_epoch: int,
    last_epoch: int,
    sinking: Sinking,
    evaluate_after: Callable[[], None],
    after_step: Callable[[Any], None] | None,
) -> None:
    """Train from ``first_epoch`` (counted from 0) up to, not including, ``last_epoch``."""
    network, mode, dataset, cb_params, callbacks = run.network, run.mode, run.dataset, run.cb_params, run.callbacks
    run_context = RunContext(cb_params)
    cb_params.dataset_sink_mode = sinking.is_on
    mode.begin(network, True)
    sinking.begins_an_epoch(dataset)
    callbacks.on_train_begin(run_context)
    # of a step of a torch network
    begin_epoch, end_epoch = (getattr(network, name, None) for name in ("begin_epoch", "end_epoch"))
    behind = begin_epoch(first_epoch, dataset) if begin_epoch is not None else None
    cb_params.cur_step_num += behind or 0
    then = getattr(network, "continue_epoch", None)
    batches_of_epochs = sinking.epochs(dataset, first_epoch, last_epoch, run.plain, behind, then)
    for epoch, batches in zip(range(first_epoch, last_epoch), batches_of_epochs):
        cb_params.cur_epoch_num = epoch + 1
        if begin_epoch is not None and epoch > first_epoch:
            begin_epoch(epoch, dataset)
        callbacks.on_train_epoch_begin(run_context)
        if sinking.is_on:
            mode.begin(network, True)
        (_train_one_sink if sinking.one_step_per_sink else _train_one_epoch)(run, batches, run_context, after_step)
        if end_epoch is not None:
            end_epoch(sinking.steps if run_context.get_stop_requested() else 0)
        evaluate_after()
        if hasattr(dataset, "reset"):
            dataset.reset()
        callbacks.on_train_epoch_end(run_context)
        cb_params.pop("metrics", None)
        cb_params.pop("eval_results", None)
        if run_context.get_stop_requested():
            break
    callbacks.on_train_end(run_context)


def _train_one_epoch(
    run: Run, batches: Iterable[tuple[Any, ...]], run_context: RunContext, after_step: Callable[[Any], None] | None
) -> None:
    network, mode, cb_params, callbacks = run.network, run.mode, run.cb_params, run.callbacks
    has_loss_fn = cb_params["loss_fn"] is not None
    step_begin, step_end = callbacks.on_train_step_begin, callbacks.on_train_step_end
    for batch in batches:
        _checked_elements(network, batch, has_loss_fn)
        cb_params["cur_step_num"] += 1
        cb_params["train_dataset_element"] = list(batch)
        step_begin(run_context)
        outputs = cb_params["net_outputs"] = mode.call(network, True, batch)
        if after_step is not None:
            after_step(outputs)
        step_end(run_context)
        if run_context._stop_requested:
            break


def _train_one_sink(
    run: Run, batches: Iterable[tuple[Any, ...]], run_context: RunContext, after_step: Callable[[Any], None] | None
) -> None:
    """Run all steps of a sink between one pair of hooks, without waiting for the device in between."""
    network, mode, cb_params, callbacks = run.network, run.mode, run.cb_params, run.callbacks
    has_loss_fn = cb_params["loss_fn"] is not None
    cb_params["cur_step_num"] += cb_params["batch_num"]
    cb_params["train_dataset_element"] = ()
    callbacks.on_train_step_begin(run_context)
    outputs = None
    for batch in batches:
        outputs = mode.call(network, True, _checked_elements(network, batch, has_loss_fn))
        if after_step is not None:
            after_step(outputs)
    cb_params["net_outputs"] = outputs
    callbacks.on_train_step_end(run_context)


def evaluate(run: Run, metrics: Any, with_loss: bool = False) -> dict[str, Any]:
    """Evaluate in one pass without gradients; ``metrics`` has clear(), update(outputs), eval(), loss(outputs). Return
    {metric: value}.
    """
    network, mode, dataset, cb_params, callbacks = run.network, run.mode, run.dataset, run.cb_params, run.callbacks
    run_context = RunContext(cb_params)
    cb_params.dataset_sink_mode = False
    metrics.clear()
    callbacks.on_eval_begin(run_context)
    mode.begin(network, False)
    callbacks.on_eval_epoch_begin(run_context)
    with torch.no_grad():
        for batch in prefetched(dataset, next(epochs(dataset, 1, run.plain))):
            cb_params["cur_step_num"] += 1
            cb_params["eval_dataset_element"] = list(batch)
            callbacks.on_eval_step_begin(run_context)
            outputs = cb_params["net_outputs"] = mode.call(network, False, batch)
            callbacks.on_eval_step_end(run_context)
            metrics.update(outputs, with_loss)
            if run_context._stop_requested:
                break
    callbacks.on_eval_epoch_end(run_context)
    if hasattr(dataset, "reset"):
        dataset.reset()
    found = metrics.eval()
    cb_params.metrics = found
    if with_loss:
        cb_params.eval_results = {**copy.deepcopy(found), "eval_loss": metrics.mean_loss()}
    callbacks.on_eval_end(run_context)
    return found


def overflow_listener(manager: Any) -> Any:
    """Return a function that notifies a user's loss scale manager of overflows, if steps report them."""
    if manager is None or not manager.get_drop_overflow_update():
        return None
    notify = type(manager).update_loss_scale
    if notify is FixedLossScaleManager.update_loss_scale:  # does nothing
        return None

    def update(outputs: Any) -> None:
        if isinstance(outputs, tuple) and len(outputs) > 1:
            overflow = torch.all(outputs[1])
            takes_tensors = notify is DynamicLossScaleManager.update_loss_scale
            manager.update_loss_scale(overflow if takes_tensors else bool(overflow))

    return update
