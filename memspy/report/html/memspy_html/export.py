# SPDX-License-Identifier: GPL-2.0-or-later
"""Gets the figures: runs `memspy-report export --to=json`, or reads its output."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from .problem import Problem
from .reader import Reader
from .tables import Json

BROKEN_INPUT = 3  # memspy-report's exit status if an input was damaged


def find_program(beside: Path) -> str:
    """The memspy-report installed with this program, else the one in PATH."""
    own = beside / "memspy-report"
    found = str(own) if own.is_file() else shutil.which("memspy-report")
    if found is None:
        raise Problem(f"memspy-report is neither in {beside} nor in the path: install memspy whole")
    return found


@contextmanager
def called(command: list[str]) -> Iterator[Reader]:
    """The program's output. If it fails, that is reported instead of errors in its output."""
    try:
        # Its messages about damaged input are for the user, and go to the same place as ours.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}") from error
    assert process.stdout
    problem: Problem | None = None
    with process:
        try:
            yield Reader(io.TextIOWrapper(process.stdout, encoding="utf-8"), command[0])
        except Problem as found:
            problem = found
            process.stdout.close()  # ends a program that is still writing
        except BaseException:
            process.kill()
            raise
    if process.returncode > 0 and process.returncode != BROKEN_INPUT:
        raise Problem(f"{' '.join(command[:2])} failed (status {process.returncode})")
    if problem:
        raise problem


@contextmanager
def run(program: str, profiles: list[str], errors: list[str], debug_dirs: list[str], own: list[str]) -> Iterator[Reader]:
    """Several profiles are merged into one first. Of damaged input the readable part is used."""
    # A name may look like an option.
    profiles, errors = ([f"./{p}" if p.startswith("-") else p for p in paths] for paths in (profiles, errors))
    names = [f"--debug-dir={':'.join(debug_dirs)}"] if debug_dirs else []
    if own:
        names.append(f"--own={':'.join(own)}")
    with called([program, "export", "--to=json", *names, *profiles, *errors]) as reader:
        yield reader


def differences(program: str, before: str, after: str) -> list[Json]:
    """The tables of `memspy-report diff`, by the names that docs/report.md gives them."""
    done = subprocess.run([program, "diff", "--format=tsv", before, after], capture_output=True, text=True, check=False)
    if done.returncode not in (0, BROKEN_INPUT):
        raise Problem(f"{program} diff failed (status {done.returncode}): {done.stderr.strip()}")
    tables: dict[str, list[Json]] = {}
    columns: list[str] = []
    for line in done.stdout.splitlines():
        cells = line.split("\t")
        if not line or line.startswith("#table\t"):
            columns = []
        elif not columns:
            columns = cells
        else:
            row = dict(zip(columns, cells))
            tables.setdefault(row.pop("table"), []).append(row)
    return [{"name": name, "rows": rows} for name, rows in tables.items()]


def is_error_file(path: str) -> bool:
    """By its first element. memspy-report reports files that cannot be read."""
    if not Path(path).is_file():  # a pipe can be read only once
        return False
    try:
        with open(path, "rb") as file:
            return b"<valgrindoutput" in file.read(4096)
    except OSError:
        return False


@contextmanager
def load(path: str) -> Iterator[Reader]:
    try:
        with open(sys.stdin.fileno() if path == "-" else path, encoding="utf-8", closefd=path != "-") as file:
            yield Reader(file, "standard input" if path == "-" else path)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from error
