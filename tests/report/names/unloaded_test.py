#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that what belonged to a plugin has its names when the plugin has long been unloaded: variables, their fields, and
code. Of two plugins that stood at one place each has its own variables; whose code it was nobody knows, and nobody says."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from names_test import run

SOURCES = Path(__file__).resolve().parent / "unloaded"
LINE = next(i for i, line in enumerate((SOURCES / "plugin.c").read_text().splitlines(), 1) if "found++" in line)


def profile_of(arguments: argparse.Namespace, *plugins: str) -> tuple[list[str], Any]:
    """What the host printed: where each plugin's code stood; and the profile."""
    out = run([arguments.valgrind, "--tool=memspy", "-q", "--memspy-out-file=run.xml", "./host", *plugins], arguments.work)
    text = run([arguments.report, "export", "--to=json", "run.xml"], arguments.work)
    return out.split(), json.loads(text)["profile"]


def fields_of(profile: Any, variable: str) -> list[str]:
    (number,) = [each["id"] for each in profile["objects"] if each.get("variable") == variable]
    return [field["name"] for line in profile["contention"]["lines"] for extent in line["extents"] if extent["object"] == number
            for field in extent.get("fields", [])]


def frames_at(profile: Any, place: str) -> set[tuple[str, str, int]]:
    """Of the innermost frames in the function that begins there: function, file and line."""
    begin = int(place, 16)
    return {(frame.get("fn", ""), frame.get("file", ""), frame.get("line", 0)) for stack in profile["stacks"]
            for frame in stack["frames"][:1] if begin <= int(frame["ip"], 16) < begin + 0x100}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    run(["gcc", "-g", "-pthread", str(SOURCES / "host.c"), "-o", "host"], arguments.work)
    for name in ("first", "second"):
        run(["gcc", "-g", "-shared", "-fPIC", f"-DNAME={name}", str(SOURCES / "plugin.c"), "-o", f"{name}.so"], arguments.work)

    (place,), profile = profile_of(arguments, "./first.so")
    assert fields_of(profile, "first") == ["first[0].found", "first[1].found"], fields_of(profile, "first")
    assert ("count", "plugin.c", LINE) in frames_at(profile, place), frames_at(profile, place)

    places, profile = profile_of(arguments, "./first.so", "./second.so")
    assert places[0] == places[1], f"the plugins stood apart: {places}"
    for name in ("first", "second"):
        assert fields_of(profile, name) == [f"{name}[0].found", f"{name}[1].found"], fields_of(profile, name)
    assert frames_at(profile, places[0]) == {("", "", 0)}, frames_at(profile, places[0])
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
