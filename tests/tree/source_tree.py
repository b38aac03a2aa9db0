# SPDX-License-Identifier: GPL-2.0-or-later
"""Valgrind's sources as a Debian suite has them, in the cache."""

from __future__ import annotations

import shutil
from pathlib import Path

import debian


def unpacked(cache: Path, suite: str, folder: Path) -> Path:
    """`folder`, which has the suite's version in `tree`, unpacked once; what else stands there belongs to that version."""
    with debian.locked(cache):
        apt = debian.Apt(cache / f"apt-{suite}", "amd64", suite, sources=True)
        had = (folder / "version").read_text(encoding="utf-8") if (folder / "version").exists() else ""
        try:
            apt.update()
            version = apt.version("valgrind")
        except debian.Unavailable:
            if not had:
                raise
            version = had
        if version != had:
            shutil.rmtree(folder, ignore_errors=True)
            tree = apt.unpack_source("valgrind", folder / "unpacked")
            tree.rename(folder / "tree")
            (folder / "version").write_text(version, encoding="utf-8")
    print(f"valgrind {version} in {folder / 'tree'}", flush=True)
    return folder
