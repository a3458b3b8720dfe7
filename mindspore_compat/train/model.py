"""`Model`: a network with loss, optimizer and metrics, and its runs. MindSpore: ``mindspore.train.Model``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._api.validate import check_one_of, check_type
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.boost.boost import AutoBoost
from mindspore_compat.context import ParallelMode  # noqa: F401  (old scripts import it from here)
from mindspore_compat.log import logger
from mindspore_compat.nn._compiled_cell import CompiledCell, as_cell
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.nn.wrap.cell_wrapper import WithEvalCell, WithLossCell
from mindspore_compat.parallel._modes import check_torch, layouts
from mindspore_compat.parallel._utils import _get_device_num, _get_parallel_mode
from mindspore_compat.train import amp
from mindspore_compat.train._loop import BackboneMode, Run, Sinking, evaluate, overflow_listener, train_epochs
from mindspore_compat.train._torch.network import TorchEvalStep, TorchPredict, check_torch_parts
from mindspore_compat.train._torch.step import TorchTrainStep
from mindspore_compat.train.amp import check_level_names
from mindspore_compat.train.callback._callback import Callback, CallbackManager, InternalCallbackParam, is_train_only
from mindspore_compat.train.dataset_helper import DatasetHelper, dataset_size
from mindspore_compat.train.metrics import Loss, get_metric_fn, get_metrics

__all__ = ["Model"]

_OWN_CALLBACKS = "mindspore_compat.train.callback."
_OPTIONS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")
_OLD_HOOKS = {"begin", "end", "epoch_begin", "epoch_end", "step_begin", "step_end"}

__getattr__ = module_getattr(__name__, dict.fromkeys(["_StepSync", "_transfer_tensor_to_tuple"], "_legacy.loops"))


class ModelMetrics:
    """The metrics of a Model over its evaluation network's outputs."""

    def __init__(self, functions: dict[str, Any], indexes: list[int] | None) -> None:
        self.functions, self.indexes = functions, indexes
        self._loss: Any = None

    def clear(self) -> None:
        for metric in self.functions.values():
            metric.clear()
        self._loss = None

    def update(self, outputs: Any, with_loss: bool) -> None:
        if isinstance(outputs, torch.Tensor):
            outputs = (outputs,)
        if self.indexes is not None and len(outputs) < 3:
            raise ValueError(f"The eval_network must return loss, outputs and label, but returned {len(outputs)}.")
        for metric in self.functions.values():
            if self.indexes is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[self.indexes[0]])
            else:
                metric.update(outputs[self.indexes[1]], outputs[self.indexes[2]])
        if with_loss:
            self._loss = get_metric_fn("loss")  # in MindSpore, too, "eval_loss" is that of the last batch
            self._loss.update(outputs[self.indexes[0] if self.indexes is not None else 0])

    def mean_loss(self) -> Any:
        return None if self._loss is None else _as_python(self._loss.eval())

    def eval(self) -> dict[str, Any]:
        return {name: _as_python(metric.eval()) for name, metric in self.functions.items()}


def _as_python(value: Any) -> Any:
    """Return numpy's scalars as Python numbers, so that they print as in MindSpore, whatever the numpy version."""
    return value.item() if isinstance(value, np.generic) else value


