"""Messages of lineage files, under the names of MindSpore's ``mindspore.train.lineage_pb2``."""

from mindspore_compat._format.proto.irpb import messages

__all__ = [
    "LineageEvent",
    "UserDefinedInfo",
    "TrainLineage",
    "EvaluationLineage",
    "DatasetGraph",
    "Operation",
    "OperationParameter",
    "StrList",
]

LineageEvent, UserDefinedInfo = messages.LineageEvent, messages.UserDefinedInfo
TrainLineage, EvaluationLineage = messages.TrainLineage, messages.EvaluationLineage
DatasetGraph, Operation = messages.DatasetGraph, messages.Operation
OperationParameter, StrList = messages.OperationParameter, messages.StrList
