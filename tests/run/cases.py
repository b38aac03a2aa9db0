# SPDX-License-Identifier: GPL-2.0-or-later
"""Which files below tests/run are cases."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NO_CASES = ("include", "silent")  # what cases share; programs that others wrote


def all_cases() -> list[Path]:
    """Their paths, sorted."""
    return sorted(path for path in FOLDER.glob("*/*") if path.suffix in (".c", ".cc") and path.parent.name not in NO_CASES)
