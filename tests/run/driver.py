# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests have in common that build a program of their own and run it under Valgrind."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

SKIPPED = 77


def arguments(document: str | None) -> tuple[str, Path]:
    """Valgrind, and the folder to work in, which exists then. `document`: the test's docstring."""
    parser = argparse.ArgumentParser(description=(document or "").splitlines()[0])
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    work: Path = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    return given.valgrind, work


def replace_between(page: Path, marks: tuple[str, str], text: str) -> None:
    """Puts `text` on lines of its own between the two marks of the page."""
    old = page.read_text(encoding="utf-8")
    before, after = old.partition(marks[0])[0], old.partition(marks[1])[2]
    page.write_text(f"{before}{marks[0]}\n{text}\n{marks[1]}{after}", encoding="utf-8")


def races_text(valgrind: str, work: Path, *options: str) -> str:
    """What memspy says of the data races and orders of locks of `program`, and of nothing else. The profile is run.xml."""
    command = [valgrind, "--tool=memspy", "-q", "--races=yes", "--defects=no", "--zeros=no", "--contention=no",
               "--memspy-out-file=run.xml", *options, "./program"]
    return subprocess.run(command, cwd=work, capture_output=True, text=True, check=True, timeout=120).stderr
