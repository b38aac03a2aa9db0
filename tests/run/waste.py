#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that --waste=yes counts to the byte.

hooks      22 programs at -O0, with and without defects: dead bytes by storing and killing line, silent stores and repeated loads by
           line, of the arrays, blocks and buffers that the program tells of. A run-time of our own on the hooks of gcc's
           -fsanitize=thread (waste/oracle/oracle.c) counts the same, byte by byte. The hooks are called before accesses of the
           source only, so what a compiler adds (spills, calls) is no part of the comparison.
totals     the rows of a kind and the total of all are the same sum
sampled    with one burst that is the whole run, --waste=sampled has the same rows as --waste=yes; with many, shares within four times
           the error that it tells, on a program of which each part is like all others
summary    of a C++ program with containers: a row for each line and object, each once and of a thousandth at least, the line one of
           the program's own also where a header's function is inlined there; no table of the linker's
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent / "waste"
KERNELS = 22

Row = tuple[str, str, str, str]  # kind, memory, line, killer's line


class Programs:
    def __init__(self, valgrind: Path, work: Path) -> None:
        self.valgrind, self.work = valgrind, work
        self.failures: list[str] = []
        work.mkdir(parents=True, exist_ok=True)
        common = ["gcc", "-g", "-O0", "-fno-builtin", "-no-pie", "-pthread"]
        self.plain, self.hooked = work / "kernels", work / "hooked"
        subprocess.run([*common, "-o", self.plain, HERE / "kernels.c"], check=True)
        subprocess.run([*common, "-DORACLE", "-fsanitize=thread", "-c", "-o", work / "hooked.o", HERE / "kernels.c"], check=True)
        subprocess.run([*common, "-c", "-o", work / "oracle.o", HERE / "oracle/oracle.c"], check=True)
        subprocess.run([*common, "-o", self.hooked, work / "hooked.o", work / "oracle.o"], check=True)

    def check(self, condition: bool, what: str) -> None:
        if not condition:
            self.failures.append(what)

    def wanted(self, kernel: int) -> Counter[Row]:
        run = subprocess.run([self.hooked, str(kernel)], check=True, text=True, stderr=subprocess.PIPE, timeout=60)
        cells = [line.split("\t") for line in run.stderr.splitlines()]
        # A hook returns behind the call of it.
        codes = sorted({int(code, 16) - 1 for row in cells for code in row[2:4] if code.startswith("0x")})
        places = subprocess.run(["addr2line", "-e", self.hooked, *map(hex, codes)], check=True, text=True,
                                stdout=subprocess.PIPE).stdout.splitlines()
        lines = {"(frame)": "(frame)"} | {hex(code + 1): re.sub(r" .*", "", place).rsplit("/", 1)[-1] for code, place in zip(codes, places)}
        sums: Counter[Row] = Counter()
        for kind, name, code, killer, amount in cells:
            sums[kind, name, lines[code], lines.get(killer, "")] += int(amount)
        return sums

    def report(self, kernel: int, *options: str) -> list[dict[str, str]]:
        return self.report_of(self.plain, kernel, "--waste=yes", "--waste-context=0", *options)

    def report_of(self, program: Path, argument: int, *options: str) -> list[dict[str, str]]:
        profile = self.work / "waste.xml"
        subprocess.run([self.valgrind, "--tool=memspy", f"--memspy-out-file={profile}", *options, program, str(argument)], check=True,
                       timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = subprocess.run([self.valgrind.parent / "memspy-report", "waste", "--format=tsv", profile], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        lines = [line.split("\t") for line in text.splitlines()]
        return [dict(zip(lines[0], cells)) for cells in lines[1:]]


def compare(programs: Programs, kernel: int) -> None:
    wanted = programs.wanted(kernel)
    source = (HERE / "kernels.c").read_text().splitlines()
    names = {row[1] for row in wanted}
    programs.check(bool(wanted), f"kernel {kernel}: the hooks saw nothing")
    for options in ("--defects=no",), ("--leak-check=no",):
        rows = programs.report(kernel, *options)
        found: Counter[Row] = Counter()
        for row in rows:
            # A block is called by the variable that holds it, and its place: "long[100] block of work (kernels.c:99)".
            name = next((name for name in names if re.search(rf"\b{re.escape(name)}", row["object"])), None)
            if name is None or not row["line"].startswith("kernels.c:"):
                continue
            killer = row["killer_line"]
            # A frame ends at its function's last line.
            if killer.startswith("kernels.c:") and source[int(killer.split(":")[1]) - 1] == "}":
                killer = "(frame)"
            found[row["kind"], name, row["line"], killer] += int(row["bytes"])
        for key in sorted(wanted.keys() | found.keys()):
            programs.check(wanted[key] == found[key], f"kernel {kernel} {options[0]} {' '.join(key)}: {found[key]}, the hooks {wanted[key]}")
        for kind in "dead", "silent", "load":
            total = next(int(row["bytes"]) for row in rows if row["kind"] == f"total-{kind}")
            programs.check(sum(int(row["bytes"]) for row in rows if row["kind"] == kind) == total, f"kernel {kernel}: the sum of {kind}")


def compare_sample(programs: Programs) -> None:
    whole = ("--waste=sampled", "--waste-burst=1000000000", "--waste-period=1000000000", "--waste-context=0")
    # What the loader does with the environment differs from run to run. Neither kernel has threads.
    def own(rows: list[dict[str, str]]) -> Counter[Row]:
        return Counter({(row["kind"], row["object"], row["line"], row["killer_line"]): int(row["bytes"]) for row in rows
                        if row["line"].startswith("kernels.c:")})

    for kernel in 3, 5:
        counted, sampled = programs.report(kernel, "--defects=no"), programs.report_of(programs.plain, kernel, "--defects=no", *whole)
        programs.check(own(counted) == own(sampled) != Counter(), f"kernel {kernel}: one burst has other rows")
    steady = programs.work / "steady"
    subprocess.run(["gcc", "-g", "-O1", "-o", steady, HERE / "steady.c"], check=True)
    all_rows = programs.report_of(steady, 60_000, "--waste=yes", "--defects=no")
    sampled = programs.report_of(steady, 60_000, "--waste=sampled", "--defects=no", "--waste-burst=50000", "--waste-period=400000")
    model = ElementTree.parse(programs.work / "waste.xml").find("waste")
    assert model is not None
    programs.check(int(model.get("bursts", "0")) >= 10, f"steady: {model.get('bursts')} bursts")
    for kind, error in ("dead", "dead-error"), ("silent", "silent-error"), ("load", "again-error"):
        shares = [next(float(row["share"]) for row in rows if row["kind"] == f"total-{kind}") for rows in (all_rows, sampled)]
        allowed = 4 * int(model.get(error, "0")) / 1e4 + .5
        programs.check(abs(shares[0] - shares[1]) <= allowed, f"steady: share of {kind} {shares[1]}, by all accesses {shares[0]}")


def check_summary(programs: Programs) -> None:
    words = programs.work / "words"
    subprocess.run(["g++", "-g", "-O1", "-o", words, HERE / "advice/fine_words.cc"], check=True)
    run = subprocess.run([programs.valgrind, "--tool=memspy", "--waste=yes", "--zeros=no", "--memspy-out-file=none", words], check=True, text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
    tables = re.split(r"   share   (?:stored|loaded) by$", run.stderr, flags=re.MULTILINE)[1:]
    rows = [re.findall(r"^==\d+== +([\d,]+) +([\d.]+)%   (.+)$", table, re.MULTILINE) for table in tables]
    programs.check(len(rows) == 3 and all(rows), f"summary: {len(rows)} tables")
    for table in rows:
        names = [name for _, _, name in table]
        programs.check(len(set(names)) == len(names), f"summary: a row twice: {names}")
        programs.check(all(float(share) >= .1 for _, share, _ in table), f"summary: small rows: {table}")
        programs.check(not any(": .got" in name for name in names), f"summary: the linker's tables: {names}")
    programs.check(any("fine_words.cc:" in name for table in rows for _, _, name in table), f"summary: no line of the program's own: {rows}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--kernel", type=int, help="this one only")
    arguments = parser.parse_args()
    programs = Programs(arguments.valgrind, arguments.work)
    for kernel in range(KERNELS) if arguments.kernel is None else [arguments.kernel]:
        compare(programs, kernel)
    if arguments.kernel is None:
        compare_sample(programs)
        check_summary(programs)
    for failure in programs.failures:
        print(failure)
    return 1 if programs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
