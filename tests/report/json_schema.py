#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The schema of what `memspy-report export --to=json` prints, and a check of documents against it.

What a section holds comes from the exporter's own tables (memspy/common/fields), the rest is below. `json_schema.py --write`
writes docs/report.schema.json. The file lets a reader pass over members that it does not know; `check` does not, so that a new
member has to be in the schema."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
TABLES = ROOT / "memspy/common/fields"
FILE = ROOT / "docs/report.schema.json"

Schema = dict[str, Any]
DEFINITIONS: dict[str, Schema] = {
    "count": {"type": "integer", "minimum": 0}, "real": {"type": "number"}, "flag": {"type": "boolean"}, "text": {"type": "string"},
    "address": {"type": "string", "pattern": "^0x[0-9A-Fa-f]+$"}}
COUNT, REAL, FLAG, TEXT, ADDRESS = ({"$ref": f"#/$defs/{name}"} for name in DEFINITIONS)
TYPES = {"u64": COUNT, "double": REAL, "bool": FLAG, "Text": TEXT, "Address": ADDRESS}
KINDS: Schema = {"enum": ["heap", "static", "frames", "unknown"]}


# Elements of the tables, by file and type.
ELEMENTS: dict[str, Schema] = {}


def element(path: Path, name: str) -> Schema:
    """How others refer to it; one with a single value is that value."""
    schema = ELEMENTS[f"{path.stem}.{name}"]
    return {"$ref": f"#/$defs/{path.stem}.{name}"} if "properties" in schema else schema


def list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


PAIRS = list_of({"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2})


def record(always: dict[str, Schema], others: dict[str, Schema] | None = None) -> Schema:
    return {"type": "object", "required": list(always), "properties": {**always, **(others or {})}}


def with_more(schema: Schema, always: dict[str, Schema], others: dict[str, Schema]) -> Schema:
    return record({**{name: schema["properties"][name] for name in schema["required"]}, **always}, {**schema["properties"], **always, **others})


def tables(path: Path) -> tuple[str, list[tuple[str, str, str]]]:
    """The section's name, and its records as (type, multiplicity, name in JSON); its elements go to ELEMENTS."""
    bare, name, section = False, "", ""
    records = []
    for macro, inside in re.findall(r"^(\w+)\((.*)\)$", path.read_text(encoding="utf-8"), re.M):
        words = [word.strip().strip('"\'') for word in inside.split(",")]
        always = words[-1] == "Always"
        member: tuple[str, Schema] | None = None
        if macro == "ELEMENT":
            name, bare = f"{path.stem}.{words[0]}", words[1] == "Bare"
            ELEMENTS[name] = record({})
        elif macro in ("FIELD", "FIELD_OR"):
            member = words[2], TYPES.get(words[0], COUNT)
        elif macro == "KINDS":
            member, always = ("kind", KINDS), True
        elif macro == "PROCESSES":
            member = "processes", COUNT
        elif macro == "PART":
            member = words[2], element(path, words[0])
        elif macro == "LIST":
            member, always = (words[3], list_of(element(path, words[0]))), True
        elif macro == "WORDS":
            member = words[1], TEXT
        elif macro in ("TEXT", "NUMBERS", "PAIRS"):
            member, always = (words[1], {"TEXT": TEXT, "NUMBERS": list_of(COUNT), "PAIRS": PAIRS}[macro]), True
        elif macro == "SECTION":
            section = words[0]
        elif macro == "RECORD":
            records.append((words[0], words[2], words[3]))
        if member and bare:
            ELEMENTS[name] = member[1]
        elif member:
            ELEMENTS[name]["properties"][member[0]] = member[1]
            if always:
                ELEMENTS[name]["required"].append(member[0])
    return section, records


def section_of(path: Path) -> tuple[str, Schema]:
    name, records = tables(path)
    always: dict[str, Schema] = {}
    others: dict[str, Schema] = {}
    for kind, multiplicity, member in records:
        if multiplicity == "Own":
            own = ELEMENTS.pop(f"{path.stem}.{kind}")
            always.update({key: value for key, value in own["properties"].items() if key in own["required"]})
            others.update(own["properties"])
        elif multiplicity == "One":
            others[member] = element(path, kind)
        else:
            always[member] = list_of(element(path, kind))
    return name, record(always, others)


SOURCE_LINE = {"dir": TEXT, "file": TEXT, "line": COUNT}
FRAMES = list_of(record({}, {"ip": ADDRESS, "object": TEXT, "fn": TEXT, "name": TEXT, **SOURCE_LINE}))
ERROR = record(
    {"unique": TEXT, "kind": TEXT, "what": TEXT, "count": COUNT, "thread": COUNT, "stack": FRAMES,
     "details": list_of(record({"text": TEXT, "stack": FRAMES}, {"own": COUNT}))},
    {"thread-name": TEXT, "leaked-bytes": COUNT, "leaked-blocks": COUNT, "own": COUNT, "suppression": TEXT})
ERROR_FILE = record(
    {"file": TEXT, "tool": TEXT, "pid": COUNT, "ppid": COUNT, "exe": TEXT, "arguments": list_of(TEXT), "options": list_of(TEXT),
     "finished": FLAG, "errors": list_of(ERROR),
     "signals": list_of(record({"thread": COUNT, "name": TEXT, "address": TEXT, "stack": FRAMES})),
     "suppressed": list_of(record({"name": TEXT, "count": COUNT}))})
FIELD_KIND = {"enum": ["count", "number", "real", "flag", "address", "text", "pairs", "numbers", "module", "stack", "object", "thread"]}


def profile_of() -> Schema:
    common = TABLES / "common.def"
    tables(common)
    for name in ("RunCommand", "RunOptions", "Argument"):
        del ELEMENTS[f"common.{name}"]

    def extend(name: str, always: dict[str, Schema], others: dict[str, Schema]) -> None:
        ELEMENTS[name] = with_more(ELEMENTS[name], always, others)

    del ELEMENTS["common.Run"]["properties"]["command"]
    ELEMENTS["common.Run"]["required"].remove("command")
    extend("common.Run", {"exe": TEXT, "arguments": list_of(TEXT), "options": list_of(TEXT)}, {})
    extend("common.Module", {}, {"status": TEXT})
    extend("common.Frame", {}, {"name": TEXT, "foreign": FLAG})
    extend("common.Stack", {}, {"own": COUNT, "foreign": FLAG})
    extend("common.Object", {"label": TEXT},
           {"type-from": {"enum": ["allocation", "accesses"]}, "variable": TEXT, "type": TEXT, **SOURCE_LINE})
    sections = dict(section_of(path) for path in sorted(TABLES.glob("*.def")) if path != common)
    # What is made of the records.
    sections["mpi"] = with_more(sections["mpi"], {"waiting": list_of(record(
        {name: COUNT for name in ("rank", "number", "microseconds", "late-sender", "late-receiver", "imbalance")})),
        "longest-waits": list_of(record({name: COUNT for name in ("rank", "number", "begin", "waited", "whom")}))}, {})
    place = {"function": TEXT, "line": TEXT, "stack": COUNT}
    sections["waste"] = with_more(sections["waste"], {"advice": list_of(record(
        {"kind": TEXT, "bytes": COUNT, "share": COUNT, **place, "label": TEXT, "killer": COUNT, "text": TEXT}))}, {})
    sections["heap-profile"] = with_more(sections["heap-profile"], {
        "advice": list_of(record({"kind": TEXT, "figure": COUNT, "share": COUNT, **place, "text": TEXT})),
        "members": list_of(record({**place, "type": TEXT, "field": TEXT, **{name: COUNT for name in ("offset", "size", "loaded", "stored")}}))}, {})
    extend("contention.Extent", {}, {"fields": list_of(record(
        {"first": COUNT, "bytes": COUNT, "name": TEXT, "type": TEXT}, {"bit": COUNT, "bits": COUNT, **SOURCE_LINE}))})
    kind = {"oneOf": [FIELD_KIND, {"type": "array", "minItems": 2, "maxItems": 2}]}
    fields: Schema = kind
    for _ in ("field", "list", "section"):
        fields = {"type": "object", "additionalProperties": fields}
    lists = {"runs": "Run", "modules": "Module", "stacks": "Stack", "objects": "Object", "threads": "Thread"}
    return with_more(ELEMENTS.pop("common.Header"), {
        "fields": fields, **{name: list_of(element(common, kind)) for name, kind in lists.items()},
        **{name: {"oneOf": [{"type": "null"}, each]} for name, each in sections.items()}}, {})


def make() -> Schema:
    ELEMENTS.clear()
    profile = profile_of()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "What memspy-report export --to=json prints",
            "description": "docs/profile.md has the meanings. A missing member is zero, empty or false.",
            **record({"generator": TEXT, "profile": {"oneOf": [{"type": "null"}, profile]}, "errors": list_of(ERROR_FILE),
                      "incomplete": list_of(TEXT), "problems": list_of(TEXT)}),
            "$defs": {**DEFINITIONS, **{name: each for name, each in ELEMENTS.items() if "properties" in each}}}


def text_of(schema: Schema) -> str:
    """A line for each schema that fits one."""
    def lines(value: Any, indent: str) -> str:
        flat = json.dumps(value)
        if len(flat) + len(indent) <= 118 or isinstance(value, list) and isinstance(value[0], str):
            return flat
        inner = indent + " "
        parts = [f"{json.dumps(key)}: {lines(each, inner)}" for key, each in value.items()] if isinstance(value, dict) else \
            [lines(each, inner) for each in value]
        inside = "\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}"
        return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"
    return lines(schema, "") + "\n"


PYTHON: dict[str, type | tuple[type, ...]] = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}


