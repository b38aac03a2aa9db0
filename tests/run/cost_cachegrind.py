#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that --cost=yes counts the misses of real programs as Cachegrind does, for caches of the same geometry.

Both see the data accesses of the program, its libraries and its loader, in caches with LRU. They count differently where an
access crosses a line and misses both: one miss to Cachegrind, two to memspy. The programs of the suite do that seldom.
Cachegrind's last level holds instructions too; its first level of instructions is large here, so that they come there once.
memspy has a preload library and string functions of its own. So 1 % and START misses may differ.

With --table, for memspy/tool/analyses/cost/DESIGN.md: more programs, and their times over those with Cachegrind's usual first level of instructions.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SHARE, START = 0.01, 500
FIRST, LAST = (32 << 10, 8), (1 << 20, 16)  # bytes, ways
MACHINE = """name = as Cachegrind
l1.size = {}
l1.line = 64
l1.ways = {}
l2.size = {}
l2.line = 64
l2.ways = {}
"""
SUPPRESSED = ("--defects=no", "--contention=no", "--zeros=no", "--mpi=no")


@dataclass
class Program:
    command: list[str]
    stdin: str = ""


@dataclass
class Counts:
    first: int
    last: int
    seconds: float


def words(folder: Path) -> str:
    source = random.Random(11)
    vocabulary = ["".join(source.choices("etaoinshrdlu", k=source.randint(2, 9))) for _ in range(900)]
    path = folder / "words"
    path.write_text("".join(f"{' '.join(source.choices(vocabulary, k=9))}\n" for _ in range(9000)))
    return str(path)


def sql() -> str:
    return """CREATE TABLE a(x INTEGER, y INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO a SELECT i, i * 7919 % 10007 FROM n;
CREATE INDEX k ON a(y);
SELECT count(*), sum(x) FROM a WHERE y > 500;
SELECT y, count(*) FROM a GROUP BY y ORDER BY 2 DESC LIMIT 3;
"""


PYTHON = "d = {i * 7919 % 100003: str(i) for i in range(60000)}\nprint(sum(len(v) for v in d.values()))"
PROGRAMS: dict[str, Callable[[Path], Program]] = {
    "bzip2": lambda folder: Program(["bzip2", "-k", "-c", words(folder)]),
    "sort": lambda folder: Program(["sort", "--parallel=1", words(folder)]),
    "gzip": lambda folder: Program(["gzip", "-n", "-k", "-c", words(folder)]),
    "sqlite3": lambda _: Program(["sqlite3"], sql()),
    "python3": lambda _: Program(["/usr/bin/python3", "-S", "-c", PYTHON]),
}
IN_SUITE = ("bzip2", "gzip")
# The environment's size decides where the stack begins, and the tools have variables of their own there. python3 has 1.33
# million misses under both tools with an environment of one byte more, and 1.06 million with 500 to 2,000 more. So the
# table has the fewer of two runs.
PADDINGS = ("", 1000 * "a")


def user_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def run(command: list[str], program: Program, padding: str = PADDINGS[0]) -> tuple[str, float]:
    before = user_seconds()
    done = subprocess.run([*command, *program.command], input=program.stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "LC_ALL": "C", "PYTHONHASHSEED": "0", "PADDING": padding}, check=True, timeout=500)
    return done.stderr, user_seconds() - before


def cachegrind(valgrind: Path, work: Path, program: Program, instructions: str, padding: str = PADDINGS[0]) -> Counts:
    geometry = [f"--{name}={size},{ways},64" for name, (size, ways) in (("D1", FIRST), ("LL", LAST))]
    text, seconds = run([str(valgrind), "--tool=cachegrind", "--cache-sim=yes", f"--I1={instructions}", *geometry,
                         f"--cachegrind-out-file={work / 'cachegrind.out'}"], program, padding)

    def count(name: str) -> int:
        found = re.search(rf"{name}\s+misses:\s+([\d,]+)", text)
        if found is None:
            raise SystemExit(f"Cachegrind does not say '{name} misses':\n{text}")
        return int(found.group(1).replace(",", ""))

    return Counts(count("D1"), count("LLd"), seconds)


def memspy(valgrind: Path, work: Path, program: Program, padding: str = PADDINGS[0]) -> Counts:
    machine, profile = work / "machine", work / "profile.xml"
    machine.write_text(MACHINE.format(*FIRST, *LAST))
    _, seconds = run([str(valgrind), "--tool=memspy", "--cost=yes", f"--cost-machine={machine}", *SUPPRESSED,
                      f"--memspy-out-file={profile}"], program, padding)
    text = subprocess.run([valgrind.parent / "memspy-report", "cost", profile, "--format=tsv"], check=True, capture_output=True,
                          text=True).stdout
    titles, *lines = (line.split("\t") for line in text.splitlines())
    rows = [dict(zip(titles, line, strict=True)) for line in lines]
    return Counts(sum(int(row["l1_misses"]) for row in rows), sum(int(row["llc_misses"]) for row in rows), seconds)


def fewest(runs: list[Counts]) -> Counts:
    return Counts(min(each.first for each in runs), min(each.last for each in runs), min(each.seconds for each in runs))


def apart(ours: int, theirs: int) -> str:
    return f"{100 * (ours / theirs - 1):+.2f} %"


def print_table(valgrind: Path, work: Path) -> None:
    print("| program | first level: Cachegrind | memspy | last level: Cachegrind | memspy | time |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, prepare in PROGRAMS.items():
        program = prepare(work)
        ours = fewest([memspy(valgrind, work, program, padding) for padding in PADDINGS])
        theirs = fewest([cachegrind(valgrind, work, program, "8388608,8,64", padding) for padding in PADDINGS])
        usual = fewest([cachegrind(valgrind, work, program, "32768,8,64", padding) for padding in PADDINGS])
        print(f"| {name} | {theirs.first:,} | {apart(ours.first, theirs.first)} | {theirs.last:,} | {apart(ours.last, theirs.last)} |"
              f" {ours.seconds / usual.seconds:.2f} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    if arguments.table:
        print_table(arguments.valgrind, arguments.work)
        return 0
    failures = []
    for name in IN_SUITE:
        program = PROGRAMS[name](arguments.work)
        ours, theirs = memspy(arguments.valgrind, arguments.work, program), \
            cachegrind(arguments.valgrind, arguments.work, program, "8388608,8,64")
        for level, mine, other in (("first", ours.first, theirs.first), ("last", ours.last, theirs.last)):
            print(f"{name}, {level} level: memspy {mine:,}, Cachegrind {other:,}")
            if abs(mine - other) > SHARE * other + START:
                failures.append(f"{name}: misses of the {level} level differ by more than 1 % and {START}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
