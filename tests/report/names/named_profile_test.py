#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that the JSON of a real run names the fields that threads share, that it completes what the run could not
know, and that it names nothing by a program that was compiled anew since."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from names_test import build_id, prepared, run

Json = dict[str, Any]


def record(arguments: argparse.Namespace, folder: Path, profile: str) -> None:
    run([arguments.valgrind, "--tool=memspy", "-q", f"--memspy-out-file={profile}", "./sharing"], folder)


def export(arguments: argparse.Namespace, folder: Path, profile: str, *options: str) -> Json:
    text = run([arguments.report, "export", "--to=json", *options, profile], folder)
    document: Json = json.loads(text)
    return document


def counters_of(document: Json) -> Json:
    found = [each for each in document["profile"]["objects"] if each.get("symbol") == "counters"]
    assert len(found) == 1, found
    only: Json = found[0]
    return only


def fields_of(document: Json) -> list[tuple[int, int, str]]:
    number = counters_of(document)["id"]
    return [
        (field["first"], field["bytes"], field["name"])
        for line in document["profile"]["contention"]["lines"]
        for extent in line["extents"]
        if extent["object"] == number
        for field in extent.get("fields", [])
    ]


def status_of(document: Json, program: Path) -> str:
    found = [each["status"] for each in document["profile"]["modules"] if each["path"] == str(program)]
    assert len(found) == 1, document["profile"]["modules"]
    return str(found[0])


def lines_in(document: Json, function: str) -> set[tuple[str, int]]:
    return {
        (frame.get("file", ""), frame.get("line", 0))
        for stack in document["profile"]["stacks"]
        for frame in stack["frames"]
        if frame.get("fn") == function
    }


def main() -> int:
    arguments, folder = prepared(__doc__, "valgrind", "report", "demo")
    shutil.copy(arguments.demo / "sharing.c", folder)
    program = folder / "sharing"
    compile_it = ["gcc", "-g", "-pthread", "-Wl,--build-id", "sharing.c", "-o", "sharing"]
    run(compile_it, folder)
    number = build_id(program)
    record(arguments, folder, "with.xml")

    # Four workers, a counter of eight bytes each, in one line from its start on.
    known = export(arguments, folder, "with.xml")
    wanted = [(8 * i, 8, f"counters.worker[{i}].found") for i in range(4)]
    assert fields_of(known) == wanted, fields_of(known)
    assert status_of(known, program) == "ok"
    source = (folder / "sharing.c").read_text().splitlines()
    counters = counters_of(known)
    assert (counters["dir"], counters["file"]) == (str(folder), "sharing.c"), counters
    assert "counters" in source[counters["line"] - 1], counters
    assert counters["type"] == "struct Counters", counters
    declared = {(field["dir"], field["file"], source[field["line"] - 1].strip()) for line in known["profile"]["contention"]["lines"]
                for extent in line["extents"] if extent["object"] == counters["id"] for field in extent["fields"]}
    assert len(declared) == 1 and declared.pop() == (str(folder), "sharing.c", "long found;")

    # With --names=no there are none.
    plain = export(arguments, folder, "with.xml", "--names=no")
    assert fields_of(plain) == [] and "type" not in counters_of(plain) and "status" not in plain["profile"]["modules"][0]

    # A stripped program has no lines; its debug file has, wherever it is.
    debug = folder / "tree" / ".build-id" / number[:2] / f"{number[2:]}.debug"
    debug.parent.mkdir(parents=True)
    run(["objcopy", "--only-keep-debug", program, debug], folder)
    run(["objcopy", "--strip-debug", program], folder)
    record(arguments, folder, "without.xml")
    bare = export(arguments, folder, "without.xml")
    assert lines_in(bare, "search") == {("", 0)}, lines_in(bare, "search")
    assert status_of(bare, program).endswith("has no debug information"), status_of(bare, program)
    completed = export(arguments, folder, "without.xml", f"--debug-dir=/nowhere:{folder / 'tree'}")
    assert lines_in(completed, "search") == lines_in(known, "search"), lines_in(completed, "search")
    assert fields_of(completed) == wanted, fields_of(completed)

    # Another program is there now.
    run([*compile_it, "-DPADDED"], folder)
    changed = export(arguments, folder, "with.xml")
    assert "is not the file that ran" in status_of(changed, program), status_of(changed, program)
    assert fields_of(changed) == [] and "type" not in counters_of(changed)
    program.unlink()
    gone = export(arguments, folder, "with.xml")
    assert status_of(gone, program) == f"there is no file {program}", status_of(gone, program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