class Model:
    """Training, evaluation and prediction of a network.

    Args:
        network: a Cell, a plain ``torch.nn.Module``, or a `TorchTrainStep`, which brings loss and optimizer.
        loss_fn: takes (outputs, label); None if the network returns the loss.
        optimizer: of ``mindspore.nn`` for a Cell, of ``torch.optim`` for a torch module; None if it updates itself.
        metrics: a dict {name: Metric} or a set of names.
        eval_network: returns what metrics take; None builds (loss, outputs, label) from network and loss_fn.
        eval_indexes: positions of loss, outputs and label in the eval_network's outputs.
        amp_level: "O0", "O1", "O2", "O3" or "auto", see `mindspore_compat.amp`; for torch modules see `TorchTrainStep`.
        boost_level: "O0", "O1" or "O2", see `mindspore.boost.AutoBoost`.
        loss_scale_manager, keep_batchnorm_fp32: override what ``amp_level`` implies.

    Raises:
        TypeError, ValueError: for arguments that are wrong or contradict each other.

    Examples:
        >>> net = nn.Dense(3, 2, "ones", "zeros")
        >>> model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
        >>> print(model.predict(ops.ones((1, 3))))
        [[3. 3.]]
    """

    def __init__(
        self,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Any = None,
        eval_indexes: Any = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        step = network if isinstance(network, TorchTrainStep) else None
        if step is not None:
            network, loss_fn, optimizer, amp_level = parts_of(step, loss_fn, optimizer, amp_level, kwargs)
        network = as_cell(check_type(network, "network", torch.nn.Module, "Model"))
        check_kwargs(kwargs)
        boost_level = kwargs.get("acc_level", boost_level)
        check_levels(network, optimizer, amp_level, boost_level)
        network, optimizer, eval_network = boosted(network, optimizer, eval_network, metrics, boost_level, kwargs)
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._amp_level, self._boost_level = amp_level, boost_level
        self._process_amp_args(kwargs)
        self._is_torch = not isinstance(network, Cell)
        self._backbone_mode = BackboneMode()
        self._parallel_mode, self._device_number = _get_parallel_mode(), _get_device_num()
        self._train_network = step if step is not None else self._build_train_network()
        if isinstance(self._train_network, TorchTrainStep):
            self._loss_scale_manager = self._train_network.loss_scale_manager
        self._build_eval_network(metrics, eval_network, eval_indexes)
        self._build_predict_network()
        self.batch_num = -1  # steps of an epoch of the last training

    # --- parts of the constructor, under MindSpore's names: subclasses override and call them (the zoo, TinyMS)

    def _process_amp_args(self, kwargs: dict[str, Any]) -> None:
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        self._loss_scale_manager_set = "loss_scale_manager" in kwargs
        self._keep_bn_fp32 = kwargs.get("keep_batchnorm_fp32")
        if self._loss_scale_manager is not None and self._optimizer is None:
            raise ValueError("For 'Model', the 'loss_scale_manager' needs an 'optimizer'.")

    def _build_eval_network(self, metrics: Any, eval_network: Any, eval_indexes: Any) -> None:
        self._metric_fns = get_metrics(metrics)
        if self._metric_fns:
            eval_network, eval_indexes = build_eval_network(
                self._network, self._loss_fn, self._amp_level, self._train_network, eval_network, eval_indexes
            )
        self._eval_network, self._eval_indexes = eval_network, eval_indexes

    def _build_predict_network(self) -> None:
        dtype = getattr(self._train_network, "amp_dtype", None)
        is_torch = self._is_torch
        self._predict_network = TorchPredict(self._network, None, self._amp_level, dtype) if is_torch else self._network

    def _build_train_network(self) -> Any:
        """Return the training step."""
        options = {"loss_scale_manager": self._loss_scale_manager} if self._loss_scale_manager_set else {}
        if self._keep_bn_fp32 is not None:
            options["keep_batchnorm_fp32"] = self._keep_bn_fp32
        parts = self._network, self._loss_fn, self._optimizer, self._amp_level, self._boost_level
        return build_train_network(*parts, options)

    # --- running ------------------------------------------------------------------------------------------------------

    def train(
        self,
        epoch: int,
        train_dataset: Any,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train for epochs ``initial_epoch`` (from 0) up to ``epoch``.

        Args:
            train_dataset: a mindspore.dataset Dataset, or a sized iterable of batches such as a DataLoader. With a
                loss_fn each batch has two columns; for a torch module the last column is the label, and batches may be
                dicts.
            callbacks: a Callback or a list of them.
            dataset_sink_mode: with ``sink_size`` > 0, an epoch is that many steps; the next one goes on where it ended.

        Raises:
            ValueError: for epochs, sizes or batches that do not fit. TypeError: for callbacks that are none.

        Examples:
            >>> x, net = np.ones((2, 1), np.float32), nn.Dense(1, 1, "zeros", "zeros")
            >>> model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
            >>> model.train(2, ds.NumpySlicesDataset((x, x)).batch(2), callbacks=ms.train.LossMonitor())
            epoch: 1 step: 1, loss is 1.0
            epoch: 2 step: 1, loss is 0.36000001430511475
        """
        self._run_training(
            "Model.train", epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, None, 1
        )

    def fit(
        self,
        epoch: int,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: Any = 1,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Run `train`, with an evaluation after every ``valid_frequency``-th epoch (or the epochs in that list)."""
        check_type(valid_frequency, "valid_frequency", (bool, int, list), "Model.fit")
        if valid_dataset is not None:
            self._check_evaluation_in_fit()
        self._run_training(
            "Model.fit",
            epoch,
            train_dataset,
            callbacks,
            dataset_sink_mode,
            sink_size,
            initial_epoch,
            valid_dataset,
            valid_frequency,
        )

    def eval(self, valid_dataset: Any, callbacks: Any = None, dataset_sink_mode: bool = False) -> dict[str, Any]:
        """Return {metric: value} over the dataset.

        Raises:
            ValueError: if the Model has no metrics.

        Examples:
            >>> x, y = np.ones((2, 1), np.float32), np.zeros((2, 1), np.float32)
            >>> model = ms.Model(nn.Dense(1, 1, "ones", "zeros"), nn.MSELoss(), metrics={"mae": nn.MAE()})
            >>> print(model.eval(ds.NumpySlicesDataset((x, y)).batch(2)))
            {'mae': 1.0}
        """
        if not self._metric_fns:
            raise ValueError("For 'Model.eval', Model needs the argument 'metrics'.")
        check_callbacks(callbacks, "eval")
        cb_params = InternalCallbackParam(list_callback=self._transform_callbacks(callbacks), network=self._network)
        self._describe_evaluation(cb_params, valid_dataset)
        with CallbackManager(callbacks) as manager:
            run = Run(self._eval_network, self._backbone_mode, valid_dataset, cb_params, manager, self._is_torch)
            return evaluate(run, ModelMetrics(self._metric_fns, self._eval_indexes))

    def predict(self, *predict_data: Any, backend: Any = None, config: Any = None) -> Any:
        """Return the network's outputs for the given inputs (Tensors, or lists or tuples of them), in evaluation mode.

        Raises:
            TypeError: for other inputs.
        """
        inputs = tuple(predict_input(item, self._is_torch) for item in predict_data)
        if self._is_torch:
            self._predict_network.set_train(False)
        with torch.no_grad():
            outputs = self._backbone_mode.call(self._predict_network, False, inputs)
        return outputs

    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
        jit_config: Any = None,
    ) -> None:
        """Do nothing: there is nothing to compile ahead."""

    def infer_train_layout(
        self, train_dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1
    ) -> dict[str, list[Any]]:
        """Return {Parameter name: [device matrix, tensor map, slice shape, field, uniform split, group]}, by one step.

        Raises:
            RuntimeError: in other modes than semi_auto_parallel or auto_parallel.
        """
        check_parallel("'infer_train_layout' only supports 'semi_auto_parallel' and 'auto_parallel' mode")
        return layouts(self._train_network, lambda: next(iter(DatasetHelper(train_dataset, False))), True)

    def infer_predict_layout(self, *predict_data: Any, skip_backend_compile: bool = False) -> dict[str, list[Any]]:
        """Return layouts as `infer_train_layout`, by the network's call with these inputs.

        Raises:
            RuntimeError: in other modes than semi_auto_parallel or auto_parallel. TypeError: for other inputs.
        """
        check_parallel("Infer predict layout only supports semi auto parallel and auto parallel mode")
        inputs = [predict_input(item, self._is_torch) for item in predict_data]
        return layouts(self._predict_network, lambda: inputs, False)

    @property
    def train_network(self) -> Any:
        """The network with loss and optimizer."""
        return self._train_network

    @property
    def eval_network(self) -> Any:
        """The network that metrics are computed from."""
        return self._eval_network

    @property
    def predict_network(self) -> Any:
        """The network that `predict` calls."""
        return self._predict_network

    def _check_evaluation_in_fit(self) -> None:
        if not self._metric_fns:
            raise ValueError("For 'Model.fit', a 'valid_dataset' needs the argument 'metrics' of Model.")

    @staticmethod
    def _transform_callbacks(callbacks: Any) -> list[Any]:
        if callbacks is None:
            return []
        return list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]

    def _run_training(
        self,
        where: str,
        epoch: int,
        dataset: Any,
        callbacks: Any,
        sink_mode: bool,
        sink_size: int,
        initial_epoch: int,
        valid_dataset: Any,
        valid_frequency: Any,
    ) -> None:
        check_epochs(where, epoch, initial_epoch, sink_size)
        if self._is_torch:
            check_torch(self._train_network)
        size = dataset_size(dataset)
        if size == 0:
            raise ValueError(f"For '{where}', the dataset is empty.")
        callbacks = list(callbacks) if isinstance(callbacks, tuple) else callbacks
        check_callbacks(callbacks, where.split(".")[1])
        sinking = Sinking(sink_mode, sink_size, size)
        self.batch_num = sinking.steps
        cb_params = self._describe_training(epoch - initial_epoch, dataset, callbacks, sinking)
        with CallbackManager(callbacks) as manager:

            def evaluate_after() -> None:
                if valid_dataset is not None and is_due(cb_params.cur_epoch_num, valid_frequency):
                    self._evaluate_in_fit(valid_dataset, cb_params, manager)

            run = Run(self._train_network, self._backbone_mode, dataset, cb_params, manager, self._is_torch)
            listener = overflow_listener(self._loss_scale_manager)
            train_epochs(run, initial_epoch, epoch, sinking, evaluate_after, listener)

    def _describe_training(
        self, epoch_num: int, dataset: Any, callbacks: Any, sinking: Sinking
    ) -> InternalCallbackParam:
        return InternalCallbackParam(
            cur_step_num=0,
            train_network=self._train_network,
            epoch_num=epoch_num,
            batch_num=sinking.steps,
            mode="train",
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            parallel_mode=self._parallel_mode,
            device_number=self._device_number,
            train_dataset=dataset,
            list_callback=self._transform_callbacks(callbacks),
            train_dataset_element=None,
            network=self._network,
            last_save_ckpt_step=None,
            latest_ckpt_file=None,
            loss_scale_mananger=self._loss_scale_manager,
            initial_step=None,
        )

    def _check_kwargs(self, kwargs: dict[str, Any]) -> None:  # called by classes of users
        check_kwargs(kwargs)

    def _describe_evaluation(self, cb_params: InternalCallbackParam, dataset: Any) -> None:
        cb_params.update(
            eval_network=self._eval_network,
            valid_dataset=dataset,
            batch_num=dataset_size(dataset),
            mode="eval",
            cur_step_num=0,
        )

    def _evaluate_in_fit(self, dataset: Any, cb_params: InternalCallbackParam, manager: CallbackManager) -> None:
        kept = {name: cb_params.get(name) for name in ("cur_step_num", "batch_num", "dataset_sink_mode", "net_outputs")}
        self._describe_evaluation(cb_params, dataset)
        with CallbackManager([item for item in manager._callbacks if not is_train_only(item)]) as eval_manager:
            metrics = ModelMetrics(self._metric_fns, self._eval_indexes)
            run = Run(self._eval_network, self._backbone_mode, dataset, cb_params, eval_manager, self._is_torch)
            evaluate(run, metrics, with_loss=True)
        cb_params.update(kept, mode="train")


