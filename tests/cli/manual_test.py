#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is installed beside the programs.

pages     each program has a man page without a warning, with all the options of its help, the tool's in the words of
          --help-all; and it prints the version, the one of configure.ac
misused   a wrong call is told apart from a failure by exit status 2; the tool has 1, as other tools of Valgrind's
fish, zsh their completions offer commands, options and words
bug       memspy-report bug has the versions, the system, the program's compiler and both ends of a file
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

SKIPPED = 77
SOURCE = Path(__file__).resolve().parent.parent.parent


class Installed:
    def __init__(self, valgrind: Path) -> None:
        self.valgrind = valgrind
        self.bin = valgrind.parent
        self.share = valgrind.parent.parent / "share"
        self.programs = sorted(path.name for path in self.bin.iterdir() if path.name.startswith("memspy"))
        (self.version,) = re.findall(r"^AC_INIT\(\[memspy\], \[(.*?)\]\)", (SOURCE / "configure.ac").read_text(), re.M)


def output(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, encoding="utf-8", cwd=cwd,
                          env={**os.environ, **environment}).stdout


def must(condition: bool, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def text_of_page(page: Path) -> str:
    """As it is read, without markup, on lines of any length."""
    done = subprocess.run(["man", "--warnings", "-l", page], check=True, capture_output=True, encoding="utf-8",
                          stdin=subprocess.DEVNULL, env={**os.environ, "MANWIDTH": "500", "LC_ALL": "C.UTF-8"})
    must("warning" not in done.stderr, f"{page}: {done.stderr}")
    return re.sub(r".\x08", "", done.stdout).replace("‐", "-")


def options_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text))


def pages(installed: Installed) -> None:
    if shutil.which("man") is None:
        sys.exit(SKIPPED)
    manual = installed.share / "man/man1"
    for name in installed.programs:
        if name == "memspy":
            continue  # the tool, below
        page = text_of_page(manual / f"{name}.1")
        program = installed.bin / name
        helped = output(program, "--help")
        if name == "memspy-report":
            for command in re.findall(r"^  (\w+)  ", helped, re.M):
                must(re.search(rf"^ *{command} ", page, re.M) is not None, f"{name}: no command {command}")
                helped += output(program, command, "--help")
        listed = {option for line in re.findall(r"^  (?:-\w, |-\w \w+, )?(--\S+.*)", helped, re.M) for option in options_in(line.split()[0])}
        must(len(listed) > 1 and not listed - options_in(page), f"{name}: not in its page: {sorted(listed - options_in(page))}")
        must(output(program, "--version") == f"{name} {installed.version}\n", f"{name}: another version")
    for command in ("export --to=sarif", "diff --fail-on"):
        must(command.split()[0] in text_of_page(manual / "memspy-report.1"), command)

    words = output(installed.valgrind, "--tool=memspy", "--help-all").split("user options for memspy:")[1].split("\n\n  Extra")[0]
    page = " ".join(text_of_page(manual / "memspy.1").split())
    seen = 0
    for entry in re.split(r"\n(?=    --)|\n\n", words):
        if entry.startswith("    --"):
            seen += 1
            must(" ".join(entry.split()) in page, f"memspy.1 has another text for {' '.join(entry.split())}")
    must(seen > 50, f"{seen} options")
    must(output(installed.bin / "memspy", "--version").startswith(f"memspy-{installed.version}\nvalgrind-"), "the tool's version")


def misused(installed: Installed) -> None:
    calls = {"memspy-html": ["--no-such"], "memspy-machine": ["--no-such"], "memspy-report": ["no-such"], "memspy-run": ["--no-such"],
             "memspy_control": ["--no-such"]}
    must({*calls, "memspy"} == set(installed.programs), f"{installed.programs}")
    commands: list[list[str | Path]] = [[installed.bin / name, *words] for name, words in calls.items()]
    commands += [[installed.bin / "memspy-report", "text"], [installed.bin / "memspy-html"], [SOURCE / "bootstrap", "nothing"], [SOURCE / "docs/nightly.sh"]]
    for command in commands:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, check=False)
        must(done.returncode == 2 and done.stderr != "" and done.stdout == "", f"{command}: {done}")
    of_tool: list[list[str | Path]] = [[installed.bin / "memspy", "--no-such", "true"]]
    of_tool += [[installed.valgrind, "--tool=memspy", "--no-such", "true"], [installed.valgrind, "--tool=memspy"],
                [installed.valgrind, "--tool=memspy", "--num-callers=x", "true"]]
    for command in of_tool:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, check=False)
        must(done.returncode == 1 and done.stderr != "" and done.stdout == "", f"{command}: {done}")


