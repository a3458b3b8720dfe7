"""The message of a checkpoint. Upstream: ``mindspore.train.checkpoint_pb2``."""

from mindspore_compat._format.proto.checkpoint import Checkpoint

__all__ = ["Checkpoint"]
