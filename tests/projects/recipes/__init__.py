"""The recipes, one file a kind of project. A new one: a `Project` in the file's ``PROJECTS``, with a maker of ``makers`` or ``makers_text``."""
from __future__ import annotations

from ..recipe import Project
from . import audio, detection, generation, recommend, science, segmentation, text, vision

__all__ = ["PROJECTS"]

PROJECTS: dict[str, Project] = {}
for _module in (vision, detection, segmentation, generation, audio, text, recommend, science):
    for _project in _module.PROJECTS:
        if _project.name in PROJECTS:
            raise ValueError(f"two recipes are named {_project.name!r}")
        PROJECTS[_project.name] = _project
