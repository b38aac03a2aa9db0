#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that what memspy adds to a program's code stays small: instructions of the host for an access to heap memory
that nobody else uses, in each kind of translation, over what Valgrind makes of it without a tool.

Exit status: 0 passed, 1 failed, 77 skipped (only amd64's code has been counted).
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import driver

PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
#define AT(n) (*(volatile long*)(p + (n)))
#define PROBE __attribute__((noipa)) static void
PROBE probe_nothing(char* p, long i) { __asm__ volatile("nop" : : "r"(p), "r"(i)); }
/* What is loaded is used: without a tool VEX leaves out a load whose value is not, and memspy keeps it. */
#define USE(a, b, c, d) __asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d))
PROBE probe_load(char* p, long i) { (void)i, (void)AT(0); }
PROBE probe_store(char* p, long i) { (void)i, AT(0) = 0; }
PROBE probe_apart(char* p, long i) { (void)i; USE(AT(0), AT(64), AT(128), AT(192)); }
PROBE probe_near(char* p, long i) { (void)i; USE(AT(0), AT(8), AT(16), AT(24)); }
#define ELEMENT(n) (((volatile long*)p)[i + (n)])
PROBE probe_indexed(char* p, long i) { USE(ELEMENT(0), ELEMENT(1), ELEMENT(2), ELEMENT(3)); }
/* By pointers, else VEX makes one superblock of a call and what it calls. */
static void (*volatile probes[])(char*, long) = {probe_nothing, probe_load, probe_store,
                                                 probe_apart, probe_near, probe_indexed};
static void* work(void* p) {
    for (unsigned i = 0; i < sizeof probes / sizeof *probes; ++i) probes[i](p, 3);
    return p;
}
int main(int argc, char** argv) {
    char* p = calloc(1, 4096);
    pthread_t thread;
    if (argc == 1) work(p);
    else if (pthread_create(&thread, NULL, work, p) == 0) pthread_join(thread, NULL);
    free(p);
    return 0;
}
"""


@dataclass(frozen=True)
class Mode:
    """A kind of translation, and the number of instructions that it may add."""

    what: str
    options: list[str]
    threads: bool
    most: dict[str, int]  # "block": a superblock without such accesses; else the accesses of that probe


NO_CONTENTION, NO_DEFECTS, NO_ZEROS = "--contention=no", "--defects=no", "--zeros=no"

# The counted numbers, plus 20 %.
MODES = [
    Mode("defects", [NO_CONTENTION, NO_ZEROS], False,
         {"block": 23, "load": 16, "store": 20, "apart": 66, "near": 16, "indexed": 24}),
    Mode("contention, one thread", [NO_DEFECTS, NO_ZEROS], False,
         {"block": 12, "load": 12, "store": 12, "apart": 52, "near": 26, "indexed": 26}),
    Mode("contention, several threads, all logged", [NO_DEFECTS, NO_ZEROS, "--contention-exact=yes"], True,
         {"block": 30, "load": 2, "store": 2, "apart": 2, "near": 2, "indexed": 10}),
    # Each line that is accessed is looked up, so that quiet accesses need not be read later.
    Mode("contention, several threads", [NO_DEFECTS, NO_ZEROS], True,
         {"block": 36, "load": 13, "store": 16, "apart": 35, "near": 13, "indexed": 22}),
    Mode("both, several threads", [NO_ZEROS], True,
         {"block": 59, "load": 30, "store": 37, "apart": 98, "near": 30, "indexed": 38}),
    # Without defects, zeros would miss loads whose value is not used: VEX drops them.
    Mode("defects and zeros", [NO_CONTENTION], False,
         {"block": 39, "load": 30, "store": 20, "apart": 117, "near": 74, "indexed": 82}),
]


def instructions(valgrind: str, work: Path, options: list[str], threads: bool) -> dict[str, int]:
    """The instructions of each probe's superblock. The core prints them if it traces its register allocator."""
    command = [valgrind, "-q", *options, "--trace-flags=00000010", "--trace-notbelow=0", "./emitted_code",
               *(["threads"] if threads else [])]
    done = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=True)
    counts: dict[str, int] = {}
    probe = ""
    for line in done.stdout.decode(errors="replace").splitlines():
        if line.startswith("==== SB"):
            found = re.search(r" probe_(\w+)", line)
            probe = found[1] if found else ""
            if probe:
                counts[probe] = 0
        elif probe and re.match(r" *\d+   \S", line):
            counts[probe] += 1
    return counts


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    if platform.machine() != "x86_64":
        return driver.SKIPPED
    (work / "emitted_code.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", "-O2", "-g", "-pthread", "emitted_code.c", "-o", "emitted_code"], cwd=work, check=True)
    bare = instructions(valgrind, work, ["--tool=none"], False)
    failed = False
    for mode in MODES:
        options = ["--tool=memspy", "--memspy-out-file=/dev/null", *mode.options]
        counts = instructions(valgrind, work, options, mode.threads)
        added = {probe: counts[probe] - bare[probe] for probe in bare}
        block = added.pop("nothing")
        found = {"block": block, **{probe: count - block for probe, count in added.items()}}
        print(f"{mode.what}: {found}")
        for what, most in mode.most.items():
            if not found[what] <= most:
                print(f"{mode.what}: {found[what]} instructions for {what}, not {most} at most")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
