# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of contention and sharing."""

from __future__ import annotations

from array import array
from typing import AbstractSet

from ..code import NONE
from ..reader import Reader
from ..section import Names, Section
from ..tables import Json, Numbers, Table
from .contention_layout import before_and_after

# The number of lines that get a picture of a better layout, the worst ones.
LAYOUTS = 400
# The errors that groups describe, too.
KINDS = frozenset(("FalseSharing", "TrueSharing", "Contention"))
VIEWS = {"observed": "o", "modelled": "m"}
# Events with their short names in the page, which follow the view's letter.
COUNTS = {
    "cold": "Cold",
    "first-touches": "First",
    "coherence-misses": "Misses",
    "invalidations": "Invalidations",
    "true-misses": "TrueMisses",
    "false-misses": "FalseMisses",
    "true-invalidations": "TrueInvalidations",
    "false-invalidations": "FalseInvalidations",
}
COUNT_COLUMNS = ["loads", "stores", *(v + c for v in VIEWS.values() for c in COUNTS.values())]


def counts_of(entry: Json) -> dict[str, int]:
    """The nonzero counts of a row, line, thread…, by COUNT_COLUMNS."""
    found = {name: int(entry[name]) for name in ("loads", "stores") if name in entry}
    for view, letter in VIEWS.items():
        for name, value in entry.get(view, {}).items():
            if name in COUNTS:
                found[letter + COUNTS[name]] = int(value)
    return found


def peak(table: Table, row: int) -> int:
    """Events that repeat: misses by lost copies, and invalidations. memspy's summary ranks by these."""
    columns = table.columns
    return max(columns[v + "Misses"][row] + columns[v + "Invalidations"][row] for v in VIEWS.values())


