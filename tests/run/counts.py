# SPDX-License-Identifier: GPL-2.0-or-later
"""A test program's rules on contention: counts in the profile file, and findings of sharing.

    // COUNTS: VIEW OBJECT CONDITION ... [in=child] [when=TEXT]
    // SHARING: KIND [names="a b"] [text="regex"] [alloc=LABEL] [at="LABEL LABEL"] [sides=LABEL]
                [calls="inner outer"] [from="inner outer"] [in=child] [when=TEXT] [maybe=yes]
    // SHARING: nothing | anything

VIEW is `modelled` or `observed`. OBJECT is the name of a static object; `heap:LABEL`, all blocks allocated on
the line with that label; `stack:FUNCTION`; `total`; or several of them, joined by +, which are summed.
An object that the profile does not name has no counts.

A CONDITION is FIELD and what it must be: `=N`, `=N~P%` (within P percent), `=N~D` (within D), `=A..B`, `<=N`,
`>=N`. N, D, A and B are expressions without spaces over the numbers of the SET. The fields:
    misses         all of them: cold + first + coherence
    cold, first, coherence, invalidations
    events         misses and invalidations without cold ones
    true, false    events of true and false sharing
    accesses       loads and stores; of objects those to shared lines
    ratio          (total only) events / accesses, with those that were not logged
    missing        modelled events that there may be more
    threads        (total only) threads that there ever were
    named          (total only) threads with figures of their own
    owners         (total only) objects that the profile lists

A modelled count of misses or events may be too small by what the profile says is missing of the object.

A SHARING line stands for all findings of its kind whose text names one of `names` (each of which must be
named by one of them at least). A finding that no line stands for is an error. `alloc=` demands a further stack
that has that label's line first, `at=` for each label a stack with its line, `sides=` that one finding's own
stack and that of the other side both have a line with that label (two different ones, if there are), `calls=`
a stack with these functions next to each other, `from=` that the stacks of both sides begin with these.

`when=TEXT` limits a line to runs whose options, environment, compiler, -O level or machine hold TEXT (`when=!TEXT`:
do not; `when="A & B"`: both).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from profile_file import FIELDS, Entry, Profile

OF_PROFILE = ("threads", "named", "owners")
SHARING_KINDS = {"FalseSharing", "TrueSharing", "Contention"}
CONDITION = re.compile(r"(?P<field>[a-z]+)(?P<operator><=|>=|=)(?P<value>\S+)")


class BadRule(Exception):
    """An invalid rule."""


class StackLike(Protocol):
    @property
    def text(self) -> str: ...
    def line_in(self, file: str) -> int: ...
    def lines_in(self, file: str) -> set[int]: ...
    def functions(self) -> list[str]: ...


class ErrorLike(Protocol):
    kind: str
    text: str
    child: bool
    used: bool

    @property
    def stacks(self) -> Sequence[StackLike]: ...

# Counts that may be too small by what the profile says is missing.
LACKING = ("misses", "coherence", "invalidations", "events", "true", "false")


@dataclass(frozen=True)
class Run:
    """The properties of one run of a program, for `when=` and for expressions."""

    words: str
    numbers: Mapping[str, int]
    labels: Mapping[str, set[int]]
    source: str  # as frames name it


@dataclass(frozen=True)
class Condition:
    field: str
    operator: str
    value: str

    def bounds(self, numbers: Mapping[str, int]) -> tuple[float, float]:
        def number(text: str) -> float:
            try:
                return float(eval(text, {"__builtins__": {}}, dict(numbers)))  # pylint: disable=eval-used
            except (SyntaxError, NameError, TypeError, ZeroDivisionError) as error:
                raise BadRule(f"'{text}': {error}") from error

        if ".." in self.value:
            low, high = self.value.split("..", 1)
            return number(low), number(high)
        middle, _, slack = self.value.partition("~")
        value = number(middle)
        if self.operator == "<=":
            return 0, value
        if self.operator == ">=":
            return value, float("inf")
        if slack.endswith("%"):
            wide = value * float(slack[:-1]) / 100
        else:
            wide = number(slack or "0")
        return value - wide, value + wide


@dataclass(frozen=True)
class CountRule:
    text: str
    view: str
    objects: list[str]
    conditions: list[Condition]
    child: bool
    when: str


@dataclass(frozen=True)
class SharingRule:
    text: str
    kind: str  # empty for `anything`
    names: list[str]
    attributes: dict[str, str]


def applies(when: str, words: str) -> bool:
    return all(part[1:] not in words if part.startswith("!") else part in words for part in when.split(" & "))


def parse_counts(text: str) -> CountRule:
    words = shlex.split(text)
    if len(words) < 3 or words[0] not in ("modelled", "observed"):
        raise BadRule(f"'{text}' is not VIEW OBJECT CONDITION ...")
    conditions, child, when = [], False, ""
    for word in words[2:]:
        if word == "in=child":
            child = True
        elif word.startswith("when="):
            when = word.removeprefix("when=")
        else:
            found = CONDITION.fullmatch(word)
            if found is None or found["field"] not in (*FIELDS, *OF_PROFILE):
                raise BadRule(f"'{word}' is no condition")
            conditions.append(Condition(found["field"], found["operator"], found["value"]))
    return CountRule(text, words[0], words[1].split("+"), conditions, child, when)


def parse_sharing(text: str) -> SharingRule | None:
    words = shlex.split(text)
    if words == ["nothing"]:
        return None
    if words == ["anything"]:
        return SharingRule(text, "", [], {})
    if not words or words[0] not in SHARING_KINDS:
        raise BadRule(f"'{text}' names no kind of finding")
    attributes = dict(w.split("=", 1) for w in words[1:] if "=" in w)
    if len(attributes) != len(words) - 1 or \
            attributes.keys() - {"names", "text", "alloc", "at", "sides", "calls", "from", "in", "when", "maybe"}:
        raise BadRule(f"'{text}' has words that mean nothing")
    return SharingRule(text, words[0], attributes.get("names", "").split(), attributes)


def entry_of(profile: Profile, wanted: Sequence[str], run: Run) -> Entry:
    total = Entry("", "sum")
    for name in wanted:
        if name == "total":
            total.add(profile.total)
            continue
        kind, _, rest = name.rpartition(":")
        for entry in profile.entries:
            if kind == "heap":
                fits = entry.kind == "heap" and any(
                    file == run.source and line in run.labels[rest] for file, line in entry.frames)
            elif kind == "stack":
                fits = entry.kind == "stack" and entry.is_named(rest)
            else:
                fits = entry.kind == "static" and entry.is_named(rest)
            if fits:
                total.add(entry)
    return total


class ProfileRule(Protocol):
    """The common part of all rules on profiles."""
    @property
    def when(self) -> str: ...
    @property
    def child(self) -> bool: ...
    @property
    def text(self) -> str: ...


AnyRule = TypeVar("AnyRule", bound=ProfileRule)


def with_profiles(rules: Iterable[AnyRule], own: Profile, children: Sequence[Profile], run: Run,
                  problems: list[str]) -> Iterator[tuple[AnyRule, Profile]]:
    """The rules that hold for this run, each with every profile that it applies to."""
    for rule in rules:
        if not applies(rule.when, run.words):
            continue
        profiles = children if rule.child else [own]
        if not profiles:
            problems.append(f"no profile of a child for '{rule.text}'")
        for profile in profiles:
            yield rule, profile


def check_counts(rules: Iterable[CountRule], own: Profile, children: Sequence[Profile],
                 run: Run) -> list[str]:
    problems: list[str] = []
    for rule, profile in with_profiles(rules, own, children, run, problems):
        entry = entry_of(profile, rule.objects, run)
        for condition in rule.conditions:
            low, high = condition.bounds(run.numbers)
            value = float(getattr(profile, condition.field)) if condition.field in OF_PROFILE else \
                entry.value(rule.view, condition.field)
            missing = entry.missing if rule.view == "modelled" and condition.field in LACKING else 0
            if value > high or value + missing < low:
                name = f"{rule.view} {condition.field} of {'+'.join(rule.objects)}"
                problems.append(f"{name} is {value:g}, not {low:g} to {high:g}\n      {entry.describe()}")
    return problems


def check_labels(rules: Iterable[CountRule], sharing: Iterable[SharingRule], labels: Mapping[str, set[int]],
                 text: str) -> None:
    """A misspelt name must not count as an object without counts."""
    for rule in rules:
        for name in rule.objects:
            kind, _, rest = name.rpartition(":")
            code = "\n".join(line for line in text.splitlines() if not line.startswith("// "))
            known = rest in labels if kind == "heap" else bool(re.search(rf"\b{re.escape(rest)}\b", code))
            if name != "total" and not known:
                raise BadRule(f"'{rule.text}': no '{rest}'")
    for finding in sharing:
        for label in " ".join(finding.attributes.get(k, "") for k in ("alloc", "at", "sides")).split():
            if label not in labels:
                raise BadRule(f"'{finding.text}': no label '{label}'")


# In the text ahead of the stack of a finding's other side.
SIDE = "the same cache line"


def message_of(error: ErrorLike) -> str:
    return " | ".join([error.text, *(s.text for s in error.stacks[1:])])


def has_sides(error: ErrorLike, source: str, wanted: set[int]) -> bool:
    first = error.stacks[0].lines_in(source) & wanted
    others = [s.lines_in(source) & wanted for s in error.stacks[1:] if SIDE in s.text]
    return bool(first) and any(o and (len(wanted) == 1 or o != first) for o in others)


def match_sharing(rules: Iterable[SharingRule], errors: Sequence[ErrorLike], run: Run) -> list[str]:
    """Marks the findings that match the rules as used; returns the rules without a finding."""
    problems = []
    for rule in rules:
        if not applies(rule.attributes.get("when", ""), run.words):
            continue
        wanted = [rf"(?<![\w.]){re.escape(n)}(?!\w)" for n in rule.names]
        here = [e for e in errors
                if e.kind in SHARING_KINDS and (not rule.kind or e.kind == rule.kind)
                and (not rule.kind or e.child == (rule.attributes.get("in") == "child"))
                and (not wanted or any(re.search(w, message_of(e)) for w in wanted))]
        text = "\n".join(message_of(e) for e in here)
        missing = [n for n, w in zip(rule.names, wanted) if not re.search(w, text)]
        label = rule.attributes.get("alloc")
        if label:
            if not any(s.line_in(run.source) in run.labels[label] for e in here for s in e.stacks[1:]):
                missing.append(f"a stack of allocation at {label}")
        stacks = [s for e in here for s in e.stacks]
        for label in rule.attributes.get("at", "").split():
            if not any(s.lines_in(run.source) & run.labels[label] for s in stacks):
                missing.append(f"a stack through {label}")
        sides = run.labels.get(rule.attributes.get("sides", ""), set())
        if sides and not any(has_sides(e, run.source, sides) for e in here):
            missing.append("two sides at these lines")
        calls = rule.attributes.get("calls", "").split()
        chains = [s.functions() for s in stacks]
        if calls and not any(calls == c[i:i + len(calls)] for c in chains for i in range(len(c))):
            missing.append(f"the calls {' < '.join(calls)} in {chains[:6]}")
        innermost = rule.attributes.get("from", "").split()
        sides_of = [s.functions() for e in here for s in e.stacks if s is e.stacks[0] or SIDE in s.text]
        if any(innermost != c[:len(innermost)] for c in sides_of):
            missing.append(f"{' < '.join(innermost)} as innermost calls in each of {sides_of}")
        if "text" in rule.attributes and not re.search(rule.attributes["text"], text):
            missing.append(f"the text {rule.attributes['text']}")
        for error in here:
            error.used = True
        if rule.kind and (missing or not here) and "maybe" not in rule.attributes:
            what = "missing: " + ", ".join(missing) if here else "no such finding"
            problems.append(f"expected: SHARING {rule.text}\n    {what}\n    {text}")
    return problems
