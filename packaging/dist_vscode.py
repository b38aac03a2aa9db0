#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packs the extension for Visual Studio Code. Its compiler and packer come from npm, as package-lock.json names them."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
# The folder beside it, which holds what npm installs, outlives changes of the sources.
INSTALLED = "node_modules"
# npm tries again by itself; a network that is not there must not take minutes.
PATIENCE = ("--fetch-retries=1", "--fetch-timeout=60000")


class NotInstalled(Exception):
    """npm, or what it installs, cannot be had here."""


def prepare(work: Path) -> Path:
    """A copy of the sources in `work`, with what they need installed; nothing is written beside the sources."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise NotInstalled("there is no npm here (Debian's packages nodejs and npm)")
    folder = work / "vscode"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name != INSTALLED:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.copytree(SOURCE / "editors/vscode", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(INSTALLED, "out", "*.vsix"))
    shutil.copy(SOURCE / "LICENSE", folder)
    # The pictures of the documents, which the extension's README and walkthrough show.
    for picture in (SOURCE / "docs/images").glob("vscode-*.png"):
        shutil.copy(picture, folder / "media")
    readme = folder / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8").replace("](../../docs/images/", "](media/"), encoding="utf-8")
    lock = (folder / "package-lock.json").read_text()
    stamp = folder / INSTALLED / ".memspy-lock"
    if not stamp.exists() or stamp.read_text() != lock:
        done = subprocess.run([npm, "ci", *PATIENCE], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise NotInstalled(f"npm ci failed; is npm's registry within reach?\n{done.stdout}")
        stamp.write_text(lock)
    return folder


def set_repository(folder: Path, url: str) -> None:
    """The package says where its sources are, as a market place wants it."""
    manifest = folder / "package.json"
    content = json.loads(manifest.read_text(encoding="utf-8")) | {"repository": {"type": "git", "url": url}}
    manifest.write_text(json.dumps(content, indent=2), encoding="utf-8")


def pack(folder: Path, to: Path) -> None:
    subprocess.run(["npm", "run", "--silent", "package", "--", "--out", str(to.resolve())], cwd=folder, check=True, stdin=subprocess.DEVNULL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="the .vsix file to write")
    parser.add_argument("--repository", metavar="URL", help="of the project, for publication")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        try:
            folder = prepare(Path(work))
        except NotInstalled as error:
            print(f"{Path(__file__).name}: {error}", file=sys.stderr)
            return 1
        version = re.search(r"AC_INIT\(\[memspy\], \[([0-9.]+)\]", (SOURCE / "configure.ac").read_text())
        assert version is not None
        parts = [*version[1].split("."), "0", "0"]
        subprocess.run(["npm", "version", "--no-git-tag-version", "--allow-same-version", ".".join(parts[:3])], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        if arguments.repository is not None:
            set_repository(folder, arguments.repository)
        pack(folder, arguments.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
