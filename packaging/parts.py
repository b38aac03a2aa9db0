# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tarball for ARM64 holds that is not memspy's, and what memspy-report is linked with: from Debian's packages.

Valgrind's tools are static and the libraries that it preloads need none, but its programs need the libc of that
Debian: those are linked anew from the same version's source, statically.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tests/arm64"))
import debian  # noqa: E402
from image import HOST  # noqa: E402

# Static libraries that memspy-report is linked with, and what they need.
LIBRARIES = ["libbz2-1.0", "libbz2-dev", "libdw-dev", "libelf-dev", "libicu-dev", "liblzma-dev", "libxml2-dev",
             "nlohmann-json3-dev", "zlib1g-dev"]
# The programs of Valgrind that need a libc, by the folder of its source that they are in.
PROGRAMS = {"coregrind": ["valgrind", "vgdb"], "auxprogs": ["valgrind-listener", "valgrind-di-server"],
            "cachegrind": ["cg_merge"]}


class BuildFailed(Exception):
    pass


def call(*command: str | Path, cwd: Path | None = None, **environment: str) -> None:
    done = subprocess.run(list(map(str, command)), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, env=os.environ | environment)
    if done.returncode:
        raise BuildFailed(f"{' '.join(map(str, command[:6]))}...: exit status {done.returncode}\n{done.stdout[-4000:]}")


def link_programs(source: Path, build: Path, to: Path) -> None:
    build.mkdir(parents=True)
    call(source / "configure", "-q", f"--host={HOST}", "--enable-only64bit", cwd=build)
    call("make", "-s", "include/vgversion.h", cwd=build)
    for folder, names in PROGRAMS.items():
        call("make", "-s", "-C", folder, "LDFLAGS=-static -s", *names, cwd=build)
        for name in names:
            shutil.copy(build / folder / name, to / ("valgrind.bin" if name == "valgrind" else name))


def get() -> Path:
    """The folder in the cache: `valgrind`, the package with its programs linked anew; `libraries`; and `packages`, what
    both were made of. Made anew when there is another version of one."""
    cache = debian.cache_folder() / "arm64"
    folder = cache / "dist"
    with debian.locked(cache):
        binary = debian.Apt(cache / "apt", "arm64")
        source = debian.Apt(cache / "apt-source", "arm64", sources=True)
        listed = folder / "packages"
        had = listed.read_text(encoding="utf-8") if listed.exists() else ""
        recipe = folder / hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
        try:
            binary.update()
            wanted = "".join(f"{name} {binary.version(name)}\n" for name in ["valgrind", *LIBRARIES])
        except debian.Unavailable:
            if not recipe.exists():
                raise
            return folder
        if had == wanted and recipe.exists():
            return folder
        source.update()
        if source.version("valgrind") != binary.version("valgrind"):
            raise debian.Unavailable(f"Valgrind's package is {binary.version('valgrind')}, "
                                     f"its source {source.version('valgrind')}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        archives = cache / "apt/cache/archives"
        shutil.rmtree(archives, ignore_errors=True)
        (archives / "partial").mkdir(parents=True)
        for archive in binary.download(["valgrind", *LIBRARIES]):
            name = archive.name.split("_")[0]
            if name == "valgrind" or name in LIBRARIES:
                call("dpkg", "-x", archive, folder / ("valgrind" if name == "valgrind" else "libraries"))
        shutil.rmtree(archives)
        scratch = folder / "scratch"
        link_programs(source.unpack_source("valgrind", scratch), scratch / "build", folder / "valgrind/usr/bin")
        shutil.rmtree(scratch)
        listed.write_text(wanted, encoding="utf-8")
        recipe.touch()
        return folder
