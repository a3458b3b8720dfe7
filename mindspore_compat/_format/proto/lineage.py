"""Messages of lineage files, under the names of MindSpore's ``mindspore.train.lineage_pb2``."""

from mindspore_compat._format.proto.irpb import messages

LineageEvent, UserDefinedInfo = messages.LineageEvent, messages.UserDefinedInfo
TrainLineage, EvaluationLineage = messages.TrainLineage, messages.EvaluationLineage
DatasetGraph, Operation = messages.DatasetGraph, messages.Operation
OperationParameter, StrList = messages.OperationParameter, messages.StrList
