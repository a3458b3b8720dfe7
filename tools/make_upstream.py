"""Write `mindspore_compat/_api/upstream.csv` and `usage.csv` from counted usage and from a real MindSpore.

    python tools/make_upstream.py --usage ../shared --mindspore-python /opt/oracle/venv/bin/python

`--usage` holds `usage/api_usage.csv`, `usage/api_usage_canonical.csv`, `usage/project_names.csv` and `surface.json`.
Which names exist, of what kind and with which arguments, is asked of the real package; nothing else is taken from it.
States and hand-written notes of rows that are already there are kept; `make coverage` derives the rest.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

API = Path(__file__).parents[1] / "mindspore_compat" / "_api"
OLD_ONLY = "gone"  # kind of a name that scripts use and MindSpore 2.10 no longer (or never) had

ASK_MINDSPORE = r"""
import ast, enum, importlib, inspect, json, sys, types
names, out = json.load(sys.stdin), {}

def resolve(name):
    head, *rest = name.split(".")
    value = importlib.import_module(head)
    path = head
    for part in rest:
        path += "." + part
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(path)
    return value

def default(value):
    if value is inspect.Parameter.empty:
        return ""
    try:
        text = repr(value)
        ast.literal_eval(text)
        # the default group is named after the backend of the device that the asked MindSpore was imported on
        return "=..." if text.endswith("_world_group'") else "=" + text
    except Exception:
        return "=..."

def signature(value, is_member):
    parameters = list(inspect.signature(value).parameters.values())
    if is_member and parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    parts, star = [], False
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            star = True
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        parts.append(prefix + p.name + default(p.default))
    return "(" + ", ".join(parts) + ")"

for name in names:
    try:
        value = resolve(name)
    except Exception:
        continue
    owner = name.rpartition(".")[0]
    try:
        is_member = isinstance(resolve(owner), type) if "." in name else False
    except Exception:
        is_member = False
    kind = ("module" if isinstance(value, types.ModuleType) else "member" if is_member else "class"
            if isinstance(value, type) else "function" if callable(value) else "object")
    text = ""
    is_enum = isinstance(value, type) and issubclass(value, enum.Enum)
    if kind in ("class", "function", "member") and callable(value) and not is_enum:
        try:
            text = signature(value, is_member)
        except Exception:
            pass
    out[name] = [kind, text]
print("ANSWER" + json.dumps(out))
"""


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_csv(path: Path, header: list[str], rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def surface_names(path: Path) -> set[str]:
    names = set()
    for entry in json.loads(path.read_text(encoding="utf-8")):
        short = entry["path"].rpartition(".")[2]
        names.add(entry["path"])
        names.update(f"{module}.{short}" for module in entry["also_importable_from"])
        names.update(f"{entry['path']}.{member}" for member in [*entry["methods"], *entry["properties"]])
    return names


def ask_mindspore(python: str, names: list[str]) -> dict[str, list[str]]:
    answer = subprocess.run([python, "-c", ASK_MINDSPORE], input=json.dumps(names), capture_output=True, text=True)
    if "ANSWER" not in answer.stdout:
        raise SystemExit(f"{python} gave no answer:\n{answer.stderr[-2000:]}")
    return json.loads(answer.stdout.rpartition("ANSWER")[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--usage", type=Path, required=True)
    parser.add_argument("--mindspore-python", required=True)
    options = parser.parse_args()
    usage = options.usage / "usage"

    # zoo projects come first, so that a project number below `NUM_ZOO_PROJECTS` says "zoo"
    projects = sorted(read_csv(usage / "project_names.csv"), key=lambda row: not row["project"].startswith("zoo:"))
    used_by: dict[str, list[int]] = {}
    members = set()
    for number, project in enumerate(projects):
        members.update(project["members"].split())
        for name in sorted({*project["qualified_names"].split(), *project["members"].split()}):
            used_by.setdefault(name, []).append(number)

    listed = {row["qualified_name"] for row in read_csv(usage / "api_usage.csv")}
    listed |= {row["canonical_name"] for row in read_csv(usage / "api_usage_canonical.csv")}
    names = sorted(listed | members | set(used_by) | surface_names(options.usage / "surface.json"))
    facts = ask_mindspore(options.mindspore_python, names)
    table = API / "upstream.csv"
    known = {row["name"]: row for row in read_csv(table)} if table.exists() else {}

    def row(name: str) -> list[object]:
        kind, signature = facts.get(name, ["member" if name in members else OLD_ONLY, ""])
        old = known.get(name, {})
        state, note = old.get("state", "missing"), old.get("note", "")
        return [name, kind, len(used_by.get(name, [])), signature, state, note]

    write_csv(table, ["name", "kind", "projects", "signature", "state", "note"], map(row, names))
    write_csv(API / "usage.csv", ["name", "projects"], ((n, " ".join(map(str, used_by[n]))) for n in sorted(used_by)))
    print(f"{len(names)} names, {len(facts)} of them in this MindSpore, {len(projects)} projects")


if __name__ == "__main__":
    main()