class Contention(Section):
    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self._model: Json = {}
        self._quality: Json = {}
        self._total: dict[str, int] = {}
        self._time: Json = {}
        self._groups: list[Json] = []
        self._waits = Table("object", "offset", "stack", "waited", "times", "longest", values=["kind", "name"])
        self._wait_pairs = Table("wait", "thread", "whom", "waited", "times", "longest")
        self._wait_spans = Table("wait", "thread", "whom", "from", "until", "waited", "times")
        self._threads = Table("thread", "instructions", "begin", "end", *COUNT_COLUMNS)
        self._pairs = Table("object", "thread", "other", "o", "oFalse", "m", "mFalse")
        self._rows = Table("object", "stack", "thread", *COUNT_COLUMNS)
        self._row_of: dict[tuple[int, int, int], int] = {}
        # The sums of each object. The last row, with number -1, is for events without an object.
        self._objects = Table(*COUNT_COLUMNS, "lines", "threads")
        self._objects.extend([{}] * (names.objects + 1))
        self._users: set[tuple[int, int]] = set()
        # Extents, fields and ranges of all lines are in one table each; a line has those up to its `…End`.
        self._lines = Table("extentsEnd", "rangesEnd", *COUNT_COLUMNS, values=["address"])
        self._lines_left_out = False
        self._extents = Table("object", "first", "bytes", "offset", "fieldsEnd", values=["start"])
        self._fields = Table("first", "bytes", values=["name", "type"])
        self._ranges = Table("thread", "first", "bytes", "loads", "stores")

    def read(self, reader: Reader) -> bool:
        found = False
        lists = {"thread-counts": self._add_thread, "rows": self._add_row, "pairs": self._add_pair, "lines": self._add_line,
                 "lines-left-out": self._add_left_out,
                 "waits": self._add_wait, "groups": self._add_group}
        for name in reader.members():
            found = True
            if name in lists:
                for entry in reader.elements():
                    lists[name](entry)
            elif name == "model":
                self._model = reader.value()
            elif name == "virtual-time":
                self._time = reader.value()
            elif name == "quality":
                self._quality = reader.value()
            elif name == "total":
                self._total = counts_of(reader.value())
            else:
                reader.value()
        if self._groups:
            self.told = KINDS
        self._row_of.clear()
        self._users.clear()
        return found

    def _add_thread(self, entry: Json) -> None:
        self._threads.add({"thread": entry["thread"], "instructions": entry.get("instructions", 0),
                           "begin": entry.get("begin", 0), "end": entry.get("end", 0), **counts_of(entry)})

    def _add_row(self, entry: Json) -> None:
        """Several rows of one object, stack and thread are added up."""
        thing, stack = self.names.object(entry.get("object")), self.names.stack(entry.get("stack"))
        thread = int(entry["thread"])
        counts = counts_of(entry)
        row = self._row_of.setdefault((thing, stack, thread), len(self._rows))
        if row == len(self._rows):
            self._rows.add({"object": thing, "stack": stack, "thread": thread, **counts})
        else:
            self._rows.add_to(row, counts)
        self._objects.add_to(thing, counts)
        if (thing, thread) not in self._users:
            self._users.add((thing, thread))
            self._objects.add_to(thing, {"threads": 1})

    def _add_pair(self, entry: Json) -> None:
        views: dict[str, int] = {}
        for view, letter in VIEWS.items():
            counts = entry.get(view, {})
            views[letter] = int(counts.get("events", 0))
            views[letter + "False"] = int(counts.get("false-events", 0))
        self._pairs.add({"object": self.names.object(entry.get("object")), "thread": entry["thread"],
                         "other": entry.get("other", 0), **views})

    def _add_line(self, entry: Json) -> None:
        things = set()
        for extent in entry.get("extents", []):
            self._fields.extend([{"type": "", **field} for field in extent.get("fields", [])])
            thing = self.names.object(extent.get("object"))
            things.add(thing)
            self._extents.add({**extent, "object": thing, "fieldsEnd": len(self._fields)})
        self._ranges.extend(entry.get("ranges", []))
        line = self._lines.add({"address": entry["address"], "extentsEnd": len(self._extents), "rangesEnd": len(self._ranges),
                                **counts_of(entry)})
        if peak(self._lines, line):
            for thing in things:
                self._objects.add_to(thing, {"lines": 1})

    def _add_left_out(self, entry: Json) -> None:
        self._lines_left_out = True
        self._objects.add_to(self.names.object(entry.get("object")), {"lines": entry["lines"]})

    def _add_wait(self, entry: Json) -> None:
        wait = self._waits.add({**entry, "object": self.names.object(entry.get("object")),
                                "stack": self.names.stack(entry.get("stack")), "offset": entry.get("offset", 0),
                                "name": entry.get("name", "")})
        self._wait_pairs.extend([{**pair, "wait": wait} for pair in entry.get("pairs", [])])
        self._wait_spans.extend([{"whom": 0, "from": 0, **span, "wait": wait} for span in entry.get("spans", [])])

    def _add_group(self, group: Json) -> None:
        """Objects that hinder each other, in memspy's order: findings come first."""
        objects = [self.names.object(identity) for identity in group.get("objects", [])]
        self._groups.append({
            "kind": str(group.get("kind", "")),
            "finding": bool(group.get("finding")),
            "removable": int(group.get("removable", 0)),
            "endWithout": int(group.get("end-without", 0)),
            "varies": int(group.get("varies", 0)),
            "title": str(group.get("title", "")),
            "what": str(group.get("what", "")),
            "figures": str(group.get("figures", "")),
            "advice": str(group.get("advice", "")),
            "remedies": [{"kind": str(each.get("kind", "")), "layout": "means" in each, "removes": int(each.get("removes", 0)),
                          "events": int(each.get("events", 0)), "gain": float(each.get("gain", 0))} for each in group.get("remedies", [])],
            "objects": [number for number in objects if number != NONE],
            "sides": [{"stack": self.names.stack(side.get("stack")), "thread": int(side.get("thread", 0)),
                       "loads": bool(side.get("loads")), "stores": bool(side.get("stores"))}
                      for side in group.get("sides", [])],
        })

    def _layout(self, line: int) -> Json | None:
        if not any(self._lines.columns[f"{v}False{what}"][line] for v in VIEWS.values() for what in ("Misses", "Invalidations")):
            return None
        extents = [{**self._extents.row(e), "fields": [self._fields.row(f) for f in part(self._extents, "fieldsEnd", e)]}
                   for e in part(self._lines, "extentsEnd", line)]
        ranges = [self._ranges.row(r) for r in part(self._lines, "rangesEnd", line)]
        return before_and_after(self.line_size, extents, ranges)

    @property
    def line_size(self) -> int:
        return int(self._model.get("line-size", 64))

    def to_json(self, told: AbstractSet[str]) -> Json:
        """The worst first."""
        self._rows.sort(lambda row: peak(self._rows, row))
        self._lines.sort(lambda line: peak(self._lines, line))
        assert self._lines.order is not None
        layouts = {place: self._layout(line) for place, line in enumerate(self._lines.order[:LAYOUTS])}
        follow(self._lines, "rangesEnd", self._ranges)
        follow(self._lines, "extentsEnd", self._extents)
        follow(self._extents, "fieldsEnd", self._fields)
        return {
            "model": self._model,
            "quality": self._quality,
            "lineSize": self.line_size,
            "total": self._total,
            "time": self._time,
            "waits": self._waits,
            "waitPairs": self._wait_pairs,
            "waitSpans": self._wait_spans,
            "threads": self._threads,
            "objects": self._objects,
            "rows": self._rows,
            "pairs": self._pairs,
            "lines": self._lines,
            "linesLeftOut": self._lines_left_out,
            "extents": self._extents,
            "fields": self._fields,
            "ranges": self._ranges,
            "layouts": {place: layout for place, layout in layouts.items() if layout},
            "groups": self._groups,
        }


def part(table: Table, end: str, row: int) -> range:
    """The rows that belong to a row, as long as both tables are in the order of the file."""
    ends = table.columns[end]
    return range(ends[row - 1] if row else 0, ends[row])


def follow(table: Table, end: str, parts: Table) -> None:
    """Puts the parts of a table's rows into the order of those rows."""
    assert table.order is not None
    order, ends, total = array("q"), array("q", bytes(8 * len(table))), 0
    for row in table.order:
        mine = part(table, end, row)
        order.extend(mine)
        total += len(mine)
        ends[row] = total
    parts.order = order
    table.columns[end] = Numbers(ends)


SECTION = Contention
