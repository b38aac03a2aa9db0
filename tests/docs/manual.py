#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that docs/manual.md says what memspy does.

  options   the book's tables of options are the text of `valgrind --tool=memspy --help-all`, word by word
  names     each kind has a section or a row of the table of kinds, each suppression name and each request its place
  examples  each example program, compiled and run, gives the report printed below it

An example is a block of code whose info string is `c NAME.c` or `cpp NAME.cc` and perhaps Valgrind options,
followed by a block `text` with its report. `examples --write` puts the reports of today into the manual; look at the
difference before you commit it.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MANUAL = ROOT / "docs" / "manual.md"
EXAMPLE = re.compile(
    r"^```(?P<language>c|cpp) (?P<name>\S+)(?P<options>[^\n]*)\n(?P<code>.*?)^```\n", re.M | re.S
)
REPORT = re.compile(r"(?:(?!```|#)[^\n]*\n)*?```text\n(?P<report>(?:(?!```)[^\n]*\n)*)```\n")


class Mismatch(Exception):
    """The manual and memspy disagree; the text says where."""


# Options


def helped(valgrind: str, option: str) -> list[list[str]]:
    """The lines of the tool's help, a list for each option and each heading, as words."""
    text = subprocess.run([valgrind, "--tool=memspy", option], check=True, capture_output=True, text=True).stdout
    section = re.search(r"user options for memspy:\n(.*?)\n\n(?:    More of|  Extra options)", text, re.S)
    if section is None:
        raise Mismatch(f"{option} has no section 'user options for memspy'")
    entries: list[list[str]] = []
    for line in filter(str.strip, section[1].splitlines()):
        if line.startswith("    --") or not line.startswith("    "):
            entries.append(line.split())
        else:
            entries[-1] += line.split()
    return entries


def check_options(manual: str, valgrind: str) -> None:
    """The book's tables, which docs/conf.py puts where the manual has a line for them."""
    spec = importlib.util.spec_from_file_location("conf", ROOT / "docs" / "conf.py")
    assert spec is not None and spec.loader is not None
    conf = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conf)
    if conf.OPTIONS not in manual:
        raise Mismatch(f"no line {conf.OPTIONS}")
    rows = re.findall(r"^\| `(--.*)` \| (.*) \| (.*) \|$", conf.options(), re.M)
    written = [[usage.replace("\\|", "|"), *meaning.split(), f"[{default}]"] for usage, default, meaning in rows]
    said = [words for words in helped(valgrind, "--help-all") if words[0].startswith("--")]
    if len(said) < 50:
        raise Mismatch(f"--help-all names only {len(said)} options")
    if written != said:
        here, there = ([" ".join(words) for words in side] for side in (said, written))
        raise Mismatch("\n".join(difflib.unified_diff(here, there, "--help-all", "book", lineterm="", n=0)))


# Names


def check_names(manual: str) -> None:
    kinds = [kind for path in sorted(ROOT.glob("memspy/common/kinds/*.def"))
             for kind in re.findall(r"^MEMSPY_(?:KIND|SUMMED)\((\w+)", path.read_text(), re.M)]
    source = (ROOT / "memspy" / "tool" / "findings" / "suppression_names.cc").read_text()
    rules = source.split("kRules[] = {", 1)[1].split("\n};", 1)[0]
    suppressions = re.findall(r'^    \{"(\w+)", ', rules, re.M)
    requests = re.findall(r"^#define (MEMSPY_(?!REQ|LEAK_)[A-Z_]*[A-Z])\b", memspy_header(), re.M)
    if len(kinds) < 17 or len(suppressions) < 20 or len(requests) < 12:
        raise Mismatch(f"found only {kinds}, {suppressions}, {requests}")

    part = manual.split("\n## Suppressions\n", 1)[1].split("\n## Requests", 1)
    table = manual.split("\n| kind | when |\n", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in table.splitlines()))
    missing = [f"no section '### `{kind}`', and no row" for kind in kinds if f"\n### `{kind}`\n" not in manual and kind not in rows]
    missing += [f"no suppression `{name}`" for name in suppressions if f"`{name}`" not in part[0]]
    for request in requests:
        if request != "MEMSPY_MEMSPY_H" and not re.search(rf"`{request}\b", part[1]):
            missing.append(f"no request `{request}`")
    if missing:
        raise Mismatch("\n".join(missing))


