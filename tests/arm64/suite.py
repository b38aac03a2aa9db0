# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs in the machine: memspy as `make dist-arm64` packs it, the tests' programs cross-compiled, and the list of
jobs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import debian
import image
import machine
import unpacked

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path[:0] = [str(SOURCE / "tests/cli"), str(SOURCE / "tests/run"), str(SOURCE / "packaging")]
import cli  # noqa: E402
import dist_arm64  # noqa: E402
import cases  # noqa: E402
from parts import BuildFailed  # noqa: E402

PREFIX = "/opt/memspy"              # memspy's folder in the machine
ARCHIVE = "memspy-arm64.tar.gz"     # for unpacking it elsewhere
FOLDERS_OF_SECOND = ("arm64", "threads")  # and the cases with atomics
SILENT = ("ls", "bzip2", "gzip", "sort", "grep", "bash", "pigz")  # programs of silent/programs.py that are fast enough
FLAGS = {
    "cortex-a72": ["-mcpu=cortex-a72", "-mno-outline-atomics"],
    "neoverse-n1": ["-mcpu=neoverse-n1"],
}
# Atomic additions of an unrolled loop are next to each other, and the model may find the other threads in the pause that
# is left. On amd64 the cases add by instructions that compilers leave alone.
NO_UNROLLING = "-fno-unroll-loops"
# The machine is emulated, and may share its processors: a minute for a program of the suite is not a hang.
TIME_FACTOR = 12
JOB_SECONDS = 1200


@dataclass(frozen=True)
class Test:
    name: str
    module: str                 # the Python program that runs it: runner, programs, cli, unpacked
    what: str                   # its argument there
    reason: str                 # not empty: left out


def excluded() -> dict[str, str]:
    """Tests that are not run in the machine, and why: lines of the file `excluded`."""
    found = {}
    for line in (HERE / "excluded").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split(None, 1)
            found[name] = reason
    return found


def tests(cpu: str, everything: bool, shard: cases.Shard = cases.EVERYTHING) -> list[Test]:
    """The tests for a CPU: of what depends on the machine (on all CPUs but the first: on its instructions, atomics and
    threads) one third, by the shard's number; of the rest the shard, on the others for the folder `sharing` only."""
    reasons = excluded()
    third = cases.Shard(shard.index % 3, 3) if shard.count > 1 else shard
    found = []

    def add(name: str, module: str, what: str, part: cases.Shard = shard) -> None:
        if everything or part.has(name):
            found.append(Test(name, module, what, reasons.get(name, "")))

    first = cpu == next(iter(machine.CPUS))
    for path in cases.all_cases():
        folder = path.parent.name
        depends = cases.depends_on_machine(path) if first else folder in FOLDERS_OF_SECOND or cases.has_atomics(path)
        if first or everything or depends or folder == "sharing":
            add(f"run.{folder}.{path.stem}", "runner", f"tests/run/{folder}/{path.name}",
                third if depends else shard)
    if first or everything:
        for name in SILENT:
            add(f"run.silent.{name}", "programs", name)
        for name in cli.TESTS:
            add(f"cli.{name}", "cli", name)
        add("dist.unpacked", "unpacked", ARCHIVE, cases.EVERYTHING)
    return found


def call(command: list[str], **options: Any) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        told = "\n".join(line for line in done.stdout.splitlines() if not line.startswith("passed: "))
        raise BuildFailed(f"{' '.join(command[:6])}...: exit status {done.returncode}\n{told[-4000:]}")


def runner_options(everything: bool) -> list[str]:
    return ["--machine", "aarch64", *([] if everything else ["--first-variant"])]


def build_programs(chosen: list[Test], cpu: str, everything: bool, work: Path, programs: Path, root: Path) -> None:
    """Compiles what the jobs run, for the machine with the files of `root`. The host has the compilers, and what GCC's
    links with; the machine would take minutes for it."""
    flags = [f"--flag={flag}" for flag in (*FLAGS[cpu], NO_UNROLLING, f"-L{root}/usr/lib/{image.HOST}")]
    cross = f"--cross={image.HOST}-"
    to_run = [test for test in chosen if not test.reason]
    paths = [str(SOURCE / test.what) for test in to_run if test.module == "runner"]
    if any(test.module == "unpacked" for test in to_run):
        paths += {str(SOURCE / "tests/run" / case) for case in unpacked.CASES} - set(paths)
    if paths:
        call([sys.executable, str(SOURCE / "tests/run/runner.py"), "--build-only", cross, *flags,
              *runner_options(everything), "--programs", str(programs), "--work", str(work / "scratch"),
              "--include", str(SOURCE / "memspy"), "-j", "2", *paths])
    if any(test.module == "cli" for test in to_run):
        call([sys.executable, str(SOURCE / "tests/cli/cli.py"), "--build-only", cross, "--programs", str(programs)])


def job(test: Test, everything: bool) -> dict[str, Any]:
    docs = f"{PREFIX}/share/doc/memspy"
    schema = ["--schema", f"{docs}/valgrind-xml.rng"]
    built = ["--programs", "/suite/programs", "--time-factor", str(TIME_FACTOR)]
    valgrind = ["--valgrind", f"{PREFIX}/bin/valgrind"]
    arguments = {
        "runner": [*valgrind, *runner_options(everything), *schema, "--profile-schema", f"{docs}/profile.rng", *built,
                   "--work", "/tmp/run", f"/suite/{test.what}"],
        "programs": [*valgrind, "--work", "/tmp/silent", test.what],
        "cli": [*valgrind, *schema, *built, "--work", "/tmp/cli", test.what],
        "unpacked": ["run", f"/suite/{test.what}"],
    }[test.module]
    return {"name": test.name, "module": test.module, "timeout": JOB_SECONDS, "arguments": arguments}


def pack_programs(cpu: str, chosen: list[Test], everything: bool, work: Path, root: Path) -> Path:
    """An archive of all but the list of jobs, for the kernel to unpack over the root file system."""
    overlay = work / cpu / "overlay"
    shutil.rmtree(overlay, ignore_errors=True)
    suite = overlay / "suite"
    suite.mkdir(parents=True)
    with debian.locked(work / "dist"):  # one for all CPUs
        built = dist_arm64.make_folder(ARCHIVE.removesuffix(".tar.gz"), work / "dist")
        shutil.copytree(built, overlay / PREFIX.lstrip("/"), symlinks=True)
        if any(test.module == "unpacked" for test in chosen):
            dist_arm64.pack(built, work / cpu / ARCHIVE)
            shutil.copy(work / cpu / ARCHIVE, suite)
    build_programs(chosen, cpu, everything, work, suite / "programs", root)
    for folder in ("arm64", "cli", "run"):
        shutil.copytree(SOURCE / "tests" / folder, suite / "tests" / folder,
                        ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "init", overlay / "init")
    archive = work / cpu / "overlay.cpio"
    image.pack(overlay, archive, image.names_below(overlay))
    return archive


def pack_jobs(to_run: list[Test], everything: bool, processors: int, folder: Path) -> Path:
    """An archive of the list of jobs."""
    modules = ("arm64", "cli", "run", "run/silent")
    jobs = {"path": [f"/suite/tests/{folder}" for folder in modules],
            "valgrind": [f"{PREFIX}/bin/valgrind"], "at_once": processors,
            "jobs": [job(test, everything) for test in to_run]}
    (folder / "jobs/suite").mkdir(parents=True, exist_ok=True)
    (folder / "jobs/suite/jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    archive = folder / "jobs.cpio"
    image.pack(folder / "jobs", archive, image.names_below(folder / "jobs"))
    return archive
