#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that tables for scripts have the columns that docs/tables.tsv promises: every table of memspy-report is in the list
there, and is printed by the command that stands beside it, with these columns. `[NAME]` may be absent; behind `...` there
are more, one for each thread, rank or the like. And the page takes a run of all analyses."""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path

from names_test import prepared, run

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests" / "report" / "ranks"))
import rank_profiles  # noqa: E402
SOURCE = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static double cells[4][64];
static volatile long pairs[2][8] __attribute__((aligned(128)));
static long *sums;
static void *work(void *argument) {
    long me = (long)argument;
    for (int i = 0; i < 20000; ++i) { cells[me][i % 64] += i; ++sums[me]; ++pairs[me][0]; }
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    sums = calloc(4, sizeof *sums);
    char *left = malloc(10);
    for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    printf("%ld %d\\n", sums[0], left[10]);
    FILE *file = fopen("written", "w");
    fputs("text", file);
    fclose(file);
    return 0;
}
"""
# Two processes that take a line from each other.
SHARES = """
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    volatile long *words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const int child = fork();
    for (int i = 0; i < 1000; ++i) ++words[child == 0];
    return child != 0 && wait(NULL) < 0;
}
"""
MPI = """<memspy-profile format="1" version="0.1" valgrind="3.19" finished="yes" made-by="exit">
<run pid="{pid}" ppid="1" start="2026-01-02T03:04:01.000Z" end="2026-01-02T03:04:09.000Z" arch="amd64">
<command><exe>./ring</exe></command><options/></run>
<modules><module id="1" path="/nonexistent/ring" build-id="aa" bias="0x0" begin="0x0" end="0x9000"/></modules>
<stacks><stack id="4"><frame ip="0x100" module="1" offset="0x100" fn="pass" dir="/src" file="ring.c" line="7"/></stack></stacks>
<objects/><threads/><mpi><rank rank="{rank}" size="2" began="5000"/>
<communicator rank="{rank}" number="1" name="MPI_COMM_WORLD" size="2" group="0xa"/>
<call rank="{rank}" number="1" name="MPI_Send" pattern="point to point" stack="4" communicator="1" calls="{calls}" sent="4000"
 microseconds="1500"><sizes below="512" calls="{calls}"/></call><peer rank="{rank}" peer="{other}" sent="4000"/></mpi></memspy-profile>
"""
# Only in what people read.
PLAIN = {"contention.line", "cost.placements"}
# Of each command of the list: its arguments, and the files that it reads. Each prints all tables of that row.
FILES = {"text": "run.xml ranks.xml errors.xml shares.xml", "shared-memory": "shares.xml", "diff": "one.xml run.xml", "annotate": "run.xml", "cost": "run.xml", "locality": "run.xml",
         "map": "run.xml", "heap": "run.xml", "waste": "run.xml", "mix": "run.xml", "mpi": "0.xml 1.xml", "races": "run.xml", "classify": "run.xml", "table": "run.xml"}


def listed() -> list[tuple[str, str, str]]:
    """Command, table, columns."""
    rows = [tuple(line.split("\t")) for line in (ROOT / "docs" / "tables.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    assert all(len(row) == 3 for row in rows)
    return [(row[0], row[1], row[2]) for row in rows]


def in_sources() -> set[str]:
    names: set[str] = set()
    for path in (ROOT / "memspy" / "report").rglob("*.cc"):
        found = re.findall(r'Table table\(\s*(?:\w+ \? )?"([\w.-]+)"(?: : "([\w.-]+)")?', path.read_text(encoding="utf-8"))
        names |= {name for each in found for name in each if name and not name.endswith(".")}
    return names


def printed(report: Path, folder: Path, command: str) -> dict[str, list[str]]:
    """The columns of each table; the first has no name, and is ""."""
    words = command.split()
    tables: dict[str, list[str]] = {}
    for files in ([FILES[words[0]]] if words[0] != "text" else FILES["text"].split()):
        output = run([report, words[0], "--format=tsv", *words[1:], *files.split()], folder)
        for part in re.split(r"\n(?=#table\t)", "\n" + output):
            lines = part.strip("\n").splitlines()
            name = lines[0].partition("\t")[2] if lines[0].startswith("#table") else ""
            tables.setdefault(name, lines[1 if name else 0].split("\t"))
        if first := {"run.xml": "defects", "ranks.xml": "ranks.findings", "errors.xml": "errors"}.get(files):
            tables[first] = output.splitlines()[0].split("\t")
    return tables


def agree(documented: list[str], columns: list[str]) -> bool:
    """Without `...` all columns are documented, in this order; those in brackets may be absent."""
    at = 0
    for column in documented:
        if column == "...":
            return True
        name = column.strip("[]")
        if at < len(columns) and columns[at] == name:
            at += 1
        elif not column.startswith("["):
            return False
    return at == len(columns)


def main() -> int:
    if platform.machine() != "x86_64":
        return 77
    arguments, folder = prepared(__doc__, "valgrind", "report")
    (folder / "all.c").write_text(SOURCE, encoding="utf-8")
    run(["gcc", "-g", "-O1", "-pthread", "all.c", "-o", "all"], folder)
    everything = ["--latent=yes", "--zeros=all", "--locality=exact", "--cost=yes", "--cost-machine=xeon-gold-6148", "--mix=memory", "--heap-profile=accesses", "--waste=yes"]
    run([arguments.valgrind, "--tool=memspy", "-q", "--memspy-out-file=one.xml", "./all"], folder)
    run([arguments.valgrind, "--tool=memspy", "-q", *everything, "--memspy-out-file=run.xml", "--xml=yes", "--xml-file=errors.xml", "./all"],
        folder)
    (folder / "shares.c").write_text(SHARES, encoding="utf-8")
    run(["gcc", "-g", "-O1", "shares.c", "-o", "shares"], folder)
    run([arguments.valgrind, "--tool=memspy", "-q", "--memspy-out-file=part.%p.xml", "./shares"], folder)
    parts = [path.name for path in folder.glob("part.*.xml")]
    run([arguments.report, "export", "--to=json", parts[0], "-o", "part.json"], folder)  # what comes later than others stands before them
    run([arguments.report, "merge", *parts, "-o", "shares.xml"], folder)
    for rank in (0, 1):
        (folder / f"{rank}.xml").write_text(MPI.format(pid=rank + 1, rank=rank, other=1 - rank, calls=10 + rank), encoding="utf-8")
    for rank in range(4):
        (folder / f"rank{rank}.xml").write_text(rank_profiles.profile(rank, 4, 12), encoding="utf-8")
    run([arguments.report, "merge", *(f"rank{rank}.xml" for rank in range(4)), "-o", "ranks.xml"], folder)

    run([arguments.valgrind.parent / "memspy-html", "run.xml", "-o", "page.html"], folder)

    rows = listed()
    missing = in_sources() - PLAIN - {name for _, name, _ in rows}
    assert not missing, f"docs/tables.tsv does not list {sorted(missing)}"
    tables: dict[str, dict[str, list[str]]] = {}
    for command, name, columns in rows:
        if command not in tables:
            tables[command] = printed(arguments.report, folder, command)
        found = tables[command].get(name) or (tables[command].get("") if command != "text" or name == "contention.findings" else None)
        assert found is not None, f"{command} prints no {name}, but {sorted(tables[command])}"
        assert agree(columns.split(), found), f"{command}, {name}: {found}, not {columns}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
