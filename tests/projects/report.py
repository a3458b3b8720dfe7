"""docs/projects.md from the store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .recipe import Project

__all__ = ["MOVED", "PAGE", "page", "summary"]

MOVED = 1e-7
"""By what part of themselves weights are moved, to see how much of a difference is rounding."""

PAGE = Path(__file__).parents[2] / "docs" / "projects.md"
_INTRODUCTION = """# Projects

Use this page to see whether a project of your kind runs here, and how its losses compare. Each project of the public model zoo (`official/`,
`research/`) runs its own scripts unchanged, on tiny synthetic data, here and under MindSpore 2.10 on a CPU:

    python -m tests.projects --models CHECKOUT --oracle PYTHON          # a name or a kind for some; --jobs N
    python -m tests.projects --write

- A stage has ended if its script left with 0 and made its output: a checkpoint, a MINDIR, the words of an evaluation.
- Seconds are of one core shared with others, with imports and MindSpore's compiling.
- Both sides begin with `set_seed(0)` and one worker in each part of a pipeline (`tests/projects/start/alike.py`). Projects that seed themselves do so.
- Packages beside torch: pyyaml, opencv, scipy, scikit-learn, scikit-image, pandas < 3, numpy < 2, matplotlib, easydict, pycocotools, shapely, tqdm,
  h5py, addict, six, psutil, soundfile, python_speech_features, Levenshtein, pyDOE < 1, gensim, plyfile.

