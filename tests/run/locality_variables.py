#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that each variable that a program touches has its own row of locality: those of functions, of callers whose arrays
callees use, of recursions and of functions with arrays of variable length, and these arrays; members of COMMON blocks, variables that share
bytes (EQUIVALENCE), of modules, namespaces, classes and functions; each with the threads that access it, and as many accesses as the source makes. Memory cost has
the same variables of functions with the same accesses.

Programs are in C, C++ and Fortran, compiled by GCC and Clang. Where not stated otherwise, counts are of exact runs, and those of
words of eight bytes. Variables that the compiler keeps in registers have no row, so optimised programs are asked for `volatile`
ones and for arrays that callees use.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are

HERE = Path(__file__).resolve().parent / "locality" / "programs"
Row = dict[str, str]


class Program:
    """A compiled program, its rows of locality, and what is wrong with them."""

    def __init__(self, valgrind: Path, work: Path, failures: list[str], source: str, *command: str) -> None:
        self.what = f"{source}, {' '.join(command)}"
        self.failures = failures
        self.valgrind = valgrind
        work = work.resolve()
        self.program = work / f"{source}-{''.join(command)}".replace(" ", "")
        work.mkdir(parents=True, exist_ok=True)
        command = tuple(option for words in command for option in words.split())
        subprocess.run([*command, "-g", "-o", self.program, HERE / source], check=True, stderr=subprocess.DEVNULL, cwd=work)

    def run(self, mode: str) -> dict[str, Row]:
        """By object: its threads, size, kind and so on, and its accesses."""
        profile = Path(f"{self.program}-{mode}.xml")
        command: list[str | Path] = [self.valgrind, "--tool=memspy", "-q", "--defects=no", "--zeros=no", "--contention=no"]
        subprocess.run([*command, f"--locality={mode}", f"--memspy-out-file={profile}", self.program], check=True, timeout=120,
                       stdout=subprocess.DEVNULL)
        rows = {row["object"]: row for row in self.table(profile, "--table=access")}
        for row in self.table(profile, "--stream=object"):
            if row["name"] in rows:
                rows[row["name"]]["accesses"] = row["accesses"]
        return rows

    def demand_same_cost(self) -> None:
        """Locals that fit a word have as many loads and stores in memory cost as locality has accesses; of others a vector's access is
        one there, and two here."""
        profile = Path(f"{self.program}-cost.xml")
        command: list[str | Path] = [self.valgrind, "--tool=memspy", "-q", "--defects=no", "--zeros=no", "--contention=no", "--cost=yes"]
        subprocess.run([*command, f"--memspy-out-file={profile}", self.program], check=True, timeout=120, stdout=subprocess.DEVNULL)
        found: dict[str, int] = {}
        for row in self.table(profile, command="cost"):
            found[row["object"]] = found.get(row["object"], 0) + int(row["loads"]) + int(row["stores"])
        wanted: dict[str, int] = {}
        words: set[str] = set()
        profile = Path(f"{self.program}-exact.xml")
        subprocess.run([*command[:-1], "--locality=exact", f"--memspy-out-file={profile}", self.program], check=True, timeout=120,
                       stdout=subprocess.DEVNULL)
        named = {row["object"]: row for row in self.table(profile, "--table=access")}
        for row in self.table(profile, "--stream=object"):
            name = row["name"]
            if name not in named or named[name]["kind"] != "stack" or " of thread " in name:
                continue
            wanted[name] = wanted.get(name, 0) + int(row["accesses"])
            if int(named[name]["size"]) <= 8:
                words.add(name)
        if not wanted:
            self.failures.append(f"{self.what}: no locals")
        for name, count in wanted.items():
            least = count if name in words else count // 2
            if "-fopenmp" in self.what:  # the first of four threads may have its part of a team's work by its stack
                least = least * 3 // 4 - 1
            if not least <= found.get(name, 0) <= count:
                self.failures.append(f"{self.what}: cost has {found.get(name)} accesses to {name}, not {count}")

    def table(self, profile: Path, *options: str, command: str = "locality") -> list[Row]:
        report = self.valgrind.parent / "memspy-report"
        text = subprocess.run([report, command, profile, "--format=tsv", *options], check=True, capture_output=True, text=True).stdout
        titles, *lines = (line.split("\t") for line in text.splitlines())
        return [dict(zip(titles, line, strict=True)) for line in lines]

    def demand(self, rows: dict[str, Row], name: str, accesses: int | None, *threads: str, **columns: str) -> None:
        """Without `accesses`, any number; `threads` from the first on."""
        row = rows.get(name)
        if row is None:
            return self.failures.append(f"{self.what}: no row {name}")
        found = tuple(row[f"thread {number}"] for number in range(1, len(threads) + 1))
        if found != threads:
            self.failures.append(f"{self.what}: {name} by {found}, not {threads}")
        if accesses is not None and int(row["accesses"]) != accesses:
            self.failures.append(f"{self.what}: {row['accesses']} accesses to {name}, not {accesses}")
        for title, wanted in columns.items():
            if row[title] != wanted:
                self.failures.append(f"{self.what}: {title} of {name} is {row[title]}, not {wanted}")


