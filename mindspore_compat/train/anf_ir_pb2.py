"""Messages of computational graphs: ModelProto, GraphProto and what is in them, DT_…. Upstream:
``mindspore.train.anf_ir_pb2``.
"""

from mindspore_compat._format.proto.anf_ir import *  # noqa: F403
from mindspore_compat._format.proto.anf_ir import __all__  # noqa: F401
