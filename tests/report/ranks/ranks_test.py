#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that merged profiles of ranks have a row for each finding and each error, with the ranks that have it, least, median,
most and the outliers; that ranks without a profile are named; and that a tree of merges gives the same, byte for byte."""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import rank_profiles

RANKS = 40
MISSING = (13, 14, 39)


class Failure(Exception):
    pass


def demand(what: str, got: object, expected: object) -> None:
    if got != expected:
        raise Failure(f"{what}: {got}, expected {expected}")


class Report:
    def __init__(self, program: str, work: Path) -> None:
        self.program = program
        self.work = work

    def run(self, *words: str) -> str:
        done = subprocess.run([self.program, *words], cwd=self.work, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode or done.stderr:
            raise Failure(f"memspy-report {words[0]}: exit status {done.returncode}\n{done.stderr}")
        return done.stdout

    def merged_in_tree(self, files: list[str], generator: random.Random) -> str:
        """In groups of any size, in any order. Error files go with the profiles of their processes."""
        files = generator.sample(files, len(files))
        count = 0
        while len(files) > 1:
            results, first = [], 0
            while first < len(files):
                group = files[first:first + generator.randrange(1, 6)]
                first += len(group)
                count += 1
                results.append(f"part.{count}.xml")
                errors = [file.replace("memspy.out.", "errors.") for file in group if file.startswith("memspy.out.")]
                self.run("merge", "-o", results[-1], *generator.sample(group + errors, len(group + errors)))
            files = results
        return files[0]

    def rows(self, file: str) -> dict[str, dict[str, str]]:
        text = self.run("text", "--format=tsv", "--top=0", "--names=no", file)
        table = text[text.index("finding\twhere"):].partition("\n\n")[0].splitlines()
        names = table[0].split("\t")
        rows = [dict(zip(names, line.split("\t"))) for line in table[1:]]
        return {row["finding"]: row for row in rows}


def check(program: str, work: Path) -> None:
    present = [rank for rank in range(RANKS) if rank not in MISSING]
    for rank in present:
        (work / f"memspy.out.{rank}.xml").write_text(rank_profiles.profile(rank, RANKS, 12), encoding="utf-8")
        (work / f"errors.{rank}.xml").write_text(rank_profiles.errors(rank), encoding="utf-8")
    report = Report(program, work)
    profiles = [f"memspy.out.{rank}.xml" for rank in present]
    report.run("merge", "-o", "merged.xml", *profiles, *[file.replace("memspy.out.", "errors.") for file in profiles])
    whole = (work / "merged.xml").read_text(encoding="utf-8")
    for seed in range(3):
        tree = report.merged_in_tree(profiles, random.Random(seed))
        if (work / tree).read_text(encoding="utf-8") != whole:
            raise Failure(f"a tree of merges, {tree}, differs from merged.xml")

    text = report.run("text", "--names=no", "merged.xml")
    if "rank 0-12, 15-38 of 40; there is no profile of rank 13-14, 39\n" not in text:
        raise Failure("the report does not name the missing ranks:\n" + text[:500])
    if not text.index("Findings by rank") < text.index("\nContention: "):
        raise Failure("the findings by rank do not come first")
    rows = report.rows("merged.xml")
    sharing = rows["FalseSharing"]
    demand("ranks with the finding", sharing["which-ranks"], "0-12, 15-38")
    demand("number of them", sharing["ranks"], str(len(present)))
    demand("outliers", sharing["outliers"], "7: 50,000")
    demand("most", sharing["most"], "50000")
    if not 900 <= int(sharing["least"]) <= 920:
        raise Failure(f"least: {sharing['least']}")
    error = rows["UninitCondition"]
    counts = [rank + 1 for rank in present if rank % 3 == 0]
    demand("ranks with the error", error["which-ranks"],
           "0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36")
    demand("least, most and sum of the error", (error["least"], error["most"], error["sum"]),
           (str(min(counts)), str(max(counts)), str(sum(counts))))
    demand("median of the error", error["median"], str(statistics.median_low(counts)))
    demand("where the error is", error["where"], "solve (solve.c:12)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    work: Path = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        check(arguments.report, work)
    except Failure as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
