# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of redundant zeros."""

from __future__ import annotations

from typing import AbstractSet

from ..reader import Reader
from ..section import Names, Section
from ..tables import Json, Table

FIGURES = ("loads", "elements", "cells", "redundant", "zero", "unknown-loads")


def figures_of(entry: Json) -> Json:
    return {kind: {name: int(entry.get(kind, {}).get(name, 0)) for name in FIGURES} for kind in ("integer", "float")}


def cells_of(row: Json) -> int:
    """The number of cells of an element, as in the redmap: an integer's cells are its bytes."""
    return len(row.get("redmap", [])) or int(row["bytes"])


def advice_of(entry: Json) -> list[Json]:
    return [{"kind": str(a.get("kind", "")), "type": str(a.get("type", "")), "text": str(a.get("text", ""))}
            for a in entry.get("advice", [])]


class Zeros(Section):
    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self._mode, self._context = "", 0
        self._total = figures_of({})
        self._threads: list[Json] = []
        self._rows = Table("stack", "known", "arithmetic", "bytes", "lanes", "loads", "elements", "cells", "redundant", "zero",
                           "threads", values=["type", "redmap", "advice"])
        self._objects = Table("object", "blocks", "size", "accessed", "cells", "redundant", "loaded", "loadedRedundant", "cell",
                              values=["change", "zeroBlocks", "zeroRows", "zeroColumns", "map", "advice"])

    def read(self, reader: Reader) -> bool:
        found = False
        for name in reader.members():
            found = True
            if name == "rows":
                for entry in reader.elements():
                    self._add_row(entry)
            elif name == "objects":
                for entry in reader.elements():
                    self._add_object(entry)
            elif name == "thread-counts":
                for entry in reader.elements():
                    self._threads.append({"thread": int(entry["thread"]), **figures_of(entry)})
            elif name == "total":
                self._total = figures_of(reader.value())
            elif name == "mode":
                self._mode = str(reader.value())
            elif name == "context":
                self._context = reader.value()
            else:
                reader.value()
        return found

    def _add_row(self, row: Json) -> None:
        cells = cells_of(row) * int(row["elements"])
        self._rows.add({**row, "stack": self.names.stack(row.get("stack")), "known": int(row.get("known", True)),
                        "arithmetic": int(row.get("arithmetic", False)), "cells": cells, "redmap": row.get("redmap", []),
                        "advice": advice_of(row)})

    def _add_object(self, entry: Json) -> None:
        heat = entry.get("map") or {}
        self._objects.add({
            **entry, "object": self.names.object(entry.get("object")), "blocks": entry.get("blocks", 1),
            "cells": entry.get("cells", entry["accessed"]),
            "loaded": entry.get("loaded", 0), "loadedRedundant": entry.get("loaded-redundant", 0), "change": entry.get("change"),
            "zeroBlocks": [[b["bytes"], b.get("accessed", 0), b.get("zero", 0)] for b in entry.get("zero-blocks", [])],
            "zeroRows": entry.get("zero-rows"), "zeroColumns": entry.get("zero-columns"),
            "cell": heat.get("cell", 0), "map": heat.get("counts", []), "advice": advice_of(entry)})

    def to_json(self, told: AbstractSet[str]) -> Json:
        """The most redundant row first: the page begins with it."""
        for table in (self._rows, self._objects):
            table.sort(table.columns["redundant"].__getitem__)
        return {"mode": self._mode, "context": self._context, "total": self._total, "threads": self._threads,
                "rows": self._rows, "objects": self._objects}


SECTION = Zeros
