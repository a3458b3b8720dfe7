"""Messages of computational graphs, under the names of MindSpore's ``mindspore.train.anf_ir_pb2``."""

from mindspore_compat._format.proto.irpb import messages

ModelProto, GraphProto, NodeProto = messages.ModelProto, messages.GraphProto, messages.NodeProto
InputProto, ParameterProto, OutputProto = messages.InputProto, messages.ParameterProto, messages.OutputProto
TypeProto, ValueProto, NamedValueProto = messages.TypeProto, messages.ValueProto, messages.NamedValueProto
AttributeProto, TensorProto, TensorShapeProto = messages.AttributeProto, messages.TensorProto, messages.TensorShapeProto
OperatorProto, OperatorSetProto = messages.OperatorProto, messages.OperatorSetProto
DataType, Version = messages.DataType, messages.Version

_MESSAGES = [
    "ModelProto",
    "GraphProto",
    "NodeProto",
    "InputProto",
    "ParameterProto",
    "OutputProto",
    "TypeProto",
    "ValueProto",
    "NamedValueProto",
    "AttributeProto",
    "TensorProto",
    "TensorShapeProto",
    "OperatorProto",
    "OperatorSetProto",
    "DataType",
    "Version",
]
_VALUES = dict([*DataType.items(), *Version.items()])
globals().update(_VALUES)  # DT_FLOAT32 and so on
