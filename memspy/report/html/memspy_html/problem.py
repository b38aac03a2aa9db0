# SPDX-License-Identifier: GPL-2.0-or-later
"""A problem that is reported to the user in one line, and ends the program."""

from __future__ import annotations

USAGE = 2  # the command line is wrong
FAILED = 1  # a file cannot be read, understood or written


class Problem(Exception):
    """The text says what to do; `status` is the exit code."""

    def __init__(self, text: str, status: int = FAILED) -> None:
        super().__init__(text)
        self.status = status
