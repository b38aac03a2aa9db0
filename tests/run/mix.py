#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that --mix counts what follows on paper for loops that are known.

arithmetic   10,000 turns of a loop of known instructions: the class of each, and the operations of each width; scalar,
             two, four and eight elements, fused, x87; conversions and comparisons are no operations
axpy         two operations for each element by any compiler at any level, vectors or not
branches     two known ones for each element: never taken, and in turns, the predictor has nearly all right; of drawn
             ones about half are wrong
calls        as many calls as turns, as many returns in the function called
memory       --mix=memory: an array of 8 MB that is read, or written, in a last cache of 1 MB: fetched and written back once,
             2,048 pages; an array that the cache holds: fetched once
I/O          bytes and calls

The counts are the same with defects and without; with several threads and merged profiles they are sums. The profile
is valid, and memspy-report's table, JSON and diff have the same figures. On a static program the number of all
instructions is that of Valgrind's own tool lackey.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent / "mix"
TURNS, WORDS, BITS = 10_000, 1 << 20, 20_000
CACHE, LINE, PAGE = 1 << 20, 64, 4096
Row = dict[str, str]


class Runs:
    def __init__(self, valgrind: Path, work: Path, schema: Path) -> None:
        self.valgrind, self.work, self.schema = valgrind, work, schema
        self.report = valgrind.parent / "memspy-report"
        self.failures: list[str] = []
        work.mkdir(parents=True, exist_ok=True)

    def check(self, condition: bool, what: str) -> None:
        if not condition:
            self.failures.append(what)

    def build(self, name: str, *flags: str) -> Path:
        program = self.work / name
        subprocess.run([*flags, "-g", "-o", program, HERE / "kernels.c"], check=True)
        return program

    def profile(self, program: Path, name: str, *options: str) -> Path:
        file = self.work / f"{name}.xml"
        subprocess.run([self.valgrind, "--tool=memspy", "-q", "--contention=no", "--zeros=no", *options,
                        f"--memspy-out-file={file}", program, "avx" if has_avx() else "-"],
                       check=True, timeout=300, stderr=subprocess.DEVNULL)
        return file

    def output(self, *command: str | Path) -> str:
        return subprocess.run([self.report, *command], check=True, stdout=subprocess.PIPE, text=True).stdout

    def rows(self, *profiles: Path) -> dict[str, Row]:
        """By function."""
        lines = [line.split("\t") for line in self.output("mix", "--format=tsv", *profiles).splitlines()]
        return {cells[0].split(" ")[0]: dict(zip(lines[0], cells)) for cells in lines[1:]}

    def expect(self, name: str, row: Row | None, **counts: int) -> None:
        for count, value in counts.items():
            found = None if row is None else int(row[count])
            self.check(found == value, f"{name}: {count} is {found}, not {value}")

    def between(self, name: str, row: Row, count: str, least: int, most: int) -> None:
        self.check(least <= int(row[count]) <= most, f"{name}: {count} is {row[count]}, not {least} to {most}")


def has_avx() -> bool:
    return platform.machine() == "x86_64" and {"avx2", "fma"} <= set(Path("/proc/cpuinfo").read_text().split())


def arithmetic(runs: Runs, rows: dict[str, Row]) -> None:
    expected: dict[str, dict[str, int]] = {
        "f64_scalar": {"f64": 2, "f64_operations": 2}, "f32_scalar": {"f32": 2, "f32_operations": 2},
        "f64_two": {"f64x2": 2, "f64_operations": 4}, "f32_four": {"f32x4": 2, "f32_operations": 8},
        "converted": {"conversions": 2}, "vectors": {"vector": 2}}
    if platform.machine() == "x86_64":
        expected |= {"add_subtract": {"f64x2": 1, "f64_operations": 2}, "x87": {"f64": 1, "f64_operations": 1}}
        if has_avx():
            expected |= {"f64_four": {"f64x4": 2, "f64_operations": 8}, "f32_eight": {"f32x8": 1, "f32_operations": 8},
                         "fused": {"f64": 1, "f64x4": 1, "f64_operations": 10}}
    else:
        expected |= {"f32_two": {"f32x2": 1, "f32_operations": 2}, "fused": {"f64": 1, "f64x2": 1, "f64_operations": 6}}
    classes = ("f32", "f32x2", "f32x4", "f32x8", "f64", "f64x2", "f64x4", "conversions", "vector")
    for kernel, counts in expected.items():
        every = dict.fromkeys((*classes, "f32_operations", "f64_operations"), 0) | counts
        runs.expect(kernel, rows.get(kernel), branches=TURNS, taken=TURNS - 1,
                    **{count: each * TURNS for count, each in every.items()})
        loop = sum(each for count, each in counts.items() if count in classes) + 2
        if kernel in rows:
            runs.between(kernel, rows[kernel], "instructions", loop * TURNS, loop * TURNS + 20)


def branches(runs: Runs, rows: dict[str, Row]) -> None:
    for kernel, wrong in (("never", 0), ("alternating", 0), ("drawn", 0.5)):
        row = rows[kernel]
        each = round(int(row["branches"]) / BITS)  # a compiler may test twice
        runs.check(2 <= each <= 4, f"{kernel}: {row['branches']} branches")
        runs.between(kernel, row, "mispredicted", int(BITS * wrong * 0.7), int(BITS * wrong * 2.2) + 100)
    runs.expect("caller", rows["caller"], calls=TURNS)
    runs.expect("called", rows["called"], returns=TURNS)


