# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the profile file that the tests use: counts by object, in total, and of threads; redundant zeros."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from profile_stacks import stacks_of

VIEWS = ("observed", "modelled")
FIELDS = ("misses", "cold", "first", "coherence", "invalidations", "events", "true", "false", "accesses",
          "ratio", "missing")


@dataclass
class Counts:
    cold: int = 0
    first: int = 0
    coherence: int = 0
    invalidations: int = 0
    true: int = 0
    false: int = 0

    def add(self, other: Counts) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass
class Entry:
    """An object, or a sum of several."""

    name: str
    kind: str  # heap, static, stack, unknown, total, sum
    frames: list[tuple[str, int]] = field(default_factory=list)  # of the allocation: program/file, line
    thread: str = ""
    variable: str = ""  # in frames
    accesses: int = 0
    unlogged: int = 0  # (total only) accesses beside those
    missing: int = 0  # at most so many modelled events more
    views: dict[str, Counts] = field(default_factory=lambda: {view: Counts() for view in VIEWS})

    def add(self, other: Entry) -> None:
        self.accesses += other.accesses
        self.unlogged += other.unlogged
        self.missing += other.missing
        for view, counts in other.views.items():
            self.views[view].add(counts)

    def is_named(self, name: str) -> bool:
        """Accepts C's numbered local statics (`name.0`) and C++'s mangled or qualified names, too."""
        short = re.sub(r"\.\d+$", "", self.name)
        return name in (short, short.rpartition("::")[2]) or short.endswith(f"{len(name)}{name}") or \
            short.endswith(f"{len(name)}{name}E")

    def value(self, view: str, name: str) -> float:
        counts = self.views[view]
        events = counts.first + counts.coherence + counts.invalidations
        derived = {
            "misses": counts.cold + counts.first + counts.coherence,
            "events": events,
            "accesses": self.accesses,
            "missing": self.missing,
            "ratio": events / max(self.accesses + self.unlogged, 1),
        }
        return derived[name] if name in derived else float(getattr(counts, name))

    def describe(self) -> str:
        return f"{self.name or self.kind}: {self.accesses} accesses" + "".join(
            f"; {view} " + " ".join(f"{k}={v}" for k, v in vars(c).items()) for view, c in self.views.items())


@dataclass
class ZeroTotals:
    loads: int = 0
    elements: int = 0
    cells: int = 0
    redundant: int = 0
    zero: int = 0
    unknown: int = 0

    def add(self, other: ZeroTotals) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass
class ZeroRow:
    frames: list[tuple[str, int]]
    type: str
    known: str
    element: int  # bytes
    lanes: int
    threads: int
    totals: ZeroTotals
    redmap: list[int]
    advice: list[str]

    def selector(self, name: str) -> str:
        return str(getattr(self, name))

    def describe(self) -> str:
        return f"{self.frames[:1]} {self.type} of {self.element} x {self.lanes}: {self.totals} {self.redmap} {self.advice}"


@dataclass
class ZeroObject:
    entry: Entry
    numbers: dict[str, int]
    columns: str  # "8:1-7"
    map: list[tuple[int, int]]
    advice: list[str]

    def describe(self) -> str:
        return f"{self.entry.name or self.entry.kind}: {self.numbers} {self.columns} {self.map[:16]} {self.advice}"


@dataclass
class Profile:
    path: Path
    pid: int
    finished: bool  # of a complete run
    made_by: str  # exit, dump or exec
    threads: int
    named: int  # threads with counts of their own
    owners: int  # objects, whether they have counts or not
    total: Entry
    entries: list[Entry]
    zero_objects: list[ZeroObject] = field(default_factory=list)
    zero_rows: list[ZeroRow] = field(default_factory=list)
    zero_totals: dict[str, ZeroTotals] = field(default_factory=dict)

    def modelled_events(self) -> Counter[str]:
        """Modelled events of each object, and in total; objects of one name are summed."""
        events: Counter[str] = Counter()
        for entry in (*self.entries, self.total):
            events[f"{entry.kind} {entry.name or entry.frames}"] += int(entry.value("modelled", "events"))
        return events


# Elements of <objects>, and their names in this file.
KINDS = {"heap": "heap", "static": "static", "frames": "stack", "unknown": "unknown"}
ATTRIBUTES = {
    "cold": "cold",
    "first-touches": "first",
    "coherence-misses": "coherence",
    "invalidations": "invalidations",
    "true-misses": "true",
    "true-invalidations": "true",
    "false-misses": "false",
    "false-invalidations": "false",
}


def number(element: ElementTree.Element, name: str) -> int:
    return int(element.get(name, "0"))


