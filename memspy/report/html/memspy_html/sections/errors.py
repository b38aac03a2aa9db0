# SPDX-License-Identifier: GPL-2.0-or-later
"""Error files: heap defects, and all other errors that memspy wrote."""

from __future__ import annotations

from typing import AbstractSet

from ..reader import Reader
from ..section import Section
from ..tables import Json


class Errors(Section):
    form = "list of defects"

    def read(self, reader: Reader) -> bool:
        self.runs += reader.elements()
        return bool(self.runs)

    def to_json(self, told: AbstractSet[str]) -> Json:
        """`parts` are texts and stacks in memspy's order."""
        errors = [error for file in self.runs for error in file.get("errors", [])]
        return {"list": [self._error(error) for error in errors if error.get("kind") not in told],
                "suppressions": [{"kind": str(error["kind"]), "stack": self.names.code.stack(error.get("stack", []), int(error.get("own", 0))),
                                  "text": str(error["suppression"])}
                                 for error in errors if error.get("kind") in told and error.get("suppression")]}

    def _error(self, error: Json) -> Json:
        def stack(part: Json) -> int:
            return self.names.code.stack(part.get("stack", []), int(part.get("own", 0)))

        parts: list[Json] = [{"stack": stack(error)}]
        for detail in error.get("details", []):
            parts.append({"text": str(detail.get("text", ""))})
            if detail.get("stack"):
                parts.append({"stack": stack(detail)})
        return {
            "kind": str(error.get("kind", "")),
            "text": str(error.get("what", "")),
            "thread": int(error.get("thread", 0)),
            "count": int(error.get("count", 1)),
            "leakedBytes": int(error.get("leaked-bytes", 0)),
            "leakedBlocks": int(error.get("leaked-blocks", 0)),
            "suppression": str(error.get("suppression", "")),
            "parts": parts,
        }


SECTION = Errors
