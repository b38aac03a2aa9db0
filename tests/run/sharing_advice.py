#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that advice on sharing keeps what it says. Each program in sharing/programs has a line

    // EXPECT: KIND OBJECT 'regex of the advice' [hidden] [openmp] [apart] [plain] [several] [combined] [unsteady] [in=NAME]

or several, one for each piece of advice (KIND: two with | where both have about as many events). As given, memspy finds that kind of sharing in that object, with that advice. With
the advice applied (MENDED defined as its number, from 1 on), the events that it said it removes are gone but for a twentieth,
and what is left costs the run as much virtual time as it was to cost without them, within a twentieth of the run. hidden:
some of what threads exchange hides behind what only meets in the line, and remains; so a sixth of the events may stay, and
the gain is not checked. Where all events are to go, true sharing among them, it may cost less. Advice that promises nothing: all events of the finding are gone. Compiled by
gcc and clang; openmp: with -fopenmp, by gcc (or gfortran, where the line begins with an exclamation mark). apart: with defects, so that red zones part blocks, as by default. plain: without optimisation. several: the gain is that of one of the finding's objects, and is
not checked. combined: what threads have in copies is put together in the end, which has events, too, so the gain is within a tenth.
unsteady: how often threads meet in what is left depends on who waits for whom, so only that events go is checked. in: only events
on objects whose names begin so count, and the run's end does not: threads that no longer wait for these lines meet more often in
others. Lines
`// TELLS: 'regex'` are what memspy-report's text and the HTML page must say besides, with types, variables and members; `// LEAVES-OUT:
'regex'` are what the log must not have.
"""

from __future__ import annotations

import argparse
import csv
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
import cases  # noqa: E402

HERE = Path(__file__).parent / "sharing" / "programs"
SLACK = 0.05
ABOUT = 0.1  # the advice says itself that its figure is about right
HIDDEN = 1 / 6


class Failed(Exception):
    """Something is not as expected."""


def run(valgrind: Path, compiler: str, program: Path, work: Path, mended: int, settings: list[str]) -> ElementTree.Element:
    """The section <contention> of the program's run. mended: number of the advice that is applied, or 0."""
    name = work / f"{program.stem}-{compiler}{f'-mended{mended}' if mended else ''}"
    # Blocks of the alignment that a type asks for are new in C++17.
    command = [{"gcc": "g++", "clang": "clang++"}[compiler], "-std=c++17"] if program.suffix == ".cc" else [compiler]
    if program.suffix == ".F90":
        command = ["gfortran", "-J", str(work)]
    subprocess.run([*command, "-g", "-O0" if "plain" in settings else "-O1", "-pthread", *(["-fopenmp"] if "openmp" in settings else []),
                    *([f"-DMENDED={mended}"] if mended else []), "-o", name, program],
                   check=True)
    profile = name.with_suffix(".xml")
    defects = [] if "apart" in settings else ["--defects=no"]
    result = subprocess.run([valgrind, "--tool=memspy", *defects, f"--memspy-out-file={profile}", name],
                            capture_output=True, text=True, check=False)
    name.with_suffix(".log").write_text(result.stderr, encoding="utf-8")
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


def without_false(section: ElementTree.Element) -> int:
    """The run's end without any false sharing."""
    time = section.find("virtual-time")
    assert time is not None
    return number(time, "without-false")


def bare_end(section: ElementTree.Element) -> int:
    """Events take no time."""
    time = section.find("virtual-time")
    assert time is not None
    return number(time, "end")


def events(section: ElementTree.Element) -> int:
    """Those that repeat, of all objects."""
    total = section.find("total/modelled")
    return 0 if total is None else number(total, "coherence-misses") + number(total, "invalidations")


def output(command: list[Path | str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def figures_of(group: ElementTree.Element) -> tuple[int, int]:
    """Misses and invalidations of a finding."""
    figures = re.match(r"([0-9,]+) misses and ([0-9,]+) invalidations", group.findtext("figures") or "")
    assert figures is not None
    return int(figures[1].replace(",", "")), int(figures[2].replace(",", ""))


def events_on(valgrind: Path, profile: Path, name: str) -> int:
    """Those of objects whose names begin so."""
    table = output([valgrind.parent / "memspy-report", "table", "contention.rows", "--by=object", "--format=tsv", "--top=100000",
                    profile])
    rows = csv.DictReader(table.splitlines(), delimiter="\t")
    return sum(int(row["modelled.coherence-misses"]) + int(row["modelled.invalidations"]) for row in rows
               if row["object"].startswith(name))


def headers(program: Path, name: str) -> list[list[str]]:
    """Of each such line its words; those of EXPECT: kind, object, advice, settings."""
    found = re.findall(rf"^(?://|!) {name}: (.*)$", program.read_text(encoding="utf-8"), re.MULTILINE)
    return [shlex.split(words) for words in found]


def check_words(valgrind: Path, program: Path, profile: Path) -> None:
    wanted = [words[0] for words in headers(program, "TELLS")]
    if not wanted:
        return
    page = profile.with_suffix(".html")
    output([valgrind.parent / "memspy-html", "--sources=none", profile, "-o", page])
    text = output([valgrind.parent / "memspy-report", "text", profile])
    # The page has its data as JSON, in which "-->" and tags are escaped.
    data = page.read_text(encoding="utf-8").replace("\\u003e", ">").replace("\\u003c", "<")
    for regex in wanted:
        for name, words in (("text", text), ("page", data)):
            if not re.search(regex, words):
                raise Failed(f"the {name} does not say {regex}")


def check(valgrind: Path, compiler: str, program: Path, work: Path) -> list[str]:
    expected = headers(program, "EXPECT")
    if not expected:
        raise Failed(f"{program.name}: no line EXPECT")
    given = run(valgrind, compiler, program, work, 0, expected[0][3:])
    check_words(valgrind, program, work / f"{program.stem}-{compiler}.xml")
    log = (work / f"{program.stem}-{compiler}.log").read_text(encoding="utf-8")
    for words in headers(program, "LEAVES-OUT"):
        if re.search(words[0], log):
            raise Failed(f"the log says {words[0]}")
    return [apply(valgrind, compiler, program, work, given, place, words) for place, words in enumerate(expected, 1)]


def apply(valgrind: Path, compiler: str, program: Path, work: Path, given: ElementTree.Element, place: int,
          expected: list[str]) -> str:
    kind, thing, advice, *settings = expected
    groups = [group for group in given.iter("group") if group.get("finding") == "yes"]
    found = [group for group in groups if group.get("kind") in kind.split("|") and thing in (group.findtext("what") or "")
             and re.search(advice, group.findtext("advice") or "")]
    told = "; ".join(f"{group.findtext('what')}: {group.findtext('advice')}" for group in groups)
    if not found:
        raise Failed(f"no {kind} of {thing} with this advice, but: {told}")
    text = found[0].findtext("advice") or ""
    mended = run(valgrind, compiler, program, work, place, settings)
    claim = re.search(r"removes? (?:about )?([0-9,]+) of ([0-9,]+)", text)
    said = int(claim[1].replace(",", "")) if claim else sum(figures_of(found[0]))
    gone = events(given) - events(mended)
    names = [setting.partition("=")[2] for setting in settings if setting.startswith("in=")]
    if names:
        profiles = (work / f"{program.stem}-{compiler}{part}.xml" for part in ("", f"-mended{place}"))
        before, after = (events_on(valgrind, profile, names[0]) for profile in profiles)
        gone = before - after
    slack = ABOUT if claim and "about" in claim[0] else SLACK
    if "unsteady" in settings and gone > 0:
        return f"{gone:,} of {said:,} events gone"
    if gone < said * (1 - (HIDDEN if "hidden" in settings else slack)):
        raise Failed(f"{gone:,} events are gone, {said:,} were said")
    if kind != "FalseSharing" or claim is None or "hidden" in settings or "several" in settings or names:
        return f"{gone:,} of {said:,} events gone"
    # The run's own time may differ, because the code does.
    without, really = number(found[0], "end-without") - bare_end(given), end(mended) - bare_end(mended)
    all_go = claim is not None and claim[1] == claim[2]
    slack = ABOUT if "combined" in settings else slack
    if (really - without if all_go else abs(without - really)) > slack * end(mended):
        raise Failed(f"events were to cost {without:,}, and cost {really:,} ({end(given) - bare_end(given):,} as given)")
    return f"{gone:,} of {said:,} events gone; to cost {without:,} more, cost {really:,}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--part", type=cases.Shard.parse, default=cases.EVERYTHING, metavar="I/N",
                        help="each program by the first compiler, and by the others one part of them")
    parser.add_argument("programs", nargs="*", help="names; default: all")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    failures = 0
    for program in sorted([*HERE.glob("*.c"), *HERE.glob("*.cc"), *HERE.glob("*.F90")]):
        if arguments.programs and program.stem not in arguments.programs:
            continue
        openmp = any("openmp" in expected for expected in headers(program, "EXPECT"))
        for number, compiler in enumerate(filter(shutil.which, ("gcc",) if openmp else ("gcc", "clang"))):
            if number > 0 and not arguments.part.has(f"{program.name} {number}"):
                continue
            try:
                for result in check(arguments.valgrind, compiler, program, arguments.work):
                    print(f"{program.stem}, {compiler}: {result}")
            except Failed as failure:
                print(f"{program.stem}, {compiler}: FAILED: {failure}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
