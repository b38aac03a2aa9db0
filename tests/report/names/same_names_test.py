#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that the outputs of one profile name things in the same way: the objects with most events in the tables of
memspy-report text and table, in the JSON and in the page; and the lines of code that are charged in text, in tables by line,
in annotate, in the JSON, and in the run's own report. None has an escaped character of XML in its names."""

from __future__ import annotations

import json
import platform
import re
import sys
from pathlib import Path
from typing import Any

from heap_types_test import CXX
from names_test import prepared, run

Json = dict[str, Any]
SOURCE = "heap.cc"
MOST = 3


def table(text: str, name: str) -> list[dict[str, str]]:
    """The rows of a table in the tab-separated output; the first table has no name."""
    for part in text.split("\n\n"):
        lines = part.splitlines()
        if lines and lines[0] == f"#table\t{name}":
            lines = lines[1:]
        elif name or lines[0].startswith("#table"):
            continue
        columns = lines[0].split("\t")
        return [dict(zip(columns, line.split("\t"))) for line in lines[1:]]
    raise AssertionError(f"no table {name} in {text}")


def bare(function: str) -> str:
    """Tables have functions without parameters."""
    return re.sub(r"\(.*\)( const)?$", "", function)


def page_data(page: str) -> Json:
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found, "the page has no data"
    data: Json = json.loads(found[1])
    return data


def main() -> int:
    if platform.machine() != "x86_64":
        return 77
    arguments, folder = prepared(__doc__, "valgrind", "report", "html")
    (folder / SOURCE).write_text(CXX, encoding="utf-8")
    run(["g++", "-g", "-O1", "-pthread", SOURCE, "-o", "heap"], folder)
    run([arguments.valgrind, "--tool=memspy", "--zeros=no", "--log-file=log", "--memspy-out-file=heap.xml", "./heap"], folder)
    report = arguments.report

    profile: Json = json.loads(run([report, "export", "--to=json", "heap.xml"], folder))["profile"]
    labels = {each["id"]: each["label"] for each in profile["objects"]}
    stacks = {each["id"]: each["frames"][each.get("own", 0)] for each in profile["stacks"]}
    text = run([report, "text", "--format=tsv", "--top=100000", "heap.xml"], folder)
    by_object = table(text, "contention.by-object")
    worst = [row["object"] for row in by_object[:MOST]]
    assert any("Queue q of main (heap.cc:" in name for name in worst), worst
    assert set(worst) <= set(labels.values()), f"JSON: {worst} are not in {sorted(labels.values())}"
    rows = run([report, "table", "contention.rows", "heap.xml", "--by=object", "--format=tsv"], folder)
    names = {row["object"] for row in table(rows, "")}
    assert set(worst) <= names, f"table: {worst} are not in {sorted(names)}"
    run([arguments.html, "heap.xml", "-o", "heap.html"], folder)
    page = page_data((folder / "heap.html").read_text(encoding="utf-8"))
    named = {each["name"] for each in page["objects"]}
    assert set(worst) <= named, f"page: {worst} are not in {sorted(named)}"

    places = {row["code"] for row in table(text, "contention.by-object-and-code")[:MOST]}
    own = {f"{bare(frame['fn'])} ({frame['file']}:{frame['line']})" for frame in stacks.values() if "file" in frame and "fn" in frame}
    assert places <= own, f"JSON: {places} are not in {sorted(own)}"
    frames, functions, files = page["frames"], page["functions"], page["files"]
    shown = {f"{bare(functions[f])} ({files[file]['name']}:{line})" for f, file, line in
             zip(frames["function"], frames["file"], frames["line"]) if f >= 0 and file >= 0}
    assert places <= shown, f"page: {places} are not in {sorted(shown)}"
    lines = {match[1] for place in places if (match := re.search(r"\(([^()]*:\d+)\)$", place))}
    assert lines and all(line.startswith(SOURCE) for line in lines), lines
    by_line = {row["line"] for row in table(run([report, "table", "contention.rows", "heap.xml", "--by=line", "--format=tsv"],
                                                folder), "")}
    assert lines <= by_line, f"table by line: {lines} are not in {sorted(by_line)}"
    annotated = {f"{Path(row['file']).name}:{row['line']}" for row in
                 table(run([report, "annotate", "--format=tsv", "heap.xml"], folder), "")}
    assert lines <= annotated, f"annotate: {lines} are not in {sorted(annotated)}"
    log = (folder / "log").read_text(encoding="utf-8")
    assert all(line in log for line in lines), f"the run's report has not all of {lines}:\n{log}"

    # The run names a block by the place of its allocation, findings and differences with the profile beside them as it does.
    for name in worst:
        assert (place := re.search(r"\(heap\.cc:\d+\)$", name)) is None or place[0] in log, f"the run's report has no {name}:\n{log}"
    run([arguments.valgrind, "--tool=memspy", "-q", "--zeros=no", "--xml=yes", "--xml-file=errors.xml",
         "--memspy-out-file=again.xml", "./heap"], folder)
    sarif: Json = json.loads(run([report, "export", "--to=sarif", "errors.xml", "again.xml"], folder))
    plain: Json = json.loads(run([report, "export", "--to=sarif", "errors.xml"], folder))
    told, without = (["\n".join((result["message"]["text"], *(stack["message"]["text"] for stack in result["stacks"])))
                      for result in document["runs"][0]["results"]] for document in (sarif, plain))
    assert any(re.search(r"(inside|of) Queue q of \S+ \(heap\.cc:\d+\)", words) for words in told), told
    assert all(re.search(r"of a heap block of \S+ \(heap\.cc:\d+\)|blocks? ", words) and "(fn)" not in words for words in without), without
    assert not any("Queue" in re.sub(r"Queue(::\w+| \(heap\.cc)", "", words) for words in without), without
    prints = [[result["partialFingerprints"] for result in document["runs"][0]["results"]] for document in (sarif, plain)]
    assert prints[0] == prints[1], "names change the identity of results"
    # Both together have more of everything.
    run([report, "merge", "heap.xml", "again.xml", "-o", "both.xml"], folder)
    differences = table(run([report, "diff", "--format=tsv", "--floor=0", "--percent=0", "heap.xml", "both.xml"], folder), "")
    # Several blocks of one function are one thing there, and both runs together have more of them.
    def without_number(name: str) -> str:
        return re.sub(r"^blocks of |\[\d*\]| and \d+ more$", "", name)

    differing = {without_number(row["what"]) for row in differences if row["table"] == "objects"}
    known = {without_number(name) for name in labels.values()}
    assert without_number(worst[0]) in differing, f"{worst[0]} is not in {sorted(differing)}"
    assert {name for name in differing if "heap" in name} <= known, f"{sorted(differing)}, not {sorted(known)}"
    for output in (text, rows, json.dumps(profile)):
        assert not re.search(r"&(#\d+|amp|lt|gt|quot);", output), "a name is escaped"
    return 0


if __name__ == "__main__":
    sys.exit(main())
