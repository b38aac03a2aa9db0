# SPDX-License-Identifier: GPL-2.0-or-later
"""Gets the figures: runs `memspy-report export --to=json`, or reads what it wrote."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .problem import Problem

Json = dict[str, Any]
FORMAT = 1
BROKEN_INPUT = 3  # memspy-report's exit status when it gives what it could read


def find_program(beside: Path) -> str:
    """The memspy-report that was installed with this program, else that of the path."""
    own = beside / "memspy-report"
    found = str(own) if own.is_file() else shutil.which("memspy-report")
    if found is None:
        raise Problem(f"memspy-report is neither in {beside} nor in the path: install memspy whole")
    return found


def call(command: list[str], accepted: tuple[int, ...]) -> bytes:
    try:
        # What it says about odd input is for the user, and goes where ours goes.
        result = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}") from error
    if result.returncode not in accepted:
        raise Problem(f"{' '.join(command[:2])} failed (status {result.returncode})")
    return result.stdout


def run(program: str, profiles: list[str], errors: list[str], debug_dirs: list[str]) -> Json:
    """Several profiles are merged into one first. Broken input gives what could be read of it."""
    # A name may look like an option.
    profiles, errors = ([f"./{p}" if p.startswith("-") else p for p in paths] for paths in (profiles, errors))
    names = [f"--debug-dir={':'.join(debug_dirs)}"] if debug_dirs else []
    if len(profiles) < 2:
        return parse(call([program, "export", "--to=json", *names, *profiles, *errors], (0, BROKEN_INPUT)), program)
    with tempfile.TemporaryDirectory(prefix="memspy-html-") as directory:
        merged = str(Path(directory) / "merged.xml")
        call([program, "merge", *profiles, "-o", merged], (0, BROKEN_INPUT))
        return run(program, [merged], errors, debug_dirs)


def is_error_file(path: str) -> bool:
    """By its first element. What cannot be read is left to memspy-report to complain of."""
    if not Path(path).is_file():  # a pipe can be read once only
        return False
    try:
        with open(path, "rb") as file:
            return b"<valgrindoutput" in file.read(4096)
    except OSError:
        return False


def load(path: str) -> Json:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from error
    return parse(data, "standard input" if path == "-" else path)


def parse(data: bytes, origin: str) -> Json:
    try:
        value = json.loads(data)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Problem(f"{origin}: no JSON: {error}") from error
    if not isinstance(value, dict) or "generator" not in value:
        raise Problem(f"{origin}: not what memspy-report export --to=json writes")
    known = (value.get("profile") or {}).get("format", FORMAT)
    if known != FORMAT:
        raise Problem(f"{origin}: a profile of format {known!r}; this program knows format {FORMAT}")
    return value
