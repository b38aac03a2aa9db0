#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that advice on redundant zeros is given for the program's own code and variables, and that --own says what these
are, in the text, the JSON and the page: the dynamic linker and the C library have none, unless it names them, and the program
has none if it is excluded."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

from names_test import prepared, run
from same_names_test import page_data, table

Json = dict[str, Any]
SOURCE = """
static long table[4096];
int main(void) {
    volatile long sum = 0;
    for (int k = 0; k < 20; ++k)
        for (int i = 0; i < 4096; ++i) { if (k == 0) table[i] = i % 100; sum += table[i]; }
    return sum == 0;
}
"""
LIBRARIES = "*/ld-*:*/libc.*:*/libc-*"
OUTPUTS = ("text", "json", "page")


def advised(arguments: Any, folder: Path, own: list[str]) -> dict[str, tuple[bool, bool, bool]]:
    """By output: whether the program's code, its variable, and libraries' code have advice."""
    document: Json = json.loads(run([arguments.report, "export", "--to=json", *own, "own.xml"], folder))["profile"]
    modules = {each["id"]: each["path"] for each in document["modules"]}
    paths = {each["id"]: modules.get(each["frames"][0].get("module"), "") for each in document["stacks"]}
    labels = {each["id"]: each["label"] for each in document["objects"]}
    zeros = document["zeros"]
    coded = {paths[row["stack"]] for row in zeros["rows"] if row["advice"]}
    result = {"json": (any(path.endswith("/own") for path in coded),
                       any(labels[each["object"]] == "table" for each in zeros["objects"] if each["advice"]),
                       any(not path.endswith("/own") for path in coded))}
    text = run([arguments.report, "text", "--format=tsv", "--top=100000", *own, "own.xml"], folder)
    code = [row["code"] for row in table(text, "") if row["advice"]]
    objects = [row["object"] for row in table(text, "zeros.by-object") if row["advice"]]
    result["text"] = (any("own.c:" in each for each in code), "table" in objects, any("own.c:" not in each for each in code))
    run([arguments.html, *own, "own.xml", "-o", "own.html"], folder)
    page = page_data((folder / "own.html").read_text(encoding="utf-8"))
    rows, found = page["sections"]["zeros"]["rows"], page["sections"]["zeros"]["objects"]
    names = [page["functions"][page["frames"]["function"][page["stacks"][stack][0]]]
             for stack, advice in zip(rows["stack"], rows["advice"]) if advice and stack >= 0]
    variables = [page["objects"][each]["name"] for each, advice in zip(found["object"], found["advice"]) if advice]
    result["page"] = ("main" in names, "table" in variables, any(name != "main" for name in names))
    return result


def main() -> int:
    if platform.machine() != "x86_64":
        return 77
    arguments, folder = prepared(__doc__, "valgrind", "report", "html")
    (folder / "own.c").write_text(SOURCE, encoding="utf-8")
    run(["gcc", "-g", "-O1", "own.c", "-o", "own"], folder)
    run([arguments.valgrind, "--tool=memspy", "-q", "--zeros=all", "--memspy-out-file=own.xml", "./own"], folder)
    cases: list[tuple[list[str], tuple[bool, bool, bool]]] = [
        ([], (True, True, False)), ([f"--own={LIBRARIES}"], (True, True, True)), (["--own=!*/own:!*/own.c"], (False, False, False))]
    for own, wanted in cases:
        found = advised(arguments, folder, own)
        for output in OUTPUTS:
            assert found[output] == wanted, f"{own}, {output}: {found[output]}, not {wanted}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
