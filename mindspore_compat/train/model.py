"""`Model`: a network with loss, optimizer and metrics, and the methods that run them. Upstream:
``mindspore.train.Model``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_bool, check_int, check_non_negative_int, check_positive_int, check_type
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat.common._wrap import wrap
from mindspore_compat.context import ParallelMode  # noqa: F401  (old scripts import it from here)
from mindspore_compat.nn._compiled_cell import CompiledCell, as_cell
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.wrap.cell_wrapper import WithEvalCell, WithLossCell
from mindspore_compat.parallel._utils import _get_device_num, _get_parallel_mode
from mindspore_compat.train import amp
from mindspore_compat.train._loop import Sinking, evaluate, train_epochs
from mindspore_compat.train._torch.step import TorchEvalStep, TorchPredict, TorchTrainStep, check_torch_parts
from mindspore_compat.train.callback._callback import Callback, CallbackManager, InternalCallbackParam, is_train_only
from mindspore_compat.train.dataset_helper import dataset_size
from mindspore_compat.train.metrics import Loss, get_metric_fn, get_metrics

__all__ = ["Model"]

_log = logging.getLogger("mindspore_compat")
_OWN_CALLBACKS = "mindspore_compat.train.callback."
_OLD_HOOKS = {"begin", "end", "epoch_begin", "epoch_end", "step_begin", "step_end"}


class _Metrics:
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
        if not isinstance(outputs, tuple):
            raise ValueError(
                f"The argument 'outputs' should be tuple, but got {type(outputs)}. The eval_network must return a "
                "Tensor or a tuple."
            )
        if self.indexes is not None and len(outputs) < 3:
            raise ValueError(
                f"The length of 'outputs' must be >= 3, but got {len(outputs)}. The eval_network must return loss, "
                "outputs and label."
            )
        for metric in self.functions.values():
            if self.indexes is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[self.indexes[0]])
            else:
                metric.update(outputs[self.indexes[1]], outputs[self.indexes[2]])
        if with_loss:
            self._loss = get_metric_fn("loss")  # upstream too makes "eval_loss" that of the last batch
            self._loss.update(outputs[self.indexes[0] if self.indexes is not None else 0])

    def mean_loss(self) -> Any:
        return None if self._loss is None else _as_python(self._loss.eval())

    def eval(self) -> dict[str, Any]:
        return {name: _as_python(metric.eval()) for name, metric in self.functions.items()}


class Model:
    """Trains, evaluates and applies a network.

    Args:
        network: a Cell, a plain ``torch.nn.Module``, or a `TorchTrainStep`, which brings loss and optimizer.
        loss_fn: takes (outputs, label); None if the network returns the loss.
        optimizer: of ``mindspore.nn`` for a Cell, of ``torch.optim`` for a torch module; None if the network updates
            itself.
        metrics: a dict {name: Metric} or a set of names.
        eval_network: returns what metrics take; None builds (loss, outputs, label) from network and loss_fn.
        eval_indexes: positions of loss, outputs and label in the eval_network's outputs.
        amp_level: "O0", "O1", "O2", "O3" or "auto", see `mindspore_compat.amp`; for torch modules see `TorchTrainStep`.
        boost_level: accepted without effect ("O0", "O1", "O2").
        loss_scale_manager, keep_batchnorm_fp32: override what ``amp_level`` implies.

    Raises:
        TypeError, ValueError: for arguments that are wrong or contradict each other.
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
            network, loss_fn, optimizer, amp_level = _parts_of(step, loss_fn, optimizer, amp_level, kwargs)
        if not isinstance(network, torch.nn.Module):
            raise TypeError(
                f"The type of 'network' should be 'Cell', but got type '{type(network).__name__}'. A torch.nn.Module "
                "serves as well."
            )
        network = as_cell(network)
        self._check_kwargs(kwargs)
        if not isinstance(amp_level, str):
            raise TypeError(
                f"The argument `level` must be a string in {list(amp.LEVELS)},but got type {type(amp_level)}. It is "
                "'amp_level'."
            )
        if amp_level not in amp.LEVELS:
            raise ValueError(
                f"The 'level' should be in : {list(amp.LEVELS)}, but got {amp_level}. It is Model's 'amp_level'."
            )
        if boost_level not in ("O0", "O1", "O2"):
            raise ValueError(f"The 'boost_level' should be in : ['O0', 'O1', 'O2'], but got {boost_level}.")
        if amp_level != "O0" and isinstance(network, CompiledCell):
            raise ValueError(
                "For 'Model', 'amp_level' of a compiled Cell must be 'O0'. Set the precision first: "
                "torch.compile(amp.auto_mixed_precision(cell, level))."
            )
        if optimizer is None and amp_level != "O0":
            raise ValueError(
                "Auto mixed precision will not work because optimizer arg is None. Please set optimizer or set "
                "amp_level='O0'!"
            )
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._amp_level, self._boost_level = amp_level, boost_level
        self._loss_scale_manager_set = "loss_scale_manager" in kwargs
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        self._keep_bn_fp32 = kwargs.get("keep_batchnorm_fp32")
        if self._loss_scale_manager is not None and optimizer is None:
            raise ValueError("The argument 'optimizer' can not be None when set 'loss_scale_manager'.")
        self._is_torch = not isinstance(network, Cell)
        self._parallel_mode, self._device_number = _get_parallel_mode(), _get_device_num()
        self._metric_fns = get_metrics(metrics)
        self._train_network = self._build_train_network() if step is None else step
        self._eval_network, self._eval_indexes = self._build_eval_network(eval_network, eval_indexes)
        self._predict_network = (
            TorchPredict(network, None, amp_level, getattr(step, "amp_dtype", None)) if self._is_torch else network
        )
        self.batch_num = -1  # steps of an epoch of the last training

    @staticmethod
    def _check_kwargs(kwargs: dict[str, Any]) -> None:
        for name in kwargs:
            if name not in ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level"):
                raise ValueError(
                    "The argument in 'kwargs' should be 'loss_scale_manager' or 'keep_batchnorm_fp32' or "
                    "'boost_config_dict' or "
                    f"'acc_level', but got '{name}'."
                )
        keep = kwargs.get("keep_batchnorm_fp32")
        if keep is not None:
            check_type(keep, "keep_batchnorm_fp32", bool, "Model", named=False)

    def _build_train_network(self) -> Any:
        if self._is_torch:
            check_torch_parts(self._optimizer)
            return self._torch_step(self._network, self._amp_level)
        if isinstance(self._optimizer, torch.optim.Optimizer):
            return self._torch_step(
                amp.auto_mixed_precision(self._network, self._amp_level), "O0"
            )  # a Cell casts as MindSpore's do
        if self._optimizer is not None:
            options: dict[str, Any] = {}
            if self._loss_scale_manager_set:
                options["loss_scale_manager"] = self._loss_scale_manager
            if self._keep_bn_fp32 is not None:
                options["keep_batchnorm_fp32"] = self._keep_bn_fp32
            return amp.build_train_network(
                self._network, self._optimizer, self._loss_fn, level=self._amp_level, **options
            )
        return WithLossCell(self._network, self._loss_fn) if self._loss_fn is not None else self._network

    def _torch_step(self, network: Any, amp_level: str) -> TorchTrainStep:
        options: dict[str, Any] = (
            {"loss_scale_manager": self._loss_scale_manager} if self._loss_scale_manager_set else {}
        )
        if not options and self._amp_level == "O2":
            options["loss_scale_manager"] = amp.DynamicLossScaleManager()
        step = TorchTrainStep(network, self._loss_fn, self._optimizer, amp_level=amp_level, **options)
        self._loss_scale_manager = step.loss_scale_manager
        return step

    def _build_eval_network(self, eval_network: Any, eval_indexes: Any) -> tuple[Any, Any]:
        if not self._metric_fns:
            return eval_network, eval_indexes
        if eval_network is not None:
            if eval_indexes is not None and not (isinstance(eval_indexes, list) and len(eval_indexes) == 3):
                raise ValueError(
                    "The argument 'eval_indexes' must be a list or None. If 'eval_indexes' is a list, length of it "
                    "must be three. "
                    f"But got 'eval_indexes' {eval_indexes}"
                )
            if not isinstance(eval_network, Cell) and not hasattr(eval_network, "set_train"):
                eval_network = TorchPredict(eval_network, None)
            return eval_network, eval_indexes
        if self._loss_fn is None and not self._is_torch:
            raise ValueError(
                "If `metrics` is set, `eval_network` must not be None. Do not set `metrics` if you don't want an "
                "evaluation.\n"
                "If evaluation is required, you need to specify `eval_network` (a network that returns what the "
                "metrics take), or "
                "`loss_fn`, from which an evaluation network is built for one data, one label and one output."
            )
        if self._is_torch:
            return TorchEvalStep(
                self._network, self._loss_fn, self._amp_level, getattr(self._train_network, "amp_dtype", None)
            ), [0, 1, 2]
        return WithEvalCell(self._network, self._loss_fn, self._amp_level in ("O2", "O3", "auto")), [0, 1, 2]

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
            dataset_sink_mode: with ``sink_size`` > 0, an epoch is that many steps, and the next one goes on where it
                ended.

        Raises:
            ValueError: for epochs, sizes or batches that do not fit. TypeError: for callbacks that are none.
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
        """`train`, with an evaluation after every ``valid_frequency``-th epoch (or the epochs in that list)."""
        check_bool(valid_dataset_sink_mode, "valid_dataset_sink_mode", "Model.fit", named=False)
        if not isinstance(valid_frequency, (int, list)):
            raise TypeError(
                "For 'Model.fit', the type of 'valid_frequency' must be a list or an integer, but got type "
                f"{type(valid_frequency)}."
            )
        if valid_dataset is not None and not self._metric_fns:
            raise ValueError(
                "For 'Model.fit', if valid_dataset is not None, the model argument 'metrics' can not be None or empty, "
                "you should set the argument 'metrics' for model."
            )
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
        """{metric: value} over the dataset.

        Raises:
            ValueError: if the Model has no metrics.
        """
        check_bool(dataset_sink_mode, "dataset_sink_mode", "Model.eval", named=False)
        if not self._metric_fns:
            raise ValueError(
                "For Model.eval, the model argument 'metrics' can not be None or empty, "
                "you should set the argument 'metrics' for model."
            )
        self._check_callbacks(callbacks, "eval")
        cb_params = InternalCallbackParam(list_callback=self._transform_callbacks(callbacks), network=self._network)
        self._describe_evaluation(cb_params, valid_dataset)
        with CallbackManager(callbacks) as manager:
            return evaluate(
                self._eval_network,
                valid_dataset,
                cb_params,
                manager,
                _Metrics(self._metric_fns, self._eval_indexes),
                self._is_torch,
            )

    def predict(self, *predict_data: Any, backend: Any = None, config: Any = None) -> Any:
        """The network's outputs for the given inputs (Tensors, or lists or tuples of them), in evaluation mode.

        Raises:
            TypeError: for other inputs. ValueError: for an empty Tensor.
        """
        if backend is not None:
            raise ValueError(
                "For 'Model.predict', 'backend' must be None here (MindSpore Lite is not available), but got "
                f"{backend!r}."
            )
        inputs = tuple(self._predict_input(item) for item in predict_data)
        network = self._predict_network
        network.set_train(False)
        with torch.no_grad():
            outputs = network(*inputs)
        if outputs is None:
            raise RuntimeError("The output data can not be None, please check your net or input data.")
        return outputs

    def _predict_input(self, item: Any) -> Any:
        if isinstance(item, (tuple, list)):
            return type(item)(self._predict_input(value) for value in item)
        if isinstance(item, dict):
            return {key: self._predict_input(value) for key, value in item.items()}
        if item is None or isinstance(item, (int, float, str)):
            return item
        if not isinstance(item, torch.Tensor):
            raise TypeError(
                "The types of input data must be in the Union(Tensor, None, int, float, str, tuple, list, dict of "
                "them), "
                f"but got type {type(item).__name__}. Wrap arrays as mindspore.Tensor."
            )
        if item.numel() == 0:
            raise ValueError("The input data can not be empty.")
        if current_device() is not CPU:
            item = item.to(current_device())
        if self._is_torch:
            return torch._C.TensorBase.detach(item)
        return wrap(item)

    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
    ) -> None:
        """Checks its arguments; there is nothing to compile ahead here.

        Raises:
            ValueError: if both datasets are None. RuntimeError: for a ``valid_dataset`` of a Model without metrics.
        """
        check_positive_int(epoch, "epoch", "Model.build", named=False)
        if train_dataset is None and valid_dataset is None:
            raise ValueError("The argument 'train_dataset' and 'valid_dataset' can not both be None or empty.")
        for dataset in (train_dataset, valid_dataset):
            if dataset is not None:
                dataset_size(dataset)
        if valid_dataset is not None and not self._metric_fns:
            raise RuntimeError(
                "If define `valid_dataset`, metric fn can not be None or empty, you should set the argument 'metrics' "
                "for model."
            )

    def infer_train_layout(
        self, train_dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1
    ) -> dict[str, list[Any]]:
        """{Parameter name: layout} of the training network; every Parameter is whole here.

        Raises:
            RuntimeError: unless the parallel mode is semi_auto_parallel or auto_parallel. ValueError: for non-sink mode
                or a wrong sink size.
        """
        self._check_parallel("'infer_train_layout' only supports 'semi_auto_parallel' and 'auto_parallel' mode")
        if not check_bool(dataset_sink_mode, "dataset_sink_mode", "Model.infer_train_layout", named=False):
            raise ValueError("Only dataset sink mode is supported for now.")
        _check_sink_size(sink_size, "infer_train_layout")
        if dataset_size(train_dataset) == 0:
            raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
        return _whole_layout(self._train_network)

    def infer_predict_layout(self, *predict_data: Any, skip_backend_compile: bool = False) -> dict[str, list[Any]]:
        """{Parameter name: layout} of the network; every Parameter is whole here.

        Raises:
            RuntimeError: unless the parallel mode is semi_auto_parallel or auto_parallel. TypeError, ValueError: for
                wrong inputs.
        """
        self._check_parallel("Infer predict layout only supports semi auto parallel and auto parallel mode")
        for item in predict_data:
            self._predict_input(item)
        return _whole_layout(self._predict_network)

    @staticmethod
    def _check_parallel(text: str) -> None:
        mode = _get_parallel_mode()
        if mode not in ("semi_auto_parallel", "auto_parallel"):
            raise RuntimeError(f"{text}, but got {mode}. Call set_auto_parallel_context(parallel_mode=...) before.")

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

    # --- inside -------------------------------------------------------------------------------------------------------

    @staticmethod
    def _transform_callbacks(callbacks: Any) -> list[Any]:
        if callbacks is None:
            return []
        return list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]

    @staticmethod
    def _check_callbacks(callbacks: Any, mode: str) -> None:
        """User callbacks with hooks of 1.x: a warning, and in fit, where those would run for both datasets, a
        ValueError.
        """
        for callback in callbacks if isinstance(callbacks, list) else [callbacks]:
            if not isinstance(callback, Callback) or type(callback).__module__.startswith(_OWN_CALLBACKS):
                continue
            old = _OLD_HOOKS & set(type(callback).__dict__)
            if old:
                text = (
                    f"For {type(callback).__name__} callback, {old} methods may not be supported in later version, Use "
                    "methods prefixed with "
                    "'on_train' or 'on_eval' instead when using customized callbacks."
                )
                if mode == "fit":
                    raise ValueError(text)
                _log.info(text)

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
        check_bool(sink_mode, "dataset_sink_mode", where, named=False)
        check_int(sink_size, "sink_size", where, named=False)
        check_positive_int(epoch, "epoch", where, named=False)
        check_non_negative_int(initial_epoch, "initial_epoch", where, named=False)
        if initial_epoch >= epoch:
            raise ValueError(
                f"For '{where}', the parameter 'epoch' must bigger than parameter 'initial_epoch', but got the "
                "parameter 'epoch' is "
                f"{epoch}, 'initial_epoch' is {initial_epoch}."
            )
        size = dataset_size(dataset)
        if size == 0:
            raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
        _check_sink_size(sink_size, where)
        callbacks = list(callbacks) if isinstance(callbacks, tuple) else callbacks
        self._check_callbacks(callbacks, where.split(".")[1])
        sinking = Sinking(sink_mode, sink_size, size)
        self.batch_num = sinking.steps
        cb_params = self._describe_training(epoch - initial_epoch, dataset, callbacks, sinking)
        with CallbackManager(callbacks) as manager:

            def evaluate_after() -> None:
                if valid_dataset is not None and _is_due(cb_params.cur_epoch_num, valid_frequency):
                    self._evaluate_in_fit(valid_dataset, cb_params, manager)

            train_epochs(
                self._train_network,
                dataset,
                initial_epoch,
                epoch,
                sinking,
                cb_params,
                manager,
                evaluate_after,
                self._is_torch,
                self._after_step(),
            )

    def _after_step(self) -> Any:
        """Tells a loss scale manager of the user's own about overflows, where steps report them."""
        manager = self._loss_scale_manager
        if manager is None or not manager.get_drop_overflow_update():
            return None

        def update(outputs: Any) -> None:
            if isinstance(outputs, tuple) and len(outputs) > 1:
                manager.update_loss_scale(bool(torch.all(outputs[1])))

        return update

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
            evaluate(
                self._eval_network,
                dataset,
                cb_params,
                eval_manager,
                _Metrics(self._metric_fns, self._eval_indexes),
                self._is_torch,
                with_loss=True,
            )
        cb_params.update(kept, mode="train")
        self._train_network.set_train(True)


