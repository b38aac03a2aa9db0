#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that variables of Rust's methods, which older compilers describe inside their types, have rows of memory cost."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

import driver

PROGRAM = """
fn main() {
    let mut numbers: Vec<u64> = Vec::new();
    for i in 0..COUNT { numbers.push(i); }
    std::process::exit(numbers.len() as i32 - COUNT);
}
"""
COUNT = 50


def works(compiler: str) -> bool:
    try:
        return subprocess.run([compiler, "--version"], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def stores(valgrind: str, work: Path) -> dict[str, int]:
    """By object, of the program in memory cost."""
    command = [valgrind, "--tool=memspy", "-q", "--defects=no", "--zeros=no", "--contention=no", "--cost=yes",
               "--memspy-out-file=run.xml", "./program"]
    subprocess.run(command, cwd=work, check=True, capture_output=True, timeout=120)
    report = Path(valgrind).with_name("memspy-report")
    table = subprocess.run([report, "cost", "--format=tsv", "--top=0", work / "run.xml"], check=True, capture_output=True, text=True)
    return {row["object"]: int(row["stores"]) for row in csv.DictReader(io.StringIO(table.stdout), delimiter="\t")}


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    compilers = list(filter(works, ("rustc", "/usr/bin/rustc")))  # the system's may be older
    if not compilers:
        return driver.SKIPPED
    (work / "program.rs").write_text(PROGRAM.replace("COUNT", str(COUNT)), encoding="utf-8")
    wrong = 0
    for compiler in compilers:
        subprocess.run([compiler, "-g", "-Copt-level=0", "program.rs", "-o", "program"], cwd=work, check=True, capture_output=True)
        found = stores(valgrind, work)
        for name in ("self of alloc::vec::Vec::push", "value of alloc::vec::Vec::push"):
            if found.get(name) != COUNT:
                print(f"{compiler}: {name}: {found.get(name)} stores instead of {COUNT}")
                wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
