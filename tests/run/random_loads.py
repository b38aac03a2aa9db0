#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that redundant zeros of a random program are those of a plain reference, to the last bit.

Writes a program with random memory, loads random places of it with every type, width and alignment, runs it under
--zeros=all, and compares each row's redmap and the object's map with what this file finds by taking values apart.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
import profile_file  # noqa: E402

SIZE = 4096
LOADS = 600
CELL = SIZE // 256


@dataclass(frozen=True)
class Type:
    name: str
    spelt: str  # in C
    floating: bool
    element: int
    lanes: int


TYPES = [
    Type("byte", "uint8_t", False, 1, 1), Type("two", "uint16_t", False, 2, 1), Type("four", "uint32_t", False, 4, 1),
    Type("eight", "uint64_t", False, 8, 1), Type("single", "float", True, 4, 1), Type("whole", "double", True, 8, 1),
    Type("bytes", "unsigned char", False, 1, 16), Type("shorts", "unsigned short", False, 2, 8),
    Type("ints", "unsigned", False, 4, 4), Type("longs", "unsigned long", False, 8, 2),
    Type("singles", "float", True, 4, 4), Type("doubles", "double", True, 8, 2),
]


def cells_of(value: bytes, floating: bool) -> list[bool]:
    """For each cell of one element, the least significant first: is it redundant?"""
    number = int.from_bytes(value, "little")
    if not floating:
        return [number >> 8 * i == 0 for i in range(len(value))]
    parts = [(23, 0), (8, 23), (1, 31)] if len(value) == 4 else [(52, 0), (11, 52), (1, 63)]
    out = []
    for bits, first in parts:
        part = number >> first & ((1 << bits) - 1)
        out += [part >> at & 0xFF == 0 for at in range(0, bits, 8)]
    return out


def bytes_of(value: bytes, floating: bool) -> list[bool]:
    return [b == 0 for b in value] if floating else cells_of(value, False)


def random_memory(rng: random.Random) -> bytes:
    out = bytearray()
    while len(out) < SIZE:
        choice = rng.randrange(4)
        if choice == 0:
            out += bytes(rng.randrange(1, 24))
        elif choice == 1:
            out += rng.randrange(1, 1 << rng.randrange(1, 64)).to_bytes(8, "little")
        else:
            out += rng.randbytes(rng.randrange(1, 12))
    return bytes(out[:SIZE])


def source_of(memory: bytes, offsets: dict[str, list[int]]) -> tuple[str, dict[str, int]]:
    lines = ["#include <stdint.h>", f"static unsigned char memory[{SIZE}] = {{{','.join(map(str, memory))}}};",
             "#define DEFINE(name, type) typedef type name##_type __attribute__((aligned(1), may_alias))",
             "#define VECTOR(name, type) typedef type name##_type __attribute__((vector_size(16), aligned(1), may_alias))"]
    where: dict[str, int] = {}
    for t in TYPES:
        lines.append(f"{'VECTOR' if t.lanes > 1 else 'DEFINE'}({t.name}, {t.spelt});")
        lines.append(f"static const unsigned short {t.name}_at[] = {{{','.join(map(str, offsets[t.name]))}}};")
        lines += [f"static volatile {t.name}_type {t.name}_sum;",
                  f"__attribute__((noipa)) static void load_{t.name}(void) {{", f"    {t.name}_type sum = {{0}};",
                  f"    for (int i = 0; i < {LOADS}; ++i) {{",
                  f"        const unsigned char* at = memory + {t.name}_at[i];",
                  '        __asm__ volatile("" : "+r"(at));',
                  f"        sum += *(const volatile {t.name}_type*)at;"]
        where[t.name] = len(lines)
        lines += ["    }", f"    {t.name}_sum = sum;", "}"]
    lines += ["int main(void) {", *(f"    load_{t.name}();" for t in TYPES), "    return 0;", "}", ""]
    return "\n".join(lines), where


def compare(profile: profile_file.Profile, memory: bytes, offsets: dict[str, list[int]],
            where: dict[str, int]) -> list[str]:
    problems = []
    # Marks of a float are those of its cells: where integers are loaded from the same bytes, what its upper two bytes
    # were is not certain, and counts as significant where nothing shows more.
    loaded, least, most = [False] * SIZE, [False] * SIZE, [False] * SIZE
    for t in TYPES:
        redmap = [0] * len(cells_of(bytes(t.element), t.floating))
        for at in offsets[t.name]:
            for first in range(at, at + t.element * t.lanes, t.element):
                value = memory[first:first + t.element]
                for i, redundant in enumerate(cells_of(value, t.floating)):
                    redmap[i] += redundant
                for i, redundant in enumerate(bytes_of(value, t.floating)):
                    loaded[first + i] = True
                    upper = t.floating and i >= t.element - 2
                    least[first + i] |= not redundant and not upper
                    most[first + i] |= not redundant or upper
        rows = [r for r in profile.zero_rows if r.frames and r.frames[0][1] == where[t.name]
                and r.frames[0][0].endswith("random_loads.c")
                and (r.type, r.element, r.lanes) == ("float" if t.floating else "integer", t.element, t.lanes)]
        sums = [sum(column) for column in zip(*(r.redmap for r in rows))]
        if sums != redmap or sum(r.totals.loads for r in rows) != LOADS:
            near = [r.describe() for r in profile.zero_rows if r.frames and r.frames[0][1] == where[t.name]]
            problems.append(f"{t.name}: {sums} instead of {redmap}; rows there: {near}")
    found = [o for o in profile.zero_objects if o.entry.is_named("memory") and o.entry.kind == "static"]
    def redundant_of(significant: list[bool]) -> list[int]:
        return [sum(a and not s for a, s in zip(loaded[i:i + CELL], significant[i:i + CELL])) for i in range(0, SIZE, CELL)]
    wanted = list(zip((sum(loaded[i:i + CELL]) for i in range(0, SIZE, CELL)), redundant_of(most), redundant_of(least)))
    if len(found) != 1 or len(found[0].map) != len(wanted) or any(
            a != accessed or not low <= r <= high for (a, r), (accessed, low, high) in zip(found[0].map, wanted)):
        problems.append(f"map of memory is {[o.map for o in found]} instead of {wanted}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2])
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    work = arguments.work.resolve()
    failed = False
    for seed in arguments.seeds:
        rng = random.Random(seed)
        memory = random_memory(rng)
        offsets = {t.name: [rng.randrange(SIZE - t.element * t.lanes + 1) for _ in range(LOADS)] for t in TYPES}
        source, where = source_of(memory, offsets)
        (work / "random_loads.c").write_text(source, encoding="utf-8")
        for level in ("-O1", "-O2"):
            subprocess.run(["gcc", "-g", "-w", level, "-fno-unroll-loops", "random_loads.c", "-o", "random_loads"],
                           cwd=work, check=True)
            profile = work / "profile.xml"
            subprocess.run([arguments.valgrind, "--tool=memspy", "-q", "--zeros=all", "--error-exitcode=9",
                            f"--memspy-out-file={profile}", "./random_loads"], cwd=work, check=True, timeout=120)
            for problem in compare(profile_file.read(profile), memory, offsets, where):
                failed = True
                print(f"seed {seed}, {level}: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
