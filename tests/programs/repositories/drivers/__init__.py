"""Drivers of the runs, a file for each field."""

import importlib
import pkgutil


def load() -> None:
    """Register all runs."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"drivers.{module.name}")
