# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian packages of another architecture or suite, without installing them and without being root.

An `Apt` has a state of its own in the cache folder; where packages come from and which keys sign them is what
the machine's own apt is configured with.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
LISTS_ARE_GOOD_FOR = 20 * 3600  # seconds: a day's runs see one version


class Unavailable(Exception):
    """Packages that are not in the cache cannot be had; the text says why, in one line."""


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memspy"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time makes what is in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Apt:
    """Packages of `architecture` in `suite` (empty: the suites that the machine uses)."""

    def __init__(self, folder: Path, architecture: str, suite: str = "", sources: bool = False) -> None:
        self._root = folder
        self._architecture = architecture
        self._suite = suite
        self._type = "deb-src" if sources else "deb"

    def _options(self) -> list[str]:
        root = self._root
        settings = {
            "Dir::State": root / "state", "Dir::State::status": root / "status", "Dir::Cache": root / "cache",
            "Dir::Etc::sourcelist": root / "sources.list", "Dir::Etc::sourceparts": "/dev/null",
            "APT::Architecture": self._architecture, "APT::Install-Recommends": "false",
            "Acquire::Retries": "3", "Acquire::Languages": "none", "APT::Sandbox::User": "",
        }
        return [f"-o{name}={value}" for name, value in settings.items()] + \
            ["-oAPT::Architectures=", f"-oAPT::Architectures::={self._architecture}"]

    def _apt(self, *words: str, cwd: Path | None = None) -> str:
        done = subprocess.run([words[0], *self._options(), "-qq", *words[1:]], capture_output=True, text=True,
                              check=False, cwd=cwd)
        if done.returncode:
            complaint = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise Unavailable(f"{' '.join(words[:2])}: {complaint}")
        return done.stdout

    def _sources(self) -> list[str]:
        form = "$(ORIGIN)|$(REPO_URI)|$(CODENAME)|$(COMPONENT)"
        listed = subprocess.run(["apt-get", "indextargets", "--format", form, "Created-By: Packages"],
                                capture_output=True, text=True, check=False).stdout
        own = sorted({tuple(line.split("|")) for line in listed.splitlines() if line.startswith("Debian|")})
        if not own:
            raise Unavailable("apt knows no Debian suite here; run apt-get update")
        signed = f"[signed-by={KEYRING}] " if KEYRING.exists() else ""
        plain = [(uri, codename, component) for _, uri, codename, component in own if component == "main"]
        if self._suite:
            plain = [(uri, self._suite, component) for uri, codename, component in plain if "-" not in codename]
        return [f"{self._type} {signed}{uri} {codename} {component}" for uri, codename, component in plain]

    def update(self) -> None:
        """Reads the lists of packages, where those at hand are not of today."""
        stamp = self._root / "updated"
        if stamp.exists() and time.time() - stamp.stat().st_mtime < LISTS_ARE_GOOD_FOR:
            return
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (self._root / folder).mkdir(parents=True, exist_ok=True)
        (self._root / "status").touch()
        (self._root / "sources.list").write_text("\n".join(self._sources()) + "\n", encoding="utf-8")
        self._apt("apt-get", "update")
        stamp.touch()

    def version(self, package: str) -> str:
        """That would be fetched; of a binary package or of a source, whichever this is for."""
        if self._type == "deb-src":
            shown = self._apt("apt-cache", "showsrc", "--only-source", package)
        else:
            shown = self._apt("apt-cache", "show", "--no-all-versions", package)
        versions = [line.split(": ", 1)[1] for line in shown.splitlines() if line.startswith("Version: ")]
        if not versions:
            raise Unavailable(f"no package {package} for {self._architecture}")
        return versions[-1]

    def download(self, packages: Sequence[str]) -> list[Path]:
        """The archives of the packages and of all that they need."""
        self._apt("apt-get", "install", "--download-only", "--yes", *packages)
        return sorted((self._root / "cache/archives").glob("*.deb"))

    def unpack_source(self, package: str, folder: Path) -> Path:
        """The source with Debian's patches; the folder that it is in."""
        folder.mkdir(parents=True, exist_ok=True)
        self._apt("apt-get", "source", package, cwd=folder)
        return next(path for path in folder.iterdir() if path.is_dir())
