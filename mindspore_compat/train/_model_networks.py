"""Networks of `Model` from a network, a loss function and an optimizer."""

from __future__ import annotations

import logging
from typing import Any

import torch

from mindspore_compat.boost.boost import AutoBoost
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.nn.wrap.cell_wrapper import WithEvalCell, WithLossCell
from mindspore_compat.train import amp
from mindspore_compat.train._torch.arguments import check_torch_parts
from mindspore_compat.train._torch.network import TorchEvalStep, TorchPredict
from mindspore_compat.train._torch.step import TorchTrainStep

__all__ = ["boosted", "build_eval_network", "build_train_network"]

_log = logging.getLogger("mindspore_compat")


def boosted(
    network: Any, optimizer: Any, eval_network: Any, metrics: Any, boost_level: str, kwargs: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """Return (network, optimizer, eval_network) with `AutoBoost`'s methods; the process's first Model configures it."""
    processor = AutoBoost(boost_level, kwargs.get("boost_config_dict", ""))
    if processor.level == "O0":
        return network, optimizer, eval_network
    if not isinstance(network, Cell) or not isinstance(optimizer, Optimizer):
        _log.warning("In boost mode, the network must be a Cell and the optimizer MindSpore's.")
        return network, optimizer, eval_network
    if eval_network is None and metrics is None:
        _log.warning("In boost mode, the eval_network and metrics cannot be undefined at the same time.")
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
        raise ValueError(
            "If `metrics` is set, `eval_network` must not be None. Do not set `metrics` if you don't want an "
            "evaluation.\nIf evaluation is required, you need to specify `eval_network` (a network that returns what "
            "the metrics take), or `loss_fn`, from which an evaluation network is built for one data, one label and "
            "one output."
        )
    return WithEvalCell(network, loss_fn, amp_level in ("O2", "O3", "auto")), [0, 1, 2]
