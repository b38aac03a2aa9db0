# SPDX-License-Identifier: GPL-2.0-or-later
"""The tarball that `make dist-arm64` makes.

    unpacked.py check ARCHIVE    on any machine: nothing in it needs a newer glibc than 2.28, or a file outside it
    unpacked.py run ARCHIVE      on ARM64: an ordinary user unpacks it in a folder of a strange name, and it works there
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SKIPPED = 77
NEWEST = (2, 28)  # of glibc
# Files that must be there: programs, the tool, the preloaded libraries.
WANTED = ("bin/valgrind.bin", "bin/vgdb", "bin/memspy-report", "libexec/valgrind/memspy-arm64-linux",
          "libexec/valgrind/memcheck-arm64-linux", "libexec/valgrind/vgpreload_core-arm64-linux.so",
          "libexec/valgrind/vgpreload_memspy-arm64-linux.so")
SUITE = Path("/suite")
CASES = ("classic/overrun.c", "zeros/int64_small.c")


class Failure(Exception):
    pass


def demand(condition: bool, complaint: str) -> None:
    if not condition:
        raise Failure(complaint)


def unpack(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
        tops = {Path(m.name).parts[0] for m in members}
        demand(len(tops) == 1, f"not one folder, but {sorted(tops)}")
        for member in members:
            target = os.path.normpath(os.path.join(os.path.dirname(member.name), member.linkname))
            demand(not member.issym() or Path(target).parts[0] in tops, f"{member.name} is a link to {member.linkname}")
            demand(member.issym() or not member.mode & 0o022, f"{member.name} can be written by others")
        tar.extractall(folder)
    return folder / tops.pop()


def elf_files(folder: Path) -> list[Path]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return [path for path in files if path.open("rb").read(4) == b"\x7fELF" and path.suffix != ".o"]


def needed_versions(file: Path) -> set[tuple[int, ...]]:
    """Of glibc."""
    said = subprocess.run(["readelf", "--wide", "--version-info", "--dynamic", str(file)], capture_output=True, text=True,
                          check=True).stdout
    demand("GLIBC_PRIVATE" not in said, f"{file} needs one glibc and no other")
    return {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", said)}


def check(archive: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = unpack(archive, Path(scratch))
        files = elf_files(folder)
        names = [str(file.relative_to(folder)) for file in files]
        for wanted in WANTED:
            demand(wanted in names, f"no program or library {wanted}")
        for file, name in zip(files, names):
            header = subprocess.run(["readelf", "--wide", "--file-header", "--program-headers", str(file)],
                                    capture_output=True, text=True, check=True).stdout
            demand("AArch64" in header, f"{name} is for another machine")
            newest = max(needed_versions(file), default=(0,))
            demand(newest <= NEWEST, f"{name} needs glibc {'.'.join(map(str, newest))}")
            demand("INTERP" not in header or newest > (0,), f"{name} asks for a loader without any glibc")
        print(f"{len(files)} programs and libraries, {sum(f.stat().st_size for f in files) >> 20} MB")


def output(command: list[str | Path], status: int = 0, **environment: str) -> str:
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env=os.environ | environment)
    demand(done.returncode == status, f"{command[0]}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def ask_running(programs: Path) -> None:
    """memspy_control finds the program that runs, through the vgdb beside it."""
    sleeper = subprocess.Popen([str(programs / "valgrind"), "--tool=memspy", "--log-file=/dev/null", "/bin/sleep", "1000"])
    try:
        for _ in range(60):
            time.sleep(2)
            asked = subprocess.run([str(programs / "memspy_control"), "status"], capture_output=True, text=True, check=False)
            if asked.returncode == 0:
                break
        demand(asked.returncode == 0 and bool(asked.stdout), f"memspy_control status: {asked.stdout}{asked.stderr}")
    finally:
        sleeper.kill()
        sleeper.wait()


def run(archive: Path) -> None:
    demand(os.getuid() != 0, "this is for an ordinary user")
    home = Path.home()
    place = home / "sürprise,(1)'s=%p"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    folder = unpack(archive, place)
    programs = folder / "bin"
    (home / "valgrind").symlink_to(programs / "valgrind")

    cases = [SUITE / "tests/run" / case for case in CASES]
    said = output([sys.executable, SUITE / "tests/run/runner.py", "--valgrind", home / "valgrind", "--programs",
                   SUITE / "programs", "--work", "/tmp/unpacked", "--first-variant", "--time-factor", "6", *cases])
    demand(" 0 skipped" in said, said)

    overrun = next((SUITE / "programs/classic.overrun").rglob("overrun"))
    text = output([programs / "valgrind", "--tool=memspy", "--xml=yes", "--xml-file=errors.xml",
                   "--memspy-out-file=profile.xml", overrun])
    frames = [f.findtext("obj") or "" for f in ElementTree.parse("errors.xml").iter("frame")]
    preload = str(folder / "libexec/valgrind/vgpreload_memspy-arm64-linux.so")
    demand(preload in frames, f"malloc is not that of {preload}: {sorted(set(frames))} {text}")
    demand("InvalidWrite" in output([programs / "memspy-report", "text", "errors.xml", "profile.xml"],
                                    DEBUGINFOD_URLS="http://127.0.0.1:1"), "memspy-report does not tell the error")
    output([programs / "memspy-html", "profile.xml", "-o", "page.html"])
    counted = output([programs / "valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", overrun])
    demand("refs:" in counted, f"Cachegrind does not work: {counted}")
    ask_running(programs)

    blank = home / "a blank"
    (blank / "bin").mkdir(parents=True, exist_ok=True)
    (blank / "libexec/valgrind").mkdir(parents=True, exist_ok=True)
    shutil.copy(programs / "valgrind", blank / "bin")
    demand("with a blank" in output([blank / "bin/valgrind", "true"], status=1), "nothing is said of a blank in the path")
    print(f"{len(cases)} cases and the programs, in {folder}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "run"])
    parser.add_argument("archive", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "check" and (arguments.archive.parent / "unavailable").exists():
        print("skipped: it was not made; the boot says why")
        return SKIPPED
    try:
        (check if arguments.command == "check" else run)(arguments.archive)
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
