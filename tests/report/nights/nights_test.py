#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that ten nights of a C++ program that nobody changed are ten times silent: docs/nightly.sh over CTest and a
Python script, with faults in templates and lambdas that are inlined, and threads that take jobs in whatever order they
come. Without --whole CTest and Python are part of the first and last night only, for they take most of the time."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NIGHTS = 10
ALL = "#!/bin/sh\nset -e\n/usr/bin/python3 project/tests.py build/pool\ncd build\nexec ctest -Q\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--whole", action="store_true")
    arguments = parser.parse_args()
    folder: Path = arguments.work.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(HERE / "project", folder / "project")
    for command in (["cmake", "-S", "project", "-B", "build"], ["cmake", "--build", "build"]):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    tests = folder / "all-tests"
    tests.write_text(ALL, encoding="utf-8")
    tests.chmod(0o755)
    environment = {**os.environ, "PATH": f"{arguments.valgrind.parent}:{os.environ['PATH']}"}

    def night(*options: str, program: str) -> tuple[int, str]:
        command: list[str | Path] = [arguments.script, *options, "baseline", program]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200,
                              check=False)
        return done.returncode, done.stdout + done.stderr

    code, text = night("--accept", "--runs=2", program="./all-tests")
    assert code == 0, text
    known = (folder / "baseline/known.supp").read_text(encoding="utf-8")
    # They are there, by the names of inlined functions as the core compares them.
    for fault in ("InvalidRead", "UninitCondition", "Leak_DefinitelyLost"):
        assert f"memspy:{fault}" in known, known
    assert "fun:past_the_end<std::vector<long" in known, known
    for number in range(1, NIGHTS + 1):
        whole = arguments.whole or number in (1, NIGHTS)
        code, text = night(program="./all-tests" if whole else "build/pool")
        assert code == 0, f"night {number}: exit code {code}\n{text}"
    # The silence is not that of a script that looks at nothing: without suppressions the faults are told.
    (folder / "baseline/known.supp").write_text("", encoding="utf-8")
    code, text = night(program="build/pool")
    assert code == 1 and "past_the_end" in text, text
    return 0


if __name__ == "__main__":
    sys.exit(main())
