# SPDX-License-Identifier: GPL-2.0-or-later
"""A section as the page has it: one member of the JSON, such as an analysis' part of the profile.

A section's file in sections/ defines SECTION, a class derived from this one; a section without such a file is read
by records.py.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Callable

from .code import Code
from .reader import Reader
from .tables import Json


class Names:
    """`object` and `stack` turn the file's numbers in records into the page's, -1 for none."""

    def __init__(self, code: Code, object_number: Callable[[Any], int], stack_number: Callable[[Any], int],
                 objects: int) -> None:
        self.code, self.object, self.stack = code, object_number, stack_number
        self.objects = objects  # number of objects


class Section:
    form = ""  # of several sections with the same form, which say the same, the page has the first

    def __init__(self, names: Names) -> None:
        self.names = names
        self.runs: list[Json] = []  # the processes in its data, if there is no profile
        self.told: AbstractSet[str] = frozenset()  # the kinds of errors that it shows itself

    def read(self, reader: Reader) -> bool:
        """False if there is nothing."""
        raise NotImplementedError

    def to_json(self, told: AbstractSet[str]) -> Json:
        """The data for the section's script in web/sections/. `told`: kinds of errors shown by any section."""
        raise NotImplementedError
