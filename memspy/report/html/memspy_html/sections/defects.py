# SPDX-License-Identifier: GPL-2.0-or-later
"""Defects and leaks of the profile, in the form of those of an error file, which has more and is taken if it is there."""

from __future__ import annotations

from typing import AbstractSet

from ..reader import Reader
from ..section import Section
from ..tables import Json


class Defects(Section):
    form = "list of defects"

    def read(self, reader: Reader) -> bool:
        self._list: list[Json] = []
        found = False
        for name in reader.members():
            found = True
            if name == "defects":
                self._list += map(self._defect, reader.elements())
            else:
                reader.value()
        return found

    def to_json(self, told: AbstractSet[str]) -> Json:
        return {"list": self._list, "suppressions": []}

    @staticmethod
    def _text(entry: Json) -> str:
        """As memspy-report text has it."""
        blocks, lost = int(entry.get("leaked-blocks", 0)), int(entry.get("leaked-bytes", 0))
        if not blocks:
            return str(entry.get("what", ""))
        indirectly = int(entry.get("leaked-indirectly", 0))
        return (f"{lost:,} {'byte' if lost == 1 else 'bytes'} in {blocks:,} {'block' if blocks == 1 else 'blocks'} "
                f"{'is' if lost == 1 else 'are'} {entry.get('what', '')}" + (f", {indirectly:,} of them indirectly" if indirectly else ""))

    def _defect(self, entry: Json) -> Json:
        parts: list[Json] = [{"stack": self.names.stack(entry["stack"])}] if "stack" in entry else []
        for remark in entry.get("remarks", []):
            parts.append({"text": str(remark["text"])})
            if "stack" in remark:
                parts.append({"stack": self.names.stack(remark["stack"])})
        return {
            "kind": str(entry["kind"]),
            "text": self._text(entry),
            "thread": int(entry.get("thread", 0)),
            "count": int(entry.get("times", 1)),
            "leakedBytes": int(entry.get("leaked-bytes", 0)),
            "leakedBlocks": int(entry.get("leaked-blocks", 0)),
            "suppression": "",
            "parts": parts,
        }


SECTION = Defects
