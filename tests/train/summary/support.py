"""Reading both kinds of event files in tests."""
from __future__ import annotations

from pathlib import Path
from typing import Any

from mindspore_compat._format.proto.lineage import LineageEvent
from mindspore_compat._format.proto.summary import Event
from mindspore_compat._format.records import iterate_records

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
