#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that advice on sharing keeps what it says. Each program in sharing/programs has a line

    // EXPECT: KIND OBJECT 'regex of the advice' [hidden] [openmp]

As given, memspy finds that kind of sharing in that object, with that advice. With the advice applied (MENDED defined),
the events that it said it removes are gone but for a twentieth, and the run ends in virtual time when the given one
would have ended without them, within a twentieth. hidden: some of what threads exchange hides behind what only meets in
the line, and remains; so a sixth of the events may stay, and the gain is not checked. Where all events are to go, true
sharing among them, the run may end sooner. Advice that promises nothing: all events are gone. Compiled by gcc and clang;
openmp: with -fopenmp, by gcc.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).parent / "sharing" / "programs"
SLACK = 0.05
HIDDEN = 1 / 6


class Failed(Exception):
    """Something is not as expected."""


def run(valgrind: Path, compiler: str, program: Path, work: Path, mended: bool, flags: list[str]) -> ElementTree.Element:
    """The section <contention> of the program's run."""
    name = work / f"{program.stem}-{compiler}{'-mended' if mended else ''}"
    # Blocks of the alignment that a type asks for are new in C++17.
    command = [{"gcc": "g++", "clang": "clang++"}[compiler], "-std=c++17"] if program.suffix == ".cc" else [compiler]
    subprocess.run([*command, "-g", "-O1", "-pthread", *flags, *(["-DMENDED"] if mended else []), "-o", name, program],
                   check=True)
    profile = name.with_suffix(".xml")
    result = subprocess.run([valgrind, "--tool=memspy", "--defects=no", f"--memspy-out-file={profile}", name],
                            capture_output=True, text=True, check=False)
    section = ElementTree.parse(profile).getroot().find("contention")
    if result.returncode != 0 or section is None:
        raise Failed(f"{name.name}: {result.stderr}")
    return section


def number(element: ElementTree.Element, name: str) -> int:
    return int(element.get(name, "0"))


def end(section: ElementTree.Element) -> int:
    time = section.find("virtual-time")
    assert time is not None
    return number(time, "costly-end")


def events(section: ElementTree.Element) -> int:
    """Those that repeat, of all objects."""
    total = section.find("total/modelled")
    return 0 if total is None else number(total, "coherence-misses") + number(total, "invalidations")


def expectation(program: Path) -> list[str]:
    """Kind, object, advice, settings."""
    expected = re.search(r"^// EXPECT: (.*)$", program.read_text(encoding="utf-8"), re.MULTILINE)
    if expected is None:
        raise Failed(f"{program.name}: no line EXPECT")
    return shlex.split(expected[1])


def check(valgrind: Path, compiler: str, program: Path, work: Path) -> str:
    kind, thing, advice, *settings = expectation(program)
    flags = ["-fopenmp"] if "openmp" in settings else []
    given = run(valgrind, compiler, program, work, False, flags)
    groups = [group for group in given.iter("group") if group.get("finding") == "yes"]
    found = [group for group in groups if group.get("kind") == kind and thing in (group.findtext("what") or "")]
    told = "; ".join(f"{group.findtext('what')}: {group.findtext('advice')}" for group in groups)
    if not found:
        raise Failed(f"no {kind} of {thing}, but: {told}")
    text = found[0].findtext("advice") or ""
    if not re.search(advice, text):
        raise Failed(f"advice: {text}")
    mended = run(valgrind, compiler, program, work, True, flags)
    claim = re.search(r"removes? ([0-9,]+) of ([0-9,]+)", text)
    said = int(claim[1].replace(",", "")) if claim else events(given)
    gone = events(given) - events(mended)
    if gone < said * (1 - (HIDDEN if "hidden" in settings else SLACK)):
        raise Failed(f"{gone:,} events are gone, {said:,} were said")
    if kind != "FalseSharing" or claim is None or "hidden" in settings:
        return f"{gone:,} of {said:,} events gone"
    without, really = number(found[0], "end-without"), end(mended)
    all_go = claim is not None and claim[1] == claim[2]
    if (really - without if all_go else abs(without - really)) > SLACK * really:
        raise Failed(f"the run was to end after {without:,}, and ends after {really:,} ({end(given):,} as given)")
    return f"{gone:,} of {said:,} events gone; to end after {without:,}, ends after {really:,}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("programs", nargs="*", help="names; default: all")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    failures = 0
    for program in sorted([*HERE.glob("*.c"), *HERE.glob("*.cc")]):
        if arguments.programs and program.stem not in arguments.programs:
            continue
        compilers = ("gcc",) if "openmp" in expectation(program) else ("gcc", "clang")
        for compiler in filter(shutil.which, compilers):
            try:
                print(f"{program.stem}, {compiler}: {check(arguments.valgrind, compiler, program, arguments.work)}")
            except Failed as failure:
                print(f"{program.stem}, {compiler}: FAILED: {failure}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
