"""`SummaryCollector`. MindSpore: ``mindspore.train.callback.SummaryCollector``."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_positive_int, check_type
from mindspore_compat._runtime.module_tree import modules, named_parameters
from mindspore_compat.log import logger
from mindspore_compat.nn.loss.loss import LossBase
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.train.callback._callback import Callback, RunContext
from mindspore_compat.train.callback._landscape import DEFAULT_LANDSCAPE, LandscapeData
from mindspore_compat.train.summary import _lineage
from mindspore_compat.train.summary._checks import check_export_options, make_directory
from mindspore_compat.train.summary._graph import CallTrace, graph_of
from mindspore_compat.train.summary.summary_record import SummaryRecord

__all__ = ["SummaryCollector"]

_OWNER = "SummaryCollector"
_SWITCHES = tuple(
    (
        "collect_metric collect_graph collect_train_lineage collect_eval_lineage collect_input_data "
        "collect_dataset_graph"
    ).split()
)
_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(_SWITCHES, True),
    "histogram_regular": None,
    "collect_landscape": DEFAULT_LANDSCAPE,
}
_CONFIG_VARIABLE = "MINDINSIGHT_HYPER_CONFIG"
_CONFIG_LIMIT = 100000
_MOST_TENSOR_STEPS = 20
_DEFAULT_PARAMETERS = 5


class SummaryCollector(Callback):
    """Collector of loss, graph, lineage, input pictures and Parameters of a run, and of values of summary operators in
    training.

    Args:
        summary_dir: the folder, made if needed.
        collect_freq: collect at the first step and at those divisible by it (epochs when sinking).
        num_process: accepted without effect.
        collect_specified_data: {name: value} for collect_metric, collect_graph, collect_train_lineage,
            collect_eval_lineage, collect_input_data, collect_dataset_graph (bools, True), histogram_regular (pattern of
            Parameter names; None: the first five), collect_landscape (a dict or None).
        keep_default_action: whether what is not named there is collected as by default; otherwise it is not.
        custom_lineage_data: {str: str, int or float}.
        collect_tensor_freq: `collect_freq` of tensors; None: at about 20 steps at most.
        max_file_size, export_options: as of `SummaryRecord`.

    Raises:
        TypeError, ValueError: for wrong arguments; when a run starts with two collectors.
    """

    _trains_only = True

    def __init__(
        self,
        summary_dir: str,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict | None = None,
    ) -> None:
        super().__init__()
        self._summary_dir = make_directory(summary_dir, "summary_dir")
        self._collect_freq = check_positive_int(collect_freq, "collect_freq", _OWNER)
        self._collect_tensor_freq = (
            collect_tensor_freq
            if collect_tensor_freq is None
            else check_positive_int(collect_tensor_freq, "collect_tensor_freq", _OWNER)
        )
        self._max_file_size = max_file_size
        self._export_options = check_export_options(export_options)
        self._specified = _specified(collect_specified_data, keep_default_action)
        landscape = self._specified.get("collect_landscape")
        self._landscape = LandscapeData(self._summary_dir, landscape) if landscape else None
        self._custom = _custom_data(custom_lineage_data)
        self._record: Any = None
        self._trace: CallTrace | None = None
        self._parameters: list[tuple[str, Any]] | None = None
        self._saved_graph = self._saved_custom = False
        self._first_step = self._sinking = True
        self._tensor_steps: Collection[int] = range(0)

    def __enter__(self) -> SummaryCollector:
        self._record = SummaryRecord(
            self._summary_dir, max_file_size=self._max_file_size, export_options=self._export_options
        )
        self._record._listening = False  # only between the beginning and the end of a training step
        self._first_step = self._sinking = True
        self._parameters = None
        return self

    def __exit__(self, *err: Any) -> None:
        self._stop_trace()
        self._record.close()

    # --- hooks --------------------------------------------------------------------------------------------------------

    def begin(self, run_context: RunContext) -> None:
        cb_params = run_context.original_args()
        if sum(type(callback) is SummaryCollector for callback in cb_params.list_callback) > 1:
            raise ValueError("A run takes one SummaryCollector, but the list of callbacks has several.")
        self._record.set_mode(cb_params.mode)
        self._sinking = cb_params.dataset_sink_mode

    def step_begin(self, run_context: RunContext) -> None:
        cb_params = run_context.original_args()
        if cb_params.mode != "train":
            return
        self._record._listening = True
        if not self._saved_graph and self._specified.get("collect_graph") and not self._sinking:
            self._trace = CallTrace(cb_params.train_network)

    def step_end(self, run_context: RunContext) -> None:
        cb_params = run_context.original_args()
        if cb_params.mode != "train":
            return
        self._record._listening = False
        self._stop_trace()
        if not self._saved_graph:
            self._saved_graph = True
            self._collect_graphs(cb_params)
            self._record.record(cb_params.cur_step_num)
        if self._custom and not self._saved_custom:
            self._saved_custom = True
            self._record.add_value("custom_lineage_data", "custom_lineage_data", _lineage.custom_lineage(self._custom))
            self._record.record(cb_params.cur_step_num)
        if not self._sinking:
            self._collect_values(cb_params)
        if self._landscape is not None:
            self._landscape.save(cb_params, "step", self._record._writer.call)

    def epoch_end(self, run_context: RunContext) -> None:
        cb_params = run_context.original_args()
        if cb_params.mode == "train":
            self._collect_values(cb_params)
            if self._landscape is not None:
                self._landscape.save(cb_params, "epoch", self._record._writer.call)
        self._record._writer.flush(wait=False)

    def end(self, run_context: RunContext) -> None:
        cb_params = run_context.original_args()
        training = cb_params.mode == "train"
        if training and self._specified.get("collect_train_lineage"):
            loss = self._loss(cb_params)
            message = _lineage.train_lineage(cb_params, loss, self._optimizer(cb_params), _loss_fn(cb_params))
            self._record.add_value("train_lineage", "train_lineage", message)
        elif not training and self._specified.get("collect_eval_lineage"):
            self._record.add_value("eval_lineage", "eval_lineage", _lineage.eval_lineage(cb_params))
        self._record.set_mode("eval")  # drops values of operators since the last sampled step
        self._record.record(0)
        if training and self._landscape is not None:
            self._record._writer.call(self._landscape.save_metadata, cb_params.batch_num)  # behind the checkpoints

    # --- collecting ---------------------------------------------------------------------------------------------------

    def _stop_trace(self) -> None:
        if self._trace is not None:
            self._trace.stop()

    def _collect_graphs(self, cb_params: Any) -> None:
        """Collect the graph of the training network and of its dataset."""
        trace, self._trace = self._trace, None
        if self._specified.get("collect_graph"):
            try:
                self._record.add_value("graph", "train_network/auto", graph_of(cb_params.train_network, trace))
            except Exception as error:
                logger.warning("the graph of the network is not collected: %s: %s", type(error).__name__, error)
        if self._specified.get("collect_dataset_graph"):
            message = _lineage.dataset_graph(cb_params.train_dataset)
            if message is not None:
                self._record.add_value("dataset_graph", "train_dataset", message)

    def _collect_values(self, cb_params: Any) -> None:
        """Collect loss, pictures, Parameters and operators, if this step (or epoch, when sinking) is one to sample."""
        if self._first_step:
            self._tensor_steps = self._steps_of_tensors(cb_params)
            self._first_step = False
            self._collect(cb_params, None)
            self._record._writer.flush(wait=False)
            return
        current = cb_params.cur_epoch_num if self._sinking else cb_params.cur_step_num
        sampled, with_tensors = current % self._collect_freq == 0, current in self._tensor_steps
        if sampled and with_tensors:
            self._collect(cb_params, None)
        elif with_tensors:
            self._collect(cb_params, lambda plugin: plugin == "tensor")
        elif sampled:
            self._collect(cb_params, lambda plugin: plugin != "tensor")

    def _steps_of_tensors(self, cb_params: Any) -> Collection[int]:
        total = cb_params.epoch_num * (1 if self._sinking else cb_params.batch_num)
        if self._collect_tensor_freq is not None:
            return range(0, total + 1, self._collect_tensor_freq)
        if len(range(0, total + 1, self._collect_freq)) <= _MOST_TENSOR_STEPS:
            return range(0, total + 1, self._collect_freq)
        frequency = total // (_MOST_TENSOR_STEPS - 1)
        if frequency > 1:
            return range(0, total + 1, frequency)[:_MOST_TENSOR_STEPS]
        return range(0, total + 1)[: _MOST_TENSOR_STEPS + 1]

    def _collect(self, cb_params: Any, plugin_filter: Callable[[str], bool] | None) -> None:
        if plugin_filter is None or plugin_filter("scalar"):
            self._collect_input(cb_params)
            if self._specified.get("collect_metric"):
                loss = self._loss(cb_params)
                if loss is not None:
                    self._record._keep("scalar", "loss/auto", loss)
            if "histogram_regular" in self._specified:
                for name, parameter in self._histogram_parameters(cb_params):
                    self._record.add_value("histogram", f"{name}/auto", parameter)
        self._record.record(cb_params.cur_step_num, plugin_filter=plugin_filter)

    def _collect_input(self, cb_params: Any) -> None:
        if not self._specified.get("collect_input_data"):
            return
        element = cb_params.get("train_dataset_element")
        element = element[0] if isinstance(element, (list, tuple)) and element else element
        if isinstance(element, torch.Tensor) and element.dim() == 4 and not element.is_complex():
            self._record.add_value("image", "input_data/auto", element)
            return
        logger.warning("The input data of network are not image, so will not collect by SummaryCollector.")
        self._specified["collect_input_data"] = False

    def _loss(self, cb_params: Any) -> float | None:
        """Return the mean of the network's (first) output."""
        output = cb_params.get("net_outputs")
        output = output[0] if isinstance(output, (list, tuple)) and output else output
        if isinstance(output, torch.Tensor) and output.numel():
            with torch._C.DisableTorchFunctionSubclass():
                if output.numel() == 1:
                    return float(output.item())
                plain = output.detach()
                return float(
                    np.mean(plain.float().cpu().numpy() if plain.dtype == torch.bfloat16 else plain.cpu().numpy())
                )
        if isinstance(output, (int, float)):
            return float(output)
        if self._specified.get("collect_metric"):
            logger.warning("The output of the network holds no number, so SummaryCollector will not collect loss.")
            self._specified["collect_metric"] = False
        return None

    def _optimizer(self, cb_params: Any) -> Any:
        """Return the Optimizer given to the Model, or found in its network."""
        optimizer = cb_params.get("optimizer")
        if optimizer is None:
            network = cb_params.train_network
            optimizer = next((module for module in modules(network) if isinstance(module, Optimizer)), None)
            optimizer = optimizer if optimizer is not None else getattr(network, "optimizer", None)
        return optimizer if isinstance(optimizer, (Optimizer, torch.optim.Optimizer)) else None

    def _histogram_parameters(self, cb_params: Any) -> list[tuple[str, Any]]:
        if self._parameters is None:
            found = _optimized(self._optimizer(cb_params), cb_params.network)
            pattern = self._specified["histogram_regular"]
            self._parameters = (
                found[:_DEFAULT_PARAMETERS]
                if pattern is None
                else [item for item in found if re.match(pattern, item[0])]
            )
        return self._parameters


