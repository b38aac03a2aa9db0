# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads JSON in pieces: the document of a large profile has ten times the size of its page."""

from __future__ import annotations

import json
import re
from typing import Any, Iterator, TextIO

from .problem import Problem

CHUNK = 1 << 20
OF_NUMBERS = "+-.0123456789Ee"
SPACE = re.compile(r"[ \t\n\r]*")


class Reader:
    """Stands before a value. Each of `value`, `elements`, `members` takes it; a member's value must be taken before the
    next member is asked for."""

    def __init__(self, file: TextIO, origin: str) -> None:
        self._file, self._origin = file, origin
        self._text, self._at = "", 0
        self._decoder = json.JSONDecoder(parse_constant=self._constant)

    def _constant(self, name: str) -> None:
        raise self.broken(f"{name} is not a number there")

    def _more(self) -> bool:
        """Reads twice as much each time a value needs more, so that a long one is not parsed too often."""
        rest = self._text[self._at:]
        try:
            more = self._file.read(max(CHUNK, len(rest)))
        except UnicodeDecodeError as error:
            raise self.broken(str(error)) from error
        if more:
            self._text, self._at = rest + more, 0
        return bool(more)

    def broken(self, why: str) -> Problem:
        return Problem(f"{self._origin}: no JSON: {why}")

    def unknown(self, why: str) -> Problem:
        return Problem(f"{self._origin}: not the output of memspy-report export --to=json: {why}")

    def _next(self) -> str:
        """The next character, without reading it; "" at the end."""
        while True:
            found = SPACE.match(self._text, self._at)
            assert found
            self._at = found.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _take(self, wanted: str) -> str:
        found = self._next()
        if not found or found not in wanted:
            raise self.broken(f"{found!r} where one of {wanted!r} should be")
        self._at += 1
        return found

    def value(self) -> Any:
        self._next()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
                # A number may continue in the part not read yet, except at the end.
                if self._text[end:end + 1] not in OF_NUMBERS or not self._more():
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                if not self._more():
                    raise self.broken(error.msg) from error
            except RecursionError as error:
                raise self.broken("too deep") from error

    def _null(self) -> bool:
        if self._next() != "n":
            return False
        if self.value() is not None:
            raise self.broken("a word that is not null")
        return True

    def _enter(self, brackets: str) -> bool:
        """Enters a list or an object; false if it is empty or null."""
        if self._null():
            return False
        self._expect(brackets[0])
        if self._next() != brackets[1]:
            return True
        self._at += 1
        return False

    def elements(self) -> Iterator[Any]:
        """The elements of a list; null has none."""
        inside = self._enter("[]")
        while inside:
            yield self.value()
            inside = self._take(",]") == ","

    def members(self) -> Iterator[str]:
        """The names of an object's members; null has none."""
        inside = self._enter("{}")
        while inside:
            name = self.value()
            if not isinstance(name, str):
                raise self.broken("a name that is not a string")
            self._take(":")
            yield name
            inside = self._take(",}") == ","

    def _expect(self, bracket: str) -> None:
        found = self._next()
        if not found:
            raise self.broken("nothing is there")
        if found != bracket:
            raise self.unknown(f"{found!r} where {bracket!r} should be")
        self._at += 1

    def end(self) -> None:
        if self._next():
            raise self.broken("more behind the end")