class Wrong(Exception):
    """A document is not as the schema says; the text has the place."""


def check(value: Any, schema: Schema, whole: Schema, place: str = "document") -> None:
    """Raises Wrong; knows what `make` uses of JSON Schema."""
    def must(condition: bool, what: str) -> None:
        if not condition:
            raise Wrong(f"{place}: {what}: {json.dumps(value)[:80]}")

    if "$ref" in schema:
        check(value, whole["$defs"][schema["$ref"].rpartition("/")[2]], whole, place)
        return
    if "oneOf" in schema:
        null = {"type": "null"}
        if null in schema["oneOf"]:
            if value is not None:
                check(value, next(each for each in schema["oneOf"] if each != null), whole, place)
            return
        check(value, schema["oneOf"][isinstance(value, list)], whole, place)
        return
    if "enum" in schema:
        must(value in schema["enum"], "no such word")
        return
    kind = schema["type"]
    must(isinstance(value, PYTHON[kind]) and (kind == "boolean" or not isinstance(value, bool)), f"is no {kind}")
    must(value >= schema.get("minimum", value) if kind == "integer" else True, "is too small")
    must(re.search(schema["pattern"], value) is not None if "pattern" in schema else True, "has another form")
    if kind == "array":
        must(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), "has another length")
        for i, each in enumerate(value):
            check(each, schema.get("items", {"enum": [each]}), whole, f"{place}[{i}]")
    if kind == "object":
        missing = [name for name in schema.get("required", []) if name not in value]
        must(not missing, f"{missing} missing")
        for name, each in value.items():
            inside = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            must(inside is not None, f"{name} is not in the schema")
            check(each, inside or {}, whole, f"{place}.{name}")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    FILE.write_text(text_of(make()), encoding="utf-8")
