#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that a program whose ranks wait for each other ends with status 1 when none has got on for the seconds of --mpi-hang: each
rank names its call and the ranks that are behind, with the lines of the program, in its log and its XML, and memspy-report names
the circle, and messages that nobody received; that sends that need a buffer are found without one; that programs that only take
long are left alone; and that ranks that are told to end say the same. Exit status 77: this implementation of MPI is not installed."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "stuck.c"
EXPECTED = re.compile(r"// expect (?P<way>\w+) (?P<ranks>\d)(?P<option> --\S+)?: (?P<waits>.*)")
WAIT = re.compile(r"Rank (\d+) waits in (MPI_\w+) for (?:rank|ranks|one of the ranks) ([\d, ]+\d|\d)"
                  r"(?:.*; not received: (tag .*), MPI_\w+ \(stuck\.c:\d+\))?")
# Files of other jobs that run at the same time are not looked at. The path is short, for the sockets of the launchers.
FOLDER = tempfile.TemporaryDirectory(prefix="stuck-")
ENVIRONMENT = {**os.environ, "TMPDIR": FOLDER.name, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
HANG = 1
HEAD = re.compile(r"==(\d+)== Parent PID: (\d+)")
LONG = 240  # seconds; a busy machine needs a tenth of it for any step


class Failure(Exception):
    pass


def demand(what: str, got: object, expected: object) -> None:
    if got != expected:
        raise Failure(f"{what}: {got}, expected {expected}")


def end_group(process: subprocess.Popen[bytes]) -> None:
    """The launcher and what it has started: nothing waits for a launcher that hangs."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Stuck:
    def __init__(self, name: str, valgrind: str, work: Path) -> None:
        self.name, self.valgrind, self.work = name, valgrind, work
        self.rank = "OMPI_COMM_WORLD_RANK" if name == "openmpi" else "PMI_RANK"

    def launch(self, ranks: int, way: str, *options: str) -> int:
        for old in (*self.work.glob("*.log"), *self.work.glob("*.xml")):
            old.unlink()
        line = [f"mpirun.{self.name}", *(["--oversubscribe"] if self.name == "openmpi" else []), "-np", str(ranks), self.valgrind,
                "--tool=memspy", "--leak-check=no", "--contention=no", "--zeros=no", *options, "./stuck", way]
        with subprocess.Popen(line, cwd=self.work, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                return process.wait(LONG)
            except subprocess.TimeoutExpired:
                end_group(process)
                raise

    def await_that(self, what: str, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + LONG
        while not is_so():
            if time.monotonic() > end:
                logs = "\n".join(file.read_text(errors="replace") for file in sorted(self.work.glob("*.log")))
                raise Failure(f"not after {LONG} s: {what}; the logs:\n{logs}")
            time.sleep(0.5)

    def check(self, way: str, ranks: int, option: str | None, waits: str) -> None:
        what = f"{way}{option or ''}"
        own = f"--log-file=%q{{{self.rank}}}.log"
        status = self.launch(ranks, way, own, f"--mpi-hang={HANG}", *(option.split() if option else []))
        logs = [(self.work / f"{rank}.log").read_text() for rank in range(ranks)]
        found = {int(m[1]): f"{m[2]} {m[3].replace(',', '')}" + (f" ({m[4]})" if m[4] else "") for log in logs for m in WAIT.finditer(log)}
        if waits == "ends":
            demand(f"{what}: waits", found, {})
            demand(f"{what}: status", status, 0)
            return
        expected = dict(enumerate(wait.strip() for wait in waits.split(",")))
        demand(f"{what}: waits", found, expected)
        demand(f"{what}: status", status, 1)
        for rank, log in enumerate(logs):
            demand(f"{what}: waits told by rank {rank}", len(WAIT.findall(log)), 1)
            if "(stuck.c:" not in log[WAIT.search(log).end():].split("== \n")[0]:  # type: ignore[union-attr]
                raise Failure(f"{what}: no line of the program in the report of rank {rank}\n{log}")
            demand(f"{what}: unsafe", "unsafe" in log, bool(option))

    def check_report(self) -> None:
        """From the profiles memspy-report names the calls and the circle, and the errors are of their kind."""
        xml = ("--xml=yes", f"--xml-file=errors.%q{{{self.rank}}}.xml")
        self.launch(4, "receive", *xml, f"--mpi-hang={HANG}")
        for rank in range(4):
            kinds = [error.findtext("kind") for error in ElementTree.parse(self.work / f"errors.{rank}.xml").getroot().iter("error")]
            demand(f"kinds of rank {rank}", kinds, ["MpiDeadlock"])
        text = self.report("mpi")
        for rank in range(4):
            demand(f"the line of rank {rank}", f"Rank {rank} waits in MPI_Recv for rank {(rank + 1) % 4}, receive (stuck.c:" in text, True)
        demand("the circle", "A deadlock of ranks 0 -> 1 -> 2 -> 3 -> 0\n" in text, True)

    def check_unreceived(self) -> None:
        """memspy-report names the message that nobody received, of ranks that are stuck and of ranks that end."""
        for way, ranks, left in (("other_comm", 2, "tag 5 (copy), MPI_Send"), ("other_rank", 3, "tag 5 (MPI_COMM_WORLD), MPI_Send"),
                                 ("lost", 2, "tag 7 (MPI_COMM_WORLD), MPI_Isend")):
            self.launch(ranks, way, f"--mpi-hang={HANG}")
            lines = [line for line in self.report("mpi").splitlines() if "did not receive" in line]
            found = [line.split(" (stuck.c:")[0] for line in lines]
            demand(f"{way}: messages not received", found, [f"Rank 0 did not receive a message of rank {ranks - 1} with {left}"])

    def check_order(self) -> None:
        """Where the order of messages decides, the report says so: of ranks that are stuck by it, and of ranks that end."""
        self.launch(3, "another_order", f"--mpi-hang={HANG}", f"--log-file=%q{{{self.rank}}}.log")
        log = (self.work / "0.log").read_text()
        demand("the receive that took it", re.findall(r"; MPI_Recv \(stuck\.c:\d+\) of any rank took", log) != [], True)
        self.launch(3, "any_order", f"--mpi-hang={HANG}")
        demand("receives in any order", "1 of 2 receives of any rank by MPI_Recv, any_order (stuck.c:" in self.report("mpi"), True)

    def report(self, *words: str, check: bool = True) -> str:
        files = sorted(str(file) for file in self.work.glob("memspy.out.*.xml"))
        return subprocess.run([str(Path(self.valgrind).parent / "memspy-report"), *words, *files], cwd=self.work, capture_output=True,
                              text=True, check=check).stdout

    def check_told_to_end(self) -> None:
        """Ranks that get SIGTERM: those of the barrier are told apart from the one that is behind when the profiles are compared."""
        folder = self.work
        for old in (*folder.glob("*.log"), *folder.glob("*.xml")):
            old.unlink()
        line = [f"mpirun.{self.name}", *(["--oversubscribe"] if self.name == "openmpi" else []), "-np", "3", self.valgrind,
                "--tool=memspy", "--leak-check=no", "--contention=no", "--zeros=no", f"--log-file=%q{{{self.rank}}}.log", "./stuck",
                "barrier_of_some"]
        printed = folder / "printed"
        parents: set[int] = set()
        with printed.open("w") as output, subprocess.Popen(line, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=output,
                                                           stderr=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                self.await_that("3 ranks begin", lambda: printed.read_text().count("begins") == 3)
                time.sleep(8)
                ranks, parents = self.processes()
                for parent in parents:
                    os.kill(parent, signal.SIGSTOP)  # a launcher would kill the others as soon as one has ended
                for rank in ranks:
                    os.kill(rank, signal.SIGTERM)
                self.check_told()
            finally:
                end_group(process)
                for parent in parents:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(parent, signal.SIGKILL)

    def processes(self) -> tuple[list[int], set[int]]:
        """The ranks, and who has started them."""
        heads = [HEAD.search(log.read_text()) for log in self.work.glob("*.log")]
        return [int(head[1]) for head in heads if head], {int(head[2]) for head in heads if head}

    def check_told(self) -> None:
        folder = self.work
        told = [f"Rank {rank} waits in MPI_Barrier for rank 2, barrier_of_some (stuck.c:" for rank in (0, 1)]
        self.await_that(f"3 profiles, and {told} in them", lambda: len(list(folder.glob("memspy.out.*.xml"))) == 3
                        and all(line in self.report("mpi", check=False) for line in told))
        root = ElementTree.parse(folder / "memspy.out.0.xml").getroot()
        demand("how the profile was made", (root.get("made-by"), root.get("finished")), ("signal", "no"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("implementation", choices=["openmpi", "mpich"])
    parser.add_argument("--part", default="0/1", metavar="I/N", help="only each N-th way, and each N-th of what else is checked")
    parser.add_argument("ways", nargs="*", help="only these")
    arguments = parser.parse_args()
    compiler = f"mpicc.{arguments.implementation}"
    if not shutil.which(compiler) or not shutil.which(f"mpirun.{arguments.implementation}"):
        print(f"skipped: no {compiler}")
        return 77
    work: Path = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    subprocess.run([compiler, "-g", "-O1", "-o", work / "stuck", SOURCE], check=True)
    stuck = Stuck(arguments.implementation, arguments.valgrind, work)
    try:
        index, parts = (int(word) for word in arguments.part.split("/"))
        for expected in list(EXPECTED.finditer(SOURCE.read_text()))[index % parts::parts]:
            if not arguments.ways or expected["way"] in arguments.ways:
                print(expected[0], flush=True)
                stuck.check(expected["way"], int(expected["ranks"]), expected["option"], expected["waits"])
        checks = (stuck.check_report, stuck.check_unreceived, stuck.check_order, stuck.check_told_to_end)
        for further in checks[index % parts::parts] if not arguments.ways else ():
            print(further.__doc__, flush=True)
            further()
        demand("files left behind", list(Path(FOLDER.name).glob("memspy-*")), [])
    except (Failure, subprocess.TimeoutExpired) as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
