"""Cells around a network: with loss, with a training step, for evaluation. MindSpore:
``mindspore.nn.wrap.cell_wrapper``.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch

from mindspore_compat._autograd.forward import Forward, detached, gradients, scalar_gradients
from mindspore_compat._graph.replay.replay import replayed
from mindspore_compat._ops.grad_operation import GradOperation
from mindspore_compat._tensor.aliasing import write_values
from mindspore_compat._tensor.wrapping import maker, plain, wrap
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Identity
from mindspore_compat.nn.wrap._micro_batch import (
    GradAccumulationCell,
    MicroBatchInterleaved,
    PipelineCell,
    VirtualDatasetCellTriple,
    _MicroBatch,
    _VirtualDatasetCell,
)
from mindspore_compat.nn.wrap.grad_reducer import DistributedGradReducer, agree_on_parameters, reducing
from mindspore_compat.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

__all__ = [
    "WithLossCell",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "GradAccumulationCell",
    "PipelineCell",
    "MicroBatchInterleaved",
    "VirtualDatasetCellTriple",
    "_MicroBatch",
    "_VirtualDatasetCell",
]


class TorchOptimizer(Cell):
    """Cell around a torch optimizer; a call with gradients, in the order of ``parameters``, runs a step."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        super().__init__(auto_prefix=False)
        self.torch_optimizer = optimizer
        self.parameters = tuple(
            item for group in optimizer.param_groups for item in group["params"] if item.requires_grad
        )

    def construct(self, gradients: Any) -> bool:
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = plain(gradient)
        self.torch_optimizer.step()
        for parameter in self.parameters:
            parameter.grad = None
        return True


def as_optimizer(optimizer: Any) -> Any:
    """Return the optimizer, one of torch behind a Cell."""
    return TorchOptimizer(optimizer) if isinstance(optimizer, torch.optim.Optimizer) else optimizer


_detach = torch._C.TensorBase.detach


