# SPDX-License-Identifier: GPL-2.0-or-later
"""Which files below tests/run are cases, and which of them run where a run of all takes too long."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NO_CASES = ("include", "silent")  # what cases share; programs that others wrote
# What the processor decides on: instructions, atomics, system calls, unwinding, types of what is loaded, who shares what.
MACHINE_FOLDERS = ("arm64", "engine", "sharing", "simd", "syscall", "threads")
MACHINE_TYPES = re.compile(r"(u?int|float|double|long_double|vectors|shorts|bytes|bools|bit_fields|unaligned|two_widths)")
MACHINE_WORDS = re.compile(r"atomic|setjmp|ucontext|sigaction|sigaltstack|\bthrow\b")


@dataclass(frozen=True)
class Shard:
    """One part of `count`, by a test's name: the others run with other commits."""

    index: int
    count: int

    @staticmethod
    def parse(text: str) -> Shard:
        """INDEX/COUNT, where any whole number will do for INDEX."""
        index, count = map(int, text.split("/"))
        return Shard(index % count, count)

    def has(self, name: str) -> bool:
        return zlib.crc32(name.encode()) % self.count == self.index


EVERYTHING = Shard(0, 1)


def all_cases() -> list[Path]:
    """Their paths, sorted."""
    return sorted(path for path in FOLDER.glob("*/*") if path.suffix in (".c", ".cc") and path.parent.name not in NO_CASES)


def has_atomics(case: Path) -> bool:
    return "atomic" in case.read_text(encoding="utf-8")


def depends_on_machine(case: Path) -> bool:
    """Whether the case may come out otherwise on another processor, though it is right on this one."""
    return (case.parent.name in MACHINE_FOLDERS
            or case.parent.name == "zeros" and MACHINE_TYPES.match(case.name) is not None
            or MACHINE_WORDS.search(case.read_text(encoding="utf-8")) is not None)
