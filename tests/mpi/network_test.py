#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that memspy-machine network, started by the launchers of two implementations of MPI, loads the launcher's library and
measures messages and collective operations between its processes; that a machine file keeps what else it has; and that wrong
use gets one line. What is found depends on the load of the machine: tests/unit/loggp_test.cc has the figures. Exit status 77:
this implementation of MPI is not installed."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

FIGURES = ("latency_ns", "overhead_ns", "gap_ns", "gap_per_byte_ns")


class Failure(Exception):
    pass


def run(command: list[str], work: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=False)


def check(machine: str, launcher: list[str], work: Path) -> None:
    file = work / "machine.json"
    file.write_text(json.dumps({"format": "memspy-machine 1", "page_size": 4096}), encoding="utf-8")
    done = run([*launcher, "-np", "2", machine, "network", "--seconds=4", "-o", str(file)], work)
    if done.returncode:
        raise Failure(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    found = json.loads(file.read_text(encoding="utf-8"))
    network = found["network"]
    if (found["page_size"], network["ranks"], len(network["nodes"]), len(network["pairs"])) != (4096, 2, 2, 1):
        raise Failure(f"the file has {json.dumps(found)[:300]}")
    pair = network["pairs"][0]
    for name in FIGURES:
        if pair[name]["value"] is None and not pair[name]["how"]:
            raise Failure(f"{name} is not found, without a reason")
    for point in pair["times"]:
        if not 0 < point["one_way_ns"] < 1e9:
            raise Failure(f"a message of {point['bytes']} bytes takes {point['one_way_ns']} ns")
    calls = {each["call"]: [point["ns"] for point in each["times"]] for each in network["collectives"]}
    if set(calls) != {"MPI_Barrier", "MPI_Bcast", "MPI_Allreduce", "MPI_Alltoall"} or any(ns <= 0 for times in calls.values() for ns in times):
        raise Failure(f"collective operations: {calls}")

    file.write_text("[]", encoding="utf-8")
    for command, said in (([machine, "network"], "start it by mpirun"),
                          ([*launcher, "-np", "1", machine, "network"], "needs two processes"),
                          ([*launcher, "-np", "1", machine, "network", "--mpi-library=none.so"], "cannot be loaded")):
        done = run(command, work)
        if done.returncode == 0 or done.stderr.count("memspy-machine: ") != 1 or said not in done.stderr:
            raise Failure(f"{command}: exit status {done.returncode}\n{done.stderr}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("implementation", choices=["openmpi", "mpich"])
    arguments = parser.parse_args()
    launcher = [f"mpirun.{arguments.implementation}", *(["--oversubscribe"] if arguments.implementation == "openmpi" else [])]
    if not shutil.which(launcher[0]):
        print(f"skipped: no {launcher[0]}")
        return 77
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    try:
        check(arguments.machine, launcher, arguments.work.resolve())
    except (Failure, subprocess.TimeoutExpired) as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