def memory(runs: Runs, program: Path) -> None:
    rows = runs.rows(runs.profile(program, "memory", "--mix=memory", f"--mix-cache={CACHE}", "--defects=no"))
    whole = 8 * WORDS
    for kernel, fetched, pages in (("reads", whole, whole // PAGE), ("writes", whole, whole // PAGE), ("rereads", 8192, 0)):
        runs.between(kernel, rows[kernel], "fetched", fetched, fetched + 4 * LINE)
        runs.between(kernel, rows[kernel], "pages", pages, pages + 1)
    # What is still in the cache has not been written back. Before it there were lines of others.
    runs.between("writes", rows["writes"], "written", whole - CACHE, whole - CACHE + 200 * LINE)
    runs.between("rereads", rows["rereads"], "written", 8192 - 4 * LINE, 8192 + 4 * LINE)
    # A return loads its address on amd64.
    runs.between("reads", rows["reads"], "loads", WORDS, WORDS + 1)
    runs.between("reads", rows["reads"], "loaded", whole, whole + 8)
    runs.expect("writes", rows["writes"], stores=WORDS, stored=whole)


def last_cache(runs: Runs, program: Path) -> None:
    """Twelve megabytes of a machine of the file's become eight; another size that is given comes first."""
    machine = runs.work / "machine"
    machine.write_text("name = two levels\nl1.size = 32K\nl1.line = 64\nl1.ways = 8\n"
                       "l2.size = 12M\nl2.line = 64\nl2.ways = 12\n")
    for options, wanted in (("--mix=memory",), 8 << 20), (("--mix=memory", f"--mix-cache={CACHE}"), CACHE):
        profile = runs.profile(program, f"last-{wanted}", *options, f"--cost-machine={machine}", "--defects=no")
        model = ElementTree.parse(profile).getroot().find("mix")
        cache = model.get("cache") if model is not None else None
        runs.check(cache == str(wanted), f"{options}: the last cache is {cache}")


def same_everywhere(runs: Runs, profile: Path, rows: dict[str, Row]) -> None:
    merged = runs.work / "merged.xml"
    runs.output("merge", profile, profile, "-o", merged)
    runs.expect("merged", runs.rows(merged).get("f64_scalar"), f64_operations=4 * TURNS)
    document = json.loads(runs.output("export", "--to=json", "--names=no", profile))
    runs.check(sum(row.get("instructions", 0) for row in document["profile"]["mix"]["code"])
               == sum(int(row["instructions"]) for row in rows.values()), "JSON has another sum")
    runs.check(runs.output("diff", profile, profile).strip() == "" or "no" in runs.output("diff", profile, profile),
               "a profile differs from itself")
    calls = [line.split("\t") for line in runs.output("mix", "--io", "--format=tsv", profile).splitlines()]
    written = [dict(zip(calls[0], cells)) for cells in calls[1:] if cells[0] == "write"]
    runs.check([(row["calls"], row["written"]) for row in written] == [("3", "3000")], f"writes: {written}")
    subprocess.run(["xmllint", "--noout", "--relaxng", runs.schema, profile], check=True, stderr=subprocess.DEVNULL)


def all_instructions(runs: Runs) -> None:
    """As lackey counts them. Tools with a preloaded library run more; a static program without symbols gets none."""
    program = runs.build("static", "gcc", "-O1", "-static", "-s")
    rows = runs.rows(runs.profile(program, "static", "--mix=yes", "--defects=no"))
    found = sum(int(row["instructions"]) for row in rows.values())
    told = subprocess.run([runs.valgrind, "--tool=lackey", program, "avx" if has_avx() else "-"], check=True,
                          stderr=subprocess.PIPE, text=True, timeout=300).stderr
    counted = re.search(r"guest instrs:\s+([\d,]+)", told)
    there = int(counted[1].replace(",", "")) if counted else 0
    # The environment and the arguments of the two tools differ in some bytes.
    runs.check(abs(found - there) < 2000, f"static program: {found} instructions, lackey has {there}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("valgrind", "work", "schema"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    runs = Runs(arguments.valgrind, arguments.work, arguments.schema)
    program = runs.build("kernels", "gcc", "-O1")
    profile = runs.profile(program, "defects", "--mix=yes")
    with_defects = runs.rows(profile)
    rows = runs.rows(runs.profile(program, "alone", "--mix=yes", "--defects=no"))
    for kernel in ("f64_scalar", "axpy", "drawn", "caller", "reads", "main"):
        # Code that runs before it leaves its history to the predictor.
        both = [{count: value for count, value in each[kernel].items() if count != "mispredicted"}
                for each in (with_defects, rows)]
        runs.check(both[0] == both[1], f"{kernel}: {both[0]} with defects, {both[1]} without")
    arithmetic(runs, rows)
    branches(runs, rows)
    memory(runs, program)
    last_cache(runs, program)
    same_everywhere(runs, profile, with_defects)
    all_instructions(runs)
    flags: list[tuple[str, ...]] = [("gcc", "-O0"), ("gcc", "-O3")]
    if shutil.which("clang") is not None:
        flags += [("clang", "-O2")]
    if has_avx():
        flags += [("gcc", "-O3", "-march=haswell")]
    for index, each in enumerate(flags):
        variant = runs.rows(runs.profile(runs.build(f"variant{index}", *each), f"variant{index}", "--mix=yes", "--defects=no"))
        runs.expect(f"axpy by {each}", variant.get("axpy"), f64_operations=2 * 10 * 1001)
        runs.expect(f"reads by {each}", variant.get("f64_scalar"), f64_operations=2 * TURNS, f64=2 * TURNS)
    for failure in runs.failures:
        print(failure)
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
