# SPDX-License-Identifier: GPL-2.0-or-later
"""Defects of the XML output, and findings on sharing."""

from __future__ import annotations

from typing import Any, Callable

from .code import Code, NONE
from .tables import Json

SHARING = ("FalseSharing", "TrueSharing", "Contention")


def defects(errors: list[Json], code: Code, with_sharing: bool) -> list[Json]:
    """`parts` are texts and stacks in the order in which memspy tells them."""
    found: list[Json] = []
    for error in errors:
        kind = str(error.get("kind", ""))
        if kind in SHARING and not with_sharing:
            continue
        parts: list[Json] = [{"stack": code.stack(error.get("stack", []))}]
        for detail in error.get("details", []):
            parts.append({"text": str(detail.get("text", ""))})
            if detail.get("stack"):
                parts.append({"stack": code.stack(detail["stack"])})
        found.append({
            "kind": kind,
            "text": str(error.get("what", "")),
            "thread": int(error.get("thread", 0)),
            "count": int(error.get("count", 1)),
            "leakedBytes": int(error.get("leaked-bytes", 0)),
            "leakedBlocks": int(error.get("leaked-blocks", 0)),
            "parts": parts,
            "suppression": str(error.get("suppression", "")),
        })
    return found


def groups(data: list[Json], object_number: Callable[[Any], int], stack_number: Callable[[Any], int]) -> list[Json]:
    """Objects that hinder each other, in memspy's order: what is a finding comes first."""
    found: list[Json] = []
    for group in data:
        objects = [object_number(identity) for identity in group.get("objects", [])]
        found.append({
            "kind": str(group.get("kind", "")),
            "finding": bool(group.get("finding")),
            "removable": int(group.get("removable", 0)),
            "title": str(group.get("title", "")),
            "what": str(group.get("what", "")),
            "figures": str(group.get("figures", "")),
            "advice": str(group.get("advice", "")),
            "objects": [number for number in objects if number != NONE],
            "sides": [{"stack": stack_number(side.get("stack")), "thread": int(side.get("thread", 0)),
                       "loads": bool(side.get("loads")), "stores": bool(side.get("stores"))}
                      for side in group.get("sides", [])],
        })
    return found
