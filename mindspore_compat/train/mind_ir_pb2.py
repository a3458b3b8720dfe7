"""Messages of MINDIR files: ModelProto, GraphProto and what is in them. Upstream: ``mindspore.train.mind_ir_pb2``."""

from mindspore_compat._format.proto.mindir import *  # noqa: F403
from mindspore_compat._format.proto.mindir import __all__  # noqa: F401
