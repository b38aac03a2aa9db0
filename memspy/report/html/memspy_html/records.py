# SPDX-License-Identifier: GPL-2.0-or-later
"""A section that is shown only as tables, made from the kinds of fields in the JSON."""

from __future__ import annotations

from typing import AbstractSet, Any

from .code import NONE
from .reader import Reader
from .section import Names, Section
from .tables import Json, Table

# Kinds of fields that are columns of numbers.
NUMBERS = frozenset(("count", "number", "flag", "thread", "stack", "object", "source"))
# A record with a line of code has one field more: the number of the file in the page, -1 where none is known.
PLACE, SOURCE = frozenset(("dir", "file", "line")), "source"


def held(entry: Json, path: list[str]) -> Any:
    """The value of a field of a record or of its part; None if it is left out. A part with one field may stand as its value."""
    found: Any = entry
    for name in path:
        if not isinstance(found, dict):
            return found
        found = found.get(name)
    return found


class Records(Section):
    """`fields`: for each list the kinds of its fields by name, as in docs/report-json.md."""

    def __init__(self, names: Names, fields: dict[str, dict[str, str | list[Any]]]) -> None:
        super().__init__(names)
        self._fields = {name: {field: kind if isinstance(kind, str) else str(kind[0]) for field, kind in kinds.items()}
                        for name, kinds in fields.items()}
        self._paths = {name: {field: (field.split("."), None if isinstance(kind, str) else kind[1]) for field, kind in kinds.items()}
                       for name, kinds in fields.items()}
        for name, kinds in self._fields.items():
            if PLACE <= kinds.keys():
                kinds[SOURCE] = SOURCE
        self._tables = {name: Table(*(field for field, kind in kinds.items() if kind in NUMBERS),
                                    values=[field for field, kind in kinds.items() if kind not in NUMBERS])
                        for name, kinds in self._fields.items() if kinds}
        self._values: Json = {}  # values outside lists

    def read(self, reader: Reader) -> bool:
        found = False
        for name in reader.members():
            found = True
            if name in self._tables:
                for entry in reader.elements():
                    self.add(name, entry)
            else:
                self._values[name] = reader.value()
        return found

    def add(self, name: str, entry: Json) -> None:
        kinds = self._fields[name]
        row = {field: self._value(kinds[field], held(entry, path), absent) for field, (path, absent) in self._paths[name].items()}
        if SOURCE in kinds:
            row[SOURCE] = self._file(row)
        self._tables[name].add(row)

    def _file(self, row: Json) -> int:
        if not row["file"]:
            return NONE
        file = self.names.code.file(row["dir"], row["file"])
        self.names.code.name_line(file, row["line"])
        return file

    def _value(self, kind: str, value: Any, absent: Any) -> Any:
        if kind == "object":
            return self.names.object(value)
        if kind == "stack":
            return self.names.stack(value)
        if kind == "module":
            return self.names.code.modules.get(value, "")
        if kind in NUMBERS:
            return int((absent or 0) if value is None else value)
        nothing = {"real": 0, "pairs": [], "numbers": []}.get(kind, "")
        return (absent or nothing) if value is None else value

    def to_json(self, told: AbstractSet[str]) -> Json:
        return {"fields": self._fields, "tables": self._tables, "values": self._values}
