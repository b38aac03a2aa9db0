#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves what is told of flags in stripped programs without source: a plain one is a race where the program has no
atomic instruction at all, and none is told where an atomic one would look the same, nor in a program of Go, which has
its run-time inside: it is known by its table of functions. Code that the program generates tells no more than it."""

from __future__ import annotations

import shutil
import subprocess
import sys

import driver

HEAD = """
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static FLAG ready;
static atomic_int count;
static int sum;
"""
GENERATED = """
#ifdef __x86_64__
static const unsigned code[] = {0xc3078b};
#else
static const unsigned code[] = {0xb9400000, 0xd65f03c0};
#endif
static int (*look)(FLAG*);
__attribute__((constructor)) static void generate(void) {
    void* page = mmap(0, sizeof code, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    __builtin___clear_cache(page, (char*)page + sizeof code);
    look = (int (*)(FLAG*))page;
}
"""
BODY = """
static void* work(void* unused) {
    (void)unused;
    COUNT;
    if (READ) return 0;
    pthread_mutex_lock(&m);
    sum++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t threads[3];
    for (int t = 0; t < 3; t++) pthread_create(&threads[t], 0, work, 0);
    usleep(20000);
    WRITE;
    for (int t = 0; t < 3; t++) pthread_join(threads[t], 0);
    return sum > 3;
}
"""
GO = '__attribute__((section(".gopclntab"), used)) static const char table[16] = "functions";\n'
LOAD, STORE = "atomic_load_explicit(&ready, {})", "atomic_store_explicit(&ready, 1, {})"
RELAXED, ORDERED = "memory_order_relaxed", ("memory_order_acquire", "memory_order_release")
STORE_RELAXED = STORE.format("memory_order_relaxed")
# Type, what counts, the look and the store; and how many races are told.
PROGRAMS = {
    "plain": ("int", "", "ready", "ready = 1", 1),
    "of Go": ("int", "", "ready", "ready = 1", 0),
    "generated": ("int", "", "look(&ready)", "ready = 1", 1),
    "generated, atomic": ("atomic_int", "count++", "look(&ready)", STORE_RELAXED, 0),
    "plain byte": ("char", "", "ready", "ready = 1", 1),
    "two relaxed stores": ("atomic_int", "count++; " + STORE_RELAXED, "count < 0", STORE_RELAXED, 0),
    "ordered": ("atomic_int", "count++", LOAD.format(ORDERED[0]), STORE.format(ORDERED[1]), 0),
    "relaxed": ("atomic_char", "atomic_fetch_add(&count, 1)", LOAD.format(RELAXED), STORE.format(RELAXED), 0),
    "fence": ("atomic_long", "atomic_thread_fence(memory_order_seq_cst)", LOAD.format(RELAXED), STORE.format(RELAXED), 0),
    "sequential": ("atomic_int", "", "ready", "ready = 1", 0),
}


def main() -> int:
    valgrind, work = driver.arguments(__doc__)
    wrong = 0
    for name, (flag, count, read, write, wanted) in PROGRAMS.items():
        head = HEAD + (GENERATED if "look" in read else GO if name == "of Go" else "")
        text = head.replace("FLAG", flag) + BODY.replace("COUNT", count).replace("READ", read).replace("WRITE", write)
        (work / "program.c").write_text(text, encoding="utf-8")
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for level in ("-O0", "-O2"):
                subprocess.run([compiler, level, "-s", "-pthread", work / "program.c", "-o", work / "program"], check=True)
                found = driver.races_text(valgrind, work).count("Data race")
                if found != wanted:
                    print(f"{name}, {compiler} {level}: {found} races instead of {wanted}")
                    wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