"""


def _rows(
    projects: Mapping[str, Project], stored: Mapping[str, Any]
) -> list[tuple[Project, str, dict[str, Any], dict[str, Any]]]:
    return [
        (
            project,
            stage.name,
            stored.get(name, {}).get("ours", {}).get(stage.name, {}),
            stored.get(name, {}).get("real", {}).get(stage.name, {}),
        )
        for name, project in projects.items()
        for stage in project.stages
    ]


def summary(projects: Mapping[str, Project], stored: Mapping[str, Any]) -> str:
    rows = [row for row in _rows(projects, stored) if row[2] or row[3]]
    ends = [(ours.get("end") == "ended", real.get("end") == "ended") for _, _, ours, real in rows]
    both = [
        (ours["seconds"], real["seconds"]) for _, _, ours, real in rows if ours.get("end") == real.get("end") == "ended"
    ]
    of_real = [ours for ours, real in ends if real]
    broken = {
        project.path
        for name, project in projects.items()
        if not all(
            stored.get(name, {}).get("ours", {}).get(stage.name, {}).get("end") == "ended" for stage in project.stages
        )
    }
    paths = {row[0].path for row in rows}
    lines = [
        f"{len(paths)} projects, {len(rows)} runs: {sum(ours for ours, _ in ends)} end here; {len(paths - broken)} "
        "projects end here with every stage.",
        f"Real MindSpore ends {len(of_real)}; of these {sum(of_real)} end here"
        + (f" ({100 * sum(of_real) / len(of_real):.1f} %)." if of_real else "."),
    ]
    if both:
        ours, real = (sum(column) for column in zip(*both))
        lines.append(f"The {len(both)} runs that both end take {ours:.0f} s here and {real:.0f} s there.")
    return "\n".join(lines)


def page(projects: Mapping[str, Project], stored: Mapping[str, Any]) -> str:
    table = [
        "| project | kind | stages | end here | end under MindSpore | s here / MindSpore | losses here | losses MindSpore |",
        "|---|---|---|---|---|---|---|---|",
    ]
    reasons, changes = [], []
    runs: dict[str, list[tuple[Project, str, dict[str, Any], dict[str, Any]]]] = {}
    for row in _rows(projects, stored):
        if row[2] or row[3]:
            runs.setdefault(row[0].name, []).append(row)
    for rows in runs.values():
        project = rows[0][0]
        table.append(_row_of_project(rows))
        reasons += [
            f"| `{project.path}` | {stage} | {side} | {_cell(came['error'])} |"
            for _, stage, ours, real in rows
            for side, came in (("ours", ours), ("real", real))
            if came.get("error")
        ]
        if project.real:
            changes.append(f"| `{project.path}` | {project.real_why} |")
    text = (
        _INTRODUCTION
        + summary(projects, stored)
        + "\n\n"
        + "\n".join(table)
        + "\n\n"
        + _from_the_same_seed(projects, stored)
    )
    if reasons:
        text += (
            "\n## What did not end, and why\n\n| project | stage | side | reason |\n|---|---|---|---|\n"
            + "\n".join(reasons)
            + "\n"
        )
    text += (
        "\n## Changes for MindSpore 2.10\n\nFor every project: `tests/projects/start/real/sitecustomize.py` (device targets "
        "become CPU, names that 2.10 dropped).\n"
    )
    if changes:
        text += "\n| project | change, and why |\n|---|---|\n" + "\n".join(changes) + "\n"
    return text


def same_seed(
    projects: Mapping[str, Project], stored: Mapping[str, Any]
) -> list[tuple[Project, list[float], list[float], list[float]]]:
    """(project, first losses of ours, of real, of ours from moved weights) of the trainings of which both sides print
    losses.
    """
    found = []
    for name, project in projects.items():
        sides = [stored.get(name, {}).get(side, {}) for side in ("ours", "real", "moved")]
        for stage in sides[0]:
            ours, real, moved = (side.get(stage, {}).get("begins") or [] for side in sides)
            if ours and real and stage.startswith("train"):
                count = min(len(ours), len(real))
                found.append((project, ours[:count], real[:count], moved[:count]))
    return found


def difference(ours: float, real: float) -> float:
    return abs(ours - real) / max(abs(real), 1e-12)


def _from_the_same_seed(projects: Mapping[str, Project], stored: Mapping[str, Any]) -> str:
    rows = same_seed(projects, stored)
    first = [difference(ours[0], real[0]) for _, ours, real, _ in rows]
    worst = [max(map(difference, ours, real)) for _, ours, real, _ in rows]
    text = [
        "## Losses from the same seed",
        "",
        f"{len(rows)} trainings, the first losses that each prints (at most six). The very first agrees within 0.1 % in "
        f"{sum(one <= 1e-3 for one in first)}, all of them in {sum(one <= 1e-3 for one in worst)}. What rounding alone",
        f"can do is in the column before the last: ours again, all weights moved by {MOVED:g} of themselves at the start",
        "(`--moved`), beside ours.",
        "",
        "| project | first ours | first real | difference | losses | largest difference | ours, moved | drawn otherwise |",
        "|---|---|---|---|---|---|---|---|",
    ]
    text += [
        f"| `{project.path}` | {ours[0]:.6g} | {real[0]:.6g} | {100 * start:.2g} % | {len(ours)} | {100 * most:.2g} % | "
        f"{f'{100 * max(map(difference, moved, ours)):.2g} %' if moved else '–'} | {project.chance} |"
        for (project, ours, real, moved), start, most in zip(rows, first, worst)
    ]
    return "\n".join(text) + "\n"


def _row_of_project(rows: list[tuple[Project, str, dict[str, Any], dict[str, Any]]]) -> str:
    project = rows[0][0]
    sides = [[row[2] for row in rows], [row[3] for row in rows]]
    ends = " | ".join(_ends(came) for came in sides)
    both = [pair for pair in zip(*sides) if all(came.get("end") == "ended" for came in pair)]
    seconds = " / ".join(f"{sum(came['seconds'] for came in side):.0f}" for side in zip(*both)) or "–"
    losses = " | ".join(next((text for came in side if (text := _losses(came)) != "–"), "–") for side in sides)
    return (
        f"| `{project.path}` | {project.kind} | {', '.join(row[1] for row in rows)} | {ends} | {seconds} | {losses} |"
    )


def _ends(stages: list[dict[str, Any]]) -> str:
    count = sum(came.get("end") == "ended" for came in stages)
    return "all" if count == len(stages) else f"{count} of {len(stages)}"


def _losses(came: dict[str, Any]) -> str:
    return " → ".join(f"{value:.4g}" for value in dict.fromkeys(came["losses"])) if came.get("losses") else "–"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
