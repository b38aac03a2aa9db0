#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that advice on redundant bytes of an array of structures speaks of the members, in the text and in the JSON: of
heap blocks and of static arrays, in C and C++, with bases, arrays in the structure, and elements of which several make
up the stride that the run found. Pointers, whose zeros cannot be saved, get none; members that need all their bytes get none."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from names_test import prepared, run

SOURCES = {
    "records.c": """
#include <stdlib.h>
typedef char* text_t;
struct record { long id; double price, exact; text_t name; enum { SMALL, LARGE } size; int total; short kind[4];
                char word[20]; long zero; unsigned char flag; };
static struct record fixed[256];
static void fill(struct record* r, long i) {
    static char name[] = "x";
    r->id = i + 1; r->price = 0.5 * i; r->exact = (i + 1) / 3.0; r->name = name; r->size = LARGE; r->total = -1 - i;
    for (int k = 0; k < 4; ++k) r->kind[k] = k < 2 ? 0x101 : 0;
    for (int k = 0; k < 5; ++k) r->word[k] = 'a';
    r->zero = 0; r->flag = 1;
}
static volatile long sum;
static volatile double real;
static void use(struct record* r) {
    sum += r->id; real += r->price; real += r->exact; sum += r->size; sum += r->total; sum += *r->name;
    for (int k = 0; k < 4; ++k) sum += r->kind[k];
    for (int k = 0; k < 20; ++k) sum += r->word[k];
    sum += r->zero; sum += r->flag;
}
int main(void) {
    struct record* records = calloc(300, sizeof *records);
    for (long i = 0; i < 300; ++i) { fill(&records[i], i); if (i < 256) fill(&fixed[i], i); }
    for (int i = 0; i < 300; ++i) { use(&records[i]); if (i < 256) use(&fixed[i]); }
    free(records);
    return 0;
}
""",
    "points.cc": """
#include <cstdint>
#include <vector>
struct Base { std::uint64_t id; };
struct Record : Base { double price, exact; const char* name; std::int32_t total; enum class Size : int { Small, Large } size;
                       short kind[4]; char word[20]; long zero; bool flag; };
static Record fixed[256];
static volatile long sum;
static volatile double real;
template <typename Records> void work(Records& records) {
    long i = 0;
    for (Record& r : records) {
        r.id = i + 1; r.price = 0.5 * i; r.exact = (i + 1) / 3.0; r.name = "x"; r.size = Record::Size::Large; r.total = -1 - i;
        for (int k = 0; k < 4; ++k) r.kind[k] = k < 2 ? 0x101 : 0;
        for (int k = 0; k < 5; ++k) r.word[k] = 'a';
        r.zero = 0; r.flag = true;
        ++i;
    }
    for (Record& r : records) {
        sum = sum + r.id; real = real + r.price; real = real + r.exact; sum = sum + static_cast<long>(r.size); sum = sum + r.total;
        sum = sum + *r.name;
        for (int k = 0; k < 4; ++k) sum = sum + r.kind[k];
        for (int k = 0; k < 20; ++k) sum = sum + r.word[k];
        sum = sum + r.zero; sum = sum + r.flag;
    }
}
int main() {
    std::vector<Record> records(300);
    work(records);
    work(fixed);
}
""",
}
# 300 elements: 16 bits are needed; 256 of them: 9.
WANTED = {
    ("narrow", "uint16_t", "every id fits uint16_t, it has 8 bytes"),
    ("narrow", "float", "the mantissa of every price fits a float; it is a double"),
    ("narrow", "uint8_t", "every size fits uint8_t, it has 4 bytes"),
    ("narrow", "", "the last 4 of the 8 bytes of every kind are zero"),
    ("narrow", "", "the last 15 of the 20 bytes of every word are zero"),
    ("constant", "", "every zero is zero"),
}


def main() -> int:
    arguments, folder = prepared(__doc__, "valgrind", "report")
    problems = []
    for source, text in SOURCES.items():
        (folder / source).write_text(text)
        for compiler in ("gcc", "clang") if source.endswith(".c") else ("g++", "clang++"):
            for level in ("-O0", "-O1"):
                program, profile = Path(f"{source}-{compiler}{level}"), f"{source}-{compiler}{level}.xml"
                run([compiler, "-g", level, "-fno-tree-vectorize", source, "-o", str(program)], folder)
                run([arguments.valgrind, "--tool=memspy", "-q", "--zeros=data", f"--memspy-out-file={profile}", f"./{program}"],
                    folder)
                document = json.loads(run([arguments.report, "export", "--to=json", profile], folder))["profile"]
                printed = run([arguments.report, "text", profile], folder)
                for name in ("fixed", "ecord[300]"):
                    objects = [each for each in document["objects"] if name in (each.get("symbol", ""), each.get("name", "")[-10:])]
                    counts = [each for each in document["zeros"]["objects"] if each["object"] in [o["id"] for o in objects]]
                    given = {(advice["kind"], advice.get("type", ""), advice["text"])
                             for each in counts for advice in each["advice"] if advice["kind"] != "sparse"}
                    if given != WANTED:
                        problems.append(f"{program}, {name}: missing {WANTED - given}, not wanted {given - WANTED}")
                    problems += [f"{program}, {name}: not in the text: {advice[2]}" for advice in WANTED
                                 if not any(name in line and advice[2] in line for line in printed.splitlines())]
    print("\n".join(problems), end="\n" if problems else "")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
