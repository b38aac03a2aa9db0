#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves of memspy-run, with a launcher and a tool of the test's own: which ranks it puts under memspy; that it finds the program
behind each launcher's options; that profiles are merged while ranks still run, and in a tree; that ranks without a profile are
named; that the exit status is the launcher's; and that wrong input gets one line."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RANKS = 12

# Starts the ranks of "-n 4 ./a : -n 8 ./b", two on each node. Rank 0 runs three seconds longer than the others.
LAUNCHER = """\
import os, subprocess, sys
started, rank, count = [], 0, 1
for part in " ".join(sys.argv[1:]).split(" : "):
    words = part.split()
    while words[0].startswith("-"):
        count = int(words[1]) if words[0] == "-n" else count
        words = words[2:]
    for _ in range(count):
        environment = {**os.environ, "PMI_RANK": str(rank), "PMI_SIZE": "12", "MPI_LOCALRANKID": str(rank % 2)}
        started.append(subprocess.Popen(words, env=environment))
        rank += 1
sys.exit(max(process.wait() for process in started))
"""
# In place of valgrind: writes the rank's profile. Rank 5 writes none.
TOOL = """\
import sys, time
sys.path.insert(0, {library!r})
import rank_profiles
file = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--memspy-out-file="))
rank = int(file.split(".")[-2])
time.sleep(4 if rank == 0 else 0)
open(file.replace("memspy.out.", "errors."), "w").write(rank_profiles.errors(rank))
if rank != 5:
    open(file + ".part", "w").write(rank_profiles.profile(rank, 12, 10))
    import os
    os.rename(file + ".part", file)
sys.exit(int(sys.argv[-1]) if sys.argv[-1].isdigit() else 0)
"""
WRONG = {
    ("--ranks=x", "./launch", "./a"): "is no rank, range, share",
    ("--ranks=7-3", "./launch", "./a"): "ends before it begins",
    ("--ranks=0%", "./launch", "./a"): "no share of the ranks",
    ("--merge-at-once=1", "./launch", "./a"): "at least 2",
    ("--merge-jobs=no", "./launch", "./a"): "invalid int value",
    ("--nonsense", "./launch", "./a"): "--nonsense",
    ("./launch", "-n", "2"): "no program",
    ("./no-launcher", "./a"): "does not start",
    (): "no launcher",
    ("--output=/dev/null/x", "./launch", "./a"): "no folder",
    ("--merge-only", "--output=nothing"): "no folder",
}


class Failure(Exception):
    pass


def demand(what: str, got: object, expected: object) -> None:
    if got != expected:
        raise Failure(f"{what}: {got}, expected {expected}")


def executable(path: Path, text: str) -> None:
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)


class Runs:
    def __init__(self, program: Path, report: Path, work: Path) -> None:
        self.work = work
        (work / "bin").mkdir()
        executable(work / "launch", LAUNCHER)
        executable(work / "bin/valgrind", TOOL.format(library=str(HERE.parent / "report/ranks")))
        executable(work / "a", "")
        (work / "bin/memspy-report").symlink_to(report)
        self.command = [sys.executable, str(program), f"--valgrind={work}/bin/valgrind"]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not re.match("OMPI_|PMI|SLURM_", name)}
        return subprocess.run([*self.command, *words], cwd=self.work, env=environment, capture_output=True, text=True,
                              timeout=60, check=False)

    def ranks(self, *words: str) -> list[int]:
        done = self.run("--output=out", *words)
        if done.returncode:
            raise Failure(f"{words}: exit status {done.returncode}\n{done.stderr}")
        return sorted(int(file.name.split(".")[-2]) for file in (self.work / "out").glob("memspy.out.*"))


def check(runs: Runs) -> None:
    for words, said in WRONG.items():
        done = runs.run(*words)
        if done.returncode != 2 or done.stdout or len(done.stderr.splitlines()) != 1 or said not in done.stderr:
            raise Failure(f"{words}: exit status {done.returncode}, it says\n{done.stdout}{done.stderr}")

    line = ("./launch", "-n", "12", "./a")
    demand("ranks of a list", runs.ranks("--ranks=2,8-9", *line), [2, 8, 9])
    demand("first ranks of nodes", runs.ranks("--ranks=first-of-node", "--no-merge", *line), [0, 2, 4, 6, 8, 10])
    demand("a quarter of the ranks", len(runs.ranks("--ranks=25%", "--no-merge", *line)), 3)
    demand("two programs", runs.ranks("--ranks=3,4", "./launch", "-n", "4", "./a", ":", "-n", "8", "./a", "word"), [3, 4])
    demand("a program that options hide", runs.ranks("--ranks=1", "--program=./a", "./launch", "--odd", "x", "-n", "12", "./a"), [1])

    done = runs.run("--output=all", "--merge-at-once=3", "./launch", "-n", "12", "./a", "7")
    demand("exit status", done.returncode, 7)
    for said in ("memspy-run: no profile of rank 5\n", "memspy-run: 11 ranks in "):
        if said not in done.stderr:
            raise Failure(f"{said!r} is not in\n{done.stderr}")
    if "rank 0-4, 6-11 of 12; there is no profile of rank 5\n" not in done.stdout:
        raise Failure(f"the report does not name the missing rank:\n{done.stdout}")
    demand("profiles left of the tree", sorted(file.name for file in (runs.work / "all").glob("merged*")), ["merged.xml"])
    tree = (runs.work / "all/merged.xml").read_text(encoding="utf-8")

    done = runs.run("--merge-only", "--output=all", "--merge-jobs=1")
    demand("exit status of the merge", done.returncode, 0)
    if (runs.work / "all/merged.xml").read_text(encoding="utf-8") != tree:
        raise Failure("a merge of all at once gives something else than the tree")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--report", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    arguments = parser.parse_args()
    work: Path = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        check(Runs(arguments.program.resolve(), arguments.report.resolve(), work))
    except Failure as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