def memspy_header() -> str:
    return (ROOT / "memspy" / "memspy.h").read_text()


# Examples


def run_example(valgrind: str, match: re.Match[str], folder: Path) -> str:
    """The report of one example, as the manual prints it."""
    name = match["name"]
    words = match["options"].split()
    source = folder / name
    source.write_text(match["code"])
    compiler = "gcc" if match["language"] == "c" else "g++"
    flags = [word for word in words if word.startswith("-") and not word.startswith("--")]
    program = source.with_suffix("")
    command = [compiler, "-g", "-O0", "-w", *flags, f"-I{folder}", name, "-o", program.name]
    subprocess.run(command, check=True, cwd=folder)
    settings = [word for word in words if word.startswith("--")]
    log = folder / f"{name}.log"
    environment = {key: value for key, value in os.environ.items() if key != "VALGRIND_OPTS"}
    try:
        subprocess.run(
            [valgrind, "--tool=memspy", "-q", f"--log-file={log}", *settings, f"./{program.name}"],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise Mismatch(f"{name} does not end under memspy") from problem
    lines = [re.sub(r"^==\d+==", "==4242==", line).rstrip() for line in log.read_text().splitlines()]
    while lines and lines[-1] == "==4242==":
        lines.pop()
    text = "\n".join(lines) + "\n"
    return re.sub(r"\(in /\S*/(vgpreload_\S+)\)", r"(in \1)", text)


def comparable(report: str, source: str) -> list[str]:
    """Without what differs from one machine to the next: addresses, and where library code stands."""
    lines = []
    for line in report.splitlines():
        line = re.sub(r"0x[0-9A-Fa-f]+", "0x…", line)
        if re.search(r" (?:at|by) 0x…: ", line) and f"({source}:" not in line:
            line = re.sub(r" \((?:in )?[^()]*\)$", "", line)
        lines.append(line)
    return lines


def check_examples(manual: str, valgrind: str, write: bool) -> str:
    """The manual with today's reports."""
    problems: list[str] = []
    result = manual
    count = 0
    with tempfile.TemporaryDirectory(prefix="memspy-manual-") as name:
        folder = Path(name)
        (folder / "memspy").mkdir()
        (folder / "memspy" / "memspy.h").write_text(memspy_header())
        for match in EXAMPLE.finditer(manual):
            count += 1
            shown = REPORT.match(manual, match.end())
            if shown is None:
                problems.append(f"{match['name']}: no report below it")
                continue
            report = run_example(valgrind, match, folder)
            old, new = comparable(shown["report"], match["name"]), comparable(report, match["name"])
            if not report.strip():
                problems.append(f"{match['name']}: memspy is silent")
            elif old != new and write:
                block = f"{match[0]}{shown[0]}"
                ending = f"{shown['report']}```\n"
                result = result.replace(block, block.removesuffix(ending) + f"{report}```\n")
            elif old != new:
                title = f"manual, {match['name']}"
                problems += difflib.unified_diff(old, new, title, "memspy", lineterm="", n=1)
    if count < 2:
        problems.append(f"only {count} examples found")
    if problems:
        print("\n".join(problems))
    if problems and not write:
        raise Mismatch("examples differ")
    return result


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("part", choices=["options", "names", "examples"])
    parser.add_argument("--valgrind", default=str(ROOT / "inst" / "bin" / "valgrind"))
    parser.add_argument("--manual", type=Path, default=MANUAL)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    manual = arguments.manual.read_text()
    try:
        result = manual
        if arguments.part == "options":
            check_options(manual, arguments.valgrind)
        elif arguments.part == "names":
            check_names(manual)
        else:
            result = check_examples(manual, arguments.valgrind, arguments.write)
        if result != manual:
            arguments.manual.write_text(result)
    except Mismatch as mismatch:
        print(f"{arguments.manual}: {mismatch}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
