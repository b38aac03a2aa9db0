#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that mistakes in MPI that need what several ranks do, or what the library keeps, are reported with their kind and the
line of the program, and that the correct program beside each is silent. Exit status 77: this implementation of MPI is not
installed."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from reports import kinds_in

SOURCE = Path(__file__).resolve().parent / "mistakes.c"
EXPECTED = re.compile(r"// expect (\w+): (\w+)")
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# What may follow a mistake.
OWN = ("MpiDeadlock", "MpiTruncation", "MpiLeak", "InvalidRead", "InvalidWrite", "Overlap")


def reports(implementation: str, valgrind: str, work: Path, kind: str, wrong: int) -> set[str]:
    """Kinds of the reports of both ranks; those without a line of the program are told by a "?"."""
    for old in work.glob("errors.*"):
        old.unlink()
    line = [f"mpirun.{implementation}", *(["--oversubscribe"] if implementation == "openmpi" else []), "-np", "2", valgrind,
            "--tool=memspy", "--leak-check=no", "--contention=no", "--zeros=no", "--mpi-hang=2", "--xml=yes",
            "--xml-file=errors.%p.xml", "--memspy-out-file=none", "./mistakes", kind, str(wrong)]
    subprocess.run(line, cwd=work, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    return kinds_in(work, (SOURCE.name,))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("implementation", choices=["openmpi", "mpich"])
    parser.add_argument("--part", default="0/1", metavar="I/N", help="only each N-th kind")
    parser.add_argument("kinds", nargs="*", help="only these")
    arguments = parser.parse_args()
    implementation = arguments.implementation
    if not shutil.which(f"mpicc.{implementation}"):
        print(f"skipped: no mpicc.{implementation}")
        return 77
    work: Path = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    subprocess.run([f"mpicc.{implementation}", "-g", "-O0", "-o", work / "mistakes", SOURCE], check=True)
    bad = 0
    index, parts = (int(word) for word in arguments.part.split("/"))
    for kind, expected in EXPECTED.findall(SOURCE.read_text())[index % parts::parts]:
        if arguments.kinds and kind not in arguments.kinds:
            continue
        for wrong, wanted in ((0, set[str]()), (1, {expected})):
            found = reports(implementation, arguments.valgrind, work, kind, wrong)
            if wrong:
                found -= set(OWN) - wanted
            if found != wanted:
                bad += 1
                print(f"FAILED: {kind} {wrong}: {sorted(found)}, expected {sorted(wanted)}")
    print("passed" if bad == 0 else f"{bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
