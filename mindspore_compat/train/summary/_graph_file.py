"""The graph file of `ModelCheckpoint`, beside checkpoints."""

from __future__ import annotations

import stat
from typing import Any

from mindspore_compat._format.proto.anf_ir import ModelProto
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.train.summary._graph import graph_of

__all__ = ["write_graph"]


def write_graph(cb_params: Any, path: str) -> None:
    """Write the training network as MindSpore's graph message: its operators, or its layers in the order of
    registration.
    """
    network = cb_params.train_network
    ours = type(network).__module__.startswith("mindspore_compat.")  # a user's step may take other inputs
    inputs = tuple(cb_params.get("train_dataset_element") or ()) if ours else None
    model = ModelProto(ir_version=1, graph=graph_of(network, inputs=inputs))
    write_atomically(path, [model.SerializeToString(deterministic=True)], stat.S_IRUSR | stat.S_IWUSR)