# --- arguments --------------------------------------------------------------------------------------------------------


def parts_of(
    step: TorchTrainStep, loss_fn: Any, optimizer: Any, amp_level: Any, kwargs: dict[str, Any]
) -> tuple[Any, Any, Any, str]:
    """Return (network, loss_fn, optimizer, amp_level) of a training step passed as the network; its manager goes into
    ``kwargs``.

    Raises:
        ValueError: if there are such beside it.
    """
    manager = kwargs.get("loss_scale_manager")
    if any(part is not None for part in (loss_fn, optimizer, manager)) or amp_level != "O0":
        raise ValueError(
            "For 'Model', loss, optimizer, level and loss scale belong to the TorchTrainStep that is the network."
        )
    if step.loss_scale_manager is not None:
        kwargs["loss_scale_manager"] = step.loss_scale_manager
    return step.network, step.loss_fn, step.optimizer, step.amp_level


def check_kwargs(kwargs: dict[str, Any]) -> None:
    """Raise ValueError for unknown options of Model."""
    for name in kwargs:
        check_one_of(name, "kwargs", _OPTIONS, "Model")


def check_levels(network: Any, optimizer: Any, amp_level: Any, boost_level: Any) -> None:
    """Raise TypeError or ValueError for invalid levels of precision and boost, or an unfit network or optimizer."""
    check_level_names(amp_level, boost_level, "Model")
    if amp_level != "O0" and isinstance(network, CompiledCell):
        raise ValueError("For 'Model', cast before compiling: torch.compile(amp.auto_mixed_precision(cell, level)).")
    if optimizer is None and amp_level != "O0":
        raise ValueError("For 'Model', 'amp_level' must be 'O0' without an optimizer.")


