#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that memspy-machine's figures of this machine are right or not there, that its JSON has what docs/machine.md says, and
that each figure of the known machines has a source.

The system may not describe its caches, or in a virtual machine describe others: then only their form is checked.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

PROGRAM = Path()
SECONDS = 25
FIGURE = {"value", "sure", "how"}


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=120)


class ThisMachine(unittest.TestCase):
    found: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        done = run("--format=json", f"--seconds={SECONDS}")
        assert done.returncode == 0, done.stderr
        cls.found = json.loads(done.stdout)

    def test_form(self) -> None:
        self.assertEqual(self.found["format"], "memspy-machine 1")
        for cache in self.found["caches"]:
            self.assertEqual(set(cache), {"level", "size", "size_at_least", "line", "ways", "latency_ns", "how"})
            if cache["size_at_least"] is not None:
                self.assertIsNone(cache["size"])
            self.assertEqual(set(cache["how"]), {"size", "line", "ways", "latency_ns"})
            self.assertTrue(all(cache["how"].values()), "each figure has its method, or why there is none")
        for rate in [*self.found["rates"].values(), *(pair["ns"] for pair in self.found["core_pairs"]),
                     *(self.found["disk"][name] for name in ("latency_us", "read_gb_s", "write_gb_s"))]:
            self.assertEqual(set(rate), FIGURE)
            self.assertTrue(rate["how"])
            self.assertTrue(rate["value"] is None or rate["value"] > 0)

    def test_page_size(self) -> None:
        self.assertIn(self.found["page_size"], (None, os.sysconf("SC_PAGE_SIZE")))

    def test_caches_are_right_or_not_found(self) -> None:
        reported = {each["level"]: each for each in self.found["system"].get("caches", [])}
        for cache in self.found["caches"][:2]:
            for name in ("size", "line", "ways"):
                system = reported.get(cache["level"], {}).get(name, 0)
                if cache[name] is not None and system != 0:
                    self.assertEqual(cache[name], system, f"{name} of level {cache['level']}: {cache['how'][name]}")

    def test_pairs_of_processors(self) -> None:
        usable = len(os.sched_getaffinity(0))
        self.assertEqual(len(self.found["core_pairs"]), min(28, usable * (usable - 1) // 2))


class KnownMachines(unittest.TestCase):
    def test_each_figure_has_a_source(self) -> None:
        listed = [line.split()[0] for line in run("list").stdout.splitlines()]
        self.assertGreaterEqual(len(listed), 8)
        for name in listed:
            shown = run("show", name)
            self.assertEqual(shown.returncode, 0)
            for line in shown.stdout.splitlines():
                if not line.startswith("name "):
                    self.assertRegex(line, r"\[.{8,}\]$", f"{name}: no source")

    def test_comparison_marks_what_differs(self) -> None:
        lines = run("compare", "graviton2", "ampere-altra").stdout.splitlines()
        self.assertTrue(any(line.startswith("cores ") and line.endswith("*") for line in lines), lines)
        self.assertTrue(any(line.startswith("l1.size ") and not line.endswith("*") for line in lines), lines)

    def test_names_come_first(self) -> None:
        self.assertTrue(run("show", "pentium-4").stdout.startswith("name "))
        self.assertTrue(run("compare", "graviton2", "ampere-altra").stdout.startswith("name "))

    def test_mistakes_are_one_line(self) -> None:
        """And are told before anything is measured."""
        for words, expected in (
            (["show", "no-such-machine"], "no machine no-such-machine"),
            (["show"], "the name of one machine"),
            (["compare", "graviton2"], "the names of two machines"),
            (["compare", "graviton2", "no-such-machine"], "no machine no-such-machine"),
            (["lst"], "no command lst"),
            (["list", "graviton2"], "list takes no name"),
            (["-o"], "-o needs"),
            (["-o", "/no-such-folder/file"], "cannot write /no-such-folder/file"),
            (["-o", "/"], "it is a folder"),
            (["--format=xml"], "text, json or svg"),
            (["--seconds=x"], "--seconds is a number"),
            (["--no-such-option"], "unknown option --no-such-option"),
        ):
            with self.subTest(words=words):
                done = run(*words)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(expected, done.stderr)


def main() -> None:
    global PROGRAM
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=Path, required=True)
    arguments, rest = parser.parse_known_args()
    PROGRAM = arguments.program
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