def check_locals(make: type[Program], *where: object) -> None:
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            continue
        for level in ("-O0", "-O1", "-O2"):
            program = make(*where, "locals.c", compiler, level, "-pthread")  # type: ignore[arg-type]
            rows = program.run("exact")
            program.demand(rows, "table of main", 500 + 4 * 500, "R/W", "-", "-", "-", size="4000")
            program.demand(rows, "board of main", 10 + 3 * 500, "W", "R", "R", "R", size="80")
            program.demand(rows, "here of deep", 21 * 8 + 20 + 8, "R/W", "-", "-", "-", size="64")
            program.demand(rows, "before of stretched", 50 * 2 * 16, "R/W", "-", "-", "-", size="128")
            if (compiler, level) != ("clang", "-O2"):  # where debug information does not say where it is
                program.demand(rows, "pair of main", None, "R/W", "-", "-", "-", size="40")
            program.demand(rows, "own of work", 3 * (1 + 2 * 500 + 1), "-", "R/W", "R/W", "R/W", size="8")
            if level == "-O0":
                program.demand(rows, "i of fill", None, "R/W", "-", "-", "-", size="4")
                # In calls with the table, the board, for each depth, twice for each length; and one more test each time.
                tests = 501 + 11 + 21 * 9 + sum(n + 1 + 17 for n in range(10, 60))
                program.demand(rows, "count of fill", tests + 1 + 1 + 21 + 2 * 50, "R/W", "-", "-", "-", size="4")
                program.demand(rows, "depth of deep", 1 + 20 * 4 + 1, "R/W", "-", "-", "-", size="4")
                program.demand(rows, "count of stretched", None, "R/W", "-", "-", "-", size="4")


def check_namespaces(make: type[Program], *where: object) -> None:
    for compiler in ("g++", "clang++"):
        if shutil.which(compiler) is None:
            continue
        for level in ("-O0", "-O2"):
            try:
                program = make(*where, "shared_locals.cc", compiler, level, "-fopenmp", "-std=c++17")  # type: ignore[arg-type]
            except subprocess.CalledProcessError:
                continue  # without libomp
            rows = program.run("exact")
            own = ("R/W", "-", "-", "-")
            program.demand(rows, "state::counts", 400 + 400, "R/W", "R", "R", "R", size="3200", block="state")
            program.demand(rows, "state::(anonymous namespace)::hidden", 400 + 400, *own, size="3200")
            program.demand(rows, "Pool::slots", 400, "W", "-", "-", "-", size="3200")
            program.demand(rows, "Pool::take(int)::taken", 800, *own, size="8", function="take")
            program.demand(rows, "weights of total_of", 800, "R/W", "R", "R", "R", size="3200")
            program.demand(rows, "most of total_of", None, "R/W", "W", "W", "W", size="16")
            program.demand(rows, "caught of main", None, *own, size="32", file="shared_locals.cc", function="main")


def check_cost(make: type[Program], *where: object) -> None:
    for source, compilers, options in (("recursions.c", ("gcc", "clang"), []), ("lengths.c", ("gcc", "clang"), []), ("shared_locals.cc", ("g++",), ["-fopenmp", "-std=c++17"]),
                                       ("members.f", ("gfortran",), ["-fopenmp"])):
        for compiler in compilers:
            for level in ("-O0", "-O1"):
                if shutil.which(compiler) is not None:
                    program = make(*where, source, compiler, level, "-fno-inline", " ".join(options))  # type: ignore[arg-type]
                    program.demand_same_cost()


