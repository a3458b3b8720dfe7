"""What of a MindSpore run TensorBoard can show otherwise: graphs as GraphDef, lineage as names and numbers, landscapes as pictures."""
from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from mindspore_compat._format.events import Picture
from mindspore_compat._format.proto import anf_ir
from mindspore_compat._format.proto import summary as summary_messages

__all__ = ["graph_def", "lineage_facts", "landscape_picture"]

_SIZE = 12  # pixels of a point of a landscape
_COLOURS = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], np.float64)


def graph_def(graph: bytes) -> bytes:
    """TensorBoard's GraphDef of a GraphProto: scopes become name scopes."""
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
    """(parameters, results) of a lineage message, by names that MindInsight's lineage page uses."""
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
        numbers = {f"lineage/eval_{key}": float(value) for key, value in found.items()
                   if isinstance(value, (int, float))} if isinstance(found, dict) else {}
        return {part.name: value for part, value in message.valid_dataset.ListFields()}, numbers
    if plugin == "custom_lineage_data":
        custom: dict[str, Any] = {}
        for info in (message, *message.user_info):
            custom.update({**info.map_int32, **info.map_str, **info.map_double})
        return custom, {}
    return {}, {}


def landscape_picture(body: bytes) -> Picture | None:
    """The heights of a LossLandscape as colours from dark (low) to light."""
    from PIL import Image

    message = summary_messages.LossLandscape.FromString(body)
    heights = np.array(message.landscape.z.float_data or message.landscape.z.double_data, np.float64)
    dims = list(message.landscape.z.dims)
    if len(dims) != 2 or heights.size == 0 or heights.size != dims[0] * dims[1]:
        return None
    heights = np.nan_to_num(heights.reshape(dims))
    span = heights.max() - heights.min()
    place = (heights - heights.min()) / (span or 1.0) * (len(_COLOURS) - 1)
    low = np.minimum(place.astype(int), len(_COLOURS) - 2)
    part = (place - low)[..., None]
    pixels = (_COLOURS[low] * (1 - part) + _COLOURS[low + 1] * part).astype(np.uint8)
    pixels = np.ascontiguousarray(pixels.repeat(_SIZE, 0).repeat(_SIZE, 1))
    output = io.BytesIO()
    Image.fromarray(pixels).save(output, format="PNG")
    return Picture(pixels.shape[0], pixels.shape[1], 3, output.getvalue())
