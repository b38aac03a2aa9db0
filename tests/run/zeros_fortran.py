#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that planes of zeros in Fortran's allocatable arrays are told in the array's own dimensions, from its descriptor."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import driver

SOURCE = Path(__file__).resolve().parent / "zeros" / "fortran" / "planes.f90"
OF_MODULE = {"fields::wave of MAIN__": "10 of 12 planes (:,j,:) are zero"}
OF_FRAMES = {"grid of MAIN__": "29 of 30 stripes (i,:) are zero", "work of inner": "23 of 24 stripes (:,j) are zero"}
# Optimised code keeps no descriptors of local arrays.
TOLD = {"-O0": OF_MODULE | OF_FRAMES, "-O2": OF_MODULE}


EQUIVALENT = Path(__file__).resolve().parent / "locality" / "programs" / "equivalence.f"


def missing_equivalents(valgrind: Path, work: Path) -> list[str]:
    """Of local variables that EQUIVALENCE puts at the same bytes, the largest has the row, as in locality."""
    subprocess.run(["gfortran", "-g", "-O0", "-frecursive", "-o", "equivalence", str(EQUIVALENT)], cwd=work, check=True)
    command = [str(valgrind), "--tool=memspy", "-q", "--zeros=data", "--zeros-threshold=0", "--locality=exact", "--defects=no",
               "--contention=no", "--memspy-out-file=equivalence.xml", "./equivalence"]
    subprocess.run(command, cwd=work, capture_output=True, check=True, timeout=120)
    zeros = subprocess.run([valgrind.parent / "memspy-report", "table", "zeros.objects", "--format=tsv", "equivalence.xml"], cwd=work, capture_output=True, text=True,
                           check=True).stdout
    return [f"no row of zeros: {name}" for name in ("line", "whole", "marks", "other") if f"{name} of MAIN__\t" not in zeros]


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    if shutil.which("gfortran") is None:
        print("no gfortran")
        return driver.SKIPPED
    failed = []
    for level, told in TOLD.items():
        subprocess.run(["gfortran", "-g", level, "-J", str(work), "-o", "planes", str(SOURCE)], cwd=work, check=True)
        command = [valgrind, "--tool=memspy", "--zeros=data", "--zeros-threshold=0", "--defects=no", "--contention=no",
                   "--memspy-out-file=planes.xml", "./planes"]
        text = subprocess.run(command, cwd=work, capture_output=True, text=True, check=True, timeout=120).stderr
        lines = text.splitlines()
        for name, sentence in told.items():
            behind = [after for line, after in zip(lines, lines[1:]) if f"heap block {name}" in line]
            if len(behind) != 1 or sentence not in behind[0]:
                failed.append(f"{level}: of {name}: {behind}, not '{sentence}'")
    failed += missing_equivalents(Path(valgrind), work)
    print("\n".join(failed) or "passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
