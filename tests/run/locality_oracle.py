#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that exact locality has each variable's accesses and scores by thread as a run-time of our own counts them.

Each kernel (locality/kernels: conjugate gradients and a sort by buckets, in C and in Fortran with COMMON blocks) is compiled twice: as
it is, for memspy, and with the hooks of gcc's -fsanitize=thread, on locality/oracle/oracle.c, which runs natively. For each variable
and block, with four threads and with one: the same threads read and write it, and each has as many accesses, and the same scores to
five digits. Neither has a variable that the other one lacks.

With --update it does so at the sizes of the kernels' sources (class S of the benchmarks that they are modelled on), and writes the
tables of tests/run/locality/kernels.md and the picture of docs/cases/locality.md.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
from driver import replace_between  # noqa: E402

HERE = Path(__file__).parent / "locality"
THREADS = 4
NEAR = 0.6e-5  # five digits, the last one rounded
FILLED = 0.02  # of the accesses to it
SMALL = {"gradient": ["-DROWS=200", "-DPAIRS=6", "-DOUTER=2", "-DINNER=8"],
         "sort": ["-DKEYS=4096", "-DVALUES=512", "-DBUCKETS=128", "-DROUNDS=3"]}
ELEMENT = re.compile(r"\w+\[\d+\]$")  # a block that an array's element holds
BLOCK = re.compile(r"^heap block (\w+\[\d+\]) of .*")


@dataclass
class Cell:
    """A variable's accesses by one thread."""
    use: str = "-"
    accesses: int = 0
    spatial: float = 0
    temporal: float = 0

    def is_near(self, other: Cell) -> bool:
        return (self.use, self.accesses) == (other.use, other.accesses) and abs(self.spatial - other.spatial) < NEAR and \
            abs(self.temporal - other.temporal) < NEAR

    def __str__(self) -> str:
        return f"{self.use} {self.accesses} {self.spatial:.5f} {self.temporal:.5f}"


Cells = dict[tuple[str, int], Cell]  # by variable and thread


