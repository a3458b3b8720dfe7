"""``python -m tests.projects --models CHECKOUT``: run projects, keep what came of it, write docs/projects.md. Needs the
packages that projects import (pyyaml, opencv, scipy, easydict, pycocotools, matplotlib, tqdm, …) beside torch; see
docs/projects.md.
"""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from .recipe import Project, Stage
from .recipes import PROJECTS
from .report import MOVED, PAGE, page, summary
from .run import run_project


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.projects", description=__doc__)
    parser.add_argument("names", nargs="*", help="projects or kinds; default: all")
    parser.add_argument(
        "--models",
        type=Path,
        default=os.environ.get("MINDSPORE_COMPAT_MODELS"),
        help="a checkout of the public model zoo",
    )
    parser.add_argument("--oracle", help="the Python of real MindSpore: run there too")
    parser.add_argument("--only-oracle", action="store_true", help="keep what is stored of ours")
    parser.add_argument(
        "--moved", action="store_true", help="ours once more, from weights moved by 1e-7 of themselves, and only that"
    )
    parser.add_argument(
        "--missing", action="store_true", help="only sides that the store does not have, or that did not end"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--store", type=Path, default=Path(__file__).with_name("results"), help="a folder with one file a project"
    )
    parser.add_argument("--keep", type=Path, help="work in this folder and leave it")
    parser.add_argument("--write", action="store_true", help="write docs/projects.md from the store")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    unknown = set(options.names) - set(PROJECTS) - {project.kind for project in PROJECTS.values()}
    if unknown:
        parser.error(f"no such project or kind: {', '.join(sorted(unknown))}. There are: {', '.join(PROJECTS)}")
    chosen = [
        project
        for project in PROJECTS.values()
        if not options.names or {project.name, project.kind} & set(options.names)
    ]
    if options.list:
        print("\n".join(f"{project.name:24} {project.kind:20} {project.path}" for project in chosen))
        return
    if options.models is None and not options.write:
        parser.error("--models, or MINDSPORE_COMPAT_MODELS, names a checkout of the model zoo.")
    sides = (
        ["moved"]
        if options.moved
        else [
            side
            for side in ("ours", "real")
            if not (side == "ours" and options.only_oracle) and (side == "ours" or options.oracle)
        ]
    )

    def one(project_side: tuple) -> None:  # type: ignore[type-arg]
        project, side = project_side
        keep = options.keep / f"{project.name}-{side}" if options.keep else None
        try:
            result = run_project(
                replace(project, stages=_before_the_end_of_training(project)) if side == "moved" else project,
                Path(options.models).resolve(),
                options.oracle if side == "real" else None,
                keep,
                MOVED if side == "moved" else 0.0,
            )
        except (ValueError, OSError) as error:  # of the recipe: an edit without a match, a maker
            print(f"{project.name}: {error}", flush=True)
            return
        if side == "moved":
            result = {name: {**came, "tail": ""} for name, came in result.items()}
        options.store.mkdir(parents=True, exist_ok=True)
        kept = options.store / f"{project.name}.json"
        kept.write_text(
            json.dumps(
                {**(json.loads(kept.read_text()) if kept.exists() else {}), side: result}, indent=1, sort_keys=True
            )
            + "\n"
        )
        for stage, came in result.items():
            print(
                f"{project.name:20} {side:11} {stage:8} {came['end']:8} {came['seconds']:6.1f} s  {came['losses']}  "
                f"{came['error']}",
                flush=True,
            )

    if options.models is not None and (options.names or not options.write):
        stored = load(options.store)
        work = [
            (project, side)
            for project in chosen
            for side in sides
            if not options.missing
            or any(
                came["end"] != "ended" for came in stored.get(project.name, {}).get(side, {"": {"end": ""}}).values()
            )
        ]
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(one, work))
    stored = load(options.store)
    if options.write:
        PAGE.write_text(page(PROJECTS, stored), encoding="utf-8")
    print(summary(PROJECTS, stored))


def _before_the_end_of_training(project: Project) -> tuple[Stage, ...]:
    """The stages up to the last that trains."""
    last = max((i for i, stage in enumerate(project.stages) if stage.name.startswith("train")), default=-1)
    return project.stages[: last + 1]


def load(store: Path) -> dict:  # type: ignore[type-arg]
    return {path.stem: json.loads(path.read_text()) for path in sorted(store.glob("*.json"))}


if __name__ == "__main__":
    main()
