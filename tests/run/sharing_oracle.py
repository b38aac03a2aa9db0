#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that the model finds the lines that threads take from each other in real runs, and no others.

A program is compiled twice: as it is, for memspy, and with the hooks of gcc's -fsanitize=thread, on a run-time of our own
(sharing/oracle/oracle.c) that counts true and false events by line, on the machine's processors. Static variables lie at the same
addresses, blocks of the heap at the same distance from its begin. Compared are lines of the program's own variables, blocks and
stacks with a hundredth of a kind's share of all events, in the one or the other: precision is the part of memspy's that the
oracle has, recall the part of the oracle's that memspy has. Programs are those of sharing/twins and sharing/programs, each as given and
with the advice applied (MENDED): where a line of the program is padded both must be silent.

With --update it writes the tables of docs/validity.md.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
from driver import replace_between  # noqa: E402
from profile_stacks import stacks_of  # noqa: E402
from sharing_advice import headers  # noqa: E402

HERE = Path(__file__).parent / "sharing"
LINE = 64
SHARE = 100  # a line counts with a hundredth of the events
FEW = 50     # and so many; in the other one's run
SLACK = 0.5  # half of that is enough
RUNS = 3     # of the oracle, together: in one, threads may come one after the other
LEAST_PRECISION, LEAST_RECALL = 0.95, 0.9
# One heap for all threads, and no block outside of it.
ENVIRONMENT = os.environ | {"GLIBC_TUNABLES": "glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=1073741824"}
KINDS = ("true", "false")

Key = tuple[str, str]  # the line, and true or false


