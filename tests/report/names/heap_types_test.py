#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that heap blocks have the type that they were made for, in C, C++ and Fortran, by gcc and clang, with and without
optimisation, in DWARF 4 and 5, split or not; where the allocation says nothing, that of the pointers by which code accesses
them; that their fields are named in tables and in advice; that the user's line is told, not the C++ library's; and that a
block has no type if nothing says it, or if accesses contradict each other."""

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

from names_test import build_id, prepared, run

Json = dict[str, Any]

# Each line that allocates ends with the expected name of its block; "-" stands for none.
C = """
#include <pthread.h>
#include <stdlib.h>
struct counter { long hits; long misses; };
struct list { struct list *next; long value[7]; };
struct item { int key; double weight; struct counter c[2]; };
struct wide { long first[8]; };
struct other { double first[8]; };
struct counter *per_thread;
struct list *head;  // not static: clang would make a variable of the block
void *numbers, *items, *hidden, *both, *alone;
static pthread_barrier_t start;
__attribute__((noinline)) static void *allocate(size_t size) {
    void *made = malloc(size);
    if (!made) abort();
    return made;
}
__attribute__((noinline)) static void bump(volatile long *p) { ++*p; }
__attribute__((noinline)) static void as_wide(volatile struct wide *w, long me) { w->first[me] = me; }
__attribute__((noinline)) static void as_other(volatile struct other *o, long me) { o->first[me] = 1.0; }
__attribute__((noinline)) static void *no_type(size_t size) { return calloc(1, size); }
static void *work(void *argument) {
    long me = (long)argument;
    pthread_barrier_wait(&start);
    volatile struct counter *mine = &per_thread[me];
    volatile struct list *l = head;
    volatile long *n = numbers;
    volatile struct item *all = items;
    volatile struct wide *a = alone;
    for (int i = 0; i < 20000; ++i) {
        ++mine->hits;
        ++l->value[me];
        ++n[me];
        ++all[me].c[1].hits;
        ++a->first[me];
        // A pointer to a member says nothing of the whole.
        bump(&((struct list *)hidden)->value[me]);
        as_wide(both, me);
        as_other(both, me);
    }
    return NULL;
}
int main(void) {
    pthread_t t[4];
    per_thread = allocate(4 * sizeof *per_thread); // struct counter[4]
    head = calloc(1, sizeof *head); // struct list
    numbers = no_type(4 * sizeof(long)); // long[4] accesses
    items = no_type(4 * sizeof(struct item)); // struct item[4] accesses
    alone = no_type(sizeof(struct wide)); // struct wide accesses
    hidden = no_type(sizeof(struct list)); // -
    both = no_type(sizeof(struct wide)); // -
    pthread_barrier_init(&start, NULL, 4);
    for (long i = 0; i < 4; ++i) pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; ++i) pthread_join(t[i], NULL);
    return 0;
}
"""
CXX = """
#include <atomic>
#include <new>
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
// Memory of the program's own allocator, and an object that is placed there.
struct Block {
    explicit Block(long n) : first(n) {}
    void add(unsigned me) { ++*static_cast<volatile long*>(&count[me]); }
    long first, count[7];
};
void* arena;
// clang describes a class only where it is constructed.
__attribute__((noinline)) void place() { new (arena) Block(0); }
__attribute__((noinline)) void work(Queue* q, unsigned me) {
    for (int i = 0; i < 20000; ++i) {
        ++*static_cast<volatile long*>(&q->own[me].jobs);
        q->completed.fetch_add(1, std::memory_order_relaxed);
        static_cast<Block*>(arena)->add(me);
    }
}
int main() {
    arena = ::operator new(sizeof(Block)); // Block accesses
    place();
    Queue* q = new Queue(4); // Queue
    std::vector<std::thread> all;
    for (unsigned i = 0; i < 4; ++i) all.emplace_back(work, q, i);
    for (auto& each : all) each.join();
    return q->completed != 80000;
}
"""

# Threads by OpenMP. gfortran's descriptors of arrays are on main's stack.
FORTRAN = """
program counts
  use omp_lib
  implicit none
  type :: cell
    integer(8) :: hits, misses
  end type
  type(cell), allocatable :: cells(:)
  integer(8), allocatable :: sums(:)
  integer :: i, me
  allocate(cells(4)) ! cell[4]
  allocate(sums(4)) ! integer(kind=8)[4]
  cells%hits = 0
  sums = 0
  !$omp parallel private(i, me) num_threads(4)
  me = omp_get_thread_num() + 1
  do i = 1, 20000
    call bump(cells(me), sums(me))
  end do
  !$omp end parallel
  print *, sum(sums), sum(cells%hits)
