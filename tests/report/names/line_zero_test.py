#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that code to which the compiler gives line 0 has the line before it, in every output: clang makes one store of
those in two branches, and one load. A profile without lines (of a core that did not know them) gets the same ones from
the program's debug information. Where no line comes before, only the function is
named."""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path

from names_test import prepared, run

SOURCE = """#include <pthread.h>
struct c { volatile long n; char pad[8]; } counters[8];
__attribute__((noinline)) static void put(struct c *c, int i) {
    if (i & 1) { c->n = 1; }
    else { c->n = 2; }
}
__attribute__((noinline)) static long get(struct c *c, struct c *d, int i) {
    long r;
    if (i & 1) { r = c->n; }
    else { r = d->n; }
    return r;
}
static void *work(void *p) {
    struct c *c = p;
    long s = 0;
    for (int i = 0; i < 20000; i++) { put(c, i); s += get(c, c + 1, i); }
    return (void *)s;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, &counters[i]);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    return 0;
}
"""
FORMATS = ("lines", "sarif", "codequality", "junit", "callgrind", "folded", "speedscope", "memcheck4", "json")
ZERO = re.compile(r"zero\.c:0\b|line=\"0\"|<line>0<|\"(?:line|startLine)\": ?0\b")


def main() -> int:
    if platform.machine() != "x86_64":
        return 77
    arguments, folder = prepared(__doc__, "valgrind", "report", "html")
    (folder / "zero.c").write_text(SOURCE, encoding="utf-8")
    run(["clang", "-g", "-O2", "-pthread", "zero.c", "-o", "zero"], folder)
    table = run(["llvm-dwarfdump", "--debug-line", "zero"], folder)
    assert re.search(r"^0x\w+ +0 ", table, re.MULTILINE), f"clang gives no code line 0:\n{table}"

    tool = [arguments.valgrind, "--tool=memspy", "--memspy-out-file=zero.xml"]
    run([*tool, "--log-file=log", "./zero"], folder)
    run([*tool, "-q", "--xml=yes", "--xml-file=errors.xml", "./zero"], folder)
    outputs = {name: Path(folder, name).read_text(encoding="utf-8") for name in ("log", "zero.xml", "errors.xml")}
    inputs = ["zero.xml", "errors.xml"]
    outputs["text"] = run([arguments.report, "text", "--top=0", *inputs], folder)
    outputs["tsv"] = run([arguments.report, "text", "--top=0", "--format=tsv", "zero.xml"], folder)
    for name in FORMATS:
        given = ["errors.xml"] if name in ("junit", "memcheck4") else ["zero.xml"]
        outputs[name] = run([arguments.report, "export", f"--to={name}", *given], folder)
    run([arguments.html, *inputs, "-o", "page.html"], folder)
    outputs["page"] = Path(folder, "page.html").read_text(encoding="utf-8")
    for name, output in outputs.items():
        wrong = ZERO.search(output)
        assert wrong is None, f"{name}: ...{output[max(0, wrong.start() - 200):wrong.end() + 50]}"
    for name in ("log", "text", "tsv"):
        for place in ("put (zero.c:4)", "get (zero.c:9)"):
            assert place in outputs[name], f"{name}: no {place}"
    for name in ("lines", "sarif"):
        assert re.search(r"zero\.c:4:|\"startLine\": 4\b", outputs[name]), f"{name}: {outputs[name]}"

    profile = outputs["zero.xml"]
    bare = re.sub(r' dir="[^"]*" file="zero.c" line="\d+"', "", profile)
    assert bare != profile
    (folder / "zero.xml").write_text(bare, encoding="utf-8")
    text = run([arguments.report, "text", "--top=0", "zero.xml"], folder)
    assert "put (zero.c:4)" in text and "get (zero.c:9)" in text, text

    # A function that has no line at all; what it does is charged to its caller's.
    code = run(["gcc", "-g", "-O1", "-S", "-x", "c", "zero.c", "-o", "-"], folder)
    inside = code[code.index("put:"):code.index(".cfi_endproc", code.index("put:"))]
    (folder / "start.s").write_text(code.replace(inside, re.sub(r"\.loc 1 \d+ \d+", ".loc 1 0 0", inside)), encoding="utf-8")
    run(["gcc", "-pthread", "start.s", "-o", "zero"], folder)
    run([*tool, "--log-file=log", "./zero"], folder)
    log = Path(folder, "log").read_text(encoding="utf-8")
    assert "put (in " in log and not ZERO.search(log), log
    text = run([arguments.report, "text", "--top=0", "zero.xml"], folder)
    assert "work (zero.c:16)" in text and not ZERO.search(text), text
    return 0


if __name__ == "__main__":
    sys.exit(main())