def counts_of(element: ElementTree.Element) -> Entry:
    entry = Entry("", "sum", accesses=number(element, "loads") + number(element, "stores"))
    for view, counts in entry.views.items():
        for child in element.findall(view):
            for attribute, name in ATTRIBUTES.items():
                setattr(counts, name, getattr(counts, name) + number(child, attribute))
    return entry


def frames_of(root: ElementTree.Element) -> dict[str, list[tuple[str, int]]]:
    modules = {m.get("id", ""): Path(m.get("path", "")).name for m in root.iterfind("modules/module")}
    out: dict[str, list[tuple[str, int]]] = {}
    for identity, elements in stacks_of(root).items():
        frames = out.setdefault(identity, [])
        for frame in elements:
            module = modules.get(frame.get("module", ""), "")
            frames.append((f"{module}/{Path(frame.get('file', '')).name}", number(frame, "line")))
    return out


def read(path: Path) -> Profile:
    root = ElementTree.parse(path).getroot()
    run = root.find("run")
    if root.tag != "memspy-profile" or run is None:
        raise ValueError(f"{path}: no <memspy-profile> with a <run>")
    stacks = frames_of(root)
    entries: dict[str, Entry] = {}
    for element in root.iterfind("objects/*"):
        entries[element.attrib["id"]] = Entry(element.get("name", ""), KINDS[element.tag],
                                              stacks.get(element.get("stack", ""), []),
                                              element.get("thread", ""), element.get("variable", ""))
    for element in root.iter():
        for what, known in (("object", entries.keys()), ("stack", stacks.keys())):
            if (named := element.get(what)) is not None and named not in known:
                raise ValueError(f"{path}: <{element.tag}> refers to {what} {named}, which is not in the file")
    nothing = Entry("", "none")
    total = Entry("", "total")
    contention = root.find("contention")
    if contention is not None:
        for row in contention.iterfind("row"):
            entries.get(row.get("object", ""), nothing).add(counts_of(row))
        for element in contention.iterfind("total"):
            total.add(counts_of(element))
        for element in contention.iterfind("missing"):
            entries.get(element.get("object", ""), nothing).missing += number(element, "events")
            total.missing += number(element, "events")
        for element in contention.iterfind("quality"):
            total.unlogged += number(element, "unlogged")
        check(path, contention, total)
        check_waits(path, contention)
    profile = Profile(path, int(run.attrib["pid"]), root.get("finished") == "yes", root.get("made-by", ""),
                   len(root.findall("threads/thread")),
                   sum(row.get("thread") != "0" for row in root.findall("contention/thread-counts")), len(entries), total,
                   list(entries.values()))
    zeros = root.find("zeros")
    if zeros is not None:
        read_zeros(zeros, profile, entries, stacks)
    return profile


def zero_totals(element: ElementTree.Element, cells: int = 0) -> ZeroTotals:
    return ZeroTotals(number(element, "loads"), number(element, "elements"), number(element, "cells") or cells,
                      number(element, "redundant"), number(element, "zero"), number(element, "unknown-loads"))


def advice_of(element: ElementTree.Element) -> list[str]:
    return [":".join(filter(None, (a.get("kind"), a.get("type") or a.get("part")))) for a in element.iterfind("advice")]


