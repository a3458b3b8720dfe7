"""Messages of MindSpore's MINDIR files (package ``mind_ir``, as of 2.10), as far as exported graphs use them: no
package but MindSpore has them.
"""

from __future__ import annotations

from mindspore_compat._format.proto._build import build_messages

_messages = build_messages(
    "mind_ir",
    {
        "AttributeProto": """
        1 name string
        2 f float
        3 i int64
        4 d double
        5 s bytes
        6 t TensorProto
        7 g GraphProto
        8 floats repeated float
        9 doubles repeated double
        10 ints repeated int64
        11 strings repeated bytes
        12 tensors repeated TensorProto
        13 graphs repeated GraphProto
        14 doc_string string
        15 ref_attr_name string
        16 type enum:AttributeProto.AttributeType
        17 values repeated AttributeProto
        18 seq_info AttributeProto.SeqInfoProto""",
        "AttributeProto.SeqInfoProto": """
        1 is_dyn_len bool
        2 tuple_elem_item AttributeProto""",
        "ValueInfoProto": """
        1 name string
        2 tensor repeated TensorProto
        3 doc_string string
        4 denotation string
        5 attr_info AttributeProto""",
        "NodeProto": """
        1 input repeated string
        2 output repeated string
        3 name string
        4 op_type string
        5 attribute repeated AttributeProto
        6 doc_string string
        7 domain string
        8 node_attr repeated AttributeProto
        9 primal_attr repeated AttributeProto""",
        "PrimitiveProto": """
        1 name string
        2 op_type string
        3 attribute repeated AttributeProto
        4 instance_name string
        5 prim_type enum:PrimitiveProto.PrimType""",
        "ModelProto": """
        1 ir_version string
        2 producer_name string
        3 producer_version string
        4 domain string
        5 model_version string
        6 doc_string string
        7 graph GraphProto
        8 functions repeated GraphProto
        10 little_endian bool
        12 primitives repeated PrimitiveProto
        13 mind_ir_version int64
        14 user_info map""",
        "GraphProto": """
        1 node repeated NodeProto
        2 name string
        3 parameter repeated TensorProto
        4 doc_string string
        5 input repeated ValueInfoProto
        6 output repeated ValueInfoProto
        7 bprop_hash string
        8 attribute repeated AttributeProto
        9 bprop_filepath string""",
        "TensorProto": """
        1 dims repeated int64
        2 data_type int32
        3 float_data repeated float
        4 int32_data repeated int32
        5 string_data repeated bytes
        6 int64_data repeated int64
        7 name string
        8 doc_string string
        9 raw_data bytes
        10 double_data repeated double
        11 uint64_data repeated uint64
        12 external_data TensorProto.ExternalDataProto
        13 ref_key string
        14 min_dims repeated int64
        15 max_dims repeated int64
        16 compression_type int32""",
        "TensorProto.ExternalDataProto": """
        1 location string
        2 offset int64
        3 length int64""",
    },
    {
        "AttributeProto.AttributeType": "UNDEFINED=0 FLOAT=1 UINT8=2 INT8=3 UINT16=4 INT16=5 INT32=6 INT64=7 STRING=8 "
        "BOOL=9 FLOAT16=10 DOUBLE=11 UINT32=12 UINT64=13 "
        "COMPLEX64=14 COMPLEX128=15 BFLOAT16=16 TENSOR=17 GRAPH=18 TENSORS=19 TUPLE=20 LIST=21 DICT=22 UMONAD=23 "
        "IOMONAD=24 NONE=25 CSR_TENSOR=30 COO_TENSOR=31 SCALAR=39",
        "PrimitiveProto.PrimType": "PRIMITIVE=1 PRIMITIVE_FUNCTION=2",
    },
)

AttributeProto, TensorProto, ValueInfoProto = _messages.AttributeProto, _messages.TensorProto, _messages.ValueInfoProto
NodeProto, PrimitiveProto, GraphProto, ModelProto = (
    _messages.NodeProto,
    _messages.PrimitiveProto,
    _messages.GraphProto,
    _messages.ModelProto,
)
AttributeType, PrimType = _messages.AttributeType, _messages.PrimType
