#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that sampled locality is as near to the exact one as it says.

21 programs, twelve of them with threads: each stream with a hundredth of a program's accesses (all, threads, objects, blocks, functions,
pairs of these). Of all scores nine tenths are within one told error, 19 of 20 within two, and 99 of 100 within five; where a normal
distribution has two thirds within one. A told error is at most 1: the scores' own range.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are

HERE = Path(__file__).resolve().parent / "locality"
CLASSES = HERE.parent.parent / "kernels"
ROUNDED = 0.0005  # of a profile's numbers
SHARE = 100
LEAST_WITHIN = {1: 0.90, 2: 0.95, 5: 0.99}


@dataclass
class Program:
    source: Path
    options: str = ""  # of the compiler
    argument: str = ""
    threads: int = 1


PROGRAMS = [*(Program(CLASSES / f"{name}.c", "-O2 -fopenmp", size, 2) for name, size in
              (("dense", "90"), ("sparse", "5000"), ("spectral", "4096"), ("nbody", "300"), ("structured", "34"), ("unstructured", "64"),
               ("montecarlo", "400000"))),
            *(Program(CLASSES / f"{name}.c", "-O2", size) for name, size in
              (("dense_packed", "128"), ("sparse_factor", "40"), ("spectral_radix4", "16384"), ("nbody_lists", "8"),
               ("structured_fields", "100"), ("unstructured_elements", "10"), ("montecarlo_integral", "20000"))),
            Program(HERE / "programs/gradient.c", "-O2 -fopenmp", "", 4),
            Program(HERE / "programs/sort.c", "-O2 -fopenmp", "", 4),
            Program(HERE / "programs/phases.c", "-O1 -pthread", "threads", 2),
            Program(HERE / "kernels/gradient.c", "-O1 -fopenmp -DROWS=1400 -DPAIRS=27 -DOUTER=1 -DINNER=25", "", 4),
            Program(HERE / "kernels/gradient.F", "-O1 -fopenmp -DROWS=1400 -DPAIRS=27 -DOUTER=1 -DINNER=25", "", 4),
            Program(HERE / "kernels/sort.c", "-O1 -fopenmp", "", 4),
            Program(HERE / "kernels/sort.F", "-O1 -fopenmp", "", 4)]

Rows = dict[tuple[str, str], dict[str, str]]  # by kind and name


def rows_of(valgrind: Path, work: Path, program: Program, mode: str) -> Rows:
    made = work / f"{program.source.parent.name}-{program.source.name.replace('.', '-')}"
    compiler = ["gfortran", "-ffixed-line-length-none", "-w"] if program.source.suffix == ".F" else ["gcc"]
    subprocess.run([*compiler, "-g", *program.options.split(), "-o", made, program.source, "-lm"], check=True)
    profile = made.with_suffix(".xml")
    subprocess.run([valgrind, "--tool=memspy", "-q", "--defects=no", "--zeros=no", "--contention=no", f"--locality={mode}",
                    f"--memspy-out-file={profile}", made, *program.argument.split()], check=True, stdout=subprocess.DEVNULL, timeout=300,
                   env=os.environ | {"OMP_NUM_THREADS": str(program.threads)})
    text = subprocess.run([valgrind.parent / "memspy-report", "locality", profile, "--format=tsv"], check=True, capture_output=True,
                          text=True).stdout
    titles, *lines = (line.split("\t") for line in text.splitlines())
    rows = (dict(zip(titles, line, strict=True)) for line in lines)
    return {(row["stream"], row["name"]): row for row in rows if row["stream"] != "line"}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    failures: list[str] = []
    distances: list[float] = []  # in told errors
    for program in PROGRAMS:
        exact, sampled = (rows_of(arguments.valgrind, arguments.work, program, mode) for mode in ("exact", "yes"))
        all_accesses = int(exact["all", "all"]["accesses"])
        for key, wanted in exact.items():
            if int(wanted["accesses"]) < all_accesses / SHARE:
                continue
            found = sampled.get(key)
            what = f"{program.source.name}: {' '.join(key)}"
            if found is None or found["spatial"] == "-":
                failures.append(f"{what} has no scores")
                continue
            for title in ("spatial", "temporal"):
                error = float(found[f"{title}_error"])
                apart = max(0.0, abs(float(found[title]) - float(wanted[title])) - ROUNDED)
                distances.append(apart / error if error > 0 else 0 if apart == 0 else 99)
                if error > 1:
                    failures.append(f"{what}: {title} error {error}")
                if distances[-1] > 2:
                    print(f"{what}: {title} {found[title]} ±{error}, not {wanted[title]}")
    for errors, least in LEAST_WITHIN.items():
        share = sum(distance <= errors for distance in distances) / len(distances)
        print(f"{share:.3f} of {len(distances)} scores are within {errors} told errors")
        if share < least:
            failures.append(f"only {share:.3f} of the scores are within {errors} told errors")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
