# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of memspy's programs, each from its one table: options.def of the tool, the commands of memspy-report, the
parsers of the Python programs, and the help texts of the others."""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Option:
    names: tuple[str, ...]  # with dashes; the long name last
    value: str  # what stands behind "="; empty: a switch. Words separated by | are the only values
    help: str

    @property
    def name(self) -> str:
        return self.names[-1]

    @property
    def words(self) -> list[str]:
        return self.value.split("|") if re.fullmatch(r"[\w-]+(\|[\w-]+)+", self.value) else []

    @property
    def wants(self) -> str:
        """What completes the value: words, folders, files or nothing."""
        if self.words:
            return "words"
        return {"DIR": "folders", "FOLDER": "folders"}.get(re.split(r"[\[:]", self.value)[0], "files"
                if re.match(r"<?file|[A-Z]*FILE|auto\|<name>\|<file>", self.value) else "nothing")


@dataclass(frozen=True)
class Group:
    title: str  # may be empty
    options: list[Option]


@dataclass(frozen=True)
class Command:
    name: str
    operands: str
    help: str
    options: list[Option]


@dataclass(frozen=True)
class Program:
    name: str
    groups: list[Group]
    commands: list[Command] = field(default_factory=list)

    @property
    def options(self) -> list[Option]:
        return [option for group in self.groups for option in group.options]


# The tool

ENTRY = re.compile(r"^MEMSPY_(\w+)(?:\((.*?)\))?\s*(?://[^\n]*)?\n(?=\n|MEMSPY|#|//|\Z)", re.M | re.S)


def arguments_of(text: str) -> list[str]:
    """The arguments of a macro; strings that stand side by side are one."""
    parts: list[str] = []
    for part in re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^,"])+', text, re.S):
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', part)
        parts.append("".join(strings) if strings else " ".join(part.split()))
    return parts


class OptionsDef:
    """options.def with what it includes."""

    def __init__(self, tool: Path) -> None:
        text = (tool / "options.def").read_text(encoding="utf-8")
        included = re.findall(r'^#include "(analyses/.*)"', text, re.M)
        own = text[text.index("options.def\"\n", text.index("#include")) :]
        self.enumerators: dict[str, list[str]] = {}
        self.bits: dict[str, tuple[list[str], dict[str, int]]] = {}
        self.groups: list[Group] = []
        for part in (*((tool / name).read_text(encoding="utf-8") for name in included), own):
            for kind, arguments in ENTRY.findall(part):
                self.take(kind, arguments_of(arguments))

    def take(self, kind: str, given: list[str]) -> None:
        if kind == "ENUM":
            self.enumerators[given[0]] = given[1:]
        elif kind == "BITS":
            values = {name.strip(): int(value) for name, value in (each.split("=") for each in given[3:])}
            self.bits[given[1]] = (given[2].split(","), values)
        elif kind == "GROUP":
            self.groups.append(Group(given[0], []))
        elif kind not in ("HIDDEN", "FURTHER"):
            self.groups[-1].options.append(self.option(kind, given))

    def option(self, kind: str, given: list[str]) -> Option:
        words = {"BOOL": "no|yes", "NUMBER": "<number>", "PERCENT": "<percent>", "BYTE": "<hexnumber>"}
        if kind == "CHOICE":
            _, of, _, name, value, chosen, text = given
            default = value.split("|")[self.enumerators[of].index(chosen)]
        elif kind == "SET":
            _, _, name, of, value, chosen, text = given
            default = self.set_default(of, chosen)
        elif kind == "BYTE":
            _, _, name, text = given
            value, default = words[kind], "none"
        elif kind in ("TEXT", "SPECIAL"):
            _, _, name, value, default, text = given
        elif kind == "ACCEPTED":
            name, value, default, text = given
        else:
            name, default, text = given[2], given[3], given[-1]
            value, default = words[kind], {"true": "yes", "false": "no"}.get(default, default.replace("'", ""))
        return Option((f"--{name}",), value, f"{text} [{default}]")

    def set_default(self, of: str, chosen: str) -> str:
        tokens, values = self.bits[of]
        bits = sum(values[name.strip()] for name in chosen.split("|"))
        if bits == (1 << len(tokens)) - 1:
            return "all"
        return ",".join(token for bit, token in reversed(list(enumerate(tokens))) if bits >> bit & 1) or "none"


def of_tool(source: Path) -> Program:
    return Program("memspy", OptionsDef(source / "memspy/tool").groups)


# Other programs


def of_report(program: Path) -> Program:
    text = subprocess.run([program, "--tables"], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    commands: list[Command] = []
    for name, value, words in (line.split("\t") for line in text.splitlines()):
        if name.startswith("--"):
            names = ("-o", name) if name == "--output" else (name,)
            commands[-1].options.append(Option(names, value, words))
        else:
            commands.append(Command(name, value, words, []))
    common = [Option(("--help",), "", "the commands"), Option(("--version",), "", "print the version")]
    return Program("memspy-report", [Group("", common)], commands)


def of_parser(name: str, parser: argparse.ArgumentParser) -> Program:
    options = []
    for action in parser._actions:
        if not action.option_strings or action.help == argparse.SUPPRESS:
            continue
        value = "|".join(map(str, action.choices)) if action.choices else action.metavar or action.dest.upper()
        formatter = parser._get_formatter()
        options.append(Option(tuple(action.option_strings), str(value) if action.nargs != 0 else "",
                              formatter._expand_help(action)))
    return Program(name, [Group("", options)])


def of_html(source: Path) -> Program:
    sys.path.insert(0, str(source / "memspy/report/html"))
    from memspy_html.main import parser

    return of_parser("memspy-html", parser())


def of_run(source: Path) -> Program:
    loader = importlib.machinery.SourceFileLoader("memspy_run", str(source / "memspy/run/memspy-run"))
    spec = importlib.util.spec_from_loader("memspy_run", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return of_parser("memspy-run", module.parser())


def of_help(name: str, program: Path) -> Program:
    """A program whose help text is its table: two blanks, the option, two blanks, what it does."""
    text = subprocess.run([program, "--help"], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    options = []
    for line in re.findall(r"^  (-.*(?:\n {6,}\S.*)*)", text, re.M):
        match = re.match(r"((?:-\w, )?)(--[\w-]+)(?:=(\S+))?\s*(.*)", " ".join(line.split()))
        assert match is not None, line
        value = match[3] or ""
        choice = re.match(r"(\w+(?:\|\w+)+)", value)
        options.append(Option((*filter(None, [match[1].strip(", ")]), match[2]), choice[1] if choice else value, match[4]))
    return Program(name, [Group("", options)])
