#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that no field of a shared line has a wrong name or type: programs print the address, size, type and path of their own
fields, of which the compiler knows more than any reader of debug information, and every field that memspy-report names in
these objects is one of them. Static variables, variables on stacks of main and of threads, and heap blocks; by gcc and clang,
with and without optimisation. At least nine tenths of the events are at objects of known type."""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
from pathlib import Path
from typing import Any

from names_test import prepared, run

Json = dict[str, Any]

# TELL(type, path): the path as the report writes it. TELL_AS gives another one.
CXX = r"""
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <type_traits>
#include <vector>
#define TELL_AS(type, path, name) \
    static_assert(std::is_same_v<std::remove_cv_t<std::remove_reference_t<decltype((path))>>, type>); \
    std::printf("field %p %zu %s = %s\n", static_cast<const volatile void*>(&(path)), sizeof(path), name, #type)
#define TELL(type, path) TELL_AS(type, path, #path)
namespace app {
struct Inner { short kind; char tag; float weight; };
struct Table {
    uint64_t hits[4];
    Inner inner[2];
    union { double real; uint64_t bits; } value;
    volatile bool stop;
};
static_assert(sizeof(Inner) == 8 && offsetof(Table, inner) == 32 && offsetof(Table, stop) == 56);
alignas(64) Table table;
static long lone[3];
}
struct Base { long base_count = 0; };
struct Service : Base {
    std::array<unsigned, 4> hits{};
    std::atomic<long> done{0};
    long limit = 30000;
};
static_assert(sizeof(Service) == 40);
struct Node { Node* next = nullptr; long value[3] = {}; };
template <typename T> static void bump(T& field) { ++*const_cast<volatile T*>(&field); }
static long& calls_of() { static long calls = 0; return calls; }
static void work(Service& service, long* sums, Node& node, std::vector<int>& list, short* other, unsigned me) {
    for (long i = 0; i < service.limit; ++i) {
        bump(app::table.hits[me]);
        bump(app::table.inner[me % 2].kind);
        bump(app::lone[me % 3]);
        bump(service.hits[me]);
        bump(service.base_count);
        service.done.fetch_add(1, std::memory_order_relaxed);
        bump(sums[me]);
        bump(node.value[me % 3]);
        bump(list[me]);
        bump(other[me]);
        if (i % 4 == 0) bump(calls_of());
    }
}
// Variables on the stack of a thread that starts threads itself.
__attribute__((noinline)) static void lead(Service& service, long* sums, Node& node, std::vector<int>& list) {
    struct { long before; short local[8]; } own{};
    TELL(short, own.local[0]); TELL(short, own.local[1]); TELL(short, own.local[2]); TELL(short, own.local[3]);
    TELL(short, own.local[4]); TELL(short, own.local[5]); TELL(short, own.local[6]); TELL(short, own.local[7]);
    TELL(long, own.before);
    std::vector<std::thread> all;
    for (unsigned i = 0; i < 4; ++i)
        all.emplace_back(work, std::ref(service), sums, std::ref(node), std::ref(list), own.local, i);
    for (auto& each : all) each.join();
}
int main() {
    using namespace app;
    Service service;
    long sums[4] = {};
    Node* node = new Node;
    std::vector<int> list(4);
    TELL_AS(uint64_t, table.hits[0], "app::table.hits[0]"); TELL_AS(uint64_t, table.hits[1], "app::table.hits[1]");
    TELL_AS(uint64_t, table.hits[2], "app::table.hits[2]"); TELL_AS(uint64_t, table.hits[3], "app::table.hits[3]");
    TELL_AS(short, table.inner[0].kind, "app::table.inner[0].kind"); TELL_AS(char, table.inner[0].tag, "app::table.inner[0].tag");
    TELL_AS(float, table.inner[0].weight, "app::table.inner[0].weight"); TELL_AS(short, table.inner[1].kind, "app::table.inner[1].kind");
    TELL_AS(char, table.inner[1].tag, "app::table.inner[1].tag"); TELL_AS(float, table.inner[1].weight, "app::table.inner[1].weight");
    TELL_AS(double, table.value.real, "app::table.value.real"); TELL_AS(uint64_t, table.value.bits, "app::table.value.bits");
    TELL_AS(bool, table.stop, "app::table.stop");
    TELL_AS(long, lone[0], "app::lone[0]"); TELL_AS(long, lone[1], "app::lone[1]"); TELL_AS(long, lone[2], "app::lone[2]");
    TELL(long, service.base_count); TELL(std::atomic<long>, service.done); TELL(long, service.limit);
    TELL(unsigned, service.hits[0]); TELL(unsigned, service.hits[1]); TELL(unsigned, service.hits[2]); TELL(unsigned, service.hits[3]);
    TELL(long, sums[0]); TELL(long, sums[1]); TELL(long, sums[2]); TELL(long, sums[3]);
    TELL_AS(Node*, node->next, "next"); TELL_AS(long, node->value[0], "value[0]"); TELL_AS(long, node->value[1], "value[1]");
    TELL_AS(long, node->value[2], "value[2]");
    TELL_AS(int, list[0], "[0]"); TELL_AS(int, list[1], "[1]"); TELL_AS(int, list[2], "[2]"); TELL_AS(int, list[3], "[3]");
    TELL_AS(long, calls_of(), "calls_of::calls");
    std::thread(lead, std::ref(service), sums, std::ref(*node), std::ref(list)).join();
    const bool right = service.done == 4 * service.limit;
    delete node;
    return !right;
}
"""
C = r"""
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#define TELL(type, path) \
    _Static_assert(_Generic((path), type: 1, default: 0), #path); \
    printf("field %p %zu %s = %s\n", (const volatile void *)&(path), sizeof(path), #path, #type)
struct point { double x, y; };
struct job { int id; long hits; struct point at[2]; volatile int flag; };
_Static_assert(sizeof(struct job) == 56 && offsetof(struct job, flag) == 48, "layout");
struct all { struct job *jobs; long *totals; int me; };
static struct { uint32_t reads[6]; struct point last; } state;
long far_apart[20];
static void *work(void *argument) {
    struct all *all = argument;
    volatile struct job *job = &all->jobs[all->me % 3];
    volatile long *total = &all->totals[all->me], *apart = &far_apart[4 * all->me];
    volatile uint32_t *reads = &state.reads[all->me];
    volatile double *last = &state.last.y;
    for (int i = 0; i < 20000; i++) {
        job->hits++;
        job->at[all->me & 1].y += 1.0;
        ++*total;
        ++*apart;
        ++*reads;
        *last += 1.0;
    }
    return NULL;
}
int main(void) {
    /* Or else the size of the environment decides whether a line of jobs[1] has anybody else. */
    _Alignas(64) struct job jobs[3] = {{0}};
    long totals[4] = {0};
    struct all all[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) all[i] = (struct all){jobs, totals, i};
    TELL(int, jobs[0].id); TELL(int, jobs[1].id); TELL(int, jobs[2].id);
    TELL(long, jobs[0].hits); TELL(long, jobs[1].hits); TELL(long, jobs[2].hits);
    TELL(double, jobs[0].at[0].x); TELL(double, jobs[0].at[0].y); TELL(double, jobs[0].at[1].x); TELL(double, jobs[0].at[1].y);
    TELL(double, jobs[1].at[0].x); TELL(double, jobs[1].at[0].y); TELL(double, jobs[1].at[1].x); TELL(double, jobs[1].at[1].y);
    TELL(double, jobs[2].at[0].x); TELL(double, jobs[2].at[0].y); TELL(double, jobs[2].at[1].x); TELL(double, jobs[2].at[1].y);
    TELL(int, jobs[0].flag); TELL(int, jobs[1].flag); TELL(int, jobs[2].flag);
    TELL(long, totals[0]); TELL(long, totals[1]); TELL(long, totals[2]); TELL(long, totals[3]);
    TELL(struct job *, all[0].jobs); TELL(struct job *, all[1].jobs); TELL(struct job *, all[2].jobs); TELL(struct job *, all[3].jobs);
    TELL(long *, all[0].totals); TELL(long *, all[1].totals); TELL(long *, all[2].totals); TELL(long *, all[3].totals);
    TELL(int, all[0].me); TELL(int, all[1].me); TELL(int, all[2].me); TELL(int, all[3].me);
    TELL(unsigned, state.reads[0]); TELL(unsigned, state.reads[1]); TELL(unsigned, state.reads[2]);
    TELL(unsigned, state.reads[3]); TELL(unsigned, state.reads[4]); TELL(unsigned, state.reads[5]);
    TELL(double, state.last.x); TELL(double, state.last.y);
    for (int i = 0; i < 20; i++) printf("field %p %zu far_apart[%d] = long\n", (void *)&far_apart[i], sizeof far_apart[i], i);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, &all[i]);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return totals[0] != 20000;
}
"""

# One type is named in several ways, by compilers and by the programs.
SAME = (("volatile |app::", ""), (r" ?\*", "*"), ("uint64_t|long unsigned int", "unsigned long"), ("long int", "long"),
        ("short int", "short"), ("uint32_t|unsigned int", "unsigned"), ("_Bool", "bool"))


def plain(name: str) -> str:
    for pattern, word in SAME:
        name = re.sub(rf"({pattern})", word, name)
    return name


def check(arguments: argparse.Namespace, folder: Path, compiler: str, text: str, options: list[str]) -> None:
    source = folder / ("stated.c" if text is C else "stated.cc")
    source.write_text(text, encoding="utf-8")
    run([compiler, "-g", "-pthread", "-Wno-invalid-offsetof", *options, source.name, "-o", "stated"], folder)
    told = run([arguments.valgrind, "--tool=memspy", "-q", "--zeros=no", "--log-file=log", "--memspy-out-file=stated.xml",
                "./stated"], folder)
    stated: dict[int, list[tuple[int, str, str]]] = {}
    for address, size, path, kind in re.findall(r"^field (0x\w+) (\d+) (.+) = (.+)$", told, re.MULTILINE):
        stated.setdefault(int(address, 16), []).append((int(size), path, plain(kind)))
    owned = {byte for begin, each in stated.items() for byte in range(begin, begin + max(size for size, _, _ in each))}
    profile: Json = json.loads(run([arguments.report, "export", "--to=json", "stated.xml"], folder))["profile"]
    what = f"{compiler} {options}"

    named = set()
    for line in profile["contention"]["lines"]:
        for extent in line["extents"]:
            for field in extent.get("fields", []):
                begin = int(str(line["address"]), 0) + field["first"]
                if begin not in owned:
                    continue
                name = field["name"].replace("()", "")
                # clang does not name the function of a static variable that is inlined everywhere.
                name = "calls_of::calls" if name == "calls" else name
                as_stated = (field["bytes"], name, plain(field["type"]))
                # A field that goes on in the next line, or small elements together.
                elements = re.fullmatch(r"(.*)\[(\d+)\.\.(\d+)\]", field["name"])
                if elements:
                    first, last = int(elements[2]), int(elements[3])
                    size = field["bytes"] // (last - first + 1)
                    for i in range(first, last + 1):
                        one = (size, f"{elements[1]}[{i}]", plain(field["type"]))
                        assert one in stated.get(begin + (i - first) * size, []), f"{what}: {one} is not at {begin:#x}: {stated.get(begin)}"
                else:
                    assert as_stated in stated.get(begin, []), f"{what}: {as_stated} is not at {begin:#x}: {stated.get(begin)}"
                named.add(as_stated[1])
    objects = {each["id"]: each for each in profile["objects"]}
    known = unknown = 0
    for row in profile["contention"]["rows"]:
        counts = row.get("modelled", {})
        events = sum(counts.get(key, 0) for key in ("coherence-misses", "invalidations"))
        if "type" in objects.get(row.get("object"), {}) or "type-from" in objects.get(row.get("object"), {}):
            known += events
        else:
            unknown += events
    assert known > 9 * unknown, f"{what}: {known} events at objects of known type, {unknown} at others"
    wanted = ({"jobs[1].hits", "totals[2]", "state.reads[1]", "far_apart[4]"} if text is C else
              {"app::table.hits[1]", "app::lone[1]", "sums[1]", "service.done", "service.base_count", "value[1]", "calls_of::calls"})
    assert wanted <= named, f"{what}: no {wanted - named} in {sorted(named)}"
    assert any(re.match(r"own\.local\[", name) for name in named) or text is C, f"{what}: {sorted(named)}"


def main() -> int:
    if platform.machine() != "x86_64":
        return 77
    arguments, folder = prepared(__doc__, "valgrind", "report")
    for compiler, text in (("gcc", C), ("clang", C), ("g++", CXX), ("clang++", CXX)):
        standard = [] if text is C else ["-std=c++17"]
        for options in (["-O0", "-gdwarf-5"], ["-O2", "-gdwarf-4"]):
            check(arguments, folder, compiler, text, [*standard, *options])
    return 0


if __name__ == "__main__":
    sys.exit(main())
