#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that OTF2's own reader reads the archive that memspy-report exports: a location for each rank with an Enter and a
Leave for each call that the profiles have events of, at their times, calls of threads at once beside each other; and of a
program without MPI for each thread that waited its waits. And that a line says which package is missing. Exit status 77:
there is no otf2-print, or no MPI."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

from mpi_test import HERE, OPTIONS, Failure, Implementation, demand, run

EVENT = re.compile(r"^(ENTER|LEAVE) +(\d+) +(\d+) +Region: \"([^\"]*)\"", re.M)
LOCATION = re.compile(r"^LOCATION +(\d+) +Name: \"([^\"]*)\"", re.M)
Spans = Counter[tuple[str, str, int, int]]


class Exporter:
    def __init__(self, valgrind: str, work: Path) -> None:
        self.report, self.work = str(Path(valgrind).parent / "memspy-report"), work

    def spans(self, folder: str, *profiles: str) -> Spans:
        """Location without its number, region, begin and end; times count from the first one."""
        run([self.report, "export", "--to=otf2", "-o", folder, *profiles], self.work)
        names = dict(LOCATION.findall(run(["otf2-print", "-G", f"{folder}/traces.otf2"], self.work)))
        open_spans: dict[str, tuple[str, int]] = {}
        found: Spans = Counter()
        for kind, location, time, region in EVENT.findall(run(["otf2-print", f"{folder}/traces.otf2"], self.work)):
            if kind == "ENTER":
                demand(f"open calls at {time} of {location}", location in open_spans, False)
                open_spans[location] = (region, int(time))
            else:
                entered, begin = open_spans.pop(location)
                demand("the region that is left", region, entered)
                found[names[location].split(",")[0], region, begin, int(time)] += 1
        demand("calls that never end", open_spans, {})
        return found


def of_ranks(profiles: list[Path]) -> Spans:
    roots = [ElementTree.parse(path).getroot().find("mpi") for path in profiles]
    found: Spans = Counter()
    begins = [int(rank.get("began", "0")) for root in roots if root is not None for rank in root.iter("rank")]
    for root, began in zip(roots, begins):
        assert root is not None
        names = {call.get("number"): call.get("name", "") for call in root.iter("call")}
        calls = set()
        for tag, length, call in (("sends", 6, 3), ("receives", 7, 3), ("collectives", 4, 1)):
            for element in root.iter(tag):
                numbers = (element.text or "").split()
                for i in range(0, len(numbers), length):
                    begin, end = (began - min(begins) + int(numbers[i + length - k]) for k in (2, 1))
                    calls.add((f"rank {element.get('rank')}", names[numbers[i + call]], numbers[i + call], begin, end))
        found += Counter((rank, name, begin, end) for rank, name, _, begin, end in calls)
    return found


def check_ranks(exporter: Exporter, implementation: Implementation) -> None:
    for program, ranks in (("ring", 4), ("thread_multiple", 2)):
        folder = implementation.compiled(program)
        run([*implementation.line(ranks), implementation.valgrind, *OPTIONS, f"./{program}"], folder)
        profiles = sorted(folder.glob("memspy.out.*.xml"))
        expected = of_ranks(profiles)
        demand(f"ranks of {program}", len({span[0] for span in expected}), ranks)
        demand(f"calls of {program}", exporter.spans(f"{program}.trace", *map(str, profiles)), expected)


def check_threads(exporter: Exporter, valgrind: str, work: Path) -> None:
    run(["cc", "-g", "-O1", "-pthread", "-o", "locked_threads", str(HERE / "locked_threads.c")], work)
    run([valgrind, "--tool=memspy", "-q", "--memspy-out-file=threads.xml", "--log-file=threads.log", "./locked_threads"], work)
    expected: Spans = Counter()
    kinds = set()
    for wait in ElementTree.parse(work / "threads.xml").getroot().iter("wait"):
        for span in wait.iter("wait-span"):
            expected[f"thread {span.get('thread')}", wait.get("kind", ""), int(span.get("from", "0")), int(span.get("until", "0"))] += 1
            kinds.add(wait.get("kind"))
    demand("kinds of waits", len(kinds) >= 2, True)
    found: Spans = Counter()
    for (thread, region, begin, end), count in exporter.spans("threads.trace", "threads.xml").items():
        found[thread, region.split()[1], begin, end] += count
    demand("waits of threads", found, expected)


def check_missing(exporter: Exporter, work: Path) -> None:
    (work / "none").mkdir()
    (work / "none" / "otf2.py").write_text("raise ImportError\n")
    line = [exporter.report, "export", "--to=otf2", "-o", "missing.trace", "threads.xml"]
    done = subprocess.run(line, cwd=work, env={**os.environ, "PYTHONPATH": str(work / "none")}, capture_output=True, text=True, check=False)
    demand("without the package", (done.returncode, done.stderr),
           (2, "memspy-report: --to=otf2 needs OTF2's writer: apt-get install python3-otf2\n"))
    done = subprocess.run([*line[:4], "threads.trace", "threads.xml"], cwd=work, capture_output=True, text=True, check=False)
    demand("a folder that exists", (done.returncode, done.stderr), (2, "memspy-report: threads.trace exists\n"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    implementation = Implementation("mpich", arguments.valgrind, arguments.work)
    if not shutil.which("otf2-print") or not implementation.is_installed():
        print("skipped: no otf2-print, or no mpich")
        return 77
    exporter = Exporter(arguments.valgrind, arguments.work)
    try:
        check_threads(exporter, arguments.valgrind, arguments.work)
        check_missing(exporter, arguments.work)
        check_ranks(exporter, implementation)
    except Failure as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
