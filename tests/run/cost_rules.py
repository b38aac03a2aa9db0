# SPDX-License-Identifier: GPL-2.0-or-later
"""A test program's rules on the cost of its variables in the profile file.

    // COST: VARIABLE FIGURE=NUMBER ...

FIGURE is an attribute of <cost-object>; FIGURE>=NUMBER and FIGURE<=NUMBER likewise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from counts import BadRule

WORD = re.compile(r"([a-z0-9-]+)(<=|>=|=)([0-9]+)")


@dataclass(frozen=True)
class CostRule:
    variable: str
    conditions: list[tuple[str, str, int]]


def parse(text: str) -> CostRule:
    variable, *words = text.split()
    found = [WORD.fullmatch(word) for word in words]
    conditions = [(match[1], match[2], int(match[3])) for match in found if match is not None]
    if not conditions or len(conditions) != len(found):
        raise BadRule(f"'{text}' is not VARIABLE FIGURE=NUMBER ...")
    return CostRule(variable, conditions)


def check(rules: Iterable[CostRule], profile: Path) -> list[str]:
    rules = list(rules)
    if not rules:
        return []
    root = ElementTree.parse(profile).getroot()
    names = {variable.get("id"): variable.get("name") for variable in root.iterfind("objects/static")}
    costs = {names.get(row.get("object")): row for row in root.iterfind("cost/cost-object")}
    wrong = []
    for rule in rules:
        row = costs.get(rule.variable)
        if row is None:
            wrong.append(f"there is no cost of {rule.variable}")
            continue
        for figure, how, number in rule.conditions:
            value = int(row.get(figure, "0"))
            if not {"=": value == number, "<=": value <= number, ">=": value >= number}[how]:
                wrong.append(f"{rule.variable}: {figure} is {value}, not {how} {number}")
    return wrong
