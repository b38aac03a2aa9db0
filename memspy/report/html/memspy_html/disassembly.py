# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine code of hot lines, through nm and objdump of binutils, if they and the module are there."""

from __future__ import annotations

import bisect
import re
import subprocess
from dataclasses import dataclass
from typing import Iterable

from .tables import Json

AROUND = 7  # instructions on both sides of a hot one
MOST_BYTES = 1 << 16  # of a function
MOST_FUNCTIONS = 40
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s*(.*\S)")


@dataclass(frozen=True)
class Place:
    """An address of a module that was linked with it, and the line that it belongs to."""

    module: str
    address: int
    file: int
    line: int


def output_of(*command: str) -> list[str]:
    """Nothing if the program is missing or cannot read the file."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def functions_of(module: str) -> list[tuple[int, int]]:
    """Begin and end, sorted."""
    found = []
    for line in output_of("nm", "-S", "--defined-only", "--", module):
        words = line.split()
        if len(words) >= 4 and words[2] in "tTwWiuV":
            begin, size = int(words[0], 16), int(words[1], 16)
            found.append((begin, begin + size))
    return sorted(found)


def instructions_of(module: str, begin: int, end: int) -> list[tuple[int, str]]:
    lines = output_of("objdump", "-d", "-C", "--no-show-raw-insn", f"--start-address={begin:#x}", f"--stop-address={end:#x}", "--", module)
    return [(int(match[1], 16), match[2].replace("\t", " ")) for match in map(INSTRUCTION.match, lines) if match]


def windows(code: list[tuple[int, str]], hot: set[int]) -> list[Json]:
    """The instructions near those in `hot`, as {at, text, hot}; a gap is None between two windows."""
    near = [i for i, (address, _) in enumerate(code)
            if any(code[k][0] in hot for k in range(max(0, i - AROUND), min(len(code), i + AROUND + 1)))]
    found: list[Json] = []
    for i, previous in zip(near, [None, *near]):
        address, text = code[i]
        found.append({"at": f"{address:x}", "text": text, "hot": address in hot, "gap": previous is not None and previous != i - 1})
    return found


def of_lines(places: Iterable[Place]) -> list[Json]:
    """For each line {file, line, code}."""
    functions: dict[str, list[tuple[int, int]]] = {}
    wanted: dict[tuple[str, int, int], set[Place]] = {}
    for place in places:
        known = functions.setdefault(place.module, []) or functions_of(place.module)
        functions[place.module] = known
        at = bisect.bisect_right(known, (place.address, 1 << 64)) - 1
        if at < 0 or place.address >= known[at][1] or known[at][1] - known[at][0] > MOST_BYTES:
            continue
        key = (place.module, *known[at])
        if key in wanted or len(wanted) < MOST_FUNCTIONS:
            wanted.setdefault(key, set()).add(place)
    found: dict[tuple[int, int], list[Json]] = {}
    for (module, begin, end), inside in wanted.items():
        code = instructions_of(module, begin, end)
        starts = [address for address, _ in code]
        for file, line in sorted({(place.file, place.line) for place in inside}):
            # The address of a call is that of its last byte.
            hot = {starts[bisect.bisect_right(starts, place.address) - 1] for place in inside
                   if (place.file, place.line) == (file, line) and starts and place.address >= starts[0]}
            if hot:
                found.setdefault((file, line), []).extend(windows(code, hot))
    return [{"file": file, "line": line, "code": code} for (file, line), code in sorted(found.items())]
