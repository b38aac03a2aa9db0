#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that docs/nightly.sh, as docs/ci.md has it run every night, is silent as long as nothing changes, and tells by
its exit code, its text and the files for CI servers each kind of change: a new error, a new false sharing, a suppression that has become
useless, a program that fails."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Nights:
    def __init__(self, script: Path, folder: Path, environment: dict[str, str]) -> None:
        self.script, self.folder, self.environment = script, folder, environment
        self.tests = "./program"

    def compile(self, *faults: str) -> None:
        defines = [f"-D{fault}" for fault in faults]
        source, program = str(HERE / "program.c"), str(self.folder / "program")
        subprocess.run(["gcc", "-g", "-O1", "-pthread", *defines, source, "-o", program], check=True)

    def run(self, *options: str) -> tuple[int, str]:
        command: list[str | Path] = [self.script, *options, "baseline", self.tests]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=300, check=False)
        return done.returncode, done.stdout + done.stderr

    def expect(self, code: int, *words: str, without: tuple[str, ...] = (), options: tuple[str, ...] = ()) -> None:
        found, text = self.run(*options)
        assert found == code, f"exit code {found} instead of {code}:\n{text}"
        for word in words:
            assert word in text, f"no {word!r} in:\n{text}"
        for word in without:
            assert word not in text, f"{word!r} in:\n{text}"


NEW_FAULT = "__attribute__((noinline)) static void new_fault(volatile int* block) { block[4] = 1; }"
NEW, UNUSED = "Errors that are not known", "Suppressions that nothing needed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    folder: Path = arguments.work.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**os.environ, "PATH": f"{arguments.valgrind.parent}:{os.environ['PATH']}"}
    nights = Nights(arguments.script, folder, environment)

    # The first night has no earlier results, so all errors are new.
    nights.compile("OLD_FAULT")
    nights.expect(1, NEW, "InvalidRead", "old_fault", "baseline/profile.1.xml to compare with", without=(UNUSED,))
    # Once accepted, they are not new.
    nights.expect(0, "accepted", options=("--accept", "--runs=1"))
    assert "fun:old_fault" in (folder / "baseline" / "known.supp").read_text()
    nights.expect(0, without=(NEW, UNUSED, "old_fault"))
    # A limit of the heap is an error whatever the sections of the gate.
    nights.environment["VALGRIND_OPTS"] = "--heap-limit=total:1"
    nights.expect(1, NEW, "HeapLimit", without=(UNUSED,), options=("--gate=none",))
    del nights.environment["VALGRIND_OPTS"]
    # A new fault is reported, the known one is not.
    nights.compile("OLD_FAULT", "NEW_FAULT")
    nights.expect(1, NEW, "InvalidWrite", "new_fault", without=("InvalidRead", UNUSED))
    results = folder / "memspy-results"
    sarif = json.loads((results / "memspy.sarif").read_text())["runs"][0]["results"]
    assert [each["ruleId"] for each in sarif] == ["InvalidWrite"], sarif
    quality = json.loads((results / "codequality.json").read_text())
    line = 1 + (HERE / "program.c").read_text().splitlines().index(NEW_FAULT)
    assert [each["location"]["lines"]["begin"] for each in quality] == [line], quality
    cases = ElementTree.parse(results / "junit.xml").getroot().findall(".//testcase/failure")
    assert len(cases) == 1, cases
    # Counters moved into one line: an error, and worse by the profile.
    nights.compile("OLD_FAULT", "SHARED")
    nights.expect(1, NEW, "FalseSharing", "counters")
    # An accepted finding that has become worse is no new error, but a result in each file.
    shutil.rmtree(folder / "baseline")
    nights.expect(0, "accepted", options=("--accept", "--runs=1"))
    nights.expect(0, without=(NEW, UNUSED))
    nights.compile("OLD_FAULT", "SHARED", "ROUNDS=40000")
    nights.expect(1, "counters", without=(NEW,))
    sarif = json.loads((results / "memspy.sarif").read_text())["runs"][0]["results"]
    assert [each["ruleId"] for each in sarif] == ["Regression"], sarif
    place = sarif[0]["locations"][0]["physicalLocation"]
    loop = 1 + next(i for i, text in enumerate((HERE / "program.c").read_text().splitlines()) if "ROUNDS; ++i" in text)
    assert place["region"]["startLine"] == loop, place
    (case,) = ElementTree.parse(results / "junit.xml").getroot().findall(".//testcase/failure")
    assert "counters" in case.attrib["message"], case.attrib
    # The gate can be left open.
    nights.expect(0, options=("--gate=none",))
    # The old fault is mended: no error, but its suppression can be removed.
    nights.compile()
    nights.expect(0, UNUSED, "old_fault", without=(NEW,))
    nights.compile("FAILS")
    nights.expect(2, "exit code 3")

    # Tests as they are: a shell script that changes its folder, forks, and runs programs at the same time; faults in
    # functions that are inlined.
    shutil.rmtree(folder / "baseline")
    nights.compile("INLINED_FAULT", "SHARED")
    script = folder / "all-tests"
    script.write_text("#!/bin/sh\nset -e\nmkdir -p other\ncd other\n../program & ../program\nwait\n"
                      "(echo a; echo b) | sed s/a/b/ >out\nsh -c 'exec ../program'\n", encoding="utf-8")
    script.chmod(0o755)
    nights.tests = "./all-tests"
    nights.expect(0, "accepted", options=("--accept", "--runs=2"))
    nights.expect(0, without=(NEW, UNUSED))
    return 0


if __name__ == "__main__":
    sys.exit(main())
