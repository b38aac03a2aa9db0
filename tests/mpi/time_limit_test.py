#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that a scheduler's warning, SIGTERM or SIGUSR1, gives a whole profile at once: of a program without a handler, which
computes or is blocked in a system call, and dies by the signal as it does alone; of one whose handler exits; and of one whose
handler returns, which goes on as it does alone, and is killed."""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
GRACE = 10  # seconds; Slurm gives 30


class Failure(Exception):
    pass


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + GRACE
    while not path.exists():
        if process.poll() is not None or time.monotonic() > end:
            raise Failure(f"no {path.name}, exit status {process.poll()}")
        time.sleep(0.02)


def check(valgrind: str, work: Path, mode: str, number: signal.Signals) -> None:
    name = f"{mode}-{number.name}"
    profile, errors = work / f"{name}.xml", work / f"{name}.errors.xml"
    command = [valgrind, "--tool=memspy", "-q", "--xml=yes", f"--xml-file={errors}", f"--memspy-out-file={profile}",
               str(work / "time_limit"), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise Failure(f"{name}: the program did not start")
            process.send_signal(number)
            if mode == "ignore":
                if process.stdout.readline() != "signal\n":
                    raise Failure(f"{name}: the handler did not run")
                wait_for(profile, process)
                process.kill()
            status = process.wait(GRACE)
        finally:
            process.kill()
    expected = {"exit": 3, "ignore": -signal.SIGKILL}.get(mode, -number)
    if status != expected:
        raise Failure(f"{name}: exit status {status}, expected {expected}")
    root = ElementTree.parse(profile).getroot()
    made = root.get("made-by"), root.get("finished")
    if made != {"ignore": ("dump", "no"), "exit": ("exit", "yes")}.get(mode, ("signal", "no")):
        raise Failure(f"{name}: the profile was made by {made}")
    leaks = [error.findtext("kind") for error in ElementTree.parse(errors).getroot().iter("error")]
    if leaks != ([] if mode == "ignore" else ["Leak_DefinitelyLost"]):
        raise Failure(f"{name}: reports {leaks}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    work: Path = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    subprocess.run(["gcc", "-g", "-O0", "-o", work / "time_limit", HERE / "time_limit.c"], check=True)
    try:
        for mode in ("compute", "block", "exit", "ignore"):
            for number in (signal.SIGTERM, signal.SIGUSR1):
                check(arguments.valgrind, work, mode, number)
    except (Failure, subprocess.TimeoutExpired) as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
