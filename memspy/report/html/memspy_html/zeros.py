# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of redundant zeros."""

from __future__ import annotations

from typing import Any, Callable

from .tables import Json, Table

FIGURES = ("loads", "elements", "cells", "redundant", "zero", "unknown-loads")


def figures_of(entry: Json) -> Json:
    return {kind: {name: int(entry.get(kind, {}).get(name, 0)) for name in FIGURES} for kind in ("integer", "float")}


def cells_of(row: Json) -> int:
    """Cells of an element, as many as the redmap has: an integer's are its bytes."""
    return len(row.get("redmap", [])) or int(row["bytes"])


def most_redundant(entry: Json) -> int:
    """To sort by: the page opens with the first."""
    return -int(entry.get("redundant", 0))


def advice_of(entry: Json) -> list[Json]:
    return [{"kind": str(a.get("kind", "")), "type": str(a.get("type", "")), "text": str(a.get("text", ""))}
            for a in entry.get("advice", [])]


def _rows(entries: list[Json], stack_number: Callable[[Any], int]) -> Table:
    table = Table("stack", "type", "known", "arithmetic", "bytes", "lanes", "loads", "elements", "cells", "redundant", "zero",
                  "threads", "redmap", "advice")
    for row in sorted(entries, key=most_redundant):
        cells = cells_of(row) * int(row["elements"])
        table.add({**row, "stack": stack_number(row.get("stack")), "known": int(row.get("known", True)),
                   "arithmetic": int(row.get("arithmetic", False)), "cells": cells, "redmap": row.get("redmap", []),
                   "advice": advice_of(row)})
    return table


def _objects(entries: list[Json], object_number: Callable[[Any], int]) -> Table:
    table = Table("object", "blocks", "size", "accessed", "redundant", "zeroBlocks", "zeroRows", "zeroColumns", "cell", "map", "advice")
    for entry in sorted(entries, key=most_redundant):
        heat = entry.get("map") or {}
        table.add({**entry, "object": object_number(entry.get("object")), "blocks": entry.get("blocks", 1),
                   "zeroBlocks": [[b["bytes"], b.get("accessed", 0), b.get("zero", 0)] for b in entry.get("zero-blocks", [])],
                   "zeroRows": entry.get("zero-rows"), "zeroColumns": entry.get("zero-columns"),
                   "cell": heat.get("cell", 0), "map": heat.get("counts", []), "advice": advice_of(entry)})
    return table


def zeros_of(data: Json, object_number: Callable[[Any], int], stack_number: Callable[[Any], int]) -> Json:
    return {
        "mode": str(data.get("mode", "")),
        "context": data.get("context", 0),
        "total": figures_of(data.get("total", {})),
        "threads": [{"thread": int(entry["thread"]), **figures_of(entry)} for entry in data.get("thread-counts", [])],
        "rows": _rows(data.get("rows", []), stack_number).to_json(),
        "objects": _objects(data.get("objects", []), object_number).to_json(),
    }
