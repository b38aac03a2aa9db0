#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that a compiler's fence (`lock or $0, (%rsp)`) does not make all accesses to the line of the stack where it was
executed be logged: nobody waits for a word there. An update that changes something does, as threads may wait for it.

Exit status: 0 passed, 1 failed, 77 skipped (other machines have an instruction for fences).
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import driver

PROGRAM = """
#include <pthread.h>
#ifdef FENCE
#define ONCE() __asm__ volatile("lock orq $0, (%%rsp)" : : : "memory", "cc")
#else
#define ONCE() __atomic_fetch_add(&updated, 1, __ATOMIC_SEQ_CST)
#endif
static void* work(void* p) { return p; }
int main(void) {
    pthread_t thread;
    volatile long sum = 0;
    long updated = 0;
    if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
    for (int i = 0; i < 400000; ++i) {
        if (i % 1000 == 0) ONCE();
        sum += i;
    }
    return pthread_join(thread, NULL) != 0 || updated == 1;
}
"""


def logged(valgrind: str, work: Path, program: str, *options: str) -> int:
    """How many of the program's accesses are logged, at most: the environment decides which variables share a line."""
    (work / "fences.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-pthread", *options, "fences.c", "-o", program], cwd=work, check=True)
    command = [valgrind, "--tool=memspy", "--defects=no", "--zeros=no", "--stats=yes", "--memspy-out-file=/dev/null",
               f"./{program}"]
    most = -1
    for padding in range(0, 64, 16):
        environment = {**os.environ, "PADDING": "x" * padding}
        done = subprocess.run(command, cwd=work, stderr=subprocess.PIPE, text=True, timeout=120, check=True,
                              env=environment)
        found = re.search(r"memspy: (\d+) loads, (\d+) stores", done.stderr)
        if found:
            most = max(most, int(found[1]) + int(found[2]))
    return most


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    if platform.machine() != "x86_64":
        return driver.SKIPPED
    fences = logged(valgrind, work, "fences", "-DFENCE")
    updates = logged(valgrind, work, "updates")
    print(f"{fences} accesses are logged with fences, {updates} with updates")
    return 0 if 0 < fences < 100000 and updates > 800000 else 1


if __name__ == "__main__":
    sys.exit(main())
