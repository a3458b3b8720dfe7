"""Strategy, group and print files: protobuf's own classes from tables of fields."""

from __future__ import annotations

import functools
from typing import Any

from mindspore_compat._format.proto._build import build_messages, check_parts
from mindspore_compat._format.source import parse_json
from mindspore_compat._format.wire import FormatError

#: a tensor in a print file, and in a checkpoint
TENSOR = "1 dims repeated int64\n2 tensor_type required string\n3 tensor_content required bytes"


@functools.cache
def strategy_messages() -> Any:
    """Return the classes ParallelStrategyMap, ParallelLayouts, ParallelGroupMap and their parts."""
    return build_messages(
        "mindspore.straspb",
        {
            "DevMatrix": "1 dim repeated uint64",
            "TensorMap": "1 dim repeated int32",
            "ParamSplitShape": "1 dim repeated int64",
            "IndicesOffset": "1 dim repeated int64",
            "ParallelStrategy": "1 dim repeated uint64",
            "ParallelStrategys": "1 stage required uint64\n2 parallel_strategy repeated ParallelStrategy",
            "ParallelStrategyItem": "1 node_name required string\n2 parallel_strategys required ParallelStrategys",
            "ParallelLayouts": "1 dev_matrix repeated DevMatrix\n2 tensor_map repeated TensorMap\n3 param_split_shape "
            "repeated ParamSplitShape\n"
            "4 indices_offset repeated IndicesOffset\n5 field required int32\n6 opt_weight_shard_step required int32\n"
            "7 opt_weight_shard_size required int32",
            "ParallelLayoutItem": "1 param_name required string\n2 parallel_layouts required ParallelLayouts",
            "ParallelStrategyMap": "1 current_stage required uint64\n2 parallel_strategy_item repeated "
            "ParallelStrategyItem\n"
            "3 parallel_layout_item repeated ParallelLayoutItem",
            "ParallelGroupRanks": "1 dim repeated uint64",
            "ParallelGroupItem": "1 group_name required string\n2 parallel_group_ranks required ParallelGroupRanks",
            "ParallelGroupMap": "1 parallel_group_item repeated ParallelGroupItem\n2 ckpt_restore_rank_list required "
            "ParallelGroupRanks",
        },
        {},
    )


@functools.cache
def print_messages() -> Any:
    """Return the class Print, the records of a print file."""
    value = "1 desc string\n2 tensor TensorProto"
    return build_messages(
        "mindspore.prntpb", {"TensorProto": TENSOR, "Value": value, "Print": "1 value repeated Value"}, {}
    )


def parse(message: Any, data: bytes, what: str) -> Any:
    """Return the message of these bytes; FormatError if they are none."""
    from google.protobuf.message import DecodeError  # as in build_messages

    try:
        check_parts(message, data)
        result = message.FromString(data)
    except (DecodeError, FormatError) as error:
        raise FormatError(f"{what} is not readable: {error}") from None
    if not result.IsInitialized():  # some protobufs look at this only in the message itself
        raise FormatError(f"{what} is not readable: it lacks {', '.join(result.FindInitializationErrors()[:3])}")
    _check_text(result, what)
    return result


def _check_text(message: Any, what: str) -> None:
    """Raise FormatError if a text is no UTF-8: protobuf returns bytes then."""
    for field, value in message.ListFields():
        if field.type == field.TYPE_STRING and not isinstance(value, str):
            raise FormatError(f"{what} is not readable: its {field.name} {value!r:.100} is no UTF-8")
        if field.type == field.TYPE_MESSAGE:
            for item in [value] if hasattr(value, "ListFields") else value:
                _check_text(item, what)


def layouts_of_json(data: bytes, what: str) -> dict[str, Any]:
    """Return {name: ParallelLayouts} of a strategy file in JSON; FormatError if they are none."""
    value = parse_json(data, what)
    try:
        return {name: _layout_of_json(item) for name, item in value.get("parallel_layout_item", {}).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise FormatError(f"{what} has no layouts as a strategy has them: {error}") from None


def _layout_of_json(item: Any) -> Any:
    layout = strategy_messages().ParallelLayouts()
    for field in ("field", "opt_weight_shard_step", "opt_weight_shard_size"):
        setattr(layout, field, item.get(field, 0))
    for field in ("dev_matrix", "tensor_map", "param_split_shape", "indices_offset"):
        getattr(layout, field).add().dim.extend(item.get(field, []))
    return layout
