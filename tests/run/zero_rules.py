# SPDX-License-Identifier: GPL-2.0-or-later
"""A test program's rules on redundant zeros in the profile file.

    // ZEROS: object OBJECT CONDITION ... [in=child] [when=TEXT]
    // ZEROS: row LABEL [type=integer|float] [element=BYTES] [lanes=N] [known=yes|no] CONDITION ... [...]
    // ZEROS: total integer|float CONDITION ...

OBJECT as in counts.py: a static object's name, `heap:LABEL`, or `stack:THREAD`, the whole stack of the thread of that
number; `local:VARIABLE`, a variable in frames; `unknown`, all mappings; several joined by + are summed. A row is every load on the line with that label (of the innermost frame that stands
in the test's file), in every context; `type`, `element` (bytes of one), `lanes` and `known` choose among them.

A CONDITION is FIELD and what it must be, as in counts.py. The fields of objects:
    blocks, size, accessed                                   bytes
    cells, redundant                                         cells of them
    accessed8, zero8, accessed64, zero64, accessed512, zero512   blocks of these sizes
    stride, rows, zerorows                                   rows; all 0 when there are none
    loaded, loadedredundant                                  cells, each as often as it was loaded
    since                                                    thousandths of the run before it became redundant; 0: never
    columns                                                  `columns=STRIDE:RANGE,RANGE`, `columns=none`
    map                                                      `map=FIRST..LAST:A/R`: cells of the map whose sum is A/R
of rows and totals:
    loads, elements, redundant, zero, unknown (loads of unknown type), threads (the most of one row), rows (their number)
    cells                                                    of the elements (totals only)
    fraction                                                 redundant / cells of the elements
    redmap                                                   `redmap=N,N,...`, each an expression
and of both
    advice                                                   `advice=KIND[:TYPE or PART]`, there; `advice=!KIND`, not there;
                                                             `advice=none`
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from counts import BadRule, Condition, Run, with_profiles
from profile_file import Profile, ZeroObject, ZeroRow, ZeroTotals

OBJECT_NUMBERS = {"blocks", "size", "accessed", "cells", "redundant", "accessed8", "zero8", "accessed64", "zero64",
                  "accessed512", "zero512", "stride", "rows", "zerorows", "loaded", "loadedredundant", "since"}
ROW_NUMBERS = {"loads", "elements", "redundant", "zero", "unknown", "threads", "rows", "cells", "fraction"}
SELECTORS = {"type", "element", "lanes", "known"}
TEXTS = {"columns", "map", "redmap", "advice"}
WORD = re.compile(r"(?P<field>[a-z]+[0-9]*)(?P<operator><=|>=|=)(?P<value>\S+)")


@dataclass(frozen=True)
class ZeroRule:
    text: str
    what: str  # object, row, total
    names: list[str]
    selectors: dict[str, str]
    conditions: list[Condition]
    child: bool
    when: str


def parse(text: str) -> ZeroRule:
    words = shlex.split(text)
    if len(words) < 3 or words[0] not in ("object", "row", "total"):
        raise BadRule(f"'{text}' is not object|row|total NAME CONDITION ...")
    numbers = OBJECT_NUMBERS if words[0] == "object" else ROW_NUMBERS
    selectors: dict[str, str] = {}
    conditions, child, when = [], False, ""
    for word in words[2:]:
        found = WORD.fullmatch(word)
        if word == "in=child":
            child = True
        elif word.startswith("when="):
            when = word.removeprefix("when=")
        elif found is None:
            raise BadRule(f"'{word}' is no condition")
        elif found["field"] in SELECTORS and words[0] == "row":
            selectors[found["field"]] = found["value"]
        elif found["field"] in numbers | TEXTS:
            conditions.append(Condition(found["field"], found["operator"], found["value"]))
        else:
            raise BadRule(f"'{word}' is about nothing that is known")
    if not conditions:
        raise BadRule(f"'{text}' demands nothing")
    return ZeroRule(text, words[0], words[1].split("+"), selectors, conditions, child, when)


def check_names(rules: Iterable[ZeroRule], labels: Mapping[str, set[int]], text: str) -> None:
    """A misspelt name must not count as something without counts."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("// "))
    for rule in rules:
        for name in rule.names:
            kind, _, rest = name.rpartition(":")
            if rule.what == "total":
                known = name in ("integer", "float")
            elif rule.what == "row" or kind == "heap":
                known = rest in labels
            elif kind == "stack":
                known = rest.isdigit()
            elif name == "unknown":
                known = True
            else:
                known = bool(re.search(rf"\b{re.escape(rest.lstrip('*'))}\b", code))
            if not known:
                raise BadRule(f"'{rule.text}': no '{name}'")


