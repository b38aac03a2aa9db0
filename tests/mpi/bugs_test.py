#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that of small programs with one mistake in MPI each (bugs/) nearly all are told, with a kind that fits and a line of the
program, and that nearly none of the same programs without it is. The latter run in one process after the other, and each alone
if anything is told of them. Prints precision and recall. Exit status 77: this implementation of MPI is not installed."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from reports import kinds_in

SOURCES = Path(__file__).resolve().parent / "bugs"
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
PRECISION, RECALL = 0.97, 0.90


@dataclass(frozen=True)
class Bug:
    source: str
    name: str
    expected: frozenset[str]
    ranks: int


@dataclass(frozen=True)
class Place:
    implementation: str
    valgrind: str
    work: Path


def build(place: Place) -> list[Bug]:
    bugs = []
    for source in sorted((*SOURCES.glob("*.c"), *SOURCES.glob("*.f90"))):
        program = place.work / source.stem
        compiler = ["mpif90"] if source.suffix == ".f90" else ["mpicc", "-std=gnu11"]
        compiler[0] += f".{place.implementation}"
        if shutil.which(compiler[0]):
            subprocess.run([*compiler, "-w", "-g", "-O0", "-o", program, source], cwd=place.work, check=True)
        else:
            print(f"left out: {source.name}, there is no {compiler[0]}")
            continue
        listed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        for line in listed.splitlines():
            name, expected, ranks = line.split()
            bugs.append(Bug(source.stem, name, frozenset(expected.split("|")), int(ranks)))
    return bugs


def reports(place: Place, bug: Bug, names: str, wrong: int, hang: int = 2) -> set[str]:
    """Kinds of the reports of all ranks; those without a line of the program have a "?". All ranks are stuck if none does
    anything for `hang` seconds. `names`: the bug's, or those of some that run as it does."""
    for old in place.work.glob("errors.*"):
        old.unlink()
    line = [f"mpirun.{place.implementation}", "-np", str(bug.ranks), place.valgrind, "--tool=memspy", "--leak-check=no",
            "--contention=no", "--zeros=no", f"--mpi-hang={hang}", "--xml=yes", "--xml-file=errors.%p.xml",
            "--memspy-out-file=none", f"./{bug.source}", names, str(wrong)]
    try:
        subprocess.run(line, cwd=place.work, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return {"timeout"}
    return kinds_in(place.work, (f"{bug.source}.c", f"{bug.source}.f90", "bugs.h"))


def false_reports(place: Place, bugs: list[Bug]) -> list[tuple[Bug, set[str]]]:
    """Those of `bugs` without their mistakes of which something is told, and what."""
    alike: dict[tuple[str, int], list[Bug]] = {}
    for bug in bugs:
        of_one = bug.name if bug.source.startswith("fortran") else ""  # runs one at a time
        alike.setdefault((bug.source + of_one, bug.ranks), []).append(bug)
    found = []
    for several in alike.values():
        if not reports(place, several[0], ",".join(bug.name for bug in several), 0):
            continue
        for bug in several:
            told = reports(place, bug, bug.name, 0)
            if told == {"MpiDeadlock"}:  # on a busy machine a rank may get no processor for seconds
                told = reports(place, bug, bug.name, 0, hang=15)
            if told:
                found.append((bug, told))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--part", default="0/1", metavar="I/N", help="only each N-th program")
    parser.add_argument("--wrong-part", default="0/1", metavar="I/N", help="with the mistake only each N-th of these")
    parser.add_argument("implementation", choices=["openmpi", "mpich"])
    parser.add_argument("names", nargs="*", help="only these programs, or all of these sources")
    arguments = parser.parse_args()
    if not shutil.which(f"mpicc.{arguments.implementation}"):
        print(f"skipped: no mpicc.{arguments.implementation}")
        return 77
    place = Place(arguments.implementation, arguments.valgrind, arguments.work.resolve())
    shutil.rmtree(place.work, ignore_errors=True)
    place.work.mkdir(parents=True)
    index, parts = (int(word) for word in arguments.part.split("/"))
    wrong_index, wrong_parts = (int(word) for word in arguments.wrong_part.split("/"))
    bugs = [bug for number, bug in enumerate(build(place)) if number % parts == index % parts
            and (not arguments.names or {bug.name, bug.source} & set(arguments.names))]
    all_false = false_reports(place, bugs)
    for bug, found in all_false:
        print(f"false: {bug.source} {bug.name}: {sorted(found)}", flush=True)
    told = missed = 0
    for bug in bugs[wrong_index % wrong_parts::wrong_parts]:
        found = reports(place, bug, bug.name, 1)
        if found & bug.expected:
            told += 1
        else:
            missed += 1
            print(f"missed: {bug.source} {bug.name}: {sorted(found)}, expected {sorted(bug.expected)}", flush=True)
    false = len(all_false)
    precision, recall = told / max(1, told + false), told / max(1, told + missed)
    print(f"{told + missed} mistakes: {missed} missed, {false} false; precision {precision:.3f}, recall {recall:.3f}")
    # One of a small part may be wrong.
    return 0 if (false <= 1 or precision >= PRECISION) and (missed <= 1 or recall >= RECALL) else 1


if __name__ == "__main__":
    sys.exit(main())