class WithLossCell(Cell):
    """loss_fn(backbone(data), label)."""

    def __init__(self, backbone: Any, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Any:
        """The network without the loss."""
        return self._backbone


class WithEvalCell(Cell):
    """(loss, outputs, label) for metrics; the loss in float32 if asked."""

    def __init__(self, network: Any, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = add_cast_fp32

    def construct(self, data: Any, label: Any) -> Any:
        outputs = self._network(data)
        if self.add_cast_fp32:
            label, outputs = _to_float32(label), _to_float32(outputs)
        return self._loss_fn(outputs, label), outputs, label


def _to_float32(value: Any) -> Any:
    """Return ``value`` with its floating Tensors (through tuples, lists and dicts) as float32."""
    if isinstance(value, torch.Tensor):
        if value.dtype is torch.float32 or not value.is_floating_point():
            return value
        return wrap(torch._C.TensorBase.to(value, torch.float32))
    if isinstance(value, dict):
        return {key: _to_float32(item) for key, item in value.items()}
    return make([_to_float32(item) for item in value]) if (make := maker(type(value))) else value


class WithGradCell(Cell):
    """Gradients of the network's trainable parameters, given ``sens`` as the output's gradient."""

    def __init__(self, network: Any, loss_fn: Any = None, sens: Any = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.grad = GradOperation(get_by_list=True, sens_param=sens is not None)
        self.sens = sens
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()

    def construct(self, *inputs: Any) -> Any:
        arguments = inputs if self.sens is None else (*inputs, self.sens)
        return self.grad(self.network_with_loss, self.weights)(*arguments)


class ForwardValueAndGrad(Cell):
    """(network(*inputs), gradients) by the inputs (``get_all``), by ``weights`` (``get_by_list``) or both."""

    def __init__(
        self,
        network: Any,
        weights: Any = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        if isinstance(network, Cell):
            network.set_grad()
        self.weights = weights
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param
        self.grad = GradOperation(get_all, get_by_list, sens_param)

    def construct(self, *inputs: Any) -> Any:
        return self.grad.with_value(self.network, self.weights)(*inputs)


class TrainOneStepCell(Cell):
    """One training step: forward, gradients of the optimizer's parameters, update; returns the loss.

    Subclasses in user code override ``construct`` and use ``network``, ``optimizer``, ``weights``, ``grad``, ``sens``
    and ``grad_reducer`` as MindSpore's do, and ``graceful_exit`` where ``use_graceful_exit`` is set.

    Args:
        network: a Cell that returns the loss. Of several outputs the gradient is that of the sum of all.
        sens: the loss's gradient; 1 for each element if left out.
        return_grad: also return {name: gradient}.

    Examples:
        >>> net = nn.Dense(1, 1, "ones", "zeros")
        >>> step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
        >>> print(step(Tensor([[1.0]]), Tensor([[3.0]])), net.weight.asnumpy())
        4.0 [[1.4]]
    """

    def __init__(self, network: Any, optimizer: Any, sens: Any = None, return_grad: bool = False) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(sens, torch.Tensor) and sens == 0:
            raise ValueError("The input argument of 'sens' cannot be 0.")
        self.network = network
        if isinstance(network, Cell) or not isinstance(network, torch.nn.Module):
            network.set_grad()
        self.optimizer = optimizer = as_optimizer(optimizer)
        self.weights = optimizer.parameters
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.sens: Any = 1.0 if sens is None else sens
        self.sense_flag = sens is not None
        self.return_grad = return_grad
        self.reducer_flag = False
        self.grad_reducer: Any = _NoReducer()
        self.parallel_mode = _get_parallel_mode()
        if self.parallel_mode in ("data_parallel", "hybrid_parallel") and _get_device_num() > 1:
            self.reducer_flag, self.mean, self.degree = True, _get_gradients_mean(), _get_device_num()
            self.grad_reducer = DistributedGradReducer(self.weights, self.mean, self.degree)
        self.__dict__["_has_agreed"] = not self.reducer_flag
        self.use_graceful_exit = os.environ.get("MS_ENABLE_GRACEFUL_EXIT") == "1"
        if self.use_graceful_exit:
            self.graceful_exit = _ExitByRequest()
            self.exit_param = Parameter(torch.tensor(False), name="graceful_exit")
            self.init_param = Parameter(torch.zeros(1, dtype=torch.int32), name="graceful_init")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "grad_reducer" and callable(value) and not isinstance(value, torch.nn.Module):
            self._modules.pop(name, None)  # scripts of 1.x, where it is a function, set ``F.identity``
        super().__setattr__(name, value)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if not self.__dict__["_has_agreed"]:
            self.__dict__["_has_agreed"] = True
            network = self.network
            if isinstance(network, torch.nn.Module):
                agree_on_parameters(list(getattr(network, "get_parameters", network.parameters)()))
        return super().__call__(*args, **kwargs)

    def construct(self, *inputs: Any) -> Any:
        if not self.reducer_flag:
            loss, found = self._loss_and_gradients(*inputs)
            found = self.grad_reducer(found)
        else:
            with reducing(self.grad_reducer, self.weights) as reduced:
                loss, found = self._loss_and_gradients(*inputs)
            found = reduced(found)
        self.optimizer(found)
        if self.return_grad:
            return loss, {weight.name: wrap(gradient) for weight, gradient in zip(self.weights, found)}
        return loss

    def _loss_and_gradients(self, *inputs: Any) -> tuple[Any, tuple[Any, ...]]:
        """Return (loss without its graph, gradients): the forward runs once, differentiation follows directly."""
        loss, found = replayed(
            self.network,
            ("TrainOneStepCell", id(self.weights)),
            self._differentiated,
            (inputs, self.sens),
            self.weights,
        )
        return wrap(loss), found

    def _differentiated(self, arguments: tuple[tuple[Any, ...], Any]) -> tuple[Any, tuple[Any, ...]]:
        inputs, sens = arguments
        forward = Forward(self.network, inputs)
        loss = forward.outputs
        if not isinstance(loss, torch.Tensor):
            if self.sense_flag:
                raise AttributeError(
                    "For 'TrainOneStepCell' with 'sens', the network must return the loss as one Tensor, but got "
                    f"{_described(loss)}. Return the loss alone."
                )
            return detached(loss), gradients(forward, self.weights)
        if loss.dim() == 0 and not isinstance(sens, torch.Tensor) and sens == 1.0:
            return detached(loss), scalar_gradients(forward, self.weights)
        if isinstance(sens, np.generic) or (isinstance(sens, torch.Tensor) and sens.numel() == 1):
            sens = sens.item()
        return detached(loss), gradients(forward, self.weights, sens)


class _ExitByRequest:
    """Method that libraries' steps call with MS_ENABLE_GRACEFUL_EXIT. `OnRequestExit` itself ends the run here, so the
    flags that MindSpore's devices exchange in the step carry no information.
    """

    def exit_by_request(self, grad: Any, init_value: Any, exit_value: Any) -> Any:
        """Return the gradients as they are."""
        return grad


class _NoReducer(Identity):
    """Replacement of MindSpore's Identity without the cost of a Cell's call."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return args[0]


_NoReducer.__name__ = "Identity"


def _described(outputs: Any) -> str:
    return (
        f"a {type(outputs).__name__} of {len(outputs)} elements"
        if isinstance(outputs, (tuple, list))
        else f"{type(outputs).__name__}"
    )


class _TrainGradAccuStepCell(TrainOneStepCell):
    """Step that updates once with the mean gradient of the parts of a batch, see `GradAccumulationCell`."""

    def construct(self, *inputs: Any) -> Any:
        loss, found = _accumulated(self.network, self._part_gradients, inputs)
        if not self.sense_flag:
            found = tuple([gradient / _micro_size(self.network) for gradient in found])
        self.optimizer(self.grad_reducer(found))
        return loss

    def _part_gradients(self, network: Any, part: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        forward = Forward(network, part)
        return detached(forward.outputs), gradients(forward, self.weights, self.sens)


def _accumulated(network: Any, part_gradients: Any, inputs: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return (sum of the losses, sums of the gradients); part by part where the network is a `GradAccumulationCell`."""
    if not isinstance(network, GradAccumulationCell):
        return part_gradients(network, inputs)
    loss, total = None, None
    for part in network.parts(inputs):
        part_loss, found = part_gradients(network.network, part)
        loss = part_loss if loss is None else loss + part_loss
        if total is None:
            total = [_detach(gradient).clone() for gradient in found]
        else:
            torch._foreach_add_(total, [_detach(gradient) for gradient in found])
    return loss, wrap(tuple(total or ()))


def _micro_size(network: Any) -> int:
    return next((cell.micro_size for _, cell in network.cells_and_names() if hasattr(cell, "micro_size")), 1)


class ParameterUpdate(Cell):
    """Assignment of its input to a Parameter; ValueError for another shape."""

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        self._param = param

    def construct(self, x: Any) -> Any:
        if x.shape != self._param.shape:
            raise ValueError(
                "For 'Assign','value' must have the same shape as 'variable'. But got 'value' shape: "
                f"{list(x.shape)}, 'variable' shape: {list(self._param.shape)}."
            )
        write_values(self._param, x.detach())
        return x


_TrainPipelineAccuStepCell = TrainOneStepCell  # of releases before 2.5, for a `PipelineCell`
