# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs as users write them, in C, C++ and Fortran, with -O2, and the advice that memspy-report gives on them.

A folder of sources. A line that wastes has a comment with the marker, such as `WASTE: clear`; with -DFIXED the program does
what the advice says. Those called fine_* need none.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

COMPILERS = {".c": ["gcc"], ".cc": ["g++"], ".f90": ["gfortran", "-cpp", "-fno-inline"]}
Row = dict[str, str]


@dataclass(frozen=True)
class AdvisedLine:
    place: str  # file:line
    words: str  # behind the marker


@dataclass(frozen=True)
class AdviceTest:
    folder: Path
    marker: str
    options: list[str]  # of the run
    command: str  # of memspy-report
    wanted: Callable[[AdvisedLine, list[Row]], str | None]  # the words that are not told, if any
    is_of: Callable[[AdvisedLine, Row], bool]  # whether the row would be the changed program's fault

    def advice(self, valgrind: Path, program: Path) -> tuple[str, list[Row]]:
        profile = program.with_suffix(".xml")
        run = subprocess.run([valgrind, "--tool=memspy", "--defects=no", *self.options, f"--memspy-out-file={profile}", program],
                             check=True, text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        text = subprocess.run([valgrind.parent / "memspy-report", self.command, "--advice", "--format=tsv", profile], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        rows = [line.split("\t") for line in text.splitlines()]
        return run.stdout, [dict(zip(rows[0], cells)) for cells in rows[1:]]

    def failures_of(self, source: Path, valgrind: Path, work: Path) -> list[str]:
        output, rows = self.advice(valgrind, compiled(source, work))
        if source.name.startswith("fine_"):
            return [f"{source.name}: {told(row)}" for row in rows]
        number, text = next((number, text) for number, text in enumerate(source.read_text().splitlines(), 1) if f"{self.marker}: " in text)
        line = AdvisedLine(f"{source.name}:{number}", text.split(f"{self.marker}: ")[1])
        failures = []
        if (missing := self.wanted(line, rows)) is not None:
            failures.append(f"{source.name}: not '{missing}' at {line.place}: {[told(row) for row in rows]}")
        changed_output, rows = self.advice(valgrind, compiled(source, work, "-DFIXED"))
        failures += [f"{source.name} changed: {told(row)}" for row in rows if self.is_of(line, row)]
        if changed_output != output:
            failures.append(f"{source.name}: the change prints something else")
        return failures

    def main(self, description: str | None) -> int:
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--valgrind", type=Path, required=True)
        parser.add_argument("--work", type=Path, required=True)
        parser.add_argument("--program", help="this one only")
        arguments = parser.parse_args()
        arguments.work.mkdir(parents=True, exist_ok=True)
        failures = []
        for source in sorted(self.folder.iterdir()):
            if arguments.program in (None, source.stem) and shutil.which(COMPILERS[source.suffix][0]) is not None:
                failures += self.failures_of(source, arguments.valgrind, arguments.work)
        for failure in failures:
            print(failure)
        return 1 if failures else 0


def told(row: Row) -> str:
    return f"{row['line']}: {row['advice']}"


def compiled(source: Path, work: Path, *options: str) -> Path:
    program = work / (source.stem + "".join(options))
    modules = ["-J", str(work)] if source.suffix == ".f90" else []
    subprocess.run([*COMPILERS[source.suffix], "-g", "-O2", *options, *modules, "-o", program, source], check=True)
    return program
