"""The message of a print file. Upstream: ``mindspore.train.print_pb2``."""

from mindspore_compat._format.strategy import print_messages

__all__ = ["Print"]

Print = print_messages().Print