def check_epochs(where: str, epoch: int, initial_epoch: int, sink_size: int) -> None:
    """Raise ValueError if no epoch is left, and for invalid sizes."""
    if not 0 <= initial_epoch < epoch:
        raise ValueError(f"For '{where}', 'initial_epoch' {initial_epoch} must be in [0, {epoch}).")
    if sink_size < -1 or sink_size == 0:
        raise ValueError(f"For '{where}', 'sink_size' must be -1 or positive, but got {sink_size}.")


def check_callbacks(callbacks: Any, mode: str) -> None:
    """Warn of user callbacks with hooks of 1.x. Raise ValueError in fit, where those would run for both datasets."""
    for callback in callbacks if isinstance(callbacks, list) else [callbacks]:
        if not isinstance(callback, Callback) or type(callback).__module__.startswith(_OWN_CALLBACKS):
            continue
        old = _OLD_HOOKS & set(type(callback).__dict__)
        if old:
            text = f"The callback {type(callback).__name__} has {old}: name them 'on_train_...' or 'on_eval_...'."
            if mode == "fit":
                raise ValueError(text)
            logger.info(text)


def check_parallel(text: str) -> None:
    """Raise RuntimeError, which begins with the text, unless in a mode that infers layouts."""
    mode = _get_parallel_mode()
    if mode not in ("semi_auto_parallel", "auto_parallel"):
        raise RuntimeError(f"{text}, but got {mode}. Call set_auto_parallel_context(parallel_mode=...) before.")


