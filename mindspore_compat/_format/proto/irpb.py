"""Messages of package ``mindspore.irpb``: events, graphs and lineage, all that summary files hold.

`summary`, `lineage` and `anf_ir` beside this file name them as MindSpore's modules do.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from mindspore_compat._format.proto._build import _add_fields, _class_of

_PACKAGE = "mindspore.irpb"
_DATA_TYPES = (
    "UNDEFINED BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT16 FLOAT32 FLOAT64 STRING TENSOR GRAPH "
    "BOOLS INTS8 INTS16 INTS32 INTS64 UINTS8 UINTS16 UINTS32 UINTS64 FLOATS16 FLOATS32 FLOATS64 STRINGS TENSORS GRAPHS "
    "TUPLE LIST DICT NONE SYM_INST BASE_INT BASE_UINT BASE_FLOAT TYPE ANY REFKEY REF COMPLEX64 COMPLEX128 BASE_COMPLEX "
    "BFLOAT16 BFLOATS16 INT4 SLICE"
).split()
_ENUMS = {
    "DataType": {f"DT_{name}": number for number, name in enumerate(_DATA_TYPES)},
    "Version": {"UNKNOWWN_VERSION": 0, "IR_VERSION": 1},
    "InputProto.EdgeType": {"DATA_EDGE": 0, "CONTROL_EDGE": 1},
}

_GRAPH = {
    "ValueProto": "1 dtype enum:DataType; 2 bool_val bool; 3 int_val int64; 4 uint_val uint64; 5 float_val float; 6 "
    "double_val double; "
    "7 str_val string; 8 tensor_val TensorProto; 9 graph GraphProto; 10 bool_vals repeated bool; 11 int_vals repeated "
    "int64; "
    "12 uint_vals repeated uint64; 13 float_vals repeated float; 14 double_vals repeated double; 15 str_vals repeated "
    "string; "
    "16 tensor_vals repeated TensorProto; 17 graphs repeated GraphProto; 18 values repeated ValueProto; "
    "19 dict_val repeated NamedValueProto; 20 type_val TypeProto",
    "AttributeProto": "1 name string; 2 value ValueProto",
    "NamedValueProto": "1 key string; 2 value ValueProto",
    "TensorShapeProto": "1 dim repeated TensorShapeProto.Dimension",
    "TensorShapeProto.Dimension": "1 size int64; 2 name string",
    "TypeProto": "1 data_type enum:DataType; 2 tensor_type TypeProto.Tensor; 3 sequence_type TypeProto.Sequence",
    "TypeProto.Tensor": "1 elem_type enum:DataType; 2 shape TensorShapeProto",
    "TypeProto.Sequence": "1 elem_types repeated TypeProto",
    "ParameterProto": "1 name string; 2 type TypeProto; 3 default_val ValueProto",
    "OutputProto": "1 name string; 2 type TypeProto",
    "InputProto": "1 name string; 2 type enum:InputProto.EdgeType",
    "NodeProto": "1 input repeated InputProto; 2 name string; 3 op_type string; 4 scope string; 5 attribute repeated "
    "AttributeProto; "
    "6 output_type TypeProto; 7 output_i uint64; 8 full_name string; 10 instance_name string",
    "OperatorProto": "1 name string; 2 config bytes; 3 obj_info bytes",
    "OperatorSetProto": "1 operators repeated OperatorProto; 2 summary string",
    "ModelProto": "1 ir_version int64; 2 domain string; 3 model_version int64; 4 graph GraphProto; 5 "
    "metadata_operators OperatorSetProto",
    "GraphProto": "1 node repeated NodeProto; 2 name string; 3 parameters repeated ParameterProto; 4 outputs repeated "
    "OutputProto; "
    "5 const_vals repeated NamedValueProto",
    "TensorProto": "1 dims repeated int64; 2 data_type enum:DataType; 3 float_data repeated float; 4 int32_data "
    "repeated int32; "
    "5 int64_data repeated int64; 6 double_data repeated double; 7 uint64_data repeated uint64; 8 raw_data bytes",
}
_SUMMARY = {
    "Event": "1 wall_time required double; 2 step int64; 3 version string; 4 graph_def GraphProto; 5 summary Summary; "
    "6 explain Explain",
    "Summary": "1 value repeated Summary.Value",
    "Summary.Image": "1 height required int32; 2 width required int32; 3 colorspace required int32; 4 encoded_image "
    "required bytes",
    "Summary.Histogram": "1 buckets repeated Summary.Histogram.bucket; 2 nan_count int64; 3 pos_inf_count int64; 4 "
    "neg_inf_count int64; "
    "5 max double; 6 min double; 7 sum double; 8 count int64",
    "Summary.Histogram.bucket": "1 left required double; 2 width required double; 3 count required int64",
    "Summary.Value": "1 tag required string; 3 scalar_value float; 4 image Summary.Image; 8 tensor TensorProto; 9 "
    "histogram Summary.Histogram; "
    "10 loss_landscape LossLandscape",
    "LossLandscape": "1 landscape LossLandscape.Point; 2 loss_path LossLandscape.LossPath; 3 metadata "
    "LossLandscape.Metadata; "
    "4 convergence_point LossLandscape.Point",
    "LossLandscape.Point": "1 x TensorProto; 2 y TensorProto; 3 z TensorProto",
    "LossLandscape.LossPath": "1 intervals repeated int32; 2 points LossLandscape.Point",
    "LossLandscape.Metadata": "1 decomposition string; 2 unit string; 3 step_per_epoch int32",
    "Explain": "1 sample_id int32; 2 image_path string; 3 ground_truth_label repeated int32; 4 inference "
    "Explain.Inference; "
    "5 explanation repeated Explain.Explanation; 6 benchmark repeated Explain.Benchmark; 7 metadata Explain.Metadata; "
    "8 status string; "
    "9 hoc repeated Explain.Hoc",
    "Explain.Inference": "1 ground_truth_prob repeated float; 2 predicted_label repeated int32; 3 predicted_prob "
    "repeated float; "
    "4 ground_truth_prob_sd repeated float; 5 ground_truth_prob_itl95_low repeated float; "
    "6 ground_truth_prob_itl95_hi repeated float; 7 predicted_prob_sd repeated float; "
    "8 predicted_prob_itl95_low repeated float; 9 predicted_prob_itl95_hi repeated float",
    "Explain.Explanation": "1 explain_method string; 2 label int32; 3 heatmap_path string",
    "Explain.Benchmark": "1 benchmark_method string; 2 explain_method string; 3 total_score float; 4 label_score "
    "repeated float",
    "Explain.Metadata": "1 label repeated string; 2 explain_method repeated string; 3 benchmark_method repeated string",
    "Explain.HocLayer": "1 prob float; 2 box repeated int32",
    "Explain.Hoc": "1 label int32; 2 mask string; 3 layer repeated Explain.HocLayer",
}
_LINEAGE = {
    "LineageEvent": "1 wall_time required double; 2 step int64; 3 version string; 6 train_lineage TrainLineage; "
    "7 evaluation_lineage EvaluationLineage; 9 dataset_graph DatasetGraph; 10 user_defined_info UserDefinedInfo",
    "UserDefinedInfo": "1 user_info repeated UserDefinedInfo; 2 map_dict map:UserDefinedInfo; 3 map_int32 map:int32; 4 "
    "map_str map:string; "
    "5 map_double map:double",
    "TrainLineage": "1 hyper_parameters TrainLineage.HyperParameters; 2 train_dataset TrainLineage.TrainDataset; "
    "3 algorithm TrainLineage.Algorithm; 4 model TrainLineage.Model",
    "TrainLineage.HyperParameters": "1 optimizer string; 2 learning_rate float; 3 loss_function string; 4 epoch int32; "
    "5 parallel_mode string; "
    "6 device_num int32; 8 batch_size int32",
    "TrainLineage.TrainDataset": "1 train_dataset_path string; 2 train_dataset_size int32",
    "TrainLineage.Algorithm": "1 network string; 2 loss float",
    "TrainLineage.Model": "3 path string; 4 size int64",
    "EvaluationLineage": "2 metric string; 3 valid_dataset EvaluationLineage.ValidDataset",
    "EvaluationLineage.ValidDataset": "1 valid_dataset_path string; 2 valid_dataset_size int32",
    "DatasetGraph": "1 children repeated DatasetGraph; 2 parameter OperationParameter; 3 operations repeated "
    "Operation; 4 sampler Operation",
    "Operation": "1 operationParam OperationParameter; 2 size repeated int32; 3 weights repeated float",
    "OperationParameter": "1 mapStr map:string; 2 mapStrList map:StrList; 3 mapBool map:bool; 4 mapInt map:int32; 5 "
    "mapDouble map:double",
    "StrList": "1 strValue repeated string",
}
_ONEOFS = {
    "Event": ("what", "version graph_def summary explain"),
    "TypeProto": ("value", "tensor_type sequence_type"),
    "Summary.Value": ("value", "scalar_value image tensor histogram loss_landscape"),
    "LineageEvent": ("what", "version train_lineage evaluation_lineage dataset_graph user_defined_info"),
}


def _entry_name(field: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"


def _add_message(message: Any, path: str, fields: str) -> None:
    lines = []
    for line in fields.split("; "):
        number, name, *_, kind = line.split()
        if kind.startswith("map:"):
            entry = message.nested_type.add(name=_entry_name(name))
            entry.options.map_entry = True
            _add_fields(entry, f"1 key string\n2 value {kind[4:]}", _PACKAGE, False)
            line = f"{number} {name} repeated {path}.{entry.name}"
        lines.append(line)
    _add_fields(message, "\n".join(lines), _PACKAGE, packed=path == "TensorProto")
    if path == "TensorProto":
        message.field[0].options.packed = False  # MindSpore's dims are not
    oneof, members = _ONEOFS.get(path, ("", ""))
    if oneof:
        message.oneof_decl.add(name=oneof)
        for field in message.field:
            if field.name in members.split():
                field.oneof_index = 0


def _build() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="mindspore_compat/irpb.proto", package=_PACKAGE, syntax="proto2")
    tables = {**_GRAPH, **_SUMMARY, **_LINEAGE}
    found: dict[str, Any] = {}
    for path, fields in tables.items():
        outer, _, name = path.rpartition(".")
        found[path] = (found[outer].nested_type if outer else file.message_type).add(name=name)
        _add_message(found[path], path, fields)
    result = SimpleNamespace()
    for path, numbers in _ENUMS.items():
        outer, _, name = path.rpartition(".")
        enum = (found[outer].enum_type if outer else file.enum_type).add(name=name)
        for key, number in numbers.items():
            enum.value.add(name=key, number=number)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    for path in _ENUMS:
        if "." not in path:
            setattr(result, path, EnumTypeWrapper(pool.FindEnumTypeByName(f"{_PACKAGE}.{path}")))
    for path in tables:
        if "." not in path:
            setattr(result, path, _class_of(pool.FindMessageTypeByName(f"{_PACKAGE}.{path}")))
    return result


messages = _build()
