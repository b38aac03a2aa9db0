#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that correct accesses across the ends of leaves of the shadow, each 16 KiB, do not have their instructions
tracked, which ends with a demotion: loops over words that are not aligned, in a buffer that the program has written, which
has leaves of its own, and in one from calloc, whose leaves are shared.

Exit status: 0 passed, 1 failed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import driver

PROGRAM = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noipa)) static uint64_t sum(const char* p, long bytes) {
    uint64_t sum = 0, word;
    for (long i = 1; i + 8 <= bytes; i += 8) sum += (memcpy(&word, p + i, 8), word);
    return sum;
}
int main(int argc, char** argv) {
    const long bytes = 1 << 20, passes = atol(argv[1]);
    uint64_t sums = 0;
    for (int round = 0; round < 2; ++round) {
        char* p = round ? calloc(1, bytes) : malloc(bytes);
        if (!round) memset(p, 1, bytes);
        for (int pass = 0; pass < passes; ++pass) sums += sum(p, bytes);
        free(p);
    }
    return passes != 0 && sums == 0;
}
"""


def demotions(valgrind: str, work: Path, passes: int) -> int:
    command = [valgrind, "--tool=memspy", "--contention=no", "--zeros=no", "--stats=yes", "--memspy-out-file=/dev/null",
               "./leaf_ends", str(passes)]
    done = subprocess.run(command, cwd=work, stderr=subprocess.PIPE, text=True, timeout=120, check=True)
    found = re.search(r"memspy: (\d+) demotions", done.stderr)
    return int(found[1]) if found else -1


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    (work / "leaf_ends.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", "-O2", "leaf_ends.c", "-o", "leaf_ends"], cwd=work, check=True)
    without, found = (demotions(valgrind, work, passes) for passes in (0, 20))
    print(f"{found} demotions, {without} without the loops")
    return 0 if without >= 0 and found == without else 1


if __name__ == "__main__":
    sys.exit(main())
