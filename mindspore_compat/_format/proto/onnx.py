"""Messages of ONNX files (package ``onnx``), as far as an exported inference graph needs them."""

from __future__ import annotations

from mindspore_compat._format.proto._build import build_messages

_messages = build_messages(
    "onnx",
    {
        "AttributeProto": """
        1 name string
        20 type enum:AttributeProto.AttributeType
        2 f float
        3 i int64
        4 s bytes
        5 t TensorProto
        6 g GraphProto
        7 floats repeated float
        8 ints repeated int64
        9 strings repeated bytes""",
        "ValueInfoProto": """
        1 name string
        2 type TypeProto""",
        "NodeProto": """
        1 input repeated string
        2 output repeated string
        3 name string
        4 op_type string
        5 attribute repeated AttributeProto
        6 doc_string string
        7 domain string""",
        "ModelProto": """
        1 ir_version int64
        8 opset_import repeated OperatorSetIdProto
        2 producer_name string
        3 producer_version string
        4 domain string
        5 model_version int64
        6 doc_string string
        7 graph GraphProto""",
        "GraphProto": """
        1 node repeated NodeProto
        2 name string
        5 initializer repeated TensorProto
        10 doc_string string
        11 input repeated ValueInfoProto
        12 output repeated ValueInfoProto
        13 value_info repeated ValueInfoProto""",
        "TensorProto": """
        1 dims repeated int64
        2 data_type int32
        8 name string
        9 raw_data bytes""",
        "TensorShapeProto": """
        1 dim repeated TensorShapeProto.Dimension""",
        "TensorShapeProto.Dimension": """
        1 dim_value int64
        2 dim_param string""",
        "TypeProto": """
        1 tensor_type TypeProto.Tensor""",
        "TypeProto.Tensor": """
        1 elem_type int32
        2 shape TensorShapeProto""",
        "OperatorSetIdProto": """
        1 domain string
        2 version int64""",
    },
    {
        "AttributeProto.AttributeType": "UNDEFINED=0 FLOAT=1 INT=2 STRING=3 TENSOR=4 GRAPH=5 FLOATS=6 INTS=7 STRINGS=8",
        "TensorProto.DataType": "UNDEFINED=0 FLOAT=1 UINT8=2 INT8=3 UINT16=4 INT16=5 INT32=6 INT64=7 STRING=8 BOOL=9 "
        "FLOAT16=10 DOUBLE=11 UINT32=12 "
        "UINT64=13 COMPLEX64=14 COMPLEX128=15 BFLOAT16=16",
    },
)

AttributeProto, TensorProto, ValueInfoProto = _messages.AttributeProto, _messages.TensorProto, _messages.ValueInfoProto
NodeProto, GraphProto, ModelProto = _messages.NodeProto, _messages.GraphProto, _messages.ModelProto
AttributeType, DataType = _messages.AttributeType, _messages.DataType
