#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that --races=yes reports the races of small programs at their lines, and nothing on correct ones.

Each file of races_programs/ is many programs, `-DCASE=1` and so on. `race: NAME` in a comment marks the lines of one
race: a reported pair of lines must be among the lines of one NAME, and each NAME must be reported (`maybe`: it need
not). A case without such a mark is correct. Those of POSIX threads in C are linked statically, too. The test demands
that nothing is reported at other lines and that nine of ten races are: some show only where threads are scheduled so.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEAST_RECALL = 0.9
COMPILERS = {".c": ["gcc", "clang"], ".cc": ["g++", "clang++"], ".F90": ["gfortran"]}


@dataclass
class RaceProgram:
    source: Path
    case: int
    flags: list[str]
    races: dict[str, set[int]]
    maybe: set[str]

    @property
    def name(self) -> str:
        return f"{self.source.name}:{self.case}"


@dataclass
class Outcome:
    found: int = 0
    false: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def programs_of(source: Path) -> list[RaceProgram]:
    lines = source.read_text(encoding="utf-8").splitlines()
    flags = next(line.split("FLAGS:")[1].split() for line in lines if "FLAGS:" in line)
    cases: dict[int, RaceProgram] = {}
    case = 0
    for number, line in enumerate(lines, 1):
        if re.match(r"#(?:el)?if CASE == ", line):
            numbers = [int(found) for found in re.findall(r"CASE == (\d+)", line)]
            case = numbers[0]
            for one in numbers:
                cases.setdefault(one, RaceProgram(source, one, flags, {}, set()))
        elif re.match(r"#endif|#else", line):
            case = 0
        elif (marked := re.search(r"(?://|!) (?:race|order)(?:\((\d+)\))?: (.*)", line)) and (of_case := int(marked.group(1) or case)):
            of = cases.setdefault(of_case, RaceProgram(source, of_case, flags, {}, set()))
            names = marked.group(2).split()
            if names[-1] == "maybe":
                names.pop()
                of.maybe.update(names)
            for name in names:
                of.races.setdefault(name, set()).add(number)
    return list(cases.values())


def check(program: RaceProgram, compiler: str, level: str, valgrind: Path, work: Path) -> Outcome:
    folder = work.resolve() / f"{program.source.stem}-{program.case}-{compiler}{level.replace(' ', '')}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([compiler, "-g", "-w", *level.split(), *program.flags, f"-DCASE={program.case}", program.source, "-o", folder / "program"],
                   check=True, capture_output=True, text=True, cwd=folder)  # where Fortran writes modules
    contention = "yes" if program.case & 4 else "no"  # both decide which thread runs
    done = subprocess.run([valgrind, "--tool=memspy", "-q", "--races=yes", "--defects=no", "--zeros=no", f"--contention={contention}",
                           f"--memspy-out-file={folder}/run.xml", folder / "program"], capture_output=True, text=True,
                          timeout=120, check=False)
    outcome = Outcome()
    if done.returncode != 0:
        outcome.false.append(f"status {done.returncode}: {done.stderr[-400:]}")
        return outcome
    pairs: list[tuple[int, int]] = []
    if (folder / "run.xml").exists():
        locks = program.source.stem.startswith("lock_order")
        table = subprocess.run([valgrind.parent / "memspy-report", "races", folder / "run.xml", "--format=tsv",
                                *(["--locks"] if locks else [])], capture_output=True, text=True, check=True).stdout.splitlines()
        for row in table[1:]:
            places = row.split("\t")[0:2] if locks else row.split("\t")[1:3]
            sides = [re.search(r":(\d+)$", place) for place in places]
            pairs.append((int(sides[0].group(1)) if sides[0] else 0, int(sides[1].group(1)) if sides[1] else 0))
    found = set()
    for pair in pairs:
        named = [name for name, lines in program.races.items() if set(pair) <= lines]
        if named:
            found.update(named)
        else:
            outcome.false.append(f"lines {pair[0]} and {pair[1]}")
    outcome.found = len(found - program.maybe)
    outcome.missed = sorted(set(program.races) - found - program.maybe)
    shutil.rmtree(folder)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--all", action="store_true", help="all compilers and levels, not one for each program")
    parser.add_argument("--part", default="0/1", metavar="I/N", help="only each N-th program")
    parser.add_argument("--only", default="", help="programs whose name has this, such as pthreads.c:7")
    arguments = parser.parse_args()
    index, parts = (int(word) for word in arguments.part.split("/"))
    wanted = []
    for source in sorted((HERE / "races_programs").iterdir()):
        compilers = [name for name in COMPILERS.get(source.suffix, []) if shutil.which(name)]
        variants = [(compiler, level) for level in ("-O0", "-O2") for compiler in compilers]
        for program in programs_of(source):
            if program.case % parts != index % parts or arguments.only not in program.name:
                continue
            chosen = variants if arguments.all else [variants[program.case % len(variants)]] if variants else []
            wanted += [(program, compiler, level) for compiler, level in chosen]
            if source.suffix == ".c" and "-pthread" in program.flags:
                wanted.append((program, "gcc", f"-O{program.case % 2 * 2} -static"))
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda one: check(one[0], one[1], one[2], arguments.valgrind, arguments.work), wanted))
    found = sum(outcome.found for outcome in outcomes)
    false = sum(len(outcome.false) for outcome in outcomes)
    missed = sum(len(outcome.missed) for outcome in outcomes)
    for (program, compiler, level), outcome in zip(wanted, outcomes):
        for text in outcome.false:
            print(f"{program.name} {compiler} {level}: false: {text}")
        for text in outcome.missed:
            print(f"{program.name} {compiler} {level}: missed: {text}")
    print(f"{len(outcomes)} programs, {found} races found, {missed} missed, {false} false: "
          f"precision {found / max(1, found + false):.3f}, recall {found / max(1, found + missed):.3f}")
    return int(false > 0 or found < LEAST_RECALL * (found + missed))


if __name__ == "__main__":
    sys.exit(main())
