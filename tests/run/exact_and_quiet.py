#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that what quiet accesses lose is told: on random programs, modelled events with and without
--contention-exact=yes are never further apart than the bound in the profile, in all and for each object.

A program has 3 to 6 threads, which add to words of their own and of others in the same lines, to elements of a
block, and to memory of their own, in loops, some of them in many steps with barriers between. Only what repeats is in
them: mutexes, barriers and joins order the threads,
and single atomic additions order nothing. (Semaphores are left out: the order of their tokens is the run's.) The
exact mode is run twice and may differ by a four-hundredth, and by a few events; so may the quiet mode beside its bound.
The programs also race: whether a thread's words are read by others before or after they get a mutex that it gave back
is the run's, and some programs have several results for that reason, in the exact mode as well. So does what libc
executes at the begin and end of threads (a stack is used again if its thread has ended). So before a fault is told the
exact mode is run some times more, with other turns of the threads, and all its results count.

    exact_and_quiet.py --valgrind inst/bin/valgrind --work DIR [--programs 24] [--seed 1]

Exit status: 0 when all programs are within the bound, else 1.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("mutex", "barrier", "mutex and barrier", "join")
# Objects of the programs, and of theirs only.
OBJECTS = ("data", "table", "apart", "work", "locks", "barrier", "block")
REPEATS_TO = 0.0025  # of the program's events
FEW = 8  # where threads meet at the same time
RUNS_MORE = 10  # of the exact mode, before a fault is told
TURNS = (0, 100, 200, 500, 1000)  # --interleave of these runs, in turn

PROLOGUE = """
#include <pthread.h>
#include <stdlib.h>
#define ALIGNED __attribute__((aligned(64)))
static struct { int own[16]; int shared[48]; } data ALIGNED;
static long table[512] ALIGNED;
static struct { int value[16]; } ALIGNED apart[8];
static int work[64 * 8] ALIGNED;
static int* block;
static pthread_mutex_t locks[3] ALIGNED;
static pthread_barrier_t barrier;
"""


class Program:
    """The text of a random program of one kind."""

    def __init__(self, kind: str, r: random.Random) -> None:
        self.r = r
        self.has_mutex, self.has_barrier = "mutex" in kind, "barrier" in kind
        self.threads = r.randint(3, 6)
        self.locks = r.randint(1, 3)
        teams = r.randint(2, 4) if kind == "join" else 1
        functions = "".join(self.team(number) for number in range(teams))
        self.text = PROLOGUE + functions + self.main(teams)

    def times(self, most: int) -> str:
        return f"for (int i = 0; i < {self.r.randint(1, most) * self.r.choice([10, 50, 100])}; ++i) "

    def under_lock(self, t: int) -> str:
        lock, at = self.r.randrange(self.locks), self.r.randrange(32)
        inside = f"for (int j = 0; j < {self.r.choice([1, 4, 16])}; ++j) table[{lock * 128 + at} + j * 4] += i;"
        outside = self.r.choice(["", f"apart[{t}].value[1] += i;", f"data.own[{t}] += i;",
                                 f"for (int j = 0; j < {self.r.randint(1, 40)}; ++j) apart[{t}].value[2] += j;"])
        return (f"{self.times(3)}{{ pthread_mutex_lock(&locks[{lock}]); {inside} pthread_mutex_unlock(&locks[{lock}]); "
                f"{outside} }}")

    def loop(self, t: int) -> str:
        """Of thread t."""
        if self.has_mutex and self.r.random() < 0.5:
            return self.under_lock(t)
        element = f"(i * {self.r.choice([1, 3, 16])} + {t * 5}) % 256"
        bodies = {
            f"data.own[{t}] += i;": 3,
            f"work[{t * 64}] += data.own[{self.r.randrange(16)}];": 3,
            f"data.shared[{self.r.randrange(48)}] += block[i % 64];": 1,
            f"block[{element}] += i;": 1,
            f"__atomic_fetch_add(&data.shared[{self.r.randrange(48)}], 1, __ATOMIC_RELAXED);": 1,
            f"work[{t * 64 + 1}] += i;": 1,
        }
        return self.times(6) + self.r.choices(list(bodies), list(bodies.values()))[0]

    def team(self, number: int) -> str:
        bodies: list[list[str]] = [[] for _ in range(self.threads)]
        for _ in range(self.r.randint(2, 5)):
            alike = self.r.random() < 0.3  # all threads do the same
            state = self.r.getstate()
            for t, body in enumerate(bodies):
                if alike:
                    self.r.setstate(state)
                body.extend(self.loop(t) for _ in range(self.r.randint(1, 3)))
                if self.has_barrier:
                    body.append("pthread_barrier_wait(&barrier);")
        # Lines come back to the same threads where the whole is done step by step.
        steps = self.r.choice([1, 8, 30]) if self.has_barrier else 1
        each = f"for (int step = 0; step < {steps}; ++step) {{"
        cases = "\n".join(f"    case {t}:\n        {each}\n        " + "\n        ".join(body) + "\n        }\n        break;"
                          for t, body in enumerate(bodies))
        return f"static void* team_{number}(void* argument) {{\n    switch ((long)argument) {{\n{cases}\n    }}\n    return 0;\n}}\n"

    def main(self, teams: int) -> str:
        parts = ["block = calloc(256, sizeof *block);", f"pthread_barrier_init(&barrier, 0, {self.threads});",
                 "for (int i = 0; i < 3; ++i) pthread_mutex_init(&locks[i], 0);", f"pthread_t threads[{self.threads}];"]
        each = f"for (long t = 0; t < {self.threads}; ++t) "
        for number in range(teams):
            parts.append(f"{each}pthread_create(&threads[t], 0, team_{number}, (void*)t);")
            if self.r.random() < 0.5:
                parts.append(f"{self.times(5)}data.own[15] += i;")
            parts.append(f"{each}pthread_join(threads[t], 0);")
        return "int main(void) {\n    " + "\n    ".join(parts) + "\n    return 0;\n}\n"


@dataclass
class Result:
    """Modelled events of a run, and at most how many more there may have been."""

    events: int
    missing: int
    passed: int
    events_of: Counter[str] = field(default_factory=Counter)  # by object
    missing_of: Counter[str] = field(default_factory=Counter)


def events_in(counts: ElementTree.Element | None) -> int:
    return sum(int(counts.get(name, "0")) for name in ("first-touches", "coherence-misses", "invalidations")) \
        if counts is not None else 0


def run(valgrind: Path, program: Path, mode: str, interleave: int = 0) -> Result:
    profile = program.with_suffix(f".{mode}.xml")
    exact = "no" if mode == "quiet" else "yes"
    subprocess.run([valgrind, "-q", "--tool=memspy", "--defects=no", "--zeros=no", f"--contention-exact={exact}",
                    f"--interleave={interleave}", f"--memspy-out-file={profile}", program], check=True, capture_output=True, timeout=200)
    root = ElementTree.parse(profile).getroot()
    section = root.find("contention")
    assert section is not None
    quality = section.find("quality")
    assert quality is not None
    names = {thing.get("id"): "block" if thing.tag == "heap" else thing.get("name", thing.tag)
             for thing in root.findall("objects/*")}
    result = Result(events_in(section.find("total/modelled")), int(quality.get("missing", "0")),
                    int(quality.get("unlogged", "0")))
    for row in section.iter("row"):
        result.events_of[names.get(row.get("object"), "none")] += events_in(row.find("modelled"))
    for lacks in section.iter("missing"):
        result.missing_of[names[lacks.get("object")]] += int(lacks.get("events", "0"))
    return result


def fault(what: str, exact: list[int], quiet: int, bound: int, tolerance: float) -> str:
    """Empty if there is none."""
    if any(abs(quiet - events) <= bound + tolerance for events in exact):
        return ""
    return (f"{what}: {', '.join(map(str, sorted(set(exact))))} events, {quiet} where quiet accesses are passed, "
            f"and at most {bound} were to be missing")


def faults_of(exact: list[Result], quiet: Result) -> list[str]:
    tolerance = exact[0].events * REPEATS_TO + FEW
    faults = [fault("all", [each.events for each in exact], quiet.events, quiet.missing, tolerance)]
    for name in OBJECTS:
        faults.append(fault(name, [each.events_of[name] for each in exact], quiet.events_of[name],
                            quiet.missing_of[name], tolerance))
    return [text for text in faults if text]


def check(valgrind: Path, work: Path, seed: int) -> tuple[list[str], Result]:
    kind = KINDS[seed % len(KINDS)]
    source = work / f"program{seed}.c"
    source.write_text(Program(kind, random.Random(seed)).text, encoding="utf-8")
    program = source.with_suffix("")
    subprocess.run(["gcc", "-O1", "-g", "-pthread", "-o", program, source], check=True)
    first, second, quiet = (run(valgrind, program, mode) for mode in ("exact", "again", "quiet"))
    exact = [first, second]
    faults = faults_of(exact, quiet)
    while faults and len(exact) < 2 + RUNS_MORE:
        exact.append(run(valgrind, program, "again", TURNS[len(exact) % len(TURNS)]))
        faults = faults_of(exact, quiet)
    results = len({each.events for each in exact})
    lost = abs(quiet.events - first.events)
    print(f"{seed:5} {kind:18} {first.events:8} events, {second.events - first.events:+4} again, "
          f"{quiet.events - first.events:+6} quiet, bound {quiet.missing:6}, {quiet.passed:8} accesses passed"
          f"{f' ({100 * lost / first.events:.1f} %)' if lost else ''}"
          f"{f', exact mode has {results} results in {len(exact)} runs' if results > 1 else ''}", flush=True)
    return [f"{source}: {text}" for text in faults], quiet


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    seeds = range(options.seed, options.seed + options.programs)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as executor:
        results = list(executor.map(lambda seed: check(options.valgrind, options.work, seed), seeds))
    faults = [text for found, _ in results for text in found]
    if not any(quiet.passed for _, quiet in results):
        faults.append("no access was passed")
    print(*faults, sep="\n")
    print(f"{len(seeds)} programs, {len({text.partition(':')[0] for text in faults})} with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
