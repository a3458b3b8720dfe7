"""The recipes, one file a kind of project. A new one: a `Project` in the file's ``PROJECTS``, with a maker of ``makers``."""
from __future__ import annotations

from ..recipe import Project
from . import generation, vision

__all__ = ["PROJECTS"]

PROJECTS: dict[str, Project] = {}
for _module in (vision, generation):
    for _project in _module.PROJECTS:
        if _project.name in PROJECTS:
            raise ValueError(f"two recipes are named {_project.name!r}")
        PROJECTS[_project.name] = _project