def _parts_of(
    step: TorchTrainStep, loss_fn: Any, optimizer: Any, amp_level: Any, kwargs: dict[str, Any]
) -> tuple[Any, Any, Any, str]:
    """(network, loss_fn, optimizer, amp_level) of a training step that was given as the network; its manager goes into
    ``kwargs``.

    Raises:
        ValueError: if there are such beside it.
    """
    if (
        loss_fn is not None
        or optimizer is not None
        or amp_level != "O0"
        or kwargs.get("loss_scale_manager") is not None
    ):
        raise ValueError(
            "For 'Model', 'loss_fn', 'optimizer', 'amp_level' and 'loss_scale_manager' belong to the TorchTrainStep "
            "that is given as "
            "the network. Leave them out here."
        )
    if step.loss_scale_manager is not None:
        kwargs["loss_scale_manager"] = step.loss_scale_manager
    return step.network, step.loss_fn, step.optimizer, step.amp_level


def _as_python(value: Any) -> Any:
    """numpy's scalars as Python numbers, so that they print as upstream's do whatever the numpy version."""
    return value.item() if isinstance(value, np.generic) else value


def _check_sink_size(sink_size: Any, where: str) -> None:
    check_int(sink_size, "sink_size", where, named=False)
    if sink_size < -1 or sink_size == 0:
        kind = "parameter" if where.endswith("fit") else "argument"
        raise ValueError(f"For '{where}', The {kind} 'sink_size' must be -1 or positive, but got {sink_size}.")


def _whole_layout(network: Any) -> dict[str, list[Any]]:
    """Upstream's [device arrangement, tensor map, slice shape, field size, uniform split, group] for Parameters that
    nobody splits.
    """
    return {
        getattr(item, "name", ""): [[1], [-1] * item.dim(), list(item.shape), 0, True, ""]
        for item in network.get_parameters()
    }


def _is_due(epoch: int, frequency: Any) -> bool:
    return epoch in frequency if isinstance(frequency, list) else epoch % frequency == 0
