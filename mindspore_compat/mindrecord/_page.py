"""Rows of MindRecord files by the values of an indexed field. MindSpore: ``mindspore.mindrecord.MindPage``."""

from __future__ import annotations

import json
from typing import Any

from mindspore_compat.mindrecord._file import Shard, read_header, shard_paths
from mindspore_compat.mindrecord.common.exceptions import MRMDefineCategoryError


class MindPage:
    """The rows of each value ("category") of one indexed field, page by page.

    Args:
        file_name: one name stands for all shards written with it; a list for just those files.
        num_consumer: without effect (MindSpore's reader threads).
    """

    def __init__(self, file_name: str | list[str], num_consumer: int = 4) -> None:
        self._shards = [Shard(path) for path in shard_paths(file_name)]
        header = read_header(self._shards[0].path)
        self._candidate_fields = [item["index_field"] for item in header.get("index_fields") or []]
        self._category_field: str | None = None
        self._categories: list[tuple[Any, list[tuple[int, int]]]] = []

    @property
    def candidate_fields(self) -> list[str]:
        """The fields possible as `category_field`."""
        return list(self._candidate_fields)

    @property
    def category_field(self) -> str | None:
        """The field with the categories as values."""
        return self._category_field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if category_field not in self._candidate_fields:
            raise MRMDefineCategoryError(f"Field '{category_field}' is not a candidate category field.")
        places: dict[Any, list[tuple[int, int]]] = {}
        for shard_number, shard in enumerate(self._shards):
            for number in range(len(shard)):
                places.setdefault(shard.row(number, [category_field])[category_field], []).append(
                    (shard_number, number)
                )
        self._category_field = category_field
        self._categories = sorted(places.items())

    def read_category_info(self) -> str:
        """Return the categories' numbers, names and counts as JSON. Raises: RuntimeError without a category field."""
        self._check()
        names = [
            {"count": len(places), "id": i, "name": str(value)} for i, (value, places) in enumerate(self._categories)
        ]
        return json.dumps(
            {"categories": names, "key": f"{self._category_field}_0"}, ensure_ascii=False, separators=(",", ":")
        )

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Return the rows of one page of a category; pages of `num_row` rows count from 0.

        Raises: RuntimeError if there is no such category or page.
        """
        self._check()
        if not 0 <= category_id < len(self._categories):
            raise RuntimeError(f"category_id: {category_id} must be in the range [0, {len(self._categories)}).")
        return self._page(self._categories[category_id][1], page, num_row)

    def read_at_page_by_name(self, category_name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        """Return the rows as `read_at_page_by_id` does, for the category of this name."""
        self._check()
        for value, places in self._categories:
            if str(value) == category_name:
                return self._page(places, page, num_row)
        raise RuntimeError(f"Invalid data, category_name: {category_name} could not found.")

    def _check(self) -> None:
        if self._category_field is None:
            raise RuntimeError("There is no category field: set category_field to one of candidate_fields.")

    def _page(self, places: list[tuple[int, int]], page: int, num_row: int) -> list[dict[str, Any]]:
        chosen = places[page * num_row : (page + 1) * num_row]
        if page < 0 or num_row < 1 or not chosen:
            raise RuntimeError(f"page no: {page} or page size: {num_row} is invalid for {len(places)} rows.")
        rows = []
        for shard_number, number in chosen:
            shard = self._shards[shard_number]
            row = shard.row(number, sorted(shard.schema))
            rows.append(
                {
                    name: value.tobytes() if shard.schema[name]["type"] == "bytes" else value
                    for name, value in row.items()
                }
            )
        return rows
