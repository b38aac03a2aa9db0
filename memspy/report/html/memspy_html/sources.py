# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of the source files in frames."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from .tables import Json

# To limit the page's size, longer files are included only around lines that are referred to.
WHOLE_LINES = 3000
AROUND = 40
MOST_BYTES = 8 << 20
MOST_TOTAL = 32 << 20

# A profile can name any file. Only files that look like source code are put into a page, because users pass
# pages on.
SUFFIXES = frozenset(
    ".c .cc .cpp .cxx .c++ .C .h .hh .hpp .hxx .h++ .H .ipp .inl .inc .tcc .tpp .cu .cuh .m .mm .def .l .y .ll .yy "
    ".S .s .asm .f .F .for .f77 .f90 .F90 .f95 .f03 .f08 .rs .go .d .adb .ads .zig .nim .pas .vala".split())


def is_source(path: PurePosixPath) -> bool:
    """The C++ library's headers have no suffix."""
    return path.suffix in SUFFIXES or (not path.suffix and "include" in path.parts)


class Sources:
    def __init__(self, wanted: bool, directories: list[str]) -> None:
        self.wanted = wanted
        self._directories = [Path(directory) for directory in directories]
        self._total = 0

    def _candidates(self, path: PurePosixPath) -> list[Path]:
        """The file itself, else the longest end of its path that exists in one of the directories."""
        found = [Path(path)] if path.is_absolute() else []
        for directory in self._directories:
            parts = [part for part in path.parts if part not in ("/", ".", "..")]
            found += [directory.joinpath(*parts[i:]) for i in range(len(parts))]
        return found

    def _read(self, path: PurePosixPath) -> str | None:
        for candidate in self._candidates(path):
            try:
                with open(os.open(candidate, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                    status = os.fstat(file.fileno())
                    if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                        continue
                    return file.read().decode("utf-8", errors="replace")
            except OSError:
                continue
        return None

    def get(self, name: str, lines: set[int]) -> Json:
        """`state`: whole, parts, missing (not found here), refused (not a source file), none (not wanted)."""
        path = PurePosixPath(name)
        entry: Json = {"path": name, "name": path.name, "state": "none", "parts": []}
        if not self.wanted:
            return entry
        if not is_source(path):
            return {**entry, "state": "refused"}
        text = self._read(path)
        if text is None or self._total > MOST_TOTAL:
            return {**entry, "state": "missing"}
        all_lines = text.splitlines()
        parts = excerpts(len(all_lines), lines)
        entry["state"] = "whole" if parts == [(1, len(all_lines))] else "parts"
        entry["parts"] = [{"first": a, "lines": all_lines[a - 1:b]} for a, b in parts]
        self._total += sum(len(line) + 3 for part in entry["parts"] for line in part["lines"])
        return entry


def excerpts(length: int, lines: set[int]) -> list[tuple[int, int]]:
    """The parts of a file that are shown, each from first to last line, sorted and disjoint."""
    if length <= WHOLE_LINES:
        return [(1, length)] if length else []
    parts: list[tuple[int, int]] = []
    for line in sorted(lines):
        if not 1 <= line <= length:
            continue
        first, last = max(1, line - AROUND), min(length, line + AROUND)
        if parts and first <= parts[-1][1] + 1:
            parts[-1] = (parts[-1][0], last)
        else:
            parts.append((first, last))
    return parts
