"""Checkpoint as a message, for programs that parse files themselves; the package has `ckpt.read` for it."""

from mindspore_compat._format.proto._build import build_messages
from mindspore_compat._format.strategy import TENSOR

Checkpoint = build_messages(
    "mindspore_compat.ckpt",
    {
        "TensorProto": TENSOR,
        "MapTensorProto": "1 tensor repeated TensorProto",
        "Checkpoint": "1 value repeated Checkpoint.Value",
        "Checkpoint.Value": "1 tag required string\n2 tensor TensorProto\n3 maptensor MapTensorProto",
    },
    {},
).Checkpoint