def check_members(make: type[Program], *where: object) -> None:
    if shutil.which("gfortran") is None:
        return
    for level in ("-O0", "-O1", "-O2"):
        program = make(*where, "members.f", "gfortran", level, "-fopenmp")  # type: ignore[arg-type]
        for mode in ("exact", "yes"):
            rows = program.run(mode)
            own = ("R/W", "-", "-", "-") if mode == "exact" else ()
            # Vector instructions make fewer accesses to words.
            is_counted = mode == "exact" and level != "-O2"
            readers = ("R/W", "R", "R", "R") if mode == "exact" else ()
            program.demand(rows, "a", 512 if is_counted else None, *readers, size="2048", block="values", file="members.f")
            program.demand(rows, "p", 512 if is_counted else None, *readers, size="2048", block="values")
            program.demand(rows, "colidx", 512 if is_counted else None, *readers, size="1024", block="indices")
            program.demand(rows, "q", None, *(("R/W", "R/W", "R/W", "R/W") if level == "-O0" and mode == "exact" else ()), block="values")
            program.demand(rows, "w", 1024 if is_counted else None, *own, size="4096", block="work")
            program.demand(rows, "rho of MAIN__", None, *(("R/W",) * 4 if mode == "exact" else ()), size="8")
            for name in ("first", "last", "step"):
                program.demand(rows, name, None, size="4")
        # -fopenmp makes locals of a program unit automatic, so that multiply's loop has no other statics.
        if "values_" in rows or "bounds_" in rows:
            program.failures.append(f"{program.what}: a COMMON block as a whole")


def check_divided(make: type[Program], *where: object) -> None:
    if shutil.which("gfortran") is None:
        return
    for level in ("-O0", "-O1 -fno-inline"):
        program = make(*where, "divided.f", "gfortran", level, "-fopenmp")  # type: ignore[arg-type]
        rows = program.run("exact")
        own = ("R/W", "-", "-", "-")
        program.demand(rows, "head", None, *own, size="800", block="work")
        program.demand(rows, "rest", 300 + 600, *own, size="2400", block="work")
        program.demand(rows, "x", 50 + 20, *own, size="400", block="flat")
        program.demand(rows, "y", 20, *own, size="400", block="flat")
        program.demand(rows, "part", None, *own, size="32", block="long")
        program.demand(rows, "behind", 6 + 20, "W", "-", "-", "-", size="160", block="long")
        for thread in range(4):
            cells = ["-"] * 4
            cells[thread] = "R/W" if level == "-O0" else "W"
            program.demand(rows, f"left of thread {thread + 1}", 40 if level == "-O0" else None, *cells, size="480", block="own")
            cells[thread] = "W"
            program.demand(rows, f"right of thread {thread + 1}", 20 if level == "-O0" else None, *cells, size="160", block="own")
        for name in ("all", "xy", "short", "work_", "own_"):
            if name in rows:
                program.failures.append(f"{program.what}: a row {name}")


def check_prepared(make: type[Program], *where: object) -> None:
    """Neither the loader nor who creates a thread uses the program's variables."""
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            continue
        try:
            program = make(*where, "prepared.c", compiler, "-O0", "-fopenmp")  # type: ignore[arg-type]
        except subprocess.CalledProcessError:
            continue  # without libomp
        rows = program.run("exact")
        program.demand(rows, "parts", 64, "R", "R", "R", "R", size="32")
        program.demand(rows, "operations", 64, "R", "R", "R", "R", size="16")
        for thread in range(4):
            cells = ["-"] * 4
            cells[thread] = "R"
            program.demand(rows, f"zeros of thread {thread + 1}", 16, *cells, size="3200")
            program.demand(rows, f"ones of thread {thread + 1}", 16, *cells, size="32")


def check_equivalences(make: type[Program], *where: object) -> None:
    if shutil.which("gfortran") is None:
        return
    for level, kind in ((level, kind) for level in ("-O0", "-O1") for kind in ("-fno-automatic", "-frecursive")):
        program = make(*where, "equivalence.f", "gfortran", level, kind)  # type: ignore[arg-type]
        rows = program.run("exact")
        of = "" if kind == "-fno-automatic" else " of MAIN__"
        # Each has the name of the largest, or of one of two of the same size.
        program.demand(rows, f"line{of}", 500, "R/W", size="3200", file="equivalence.f")
        program.demand(rows, f"whole{of}", 300, "R/W", size="1600", file="equivalence.f")
        program.demand(rows, f"marks{of}", 164, "R/W", size="256", file="equivalence.f")
        program.demand(rows, f"other{of}", 300, "R/W", size="1600", file="equivalence.f")
        declared = [row["file"] == "equivalence.f" for row in rows.values()]
        if declared != sorted(declared, reverse=True):
            program.failures.append(f"{program.what}: a row of another's before one of the program's: {list(rows)[:12]}")


def check_module(make: type[Program], *where: object) -> None:
    if shutil.which("gfortran") is None:
        return
    for level in ("-O0", "-O2"):
        program = make(*where, "module.f90", "gfortran", level, "-fno-inline", "-fno-ipa-cp", "-frecursive")  # type: ignore[arg-type]
        rows = program.run("exact")
        program.demand(rows, "state::counts", None, "R/W", size="256", block="state", file="module.f90")
        program.demand(rows, "state::field", None, "R/W", size="1024", block="state")
        program.demand(rows, "calls", None, "R/W", size="4", function="step")
        program.demand(rows, "work of state::step", None, "R/W", size="1024")
        program.demand(rows, "local of add", None, "R/W", size="1024")
        if level == "-O0":
            for name in ("state::field", "work of state::step", "local of add"):
                each = 10 * 2 * 128
                program.demand(rows, name, each + (128 + 128 if name == "state::field" else 0))


