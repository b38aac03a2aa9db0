# SPDX-License-Identifier: GPL-2.0-or-later
"""The files below tests/run that are cases, and the choice of those to run if all would take too long."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NO_CASES = ("include", "races_programs", "silent")  # shared by cases; programs of races.py; programs written by others
# Folders that depend on the processor: instructions, atomics, system calls, unwinding, types of loads, sharing.
MACHINE_FOLDERS = ("arm64", "engine", "sharing", "simd", "syscall", "threads")
MACHINE_TYPES = re.compile(r"(u?int|float|double|long_double|vectors|shorts|bytes|bools|bit_fields|unaligned|two_widths)")
MACHINE_WORDS = re.compile(r"atomic|setjmp|ucontext|sigaction|sigaltstack|\bthrow\b")


@dataclass(frozen=True)
class Shard:
    """One of `count` parts, chosen by a test's name: the others run with other commits."""

    index: int
    count: int

    @staticmethod
    def parse(text: str) -> Shard:
        """INDEX/COUNT, where INDEX may be any whole number."""
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
    """Whether the case may have another result on another processor although it passes on this one."""
    return (case.parent.name in MACHINE_FOLDERS
            or case.parent.name == "zeros" and MACHINE_TYPES.match(case.name) is not None
            or MACHINE_WORDS.search(case.read_text(encoding="utf-8")) is not None)