def fish(installed: Installed) -> None:
    if shutil.which("fish") is None:
        sys.exit(SKIPPED)

    with tempfile.TemporaryDirectory() as home:
        fish_offers(installed, home)


def fish_offers(installed: Installed, home: str) -> None:
    def offered(line: str) -> list[str]:
        text = output("fish", "-c", f"complete -C '{line}'", XDG_DATA_DIRS=str(installed.share), HOME=home,
                      PATH=f"{installed.bin}:{os.environ['PATH']}")
        return [row.split("\t")[0] for row in text.splitlines()]

    for path in (installed.share / "fish/vendor_completions.d").iterdir():
        output("fish", "-n", path)
    must(offered("memspy-report supp") == ["suppress"], "commands")
    must(offered("memspy-report export --to=sar") == ["--to=sarif"], "words of a command")
    must("--metric=" in offered("memspy-report diff --metr")[0] + "=", "options of a command")
    must(set(offered("memspy-html --sources=")) == {"--sources=all", "--sources=none"}, "words")
    must(offered("valgrind --zeros=co") == ["--zeros=code"], "the tool's words")
    must("--mpi-buffering" in " ".join(offered("valgrind --mpi-")), "the tool's options")
    must(offered("memspy-run --merge-o") == ["--merge-only"], "options of memspy-run")


# Types a line and the tabulator key into an interactive zsh, and waits until that one shows the words.
ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT='<''<<'; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' list-choices; stty rows 500 cols 150"
zpty -w z "PATH=$2:\$PATH; echo REA''DY"
zpty -r z line '*READY*<<<*'
zpty -n -w z "$3"$'\t'
zpty -r z text "*$4*"
"""


def zsh(installed: Installed) -> None:
    if shutil.which("zsh") is None:
        sys.exit(SKIPPED)
    folder = installed.share / "zsh/site-functions"
    for path in folder.iterdir():
        output("zsh", "-n", path)
    for line, words in (("memspy-report s", "suppress "), ("memspy-report export --to=", "callgrind*sarif"),
                        ("memspy-html --sources=", "all*none"), ("valgrind --zeros=", "all*code*data*no"),
                        ("valgrind --mpi-", "--mpi-buffering")):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", folder, installed.bin, line, words], cwd=scratch, check=True,
                               stdin=subprocess.DEVNULL, timeout=40)
            except subprocess.TimeoutExpired as problem:
                raise AssertionError(f"{line}: {words} is not offered") from problem


def bug(installed: Installed) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "main.c").write_text("int main(void) { return 0; }\n")
        output("gcc", "-g", "main.c", "-o", "program", cwd=folder)
        log = folder / "it's.log"
        log.write_text("begin of the log\n" + "x\n" * 100_000 + "end of the log\n")
        (folder / ".valgrindrc").write_text("--num-callers=33\n")
        text = output(installed.bin / "memspy-report", "bug", "--program=program", log.name, cwd=folder, VALGRIND_OPTS="--progress=0")
        for wanted in (f"memspy-report {installed.version}\n", f"memspy-{installed.version}\nvalgrind-3.", "glibc 2.", "processors\n",
                       "VALGRIND_OPTS=--progress=0", "--num-callers=33", "compiled by: GCC", "libc.so.6", "debug information: ",
                       "build ID: ", "begin of the log\n", "end of the log\n"):
            must(wanted in text, f"no {wanted!r} in\n{text[:4000]}")
        must(len(text) < 40_000, f"{len(text)} characters")


def main() -> int:
    tests: dict[str, Callable[[Installed], None]] = {each.__name__: each for each in (pages, misused, fish, zsh, bug)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", choices=tests)
    parser.add_argument("--valgrind", type=Path, required=True)
    arguments = parser.parse_args()
    tests[arguments.test](Installed(arguments.valgrind.absolute()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
