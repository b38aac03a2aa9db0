#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that a race on a local variable that an OpenMP construct shares has its name, with gcc and clang, and the clause
that the directive lacks: a loop's counter is private, whatever it is compared with. That a race on a block has its member, by the
variable that points to it or to a block that does. And that the thread's own load behind its
racing store is told as a race too, with the other thread's store. The table of races has the name of what holds a block, and the
place where the two threads last waited for each other, and one row for a pair of lines and variable. Without a race it says that
none was found."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import driver

PROGRAM = """
#include <stdio.h>
#define KEEP __asm__ volatile("" ::: "memory")
static int in[100], out[100];
static double scaled(int n) {
    double half = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < n; i++) {
        half = in[i] * 0.5;
        KEEP;
        out[i] = (int)half;
    }
    return half;
}
static int extremes(void) {
    int k, most = 0, least = 1000;
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < 100; i++) {
        for (k = 0; k < 3; k++) KEEP;
        if (in[i] + i > most) most = in[i] + i;
        least = in[i] - i < least ? in[i] - i : least;
    }
    return most - least;
}
int main(void) {
    long first = 0;
    int tmp = 0, last = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < 100; i++) {
        first += i;
        tmp = in[i] + last;
        KEEP;
        out[i] = tmp;
    }
    printf("%ld %d %f %d\\n", first, tmp, scaled(100), extremes());
    return 0;
}
"""
HEAP = """
#include <pthread.h>
#include <stdlib.h>
struct bank { char name[20]; long balance[4]; int open; };
struct town { int people; struct bank *bank; };
static void *work(void *argument) {
    struct town *town = argument;
    town->bank->open += 1;
    town->bank->balance[2] += 5;
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    struct town *here = malloc(sizeof *here);
    here->bank = calloc(1, sizeof(struct bank));
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, here);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
"""
ARRAY = """
#include <pthread.h>
#include <stdlib.h>
static pthread_barrier_t together;
static void *work(void *argument) {
    pthread_barrier_wait(&together);
    ((long *)argument)[3] += 5;
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    long *grid = calloc(10, sizeof *grid);
    pthread_barrier_init(&together, NULL, 2);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, grid);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
"""
# One line stores to one, two and more elements at a time: one row.
WIDE = """
#include <pthread.h>
#include <string.h>
static int grid[64];
static void *work(void *from) {
    for (unsigned long n = 1; n < 9; n++)
        memcpy(grid + n, from, n * sizeof *grid);
    return NULL;
}
int main(void) {
    static int from[64];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, from);
#ifdef IN_TURN
        pthread_join(threads[i], NULL);
    }
#else
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
#endif
    return 0;
}
"""
# Variable, and what ordered the two threads last: the line of the call, as the table has it.
ARRAY_WANTED = ("grid[3]", "barrier at work (array.c:6)")
HEAP_WANTED = {"here->bank->open", "here->bank->balance[2]"}
WANTED = {"first of main", "tmp of main", "half of scaled", "k of extremes", "most of extremes", "least of extremes"}
STORED, LOADED = "half = in[i] * 0.5;", "out[i] = (int)half;"
CLAUSES = ("private(tmp)", "private(k)", "reduction(+:first)", "reduction(max:most)", "reduction(min:least)")


def rows(valgrind: str, work: Path) -> list[str]:
    return subprocess.run([Path(valgrind).with_name("memspy-report"), "races", work / "run.xml", "--format=tsv"],
                          capture_output=True, text=True, check=True).stdout.splitlines()[1:]


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    (work / "program.c").write_text(PROGRAM, encoding="utf-8")
    wrong = 0
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            continue
        subprocess.run([compiler, "-g", "-O0", "-fopenmp", work / "program.c", "-o", work / "program"], check=True)
        text = driver.races_text(valgrind, work)
        found = set(re.findall(r"Data race on (.*):", text))
        if found != WANTED:
            print(f"{compiler}: {sorted(found)} instead of {sorted(WANTED)}")
            wrong += 1
        table = rows(valgrind, work)
        if compiler == "gcc" and {row.split("\t")[0] for row in table} != WANTED:
            print(f"{compiler}: {table}")
            wrong += 1
        lines = [1 + PROGRAM[:PROGRAM.index(text_of_line)].count("\n") for text_of_line in (STORED, LOADED)]
        pairs = [{int(place.rsplit(":", 1)[1]) for place in row.split("\t")[1:3]} for row in table]
        if set(lines) not in pairs:
            print(f"{compiler}: no race of lines {lines}: {pairs}")
            wrong += 1
        for clause in CLAUSES:
            if compiler == "gcc" and clause not in text:
                print(f"{compiler}: no advice {clause}")
                wrong += 1
        (work / "heap.c").write_text(HEAP, encoding="utf-8")
        subprocess.run([compiler, "-g", "-O0", "-pthread", work / "heap.c", "-o", work / "program"], check=True)
        found = set(re.findall(r"Data race on (.*):", driver.races_text(valgrind, work)))
        if found != HEAP_WANTED:
            print(f"{compiler}: {sorted(found)} instead of {sorted(HEAP_WANTED)}")
            wrong += 1
        (work / "array.c").write_text(ARRAY, encoding="utf-8")
        subprocess.run([compiler, "-g", "-O0", "-pthread", work / "array.c", "-o", work / "program"], check=True)
        driver.races_text(valgrind, work)
        told = {(row.split("\t")[0], row.split("\t")[8]) for row in rows(valgrind, work)}
        if told != {ARRAY_WANTED}:
            print(f"{compiler}: {sorted(told)} instead of {ARRAY_WANTED}")
            wrong += 1
        (work / "wide.c").write_text(WIDE, encoding="utf-8")
        subprocess.run([compiler, "-g", "-O0", "-pthread", work / "wide.c", "-o", work / "program"], check=True)
        driver.races_text(valgrind, work)
        if len(table := rows(valgrind, work)) != 1:
            print(f"{compiler}: {table} instead of one row")
            wrong += 1
        subprocess.run([compiler, "-g", "-O0", "-pthread", "-DIN_TURN", work / "wide.c", "-o", work / "program"], check=True)
        driver.races_text(valgrind, work, "--contention=yes")
        said = subprocess.run([Path(valgrind).with_name("memspy-report"), "races", work / "run.xml"], capture_output=True, text=True,
                              check=True).stdout
        if said != "no races and no circles of locks were found\n":
            print(f"{compiler}: says of a program without races: {said}")
            wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
