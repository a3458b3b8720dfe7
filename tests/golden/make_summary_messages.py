"""Writes summary_messages.json: every field of MindSpore's summary, lineage and graph messages. Run under real
MindSpore.
"""

import json
from pathlib import Path

import mindspore.train.anf_ir_pb2 as anf_ir
import mindspore.train.lineage_pb2 as lineage
import mindspore.train.summary_pb2 as summary

TYPES = {1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 8: "bool", 9: "string", 12: "bytes"}


def rows(descriptor):
    for field in sorted(descriptor.fields, key=lambda field: field.number):
        label = "repeated" if field.is_repeated else "required" if field.is_required else "optional"
        kind = TYPES.get(field.type) or (field.message_type or field.enum_type).full_name
        yield [
            field.number,
            field.name,
            label,
            kind,
            field.containing_oneof.name if field.containing_oneof else "",
            bool(field.GetOptions().packed),
        ]


def add(descriptor, found):
    found[descriptor.full_name] = list(rows(descriptor))
    for inner in descriptor.nested_types:
        add(inner, found)


found = {
    "enums": {
        enum.name: {value.name: value.number for value in enum.values}
        for enum in anf_ir.DESCRIPTOR.enum_types_by_name.values()
    }
}
for module in (summary, anf_ir, lineage):
    for descriptor in module.DESCRIPTOR.message_types_by_name.values():
        add(descriptor, found)
Path(__file__).with_name("summary_messages.json").write_text(json.dumps(found, separators=(",", ":"), sort_keys=True))
