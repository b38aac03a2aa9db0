#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves on random C programs that planted defects are found and that correct code next to them is silent.

A program is a handful of functions, each of which has one defect, known by the function's name, or is correct and
looks like one that has. Sizes, distances, widths, threads, compiler and level are random, from a seed. Many programs
are compiled into one, which runs them one after the other: starting Valgrind is what takes the time.

    random_programs.py --valgrind inst/bin/valgrind --work DIR [--programs 200] [--seed 1] [--tool memspy]

Prints recall and false reports of each template as a table. Exit status: 0 when all that is missing or extra is on the
list of known ones, else 1.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

PER_BINARY = 25
COMPILERS = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O1", "-O2", "-O3")]

# Templates with known misses or false reports of memspy, each with the reason.
KNOWN: dict[str, str] = {}

PROLOGUE = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "case.h"
static int null_file, zero_file;
void* kept[10000];  // not static: the optimiser would leave it out
int kept_count;
static char table[256];
static volatile int zero;
"""


@dataclass(frozen=True)
class Template:
    """`make` gives a function's body; `kinds` are those of the report that must come, none when it is correct."""

    name: str
    make: Callable[[random.Random], str]
    kinds: tuple[str, ...] = ()


def integer(width: int) -> str:
    return {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}[width]


def block(r: random.Random, size: int, fill: bool = True) -> str:
    made = r.choice([f"malloc({size})", f"calloc({size}, 1)", f"realloc(0, {size})"])
    text = f"char* p = HIDE((char*){made}); "
    return text + (f"memset(p, 1, {size}); " if fill else "")


def touch(r: random.Random, where: str, width: int) -> str:
    if r.random() < 0.5:
        return f"NEED(*(volatile {integer(width)}*)({where})); "
    return f"*(volatile {integer(width)}*)({where}) = 1; "


def a_size(r: random.Random) -> int:
    return r.choice([r.randint(1, 64), r.randint(1, 1000), r.randint(1000, 200000)])


def overflow(r: random.Random) -> str:
    size, width = a_size(r), r.choice([1, 2, 4, 8])
    return block(r, size) + touch(r, f"p + {size + r.randint(0, 16 - width)}", width) + "free(p);"


def straddle(r: random.Random) -> str:
    size, width = a_size(r) + 8, r.choice([2, 4, 8])
    return block(r, size) + touch(r, f"p + {size - r.randint(1, width - 1)}", width) + "free(p);"


def underflow(r: random.Random) -> str:
    width = r.choice([1, 2, 4, 8])
    return block(r, a_size(r)) + touch(r, f"p - {r.randint(width, 16)}", width) + "free(p);"


def far_underflow(r: random.Random) -> str:
    size = r.randint(2000, 100000)
    return block(r, size) + touch(r, f"p - {r.randint(17, size // 20)}", 1) + "free(p);"


def last_bytes(r: random.Random) -> str:
    size, width = a_size(r) + 8, r.choice([1, 2, 4, 8])
    return block(r, size) + touch(r, "p", width) + touch(r, f"p + {size - width}", width) + "free(p);"


def after_free(r: random.Random) -> str:
    size, width = a_size(r) + 8, r.choice([1, 2, 4, 8])
    between = "".join(f"free(HIDE(malloc({r.randint(1, 3000)}))); " for _ in range(r.randint(0, 20)))
    return block(r, size) + f"free(p); p = HIDE(p); {between}" + touch(r, f"p + {r.randint(0, size - width)}", width)


def after_realloc(r: random.Random) -> str:
    size = a_size(r)
    return block(r, size) + f"char* q = HIDE((char*)realloc(p, {size + r.randint(0, 500)})); " + touch(r, "p", 1) + "free(q);"


def good_realloc(r: random.Random) -> str:
    size, width = a_size(r) + 8, r.choice([1, 2, 4, 8])
    return block(r, size) + f"p = HIDE((char*)realloc(p, {size + r.randint(0, 500)})); " + \
        f"if (p[{size - 1}] != 1) abort(); " + touch(r, f"p + {r.randint(0, size - width)}", width) + "free(p);"