def read_zeros(zeros: ElementTree.Element, profile: Profile, entries: dict[str, Entry],
               stacks: dict[str, list[tuple[str, int]]]) -> None:
    kinds = ("integer", "float")
    by_kind = {kind: ZeroTotals() for kind in kinds}
    for element in zeros.iterfind("row"):
        redmap = [int(n) for n in (element.findtext("redmap") or "").split()]
        totals = zero_totals(element, number(element, "elements") * len(redmap))
        known = element.get("known", "yes")
        if known == "no":
            totals.unknown = totals.loads
        if sum(redmap) != totals.redundant or totals.elements != totals.loads * number(element, "lanes"):
            raise ValueError(f"row {element.attrib}: redmap {redmap} is not what is redundant")
        by_kind[element.attrib["type"]].add(totals)
        profile.zero_rows.append(ZeroRow(
            stacks.get(element.get("stack", ""), []), element.attrib["type"], known, number(element, "bytes"),
            number(element, "lanes"), number(element, "threads"), totals, redmap, advice_of(element)))
    # Small rows are left out: each has less than a ten-thousandth of the loads and of the redundancy.
    left_out = sum(number(element, "rows-left-out") for element in zeros.iterfind("total"))
    all_loads = sum(number(element, "loads") for element in zeros.iterfind("total/*"))
    all_redundant = sum(number(element, "redundant") for element in zeros.iterfind("total/*"))
    for kind in kinds:
        total = ZeroTotals()
        for element in zeros.iterfind(f"total/{kind}"):
            total.add(zero_totals(element))
        of_threads = ZeroTotals()
        for element in zeros.iterfind(f"thread-counts/{kind}"):
            of_threads.add(zero_totals(element))
        # The same loads are counted by row, by thread and in total.
        rest = ZeroTotals(*(whole - part for whole, part in zip(vars(total).values(), vars(by_kind[kind]).values())))
        good = rest == ZeroTotals() if left_out == 0 else \
            0 <= rest.loads <= left_out * all_loads / 10_000 and 0 <= rest.redundant <= left_out * all_redundant / 10_000
        if total != of_threads or not good:
            raise ValueError(f"{kind}: rows {by_kind[kind]}, threads {of_threads}, total {total}")
        profile.zero_totals[kind] = total
    for element in zeros.iterfind("object-counts"):
        numbers = {name: number(element, name) for name in ("blocks", "size", "accessed", "cells", "redundant")}
        numbers["loaded"], numbers["loadedredundant"] = number(element, "loaded"), number(element, "loaded-redundant")
        if numbers["loadedredundant"] > numbers["loaded"]:
            raise ValueError(f"object {element.attrib}: more redundant than loaded")
        change = element.find("change")
        numbers["since"] = number(change, "thousandths") if change is not None else 0
        for part in element.iterfind("zero-blocks"):
            for name in ("accessed", "zero"):
                numbers[name + part.attrib["bytes"]] = number(part, name)
        rows = element.find("zero-rows")
        for name, attribute in (("stride", "stride"), ("rows", "accessed"), ("zerorows", "zero")):
            numbers[name] = number(rows, attribute) if rows is not None else 0
        columns = element.find("zero-columns")
        cells = [part.split("/") for part in (element.findtext("map") or "").split()]
        heat = [(int(accessed), int(redundant)) for accessed, redundant in cells]
        sums = (sum(a for a, _ in heat), sum(r for _, r in heat))
        # The map counts bytes, as cells are where nothing is a float.
        if sums[0] != numbers["accessed"] or (numbers["cells"] == sums[0] and sums[1] != numbers["redundant"]):
            raise ValueError(f"object {element.attrib}: the map has {sums}")
        profile.zero_objects.append(ZeroObject(
            entries[element.attrib["object"]], numbers,
            f"{columns.get('stride')}:{columns.text}" if columns is not None else "", heat, advice_of(element)))


def check(path: Path, contention: ElementTree.Element, total: Entry) -> None:
    """The same events are counted by object, by line, by thread and in total."""
    for name in ("row", "line", "thread-counts"):
        added = Entry("", "sum")
        for element in contention.iterfind(name):
            added.add(counts_of(element))
        if name == "thread-counts" and added.accesses != total.accesses:
            raise ValueError(f"{added.accesses} accesses of threads, {total.accesses} in total")
        for view in VIEWS:
            told, whole = vars(added.views[view]), vars(total.views[view])
            # Cold misses of lines that stay private have no row; lines that are handed over a few times have no line.
            names = [k for k in whole if k != "cold" or name == "thread-counts"]
            if any(told[k] > whole[k] or (told[k] < whole[k] and name != "line") for k in names):
                raise ValueError(f"{view} events of all <{name}> are {told}, but {whole} in total")


def check_waits(path: Path, contention: ElementTree.Element) -> None:
    """When a thread waited: in its life, never twice at once, and as long as its waits took. Of waits that are left out some are
    in spans of others."""
    lives = {counts.attrib["thread"]: (number(counts, "begin"), number(counts, "end")) for counts in contention.iterfind("thread-counts")}
    most = max((number(wait, "waited") for wait in contention.iterfind("wait")), default=0)
    for thread, (begin, end) in lives.items():
        spans = sorted((number(span, "from"), number(span, "until"), number(span, "waited"))
                       for span in contention.iterfind("wait/wait-span") if span.get("thread") == thread)
        at = begin
        for first, until, waited in spans:
            if not at <= first < until <= end or not 0 < waited <= until - first:
                raise ValueError(f"{path}: thread {thread}, from {begin} to {end}, waits {waited} from {first} until {until}, the wait before until {at}")
            at = until
        told = sum(number(pair, "waited") for pair in contention.iterfind("wait/wait-pair") if pair.get("thread") == thread)
        shown = sum(waited for _, _, waited in spans)
        if thread != "0" and abs(told - shown) > most / 100 + told / 100:
            raise ValueError(f"{path}: thread {thread} waited for {told}, {shown} of it in spans")
