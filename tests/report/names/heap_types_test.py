#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that heap blocks have the type that they were made for, in C and C++, by gcc and clang, with and without
optimisation, in DWARF 4 and 5; that their fields are named in tables and in advice; that the user's line is told, not the
C++ library's; and that a block whose type nothing says has none."""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from names_test import run

Json = dict[str, Any]

# Each line that allocates ends with the expected name of its block; "-" stands for none.
C = """
#include <pthread.h>
#include <stdlib.h>
struct counter { long hits; long misses; };
struct list { struct list *next; long value[7]; };
struct counter *per_thread;
struct list *head;  // not static: clang would make a variable of the block
void *untold;
static pthread_barrier_t start;
__attribute__((noinline)) static void *allocate(size_t size) {
    void *made = malloc(size);
    if (!made) abort();
    return made;
}
static void *work(void *argument) {
    long me = (long)argument;
    pthread_barrier_wait(&start);
    volatile struct counter *mine = &per_thread[me];
    volatile struct list *l = head;
    volatile long *u = untold;
    for (int i = 0; i < 20000; ++i) { ++mine->hits; ++l->value[me]; ++u[me]; }
    return NULL;
}
int main(void) {
    pthread_t t[4];
    per_thread = allocate(4 * sizeof *per_thread); // struct counter[4]
    head = calloc(1, sizeof *head); // struct list
    untold = calloc(4, sizeof(long)); // -
    pthread_barrier_init(&start, NULL, 4);
    for (long i = 0; i < 4; ++i) pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; ++i) pthread_join(t[i], NULL);
    return 0;
}
"""
CXX = """
#include <atomic>
#include <thread>
#include <vector>
struct Base { virtual ~Base() = default; long name = 0; };
struct Queue : Base {
    explicit Queue(unsigned n) : own(n) {} // Own[4]
    struct Own { long jobs = 0; long bytes = 0; };
    std::vector<Own> own;
    std::atomic<long> completed{0};
};
using Own = Queue::Own;
__attribute__((noinline)) void work(Queue* q, unsigned me) {
    for (int i = 0; i < 20000; ++i) {
        ++*static_cast<volatile long*>(&q->own[me].jobs);
        q->completed.fetch_add(1, std::memory_order_relaxed);
    }
}
int main() {
    Queue* q = new Queue(4); // Queue
    std::vector<std::thread> all;
    for (unsigned i = 0; i < 4; ++i) all.emplace_back(work, q, i);
    for (auto& each : all) each.join();
    return q->completed != 80000;
}
"""


def check(arguments: argparse.Namespace, folder: Path, compiler: str, options: list[str]) -> None:
    is_c = compiler in ("gcc", "clang")
    source = folder / ("heap.c" if is_c else "heap.cc")
    text = C if is_c else CXX
    source.write_text(text, encoding="utf-8")
    run([compiler, "-g", "-pthread", *options, source.name, "-o", "heap"], folder)
    # With defects on, red zones keep blocks apart: what is said of one block does not depend on its neighbours.
    run([arguments.valgrind, "--tool=memspy", "-q", "--zeros=no", "--memspy-out-file=heap.xml", "./heap"], folder)
    document: Json = json.loads(run([arguments.report, "export", "--to=json", "heap.xml"], folder))["profile"]
    wanted = {number: line.rpartition("// ")[2] for number, line in enumerate(text.splitlines(), 1) if "; // " in line
              or "{} // " in line}
    stacks = {stack["id"]: stack["frames"] for stack in document["stacks"]}
    events: Counter[int] = Counter()
    for row in document["contention"]["rows"]:
        events[row.get("object", 0)] += row.get("modelled", {}).get("invalidations", 0)
    found: dict[int, str] = {}
    for each in document["objects"]:
        if each["kind"] != "heap" or events[each["id"]] < 3000:
            continue
        lines = [f["line"] for f in stacks[each["stack"]] if f.get("file") == source.name and f["line"] in wanted]
        assert lines, stacks[each["stack"]]
        found[lines[0]] = each.get("name", "-").removeprefix("Queue::")
    assert found == wanted, f"{compiler} {options}: {found}, not {wanted}"

    fields = {field["name"] for line in document["contention"]["lines"] for extent in line["extents"]
              for field in extent.get("fields", [])}
    for name in ("[1].hits", "[1].misses", "value[1]") if is_c else ("[1].jobs", "completed"):
        assert name in fields, f"{compiler} {options}: no {name} in {sorted(fields)}"
    words = run([arguments.report, "text", "heap.xml"], folder)
    if not is_c:
        assert re.search(r"update completed of Queue", words), words
        assert "Queue (heap.cc:" in words, words
        assert "new_allocator.h" not in words.partition("By thread")[0], words


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    if platform.machine() != "x86_64":
        return 77
    folder: Path = arguments.work.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for compiler in ("gcc", "clang", "g++", "clang++"):
        for options in (["-O0", "-gdwarf-5"], ["-O2", "-gdwarf-4"]):
            check(arguments, folder, compiler, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
