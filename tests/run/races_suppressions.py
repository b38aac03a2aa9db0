#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that suppressions for Helgrind and DRD silence races and orders of locks, each only its own kind and stack."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import driver

PROGRAM = """
#include <pthread.h>
static int total, other;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void add_one(void) { total++; }
static void add_other(void) { other++; }
static void take(pthread_mutex_t* first, pthread_mutex_t* second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void* one(void* unused) { add_one(); add_other(); take(&a, &b); return unused; }
static void* two(void* unused) { add_one(); add_other(); take(&b, &a); return unused; }
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, two, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
"""
# Name of the suppression, function, and what is still reported.
ALL = {"add_one", "add_other", "take"}
CASES = [
    ("Helgrind:Race", "add_one", ALL - {"add_one"}),
    ("Helgrind:Race", "take", ALL),
    ("drd:ConflictingAccess", "add_other", ALL - {"add_other"}),
    ("Helgrind:LockOrder", "take", ALL - {"take"}),
    ("Helgrind:LockOrder", "add_one", ALL),
    ("memspy:Race", "add_one", ALL - {"add_one"}),
    ("drd:MutexErr", "take", ALL),
]


def reported(valgrind: str, work: Path, *options: str) -> set[str]:
    found: set[str] = set()
    lines = driver.races_text(valgrind, work, *options).splitlines()
    for number, line in enumerate(lines):
        if "Data race on" in line or "different orders" in line:
            found.update(name for name in ALL if any(f": {name} (" in frame for frame in lines[number + 1:number + 3]))
    return found


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    (work / "program.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O0", "-pthread", work / "program.c", "-o", work / "program"], check=True)
    wrong = 0
    if (found := reported(valgrind, work)) != ALL:
        print(f"without suppressions: {sorted(found)}")
        wrong += 1
    for name, function, wanted in CASES:
        file = work / "given.supp"
        file.write_text(f"{{\n   given\n   {name}\n   fun:{function}\n   ...\n}}\n", encoding="utf-8")
        found = reported(valgrind, work, f"--suppressions={file}")
        if found != wanted:
            print(f"{name} in {function}: {sorted(found)} instead of {sorted(wanted)}")
            wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
