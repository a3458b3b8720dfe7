"""Training and evaluation steps of plain torch networks under `Model`: plain tensors, torch losses, ``torch.optim`` optimizers."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat.common._differentiation import differentiable
from mindspore_compat.common._wrap import wrap
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.train._torch_names import torch_targets

__all__ = ["TorchTrainStep", "TorchEvalStep", "TorchPredict", "check_torch_parts"]


def check_torch_parts(optimizer: Any) -> None:
    """TypeError unless the optimizer can drive a torch network."""
    if optimizer is not None and not isinstance(optimizer, torch.optim.Optimizer):
        hint = "it holds MindSpore Parameters" if isinstance(optimizer, Optimizer) else f"it is {type(optimizer).__name__}"
        raise TypeError(f"For 'Model', a torch.nn.Module network needs an optimizer of torch.optim, but {hint}. "
                        "Build torch.optim.SGD(network.parameters(), ...) or write the network as nn.Cell.")


def _wrapped_loss(loss_fn: Any, outputs: Any, label: Any) -> Any:
    return loss_fn(wrap(outputs), wrap(label)) if isinstance(loss_fn, Cell) else loss_fn(outputs, label)


class _TorchStep(torch.nn.Module):
    """A network with its loss; offers what callbacks expect of a train network."""

    def __init__(self, network: torch.nn.Module, loss_fn: Any, optimizer: Any = None) -> None:
        super().__init__()
        self.network = network
        self.loss_fn = loss_fn
        object.__setattr__(self, "optimizer", optimizer)

    def set_train(self, mode: bool = True) -> _TorchStep:
        self.train(mode)
        return self

    def set_grad(self, requires_grad: bool = True) -> _TorchStep:
        return self

    def get_parameters(self, expand: bool = True) -> Iterator[torch.Tensor]:
        """The network's parameters."""
        return iter(self.network.parameters(expand))

    def trainable_params(self, recurse: bool = True) -> list[torch.Tensor]:
        """The network's parameters with requires_grad."""
        return [parameter for parameter in self.network.parameters(recurse) if parameter.requires_grad]

    def checkpoint_targets(self) -> Iterator[tuple[str, torch.Tensor]]:
        """(MindSpore name, tensor): the network's, then the optimizer's state as ``STATE.PARAMETER``."""
        found = list(torch_targets(self.network))
        yield from found
        state = self.optimizer.state if self.optimizer is not None else {}
        for name, tensor in found:
            for key, value in state.get(tensor, {}).items():
                if isinstance(value, torch.Tensor):
                    yield f"{key}.{name}", value


    def restore_optimizer_state(self, values: dict[str, Any]) -> list[str]:
        """Give a fresh optimizer the states ``STATE.PARAMETER`` of a checkpoint; returns the names that were used."""
        used = []
        by_name = dict(torch_targets(self.network))
        for name, value in values.items():
            key, _, parameter = name.partition(".")
            tensor = by_name.get(parameter)
            if self.optimizer is not None and tensor is not None and isinstance(value, torch.Tensor) and key not in self.optimizer.state[tensor]:
                # a step counter stays on the CPU, as torch keeps it
                state = value.detach().clone() if key == "step" else value.detach().to(tensor.device, copy=True)
                self.optimizer.state[tensor][key] = torch._C.TensorBase.detach(state)
                used.append(name)
        return used


class TorchTrainStep(_TorchStep):
    """Forward, backward, ``optimizer.step()``; returns the loss as a Tensor. Without an optimizer the network itself is the step."""

    def forward(self, *inputs: Any) -> Any:
        optimizer = self.optimizer
        if optimizer is None:
            return self._loss(inputs)
        optimizer.zero_grad(set_to_none=True)
        with differentiable():  # derivatives inside of the network too
            loss = self._loss(inputs)
        if not isinstance(loss, torch.Tensor):
            described = f"a {type(loss).__name__} of {len(loss)} elements" if isinstance(loss, (tuple, list)) else type(loss).__name__
            raise TypeError(f"For 'Model.train', the network must return the loss as one Tensor, but got {described}. "
                            "Give Model a 'loss_fn', or a network that returns the loss alone.")
        loss.backward()
        optimizer.step()
        return wrap(loss.detach())

    def _loss(self, inputs: tuple[Any, ...]) -> Any:
        if self.loss_fn is None:
            return self.network(*inputs)
        data, label = inputs
        return _wrapped_loss(self.loss_fn, self.network(data), label)


class TorchEvalStep(_TorchStep):
    """(loss, outputs, label) as Tensors, for metrics."""

    def forward(self, data: Any, label: Any) -> Any:
        outputs = self.network(data)
        return wrap((_wrapped_loss(self.loss_fn, outputs, label), outputs, label))


class TorchPredict(_TorchStep):
    """The network's outputs as Tensors."""

    def forward(self, *inputs: Any) -> Any:
        return wrap(self.network(*inputs))
