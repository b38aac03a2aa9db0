#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes an OTF2 archive by the library's own writer: memspy-report export --to=otf2 gives it the spans.

The archive's folder is the argument. Each line of standard input is a definition or a span, with tabs between its parts;
definitions count from 0 in the order of their kind, and come before their users:

    clock TICKS-A-SECOND
    region NAME mpi|wait FILE LINE                 the file may be empty
    location PROCESS NAME                          neighbours of one process are together
    span LOCATION REGION BEGIN END                 ascending in each location, none begins before the last one's end

Exit status 3: there is no module otf2.
"""

from __future__ import annotations

import sys
from typing import Any

try:
    import otf2
except ImportError:
    sys.exit(3)


class Archive:
    def __init__(self, folder: str, ticks: int) -> None:
        self.trace: Any = otf2.writer.Writer(folder, timer_resolution=ticks)
        self.trace.creator = "memspy-report"
        definitions = self.trace.definitions
        self.system = definitions.system_tree_node("the program")
        self.regions: list[Any] = []
        self.locations: list[Any] = []
        self.process, self.group = "", None

    def region(self, name: str, kind: str, file: str, line: str) -> None:
        paradigm = otf2.Paradigm.MPI if kind == "mpi" else otf2.Paradigm.USER
        place = {"source_file": file, "begin_line_number": int(line), "end_line_number": int(line)} if file else {}
        self.regions.append(self.trace.definitions.region(name, paradigm=paradigm, **place))

    def location(self, process: str, name: str) -> None:
        if self.group is None or process != self.process:
            self.process, self.group = process, self.trace.definitions.location_group(process, system_tree_parent=self.system)
        self.locations.append(self.trace.event_writer(name, group=self.group))

    def span(self, location: str, region: str, begin: str, end: str) -> None:
        writer = self.locations[int(location)]
        writer.enter(int(begin), self.regions[int(region)])
        writer.leave(int(end), self.regions[int(region)])


def main() -> int:
    archive: Archive | None = None
    for line in sys.stdin:
        kind, *parts = line.rstrip("\n").split("\t")
        if archive is None:
            archive = Archive(sys.argv[1], int(parts[0]))
        elif kind == "region":
            archive.region(*parts)
        elif kind == "location":
            archive.location(*parts)
        else:
            archive.span(*parts)
    if archive is not None:
        archive.trace.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
