#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that --heap-profile has DHAT's figures, to the digit, and those that follow on paper.

dhat       ten kernels, by -O0 and -O2, with and without defects: for each allocation stack blocks, bytes, bytes and blocks
           alive at the peak and at the end, and the sum of lifetimes in instructions. DHAT's blocks come from
           its file, memspy's from its export in the same format. Without VEX's chasing of branches, with which DHAT
           counts both sides of some.
programs   ten programs more, compared by the rows of `memspy-report heap --format=tsv`: for each line that allocates blocks, bytes,
           bytes at the peak and at the end, and the mean lifetime; with accesses, and without
paper      columns of `memspy-report heap`: bytes never read and never written, temporary blocks, growth
callers    below a line of which most comes the text has those callers of which none has more than half; TSV has none of them
limits     --heap-limit is an error above the limit and none at it; its exit code
exports    ms_print reads the export to massif, with the peak's bytes; google-pprof that to pprof, with all bytes and blocks and those of the peak
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "heap"
KERNELS = ["tree", "growth", "equal", "temporary", "lost", "containers", "aligned", "queue", "large", "threads", "parts"]
PROGRAMS = ["words", "halves", "table", "alignments", "copies", "sizes", "at_exit", "relay", "library", "objects"]
FIGURES = ("tb", "tbk", "tl", "gb", "gbk", "eb", "ebk")

Points = dict[tuple[str, ...], dict[str, int]]


class Runs:
    def __init__(self, valgrind: Path, work: Path) -> None:
        self.valgrind, self.work = valgrind, work
        self.report = valgrind.parent / "memspy-report"
        self.failures: list[str] = []
        work.mkdir(parents=True, exist_ok=True)
        # A run that was stopped leaves files of its processes.
        for old in [*work.glob("dhat.json.*"), *work.glob("heap.xml.*")]:
            old.unlink()

    def check(self, condition: bool, what: str) -> None:
        if not condition:
            self.failures.append(what)

    def build(self, name: str, level: str) -> Path:
        program = self.work / f"{name}{level}"
        subprocess.run(["g++", "-g", level, "-std=c++17", "-pthread", "-o", program, HERE / f"{name}.cc"], check=True)
        return program

    def valgrind_run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        # The loader's search for a function at its first call depends on what the tool has preloaded.
        return subprocess.run([self.valgrind, *words], timeout=300, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "LD_BIND_NOW": "1"})

    def dhat(self, program: Path, kernel: int) -> Points:
        return points_of(self.dhat_file(program, kernel))

    def dhat_file(self, program: Path, number: int) -> dict[str, Any]:
        file = self.work / "dhat.json"
        # A forked child's file is not looked at.
        self.valgrind_run("--tool=dhat", "--num-callers=24", "--vex-guest-chase=no", f"--dhat-out-file={file}.%p", program, str(number))
        files = sorted(self.work.glob("dhat.json.*"), key=lambda each: int(each.suffix[1:]))
        document: dict[str, Any] = json.loads(files[0].read_text())
        for each in files:
            each.unlink()
        return document

    def profile(self, program: Path, kernel: int, *options: str) -> Path:
        file = self.work / "heap.xml"
        self.valgrind_run("--tool=memspy", f"--memspy-out-file={file}.%p", *options, program, str(kernel))
        files = sorted(self.work.glob("heap.xml.*"), key=lambda each: int(each.suffix[1:]))
        files[0].rename(file)
        for each in files[1:]:
            each.unlink()
        return file

    def output(self, *command: str | Path) -> str:
        return subprocess.run([self.report, *command], check=True, stdout=subprocess.PIPE, text=True).stdout

    def rows(self, profile: Path) -> dict[str, dict[str, str]]:
        lines = [line.split("\t") for line in self.output("heap", "--format=tsv", profile).splitlines()]
        return {cells[0]: dict(zip(lines[0], cells)) for cells in lines[1:]}


def points_of(document: dict[str, Any]) -> Points:
    """By the program's functions and lines from the allocation on; addresses and libraries' paths differ."""
    points: Points = {}
    for point in document["pps"]:
        frames = [re.sub(r"^0x[0-9A-Fa-f]+: ", "", document["ftbl"][i]) for i in point["fs"]]
        key = tuple(frame for frame in frames if ".c" in frame and "vg_replace" not in frame)
        sums = points.setdefault(key, dict.fromkeys(FIGURES, 0))
        for figure in FIGURES:
            sums[figure] += point[figure]
    return points


