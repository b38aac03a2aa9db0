#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves what `memspy-report waste --advice` says of programs as users write them, in C, C++ and Fortran, with -O2.

wasteful   the first sentence is on the line that the program's source marks with WASTE, and has the words that it needs
changed    the same program with -DFIXED, which does what the sentence says, has no sentence on that line; it prints the same
efficient  fine_*: no sentence
"""

from __future__ import annotations

import sys
from pathlib import Path

from advised_programs import AdvisedLine, AdviceTest, Row

# By the word behind WASTE.
WORDS = {
    "clear": "drop the memset",
    "initialised": "drop the ",
    "invariant": "in a local variable, or say restrict",
    "store in a loop": "store it once behind the loop",
    "search": "search by an index",
    "cleared": "only what is used",
    "copied": "",
    "formatted": "make the text",
    "length": "keep the length",
    "silent": "only what",
    "whole variable": "do not set all of p",
}


def wanted(line: AdvisedLine, rows: list[Row]) -> str | None:
    words = WORDS[line.words]
    is_first = bool(rows) and rows[0]["line"] == line.place and words in rows[0]["advice"]
    return None if is_first else words


def is_of(line: AdvisedLine, row: Row) -> bool:
    return row["line"] == line.place


TEST = AdviceTest(Path(__file__).parent / "waste/advice", "WASTE", ["--waste=yes"], "waste", wanted, is_of)

if __name__ == "__main__":
    sys.exit(TEST.main(__doc__))
