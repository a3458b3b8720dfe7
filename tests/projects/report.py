"""docs/projects.md from the store."""
from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .recipe import Project

__all__ = ["PAGE", "page", "summary"]

PAGE = Path(__file__).parents[2] / "docs" / "projects.md"
_INTRODUCTION = """# Projects

Published projects of the public model zoo (`official/`, `research/`), each one's own scripts unchanged by `python -m mindspore_compat <script>`
on tiny made data, and the same under real MindSpore 2.10 on a CPU. Made by

    python -m tests.projects --models CHECKOUT --oracle PYTHON --write

A stage has ended when its script left with 0 and made what it is for (a checkpoint, a MINDIR). Seconds are of one core, imports and real's
compiling included. Weights and data are drawn at random on each side, so first losses are alike, not equal; where data are few and the
network deep, last losses say only that it trains. "for real" lists what had to be changed for real MindSpore; nothing was for ours.

"""


def _rows(projects: Mapping[str, Project], stored: Mapping[str, Any]) -> list[tuple[Project, str, dict[str, Any], dict[str, Any]]]:
    return [(project, stage.name, stored.get(name, {}).get("ours", {}).get(stage.name, {}), stored.get(name, {}).get("real", {}).get(stage.name, {}))
            for name, project in projects.items() for stage in project.stages]


def summary(projects: Mapping[str, Project], stored: Mapping[str, Any]) -> str:
    rows = [row for row in _rows(projects, stored) if row[2] or row[3]]
    ends = [(ours.get("end") == "ended", real.get("end") == "ended") for _, _, ours, real in rows]
    both = [(ours["seconds"], real["seconds"]) for _, _, ours, real in rows if ours.get("end") == real.get("end") == "ended"]
    of_real = [ours for ours, real in ends if real]
    whole = [name for name, project in projects.items() if name in stored
             and all(stored[name].get("ours", {}).get(stage.name, {}).get("end") == "ended" for stage in project.stages)]
    lines = [f"{len({row[0].name for row in rows})} projects, {len(rows)} runs: {sum(ours for ours, _ in ends)} end here; "
             f"{len(whole)} projects end here with every stage.",
             f"Real MindSpore ends {len(of_real)}; of these {sum(of_real)} end here" + (f" ({100 * sum(of_real) / len(of_real):.1f} %)." if of_real else ".")]
    if both:
        ours, real = (sum(column) for column in zip(*both))
        lines.append(f"The {len(both)} runs that both end take {ours:.0f} s here and {real:.0f} s there.")
    return "\n".join(lines)


def page(projects: Mapping[str, Project], stored: Mapping[str, Any]) -> str:
    table = ["| project | kind | stage | ours | real | s ours / real | first loss ours / real | last loss ours / real |", "|---|---|---|---|---|---|---|---|"]
    reasons, changes = [], []
    seen: set[str] = set()
    for project, stage, ours, real in _rows(projects, stored):
        if not ours and not real:
            continue
        first = project.name not in seen
        seen.add(project.name)
        label = f"`{project.path}`" if first else ""
        table.append(f"| {label} | {project.kind if first else ''} | {stage} | {_end(ours)} | {_end(real)} | {_seconds(ours)} / {_seconds(real)} "
                     f"| {_loss(ours, 0)} / {_loss(real, 0)} | {_loss(ours, -1)} / {_loss(real, -1)} |")
        reasons += [f"| `{project.path}` | {stage} | {side} | {_cell(came['error'])} |" for side, came in (("ours", ours), ("real", real)) if came.get("error")]
        if first and project.real:
            changes.append(f"| `{project.path}` | {project.real_why} |")
    text = _INTRODUCTION + summary(projects, stored) + "\n\n" + "\n".join(table) + "\n"
    if reasons:
        text += "\n## What did not end, and why\n\n| project | stage | side | reason |\n|---|---|---|---|\n" + "\n".join(reasons) + "\n"
    text += "\n## For real\n\nFor every project: `tests/projects/real/sitecustomize.py` (device targets become CPU, names that 2.10 dropped).\n"
    if changes:
        text += "\n| project | changed for real MindSpore, and why |\n|---|---|\n" + "\n".join(changes) + "\n"
    return text


def _end(came: dict[str, Any]) -> str:
    return str(came.get("end", "–"))


def _seconds(came: dict[str, Any]) -> str:
    return f"{came['seconds']:.0f}" if came.get("end") == "ended" else "–"


def _loss(came: dict[str, Any], which: int) -> str:
    return f"{came['losses'][which]:.4g}" if came.get("losses") else "–"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
