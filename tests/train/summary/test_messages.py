"""Our messages against every field of real MindSpore's (tests/golden/summary_messages.json), and upstream's modules for
them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindspore_compat._format.proto import anf_ir
from mindspore_compat._format.proto.irpb import messages

EXPECTED = json.loads((Path(__file__).parents[2] / "golden/summary_messages.json").read_text())
ENUMS = EXPECTED.pop("enums")
_TYPES = {1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 8: "bool", 9: "string", 12: "bytes"}


def _labels(descriptor: Any) -> dict[str, int]:
    from google.protobuf import descriptor_pb2

    copy = descriptor_pb2.DescriptorProto()
    descriptor.CopyToProto(copy)
    return {field.name: field.label for field in copy.field}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_field_is_real_mindspores(name: str) -> None:
    descriptor = getattr(messages, name.split(".")[2]).DESCRIPTOR
    for part in name.split(".")[3:]:
        descriptor = descriptor.nested_types_by_name[part]
    labels = _labels(descriptor)
    ours = [
        [
            field.number,
            field.name,
            {1: "optional", 2: "required", 3: "repeated"}[labels[field.name]],
            _TYPES.get(field.type) or (field.message_type or field.enum_type).full_name,
            field.containing_oneof.name if field.containing_oneof else "",
            bool(field.GetOptions().packed),
        ]
        for field in sorted(descriptor.fields, key=lambda field: field.number)
    ]
    assert ours == EXPECTED[name]


def test_enums_are_real_mindspores() -> None:
    assert {name: dict(getattr(anf_ir, name).items()) for name in ENUMS} == ENUMS
    assert anf_ir.DT_FLOAT32 == anf_ir.DataType.Value("DT_FLOAT32") == 11 and anf_ir.DataType.Name(11) == "DT_FLOAT32"
    assert anf_ir.InputProto.CONTROL_EDGE == 1