def double_free(r: random.Random) -> str:
    return block(r, a_size(r)) + f"free(p); free(HIDE(malloc({a_size(r)}))); free(HIDE(p));"


def interior_free(r: random.Random) -> str:
    size = a_size(r) + 32
    return block(r, size) + f"free(HIDE(p + {r.randint(1, size - 1)})); free(p);"


def good_free(r: random.Random) -> str:
    size = a_size(r)
    return block(r, size) + f"char* q = HIDE(p + {size}); free(HIDE(q - {size}));"


def raw_block(size: int) -> str:
    return f"char* p = HIDE((char*)malloc({size})); "


def heap_branch(r: random.Random) -> str:
    size, width = a_size(r) + 8, r.choice([1, 2, 4, 8])
    return raw_block(size) + f"BRANCH_ON(*(volatile {integer(width)}*)(p + {r.randint(0, size - width)}) > 5); free(p);"


def heap_index(r: random.Random) -> str:
    size = a_size(r)
    return raw_block(size) + f"NEED(*(volatile char*)(table + *(volatile uint8_t*)(p + {r.randint(0, size - 1)}))); free(p);"


def copied_branch(r: random.Random) -> str:
    size = a_size(r)
    return raw_block(size) + f"char* q = HIDE((char*)malloc({size})); memcpy(q, p, {size}); free(p); " + \
        f"BRANCH_ON(*(volatile uint8_t*)(q + {r.randint(0, size - 1)}) > 5); free(q);"


def good_branch(r: random.Random) -> str:
    size, width = a_size(r) + 8, r.choice([1, 2, 4, 8])
    at = r.randint(0, size - width)
    return raw_block(size) + f"memset(p + {at}, 3, {width}); BRANCH_ON(*(volatile {integer(width)}*)(p + {at}) > 5); free(p);"


def good_copy(r: random.Random) -> str:
    size = a_size(r)
    at = r.randint(0, size - 1)
    return raw_block(size) + f"char* q = HIDE((char*)malloc({size})); p[{at}] = 9; memcpy(q, p, {size}); " + \
        f"BRANCH_ON(*(volatile uint8_t*)(q + {at}) > 5); free(p); free(q);"


def self_cancelling(r: random.Random) -> str:
    operation = r.choice(["x ^ x", "x - x", "x & 0", "(x | 255) & 255"])
    return raw_block(16) + f"volatile uint32_t x = *(volatile uint32_t*)(p + 4 * {r.randint(0, 3)}); " + \
        f"uint32_t y = x; uint32_t z = {operation.replace('x', 'y')}; BRANCH_ON(HIDE(z) > 5); free(p);"


def written_raw(r: random.Random) -> str:
    size = r.randint(8, 3000)
    done = r.randint(0, size - 1)
    return raw_block(size) + f"memset(p, 1, {done}); NEED(write(null_file, p, {size})); free(p);"


def written_over(r: random.Random) -> str:
    size = r.randint(1, 3000)
    return block(r, size) + f"NEED(write(null_file, p, {size + r.randint(1, 16)})); free(p);"


def read_freed(r: random.Random) -> str:
    size = r.randint(1, 3000)
    return block(r, size) + f"free(p); NEED(read(zero_file, HIDE(p), {size}));"


def good_calls(r: random.Random) -> str:
    size = r.randint(1, 3000)
    return raw_block(size) + f"NEED(read(zero_file, p, {size})); NEED(write(null_file, p, {size})); " + \
        f"BRANCH_ON(p[{r.randint(0, size - 1)}] == 0); free(p);"


def copied_over(r: random.Random) -> str:
    size, over = r.randint(1, 400), r.randint(1, 16)
    call = r.choice(["memcpy", "memmove", "mempcpy"])
    start = r.choice(["p", f"p - {over}"])
    return block(r, size) + f"char* q = HIDE((char*)malloc({size + over})); {call}(q, {start}, {size + over}); free(q); free(p);"


