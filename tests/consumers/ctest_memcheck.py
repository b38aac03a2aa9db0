#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that CTest's MemCheck step, with memspy as its memory checker, counts the planted defects by kind, and that tests
with sharing or redundant zeros, for which it has no kind, fail in it."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# In CTest's words (it calls an invalid read "Uninitialized Memory Read").
EXPECTED: dict[str, dict[str, int]] = {
    "overrun": {"IPW": 1, "Uninitialized Memory Read": 1},
    "leaks": {"Memory Leak": 1},
    "uninitialised": {"Uninitialized Memory Conditional": 1},
    "twice": {"FIM": 1},
    "faultless": {},
}

# Tests that fail in the step; of these CTest counts nothing.
FAILING = ("sharing", "zeros")


def forgotten_settings(work: Path, environment: dict[str, str]) -> list[str]:
    """Of the lines that docs/manual.md gives, in a project that asks for CMake 3.16: those that do not reach CTest."""
    manual = (Path(__file__).resolve().parent.parent.parent / "docs/manual.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (set\(MEMORYCHECK_\w+ .*\))$", manual, re.M)
    work.mkdir()
    (work / "CMakeLists.txt").write_text("\n".join(["cmake_minimum_required(VERSION 3.16)", "project(p NONE)", *lines, "include(CTest)\n"]))
    subprocess.run(["cmake", "-S", work, "-B", work / "build"], check=True, capture_output=True, env=environment)
    settings = (work / "build/DartConfiguration.tcl").read_text()
    wanted = ["MemoryCheckCommand: /opt/memspy/bin/valgrind", "MemoryCheckCommandOptions: -q --tool=memspy --num-callers=30",
              f"MemoryCheckSuppressionFile: {work}/ci/memspy.supp"]
    return [line for line in wanted if f"{line}\n" not in settings]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--tool", default="memspy")
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    source = Path(__file__).resolve().parent / "project"
    # The inner CTest run must not see variables of the outer one.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("CTEST_", "CMAKE_", "DASHBOARD"))}
    if forgotten := forgotten_settings(arguments.work.resolve() / "settings", environment):
        print(f"FAILED: of the manual's lines CTest does not know {forgotten}")
        return 1
    configure = subprocess.run(
        ["cmake", "-S", str(source), "-B", str(arguments.work), f"-DMEMORYCHECK_COMMAND={arguments.valgrind}",
         f"-DMEMORYCHECK_COMMAND_OPTIONS=--tool={arguments.tool} --leak-check=full --num-callers=50 --error-exitcode=99 --zeros-errors=yes -q"],
        capture_output=True, text=True, check=False, env=environment)
    if configure.returncode:
        print(f"FAILED: cmake:\n{configure.stdout}{configure.stderr}")
        return 1
    subprocess.run(["cmake", "--build", str(arguments.work)], check=True, capture_output=True, env=environment)
    step = subprocess.run(["ctest", "-M", "Experimental", "-T", "Start", "-T", "MemCheck"], cwd=arguments.work,
                          capture_output=True, text=True, check=False, env=environment)
    results = list(arguments.work.glob("Testing/*/DynamicAnalysis.xml"))
    if len(results) != 1:
        print(f"FAILED: no result of the MemCheck step:\n{step.stdout}{step.stderr}")
        return 1
    text = results[0].read_text(encoding="utf-8")
    failed = False
    found: dict[str, dict[str, int]] = {}
    for test in ElementTree.fromstring(text).iter("Test"):
        name = test.findtext("Name")
        if name is None:
            continue
        counts: dict[str, int] = {}
        for defect in test.iter("Defect"):
            kind = defect.get("type", "")
            counts[kind] = counts.get(kind, 0) + int(defect.text or 0)
        found[name] = counts
    for name, expected in EXPECTED.items():
        # A test without a defect has no entry.
        if found.get(name, {}) != expected:
            failed = True
            print(f"FAILED: {name}: CTest counted {found.get(name)}, not {expected}")
    for name in [*FAILING, *EXPECTED]:
        fails = re.search(rf"MemCheck #\d+: {name} \.+.*\*\*\*Failed", step.stdout) is not None
        if fails == (name == "faultless"):
            failed = True
            print(f"FAILED: {name}: {'fails' if fails else 'does not fail'} in the step")
    if failed:
        print(step.stdout, text[-3000:], sep="\n")
        return 1
    print("passed: CTest counted every planted defect")
    return 0


if __name__ == "__main__":
    sys.exit(main())