def objects_of(profile: Profile, rule: ZeroRule, run: Run) -> list[ZeroObject]:
    out = []
    for name in rule.names:
        kind, _, rest = name.rpartition(":")
        for found in profile.zero_objects:
            entry = found.entry
            if kind == "heap":
                fits = entry.kind == "heap" and first_line(entry.frames, run.source) in run.labels[rest]
            elif kind == "stack":
                fits = entry.kind == "stack" and not entry.name and entry.thread == rest
            elif kind == "local":
                fits = entry.kind == "stack" and entry.variable == rest
            elif name == "unknown":
                fits = entry.kind == "unknown"
            else:
                fits = entry.kind == "static" and entry.is_named(rest)
            if fits:
                out.append(found)
    return out


def first_line(frames: Sequence[tuple[str, int]], source: str) -> int:
    return next((line for file, line in frames if file == source), 0)


def rows_of(profile: Profile, rule: ZeroRule, run: Run) -> list[ZeroRow]:
    labels = set().union(*(run.labels[name] for name in rule.names))
    return [row for row in profile.zero_rows
            if first_line(row.frames, run.source) in labels
            and all(row.selector(key) == value for key, value in rule.selectors.items())]


def advice_problem(given: Sequence[str], wanted: str) -> str:
    if wanted == "none":
        return f"there is advice {given}" if given else ""
    if wanted.startswith("!"):
        return f"there is advice {given}" if any(g.split(":")[0] == wanted[1:] for g in given) else ""
    ok = any(wanted in (g, g.split(":")[0]) for g in given)
    return "" if ok else f"advice is {list(given)}"


def numbers_of(text: str, run: Run) -> list[float]:
    return [Condition("", "=", part).bounds(run.numbers)[0] for part in text.split(",")]


def object_problem(found: Sequence[ZeroObject], condition: Condition, run: Run) -> str:
    value = condition.value
    if condition.field == "advice":
        return advice_problem([a for o in found for a in o.advice], value)
    if condition.field == "columns":
        is_there = [o.columns or "none" for o in found]
        return "" if is_there == [value.replace(",", " ")] else f"columns are {is_there}"
    if condition.field == "map":
        part = re.fullmatch(r"(.+)\.\.(.+):(.+)/(.+)", value)
        if part is None or len(found) != 1:
            return f"'{value}' is no part of a map of one object"
        first, last, accessed, redundant = (numbers_of(p, run)[0] for p in part.groups())
        cells = found[0].map[int(first):int(last) + 1]
        sums = (sum(a for a, _ in cells), sum(r for _, r in cells))
        return "" if sums == (accessed, redundant) else f"map is {found[0].map}"
    return number_problem(sum(o.numbers[condition.field] for o in found), condition, run)


def number_problem(value: float, condition: Condition, run: Run) -> str:
    low, high = condition.bounds(run.numbers)
    slack = 1e-6 if condition.field == "fraction" else 0
    return "" if low - slack <= value <= high + slack else f"{condition.field} is {value:g}, not {low:g} to {high:g}"


def totals_problem(total: ZeroTotals, rows: Sequence[ZeroRow], condition: Condition, run: Run) -> str:
    if condition.field == "advice":
        return advice_problem([a for r in rows for a in r.advice], condition.value)
    if condition.field == "redmap":
        sums = [float(sum(cells)) for cells in zip(*(r.redmap for r in rows))]
        return "" if sums == numbers_of(condition.value, run) else f"redmap is {sums}"
    values = {**vars(total), "rows": len(rows), "threads": max((r.threads for r in rows), default=0),
              "fraction": total.redundant / total.cells if total.cells else 0.0}
    return number_problem(values[condition.field], condition, run)


def check(rules: Iterable[ZeroRule], own: Profile, children: Sequence[Profile], run: Run) -> list[str]:
    problems: list[str] = []
    for rule, profile in with_profiles(rules, own, children, run, problems):
        problems += check_profile(rule, profile, run)
    return problems


def check_profile(rule: ZeroRule, profile: Profile, run: Run) -> list[str]:
    if rule.what == "object":
        objects = objects_of(profile, rule, run)
        wrong = [p for p in (object_problem(objects, c, run) for c in rule.conditions) if p]
        return told(rule, wrong, [o.describe() for o in objects])
    if rule.what == "total":
        total = profile.zero_totals[rule.names[0]]
        wrong = [p for p in (totals_problem(total, [], c, run) for c in rule.conditions) if p]
        return told(rule, wrong, [str(total)])
    rows = rows_of(profile, rule, run)
    ways = [rows, *([row] for row in rows)]
    wrongs = [[p for p in (totals_problem(sum_of(way), way, c, run) for c in rule.conditions) if p] for way in ways]
    return told(rule, [] if [] in wrongs else wrongs[0], [r.describe() for r in rows])


def sum_of(rows: Sequence[ZeroRow]) -> ZeroTotals:
    total = ZeroTotals()
    for row in rows:
        total.add(row.totals)
    return total


def told(rule: ZeroRule, wrong: Sequence[str], found: Sequence[str]) -> list[str]:
    shown = "\n      ".join(found)
    return [f"ZEROS {rule.text}: {'; '.join(wrong)}\n      {shown}"] if wrong else []
