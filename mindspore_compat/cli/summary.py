"""``mindspore-compat summary inspect DIR`` and ``summary to-tensorboard DIR``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from mindspore_compat.train.summary import read_summary, to_tensorboard

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Run ``mindspore-compat summary`` with these arguments; return the exit code."""
    parser = argparse.ArgumentParser(prog="mindspore-compat summary")
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    inspect = actions.add_parser("inspect", help="what a run recorded")
    inspect.add_argument("path", metavar="DIR", help="the folder of a run, or one summary file")
    inspect.add_argument("--json", action="store_true", help="one JSON object, scalars with all their points")
    inspect.set_defaults(handler=_inspect)
    convert = actions.add_parser("to-tensorboard", help="write a TensorBoard file of an existing MindSpore run")
    convert.add_argument("path", metavar="DIR", help="the folder of a run, or one summary file")
    convert.add_argument("--output", metavar="DIR", help="folder for it, default the run's own")
    convert.set_defaults(handler=_convert)
    options = parser.parse_args(arguments)
    return options.handler(options)


def _inspect(options: argparse.Namespace) -> int:
    try:
        data = read_summary(options.path)
    except OSError as error:
        print(f"mindspore-compat summary inspect: {error}", file=sys.stderr)
        return 2
    print(json.dumps(_as_json(data), indent=1) if options.json else "\n".join(_lines(data)))
    return 0


def _as_json(data: Any) -> dict[str, Any]:
    scalars = {tag: [list(point) for point in points.items()] for tag, points in data.scalars.items()}
    result: dict[str, Any] = {"files": data.files, "scalars": scalars}
    for kind in ("images", "histograms", "tensors", "landscapes"):
        result[kind] = {tag: list(points) for tag, points in getattr(data, kind).items()}
    result["graphs"] = [{"name": graph.name, "nodes": len(graph.node)} for graph in data.graphs]
    result["lineage"] = {plugin: [str(message) for message in messages] for plugin, messages in data.lineage.items()}
    return result


def _lines(data: Any) -> list[str]:
    lines = list(data.files)
    for tag, points in data.scalars.items():
        steps, values = list(points), list(points.values())
        lines.append(f"scalar     {tag}: {len(points)} points, steps {steps[0]} to {steps[-1]}, last {values[-1]:.6g}")
    for kind in ("images", "histograms", "tensors", "landscapes"):
        for tag, points in getattr(data, kind).items():
            lines.append(
                f"{kind[:-1]:10} {tag}: steps {', '.join(map(str, list(points)[:8]))}{', …' if len(points) > 8 else ''}"
            )
    lines += [
        f"graph      {graph.name}: {len(graph.node)} nodes, {len(graph.parameters)} parameters" for graph in data.graphs
    ]
    for plugin, messages in data.lineage.items():
        lines += [f"{plugin}: {' '.join(str(message).split())}" for message in messages]
    return lines


def _convert(options: argparse.Namespace) -> int:
    try:
        path = to_tensorboard(options.path, options.output)
    except (OSError, ValueError) as error:
        print(f"mindspore-compat summary to-tensorboard: {error}", file=sys.stderr)
        return 2
    print(path)
    return 0
