"""The recipes, one file a kind of project. A new one: a `Project` in a file's ``PROJECTS``; a new file is found by
itself.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..recipe import Project

__all__ = ["PROJECTS"]

PROJECTS: dict[str, Project] = {}
for _module in sorted(module.name for module in iter_modules(__path__)):
    for _project in import_module(f"{__name__}.{_module}").PROJECTS:
        if _project.name in PROJECTS:
            raise ValueError(f"two recipes are named {_project.name!r}")
        PROJECTS[_project.name] = _project
