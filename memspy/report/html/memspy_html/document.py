# SPDX-License-Identifier: GPL-2.0-or-later
"""From memspy-report's JSON to what the page holds: tables by column, things numbered from 0."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Callable

from . import findings
from .code import Code, NONE
from .contention import Contention, contended
from .sources import Sources
from .tables import Json, add_counts
from .zeros import zeros_of


def object_name(entry: Json) -> str:
    """As memspy's own reports say it."""
    kind = entry.get("kind")
    if entry.get("variable"):
        return str(entry["variable"])
    if kind == "heap":
        blocks, size = int(entry.get("blocks", 1)), entry.get("size")
        of_size = f" of {size:,} bytes" if size else ""
        return f"{blocks:,} heap blocks{of_size}" if blocks > 1 else f"heap block{of_size}"
    if kind == "frames":
        name = f" ({entry['name']})" if entry.get("name") else ""
        return f"stack of thread {entry.get('thread', '?')}{name}"
    return str(entry.get("name") or "unknown memory")


class Objects:
    def __init__(self, data: Json, code: Code) -> None:
        modules = {entry["id"]: str(entry.get("path", "")) for entry in data.get("modules", [])}
        stacks = {entry["id"]: entry.get("frames", []) for entry in data.get("stacks", [])}
        self._numbers: dict[Any, int] = {}
        self.entries: list[Json] = []
        for entry in data.get("objects", []):
            declared = None
            if entry.get("file") and entry.get("line"):
                file = code.file(str(entry.get("dir", "")), str(entry["file"]))
                code.name_line(file, int(entry["line"]))
                declared = {"file": file, "line": int(entry["line"])}
            self._numbers[entry["id"]] = len(self.entries)
            self.entries.append({
                "name": object_name(entry),
                "kind": str(entry.get("kind", "unknown")),
                "type": str(entry.get("type", "")),
                "size": int(entry.get("size", 0)),
                "start": str(entry.get("start", "")),
                "by": str(entry.get("by", "")),
                "blocks": int(entry.get("blocks", 0)),
                "thread": int(entry.get("thread", 0)),
                "module": modules.get(entry.get("module"), ""),
                "path": str(entry.get("path", "")),
                "stack": code.stack(stacks[entry["stack"]]) if entry.get("stack") in stacks else NONE,
                "declared": declared,
            })

    def number(self, identity: Any) -> int:
        return self._numbers.get(identity, NONE)


def runs_of(profile: Json, error_files: list[Json]) -> list[Json]:
    """The processes; without a profile those that wrote error files."""
    keys = ("pid", "ppid", "start", "end", "arch", "exe", "arguments", "options", "finished")
    runs = profile.get("runs") or error_files
    whole = {"finished": profile["finished"]} if "finished" in profile else {}
    return [{key: {**whole, **run}.get(key) for key in keys} for run in runs]


def title_of(runs: list[Json]) -> str:
    names = {PurePosixPath(str(run.get("exe") or "")).name for run in runs} - {""}
    return ", ".join(sorted(names)) or "memspy"


def by_object(contention: Contention, count: int) -> list[dict[str, int]]:
    """Of each object its counts, contended lines and threads; the last entry is what has no object."""
    figures: list[dict[str, int]] = [{} for _ in range(count + 1)]
    for number, counts in contention.by_object.items():
        add_counts(figures[number], counts)
    threads: list[set[int]] = [set() for _ in figures]
    for thing, thread in zip(contention.rows.columns["object"], contention.rows.columns["thread"]):
        threads[thing].add(thread)
    lines = contention.lines.columns
    begin = 0
    for i, end in enumerate(lines["extentsEnd"]):
        counts = {name: column[i] for name, column in lines.items()}
        if contended(counts, "o") or contended(counts, "m"):
            for thing in set(contention.extents.columns["object"][begin:end]):
                add_counts(figures[thing], {"lines": 1})
        begin = end
    for entry, users in zip(figures, threads):
        entry["threads"] = len(users)
    return figures


def build(data: Json, sources: Sources, title: str = "") -> Json:
    profile: Json = data.get("profile") or {}
    error_files: list[Json] = data.get("errors", [])
    code = Code(profile.get("modules", []))
    stacks = {entry["id"]: code.stack(entry.get("frames", [])) for entry in profile.get("stacks", [])}
    stack_number: Callable[[Any], int] = lambda identity: stacks.get(identity, NONE)
    objects = Objects(profile, code)
    runs = runs_of(profile, error_files)
    document: Json = {
        "title": title or title_of(runs),
        "version": profile.get("version") or data.get("generator"),
        "valgrind": profile.get("valgrind"),
        "madeBy": profile.get("made-by"),
        "problems": [str(problem) for key in ("problems", "incomplete") for problem in data.get(key, [])],
        "runs": runs,
        "modules": [{"path": m["path"], "buildId": m.get("build-id", ""), "begin": m.get("begin", ""),
                     "status": m.get("status", "")} for m in profile.get("modules", [])],
        "threads": [{"id": t["id"], "parent": t.get("parent", 0)} for t in profile.get("threads", [])],
        "objects": objects.entries,
        "groups": [],
    }
    if profile.get("contention"):
        contention = Contention(profile["contention"], objects.number, stack_number)
        document["contention"] = {**contention.to_json(), "objects": by_object(contention, len(objects.entries))}
        document["groups"] = findings.groups(profile["contention"].get("groups", []), objects.number, stack_number)
    if profile.get("zeros"):
        document["zeros"] = zeros_of(profile["zeros"], objects.number, stack_number)
    errors = [error for file in error_files for error in file.get("errors", [])]
    document["hasErrors"] = bool(error_files)
    document["suppressed"] = [entry for file in error_files for entry in file.get("suppressed", [])]
    document["defects"] = findings.defects(errors, code, with_sharing=not document["groups"])
    document.update(code.to_json())
    document["files"] = [sources.get(path, named) for path, named in code.files]
    return document