def _optimized(optimizer: Any, network: Any) -> list[tuple[str, Any]]:
    """Return (name, Parameter) of the Parameters that an optimizer updates, in its order."""
    if optimizer is None:
        logger.warning("Cannot find an optimizer, so SummaryCollector will not collect Parameters.")
        return []
    if isinstance(optimizer, Optimizer):
        return [(parameter.name, parameter) for parameter in optimizer.parameters]
    names = {id(parameter): name for name, parameter in named_parameters(network)}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    return [(names.get(id(parameter), f"parameter{index}"), parameter) for index, parameter in enumerate(parameters)]


def _loss_fn(cb_params: Any) -> Any:
    loss_fn = cb_params.get("loss_fn")
    if loss_fn is None:
        loss_fn = next((module for module in modules(cb_params.train_network) if isinstance(module, LossBase)), None)
    return loss_fn


def _specified(given: dict | None, keep_default: bool) -> dict[str, Any]:
    """Return the data to collect, checked."""
    given = check_type(given, "collect_specified_data", (dict, type(None)), _OWNER) or {}
    unknown = set(given) - set(_DEFAULTS)
    if unknown:
        raise ValueError(f"For '{_OWNER}', 'collect_specified_data' takes {list(_DEFAULTS)}, not {sorted(unknown)}.")
    re.compile(given.get("histogram_regular") or "")
    return copy.deepcopy({**_DEFAULTS, **given} if keep_default else dict(given))


def _custom_data(given: dict | None) -> dict[str, Any]:
    """Return the user's lineage data over those of a hyper-parameter search (a MindInsight environment variable)."""
    check_type(given, "custom_lineage_data", (dict, type(None)), _OWNER)
    data = {**_searched_data(), **(given or {})}
    for key, value in data.items():
        check_type(key, "custom_lineage_data", str, _OWNER)
        check_type(value, f"custom_lineage_data[{key!r}]", (int, str, float), _OWNER)
    return data


def _searched_data() -> dict[str, Any]:
    text = os.environ.get(_CONFIG_VARIABLE)
    if text is None:
        return {}
    try:
        found = json.loads(text).get("custom_lineage_data") if len(text) <= _CONFIG_LIMIT else None
    except (ValueError, AttributeError) as error:
        logger.warning("The '%s' of environment variable decode error. Detail: %s.", _CONFIG_VARIABLE, error)
        return {}
    return found if isinstance(found, dict) else {}
