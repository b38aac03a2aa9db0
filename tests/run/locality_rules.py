# SPDX-License-Identifier: GPL-2.0-or-later
"""A test program's rules on locality in the profile file.

    // LOCALITY: KIND NAME FIGURE<=NUMBER FIGURE>=NUMBER ...

FIGURE is an attribute of the <stream> of that kind (object, function, line, thread, ...) and name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from counts import BadRule

WORD = re.compile(r"([a-z-]+)(<=|>=)([0-9.]+)")


@dataclass(frozen=True)
class LocalityRule:
    kind: str
    name: str
    conditions: list[tuple[str, str, float]]


def parse(text: str) -> LocalityRule:
    kind, name, *words = text.split()
    found = [WORD.fullmatch(word) for word in words]
    conditions = [(match[1], match[2], float(match[3])) for match in found if match is not None]
    if not conditions or len(conditions) != len(found):
        raise BadRule(f"'{text}' is not KIND NAME FIGURE<=NUMBER ...")
    return LocalityRule(kind, name, conditions)


def check(rules: Iterable[LocalityRule], profile: Path) -> list[str]:
    rules = list(rules)
    if not rules:
        return []
    streams = {(stream.get("kind"), stream.get("name")): stream
               for stream in ElementTree.parse(profile).getroot().iterfind("locality/stream")}
    wrong = []
    for rule in rules:
        stream = streams.get((rule.kind, rule.name))
        if stream is None:
            wrong.append(f"there is no stream of {rule.kind} {rule.name}")
            continue
        for figure, how, number in rule.conditions:
            value = stream.get(figure)  # none: it was only counted
            if value is None or not (float(value) <= number if how == "<=" else float(value) >= number):
                wrong.append(f"{rule.kind} {rule.name}: {figure} is {value}, not {how} {number}")
    return wrong
