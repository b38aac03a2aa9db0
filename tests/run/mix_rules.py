# SPDX-License-Identifier: GPL-2.0-or-later
"""A test program's rules on the instruction mix in the profile file.

    // MIX: FUNCTION COUNT=NUMBER ... [arch=MACHINE]

COUNT is an attribute of <code>, of all rows of the function; COUNT>=NUMBER and COUNT<=NUMBER likewise.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from counts import BadRule
from profile_stacks import stacks_of

WORD = re.compile(r"([a-z0-9-]+)(<=|>=|=)([0-9]+)")


@dataclass(frozen=True)
class MixRule:
    function: str
    conditions: list[tuple[str, str, int]]
    machine: str


def parse(text: str) -> MixRule:
    function, *words = text.split()
    machine = next((word[5:] for word in words if word.startswith("arch=")), "")
    found = [WORD.fullmatch(word) for word in words if not word.startswith("arch=")]
    conditions = [(match[1], match[2], int(match[3])) for match in found if match is not None]
    if not conditions or len(conditions) != len(found):
        raise BadRule(f"'{text}' is not FUNCTION COUNT=NUMBER ...")
    return MixRule(function, conditions, machine)


def check(rules: Iterable[MixRule], profile: Path, machine: str = platform.machine()) -> list[str]:
    rules = [rule for rule in rules if rule.machine in ("", machine)]
    if not rules:
        return []
    root = ElementTree.parse(profile).getroot()
    functions = {identity: frames[0].get("fn", "") for identity, frames in stacks_of(root).items() if frames}
    wrong = []
    for rule in rules:
        rows = [row for row in root.iterfind("mix/code") if functions.get(row.get("stack", "")) == rule.function]
        for count, how, number in rule.conditions:
            value = sum(int(row.get(count, "0")) for row in rows)
            if not {"=": value == number, "<=": value <= number, ">=": value >= number}[how]:
                wrong.append(f"{rule.function}: {count} is {value}, not {how} {number} ({len(rows)} rows)")
    return wrong
