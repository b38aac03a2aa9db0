#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that calls which change mappings return under memspy what they return natively, and that the program's memory
stays what it was: thousands of random calls with wishes for any address, fixed places, huge pages, rings of io_uring,
which the kernel places itself, shared segments, moves, protection and advice. memspy reports nothing.

Exit status: 0 passed, 1 failed.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path

import driver

SEEDS = 6
CALLS = 2500
ERROR_STATUS = 42


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    source = Path(__file__).parent / "process" / "programs" / "mapping_calls.c"
    program = work / "mapping_calls"
    subprocess.run(["gcc", "-g", "-O1", str(source), "-o", str(program)], check=True)
    failed = 0
    for seed in range(SEEDS):
        arguments = [str(program), str(seed), str(CALLS)]
        native = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, timeout=60, check=True)
        tool = subprocess.run([valgrind, "--tool=memspy", "-q", f"--error-exitcode={ERROR_STATUS}", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        if tool.returncode == 0 and tool.stdout == native.stdout:
            continue
        failed += 1
        print(f"seed {seed}: status {tool.returncode}, natively 0")
        lines = difflib.unified_diff(native.stdout.splitlines(), tool.stdout.splitlines(), "natively", "memspy", n=2)
        print("\n".join(list(lines)[:20]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