def compare_with_dhat(runs: Runs, program: Path, kernel: int) -> None:
    wanted = runs.dhat(program, kernel)
    for options in ("--defects=no",), ("--leak-check=no",):
        profile = runs.profile(program, kernel, "--heap-profile=yes", *options)
        found = points_of(json.loads(runs.output("export", "--to=dhat", profile)))
        for key in sorted(wanted.keys() | found.keys()):
            # The libraries' own blocks: that of a thread is larger by what the preloaded library has for each.
            if not any("kernels.cc" in frame for frame in key) or any("dl-tls" in frame or "allocatestack" in frame for frame in key):
                continue
            # What runs behind the program's end differs by the preloaded library.
            both = [dict(points.get(key, {})) for points in (wanted, found)]
            if both[0].get("ebk"):
                runs.check(abs(both[0].pop("tl") - both[1].pop("tl", 0)) < 100 * both[0]["ebk"], f"{key[0]}: lifetime to the end")
            # A new thread runs initialisations of what the preloaded library has for it, while these blocks live.
            if KERNELS[kernel] == "threads" and both[0].get("tbk") == 19 and both[0].get("gbk"):
                for each in both:
                    each.pop("tl", None)
            runs.check(both[0] == both[1], f"{program.name} {KERNELS[kernel]} {options[0]} {key[0]}: {both[1]}, DHAT {both[0]}")
        runs.check(bool(wanted), f"{KERNELS[kernel]}: DHAT saw nothing")


def rows_of_dhat(document: dict[str, Any], file: str) -> dict[str, dict[str, int]]:
    """By the file's line that allocates: the columns of memspy's table."""
    sums: dict[str, dict[str, int]] = {}
    for point in document["pps"]:
        frames = [document["ftbl"][i] for i in point["fs"]]
        # That of a thread is larger by what the preloaded library has for each.
        if any("dl-tls" in frame or "allocatestack" in frame for frame in frames):
            continue
        lines = [match[1] for frame in frames if (match := re.search(rf"\(({re.escape(file)}:\d+)\)$", frame))]
        if not lines:
            continue
        row = sums.setdefault(lines[0], dict.fromkeys(("blocks", "bytes", "peak_bytes", "end_bytes", "life", "kept"), 0))
        for column, figure in ("blocks", "tbk"), ("bytes", "tb"), ("peak_bytes", "gb"), ("end_bytes", "eb"), ("life", "tl"), ("kept", "ebk"):
            row[column] += point[figure]
    return sums