def predict_input(item: Any, is_torch: bool) -> Any:
    """Return an input of `Model.predict`, on the current device; arrays in lists, tuples and dicts too."""
    if isinstance(item, (tuple, list)):
        return type(item)(predict_input(value, is_torch) for value in item)
    if isinstance(item, dict):
        return {key: predict_input(value, is_torch) for key, value in item.items()}
    if item is None or isinstance(item, (int, float, str)):
        return item
    check_type(item, "predict_data", (torch.Tensor, int, float, str, tuple, list, dict), "Model.predict")
    if current_device() is not CPU:
        item = item.to(current_device())
    if is_torch:
        return torch._C.TensorBase.detach(item)
    return wrap(item)


def is_due(epoch: int, frequency: Any) -> bool:
    """Return whether `fit` evaluates after this epoch: by ``valid_frequency``, a number or a list of epochs."""
    return epoch in frequency if isinstance(frequency, list) else epoch % frequency == 0


# --- networks of a Model ----------------------------------------------------------------------------------------------


def boosted(
    network: Any, optimizer: Any, eval_network: Any, metrics: Any, boost_level: str, kwargs: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """Return (network, optimizer, eval_network) with `AutoBoost`'s methods; the process's first Model configures it."""
    processor = AutoBoost(boost_level, kwargs.get("boost_config_dict", ""))
    if processor.level == "O0":
        return network, optimizer, eval_network
    if not isinstance(network, Cell) or not isinstance(optimizer, Optimizer):
        logger.warning("In boost mode, the network must be a Cell and the optimizer MindSpore's.")
        return network, optimizer, eval_network
    if eval_network is None and metrics is None:
        logger.warning("In boost mode, the eval_network and metrics cannot be undefined at the same time.")
        return network, optimizer, eval_network
    network, optimizer = processor.network_auto_process_train(network, optimizer)
    if eval_network is not None:
        eval_network = processor.network_auto_process_eval(eval_network)
    return network, optimizer, eval_network


def build_train_network(
    network: Any, loss_fn: Any, optimizer: Any, amp_level: str, boost_level: str, kwargs: dict[str, Any]
) -> Any:
    """Return the training step; ``kwargs`` are Model's ``loss_scale_manager`` and ``keep_batchnorm_fp32``."""
    options = {"loss_scale_manager": kwargs["loss_scale_manager"]} if "loss_scale_manager" in kwargs else {}
    if not isinstance(network, Cell):
        check_torch_parts(optimizer)
    elif optimizer is None:
        return WithLossCell(network, loss_fn) if loss_fn is not None else network
    elif not isinstance(optimizer, torch.optim.Optimizer):
        if kwargs.get("keep_batchnorm_fp32") is not None:
            options["keep_batchnorm_fp32"] = kwargs["keep_batchnorm_fp32"]
        return amp.build_train_network(network, optimizer, loss_fn, level=amp_level, boost_level=boost_level, **options)
    if not options and amp_level == "O2":
        options["loss_scale_manager"] = amp.DynamicLossScaleManager()
    if isinstance(network, Cell):  # which casts as MindSpore's do
        network, amp_level = amp.auto_mixed_precision(network, amp_level), "O0"
    return TorchTrainStep(network, loss_fn, optimizer, amp_level=amp_level, **options)


def build_eval_network(
    network: Any, loss_fn: Any, amp_level: str, train_network: Any, eval_network: Any, eval_indexes: Any
) -> tuple[Any, Any]:
    """Return (network for metrics, places of its outputs)."""
    if eval_network is not None:
        if eval_indexes is not None and not (isinstance(eval_indexes, list) and len(eval_indexes) == 3):
            raise ValueError(f"For 'Model', 'eval_indexes' must be None or a list of three, but got {eval_indexes}.")
        if not isinstance(eval_network, Cell) and not hasattr(eval_network, "set_train"):
            eval_network = TorchPredict(eval_network, None)
        return eval_network, eval_indexes
    if not isinstance(network, Cell):
        return TorchEvalStep(network, loss_fn, amp_level, getattr(train_network, "amp_dtype", None)), [0, 1, 2]
    if loss_fn is None:
        raise ValueError("For 'Model', 'metrics' need an 'eval_network', or a 'loss_fn' to build one.")
    return WithEvalCell(network, loss_fn, amp_level in ("O2", "O3", "auto")), [0, 1, 2]
