"""The cache server of MindSpore. MindSpore: ``mindspore.dataset.DatasetCache``."""

from __future__ import annotations

from mindspore_compat._api.errors import warn_once

__all__ = ["DatasetCache"]


class DatasetCache:
    """Placeholder for ``cache=``, without effect: there is no cache server, data is read anew."""

    def __init__(
        self,
        session_id: int,
        size: int = 0,
        spilling: bool = False,
        hostname: str | None = None,
        port: int | None = None,
        num_connections: int | None = None,
        prefetch_size: int | None = None,
    ) -> None:
        self.session_id = session_id
        self.size = size
        self.spilling = spilling
        self.hostname = hostname
        self.port = port
        self.num_connections = num_connections
        self.prefetch_size = prefetch_size
        warn_once(
            "dataset.DatasetCache", "DatasetCache has no effect in mindspore_compat: data is read anew in every epoch."
        )
