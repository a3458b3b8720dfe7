"""Messages of summary files: Event, Summary, LossLandscape, Explain. Upstream: ``mindspore.train.summary_pb2``."""

from mindspore_compat._format.proto.summary import *  # noqa: F403
from mindspore_compat._format.proto.summary import __all__  # noqa: F401
