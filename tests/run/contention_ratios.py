#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints which part of the accesses of 13 kernels with 16 threads are misses or invalidations of lines that other threads have or had:
modelled, and in the order in which Valgrind ran the threads. With --update it writes the table of docs/validity.md.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
from driver import replace_between  # noqa: E402

TESTS = Path(__file__).resolve().parent.parent
THREADS = 16
MARKS = "<!-- ratios: begin, written by tests/run/contention_ratios.py -->", "<!-- ratios: end -->"


@dataclass(frozen=True)
class Kernel:
    name: str
    source: str
    size: str = ""


KERNELS = [
    Kernel("product and factors of a dense matrix", "kernels/dense.c", "64"),
    Kernel("conjugate gradients, few entries in a row", "kernels/sparse.c", "3000"),
    Kernel("Fourier transforms", "kernels/spectral.c", "2048"),
    Kernel("forces between all pairs", "kernels/nbody.c", "150"),
    Kernel("Jacobi steps on a grid", "kernels/structured.c", "24"),
    Kernel("fluxes over the edges of a mesh", "kernels/unstructured.c", "40"),
    Kernel("particles by drawn numbers", "kernels/montecarlo.c", "8000"),
    Kernel("conjugate gradients, 55 entries in a row", "run/locality/kernels/gradient.c"),
    Kernel("sort by buckets", "run/locality/kernels/sort.c"),
    Kernel("stencil, bands of rows", "perf/stencil.c", "3"),
    Kernel("conjugate gradients, five diagonals", "perf/conjugate_gradient.c", "5"),
    Kernel("an inner loop's variable that threads share", "run/sharing/programs/private_openmp.c"),
    Kernel("elements dealt out one by one", "run/sharing/twins/cyclic_openmp.c"),
]


def ratios(kernel: Kernel, valgrind: Path, work: Path) -> tuple[int, float, float]:
    """Accesses, and the modelled and the observed ratio."""
    source = TESTS / kernel.source
    program, profile = work / source.stem, work / f"{source.stem}.xml"
    copy = work / source.name
    text = re.sub(r"(num_threads\(|MOST_THREADS = )4", rf"\g<1>{THREADS}", source.read_text(encoding="utf-8"))
    copy.write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O2", "-w", "-fopenmp", f"-iquote{source.parent}", copy, "-o", program, "-lm"], check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS), "OMP_WAIT_POLICY": "passive"}
    subprocess.run([valgrind, "--tool=memspy", "-q", "--defects=no", "--zeros=no", f"--memspy-out-file={profile}", program,
                    *filter(None, [kernel.size])], check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    table = subprocess.run([valgrind.parent / "memspy-report", "table", "contention.total", profile, "--format=tsv"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    of = dict(zip(table[0].split("\t"), map(int, table[1].split("\t"))))
    accesses = of["loads"] + of["stores"]
    events = {order: sum(of[f"{order}.{kind}"] for kind in ("first-touches", "coherence-misses", "invalidations"))
              for order in ("modelled", "observed")}
    return accesses, events["modelled"] / accesses, events["observed"] / accesses


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--update", type=Path, metavar="PAGE", help="write the table of this page")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    found = [(kernel.name, *ratios(kernel, arguments.valgrind.resolve(), work)) for kernel in KERNELS]
    lines = ["| kernel | accesses | modelled | observed |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name} | {accesses:,} | {modelled:.5f} | {observed:.5f} |"
              for name, accesses, modelled, observed in sorted(found, key=lambda of: -of[2])]
    print("\n".join(lines))
    if arguments.update:
        replace_between(arguments.update, MARKS, "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