@dataclass
class Events:
    """Those that repeat, by line and kind."""
    by_line: dict[Key, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def add(self, line: str, repeated: int, of_true: int, of_false: int) -> None:
        for kind, part in zip(KINDS, (of_true, of_false)):
            if part > 0:
                key = line, kind
                self.by_line[key] = self.by_line.get(key, 0) + repeated * part // (of_true + of_false)

    def without(self, lines: set[str]) -> Events:
        return Events({key: events for key, events in self.by_line.items() if key[0] not in lines}, self.names)

    def all(self) -> int:
        return sum(self.by_line.values())

    def that_count(self, slack: float = 1) -> set[Key]:
        """Lines with a hundredth of a kind's events, or so much of that."""
        all_of = {kind: sum(events for key, events in self.by_line.items() if key[1] == kind) for kind in KINDS}
        return {key for key, events in self.by_line.items() if events >= slack * max(FEW, all_of[key[1]] / SHARE)}


@dataclass
class Told:
    """What memspy said: events, the first finding, and the best gain of any."""
    events: Events
    first: str
    gain: float


@dataclass
class Row:
    program: str
    memspy: Events
    oracle: Events
    first: str
    gain: float

    def told(self) -> set[Key]:
        return self.memspy.that_count()

    def real(self) -> set[Key]:
        return self.oracle.that_count()

    def confirmed(self) -> set[Key]:
        return self.told() & self.oracle.that_count(SLACK)

    def found(self) -> set[Key]:
        return self.real() & self.memspy.that_count(SLACK)

    def names_of(self, keys: set[Key]) -> str:
        told = sorted({f"{self.memspy.names.get(line, line)} ({kind})" for line, kind in keys})
        return ", ".join(told)


@dataclass
class Places:
    """Where a program has its variables and blocks: .data and .bss with its end, and what it says of its heap."""
    data: int
    bss: int
    end: int
    heap: int

    @classmethod
    def of(cls, program: Path, told: str) -> Places:
        symbols = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
        found = [re.search(rf"^([0-9a-f]+) . {name}$", symbols, re.MULTILINE)
                 for name in ("oracle_first_of_data", "oracle_first_of_bss", "_end")]
        heap = re.search(r"^heap\t0x([0-9a-f]+)", told, re.MULTILINE)
        return cls(*(int(begin[1], 16) if begin else 0 for begin in (*found, heap)))

    def name(self, address: int) -> str:
        """Of a line, the same in both runs."""
        address -= address % LINE
        name, begin = ("heap", self.heap) if address >= self.end else ("bss", self.bss) if address >= self.bss else ("data", self.data)
        return f"{name}{address - begin:+#x}"


class Program:
    def __init__(self, valgrind: Path, source: Path, work: Path, mended: int) -> None:
        self.valgrind, self.source = valgrind, source
        self.settings = headers(source, "EXPECT")[0][3:]
        self.name = f"{source.stem}{f'-{mended}' if mended else ''}"
        self.plain, self.hooked = work / self.name, work / f"{self.name}-hooked"
        language = {".cc": ["g++", "-std=c++17"], ".F90": ["gfortran", "-J", str(work)]}.get(source.suffix, ["gcc"])
        flags = ["-g", "-O0" if "plain" in self.settings else "-O1", "-pthread", *(["-fopenmp"] if "openmp" in self.settings else []),
                 *([f"-DMENDED={mended}"] if mended else [])]
        self.build(self.plain, [*language, *flags], [])
        self.build(self.hooked, [*language, *flags, "-fsanitize=thread"], [work / "liboracle.so", f"-Wl,-rpath,{work}"])

    def build(self, program: Path, compiler: list[str], oracle: list[Path | str]) -> None:
        made = program.with_suffix(".o")
        subprocess.run([*compiler, "-c", "-o", made, self.source], check=True)
        linker = [word for word in compiler if word != "-fsanitize=thread"]
        subprocess.run([*linker, "-no-pie", "-o", program, made.with_name("first.o"), made, *oracle], check=True)

    def ask_oracle(self) -> tuple[Events, set[str]]:
        """What happened in runs of the hooked program, and lines that are not compared."""
        events = Events()
        left_out: set[str] = set()
        for _ in range(RUNS):
            self.add_run(events, left_out)
        return events, left_out

    def add_run(self, events: Events, left_out: set[str]) -> None:
        out = self.hooked.with_suffix(".txt")
        run = subprocess.run([self.hooked], env=ENVIRONMENT | {"ORACLE_OUT": str(out)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             text=True, timeout=120, check=True)
        places = Places.of(self.hooked, run.stderr)
        stacks: list[tuple[int, str]] = []
        for words in map(str.split, out.read_text().splitlines()):
            if words[0] == "stack":
                stacks.append((int(words[2], 16), f"stack of thread {words[1]}"))
            elif words[0] == "sync":
                left_out.add(places.name(int(words[1], 16)))
            else:
                address = int(words[1], 16)
                of_stack = [name for top, name in stacks if top - (8 << 20) < address < top + (64 << 10)]
                events.add(of_stack[0] if of_stack else places.name(address), *map(int, words[2:]))

    def ask_memspy(self, options: list[str]) -> Told:
        profile = self.plain.with_suffix(".xml")
        run = subprocess.run([self.valgrind, "--tool=memspy", "--defects=no", "--zeros=no", f"--memspy-out-file={profile}", *options,
                              self.plain], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120, check=True)
        root = ElementTree.parse(profile).getroot()
        places = Places.of(self.plain, run.stderr)
        objects = own_objects(root, str(self.plain))
        events = Events()
        for line in root.iterfind("contention/line"):
            counts = line.find("modelled")
            if counts is None:
                continue
            extents = [extent for extent in line.iterfind("extent") if extent.get("object") in objects]
            if not extents:
                continue
            told = [objects[extent.get("object", "")] for extent in extents]
            of_stack = [name for name in told if name.startswith("stack of")]
            key = of_stack[0] if of_stack else places.name(int(line.get("address", "0"), 16))
            events.names[key] = " and ".join(dict.fromkeys(told))
            number = [int(counts.get(name, "0")) for name in ("coherence-misses", "invalidations", "true-misses", "true-invalidations",
                                                              "false-misses", "false-invalidations")]
            events.add(key, number[0] + number[1], number[2] + number[3], number[4] + number[5])
        found = [group for group in root.iter("group") if group.get("finding") == "yes"]
        first = f"{found[0].get('kind')} {found[0].findtext('what')}" if found else ""
        gain = max((float(remedy.get("gain", "1")) for group in found for remedy in group.iter("remedy")), default=1.0)
        return Told(events, first, gain)

    def compare(self, variants: list[list[str]]) -> list[Row]:
        """A row for each set of memspy's options."""
        oracle, left_out = self.ask_oracle()
        rows = []
        for options in variants:
            told = self.ask_memspy(options)
            rows.append(Row(self.name, told.events.without(left_out), oracle.without(left_out), told.first, told.gain))
        return rows


def own_objects(root: ElementTree.Element, program: str) -> dict[str, str]:
    """Those that are the program's own, with their names."""
    own = {module.get("id") for module in root.iter("module") if module.get("path") == program}
    passed_by = {module.get("id") for module in root.iter("module")
                 if re.search(r"/(vgpreload|memspy|libstdc\+\+|libc\.so)", module.get("path", ""))}
    of_stack: dict[str | None, bool] = {}
    functions = set()
    for stack, all_frames in stacks_of(root).items():
        frames = [frame for frame in all_frames if frame.get("module") not in passed_by]
        of_stack[stack] = bool(frames) and frames[0].get("module") in own
        functions |= {frame.get("fn") for frame in frames if frame.get("module") in own}
    found: dict[str, str] = {}
    for thing in root.iterfind("objects/*"):
        number, name = thing.get("id", ""), thing.get("name", "")
        if thing.tag == "static" and thing.get("module") in own:
            found[number] = name
        elif thing.tag == "heap" and of_stack.get(thing.get("stack")):
            found[number] = "a block"
        elif thing.tag == "frames" and (name in functions or thing.get("variable")):
            found[number] = f"stack of thread {thing.get('thread')}"
    return found


# What the hooks cannot see: their links are read by the C++ library's own code.
NOT_HOOKED = ["nodes"]


def sources() -> list[Path]:
    """Gcc's hooks are not called for `omp atomic` either."""
    found = [path for folder in ("twins", "programs") for path in (HERE / folder).iterdir() if path.suffix in (".c", ".cc", ".F90")]
    return sorted(path for path in found if path.stem not in NOT_HOOKED and "omp atomic" not in path.read_text(encoding="utf-8"))


def make_oracle(work: Path) -> None:
    subprocess.run(["gcc", "-g", "-O1", "-pthread", "-c", "-o", work / "first.o", HERE / "oracle/first.c"], check=True)
    subprocess.run(["gcc", "-g", "-O1", "-pthread", "-shared", "-fPIC", "-ftls-model=initial-exec", "-o", work / "liboracle.so",
                    HERE / "oracle/oracle.c"], check=True)


def rows_of(program: Path, arguments: argparse.Namespace, variants: list[list[str]]) -> list[list[Row]]:
    """For the program as given a row for each variant, and for each piece of advice one."""
    mended = range(len(headers(program, "EXPECT")) + 1)
    return [Program(arguments.valgrind, program, arguments.work, which).compare(variants if which == 0 else variants[:1])
            for which in mended]


def scores(rows: list[Row]) -> tuple[float, float]:
    told, real, confirmed, found = (sum(len(part(row)) for row in rows) for part in (Row.told, Row.real, Row.confirmed, Row.found))
    return confirmed / max(told, 1), found / max(real, 1)


def text_of(row: Row) -> str:
    text = f"{row.program:28} {row.memspy.all():9,} {row.oracle.all():9,}  {len(row.told()):3} {len(row.real()):3}"
    for keys, who in (row.told() - row.confirmed(), "memspy"), (row.real() - row.found(), "the oracle"):
        if keys:
            text += f"  only {who}: {len(keys)} of {row.names_of(keys)}"
    return text


LATENCIES = (50, 100, 200)
MARKS = "<!-- oracle: begin, written by tests/run/sharing_oracle.py -->", "<!-- oracle: end -->"


def cells(rows: list[Row]) -> list[int]:
    return [sum(len(part(row)) for row in rows) for part in (Row.told, Row.confirmed, Row.real, Row.found)]


def page_of(programs: list[list[list[Row]]]) -> str:
    """The tables of docs/validity.md: a row where the two disagree. The variants are memspy's default, then the latencies."""
    lines = ["| program | memspy | of these oracle | oracle | of these memspy | advice: memspy | of these oracle | oracle | of these memspy |",
             "| --- |" + " ---: |" * 8]
    silent = []
    for program in programs:
        given, mended = [row[0] for row in program[:1]], [row[0] for row in program[1:]]
        of_both = cells(given) + cells(mended)
        if of_both[::2] != of_both[1::2]:
            lines.append(f"| {given[0].program} | " + " | ".join(map(str, of_both)) + " |")
        silent += [row for row in mended if not row.told() and not row.real()]
    rows = [row[0] for program in programs for row in program]
    lines.append(f"| **all {len(programs)}** | " + " | ".join(f"**{number}**" for part in ([program[0][0] for program in programs],
                                             [row[0] for program in programs for row in program[1:]]) for number in cells(part)) + " |")
    precision, recall = scores(rows)
    told = [f"Over {len(programs)} programs, {len(rows)} with those to which the advice is applied: precision",
            f"{precision:.3f}, recall {recall:.3f}. Of the changed programs both are silent on {len(silent)}.", "", *lines, "",
            "| latency | precision | recall | gain over that at 100, median | lowest | highest | same first finding |",
            "| ---: |" + " ---: |" * 6]
    for number, latency in enumerate(LATENCIES, 1):
        precision, recall = scores([program[0][number] for program in programs])
        gains = [program[0][number].gain / program[0][2].gain for program in programs if program[0][0].gain > 1.05]
        same = sum(program[0][number].first == program[0][0].first for program in programs)
        told.append(f"| {latency} | {precision:.3f} | {recall:.3f} | {statistics.median(gains):.2f} | {min(gains):.2f} | {max(gains):.2f} | "
                    f"{same} of {len(programs)} |")
    return "\n".join(told)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--update", type=Path, metavar="PAGE", help="write the tables of this page")
    parser.add_argument("programs", nargs="*", help="names; default: all")
    arguments = parser.parse_args()
    arguments.work = arguments.work.resolve()
    arguments.work.mkdir(parents=True, exist_ok=True)
    make_oracle(arguments.work)
    variants: list[list[str]] = [[]]
    if arguments.update:
        variants += [[f"--coherence-latency={latency}"] for latency in LATENCIES]
    programs: list[list[list[Row]]] = []
    for source in sources():
        if arguments.programs and source.stem not in arguments.programs:
            continue
        programs.append(rows_of(source, arguments, variants))
        for rows in programs[-1]:
            print(text_of(rows[0]), flush=True)
    precision, recall = scores([rows[0] for program in programs for rows in program])
    print(f"precision {precision:.3f}, recall {recall:.3f}")
    if arguments.update:
        replace_between(arguments.update, MARKS, page_of(programs))
    return 0 if precision >= LEAST_PRECISION and recall >= LEAST_RECALL else 1


if __name__ == "__main__":
    sys.exit(main())