def check_allocated(make: type[Program], *where: object) -> None:
    """Blocks have the names of the arrays that they were allocated for, also where descriptors are in registers."""
    if shutil.which("gfortran") is None:
        return
    for level in ("-O0", "-O1", "-O2"):
        program = make(*where, "allocated.f90", "gfortran", level, "-fno-inline")  # type: ignore[arg-type]
        rows = {name.partition(" of ")[0].partition(" ")[2]: row for name, row in program.run("exact").items() if row["kind"] == "heap"}
        # Vector instructions make fewer accesses to words.
        counts = {"grid": 900 + 30 + 900, "left": 30 * 3 * 30, "right": 30 * 6 * 30, "scratch": 30 * 4 * 30}
        sizes = {"grid": 7200, "cells": 480, "sums": 240, "left": 240, "right": 480, "scratch": 240}
        for name, size in sizes.items():
            program.demand(rows, name, counts.get(name) if level == "-O0" else None, "R/W", size=str(size), file="allocated.f90")


def check_several(make: type[Program], *where: object) -> None:
    """Blocks that live at the same time are told as several, whatever analysis meets them first."""
    for mode in ("exact", "yes"):
        program = make(*where, "several.c", "gcc", "-O0")  # type: ignore[arg-type]
        rows = program.run(mode)
        program.demand(rows, "blocks of int[] rows of new_row (several.c:11)", 3 * 64, "W", size="256")
        program.demand(rows, "int[64] buffer of new_buffer (several.c:12)", 4 * 64, "W", size="256")


def check_elements(make: type[Program], *where: object) -> None:
    """A block among several has the name of the element that holds it, not of a pointer that goes from one to the next."""
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            continue
        program = make(*where, "elements.c", compiler, "-O0")  # type: ignore[arg-type]
        rows = program.run("exact")
        for number in range(4):
            program.demand(rows, f"counts[{number}]", None, "W", size="400", kind="block")
        for name in ("own", "made", "head"):
            if rows.get(name, {"kind": ""})["kind"] == "block":
                program.failures.append(f"{program.what}: a block {name}")


def check_lengths(make: type[Program], *where: object) -> None:
    """Arrays of variable length have rows, also where the stack has those of one line, or of the same function for another length."""
    kinds = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O1", "-O2")]
    for compiler, level in [*kinds, ("gcc", "-O0 -fstack-clash-protection"), ("gcc", "-O2 -fstack-clash-protection")]:
        if shutil.which(compiler) is None:
            continue
        program = make(*where, "lengths.c", compiler, level)  # type: ignore[arg-type]
        rows = program.run("exact")
        counts = range(11, 40)
        wanted = {f"{name} of main": accesses for name, accesses in (("left", 900 + 27000), ("right", 900 + 27000), ("product", 900 + 1))}
        wanted |= {"cells of weigh": sum(4 * n for n in counts), "sums of weigh": sum(2 * n for n in counts)}
        wanted["*bins of scratch"] = sum(2 * n for n in counts)
        for name, accesses in wanted.items():
            program.demand(rows, name, None, "R/W", file="lengths.c", function=name.partition(" of ")[2])
            # A protected stack is touched once in each page and in what is left, by a load and a store.
            touches = (6 if "main" in name else 2 * len(counts)) if "clash" in level else 0
            if name in rows and not accesses <= int(rows[name]["accesses"]) <= accesses + touches:
                program.failures.append(f"{program.what}: {rows[name]['accesses']} accesses to {name}, not {accesses}")
    if shutil.which("gfortran") is not None:
        for level in ("-O0", "-O2 -fno-inline"):
            program = make(*where, "lengths.f90", "gfortran", level, "-fstack-arrays")  # type: ignore[arg-type]
            rows = program.run("exact")
            lengths = range(201, 211)
            program.demand(rows, "next of smoothing::smooth", sum(2 * (n - 1) for n in lengths), "R/W")
            program.demand(rows, "weights of smoothing::smooth", sum(2 * n - 1 for n in lengths), "R/W")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    failures: list[str] = []
    for check in (check_locals, check_namespaces, check_members, check_divided, check_prepared, check_equivalences, check_module, check_allocated, check_several, check_elements, check_lengths, check_cost):
        check(Program, arguments.valgrind, arguments.work, failures)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
