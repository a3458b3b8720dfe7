"""TensorBoard forms of MindSpore data: graphs as GraphDef, lineage as names and numbers."""

from __future__ import annotations

import json
from typing import Any

from mindspore_compat._format.proto import anf_ir

__all__ = ["graph_def", "lineage_facts"]


def graph_def(graph: bytes) -> bytes:
    """Return TensorBoard's GraphDef of a GraphProto: scopes become name scopes."""
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    source, target = anf_ir.GraphProto.FromString(graph), GraphDef()
    names: dict[str, str] = {}
    for parameter in source.parameters:
        names[parameter.name] = f"Parameters/{parameter.name}"
        target.node.add(name=names[parameter.name], op="Parameter")
    for constant in source.const_vals:
        names[constant.key] = f"Constants/{constant.key}"
        target.node.add(name=names[constant.key], op="Const")
    for node in source.node:
        names[node.name] = _safe(node.full_name or f"{node.scope}/{node.op_type}-{node.name}")
    for node in source.node:
        row = target.node.add(name=names[node.name], op=node.op_type)
        for source_of in node.input:
            name = names.get(source_of.name)
            if name is not None:
                row.input.append(f"^{name}" if source_of.type == 1 else name)
    return bytes(target.SerializeToString())


def _safe(name: str) -> str:
    return name.replace(" ", "_").replace(":", "_").lstrip("/")


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def lineage_facts(plugin: str, message: Any) -> tuple[dict[str, Any], dict[str, float]]:
    """Return (parameters, results) of a lineage message, by names that MindInsight's lineage page uses."""
    if plugin == "train_lineage":
        hparams = {part.name: value for part, value in message.hyper_parameters.ListFields()}
        hparams.update({part.name: value for part, value in message.train_dataset.ListFields()})
        if message.algorithm.HasField("network"):
            hparams["network"] = message.algorithm.network
        if message.HasField("model"):
            path = _read_json(message.model.path)
            hparams["model_path"] = str(path.get("ckpt") if isinstance(path, dict) else path)
            hparams["model_size"] = message.model.size
        return hparams, {"lineage/loss": message.algorithm.loss} if message.algorithm.HasField("loss") else {}
    if plugin == "eval_lineage":
        found = _read_json(message.metric) if message.metric else {}
        numbers = (
            {f"lineage/eval_{key}": float(value) for key, value in found.items() if isinstance(value, (int, float))}
            if isinstance(found, dict)
            else {}
        )
        return {part.name: value for part, value in message.valid_dataset.ListFields()}, numbers
    if plugin == "custom_lineage_data":
        custom: dict[str, Any] = {}
        for info in (message, *message.user_info):
            custom.update({**info.map_int32, **info.map_str, **info.map_double})
        return custom, {}
    return {}, {}
