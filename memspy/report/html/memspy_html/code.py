# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks, frames and source files, each stored once and numbered."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Iterator

from .disassembly import Place
from .tables import Json, Pool, Table, Values

NONE = -1


class Code:
    """Frames are rows of (function, file, line, module, inlined, foreign); a stack is a list of their numbers."""

    def __init__(self) -> None:
        self.modules: dict[Any, str] = {}  # their paths, by their ids in the file
        self.verified: set[Any] = set()  # the ids of modules that are still what ran
        self._functions: Pool[str] = Pool()
        self._names: dict[int, str] = {}  # of functions, as their authors know them, where these are others
        self._files: Pool[str] = Pool()
        self._paths: Pool[str] = Pool()
        self._frames: Pool[tuple[int, int, int, int, int, int, str]] = Pool()
        self._stacks: Pool[tuple[int, ...]] = Pool()
        self._own: dict[int, int] = {}  # by stack
        self._foreign: set[int] = set()
        self._places: dict[int, Place] = {}  # by stack
        self._lines: dict[int, set[int]] = {}  # for each file, the lines of frames

    def _frame(self, frame: Json) -> int:
        module = self.modules.get(frame.get("module"), str(frame.get("object", "")))
        name = frame.get("file")
        file, line = NONE, 0
        if name:
            file = self._files.number(str(PurePosixPath(str(frame.get("dir", ""))) / str(name)))
            line = int(frame.get("line", 0))
            self._lines.setdefault(file, set()).add(line)
        function = self._functions.number(str(frame["fn"])) if frame.get("fn") else NONE
        if "name" in frame:
            self._names[function] = str(frame["name"])
        # The address in the file is used only if nothing better is known; otherwise equal lines would be two frames.
        address = "" if function != NONE and file != NONE else str(frame.get("offset", frame.get("ip", "")))
        path = self._paths.number(module) if module else NONE
        return self._frames.number((function, file, line, path, int(bool(frame.get("inlined"))), int(bool(frame.get("foreign"))), address))

    def stack(self, frames: list[Json], own: int = -1, foreign: bool = False) -> int:
        """`own`: the place of the first frame of the program's own code; -1 if it is not known. `foreign`: none is."""
        number = self._stacks.number(tuple(self._frame(frame) for frame in frames))
        if own >= 0:
            self._own[number] = own
        if foreign:
            self._foreign.add(number)
        elif 0 <= own < len(frames) and frames[own].get("module") in self.verified and frames[own].get("file"):
            frame = frames[own]
            self._places[number] = Place(self.modules[frame["module"]], int(frame["offset"], 16),
                                         self.file(str(frame.get("dir", "")), str(frame["file"])), int(frame.get("line", 0)))
        return number

    def place(self, stack: int) -> Place | None:
        """The instruction that a stack is charged to, if it is the program's own code."""
        return self._places.get(stack)

    def file(self, directory: str, name: str) -> int:
        return self._files.number(str(PurePosixPath(directory) / name))

    def name_line(self, file: int, line: int) -> None:
        """For lines that do not come from frames, such as declarations."""
        self._lines.setdefault(file, set()).add(line)

    @property
    def files(self) -> Iterator[tuple[str, set[int]]]:
        for number, path in enumerate(self._files):
            yield path, self._lines.get(number, set())

    def to_json(self) -> Json:
        names = ("function", "file", "line", "module", "inlined", "foreign")
        frames = Table(*names, values=["address"])
        for frame in self._frames:
            frames.add(dict(zip((*names, "address"), frame)))
        stacks = Values()
        stacks.extend(self._stacks)
        own = [self._own.get(number, -1) for number in range(len(stacks))]
        return {"functions": list(self._functions), "names": self._names, "modulePaths": list(self._paths), "frames": frames, "stacks": stacks, "own": own,
                "foreign": sorted(self._foreign)}
