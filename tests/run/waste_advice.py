#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves what `memspy-report waste --advice` says of programs as users write them, in C, C++ and Fortran, with -O2.

wasteful   the first sentence is on the line that the program's source marks with WASTE, and has the words that it needs
changed    the same program with -DFIXED, which does what the sentence says, has no sentence on that line; it prints the same
efficient  fine_*: no sentence
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "waste/advice"
COMPILERS = {".c": ["gcc"], ".cc": ["g++"], ".f90": ["gfortran", "-cpp", "-fno-inline"]}
# By the word behind WASTE.
WORDS = {
    "clear": "drop the memset",
    "initialised": "drop the ",
    "invariant": "in a local variable, or say restrict",
    "store in a loop": "store it once behind the loop",
    "search": "search by an index",
    "cleared": "only what is used",
    "copied": "",
    "formatted": "make the text",
    "length": "keep the length",
    "silent": "only what",
}


def compiled(source: Path, work: Path, *options: str) -> Path:
    program = work / (source.stem + "".join(options))
    subprocess.run([*COMPILERS[source.suffix], "-g", "-O2", *options, "-J", work, "-o", program, source] if source.suffix == ".f90" else
                   [*COMPILERS[source.suffix], "-g", "-O2", *options, "-o", program, source], check=True)
    return program


def advice(valgrind: Path, program: Path) -> tuple[str, list[dict[str, str]]]:
    profile = program.with_suffix(".xml")
    run = subprocess.run([valgrind, "--tool=memspy", "--waste=yes", "--defects=no", f"--memspy-out-file={profile}", program], check=True,
                         text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = subprocess.run([valgrind.parent / "memspy-report", "waste", "--advice", "--format=tsv", profile], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    return run.stdout, [dict(zip(rows[0], cells)) for cells in rows[1:]]


def failures_of(source: Path, valgrind: Path, work: Path) -> list[str]:
    output, rows = advice(valgrind, compiled(source, work))
    if source.name.startswith("fine_"):
        return [f"{source.name}: {row['advice']}" for row in rows]
    number, line = next((number, line) for number, line in enumerate(source.read_text().splitlines(), 1) if "WASTE: " in line)
    place, words = f"{source.name}:{number}", WORDS[line.split("WASTE: ")[1]]
    failures = []
    if not rows or rows[0]["line"] != place or words not in rows[0]["advice"]:
        failures.append(f"{source.name}: not '{words}' at {place}: {rows[0]['advice'] if rows else 'nothing'}")
    changed_output, rows = advice(valgrind, compiled(source, work, "-DFIXED"))
    failures += [f"{source.name} changed: {row['advice']}" for row in rows if row["line"] == place]
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
