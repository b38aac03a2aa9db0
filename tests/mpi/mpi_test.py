#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that a correct program of MPI runs under memspy as it does alone, that nothing is reported but the block that it
loses itself, that each rank has a profile of its own name, and that calls, bytes, peers and communicators in them are those that
the program makes. Exit status 77: this implementation of MPI is not installed."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
RANKS = 4
ROUNDS, INTS = 10, 1000


class Failure(Exception):
    pass


def demand(what: str, got: object, expected: object) -> None:
    if got != expected:
        raise Failure(f"{what}: {got}, expected {expected}")


def run(command: list[str], work: Path) -> str:
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=240, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def sums(mpi: ElementTree.Element, name: str) -> dict[str, int]:
    """What the calls of that name have in sum."""
    rows = [row for row in mpi.iter("call") if row.get("name") == name]
    return {what: sum(int(row.get(what, "0")) for row in rows) for what in ("calls", "sent", "received")}


def check_profile(path: Path, rank: int) -> None:
    root = ElementTree.parse(path).getroot()
    process = root.find("run")
    mpi = root.find("mpi")
    if process is None or mpi is None:
        raise Failure(f"{path.name} has no element run or mpi")
    demand("rank of the process", process.get("rank"), str(rank))
    whole = ROUNDS * INTS * 4
    demand("MPI_Isend", sums(mpi, "MPI_Isend"), {"calls": ROUNDS, "sent": whole, "received": 0})
    demand("MPI_Irecv", sums(mpi, "MPI_Irecv"), {"calls": ROUNDS, "sent": 0, "received": whole})
    demand("MPI_Waitall", sums(mpi, "MPI_Waitall"), {"calls": ROUNDS, "sent": 0, "received": 0})
    demand("MPI_Allreduce", sums(mpi, "MPI_Allreduce"), {"calls": 1, "sent": 4, "received": 4})
    root_of_half = rank < 2
    demand("MPI_Bcast", sums(mpi, "MPI_Bcast"),
           {"calls": 1, "sent": 64 if root_of_half else 0, "received": 0 if root_of_half else 64})
    demand("MPI_Put", sums(mpi, "MPI_Put"), {"calls": 1, "sent": 8, "received": 0})
    if rank == 0:
        demand("MPI_Start", sums(mpi, "MPI_Start"), {"calls": 3, "sent": 12, "received": 0})
    if rank == 1:
        demand("MPI_Recv_init", sums(mpi, "MPI_Recv_init"), {"calls": 1, "sent": 0, "received": 12})
    peers = {int(peer.get("peer", "-1")): int(peer.get("sent", "0")) for peer in mpi.iter("peer")}
    demand("bytes to peers", peers, {(rank + 1) % RANKS: whole + 8 + (12 if rank == 0 else 0)})
    names = [comm.get("name") for comm in mpi.iter("communicator")]
    demand("the world among communicators", names.count("MPI_COMM_WORLD"), 1)
    sizes = {comm.get("size") for comm in mpi.iter("communicator")}
    demand("sizes of communicators", sizes, {str(RANKS), str(RANKS // 2)})
    events = {element.tag: len((element.text or "").split()) for element in mpi
              if element.tag in ("sends", "receives", "collectives")}
    demand("messages sent", events["sends"], 4 * (ROUNDS + (3 if rank == 0 else 0)))
    demand("messages received", events["receives"], 6 * (ROUNDS + (3 if rank == 1 else 0)))


def check_errors(path: Path) -> None:
    kinds = [error.findtext("kind") for error in ElementTree.parse(path).getroot().iter("error")]
    demand(f"reports in {path.name}", kinds, ["Leak_DefinitelyLost"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("implementation", choices=["openmpi", "mpich"])
    arguments = parser.parse_args()
    compiler, launcher = f"mpicc.{arguments.implementation}", f"mpirun.{arguments.implementation}"
    if not shutil.which(compiler) or not shutil.which(launcher):
        print(f"skipped: no {compiler}")
        return 77
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    try:
        run([compiler, "-g", "-O1", "-w", "-o", "ring", str(HERE / "ring.c")], arguments.work)
        line = [launcher, *(["--oversubscribe"] if arguments.implementation == "openmpi" else []), "-np", str(RANKS)]
        alone = run([*line, "./ring"], arguments.work)
        under = run([*line, arguments.valgrind, "--tool=memspy", "--contention=no", "--zeros=no", "--xml=yes",
                     "--xml-file=errors.%p.xml", "./ring"], arguments.work)
        demand("output", under, alone)
        demand("profiles", sorted(file.name for file in arguments.work.glob("memspy.out.*")),
               [f"memspy.out.{rank}.xml" for rank in range(RANKS)])
        for rank in range(RANKS):
            check_profile(arguments.work / f"memspy.out.{rank}.xml", rank)
        errors = sorted(arguments.work.glob("errors.*.xml"))
        demand("error files", len(errors), RANKS)
        for file in errors:
            check_errors(file)
    except Failure as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