def compare_rows(runs: Runs, program: Path, number: int) -> None:
    wanted = rows_of_dhat(runs.dhat_file(program, number), "programs.cc")
    runs.check(bool(wanted), f"{PROGRAMS[number]}: DHAT saw nothing")
    source = (HERE / "programs.cc").read_text().splitlines()
    for options in ("--heap-profile=yes", "--defects=no"), ("--heap-profile=accesses", "--leak-check=no"):
        lines = [line.split("\t") for line in runs.output("heap", "--format=tsv", runs.profile(program, number, *options)).splitlines()]
        found = {cells[1]: dict(zip(lines[0], cells)) for cells in lines[1:] if cells[1].startswith("programs.cc:") and "pthread_create" not in source[int(cells[1][12:]) - 1]}
        for line in sorted(wanted.keys() | found.keys()):
            row = dict(wanted.get(line, {}))
            kept, life = row.pop("kept", 0), row.pop("life", 0)
            # What runs behind the end, and when a thread starts, differs by the preloaded library.
            if not kept and PROGRAMS[number] != "relay":
                row["lifetime"] = (life + row.get("blocks", 0) // 2) // max(row.get("blocks", 0), 1)
            has = {column: int(found.get(line, {}).get(column, -1)) for column in row}
            runs.check(has == row, f"{program.name} {PROGRAMS[number]} {options[0]} {line}: {has}, DHAT {row}")


def on_paper(runs: Runs, program: Path) -> None:
    def row(kernel: str, function: str) -> dict[str, str]:
        rows = runs.rows(runs.profile(program, KERNELS.index(kernel), "--heap-profile=accesses", "--defects=no"))
        return rows.get(function, {})

    def expect(what: str, found: dict[str, str], **wanted: int) -> None:
        for column, value in wanted.items():
            runs.check(found.get(column) == str(value), f"{what}: {column} is {found.get(column)}, not {value}")

    expect("parts", row("parts", "make_parts"), blocks=10, bytes=1000, never_read=900, never_written=600,
           max_bytes=100, peak_bytes=100, end_bytes=0, temporary=10)
    expect("lost", row("lost", "lost"), blocks=20, bytes=210, end_bytes=210, peak_bytes=210, never_written=190, temporary=0)
    # 12 sizes from 16 to 32,768 bytes, and the last one.
    expect("growth", row("growth", "growth"), blocks=13, bytes=65_520 + 100, end_bytes=0)
    expect("equal", row("equal", "second"), peak_bytes=500, blocks=2)


def callers(runs: Runs) -> None:
    profile = runs.profile(runs.build("wrapped", "-O0"), 0, "--heap-profile=yes", "--defects=no")
    shown = re.findall(r"^ *(\w+) +wrapped.cc:\d+ +1 +(\d+) ", runs.output("heap", profile), re.MULTILINE)
    runs.check(shown == [("make_node", "400"), ("make_name", "300"), ("make_table", "300")], f"callers: {shown}")
    # The C++ library has a block of its own.
    functions = [name for name, row in runs.rows(profile).items() if row["line"].startswith("wrapped.cc")]
    runs.check(functions == ["must"], f"callers: TSV has {functions}")


def limits(runs: Runs, program: Path) -> None:
    lost = str(KERNELS.index("lost"))
    common = ("--tool=memspy", "--memspy-out-file=none", "--leak-check=no", "--error-exitcode=9")
    # What the C++ library has allocated is the same in each run.
    total = int(re.search(r"Heap: [\d,]+ blocks of ([\d,]+) bytes", runs.valgrind_run(
        *common, "--heap-profile=yes", program, lost).stdout)[1].replace(",", ""))  # type: ignore[index]
    for limit, wanted in (total, 0), (total - 1, 9):
        run = runs.valgrind_run(*common, f"--heap-limit=total:{limit}", program, lost)
        runs.check(run.returncode == wanted, f"limit of {limit}: exit code {run.returncode}, not {wanted}")
        runs.check(("above its limit" in run.stdout) == (wanted != 0), f"limit of {limit}: {run.stdout}")
    run = runs.valgrind_run(*common, "--heap-limit=peak:10q", program, lost)
    runs.check(run.returncode == 1, "a wrong limit is accepted")


def exports(runs: Runs, program: Path) -> None:
    profile = runs.profile(program, KERNELS.index("tree"), "--heap-profile=yes", "--defects=no")
    file = runs.work / "massif.out"
    file.write_text(runs.output("export", "--to=massif", profile))
    printed = subprocess.run(["ms_print", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    peak = next(line for line in file.read_text().split("snapshot=") if "heap_tree=peak" in line)
    size = int(re.search(r"mem_heap_B=(\d+)", peak)[1])  # type: ignore[index]
    runs.check(printed.returncode == 0 and f"{size:,}" in printed.stdout and "insert" in printed.stdout,
               f"ms_print: {printed.stdout[-500:]}")
    file = runs.work / "profile.heap"
    file.write_text(runs.output("export", "--to=pprof", profile))
    head = re.match(r"heap profile: (\d+): (\d+) \[(\d+): (\d+)\] @ heapprofile\n", file.read_text())
    rows = re.findall(r"^(\d+): (\d+) \[(\d+): (\d+)\] @ 0x", file.read_text(), re.MULTILINE)
    runs.check(head is not None and [sum(map(int, figures)) for figures in zip(*rows)] == [int(figure) for figure in head.groups()],
               f"pprof: {head} is not the sum of {len(rows)} rows")
    if shutil.which("google-pprof") is None or head is None:
        return
    totals = "--inuse_objects", "--inuse_space", "--alloc_objects", "--alloc_space"
    for figure, total in zip(head.groups(), totals):
        printed = subprocess.run(["google-pprof", "--text", "--show_bytes", total, program, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        runs.check(re.search(f"Total: {figure} (objects|B)\n", printed.stdout) is not None and "insert" in printed.stdout,
                   f"google-pprof {total}, not {figure}: {printed.stdout[-500:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    runs = Runs(arguments.valgrind, arguments.work)
    for level in "-O0", "-O2":
        program, programs = runs.build("kernels", level), runs.build("programs", level)
        for kernel in range(len(KERNELS)):
            compare_with_dhat(runs, program, kernel)
        for number in range(len(PROGRAMS)):
            compare_rows(runs, programs, number)
    program = runs.build("kernels", "-O0")
    on_paper(runs, program)
    callers(runs)
    limits(runs, program)
    exports(runs, program)
    for failure in runs.failures:
        print(failure)
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