class Kernel:
    def __init__(self, valgrind: Path, work: Path, source: Path, options: list[str]) -> None:
        self.valgrind, self.source = valgrind, source
        self.name = source.name
        self.plain = work / source.name.replace(".", "-")
        self.hooked = work / f"{self.plain.name}-hooked"
        compiler = ["gfortran", "-ffixed-line-length-none", "-w"] if source.suffix == ".F" else ["gcc"]
        flags = ["-g", "-O1", "-fopenmp", "-no-pie", *options]
        subprocess.run([*compiler, *flags, "-o", self.plain, source, "-lm"], check=True)
        made = self.hooked.with_suffix(".o")
        subprocess.run([*compiler, *flags, "-fsanitize=thread", "-c", "-o", made, source], check=True)
        subprocess.run([*compiler, *flags, "-o", self.hooked, made, "-lm", work / "liblocality.so", f"-Wl,-rpath,{work}"], check=True)

    def variables(self) -> str:
        """Those that have an address: each up to the next one, or to its symbol's end."""
        symbols = subprocess.run(["nm", "-S", self.hooked], check=True, capture_output=True, text=True).stdout
        ends = [(int(begin, 16), int(begin, 16) + int(size, 16))
                for begin, size in re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [bBdDC] ", symbols, re.MULTILINE)]
        text = subprocess.run(["readelf", "--wide", "--debug-dump=info", self.hooked], check=True, capture_output=True, text=True).stdout
        places: dict[int, str] = {}
        name = ""
        for line in text.splitlines():
            if "(DW_TAG_" in line:
                name = "?" if "DW_TAG_variable" in line else ""
            elif "DW_AT_name" in line and name == "?":
                name = line.split()[-1]
            elif found := re.search(r"DW_OP_addr: ([0-9a-f]+)(?:; DW_OP_plus_uconst: (\d+))?\)", line):
                if name not in ("", "?"):
                    places[int(found[1], 16) + int(found[2] or 0)] = name
        lines = []
        for begin, next_one in zip(sorted(places), [*sorted(places)[1:], 1 << 62]):
            end = [last for first, last in ends if first <= begin < last]
            if end:
                lines.append(f"{places[begin]} {begin:x} {min(next_one, *end):x}\n")
        return "".join(lines)

    def ask_oracle(self, threads: int) -> Cells:
        names, out = self.hooked.with_suffix(".names"), self.hooked.with_suffix(".tsv")
        names.write_text(self.variables())
        subprocess.run([self.hooked], check=True, stdout=subprocess.DEVNULL, timeout=900,
                       env=os.environ | {"OMP_NUM_THREADS": str(threads), "ORACLE_VARIABLES": str(names), "ORACLE_OUT": str(out)})
        cells: Cells = {}
        for name, thread, reads, writes, words, spatial, temporal in (line.split("\t") for line in out.read_text().splitlines()):
            if thread == "0":
                continue
            use = "R/W" if reads != "0" and writes != "0" else "R" if reads != "0" else "W"
            cells[name, int(thread)] = Cell(use, int(words), float(spatial), float(temporal))
        return cells

    def profile(self, mode: str, threads: int) -> Path:
        return self.plain.with_suffix(f".{mode}{threads}.xml")

    def ask_memspy(self, threads: int, mode: str) -> Cells:
        profile = self.profile(mode, threads)
        subprocess.run([self.valgrind, "--tool=memspy", "-q", "--defects=no", "--zeros=no", "--contention=no", f"--locality={mode}",
                        f"--memspy-out-file={profile}", self.plain], check=True, stdout=subprocess.DEVNULL, timeout=900,
                       env=os.environ | {"OMP_NUM_THREADS": str(threads)})
        cells: Cells = {}
        for row in self.table(profile, "--table=access"):
            name = BLOCK.sub(r"\1", row["object"])
            # The hooks do not see what others allocate for the program.
            if row["file"] != self.source.name or row["kind"] == "stack" or (row["kind"] in ("heap", "block") and not ELEMENT.match(name)):
                continue
            for thread in range(1, threads + 1):
                cells.setdefault((name, thread), Cell()).use = row[f"thread {thread}"]
        for row in self.table(profile, "--stream=block-thread,object-thread" if threads > 1 else "--stream=block,object"):
            name, _, number = row["name"].rpartition(", thread ") if threads > 1 else (row["name"], "", "1")
            cell = cells.get((BLOCK.sub(r"\1", name), int(number)))
            if cell is not None:
                scores = [math.nan if row[title] == "-" else float(row[title]) for title in ("spatial", "temporal")]
                cell.accesses = int(row["accesses"])
                cell.spatial, cell.temporal = scores
        return {key: cell for key, cell in cells.items() if cell.use != "-"}

    def table(self, profile: Path, *options: str) -> list[dict[str, str]]:
        report = self.valgrind.parent / "memspy-report"
        text = subprocess.run([report, "locality", profile, "--format=tsv", *options], check=True, capture_output=True, text=True).stdout
        titles, *lines = (line.split("\t") for line in text.splitlines())
        return [dict(zip(titles, line, strict=True)) for line in lines]


def differences(what: str, wanted: Cells, found: Cells) -> list[str]:
    failures = []
    none = Cell()
    for name, thread in sorted({*wanted, *found}):
        is_, should = found.get((name, thread), none), wanted.get((name, thread), none)
        if of := re.search(r" of thread (\d+)$", name):
            # The loader fills thread-local storage before: it is that many words, and other threads have no further ones.
            if int(of[1]) != thread or (is_.use == should.use and 0 <= is_.accesses - should.accesses <= FILLED * should.accesses):
                continue
        if not is_.is_near(should):
            failures.append(f"{what}: {name} by thread {thread} has {is_}, not {should}")
    return failures


MARKS = "<!-- kernels: begin, written by tests/run/locality_oracle.py -->", "<!-- kernels: end -->"
MAPS = {"sort.c": "sorted"}  # a picture of each
TITLES = {"gradient": "Conjugate gradients", "sort": "Sort by buckets"}


def table_of(kernel: Kernel, cells: Cells) -> str:
    """A row for each variable, a column for each thread."""
    lines = [f"### {TITLES[kernel.source.stem]}, `{kernel.name}`", "",
             "| variable | " + " | ".join(f"thread {thread}" for thread in range(1, THREADS + 1)) + " |", "| --- |" + " --- |" * THREADS]
    accesses: dict[str, int] = {}
    for (name, _), cell in cells.items():
        accesses[name] = accesses.get(name, 0) + cell.accesses
    for name in sorted(accesses, key=lambda name: -accesses[name]):
        texts = []
        for thread in range(1, THREADS + 1):
            found = cells.get((name, thread))
            texts.append(f"{found.use} {found.accesses:,} {found.spatial:.5f} {found.temporal:.5f}" if found else "-")
        lines.append(f"| `{name}` | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--update", type=Path, metavar="PAGE", help="write the tables of this page")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-g", "-O2", "-pthread", "-shared", "-fPIC", "-ftls-model=initial-exec", "-o", work / "liblocality.so",
                    HERE / "oracle/oracle.c"], check=True)
    failures: list[str] = []
    tables: list[str] = []
    profiles: dict[str, Path] = {}
    for source in sorted((HERE / "kernels").iterdir()):
        kernel = Kernel(arguments.valgrind, work, source, [] if arguments.update else SMALL[source.stem])
        for threads in (THREADS, 1):
            wanted, found = kernel.ask_oracle(threads), kernel.ask_memspy(threads, "exact")
            failures += differences(f"{kernel.name}, {threads} threads", wanted, found)
            if threads == THREADS:
                profiles[kernel.name] = kernel.profile("exact", threads)
                tables.append(table_of(kernel, found))
    for failure in failures:
        print(failure, file=sys.stderr)
    if arguments.update and not failures:
        replace_between(arguments.update, MARKS, "\n\n".join(tables))
        for name, variable in MAPS.items():
            picture = HERE.parent.parent.parent / f"docs/images/locality-{Path(name).stem}.png"
            subprocess.run([arguments.valgrind.parent / "memspy-report", "map", f"--object={variable}", "--format=png", f"--output={picture}",
                            profiles[name]], check=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
