# SPDX-License-Identifier: GPL-2.0-or-later
"""What the schema of SARIF 2.1.0 asks of the parts that memspy-report writes, in our own notation.

A structure tells of each member what its value is; * marks those that must be there. The schema allows no others, except
those that are not listed here because memspy-report does not write them: who adds one looks it up and adds it here.
"""

from __future__ import annotations

import re
from typing import Any, Callable
from urllib.parse import urlsplit

Check = Callable[[Any, str], None]


class Wrong(Exception):
    pass


def need(condition: object, place: str, what: str) -> None:
    if not condition:
        raise Wrong(f"{place}: {what}")


def text(value: Any, place: str) -> None:
    need(isinstance(value, str), place, "no string")


def words(*known: str) -> Check:
    def check(value: Any, place: str) -> None:
        need(value in known, place, f"{value!r} is none of {known}")
    return check


def number(least: int) -> Check:
    def check(value: Any, place: str) -> None:
        need(isinstance(value, int) and not isinstance(value, bool) and value >= least, place, f"{value!r} is no integer from {least} on")
    return check


def real(value: Any, place: str) -> None:
    need(isinstance(value, (int, float)) and not isinstance(value, bool), place, f"{value!r} is no number")


def severity(value: Any, place: str) -> None:
    """A number in a text, as code hosts want it."""
    text(value, place)
    need(re.fullmatch(r"\d\.\d|10\.0", value), place, f"{value!r} is no severity from 0.0 to 10.0")


def uri(value: Any, place: str) -> None:
    """A reference after RFC 3986."""
    text(value, place)
    need(re.fullmatch(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*", value), place, f"{value!r} is no URI")
    parts = urlsplit(value)
    need(parts.scheme or ":" not in value.split("/")[0], place, f"{value!r} has a colon in its first part")


def absolute(value: Any, place: str) -> None:
    uri(value, place)
    need(urlsplit(value).scheme, place, f"{value!r} is not absolute")


def base(value: Any, place: str) -> None:
    """What relative references are appended to."""
    artifact(value, place)
    need(value.get("uri", "/").endswith("/"), place, "does not end in /")


def several(one: Check, distinct: bool = False) -> Check:
    def check(value: Any, place: str) -> None:
        need(isinstance(value, list), place, "no array")
        for i, each in enumerate(value):
            one(each, f"{place}[{i}]")
        need(not distinct or all(value.index(each) == i for i, each in enumerate(value)), place, "something is there twice")
    return check


def mapping(one: Check) -> Check:
    def check(value: Any, place: str) -> None:
        need(isinstance(value, dict), place, "no object")
        for name, each in value.items():
            one(each, f"{place}.{name}")
    return check


def structure(**members: Check) -> Check:
    known = {name.rstrip("_").replace("schema", "$schema"): check for name, check in members.items()}
    wanted = {name.rstrip("_") for name in members if name.endswith("_")}

    def check(value: Any, place: str) -> None:
        need(isinstance(value, dict), place, "no object")
        need(not wanted - set(value), place, f"{wanted - set(value)} not there")
        for name, each in value.items():
            need(name in known, place, f"{name} is not known")
            known[name](each, f"{place}.{name}")
    return check


# A member whose name ends in _ is required.
message = structure(text=text)
artifact = structure(uri=uri, uriBaseId=text)
location = structure(
    id=number(-1), message=message,
    physicalLocation=structure(artifactLocation=artifact, region=structure(startLine=number(1))),
    logicalLocations=several(structure(fullyQualifiedName=text, kind=text), distinct=True))
stack = structure(message=message, frames_=several(structure(location=location, module=text)))
flow = structure(threadFlows_=several(structure(locations_=several(structure(location=location)))))
step = {"remedy_": text, "object": text, "bytes": number(1), "stride": number(1), "means": text, "removes": number(0),
        "events": number(1), "gain": real}
result = structure(ruleId=text, ruleIndex=number(-1), level=words("none", "note", "warning", "error"), message_=message,
                   locations=several(location), relatedLocations=several(location, distinct=True),
                   codeFlows=several(flow), stacks=several(stack, distinct=True), partialFingerprints=mapping(text),
                   occurrenceCount=number(1), properties=structure(**step, further=several(structure(**step))))
rule = structure(id_=text, name=text, shortDescription=structure(text_=text), help=structure(text_=text),
                 properties=structure(tags_=several(text), **{"security-severity": severity}))
driver = structure(name_=text, version=text, rules=several(rule, distinct=True))
run = structure(tool_=structure(driver_=driver), originalUriBaseIds=mapping(base), results=several(result))
document = structure(schema=absolute, version_=words("2.1.0"), runs_=several(run))


def check(value: Any) -> None:
    """Raises Wrong. Beside the schema, what the specification says of numbers and names that refer to others."""
    document(value, "")
    for one in value["runs"]:
        rules = one["tool"]["driver"].get("rules", [])
        for each in one.get("results", []):
            need(each.get("ruleIndex", -1) < len(rules), "ruleIndex", "no such rule")
            if each.get("ruleIndex", -1) >= 0:
                need(rules[each["ruleIndex"]]["id"] == each.get("ruleId"), "ruleId", "is not the rule's")
            places = [*each.get("locations", []), *each.get("relatedLocations", []),
                      *(f["location"] for s in each.get("stacks", []) for f in s["frames"] if "location" in f),
                      *(at["location"] for flow in each.get("codeFlows", []) for way in flow["threadFlows"] for at in way["locations"])]
            for place in places:
                named = place.get("physicalLocation", {}).get("artifactLocation", {}).get("uriBaseId")
                need(named is None or named in one.get("originalUriBaseIds", {}), "uriBaseId", f"no such base: {named}")
