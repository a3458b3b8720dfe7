"""The names of backend and package. Upstream: ``mindspore.default_config``, which translated scripts import."""

from __future__ import annotations

__all__: list[str] = []

__backend__ = "ms"
__package_name__ = "mindspore"
