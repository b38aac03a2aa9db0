#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves on a cluster of two nodes, Slurm's own daemons on this machine, that memspy-run puts ranks of srun under memspy, with
their ranks and nodes in the profiles and one merged report; that the batch script of docs/mpi.md does as that page says; and
that ranks which the scheduler ends, one of them in MPI_Recv, leave whole profiles, which are merged. Exit status 77: Slurm is
not installed, or does not start here."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Optional

from slurm import NoSlurm, Slurm

HERE = Path(__file__).resolve().parent
PATIENCE = 40  # seconds for one job
QUICK = "--tool-options=--contention=no --zeros=no"


class Failure(Exception):
    pass


def demand(what: str, got: object, expected: object) -> None:
    if got != expected:
        raise Failure(f"{what}: {got}, expected {expected}")


def wait_until(what: str, condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what}: not after {PATIENCE} s")
        time.sleep(0.1)


def ranks_and_nodes(folder: Path) -> dict[str, Optional[str]]:
    """Of the whole profiles there."""
    found = {}
    for file in folder.glob("memspy.out.*.xml"):
        root = ElementTree.parse(file).getroot()
        run = root.find("run")
        if run is None or (root.get("finished"), root.get("made-by")) not in (("yes", "exit"), ("no", "signal")):
            raise Failure(f"{file} is no whole profile")
        found[run.get("rank", "")] = run.get("node")
    return found


def errors_by_rank(report: Path, profile: Path) -> dict[str, str]:
    """Which ranks have what, as the report says it."""
    text = subprocess.run([report, "text", "--top=0", "--format=tsv", profile], check=True, capture_output=True, text=True).stdout
    table = text[text.index("finding\twhere\tunit"):].split("\n\n")[0].splitlines()
    names = table[0].split("\t")
    rows = [dict(zip(names, line.split("\t"))) for line in table[1:]]
    return {row["finding"]: row["which-ranks"] for row in rows if row["unit"] == "bytes"}


class Cluster:
    def __init__(self, slurm: Slurm, valgrind: Path, work: Path) -> None:
        self.slurm = slurm
        self.bin = valgrind.parent
        self.work = work
        self.environment = {**slurm.environment, "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)

    def check_srun(self) -> None:
        done = self.run("memspy-run", "--output=all", QUICK, "srun", "-N2", "-n4", "./ring")
        if done.returncode:
            raise Failure(f"srun: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        demand("ranks and nodes", ranks_and_nodes(self.work / "all"), {"0": "n1", "1": "n1", "2": "n2", "3": "n2"})
        if "rank 0-3 of 4\n" not in done.stdout:
            raise Failure(f"the report does not say which ranks it has:\n{done.stdout}")
        demand("errors", errors_by_rank(self.bin / "memspy-report", self.work / "all/merged.xml"), {"Leak_DefinitelyLost": "0-3"})

    def check_batch(self) -> None:
        """The example of the documentation, on this cluster's nodes."""
        page = (HERE.parent.parent / "docs/mpi.md").read_text(encoding="utf-8")
        block = re.search(r"(?m)^    #!/bin/bash\n(?=    #SBATCH)(?:    .*\n)+", page)
        if block is None:
            raise Failure("docs/mpi.md has no script for Slurm")
        (self.work / "app").symlink_to("ring")
        (self.work / "job.sh").write_text(re.sub(r"(?m)^    ", "", block[0]))
        done = self.run("sbatch", "--parsable", "--nodes=2", "--ntasks-per-node=2", "--time=2", "--output=job.out", "job.sh")
        job = done.stdout.strip()
        if done.returncode:
            raise Failure(f"sbatch: exit status {done.returncode}\n{done.stderr}")
        wait_until("the job's end", lambda: job not in self.run("squeue", "--noheader", "--format=%i").stdout.split())
        output = (self.work / "job.out").read_text()
        folder = self.work / f"memspy.{job}"
        demand("ranks and nodes of the job", ranks_and_nodes(folder), {"0": "n1", "2": "n2"})
        if "rank 0, 2 of 4; there is no profile of rank 1, 3\n" not in output:
            raise Failure(f"the job's report does not say which ranks it has:\n{output}")

    def check_signals(self) -> None:
        """MPICH has a handler for SIGUSR1, so the ranks go on behind it; SIGTERM ends them."""
        folder = self.work / "cancelled"
        command = ["memspy-run", f"--output={folder}", QUICK, "srun", "--job-name=endless", "-N2", "-n2", "./pair"]
        with subprocess.Popen(command, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            try:
                wait_until("the program's start", lambda: len(list(self.work.glob("ready.*"))) == 2)
                self.run("scancel", "--name=endless", "--signal=USR1")
                wait_until("profiles at SIGUSR1", lambda: len(list(folder.glob("memspy.out.*.xml"))) == 2)
                self.run("scancel", "--name=endless")
                output, _ = process.communicate(timeout=PATIENCE)
            finally:
                process.terminate()
        try:
            demand("ranks and nodes after SIGTERM", ranks_and_nodes(folder), {"0": "n1", "1": "n2"})
            # Others are in libraries that had no time to free their memory.
            lost = errors_by_rank(self.bin / "memspy-report", folder / "merged.xml").get("Leak_DefinitelyLost")
            demand("ranks that lost a block", lost, "0-1")
        except (Failure, OSError) as problem:
            raise Failure(f"{problem}\n{output}") from problem


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True, type=Path)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    if not shutil.which("mpicc.mpich"):
        print("skipped: no mpicc.mpich")
        return 77
    work: Path = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for program in ("ring", "pair"):
        subprocess.run(["mpicc.mpich", "-g", "-O1", "-w", "-o", work / program, HERE / f"{program}.c"], check=True)
    try:
        with Slurm(work / "slurm") as slurm:
            cluster = Cluster(slurm, arguments.valgrind, work)
            cluster.check_srun()
            cluster.check_batch()
            cluster.check_signals()
    except NoSlurm as problem:
        print(f"skipped: no Slurm here: {problem}")
        return 77
    except (Failure, subprocess.TimeoutExpired) as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
