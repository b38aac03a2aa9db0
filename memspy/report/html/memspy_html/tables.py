# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables by column, as they are in the page: a third of the size of rows, and fast to parse.

A big profile has millions of numbers, most of them small: a column takes the fewest bytes that its numbers fit into.
Everything becomes text only when the page is written, a piece at a time.
"""

from __future__ import annotations

import json
import sys
from array import array
from itertools import islice
from typing import Any, Callable, Generic, Hashable, Iterable, Iterator, Mapping, Sequence, TypeVar

Json = dict[str, Any]
T = TypeVar("T", bound=Hashable)
PIECE = 1 << 14  # number of values that are converted to text at a time


class Pool(Generic[T]):
    """Numbers things from 0 in the order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def number(self, thing: T) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[T]:
        return iter(self._numbers)


class Numbers:
    """Integers of 64 bits, signed."""

    WIDTHS = "bhiq"

    def __init__(self, values: array[int] | None = None) -> None:
        self._values = array(self.WIDTHS[0]) if values is None else values

    def _widen(self) -> None:
        wider = self.WIDTHS[self.WIDTHS.index(self._values.typecode) + 1:]
        if not wider:
            raise ValueError("a number of more than 64 bits")
        self._values = array(wider[0], self._values)

    def append(self, value: int) -> None:
        try:
            self._values.append(value)
        except OverflowError:
            self._widen()
            self.append(value)

    def extend(self, values: list[int]) -> None:
        try:
            self._values.fromlist(values)  # all of them or none
        except OverflowError:
            self._widen()
            self.extend(values)

    def add(self, row: int, value: int) -> None:
        try:
            self._values[row] += value
        except OverflowError:
            self._widen()
            self.add(row, value)

    def __getitem__(self, row: int) -> int:
        return self._values[row]

    def __len__(self) -> int:
        return len(self._values)

    def texts(self, order: Sequence[int] | None) -> Iterator[str]:
        return map(str, self._values if order is None else map(self._values.__getitem__, order))


class Values:
    """Any JSON values, stored as text; equal ones are stored once."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def append(self, value: Any) -> None:
        self._texts.append(sys.intern(encoded(value)))

    def extend(self, values: Iterable[Any]) -> None:
        for value in values:
            self.append(value)

    def __getitem__(self, row: int) -> Any:
        return json.loads(self._texts[row])

    def __len__(self) -> int:
        return len(self._texts)

    def pieces(self) -> Iterator[str]:
        return joined(self._texts)

    def texts(self, order: Sequence[int] | None) -> Iterator[str]:
        return iter(self._texts) if order is None else map(self._texts.__getitem__, order)


class Table:
    """Columns of numbers and of other values. `order`, if set, is the order of rows in the page."""

    def __init__(self, *numbers: str, values: Sequence[str] = ()) -> None:
        self.columns: dict[str, Numbers | Values] = {name: Numbers() for name in numbers}
        self.columns.update({name: Values() for name in values})
        self.order: Sequence[int] | None = None

    def add(self, row: Mapping[str, Any]) -> int:
        """A column that `row` does not have gets 0. Returns the row's number."""
        for name, column in self.columns.items():
            column.append(row.get(name, 0))
        return len(self) - 1

    def extend(self, rows: Sequence[Mapping[str, Any]]) -> None:
        for name, column in self.columns.items():
            column.extend([row.get(name, 0) for row in rows])

    def add_to(self, row: int, counts: Mapping[str, int]) -> None:
        for name, value in counts.items():
            column = self.columns[name]
            assert isinstance(column, Numbers)
            column.add(row, value)

    def row(self, row: int) -> Json:
        return {name: column[row] for name, column in self.columns.items()}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def sort(self, rank: Callable[[int], int]) -> None:
        """The highest value first."""
        self.order = array("q", sorted(range(len(self)), key=rank, reverse=True))

    def pieces(self) -> Iterator[str]:
        yield f'{{"length":{len(self)}'
        for name, column in self.columns.items():
            yield f",{encoded(name)}:"
            yield from joined(column.texts(self.order))
        yield "}"


def joined(texts: Iterable[str]) -> Iterator[str]:
    """A JSON list of the texts' values."""
    texts = iter(texts)
    between = "["
    while piece := ",".join(islice(texts, PIECE)):
        yield between + piece
        between = ","
    yield "[]" if between == "[" else "]"


def encoded(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def pieces_of(value: Any) -> Iterator[str]:
    """The JSON of a value that contains tables."""
    if isinstance(value, (Table, Values)):
        yield from value.pieces()
    elif isinstance(value, dict):
        between = "{"
        for name, member in value.items():
            yield between + encoded(str(name)) + ":"
            yield from pieces_of(member)
            between = ","
        yield "{}" if between == "{" else "}"
    elif isinstance(value, list):
        yield from joined(map(encoded, value))
    else:
        yield encoded(value)