contains
  subroutine bump(c, s)
    type(cell), volatile :: c
    integer(8), volatile :: s
    c%hits = c%hits + 1
    s = s + 1
  end subroutine
end program
"""

C_PROGRAM = ("heap.c", C, ("[1].hits", "[1].misses", "value[1]", "[1].c[1].hits"))
CXX_PROGRAM = ("heap.cc", CXX, ("[1].jobs", "completed", "count[1]"))
# By compiler: the file's name, its text, fields that the report must name.
LANGUAGES = {"gcc": C_PROGRAM, "clang": C_PROGRAM, "g++": CXX_PROGRAM, "clang++": CXX_PROGRAM,
             "gfortran": ("heap.f90", FORTRAN, ("[1].hits", "[1].misses"))}


def check(arguments: argparse.Namespace, folder: Path, compiler: str, options: list[str]) -> None:
    name, text, fields_wanted = LANGUAGES[compiler]
    source = folder / name
    source.write_text(text, encoding="utf-8")
    for old in folder.glob("*.dwo"):
        old.unlink()
    run([compiler, "-g", "-pthread", "-Wl,--build-id", *options, source.name, "-o", "heap"], folder)
    look: list[str] = []
    if {"-gdwarf-5", "-gsplit-dwarf"} <= set(options):
        # Valgrind 3.19 cannot read it, so it gets a program without debug information.
        number = build_id(folder / "heap")
        debug = folder / "tree" / ".build-id" / number[:2] / f"{number[2:]}.debug"
        debug.parent.mkdir(parents=True, exist_ok=True)
        run(["objcopy", "--only-keep-debug", "heap", debug], folder)
        run(["objcopy", "--strip-debug", "heap"], folder)
        look = [f"--debug-dir={folder / 'tree'}:{folder}"]
    # With defects on, red zones keep blocks apart: what is said of one block does not depend on its neighbours.
    run([arguments.valgrind, "--tool=memspy", "-q", "--zeros=no", "--memspy-out-file=heap.xml", "./heap"], folder)
    document: Json = json.loads(run([arguments.report, "export", "--to=json", *look, "heap.xml"], folder))["profile"]
    mark = "! " if compiler == "gfortran" else "// "
    wanted = {number: line.rpartition(mark)[2] for number, line in enumerate(text.splitlines(), 1)
              if re.search(r"(;|\{\}|\)) " + mark, line)}
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
        words = [each.get("name", "-").removeprefix("Queue::").replace("long int", "long")]
        if each.get("type-from") == "accesses":
            words.append("accesses")
        found[lines[0]] = " ".join(words)
    assert found == wanted, f"{compiler} {options}: {found}, not {wanted}"

    # Two runs together have the same types.
    merged: Json = json.loads(run([arguments.report, "export", "--to=json", *look, "heap.xml", "heap.xml"], folder))["profile"]
    numbers = [Counter(each.get("type-from") for each in one["objects"]) for one in (document, merged)]
    assert numbers[0] == numbers[1], f"{compiler} {options}: merged {numbers[1]}, not {numbers[0]}"

    fields = {field["name"] for line in document["contention"]["lines"] for extent in line["extents"]
              for field in extent.get("fields", [])}
    for field in fields_wanted:
        assert field in fields, f"{compiler} {options}: no {field} in {sorted(fields)}"
    if compiler in ("g++", "clang++"):
        report = run([arguments.report, "text", *look, "heap.xml"], folder)
        assert "add to q->completed:" in report, report
        assert "Queue q of main (heap.cc:" in report, report
        assert "new_allocator.h" not in report.partition("By thread")[0], report


def main() -> int:
    if platform.machine() != "x86_64":
        return 77
    arguments, folder = prepared(__doc__, "valgrind", "report")
    for compiler in LANGUAGES:
        if compiler == "gfortran" and not shutil.which(compiler):
            continue
        more = ["-fopenmp"] if compiler == "gfortran" else []
        for options in (["-O0", "-gdwarf-5"], ["-O1", "-gdwarf-4"], ["-O2", "-gdwarf-4"], ["-O3", "-gdwarf-5"],
                        ["-O2", "-gdwarf-4", "-gsplit-dwarf"], ["-O1", "-gdwarf-5", "-gsplit-dwarf"]):
            check(arguments, folder, compiler, [*options, *more])
    return 0


if __name__ == "__main__":
    sys.exit(main())
