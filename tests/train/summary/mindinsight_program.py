"""Reads a folder of runs with MindInsight's own code (under its own Python) and prints what it found as JSON.

Every value goes through what its web pages are served from: the data manager and the processors of each page. Nothing
of ours is imported.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile

os.environ.setdefault("MINDINSIGHT_WORKSPACE", tempfile.mkdtemp(prefix="mindinsight"))

from mindinsight.datavisual.common.enums import DataManagerStatus, PluginNameEnum
from mindinsight.datavisual.data_transform.data_manager import DataManager
from mindinsight.datavisual.processors.graph_processor import GraphProcessor
from mindinsight.datavisual.processors.histogram_processor import HistogramProcessor
from mindinsight.datavisual.processors.images_processor import ImageProcessor
from mindinsight.datavisual.processors.landscape_processor import LandscapeProcessor
from mindinsight.datavisual.processors.scalars_processor import ScalarsProcessor
from mindinsight.datavisual.processors.train_task_manager import TrainTaskManager
from mindinsight.lineagemgr.cache_item_updater import LineageCacheItemUpdater
from mindinsight.lineagemgr.model import filter_summary_lineage

_MARK = "MINDINSIGHT "


def _load(base):
    manager = DataManager(base)
    manager.register_brief_cache_item_updater(LineageCacheItemUpdater())
    for thread in manager.start_load_data():
        thread.join()
    assert manager.status == DataManagerStatus.DONE.value
    return manager


def _image(manager, train_id, tag):
    processor = ImageProcessor(manager)
    rows = processor.get_metadata_list(train_id, tag)["metadatas"]
    return [
        [
            row["step"],
            row["height"],
            row["width"],
            base64.b64encode(processor.get_single_image(train_id, tag, row["step"])).decode(),
        ]
        for row in rows
    ]


def _tensor(manager, train_id, tag):
    return [
        [event.step, list(event.value.dims), event.value.data_type, event.value.tensor_value.tolist()]
        for event in manager.list_tensors(train_id, tag)
    ]


def _histogram(manager, train_id, tag):
    """As the file has them, and as the page resamples them."""
    shown = HistogramProcessor(manager).get_histograms(train_id, tag)["histograms"]
    events = manager.list_tensors(train_id, tag)
    return [
        [
            event.step,
            event.value.count,
            event.value.min,
            event.value.max,
            [bucket.as_tuple() for bucket in event.value.histogram._original_buckets],
            page["buckets"],
        ]
        for event, page in zip(events, shown)
    ]


def _graph(manager, train_id, tag):
    """Every node by scope, with its inputs, outputs and shapes."""
    processor = GraphProcessor(train_id, manager, tag)
    found, scopes = [], [""]
    while scopes:
        for node in processor.list_nodes(scopes.pop())["nodes"]:
            found.append({key: node[key] for key in ("name", "type", "input", "output", "attr")})
            if "scope" in node["type"]:
                scopes.append(node["name"])
    return sorted(found, key=lambda node: node["name"])


def _landscapes(manager, train_id):
    processor = LandscapeProcessor(manager)
    found = [
        processor.list_landscapes([train_id], "interval", interval["id"])["landscapes"][0]
        for interval in processor.list_intervals(train_id)["intervals"]
    ]
    return found + processor.list_landscapes([train_id], "final")["landscapes"]


def _run(manager, train_id):
    tags = TrainTaskManager(manager).get_plugins(train_id, manual_update=False)["plugins"]
    found = {"tags": tags}
    found["scalar"] = {
        tag: [
            [row["step"], row["value"]]
            for row in ScalarsProcessor(manager).get_metadata_list(train_id, tag)["metadatas"]
        ]
        for tag in tags["scalar"]
    }
    for kind, read in (("image", _image), ("tensor", _tensor), ("histogram", _histogram), ("graph", _graph)):
        found[kind] = {tag: read(manager, train_id, tag) for tag in tags[kind]}
    found["landscape"] = _landscapes(manager, train_id) if tags[PluginNameEnum.LANDSCAPE.value] else []
    return found


def main(base):
    manager = _load(base)
    runs = {name: _run(manager, f"./{name}") for name in sorted(os.listdir(base))}
    for row in filter_summary_lineage(manager)["object"]:
        runs[os.path.basename(row["summary_dir"])]["lineage"] = {
            key: row.get(key) for key in ("model_lineage", "dataset_graph")
        }
    print(_MARK + json.dumps(runs))


if __name__ == "__main__":
    main(sys.argv[1])
