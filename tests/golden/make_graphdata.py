"""What MindSpore 2.0.0's GraphData says of two small graphs: writes graphdata.npz, the graph files and the answers.

    GLOG_v=3 /opt/oracle20/bin/python tests/golden/make_graphdata.py

MindSpore 2.0.0 was the last with `GraphData`. The rows have the layout of the model zoo's graph converter.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "dataset"))
from graph_cases import CALLS, GRAPHS, SCHEMA, draw_all


def answer(graph: Any, call: str) -> Any:
    """The result as plain data, or the exception's type and text."""
    import mindspore.dataset as ds

    try:
        return plain(eval(call, {"g": graph, "np": np, "ds": ds}))
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error).split("\n")[0][:120]}


def plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return {"dtype": str(value.dtype), "shape": list(value.shape), "values": value.tolist()}
    if isinstance(value, dict):
        return {"dict": [[plain(key), plain(item)] for key, item in value.items()]}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def main() -> None:
    import mindspore
    import mindspore.dataset as ds
    from mindspore.mindrecord import FileWriter

    contents: dict[str, np.ndarray] = {}
    answers: dict[str, Any] = {"version": mindspore.__version__}
    for name, rows in GRAPHS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            writer = FileWriter(path, 1)
            writer.set_header_size(1 << 14)
            writer.set_page_size(1 << 15)
            writer.add_schema({key: SCHEMA[key] for key in rows[0]}, "graph")
            writer.add_index(["first_id", "second_id", "third_id", "attribute", "type"])
            writer.write_raw_data(rows)
            writer.commit()
            for file in (name, f"{name}.db"):
                contents[file] = np.fromfile(os.path.join(folder, file), np.uint8)
            graph = ds.GraphData(path, 1)
            answers[name] = {call: answer(graph, call) for call in CALLS}
            answers[f"{name} drawn"] = draw_all(graph, ds)
    np.savez_compressed(
        Path(__file__).with_name("graphdata.npz"),
        answers=np.frombuffer(json.dumps(answers).encode(), np.uint8),
        **contents,
    )


if __name__ == "__main__":
    main()