def set_over(r: random.Random) -> str:
    size = r.randint(1, 400)
    return block(r, size) + f"memset(p, 2, {size + r.randint(1, 16)}); free(p);"


def lost(r: random.Random) -> str:
    return block(r, a_size(r)) + "NEED(p); NEED(0);"


def lost_list(r: random.Random) -> str:
    return f"void** p = HIDE((void**)malloc(16)); p[0] = malloc({r.randint(1, 500)}); p[1] = 0; NEED(p); NEED(0);"


def kept_inside(r: random.Random) -> str:
    size = r.randint(200, 500)
    return block(r, size) + f"kept[kept_count++] = p + {r.randint(100, size - 1)};"


def kept_block(r: random.Random) -> str:
    return block(r, a_size(r)) + "kept[kept_count++] = p;"


# clang aligns a leaf's frame by a push into the last eight bytes of such an array, so these may be written.
def stack_branch(r: random.Random) -> str:
    size = r.randint(16, 200)
    return f"char a[{size}]; ESCAPE(a); BRANCH_ON(*(volatile char*)(a + {r.randint(0, size - 9)}) > 5);"


def stack_index(r: random.Random) -> str:
    size = r.randint(16, 200)
    return f"uint8_t a[{size}]; ESCAPE(a); NEED(*(volatile char*)(table + *(volatile uint8_t*)(a + {r.randint(0, size - 9)})));"


def good_stack(r: random.Random) -> str:
    size = r.randint(8, 200)
    at = r.randint(0, size - 1)
    return f"char a[{size}]; ESCAPE(a); a[{at}] = 3; BRANCH_ON(*(volatile char*)(a + {at}) > 5);"


READ_OR_WRITTEN = ("InvalidRead", "InvalidWrite")
TEMPLATES = [
    Template("overflow", overflow, READ_OR_WRITTEN), Template("straddle", straddle, READ_OR_WRITTEN),
    Template("underflow", underflow, READ_OR_WRITTEN), Template("far_underflow", far_underflow, READ_OR_WRITTEN),
    Template("after_free", after_free, READ_OR_WRITTEN), Template("after_realloc", after_realloc, READ_OR_WRITTEN),
    Template("double_free", double_free, ("InvalidFree",)), Template("interior_free", interior_free, ("InvalidFree",)),
    Template("heap_branch", heap_branch, ("UninitCondition",)), Template("heap_index", heap_index, ("UninitValue",)),
    Template("copied_branch", copied_branch, ("UninitCondition",)),
    Template("written_raw", written_raw, ("SyscallParam",)),
    Template("written_over", written_over, ("InvalidRead", "SyscallParam")),
    Template("read_freed", read_freed, ("InvalidWrite", "SyscallParam")),
    Template("copied_over", copied_over, READ_OR_WRITTEN), Template("set_over", set_over, READ_OR_WRITTEN),
    Template("lost", lost, ("Leak_DefinitelyLost",)), Template("lost_list", lost_list, ("Leak_DefinitelyLost",)),
    Template("kept_inside", kept_inside, ("Leak_PossiblyLost",)),
    Template("stack_branch", stack_branch, ("UninitCondition",)), Template("stack_index", stack_index, ("UninitValue",)),
    Template("last_bytes", last_bytes), Template("good_realloc", good_realloc), Template("good_free", good_free),
    Template("good_branch", good_branch), Template("good_copy", good_copy), Template("self_cancelling", self_cancelling),
    Template("good_calls", good_calls), Template("kept_block", kept_block), Template("good_stack", good_stack),
]
BY_NAME = {template.name: template for template in TEMPLATES}
LABEL = re.compile(r"p\d+_\d+_([a-z_]+?)_$")


