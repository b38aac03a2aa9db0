#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves what `memspy-report heap --advice` says of programs as users write them, in C, C++ and Fortran, with -O2.

wasteful   a sentence of the kind, and with the words, that the program's source has behind ADVICE is on that line
changed    the same program with -DFIXED, which does what the sentence says, has none of that kind; it prints the same
efficient  fine_*: no sentence
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "heap/advice"
COMPILERS = {".c": ["gcc"], ".cc": ["g++", "-std=c++17"], ".f90": ["gfortran", "-cpp", "-fno-inline"]}


def compiled(source: Path, work: Path, *options: str) -> Path:
    program = work / (source.stem + "".join(options))
    modules = ["-J", str(work)] if source.suffix == ".f90" else []
    subprocess.run([*COMPILERS[source.suffix], "-g", "-O2", *options, *modules, "-o", program, source], check=True)
    return program


def advice(valgrind: Path, program: Path) -> tuple[str, list[dict[str, str]]]:
    profile = program.with_suffix(".xml")
    run = subprocess.run([valgrind, "--tool=memspy", "--heap-profile=accesses", "--defects=no", "--zeros=no", f"--memspy-out-file={profile}", program],
                         check=True, text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = subprocess.run([valgrind.parent / "memspy-report", "heap", "--advice", "--format=tsv", profile], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    return run.stdout, [dict(zip(rows[0], cells)) for cells in rows[1:]]


def failures_of(source: Path, valgrind: Path, work: Path) -> list[str]:
    output, rows = advice(valgrind, compiled(source, work))
    told = [f"{row['line']} {row['kind']}: {row['advice']}" for row in rows]
    if source.name.startswith("fine_"):
        return [f"{source.name}: {each}" for each in told]
    number, line = next((number, line) for number, line in enumerate(source.read_text().splitlines(), 1) if "ADVICE: " in line)
    kind, words = line.split("ADVICE: ")[1].split(": ")
    place, failures = f"{source.name}:{number}", []
    if not any(row["line"] == place and row["kind"] == kind and words in row["advice"] for row in rows):
        failures.append(f"{source.name}: not '{words}' at {place}: {told}")
    changed_output, rows = advice(valgrind, compiled(source, work, "-DFIXED"))
    failures += [f"{source.name} changed: {row['advice']}" for row in rows if row["kind"] == kind]
    if changed_output != output:
        failures.append(f"{source.name}: the change prints something else")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--program", help="this one only")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    failures = []
    for source in sorted(PROGRAMS.iterdir()):
        if arguments.program in (None, source.stem) and shutil.which(COMPILERS[source.suffix][0]) is not None:
            failures += failures_of(source, arguments.valgrind, arguments.work)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
