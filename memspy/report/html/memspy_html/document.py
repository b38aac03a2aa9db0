# SPDX-License-Identifier: GPL-2.0-or-later
"""From memspy-report's JSON to the page's data: tables by column, with things numbered from 0."""

from __future__ import annotations

from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Iterator

from .code import Code, NONE
from .disassembly import of_lines
from .reader import Reader
from .records import Records
from .section import Names, Section
from .sections import own_class
from .sources import Sources
from .tables import Json, Table, Values

FORMAT = 2
MOST_HOT = 40  # rows of a table whose machine code is shown


def object_name(entry: Json) -> str:
    """In the words of memspy's own reports."""
    variable = None if entry.get("kind") == "frames" else entry.get("variable")
    return str(variable or entry.get("label") or entry.get("name") or "unknown memory")


def runs_of(runs: list[Json], whole: Json) -> list[Json]:
    """`whole` has the file's members that apply to all its runs."""
    keys = ("pid", "ppid", "start", "end", "arch", "exe", "arguments", "options", "finished")
    return [{key: {**whole, **run}.get(key) for key in keys} for run in runs]


def title_of(runs: list[Json]) -> str:
    names = {PurePosixPath(str(run.get("exe") or "")).name for run in runs} - {""}
    return ", ".join(sorted(names)) or "memspy"


def first_stacks(section: Json) -> Iterator[int]:
    """Of the first rows of its tables, which are those with most."""
    for table in section.values():
        if isinstance(table, Table) and "stack" in table.columns:
            rows = range(len(table)) if table.order is None else table.order
            yield from (table.columns["stack"][row] for row in islice(rows, MOST_HOT))


class Document:
    """Everything except stacks, objects and the sections' records is small, and kept as it was read."""

    # Records come after those that they refer to, sections last.
    PARTS = ("format", "runs", "modules", "stacks", "objects", "threads")

    def __init__(self) -> None:
        self._code = Code()
        self._header: Json = {}
        self._kept: dict[str, list[Json]] = {"runs": [], "modules": [], "threads": []}
        self._stacks: dict[Any, int] = {}  # numbers in the file -> numbers in the page
        self._object_numbers: dict[Any, int] = {}
        self._objects = Values()
        self._sections: dict[str, Section] = {}  # of the profile, in the order of the file
        self._others: dict[str, Section] = {}  # beside it
        self._rest: Json = {}

    def read(self, reader: Reader) -> None:
        for name in reader.members():
            if name == "profile":
                self._read_profile(reader)
            elif not self._read_section(name, reader, self._others):
                self._rest[name] = reader.value()
        reader.end()
        if "generator" not in self._rest:
            raise reader.unknown("no generator")

    def _read_profile(self, reader: Reader) -> None:
        reached = 0
        for name in reader.members():
            if name in self.PARTS:
                if self.PARTS.index(name) < reached:
                    raise reader.unknown(f"{name} are not where they should be")
                reached = self.PARTS.index(name)
            elif self._read_section(name, reader, self._sections):
                reached = len(self.PARTS)
                continue
            if name in self._kept:
                self._kept[name] += reader.elements()
                if name == "modules":
                    self._code.modules = {entry["id"]: str(entry.get("path", "")) for entry in self._kept[name]}
                    self._code.verified = {entry["id"] for entry in self._kept[name] if entry.get("status") == "ok"}
            elif name == "stacks":
                for entry in reader.elements():
                    self._stacks[entry["id"]] = self._code.stack(entry.get("frames", []), int(entry.get("own", 0)), bool(entry.get("foreign")))
            elif name == "objects":
                for entry in reader.elements():
                    self._add_object(entry)
            else:
                self._header[name] = reader.value()
            if name == "format" and self._header[name] != FORMAT:
                raise reader.unknown(f"a profile of format {self._header[name]!r}; this program knows format {FORMAT}")

    def _read_section(self, name: str, reader: Reader, into: dict[str, Section]) -> bool:
        """False if the member is not a section; it stays unread."""
        fields = self._header.get("fields", {}).get(name)
        section_class = own_class(name)
        if section_class is None and fields is None:
            return False
        names = Names(self._code, self._object_number, self._stack_number, len(self._objects))
        section = section_class(names) if section_class else Records(names, fields)
        if section.read(reader):
            into[name] = section
        return True

    def _object_number(self, identity: Any) -> int:
        return self._object_numbers.get(identity, NONE)

    def _stack_number(self, identity: Any) -> int:
        return self._stacks.get(identity, NONE)

    def _add_object(self, entry: Json) -> None:
        declared = None
        if entry.get("file") and entry.get("line"):
            file = self._code.file(str(entry.get("dir", "")), str(entry["file"]))
            self._code.name_line(file, int(entry["line"]))
            declared = {"file": file, "line": int(entry["line"])}
        self._object_numbers[entry["id"]] = len(self._objects)
        self._objects.append({
            "name": object_name(entry),
            "kind": str(entry.get("kind", "unknown")),
            "type": str(entry.get("type", "")),
            "typeFrom": str(entry.get("type-from", "")),
            "size": int(entry.get("size", 0)),
            "start": str(entry.get("start", "")),
            "by": str(entry.get("by", "")),
            "blocks": int(entry.get("blocks", 0)),
            "thread": int(entry.get("thread", 0)),
            "module": self._code.modules.get(entry.get("module"), ""),
            "path": str(entry.get("path", "")),
            "stack": self._stack_number(entry.get("stack")),
            "declared": declared,
        })

    def to_json(self, sources: Sources, title: str) -> Json:
        """The page's data. Call only once: its tables are sorted for the page."""
        header, kept = self._header, self._kept
        sections = {**self._others, **self._sections}
        first = {section.form or name: name for name, section in reversed(sections.items())}
        sections = {name: section for name, section in sections.items() if first[section.form or name] == name}
        runs = runs_of(kept["runs"] or [run for section in sections.values() for run in section.runs],
                       {"finished": header["finished"]} if "finished" in header else {})
        document: Json = {
            "title": title or title_of(runs),
            "version": header.get("version") or self._rest.get("generator"),
            "valgrind": header.get("valgrind"),
            "madeBy": header.get("made-by"),
            "problems": [str(problem) for key in ("problems", "incomplete") for problem in self._rest.get(key, [])],
            "runs": runs,
            "modules": [{"path": m["path"], "buildId": m.get("build-id", ""), "begin": m.get("begin", ""),
                         "status": m.get("status", "")} for m in kept["modules"]],
            "threads": [{"id": t["id"], "parent": t.get("parent", 0)} for t in kept["threads"]],
            "objects": self._objects,
        }
        told = frozenset(kind for section in sections.values() for kind in section.told)
        document["sections"] = {name: section.to_json(told) for name, section in sections.items()}
        hot = [stack for section in document["sections"].values() for stack in first_stacks(section)]
        document.update(self._code.to_json())
        document["files"] = [sources.get(path, named) for path, named in self._code.files]
        places = [place for place in map(self._code.place, hot) if place is not None]
        document["assembly"] = of_lines(places) if sources.wanted else []
        return document
