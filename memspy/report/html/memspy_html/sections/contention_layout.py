# SPDX-License-Identifier: GPL-2.0-or-later
"""The threads that use each byte of a line, and a layout that would separate the threads."""

from __future__ import annotations

from dataclasses import dataclass

from ..tables import Json

# A thread with a smaller share of the accesses to a byte does not count: it initialises, or sums up.
PASSING = 0.01


@dataclass(frozen=True)
class Segment:
    """Bytes of one object and field that the same threads use."""

    first: int
    bytes: int
    object: int
    field: str
    threads: tuple[int, ...]  # that use them
    written: bool

    def to_json(self) -> Json:
        return {"first": self.first, "bytes": self.bytes, "object": self.object, "field": self.field,
                "threads": list(self.threads), "written": self.written}


def segments(line_size: int, extents: list[Json], ranges: list[Json]) -> list[Segment]:
    accesses: list[dict[int, int]] = [{} for _ in range(line_size)]
    stores: list[dict[int, int]] = [{} for _ in range(line_size)]
    for used in ranges:
        for byte in range(used["first"], min(used["first"] + used["bytes"], line_size)):
            for table, value in ((accesses, used.get("loads", 0) + used.get("stores", 0)),
                                 (stores, used.get("stores", 0))):
                table[byte][used["thread"]] = table[byte].get(used["thread"], 0) + value
    place: list[tuple[int, str]] = [(-1, "")] * line_size
    for extent in extents:
        for byte in range(extent["first"], min(extent["first"] + extent["bytes"], line_size)):
            place[byte] = (extent["object"], "")
        for field in extent.get("fields", []):
            for byte in range(max(field["first"], 0), min(field["first"] + field["bytes"], line_size)):
                place[byte] = (extent["object"], field["name"])

    found: list[Segment] = []
    for byte in range(line_size):
        total, written = sum(accesses[byte].values()), sum(stores[byte].values())
        users = tuple(sorted(t for t, n in accesses[byte].items() if n and n >= PASSING * total))
        entry = Segment(byte, 1, *place[byte], users, written > PASSING * total)
        last = found[-1] if found else None
        if last and (last.object, last.field, last.threads, last.written) == \
                (entry.object, entry.field, entry.threads, entry.written):
            found[-1] = Segment(last.first, last.bytes + 1, last.object, last.field, last.threads, last.written)
        else:
            found.append(entry)
    return [segment for segment in found if segment.threads]


def apart(found: list[Segment]) -> list[list[Segment]]:
    """One line for each set of threads. Bytes that are only read do no harm, and have a line of their own."""
    groups: dict[tuple[int, ...], list[Segment]] = {}
    for segment in found:
        groups.setdefault(segment.threads if segment.written else (), []).append(segment)
    lines = []
    for group in groups.values():
        at, line = 0, []
        for segment in group:
            line.append(Segment(at, segment.bytes, segment.object, segment.field, segment.threads, segment.written))
            at += segment.bytes
        lines.append(line)
    return lines


def before_and_after(line_size: int, extents: list[Json], ranges: list[Json]) -> Json | None:
    """None if no layout helps: one set of threads uses all written bytes."""
    before = segments(line_size, extents, ranges)
    after = apart(before)
    if len(after) < 2:
        return None
    return {"before": [s.to_json() for s in before], "after": [[s.to_json() for s in line] for line in after]}
