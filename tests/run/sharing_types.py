#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that memspy-report knows the types of nine tenths of what threads share, and none wrongly: of all programs in
sharing/, compiled by gcc and clang at -O0 and -O2, the objects with nine tenths of the modelled events on
heap blocks, static variables and stacks of the program's own have a type, with each compiler and at each level; and blocks
have the type that stands in TYPES. Prints a table, and each object of more than FEW events."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import cases
import runner

Json = dict[str, Any]
HERE = Path(__file__).resolve().parent
LEVELS = ("-O0", "-O2")
SHARE = 0.9
# A block of fewer events is not asked for its type.
FEW = 100
# Of fewer, what the libraries share at the start and the end is more than a tenth.
MANY = 1_000
# Allocating lines, and the types of their blocks.
TYPES = {
    r"new Aligned": "Aligned",
    r"counters = (malloc|aligned_alloc)": r"(struct )?[Cc]ounter\[\d+\]",
    r"int\* block = calloc\(1, 8\)": r"int\[2\]",
    r"int\* block = calloc\(1, SIZE\)": "int",
    r"aligned_alloc\(128, sizeof\(struct Worker\)": r"(struct )?Worker(\[\d+\])?",
    r"vector<Queue> all|all\.|new Queue": r"Queue(\[\d*\])?",
}


def profile_of(case: runner.Case, variant: runner.Variant, options: runner.Options) -> Json:
    """That of a program with threads; empty if the case asks for none."""
    folder = options.work / f"{case.path.stem}-{variant.name}"
    folder.mkdir()
    program = runner.compile_case(case, variant, options, folder)
    profile = folder / "profile.xml"
    # Some cases end by another status.
    subprocess.run([options.valgrind, "-q", "--tool=memspy", *shlex.split(case.headers.get("ARGS", "")), "--zeros=no",
                    f"--memspy-out-file={profile}", program], capture_output=True, check=False)
    if not profile.exists():
        return {"objects": [], "stacks": [], "modules": []}
    report = Path(options.valgrind).parent / "memspy-report"
    profile_json: Json = json.loads(subprocess.run([report, "export", "--to=json", profile], capture_output=True,
                                                   check=True).stdout)["profile"]
    return profile_json


def variants(case: runner.Case) -> list[runner.Variant]:
    words = case.headers.get("COMPILE", "gcc").split()
    rest = [w for w in words if w not in ("gcc", "clang") and not w.startswith("-O")]
    numbers = case.sets[0]
    defines = [f"-D{name}={value}" for name, value in numbers.items()]
    return [runner.Variant(compiler, [level, *rest, *defines], numbers, 0)
            for compiler in ("gcc", "clang") if compiler in words for level in LEVELS if level in words]


class Shares:
    def __init__(self) -> None:
        self.known: Counter[tuple[str, str]] = Counter()  # compiler, level
        self.all: Counter[tuple[str, str]] = Counter()
        self.wrong: list[str] = []

    def add(self, document: Json, case: runner.Case, variant: runner.Variant) -> None:
        group = (variant.compiler, variant.flags[0])
        events: Counter[int] = Counter()
        for row in document.get("contention", {}).get("rows", []):
            counts = row.get("modelled", {})
            events[row.get("object", 0)] += sum(counts.get(n, 0) for n in ("first-touches", "coherence-misses", "invalidations"))
        stacks = {stack["id"]: stack["frames"] for stack in document["stacks"]}
        libraries = {module["id"] for module in document["modules"] if ".so" in Path(module["path"]).name}
        for each in document["objects"]:
            number = events[each["id"]]
            if each["kind"] not in ("heap", "static", "frames") or not number or each.get("module") in libraries:
                continue
            found = each.get("name") if each["kind"] == "heap" else each.get("type")
            self.all[group] += number
            self.known[group] += number if found else 0
            if number > FEW:
                where = f"{case.path.name} {variant.name}: {number} events on {each['label']}"
                print(f"{where}: {found} {each.get('type-from', '')}")
                if found and each["kind"] == "heap":
                    self.check(found, stacks[each["stack"]], case, where)

    def check(self, found: str, stack: list[Json], case: runner.Case, where: str) -> None:
        for frame in stack:
            for file in (case.path, HERE / "include" / str(frame.get("file"))):
                if frame.get("file") != file.name or not file.exists():
                    continue
                line = file.read_text(encoding="utf-8").splitlines()[frame["line"] - 1]
                for pattern, wanted in TYPES.items():
                    if re.search(pattern, line):
                        if not re.fullmatch(wanted, found):
                            self.wrong.append(f"{where}: not {wanted}")
                        return
        self.wrong.append(f"{where}: {found} at a line that TYPES does not have")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--part", type=cases.Shard.parse, default=cases.EVERYTHING, help="of the programs")
    arguments = parser.parse_args()
    work: Path = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    options = runner.Options(str(arguments.valgrind), "memspy", None, work, [HERE / "include", HERE.parents[1] / "memspy"])
    shares = Shares()
    for path in sorted((HERE / "sharing").glob("*.c*")):
        case = runner.parse_case(path)
        if not arguments.part.has(path.name):
            continue
        for variant in variants(case):
            try:
                shares.add(profile_of(case, variant, options), case, variant)
            except runner.Skip as reason:
                print(f"{path.name} {variant.name}: {reason}")
    few = [group for group, number in shares.all.items() if number > MANY and shares.known[group] < SHARE * number]
    print("compiler  level   with a type of all events")
    for group in sorted(shares.all):
        print("{:<9} {:<4}".format(*group), f"{shares.known[group]:>13,} {shares.all[group]:>13,}"
              f" {shares.known[group] / shares.all[group]:>8.2%}")
    print(*shares.wrong, sep="\n")
    return int(bool(shares.wrong or few))


if __name__ == "__main__":
    sys.exit(main())
