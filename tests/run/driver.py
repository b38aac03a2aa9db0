# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests have in common that build a program of their own and run it under Valgrind."""

from __future__ import annotations

import argparse
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
