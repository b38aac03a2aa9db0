# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs in the machine: memspy cross-built, the programs of tests/run cross-compiled, and the list of jobs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import image
import machine

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
HOST = "aarch64-linux-gnu"
PREFIX = "/opt/memspy"              # where memspy is in the machine
FOLDERS_OF_SECOND = ("arm64", "contention", "sharing", "threads")
NO_CASES = ("include", "silent")
SILENT = ("ls", "bzip2", "gzip", "sort", "grep", "bash", "pigz")  # those of silent/programs.py that are quick enough
FLAGS = {
    "cortex-a72": ["-mcpu=cortex-a72", "-mno-outline-atomics"],
    "neoverse-n1": ["-mcpu=neoverse-n1"],
}
# The machine is emulated, and may share its processors: a minute for a program of the suite is no sign of a hang.
TIME_FACTOR = 6
JOB_SECONDS = 600


class BuildFailed(Exception):
    pass


@dataclass(frozen=True)
class Test:
    name: str
    reason: str = ""            # not empty: left out
    case: Path | None = None    # of tests/run


def excluded() -> dict[str, str]:
    """Tests that are not run in the machine, and why: lines of the file `excluded`."""
    found = {}
    for line in (HERE / "excluded").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split(None, 1)
            found[name] = reason
    return found


def tests(cpu: str, everything: bool) -> list[Test]:
    """The tests for a CPU: all on the first one, on the others what concerns atomics and threads."""
    reasons = excluded()
    found = []
    whole = everything or cpu == next(iter(machine.CPUS))
    for path in sorted([*SOURCE.glob("tests/run/*/*.c"), *SOURCE.glob("tests/run/*/*.cc")]):
        folder = path.parent.name
        if folder in NO_CASES or not (whole or folder in FOLDERS_OF_SECOND):
            continue
        name = f"run.{folder}.{path.stem}"
        found.append(Test(name, reasons.get(name, ""), path))
    if whole:
        found += [Test(f"run.silent.{name}", reasons.get(f"run.silent.{name}", "")) for name in SILENT]
    return found


def call(command: list[str], **options: Any) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        raise BuildFailed(f"{' '.join(command[:6])}...: exit status {done.returncode}\n{done.stdout[-4000:]}")


def build_memspy(system: image.Image, work: Path, overlay: Path) -> None:
    build = work / "build"
    build.mkdir(parents=True, exist_ok=True)
    if not (build / "Makefile").exists():
        call([str(SOURCE / "configure"), "-q", f"--host={HOST}", f"--with-valgrind={system.root}", f"--prefix={PREFIX}"],
             cwd=build)
    jobs = str(min(2, os.cpu_count() or 1))
    call(["make", "--no-print-directory", "-s", "-j", jobs], cwd=build)
    call(["make", "--no-print-directory", "-s", "install", f"DESTDIR={overlay}"], cwd=build)


def runner_options(everything: bool) -> list[str]:
    return ["--machine", "aarch64", *([] if everything else ["--first-variant"])]


def build_programs(chosen: list[Test], cpu: str, everything: bool, work: Path, programs: Path) -> None:
    """Compiles what the jobs run. The host has the compiler; the machine would take minutes for it."""
    flags = [f"--flag={flag}" for flag in FLAGS[cpu]]
    cases = [str(test.case) for test in chosen if test.case and not test.reason]
    call([sys.executable, str(SOURCE / "tests/run/runner.py"), "--build-only", f"--cross={HOST}-", *flags,
          *runner_options(everything), "--programs", str(programs), "--work", str(work / "scratch"),
          "--include", str(SOURCE / "memspy"), "-j", "2", *cases])


def job(test: Test, everything: bool) -> dict[str, Any]:
    valgrind = f"{PREFIX}/bin/valgrind"
    if test.case is None:
        return {"name": test.name, "module": "programs", "timeout": JOB_SECONDS,
                "arguments": ["--valgrind", valgrind, "--work", "/tmp/silent", test.name.split(".")[-1]]}
    docs = f"{PREFIX}/share/doc/memspy"
    return {"name": test.name, "module": "runner", "timeout": JOB_SECONDS,
            "arguments": ["--valgrind", valgrind, *runner_options(everything), "--time-factor", str(TIME_FACTOR),
                          "--schema", f"{docs}/valgrind-xml.rng", "--profile-schema", f"{docs}/profile.rng",
                          "--programs", "/suite/programs", "--work", "/tmp/run",
                          f"/suite/tests/run/{test.case.parent.name}/{test.case.name}"]}


def make_overlay(system: image.Image, cpu: str, chosen: list[Test], everything: bool, work: Path,
                 processors: int) -> Path:
    """An archive that the kernel unpacks over the root file system."""
    overlay = work / cpu / "overlay"
    shutil.rmtree(overlay, ignore_errors=True)
    suite = overlay / "suite"
    suite.mkdir(parents=True)
    build_memspy(system, work, overlay)
    build_programs(chosen, cpu, everything, work, suite / "programs")
    for folder in ("arm64", "run"):
        shutil.copytree(SOURCE / "tests" / folder, suite / "tests" / folder,
                        ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "init", overlay / "init")
    jobs = {"path": ["/suite/tests/run", "/suite/tests/run/silent"], "valgrind": [f"{PREFIX}/bin/valgrind"],
            "at_once": processors + 1, "jobs": [job(test, everything) for test in chosen if not test.reason]}
    (suite / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    archive = work / cpu / "overlay.cpio"
    image.pack(overlay, archive, image.names_below(overlay))
    return archive
