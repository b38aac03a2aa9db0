#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that what --latent=yes tells comes true. Each program of sharing/latent is built in several ways and run with it, and
then really run in the other layout: with --line-size=128, or with its block moved by 16 bytes. What the other run finds and the
present layout does not have must have been told, of the same objects, and nothing else. Of findings at least .95 are told, and none
is false. As a table, with --table, nothing fails.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent / "sharing" / "latent"
RECALL = 0.95


@dataclass
class Case:
    source: str
    defines: str
    moves: bool = False  # the other layout has the block moved
    openmp: bool = False

    def name(self) -> str:
        return f"{self.source} {self.defines}"


CASES = [
    *[Case("counters.c", f"WHERE={where} STRIDE={stride}") for where, stride in
      [("HEAP", 64), ("HEAP", 128), ("HEAP", 192), ("HEAP", 256), ("HEAP", 96), ("ALIGNED", 64), ("ALIGNED", 128), ("STATIC", 64),
       ("STATIC", 128), ("MEMBER", 64), ("MEMBER", 128), ("STACK", 64), ("STACK", 128), ("OWN", 64), ("OWN", 8)]],
    Case("counters.c", "WHERE=HEAP STRIDE=64 THREADS=2"),
    Case("counters.c", "WHERE=HEAP STRIDE=64 THREADS=8 ROUNDS=20000"),
    Case("counters.c", "WHERE=STATIC STRIDE=64 WORK=40 ROUNDS=10000"),
    Case("counters.c", "WHERE=STATIC STRIDE=64 WORK=4000 ROUNDS=100"),
    Case("counters.c", "WHERE=HEAP STRIDE=64 MOVED=32"),
    Case("pairs.c", "CASE=LOCKS APART=64"),
    Case("pairs.c", "CASE=LOCKS APART=128"),
    Case("pairs.c", "CASE=ONE_LOCK"),
    Case("pairs.c", "CASE=SETTINGS APART=64"),
    Case("pairs.c", "CASE=SETTINGS APART=128"),
    Case("pairs.c", "CASE=PHASES"),
    Case("pairs.c", "CASE=SHARES"),
    *[Case("objects.cc", f"CASE={what} SIZE={size}") for what, size in
      [("SLOTS", 64), ("SLOTS", 128), ("SINGLE", 64), ("SINGLE", 128), ("GROWING", 64)]],
    *[Case("teams.c", f"CASE={what} PITCH={pitch}", openmp=True) for what, pitch in
      [("ALLOCATED", 64), ("ALLOCATED", 128), ("STATIC", 64), ("STATIC", 128), ("REDUCTION", 64), ("ROWS", 64), ("DYNAMIC", 64)]],
    *[Case("whole.c", defines, moves=True) for defines in
      ["MOVED=0", "MOVED=0 THREADS=2", "MOVED=0 THREADS=8", "MOVED=0 APART=64", "MOVED=0 APART=128", "ALIGNED", "MOVED=0 APART=32"]],
]


@dataclass
class Outcome:
    found: set[str] = field(default_factory=set)  # objects of findings of false sharing
    latent: dict[bool, set[str]] = field(default_factory=lambda: {False: set(), True: set()})  # by whether objects move
    told: list[str] = field(default_factory=list)


def build(case: Case, work: Path, defines: list[str]) -> Path:
    program = work / f"{case.source.split('.')[0]}-{abs(hash((case.name(), *defines))):x}"
    compiler = ["g++", "-std=c++17"] if case.source.endswith(".cc") else ["gcc"]
    subprocess.run([*compiler, "-g", "-O1", "-pthread", *(["-fopenmp"] if case.openmp else []), *[f"-D{each}" for each in defines],
                    "-o", program, HERE / case.source], check=True)
    return program


def run(valgrind: Path, program: Path, options: list[str]) -> Outcome:
    profile = program.with_suffix(".xml")
    subprocess.run([valgrind, "--tool=memspy", "-q", "--defects=no", "--zeros=no", *options, f"--memspy-out-file={profile}", program],
                   capture_output=True, check=True)
    root = ElementTree.parse(profile).getroot()
    labels = {each.get("id"): "heap" if each.tag == "heap" else each.get("name", each.tag) for each in root.iterfind("objects/*")}
    outcome = Outcome()

    def members(element: ElementTree.Element) -> set[str]:
        return {labels[each.get("object")] for each in element.iterfind("member")}

    for group in root.iterfind("contention/group"):
        if group.get("finding") == "yes" and group.get("kind") == "FalseSharing":
            outcome.found |= members(group)
    for latent in root.iterfind("contention/latent"):
        outcome.latent["moved" in latent.attrib] |= members(latent)
        outcome.told.append(latent.findtext("what") or "")
    profile.unlink()
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("programs", nargs="*", help="sources; default: all")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    came, told, wrong = 0, 0, 0
    for case in CASES:
        if arguments.programs and case.source.split(".")[0] not in arguments.programs:
            continue
        defines = case.defines.split()
        program = build(case, arguments.work, defines)
        now = run(arguments.valgrind, program, ["--latent=yes"])
        if case.moves:
            other = run(arguments.valgrind, build(case, arguments.work, [each.replace("MOVED=0", "MOVED=16") for each in defines]), [])
        else:
            other = run(arguments.valgrind, program, ["--line-size=128"])
        expected, said = other.found - now.found, now.latent[case.moves]
        came += 1 if expected else 0
        told += 1 if expected & said else 0
        is_false = bool(said) and not expected & said
        wrong += 1 if is_false else 0
        verdict = "FALSE" if is_false else "MISSED" if expected and not expected & said else "ok"
        print(f"{case.name():48} {verdict:7} came: {', '.join(sorted(expected)) or '-'}; said: {', '.join(sorted(said)) or '-'}", flush=True)
        if verdict != "ok":
            print("".join(f"    {each}\n" for each in now.told), end="", flush=True)
    print(f"{told} of {came} findings told, {wrong} false")
    return 0 if arguments.table or (wrong == 0 and told >= RECALL * came) else 1


if __name__ == "__main__":
    sys.exit(main())
