"""Pipelines as JSON: the output of `mindspore.dataset.serialize`, and pipelines from it. MindSpore:
``mindspore.dataset.engine.serializer_deserializer``.

The format is MindSpore's: each node an object with ``op_type``, its arguments and its ``children``. It has no place for
Python functions, arrays and the arguments of some operations; nodes with such arguments are written with a warning, and
reading them raises.
"""

from __future__ import annotations

import json
from typing import Any

from mindspore_compat import log
from mindspore_compat._format.source import read_json
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.dataset._serialized.nodes import node_from, node_to
from mindspore_compat.dataset.engine import Dataset


def serialize(dataset: Dataset, json_filepath: str = "") -> dict[str, Any]:
    """Return the pipeline as a dict, written to a JSON file, too, if one is named.

    Args:
        dataset: the last node.
        json_filepath: the file; "" for none.

    Returns:
        {"op_type": ..., "children": [...], arguments}. `deserialize` makes a pipeline of it, and so does MindSpore.

    Raises:
        TypeError: if it is no dataset. ValueError: for a node that the format cannot hold. OSError: if the file cannot
            be written.

    Examples:
        >>> import mindspore_compat.dataset as ds
        >>> print(ds.serialize(ds.NumpySlicesDataset([1, 2, 3]).batch(2))["op_type"])
        Batch
    """
    found = node_to(dataset)
    if json_filepath:
        write_atomically(json_filepath, [json.dumps(found, separators=(",", ":")).encode()])
    return found


def deserialize(input_dict: dict[str, Any] | str | None = None, json_filepath: str | None = None) -> Dataset | None:
    """Return the pipeline that `serialize` wrote, here or in MindSpore; None without a dict and a file. The file wins;
    ``input_dict`` may name one, too, as in MindSpore's tutorial.

    Raises:
        TypeError: if ``input_dict`` is neither a dict nor a path. OSError: if the file cannot be read. ValueError: if
            it is no such JSON, or holds what cannot be made from it: Python functions, arrays, operations without
            their arguments.
    """
    if not input_dict and not json_filepath:
        return None
    given = json_filepath or input_dict
    data = read_json(given) if isinstance(given, str) else given
    try:
        return node_from(data)
    except RecursionError:
        raise ValueError("For 'deserialize', the pipeline has too many nodes above each other.") from None


def show(dataset: Dataset, indentation: int | None = 2) -> None:
    """Write the result of `serialize` to the log, at level INFO."""
    log.info(json.dumps(serialize(dataset), indent=indentation))


def compare(pipeline1: Dataset, pipeline2: Dataset) -> bool:
    """Return whether `serialize` returns the same for both."""
    return serialize(pipeline1) == serialize(pipeline2)
