"""Messages of summary files, under the names of MindSpore's ``mindspore.train.summary_pb2``."""

from mindspore_compat._format.proto.irpb import messages

Event, Summary, LossLandscape, Explain = messages.Event, messages.Summary, messages.LossLandscape, messages.Explain
