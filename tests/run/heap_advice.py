#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves what `memspy-report heap --advice` says of programs as users write them, in C, C++ and Fortran, with -O2.

wasteful   a sentence of the kind, and with the words, that the program's source has behind ADVICE is on that line
changed    the same program with -DFIXED, which does what the sentence says, has none of that kind; it prints the same
efficient  fine_*: no sentence
"""

from __future__ import annotations

import sys
from pathlib import Path

from advised_programs import AdvisedLine, AdviceTest, Row


def wanted(line: AdvisedLine, rows: list[Row]) -> str | None:
    kind, words = line.words.split(": ")
    is_told = any(row["line"] == line.place and row["kind"] == kind and words in row["advice"] for row in rows)
    return None if is_told else line.words


def is_of(line: AdvisedLine, row: Row) -> bool:
    return row["kind"] == line.words.split(": ")[0]


TEST = AdviceTest(Path(__file__).parent / "heap/advice", "ADVICE", ["--heap-profile=accesses", "--zeros=no"], "heap", wanted, is_of)

if __name__ == "__main__":
    sys.exit(TEST.main(__doc__))
