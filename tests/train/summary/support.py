"""Reading both kinds of event files in tests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from mindspore_compat import Tensor
from mindspore_compat._format.proto.lineage import LineageEvent
from mindspore_compat._format.proto.summary import Event
from mindspore_compat._format.records import iterate_records
from mindspore_compat.train.summary import SummaryRecord

GOLDEN = Path(__file__).parents[2] / "golden/upstream/summary"


def the_file(folder: Any, ending: str = "_MS", number: int = 0) -> str:
    return str(sorted(Path(folder).glob(f"*summary*{ending}"))[number])


def bodies(folder: Any, ending: str = "_MS", number: int = 0) -> list[bytes]:
    """Each record without its time stamp."""
    return [record[9:] for record in iterate_records(the_file(folder, ending, number))]


def events(folder: Any, ending: str = "_MS", number: int = 0) -> list[Any]:
    kind = LineageEvent if ending == "_lineage" else Event
    return [kind.FromString(record) for record in iterate_records(the_file(folder, ending, number))]


def tensorboard(folder: Any, number: int = 0) -> Any:
    """tensorboard's own reader."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    path = sorted(Path(folder).glob("*tfevents*"))[number]
    accumulator = EventAccumulator(str(path), size_guidance={"scalars": 0, "images": 0, "histograms": 0, "tensors": 0})
    accumulator.Reload()
    return accumulator


def record_basic(folder: Any) -> None:
    """The calls that real MindSpore answered with golden "basic": values of every type, shape and oddity."""
    inputs = np.load(GOLDEN / "basic_inputs.npz")

    def of(kind: str) -> list[tuple[str, Tensor]]:
        return [(key.split(".", 1)[1], Tensor(inputs[key])) for key in inputs.files if key.startswith(kind)]

    with SummaryRecord(str(folder), raise_exception=True) as record:
        for step, kind in ((1, "scalar"), (2, "scalar"), (3, "image"), (4, "histogram"), (5, "tensor")):
            for name, value in of(kind):
                record.add_value(kind, name, value)
            record.record(step)
        record.add_value("scalar", "curve", Tensor(1.0))
        record.add_value("scalar", "curve", Tensor(2.0))
        record.record(6)
        record.record(7)
        record.set_mode("eval")
        record.add_value("scalar", "curve", Tensor(3.0))
        record.record(0)


def record_lineage(folder: Any) -> None:
    """The calls of golden "lineage"."""
    with SummaryRecord(str(folder)) as record:
        for plugin, name, message in zip(
            ("train_lineage", "eval_lineage", "custom_lineage_data"),
            ("train_lineage", "evaluation_lineage", "user_defined_info"),
            events(GOLDEN / "lineage", "_lineage"),
        ):
            record.add_value(plugin, plugin, getattr(message, name))
        record.add_value("scalar", "loss", Tensor(0.5))
        record.record(1)


def copy_landscape_checkpoints(folder: Any) -> None:
    """The checkpoints of golden "landscape", for `SummaryLandscape` to work on."""
    shutil.copytree(GOLDEN / "landscape/ckpt_dir", Path(folder) / "ckpt_dir")
    path = Path(folder) / "ckpt_dir/train_metadata.json"
    data = json.loads(path.read_text())
    data["model_params_file_map"] = {
        key: str(Path(folder) / value) for key, value in data["model_params_file_map"].items()
    }
    path.write_text(json.dumps(data))
