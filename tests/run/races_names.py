#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that a race on a local variable that an OpenMP construct shares has its name, with gcc and clang."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAM = """
#include <stdio.h>
#define KEEP __asm__ volatile("" ::: "memory")
static int in[100], out[100];
static double scaled(int n) {
    double half = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < n; i++) {
        half = in[i] * 0.5;
        KEEP;
        out[i] = (int)half;
    }
    return half;
}
int main(void) {
    long first = 0;
    int tmp = 0, last = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < 100; i++) {
        first += i;
        tmp = in[i] + last;
        KEEP;
        out[i] = tmp;
    }
    printf("%ld %d %f\\n", first, tmp, scaled(100));
    return 0;
}
"""
WANTED = {"first of main", "tmp of main", "half of scaled"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    (work / "program.c").write_text(PROGRAM, encoding="utf-8")
    wrong = 0
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            continue
        subprocess.run([compiler, "-g", "-O0", "-fopenmp", work / "program.c", "-o", work / "program"], check=True)
        done = subprocess.run([arguments.valgrind, "--tool=memspy", "-q", "--races=yes", "--defects=no", "--zeros=no",
                               "--contention=no", f"--memspy-out-file={work}/run.xml", work / "program"], capture_output=True,
                              text=True, check=True, timeout=120)
        found = set(re.findall(r"Data race on (.*):", done.stderr))
        if found != WANTED:
            print(f"{compiler}: {sorted(found)} instead of {sorted(WANTED)}")
            wrong += 1
        table = subprocess.run([arguments.valgrind.parent / "memspy-report", "races", work / "run.xml", "--format=tsv"],
                               capture_output=True, text=True, check=True).stdout.splitlines()[1:]
        if compiler == "gcc" and {row.split("\t")[0] for row in table} != WANTED:
            print(f"{compiler}: {table}")
            wrong += 1
        if compiler == "gcc" and "private(tmp)" not in done.stderr:
            print(f"{compiler}: no advice private(tmp)")
            wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
