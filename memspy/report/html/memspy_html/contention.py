# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of contention and sharing."""

from __future__ import annotations

from typing import Any, Callable

from .layout import before_and_after
from .tables import COUNT_COLUMNS, Json, Table, VIEWS, add_counts, counts_of

# So many lines get a picture of a better layout; they are the worst ones.
LAYOUTS = 400


def contended(counts: dict[str, int], view: str) -> int:
    """Events that repeat: misses by lost copies, and invalidations; what memspy's summary ranks by."""
    return counts.get(view + "Misses", 0) + counts.get(view + "Invalidations", 0)


def peak(counts: dict[str, int]) -> int:
    return max(contended(counts, view) for view in VIEWS.values())


class Contention:
    """`object_number` and `stack_number` give the page's numbers for the file's; -1 for none."""

    def __init__(self, data: Json, object_number: Callable[[Any], int], stack_number: Callable[[Any], int]) -> None:
        self.model: Json = data.get("model", {})
        self.quality: Json = data.get("quality", {})
        self.line_size = int(self.model.get("line-size", 64))
        self.total = counts_of(data.get("total", {}))
        self.threads = Table("thread", "instructions", *COUNT_COLUMNS)
        for entry in data.get("thread-counts", []):
            self.threads.add({"thread": entry["thread"], "instructions": entry.get("instructions", 0),
                              **counts_of(entry)})
        self.by_object: dict[int, dict[str, int]] = {}
        self.rows = self._rows(data.get("rows", []), object_number, stack_number)
        self.pairs = self._pairs(data.get("pairs", []), object_number)
        self._lines(data.get("lines", []), object_number)

    def _rows(self, entries: list[Json], object_number: Callable[[Any], int],
              stack_number: Callable[[Any], int]) -> Table:
        """Rows of one object, stack and thread may be several: they are added."""
        sums: dict[tuple[int, int, int], dict[str, int]] = {}
        for entry in entries:
            key = (object_number(entry.get("object")), stack_number(entry.get("stack")), int(entry["thread"]))
            counts = counts_of(entry)
            add_counts(sums.setdefault(key, {}), counts)
            add_counts(self.by_object.setdefault(key[0], {}), counts)
        table = Table("object", "stack", "thread", *COUNT_COLUMNS)
        for (thing, stack, thread), counts in sorted(sums.items(), key=lambda item: -peak(item[1])):
            table.add({"object": thing, "stack": stack, "thread": thread, **counts})
        return table

    @staticmethod
    def _pairs(entries: list[Json], object_number: Callable[[Any], int]) -> Table:
        table = Table("object", "thread", "other", "o", "oFalse", "m", "mFalse")
        for entry in entries:
            views: dict[str, int] = {}
            for view, letter in VIEWS.items():
                counts = entry.get(view, {})
                views[letter] = int(counts.get("events", 0))
                views[letter + "False"] = int(counts.get("false-events", 0))
            table.add({"object": object_number(entry.get("object")), "thread": entry["thread"],
                       "other": entry.get("other", 0), **views})
        return table

    def _lines(self, entries: list[Json], object_number: Callable[[Any], int]) -> None:
        """Extents, fields and ranges of all lines are one table each; a line has those up to its `…End`."""
        counted = [(entry, counts_of(entry)) for entry in entries]
        counted.sort(key=lambda item: -peak(item[1]))
        self.lines = Table("address", "extentsEnd", "rangesEnd", *COUNT_COLUMNS)
        self.extents = Table("object", "first", "bytes", "offset", "start", "fieldsEnd")
        self.fields = Table("first", "bytes", "name", "type")
        self.ranges = Table("thread", "first", "bytes", "loads", "stores")
        self.layouts: dict[int, Json] = {}
        for entry, counts in counted:
            extents: list[Json] = [{**extent, "object": object_number(extent.get("object"))}
                                   for extent in entry.get("extents", [])]
            ranges = entry.get("ranges", [])
            for extent in extents:
                fields: list[Json] = extent.get("fields", [])
                for field in fields:
                    self.fields.add({"type": "", **field})
                self.extents.add({**extent, "fieldsEnd": len(self.fields)})
            for part in ranges:
                self.ranges.add(part)
            line = self.lines.add({"address": entry["address"], "extentsEnd": len(self.extents),
                                   "rangesEnd": len(self.ranges), **counts})
            if line < LAYOUTS and any(counts.get(v + "FalseMisses") or counts.get(v + "FalseInvalidations")
                                      for v in VIEWS.values()):
                layout = before_and_after(self.line_size, extents, ranges)
                if layout is not None:
                    self.layouts[line] = layout

    def to_json(self) -> Json:
        return {
            "model": self.model,
            "quality": self.quality,
            "lineSize": self.line_size,
            "total": self.total,
            "threads": self.threads.to_json(),
            "rows": self.rows.to_json(),
            "pairs": self.pairs.to_json(),
            "lines": self.lines.to_json(),
            "extents": self.extents.to_json(),
            "fields": self.fields.to_json(),
            "ranges": self.ranges.to_json(),
            "layouts": self.layouts,
        }