def make_source(r: random.Random, first: int, count: int) -> tuple[str, list[str]]:
    """The text of one source file with these programs, and the names of its functions."""
    functions, calls, names = [], [], []
    for number in range(first, first + count):
        for index in range(r.randint(4, 8)):
            template = r.choice(TEMPLATES)
            name = f"p{number}_{index}_{template.name}_"
            names.append(name)
            functions.append(f"static NOINLINE void* {name}(void* none) {{ {template.make(r)} BARRIER(); return none; }}")
            if r.random() < 0.15:
                calls.append(f"    if (pthread_create(&thread, 0, {name}, 0) == 0) pthread_join(thread, 0);")
            else:
                calls.append(f"    NEED({name}(0));")
    main = ["int main(void) {", '    null_file = open("/dev/null", O_WRONLY); zero_file = open("/dev/zero", O_RDONLY);',
            "    pthread_t thread; (void)thread;", *calls, "    return zero;", "}"]
    return "\n".join([PROLOGUE, *functions, *main, ""]), names


def labels_of(error: ElementTree.Element) -> str:
    """The function of the first stack that is one of ours, "" when there is none."""
    stack = error.find("stack")
    for frame in stack.findall("frame") if stack is not None else []:
        name = frame.findtext("fn", "")
        if LABEL.match(name):
            return name
    return ""


def run_binary(options: argparse.Namespace, seed: int, first: int, count: int, how: tuple[str, str]) -> \
        tuple[list[str], list[tuple[str, str]]]:
    """Names of the functions, and (name, kind) of each report."""
    compiler, level = how
    text, names = make_source(random.Random(f"{seed} {first}"), first, count)
    work: Path = options.work / f"{first}{compiler}{level}"
    work.mkdir(parents=True, exist_ok=True)
    source, program, xml = work / "programs.c", work / "programs", work / "errors.xml"
    source.write_text(text, encoding="utf-8")
    include = Path(__file__).resolve().parent.parent / "run" / "include"
    subprocess.run([compiler, "-g", level, "-w", "-fno-builtin", "-pthread", f"-I{include}", str(source), "-o", str(program)],
                   check=True)
    more = ["--contention=no", "--zeros=no"] if options.tool == "memspy" else []
    result = subprocess.run(
        [options.valgrind, f"--tool={options.tool}", *more, "--leak-check=full", "--xml=yes", f"--xml-file={xml}",
         "--errors-for-leak-kinds=none", str(program)], capture_output=True, text=True, timeout=300, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{program} ended with {result.returncode}\n{result.stderr[-2000:]}")
    errors = ElementTree.parse(xml).getroot().findall("error")
    return names, [(labels_of(error), error.findtext("kind", "")) for error in errors]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--tool", default="memspy")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    wrong = []
    parts = [(first, min(PER_BINARY, options.programs - first), COMPILERS[i % len(COMPILERS)])
             for i, first in enumerate(range(0, options.programs, PER_BINARY))]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda part: run_binary(options, options.seed, *part), parts))
    for (first, _, how), (names, reports) in zip(parts, results):
        seen = {name for name, _ in reports}
        for name in names:
            template = BY_NAME[LABEL.match(name).group(1)]  # type: ignore[union-attr]
            planted[template.name] += 1
            kinds = [kind for reported, kind in reports if reported == name]
            if template.kinds:
                hit = any(kind in template.kinds for kind in kinds)
                found[template.name] += hit
                if not hit and template.name not in KNOWN:
                    wrong.append(f"missed: {name} ({' '.join(how)}, from program {first})")
            for kind in kinds:
                if kind not in template.kinds:
                    extra[template.name] += 1
                    if template.name not in KNOWN:
                        wrong.append(f"extra: {kind} in {name} ({' '.join(how)}, from program {first})")
        if "" in seen:
            wrong.append(f"extra: a report outside all functions ({' '.join(how)}, from program {first})")
    print(f"{'template':<18}{'planted':>9}{'found':>9}{'false':>9}")
    for template in TEMPLATES:
        hits = str(found[template.name]) if template.kinds else "-"
        print(f"{template.name:<18}{planted[template.name]:>9}{hits:>9}{extra[template.name]:>9}")
    total = sum(planted[t.name] for t in TEMPLATES if t.kinds)
    print(f"{'defects':<18}{total:>9}{sum(found.values()):>9}{sum(extra.values()):>9}")
    for template_name, reason in KNOWN.items():
        print(f"known: {template_name}: {reason}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
