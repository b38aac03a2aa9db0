#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that lines that processes take from each other are found in their profiles: false sharing with each process's
bytes, places and what to do, true sharing, and nothing for padded data and for what is only read; of windows that ranks
share, and of memory between forked processes, whatever its addresses are; and that merged profiles say the same in any
grouping. Exit status 77: this implementation of MPI is not installed."""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import sys
from pathlib import Path

from mpi_test import HERE, SCHEMA, Failure, Implementation, demand, run

ROUNDS = 10_000
RANKS = 3
QUIET = ["--tool=memspy", "-q", "--contention=no", "--zeros=no"]
Rows = list[dict[str, str]]


class Profiles:
    """The profiles of one run."""

    def __init__(self, valgrind: str, folder: Path) -> None:
        self.report = str(Path(valgrind).parent / "memspy-report")
        self.folder = folder
        self.files = sorted(file.name for file in folder.glob("profile.*.xml"))
        if shutil.which("xmllint"):
            run(["xmllint", "--noout", "--relaxng", str(SCHEMA), *self.files], folder)

    def rows(self, *files: str) -> Rows:
        table = run([self.report, "shared-memory", "--format=tsv", *(files or self.files)], self.folder).splitlines()
        return [dict(zip(table[0].split("\t"), line.split("\t"))) for line in table[1:]]

    def check_merges(self) -> None:
        rows = self.rows()
        for number, (first, second, *others) in enumerate(itertools.permutations(self.files)):
            run([self.report, "merge", "-o", f"pair.{number}.xml", first, second], self.folder)
            run([self.report, "merge", "-o", f"all.{number}.xml", *others, f"pair.{number}.xml"], self.folder)
            demand("rows of a merged profile", self.rows(f"all.{number}.xml"), rows)

    def check_reports(self) -> None:
        run([self.report, "merge", "-o", "merged.xml", *self.files], self.folder)
        text = run([self.report, "text", "merged.xml"], self.folder)
        demand("a table in the text", "Lines that processes take from each other, 1 of 1" in text, True)
        section = json.loads(run([self.report, "export", "--to=json", "merged.xml"], self.folder))["profile"]["shared-memory"]
        demand("lines and users in JSON", (len(section["lines"]), len(section["users"])), (1, RANKS))


def check_near(rows: Rows, what: str, word: str, first_line: int, bytes_apart: int) -> None:
    demand(f"rows of {what}", [row["sharing"] for row in rows], ["false"])
    row, = rows
    # Each of three has two loads or stores a round, and meets the stores of two others.
    fetches = RANKS * 2 * ROUNDS
    demand(f"fetches of {what}: {row['false_fetches']} of about {fetches}", abs(int(row["false_fetches"]) - fetches) < fetches // 50, True)
    demand(f"true ones of {what}: few", int(row["true_fetches"]) < 100, True)
    demand(f"what to do of {what}", row["advice"], f"give each process a line of its own: 64 bytes apart instead of {bytes_apart}")
    for number, user in enumerate(row["users"].split("; ")):
        part = f" stores {number * bytes_apart}-{(number + 1) * bytes_apart - 1} ("
        demand(f"{part} in {user} of {word} {number}", part in user and user.startswith(f"{word} {number if word == 'rank' else ''}"), True)
    demand(f"the line in {row['users']}", f":{first_line})" in row["users"], True)


def line_of(source: str, words: str) -> int:
    return next(number for number, line in enumerate((HERE / source).read_text().splitlines(), 1) if words in line)


def check_windows(implementation: Implementation) -> None:
    folder = implementation.compiled("shared_lines")
    for how in ("near", "padded", "same", "readers", "one-writer"):
        for file in folder.glob("profile.*"):
            file.unlink()
        run([*implementation.line(RANKS), implementation.valgrind, *QUIET, "--memspy-out-file=profile.%r.xml", "--log-file=log.%p",
             "./shared_lines", how], folder)
        profiles = Profiles(implementation.valgrind, folder)
        demand(f"profiles of {how}", profiles.files, [f"profile.{rank}.xml" for rank in range(RANKS)])
        rows = profiles.rows()
        if how == "near":
            check_near(rows, how, "rank", line_of("shared_lines.c", "counts beside others"), 8)
            demand("the window", rows[0]["memory"].startswith("memory of main (shared_lines.c:"), True)
            profiles.check_merges()
            profiles.check_reports()
            text = run([profiles.report, "mpi", *profiles.files], folder)
            demand("a line in memspy-report mpi", "take from each other: 1, 1 by false sharing" in text, True)
        elif how == "same":
            demand("rows of one counter", [row["sharing"] for row in rows], ["true"])
            demand("no advice", rows[0]["advice"], "")
        elif how == "one-writer":
            demand("rows of one writer", [row["sharing"] for row in rows], ["false"])
            demand("who stores beside readers", rows[0]["users"].count("stores"), 1)
        else:
            demand(f"rows of {how}", rows, [])
    reports = "".join(file.read_text() for file in folder.glob("log.*"))
    demand("reports beside them", [line for line in reports.splitlines() if "point" in line or "Invalid" in line], [])


def check_processes(valgrind: str, work: Path) -> None:
    run(["cc", "-g", "-O1", "-o", "shared_processes", str(HERE / "shared_processes.c"), "-lrt"], work)
    for kind in ("file", "anonymous", "segment"):
        for how in ("near", "padded"):
            for file in work.glob("profile.*"):
                file.unlink()
            run([valgrind, *QUIET, "--memspy-out-file=profile.%p.xml", "./shared_processes", kind, how], work)
            profiles = Profiles(valgrind, work)
            rows = profiles.rows()
            if how == "near":
                check_near(rows, kind, "process", line_of("shared_processes.c", "++all["), 4)
                demand(f"processes of {kind}", rows[0]["users"].count("process "), RANKS)
            else:
                demand(f"rows of {kind}, {how}", rows, [])
    for file in work.glob("memspy.out.*"):
        file.unlink()
    run([valgrind, *QUIET, "--shared-memory=no", "--memspy-out-file=profile.no.xml", "./shared_processes", "file", "near"], work)
    told = "by memspy-report shared-memory PROFILE..."
    for options, wanted in (["--log-file=told"], True), (["--log-file=told", "--shared-memory=no"], False):
        run([valgrind, "--tool=memspy", *options, "./shared_processes", "file", "near"], work)
        demand(f"{told} with {options}", told in (work / "told").read_text(), wanted)
    demand("without the option", "shared-memory>" in (work / "profile.no.xml").read_text(), False)


def check_library(valgrind: str, work: Path) -> None:
    """What a library of the system maps for itself is not followed: libomp notes itself in shared memory."""
    if not shutil.which("clang"):
        return
    (work / "teams.c").write_text("#include <omp.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\n    { }\n    return 0;\n}\n")
    run(["clang", "-fopenmp", "-g", "-o", "teams", "teams.c"], work)
    run([valgrind, *QUIET, "--memspy-out-file=profile.omp.xml", "./teams"], work)
    demand("what libomp maps", "shared-memory>" in (work / "profile.omp.xml").read_text(), False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("implementation", choices=["openmpi", "mpich", "none"])
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    try:
        if arguments.implementation == "none":
            check_processes(arguments.valgrind, arguments.work)
            check_library(arguments.valgrind, arguments.work)
        else:
            implementation = Implementation(arguments.implementation, arguments.valgrind, arguments.work)
            if not implementation.is_installed():
                print(f"skipped: no {implementation.compiler}")
                return 77
            check_windows(implementation)
    except Failure as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
