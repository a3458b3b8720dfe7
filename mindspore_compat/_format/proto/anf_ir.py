"""Messages of computational graphs, under the names of upstream's ``mindspore.train.anf_ir_pb2``."""
from mindspore_compat._format.proto.irpb import messages

__all__ = ["ModelProto", "GraphProto", "NodeProto", "InputProto", "ParameterProto", "OutputProto", "TypeProto", "ValueProto", "NamedValueProto",
           "AttributeProto", "TensorProto", "TensorShapeProto", "DataType"]

ModelProto, GraphProto, NodeProto = messages.ModelProto, messages.GraphProto, messages.NodeProto
InputProto, ParameterProto, OutputProto = messages.InputProto, messages.ParameterProto, messages.OutputProto
TypeProto, ValueProto, NamedValueProto = messages.TypeProto, messages.ValueProto, messages.NamedValueProto
AttributeProto, TensorProto, TensorShapeProto = messages.AttributeProto, messages.TensorProto, messages.TensorShapeProto
DataType = messages.DataType
