"""Messages of lineage files: LineageEvent and what is in it. Upstream: ``mindspore.train.lineage_pb2``."""

from mindspore_compat._format.proto.lineage import *  # noqa: F403
from mindspore_compat._format.proto.lineage import __all__  # noqa: F401
