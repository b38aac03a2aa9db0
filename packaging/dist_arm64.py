#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packs memspy for ARM64 machines on which nobody is root: a whole Valgrind with memspy, in one folder that may be
unpacked anywhere, on any Linux with glibc 2.28 or newer.

No program in it needs a shared library (parts.py says how Valgrind's come to that).
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests/arm64")]
import debian  # noqa: E402
import parts  # noqa: E402
from image import HOST  # noqa: E402
from parts import SOURCE, call  # noqa: E402

COPYRIGHT = "usr/share/doc/*/copyright"


def build_memspy(made: Path, build: Path, prefix: Path, to: Path) -> None:
    build.mkdir(parents=True, exist_ok=True)
    libraries = made / "libraries"
    # For make too, which configures anew when there is reason to.
    environment = {"PKG_CONFIG_SYSROOT_DIR": str(libraries),
                   "PKG_CONFIG_LIBDIR": f"{libraries}/usr/lib/{HOST}/pkgconfig:{libraries}/usr/share/pkgconfig"}
    if not (build / "Makefile").exists():
        # The programs' man pages are made by those of this machine.
        native = [f"--with-programs={folder}" for folder in (Path.cwd(), SOURCE / "build", SOURCE / "inst/bin")
                  if all((folder / name).exists() for name in ("memspy-report", "memspy-machine"))]
        call(SOURCE / "configure", "-q", f"--host={HOST}", f"--with-valgrind={made / 'valgrind'}",
             "--enable-report", "--enable-static-report", *native[:1], cwd=build, **environment)
    make = ("make", "-s", "--no-print-directory")
    call(*make, f"-j{min(2, os.cpu_count() or 1)}", cwd=build, **environment)
    call(*make, "install", f"prefix={prefix}", f"DESTDIR={to}", cwd=build, **environment)


def assemble(made: Path, folder: Path) -> None:
    """memspy is installed in the folder. The rest of Valgrind goes beside it, instead of links to a package; the script
    `valgrind` finds it there."""
    call(f"{HOST}-strip", folder / "bin/memspy-report")
    valgrind = made / "valgrind/usr"
    for file in (folder / "libexec/valgrind").iterdir():
        if file.is_symlink():
            file.unlink()
    for part in ("bin", "include", "libexec", "share/man"):
        for file in sorted((valgrind / part).rglob("*")):
            copy = folder / part / file.relative_to(valgrind / part)
            if file.is_dir() or os.path.lexists(copy):
                continue
            if file.name.startswith("getoff-"):  # asks the machine's libc how it lays out threads' variables for gdb
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy, follow_symlinks=False)
    licences = folder / "share/doc/memspy/licences"
    licences.mkdir()
    texts = [*(made / "valgrind").glob(COPYRIGHT), *(made / "libraries").glob(COPYRIGHT),
             *Path("/").glob("usr/share/doc/lib*-dev-arm64-cross/copyright")]  # the last: of libc and libstdc++
    for text in texts:
        shutil.copy(text, licences / text.parent.name)
    shutil.copy(made / "packages", licences)


def make_folder(name: str, work: Path) -> Path:
    """The folder, in WORK/stage; raises debian.Unavailable where packages cannot be had."""
    stage = work / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    made = parts.get()
    build_memspy(made, work / "build", Path("/") / name, stage)
    assemble(made, stage / name)
    return stage / name


def pack(folder: Path, archive: Path) -> None:
    parts.call("tar", "--create", "--gzip", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go-w",
               "--file", archive, "--directory", folder.parent, folder.name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, help="NAME.tar.gz; NAME is that of the folder in it")
    parser.add_argument("--work", type=Path, default=Path("dist-arm64"), help="where things are built [%(default)s]")
    arguments = parser.parse_args()
    name = arguments.archive.name.removesuffix(".tar.gz")
    try:
        folder = make_folder(name, arguments.work.resolve())
    except (debian.Unavailable, parts.BuildFailed) as problem:
        sys.exit(f"dist-arm64: {problem}")
    pack(folder, arguments.archive.resolve())
    print(arguments.archive)
    return 0


if __name__ == "__main__":
    sys.exit(main())
