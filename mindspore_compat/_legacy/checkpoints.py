"""Parts of `load_checkpoint` and `save_checkpoint`, used by MindNLP's `src/mindtorch/serialization.py` and
`mindnlp/_legacy/utils.py`, MindSporeTrainer's `utils/callbacks.py` and the zoo's
`research/cv/erfnet/modelarts/train.py`.

MindSpore: ``mindspore.train.serialization``.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from mindspore_compat._format.wire import FormatError
from mindspore_compat.common.dtype import dtype_name, dtype_to_nptype, qint4x2, string, to_torch_dtype
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train._checkpoint.reading import CheckpointFile, load_source
from mindspore_compat.train._checkpoint.writing import checked_plan
from mindspore_compat.train.callback._callback import InternalCallbackParam
from mindspore_compat.train.summary._graph import write_graph

_TYPES = tuple(("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 bool bfloat16").split())

#: ``tensor_type`` of the file -> dtype
tensor_to_ms_type = {
    **{dtype_name(dtype): dtype for dtype in map(to_torch_dtype, _TYPES)},
    "str": string,
    "Int4": qint4x2,
}


class _NumpyTypes(dict[str, Any]):
    """Table of numpy types: indexed as in 1.x and 2.0, called as in later versions."""

    def __call__(self, tensor_type_str: str) -> Any:
        """Return the numpy type of a ``tensor_type`` of the file; bfloat16 as float32."""
        return dtype_to_nptype(to_torch_dtype(tensor_type_str))


tensor_to_np_type = _NumpyTypes(
    {dtype_name(dtype): dtype_to_nptype(dtype) for dtype in map(to_torch_dtype, _TYPES)}, str="U"
)


def _check_checkpoint_param(ckpt_file_name: str, filter_prefix: Any = None) -> tuple[str, Any]:
    """Return the file's full name, checked as `load_checkpoint` does, and the prefixes as they are."""
    return str(load_source(ckpt_file_name, "ckpt")), filter_prefix


def _save_graph(network: Any, file_name: str) -> None:
    """Write the network as MindSpore's graph message."""
    write_graph(InternalCallbackParam(train_network=network), file_name)


def _exec_save(
    ckpt_file_name: str,
    data_list: dict[str, list[Any]],
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    map_param_inc: bool = False,
    crc_check: bool = False,
    format: str = "ckpt",
    remove_redundancy: bool | None = None,
) -> None:
    """Write {name: [shape, dtype's name, array]} to a file of exactly that name."""
    parts = [
        {"name": name, "data": Tensor(np.reshape(data, [] if list(dims) == [0] else dims), to_torch_dtype(kind))}
        for name, (dims, kind, data) in data_list.items()
    ]
    path = ckpt_file_name if ckpt_file_name.endswith(f".{format}") else f"{ckpt_file_name}.{format}"
    plan = checked_plan(parts, path, enc_key=enc_key, enc_mode=enc_mode, crc_check=crc_check, format=format)
    plan.write()
    if path != ckpt_file_name:
        os.replace(path, ckpt_file_name)


def _parse_ckpt_proto(ckpt_file_name: str, dec_key: bytes | None, dec_mode: str | None, crc_check: bool = False) -> Any:
    """Return the message of a ``.ckpt`` file; 2.0 had no ``crc_check``."""
    from google.protobuf.message import DecodeError  # here, for an import of the package takes no protobuf

    from mindspore_compat._format.proto.checkpoint import Checkpoint

    try:
        with CheckpointFile(ckpt_file_name, dec_key, dec_mode or "AES-GCM", crc_check) as file:
            return Checkpoint.FromString(bytes(file.messages))
    except (OSError, FormatError, DecodeError) as error:
        raise ValueError(
            f"Failed to read the checkpoint file {ckpt_file_name}. May not have permission to read it, please check "
            f"the correct of the file. ({error})"
        ) from None


def _load_map_parameter(
    checkpoint_list: Any, element: Any, element_id: int, map_data_list: Any, map_shape_list: Any, parameter_dict: Any
) -> None:
    """Collect a map parameter's arrays in ``map_data_list``; the last element moves them into ``parameter_dict``."""
    items = element.maptensor.tensor
    arrays = [np.frombuffer(item.tensor_content, tensor_to_np_type[item.tensor_type]) for item in items]
    map_data_list.append(arrays)
    map_shape_list[:] = [tuple(item.dims) for item in items]
    following = element_id + 1
    if following < len(checkpoint_list.value) and checkpoint_list.value[following].tag == element.tag:
        return
    joined = zip(map(np.concatenate, zip(*map_data_list, strict=True)), map_shape_list, strict=True)
    parameter_dict[element.tag] = [data.reshape((-1, *shape[1:])) for data, shape in joined]
    map_data_list.clear()
    map_shape_list.clear()
