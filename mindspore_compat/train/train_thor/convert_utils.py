"""Conversion for `thor`. MindSpore: ``mindspore.train.train_thor.convert_utils``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.validate import check_type
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.thor import ThorGpu
from mindspore_compat.nn.optim.thor_convert import convert_network
from mindspore_compat.nn.optim.thor_torch import ThorTorch
from mindspore_compat.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore_compat.train.train_thor.model_thor import ModelThor

__all__ = ["ConvertNetUtils", "ConvertModelUtils"]


class ConvertNetUtils:
    """Conversion of networks; `thor` does it by itself."""

    def convert_to_thor_net(self, net: Any) -> None:
        """Make Dense, Conv2d, Embedding and EmbeddingLookup of ``net`` (Linear, Conv2d, Embedding of torch) record
        factors, in place.

        Raises:
            TypeError: if it is no Cell or torch module.
        """
        check_type(net, "net", torch.nn.Module, "convert_to_thor_net")
        if isinstance(net, Cell):
            net.update_cell_prefix()
            net.update_cell_type("second-order")
        convert_network(net)


class ConvertModelUtils:
    """Conversion of Models."""

    @staticmethod
    def convert_to_thor_model(
        model: Any,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        amp_level: str = "O0",
        loss_scale_manager: Any = None,
        keep_batchnorm_fp32: bool = False,
    ) -> Any:
        """Return a new Model of these arguments if ``optimizer`` is one of `thor`'s, else ``model`` itself.

        The other arguments do not count if ``network`` is a TrainOneStepCell.
        """
        if not isinstance(optimizer, (ThorGpu, ThorTorch)):
            return model
        if isinstance(network, TrainOneStepCell):
            return ModelThor(network=network)
        options = {"keep_batchnorm_fp32": keep_batchnorm_fp32} if isinstance(network, Cell) else {}
        return ModelThor(
            network=network,
            loss_fn=loss_fn,
            optimizer=optimizer,
            amp_level=amp_level,
            metrics=metrics,
            loss_scale_manager=loss_scale_manager,
            **options,
        )
