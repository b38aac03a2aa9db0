#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that where several variables are declared on the line that allocates their blocks, each block has the name of its
own, by the columns that gcc writes: in the run's summary and in memspy-report, with and without optimisation, in DWARF 4
and 5."""

from __future__ import annotations

import platform
import re
import sys

from names_test import prepared, run

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int n = 20000;
    double *rates = malloc(n * sizeof *rates), *flows = calloc(n, sizeof *flows), *sums = malloc(8 * n);
    if (!rates || !flows || !sums) return 1;
    for (int i = 0; i < n; ++i) rates[i] = sums[i] = i;
    for (int pass = 0; pass < 10; ++pass)
        for (int i = 1; i < n; ++i) sums[i] += rates[i] * flows[i - 1];
    printf("%g\\n", sums[n - 1]);
    free(rates);
    free(flows);
    free(sums);
}
"""
NAMES = ["rates", "flows", "sums"]


def main() -> int:
    if platform.machine() != "x86_64":
        return 77
    arguments, folder = prepared(__doc__, "valgrind", "report")
    (folder / "line.c").write_text(SOURCE, encoding="utf-8")
    tool = [arguments.valgrind, "--tool=memspy", "--cost=yes", "--memspy-out-file=line.xml", "--log-file=log"]
    for options in (["-O0", "-gdwarf-5"], ["-O1", "-gdwarf-4"], ["-O2", "-gdwarf-5"]):
        run(["gcc", *options, "line.c", "-o", "line"], folder)
        run([*tool, "./line"], folder)
        summary = (folder / "log").read_text(encoding="utf-8")
        text = run([arguments.report, "cost", "line.xml"], folder)
        for name in NAMES:
            assert f"heap block {name} of main (line.c:6)" in summary, f"{options}: {name}\n{summary}"
            assert re.search(rf"double\[20000\] {name} of main \(line.c:6\)", text), f"{options}: {name}\n{text}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
