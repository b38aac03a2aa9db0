# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile file, as far as the tests look at it: counts by object, in total, and of threads."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

VIEWS = ("observed", "modelled")
FIELDS = ("misses", "cold", "first", "coherence", "invalidations", "events", "true", "false", "accesses", "ratio")


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
    accesses: int = 0
    views: dict[str, Counts] = field(default_factory=lambda: {view: Counts() for view in VIEWS})

    def add(self, other: Entry) -> None:
        self.accesses += other.accesses
        for view, counts in other.views.items():
            self.views[view].add(counts)

    def is_named(self, name: str) -> bool:
        """Also C's numbered local statics (`name.0`) and C++'s mangled or qualified names."""
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
            "ratio": events / self.accesses if self.accesses else 0.0,
        }
        return derived[name] if name in derived else float(getattr(counts, name))

    def describe(self) -> str:
        return f"{self.name or self.kind}: {self.accesses} accesses" + "".join(
            f"; {view} " + " ".join(f"{k}={v}" for k, v in vars(c).items()) for view, c in self.views.items())


@dataclass
class Profile:
    path: Path
    pid: int
    complete: bool  # ended with its marker
    threads: int
    total: Entry
    entries: list[Entry]

    def modelled(self) -> list[str]:
        """All modelled counts, in a form that two runs can be compared in."""
        return sorted(f"{e.kind} {e.name} {sorted(e.frames)} {e.accesses} {vars(e.views['modelled'])}"
                      for e in [self.total, *self.entries])


def read(path: Path) -> Profile:
    raise NotImplementedError
