#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that the tutorial, the tasks and other documents show what memspy prints: the commands of their `console` blocks are
run in a copy of tests/demo, with tests/mpi beside it, those of one document one after the other, and the lines below a command stand in its output in
that order, perhaps cut short; `...` stands for any others. A `c` block is a piece of one of these programs. Addresses are left out of the comparison. Counts may differ by one in a hundred: the dynamic linker's own accesses depend
on the machine. With --mpi blocks with mpirun are run, too; else they are left to tests/mpi, which takes minutes."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
# Tests may run as root, and on fewer processors than ranks.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def comparable(line: str) -> list[str]:
    return re.sub(r"0x[0-9A-Fa-f]+", "0x…", re.sub(r"^==\d+== ?", "", line)).split()


def agree(shown: str, printed: str) -> bool:
    number = r"(\(?)(\d[\d,]*(?:\.\d+)?)(\W*)"
    one, other = (re.fullmatch(number, word) for word in (shown, printed))
    if shown == printed or not one or not other or (one[1], one[3]) != (other[1], other[3]):
        return shown == printed
    first, second = (float(match[2].replace(",", "")) for match in (one, other))
    return abs(first - second) <= 0.01 * first


def begins(printed: list[str], shown: list[str]) -> bool:
    return len(printed) >= len(shown) and all(agree(*pair) for pair in zip(shown, printed))


def differences(command: str, shown: list[str], printed: list[list[str]]) -> list[str]:
    """The lines that do not follow those before them."""
    missing = []
    position = 0
    near = False  # the next line must follow directly
    for line in shown:
        if line == "...":
            near = False
            continue
        places = [place for place in range(position, len(printed)) if begins(printed[place], comparable(line))]
        if not places or near and places[0] != position:
            near = False
            missing.append(f"{command}: does not print, where it is shown: {line}")
            continue
        position = places[0] + 1
        near = True
    return missing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", type=Path, default=ROOT / "inst" / "bin" / "valgrind")
    parser.add_argument("document", help="its name in docs/: tutorial, cost, cases/parser")
    parser.add_argument("--mpi", action="store_true")
    arguments = parser.parse_args()
    if arguments.mpi and not shutil.which("mpicc"):
        print("skipped: no mpicc here")
        return SKIPPED
    environment = {key: value for key, value in os.environ.items() if key != "VALGRIND_OPTS"}
    environment |= MPI if arguments.mpi else {}
    environment["PATH"] = f"{arguments.valgrind.resolve().parent}:{environment['PATH']}"
    text = (ROOT / f"docs/{arguments.document}.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)
              if arguments.mpi or "mpirun" not in block]
    programs = [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "demo").glob("*.c")]
    pieces = re.findall(r"^```c\n(.*?)^```", text, re.M | re.S)
    complaints = [] if blocks else ["no blocks found"]
    complaints += [f"no program has this piece:\n{piece}" for piece in pieces if not any(piece in program for program in programs)]
    with tempfile.TemporaryDirectory(prefix="memspy-examples-") as name:
        folder = Path(name, "demo")
        for kind in ("demo", "mpi"):
            shutil.copytree(ROOT / "tests" / kind, Path(name, kind), ignore=lambda _, names: [each for each in names if not each.endswith(".c")])
        for block in blocks:
            for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, *shown = step.splitlines()
                done = subprocess.run(command, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1000 if arguments.mpi else 120, check=False)
                if done.returncode:
                    complaints.append(f"{command}: exit status {done.returncode}\n{done.stdout}")
                complaints += differences(command, shown, [comparable(line) for line in done.stdout.splitlines()])
    print("\n".join(complaints), end="\n" if complaints else "")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
