# SPDX-License-Identifier: GPL-2.0-or-later
"""memspy-report on small checked-in profiles and error files, and on random ones.

    report_test.py --report PROGRAM --source CHECKOUT [--update] [unittest's arguments]

Golden outputs are in golden/; --update writes them anew, to be read before they are committed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import json_schema
import sarif

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
PROGRAM = ""
SOURCE = Path()
UPDATE = False


def run(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], cwd=DATA, input=stdin, capture_output=True, text=True, check=False,
                          timeout=120)


def changed(whole: str, path: str, value: object) -> object:
    """A JSON document with another value at a path such as `runs.0.results`; None: without that member."""
    document = json.loads(whole)
    *parents, last = path.split(".")
    inside = document
    for name in parents:
        inside = inside[int(name) if isinstance(inside, list) else name]
    if value is None:
        del inside[last]
    else:
        inside[int(last) if isinstance(inside, list) else last] = value
    return document


class Golden(unittest.TestCase):
    """Each command prints its accepted output, with the accepted exit code."""

    maxDiff = None

    def check(self, name: str, *arguments: str, code: int = 0) -> str:
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stderr), (code, ""))
        # Some formats contain the version.
        text = re.sub(r"memspy-report \d+\.\d+(\.\d+)?", "memspy-report VERSION", result.stdout)
        text = re.sub(r'"version": "\d+\.\d+"', '"version": "VERSION"', text) if name.endswith("sarif") else text
        golden = HERE / "golden" / name
        if UPDATE:
            golden.write_text(text)
        self.assertEqual(text, golden.read_text())
        return text

    def test_text(self) -> None:
        self.check("text", "text", "--names=no", "one.xml")

    def test_text_filters(self) -> None:
        self.check("text.object", "text", "--names=no", "--object=heap*", "--thread=3", "one.xml")
        self.check("text.function", "text", "--names=no", "--function=pool_*", "--sort=accesses", "--top=1", "one.xml")
        nothing = run("text", "--names=no", "--file=no_such.c", "one.xml").stdout
        self.assertIn("By object, 0 of 0", nothing)
        self.assertIn("By object, 1 of 1", run("text", "--names=no", "--file=search.c", "--object=counters",
                                               "one.xml").stdout)

    def test_text_errors(self) -> None:
        self.check("text.errors", "text", "defects.xml", "sharing.errors.xml")

    def test_merge(self) -> None:
        self.check("merge.xml", "merge", "one.xml", "two.xml")

    def test_diff(self) -> None:
        self.check("diff", "diff", "one.xml", "two.xml")
        self.check("diff", "diff", "--fail-on=regress:50", "one.xml", "two.xml", code=1)
        self.check("diff", "diff", "--fail-on=regress:150", "one.xml", "two.xml")
        self.check("diff.errors", "diff", "--fail-on=new", "defects.xml", "defects2.xml", code=1)
        self.check("diff.errors", "diff", "defects.xml", "defects2.xml")
        same = run("diff", "--fail-on=new,regress:0", "defects.xml", "defects.xml")
        self.assertEqual((same.returncode, same.stdout.count("no difference")), (0, 2))

    def test_suppress(self) -> None:
        self.check("suppress", "suppress", "defects.xml", "sharing.errors.xml")
        self.check("suppress.unused", "suppress", "--unused=some.supp", "sharing.errors.xml")

    def test_exports(self) -> None:
        for name in ("callgrind", "folded", "speedscope"):
            self.check(f"export.{name}", "export", f"--to={name}", "--names=no", "one.xml")
        for name in ("codequality", "junit", "lines", "sarif"):
            self.check(f"export.{name}", "export", f"--to={name}", "--source-root=/nonexistent/src", "defects.xml")
        # The findings of a profile alone.
        for name in ("codequality", "lines", "sarif"):
            self.check(f"export.{name}.profile", "export", f"--to={name}", "--names=no", "one.xml")
        self.check("export.memcheck4", "export", "--to=memcheck4", "defects.xml")
        self.check("export.helgrind4", "export", "--to=helgrind4", "sharing.errors.xml")
        self.check("export.json", "export", "--to=json", "--names=no", "one.xml", "defects.xml")

    def test_help(self) -> None:
        commands = re.findall(r"^  (\w+)  ", run("--help").stdout, re.MULTILINE)
        self.assertLessEqual({"text", "merge", "diff", "suppress", "export"}, set(commands))
        for command in commands:
            result = run(command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn(f"usage: memspy-report {command}", result.stdout)


class Consumers(unittest.TestCase):
    """Exported files are read by the programs that they are for, or have the structure that these require."""

    def test_callgrind_annotate(self) -> None:
        annotate = shutil.which("callgrind_annotate")
        if annotate is None:
            self.skipTest("there is no callgrind_annotate")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "callgrind.out")
            self.assertEqual(run("export", "--to=callgrind", "--names=no", "one.xml", "-o", str(path)).returncode, 0)
            for inclusive, function, events in (("no", "search", "79,000"), ("yes", "pool_main", "79,000")):
                result = subprocess.run([annotate, "--auto=no", f"--inclusive={inclusive}", str(path)],
                                        capture_output=True, text=True, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertRegex(result.stdout, rf"(?m)^\s*{events} .*:{function} ")
                self.assertRegex(result.stdout, r"81,003 \(100.0%\).*PROGRAM TOTALS")

    def test_schemas(self) -> None:
        xmllint = shutil.which("xmllint")
        if xmllint is None:
            self.skipTest("there is no xmllint")
        with tempfile.TemporaryDirectory() as folder:
            merged = Path(folder, "merged.xml")
            run("merge", "one.xml", "two.xml", "-o", str(merged))
            memcheck = Path(folder, "memcheck.xml")
            # The dialect differs in the tool's name, and in nothing else that the schema knows.
            text = run("export", "--to=memcheck4", "defects.xml").stdout.replace(">memcheck<", ">memspy<")
            memcheck.write_text(text)
            for schema, path in (("profile.rng", merged), ("valgrind-xml.rng", memcheck)):
                result = subprocess.run([xmllint, "--noout", "--relaxng", str(SOURCE / "docs" / schema), str(path)],
                                        capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_sarif(self) -> None:
        """SARIF has the structure that its schema asks for, whatever is in it; and a document that has not is told from it."""
        odd = (DATA / "defects.xml").read_text().replace("/nonexistent/src", "/none/a b:c%&amp;\u00e9").replace("demo.c", "d:e#?.c")
        self.assertIn("d:e#?.c", odd)
        with tempfile.TemporaryDirectory() as folder:
            strange, none = Path(folder, "strange.xml"), Path(folder, "none.xml")
            strange.write_text(odd)
            none.write_text(re.sub(r"<error>.*?</error>", "", odd, flags=re.DOTALL))
            for arguments, count in ((["--source-root=/nonexistent", "defects.xml", "sharing.errors.xml"], 5), (["defects.xml"], 4),
                                     ([str(strange), "--source-root=/none/a b:c%&\u00e9"], 4), ([str(none)], 0)):
                document = json.loads(run("export", "--to=sarif", *arguments).stdout)
                sarif.check(document)
                (one,) = document["runs"]
                self.assertEqual(len(one["results"]), count)
                for rule in one["tool"]["driver"]["rules"]:
                    self.assertTrue(rule["help"]["text"].startswith(rule["shortDescription"]["text"]), rule)

        # What is between two threads has the way of each.
        (shared,) = json.loads(run("export", "--to=sarif", "sharing.errors.xml").stdout)["runs"][0]["results"]
        ((first, second),) = [flow["threadFlows"] for flow in shared["codeFlows"]]
        self.assertEqual(first["locations"][-1]["location"]["physicalLocation"], shared["locations"][0]["physicalLocation"])
        self.assertTrue(second["locations"])

        # Advice is data: the first step, and what the whole advice removes and gains. A run's error has it from the profile.
        advised = ["export", "--to=sarif", "--names=no", "one.xml"]
        document = json.loads(run(*advised).stdout)
        sarif.check(document)
        (one,) = [result["properties"] for result in document["runs"][0]["results"] if result["ruleId"] == "FalseSharing"]
        self.assertEqual(one, {"remedy": "pad-elements", "object": "counters", "bytes": 64, "stride": 8, "means": "alignas",
                               "removes": 70000, "events": 81000, "gain": 15})
        self.assertNotIn("properties", shared)

        whole = run("export", "--to=sarif", "--source-root=/nonexistent", "defects.xml").stdout
        place = "runs.0.results.0.locations.0.physicalLocation."
        for path, value in (("version", None), ("runs.0.tool", None), ("runs.0.tool.driver.rules.1", {"id": "InvalidWrite", "name": "InvalidWrite"}),
                            ("runs.0.results.0.level", "bad"), ("runs.0.results.0.message", None), ("runs.0.results.0.ruleIndex", 4),
                            ("runs.0.results.0.occurrenceCount", 0), ("runs.0.results.0.news", 1), ("runs.0.results.0.ruleId", "x"),
                            (place + "region.startLine", 0), (place + "artifactLocation.uri", "a b.c"), ("runs.0.originalUriBaseIds", None),
                            ("runs.0.results.0.stacks.0.frames", None), ("runs.0.originalUriBaseIds.SRCROOT.uri", "file:///x")):
            with self.subTest(path), self.assertRaises(sarif.Wrong):
                sarif.check(changed(whole, path, value))

    def test_sarif_places(self) -> None:
        """Each result has its rule, its own first line of code, relative to the root, and a fingerprint."""
        document = json.loads(run("export", "--to=sarif", "--source-root=/nonexistent", "defects.xml",
                                  "sharing.errors.xml").stdout)
        for result in document["runs"][0]["results"]:
            self.assertTrue(result["message"]["text"])
            place = result["locations"][0]["physicalLocation"]
            self.assertRegex(place["artifactLocation"]["uri"], r"^src/\w+\.c$")
            self.assertEqual(place["artifactLocation"]["uriBaseId"], "SRCROOT")
            self.assertRegex(result["partialFingerprints"]["memspy/v1"], "^[0-9a-f]{16}$")

    def test_own_places(self) -> None:
        """A finding in a header of the system stands at the line of the program that uses it, in all formats for editors and
        code hosts; --own makes other code the program's own."""
        frame = """<frame><ip>0x1091CC</ip><obj>/nonexistent/demo</obj><fn>fetch_add</fn><dir>/usr/include/c++/12/bits</dir>
            <file>atomic_base.h</file><line>618</line></frame>"""
        text = (DATA / "defects.xml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "errors.xml")
            path.write_text(re.sub(r"(<ip>0x1091CC</ip>)", r"@\1", text, count=1).replace("<frame>\n      @", f"{frame}<frame>", 1))
            for own, place in ((), "/nonexistent/src/demo.c"), (("--own=*/atomic_base.h",), "/usr/include/c++/12/bits/atomic_base.h"), \
                    (("--own=!*/demo.c",), "/usr/include/c++/12/bits/atomic_base.h"):
                lines = run("export", "--to=lines", *own, str(path)).stdout
                self.assertTrue(lines.startswith(f"{place}:"), lines)
                quality = json.loads(run("export", "--to=codequality", *own, str(path)).stdout)
                self.assertEqual(quality[0]["location"]["path"], place)
                document = json.loads(run("export", "--to=sarif", *own, str(path)).stdout)
                found = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
                self.assertTrue(found.replace("%2B", "+").endswith(place), found)

    def test_out_of_tree(self) -> None:
        """A build system that works in a folder of its own names sources from there; the exports name them as the repository
        does, with a root that ends in a slash, too."""
        text = (DATA / "defects.xml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "errors.xml")
            for dir_, file in ("/nonexistent/build/x", "../../src/./demo.c"), ("/nonexistent/build/../src", "demo.c"):
                path.write_text(text.replace("<dir>/nonexistent/src</dir>", f"<dir>{dir_}</dir>").replace(">demo.c<", f">{file}<"))
                for root in "/nonexistent", "/nonexistent/", "/nonexistent/src/..":
                    quality = json.loads(run("export", "--to=codequality", f"--source-root={root}", str(path)).stdout)
                    self.assertEqual({each["location"]["path"] for each in quality}, {"src/demo.c"})
                    document = json.loads(run("export", "--to=sarif", f"--source-root={root}", str(path)).stdout)["runs"][0]
                    self.assertEqual(document["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///nonexistent/")
                    for result in document["results"]:
                        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/demo.c")

    def test_flames(self) -> None:
        folded = dict(line.rsplit(" ", 1) for line in
                      run("export", "--to=folded", "--names=no", "one.xml").stdout.splitlines())
        self.assertEqual(folded["pool_main;pool_run;search"], "79000")
        document = json.loads(run("export", "--to=speedscope", "--names=no", "one.xml").stdout)
        frames = len(document["shared"]["frames"])
        for profile in document["profiles"]:
            self.assertEqual(len(profile["samples"]), len(profile["weights"]))
            self.assertEqual(sum(profile["weights"]), profile["endValue"])
            self.assertTrue(all(0 <= frame < frames for sample in profile["samples"] for frame in sample))

    def test_names_of_functions(self) -> None:
        """Code's authors know no names of compilers; of a program without symbols the library's function that needs a
        block is told, and of what has no name the place in its file."""
        text = (DATA / "one.xml").read_text().replace('fn="search"', 'fn="search(int*) [clone ._omp_fn.0]"')
        text = text.replace("/nonexistent/libpool.so", "/usr/lib/libpool.so").replace('dir="/nonexistent/src" file="pool.c"', "")
        text = re.sub(r'fn="main" dir="/nonexistent/src" file="search.c" line="\d+"', "", re.sub(r' line="(12|20|40|50)"', "", text))
        text = text.replace('    <stack id="12">\n', """    <stack id="12">
      <frame ip="0x5001310" module="1" offset="0x1310" fn="pool_Malloc"/>\n""")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "stripped.xml")
            path.write_text(text)
            found = json.loads(run("export", "--to=json", "--names=no", str(path)).stdout)["profile"]
        stacks = {stack["id"]: stack["frames"] for stack in found["stacks"]}
        self.assertEqual(stacks[4][0]["name"], "search")
        self.assertEqual([frame.get("foreign", False) for frame in stacks[4]], [False, True, True])
        self.assertEqual([frame.get("foreign", False) for frame in stacks[12]], [True, True, False])
        self.assertEqual(found["objects"][1]["label"], "heap blocks of pool_new (in libpool.so)")

    def test_junit_and_codequality(self) -> None:
        suites = ElementTree.fromstring(run("export", "--to=junit", "defects.xml").stdout)
        self.assertEqual([len(suite.findall("testcase/failure")) for suite in suites], [4])
        findings = json.loads(run("export", "--to=codequality", "defects.xml", "defects.xml").stdout)
        self.assertEqual(len({finding["fingerprint"] for finding in findings}), 8)
        for finding in findings:
            self.assertIn(finding["severity"], ("info", "minor", "major", "critical", "blocker"))


class Differences(unittest.TestCase):
    """What changes by chance is no difference."""

    def test_objects_of_a_finding(self) -> None:
        """A finding on counters is the one on counters and another object, whatever its figure; on other objects it is new."""
        text = (DATA / "sharing.errors.xml").read_text()
        name = "False sharing inside counters"
        self.assertIn(name, text)
        with tempfile.TemporaryDirectory() as folder:
            before, same, other = (Path(folder, each) for each in ("before", "same", "other"))
            before.write_text(text.replace(name, f"{name}: 2.5 x on 3 threads"))
            same.write_text(text.replace(name, "False sharing between counters and totals: 2.7 x on 3 threads"))
            other.write_text(text.replace(name, "False sharing inside totals: 2.5 x on 3 threads"))
            for file, code in (same, 0), (other, 1):
                result = run("diff", "--fail-on=new", str(before), str(file))
                self.assertEqual(result.returncode, code, result.stdout)

    def test_interval(self) -> None:
        """With several runs before, a count in their interval is the same; one outside is worse, and an error for export."""
        with tempfile.TemporaryDirectory() as folder:
            failures = str(Path(folder, "failures.xml"))
            result = run("diff", "--fail-on=new,regress:5", f"--failures={failures}", "--names=no", "one.xml", "two.xml")
            self.assertEqual(result.returncode, 1, result.stdout)
            lines = run("export", "--to=lines", failures).stdout
            self.assertIn("Regression", lines)
            same = run("diff", "--fail-on=new,regress:5", f"--failures={failures}", "--names=no", "one.xml", "two.xml", "one.xml")
            self.assertEqual(same.returncode, 0, same.stdout)
            self.assertEqual(run("export", "--to=lines", failures).stdout, "")
            only = run("diff", "--only=zeros", "--fail-on=new,regress:5", "--names=no", "one.xml", "two.xml")
            self.assertNotIn("Objects", only.stdout)


class Tables(unittest.TestCase):
    """Tables for programs: any records of any section, and those of the other commands."""

    @staticmethod
    def rows(*arguments: str) -> list[dict[str, str]]:
        result = run("table", "--names=no", "--format=tsv", *arguments)
        lines = [line.split("\t") for line in result.stdout.splitlines()]
        assert result.returncode == 0 and lines, result.stderr
        return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]

    def test_records(self) -> None:
        """Each record that the file has is a row, each attribute a column; parts are part.name, references are names."""
        wanted = ElementTree.parse(DATA / "one.xml").getroot().findall("contention/row")
        rows = self.rows("contention.rows", "one.xml")
        self.assertEqual([row["loads"] for row in rows], [row.get("loads", "0") for row in wanted])
        views = [row.find("modelled") for row in wanted]
        self.assertEqual([row["modelled.invalidations"] for row in rows],
                         ["0" if view is None else view.get("invalidations", "0") for view in views])
        self.assertEqual(rows[0]["object"], "counters")
        self.assertTrue(rows[0]["stack.line"].isdigit())

    def test_sums(self) -> None:
        """Whatever records are summed by, the sums of a column are those of the records."""
        for table in ("contention.rows", "zeros.rows"):
            whole = sum(int(row["loads"]) for row in self.rows(table, "one.xml"))
            for by in ("line", "function", "module", "object", "thread"):
                rows = self.rows(table, "one.xml", f"--by={by}", "--sort=loads")
                numbers = [int(row["loads"]) for row in rows]
                self.assertEqual((sum(numbers), numbers), (whole, sorted(numbers, reverse=True)))
        self.assertEqual(self.rows("contention.rows", "one.xml", "two.xml", "--by=thread")[0].keys(),
                         self.rows("contention.rows", "one.xml", "--by=thread")[0].keys())

    def test_several(self) -> None:
        """The first line names columns; an empty line and the table's name stand before the second and later tables."""
        first, *others = run("text", "--names=no", "--format=tsv", "one.xml").stdout.split("\n\n")
        self.assertEqual(first.splitlines()[0].split("\t"), "kind finding removable object what figures advice end-without".split())
        names = [table.splitlines()[0] for table in others]
        self.assertEqual(names, [f"#table\t{name}" for name in (
            "contention.waits", "contention.by-object", "contention.by-object-and-code", "contention.by-thread",
            "zeros.by-code", "zeros.by-object")])
        for table in [first, *("\n".join(table.splitlines()[1:]) for table in others)]:
            self.assertEqual(len({line.count("\t") for line in table.splitlines()}), 1)

    def test_unknown(self) -> None:
        for arguments in (["nonsense", "one.xml"], ["contention.rows"], ["contention.nonsense", "one.xml"],
                          ["contention.rows", "one.xml", "--sort=nonsense"]):
            result = run("table", "--names=no", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("contention", result.stderr + "contention" * ("no column" in result.stderr))


class Locality(unittest.TestCase):
    """memspy-report locality: scores, and those of merged profiles, which are of the accesses of all."""

    def rows(self, *arguments: str) -> list[list[str]]:
        result = run("locality", "--format=tsv", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [line.split("\t") for line in result.stdout.splitlines()]

    def test_scores(self) -> None:
        self.assertEqual(self.rows("one.xml"), [
            ["stream", "name", "accesses", "spatial", "temporal", "sampled", "error", "spatial_error", "temporal_error"],
            ["all", "all", "100", "0.50000", "0.58750", "1.00000", "0", "0", "0"],
            ["thread", "thread 2", "50", "-", "-", "0", "0", "0", "0"],
            ["object", "counters", "80", "0.00000", "0.00000", "0.50000", "0", "0", "0"],
            ["function", "search", "20", "-", "-", "0", "0", "0", "0"],
            ["line", "search.c:33", "10", "-", "-", "0", "0", "0", "0"]])
        self.assertEqual(self.rows("one.xml", "--stream=all", "--table=misses"),
                         [["stream", "name", "8", "16", "32"], ["all", "all", "1.00000", "0.60000", "0.40000"]])

    def test_objects(self) -> None:
        self.assertEqual(self.rows("one.xml", "--table=access"),
                         [["object", "size", "kind", "creator", "file", "function", "block", "thread 2"],
                          ["counters", "32", "static", "-", "-", "-", "-", "-"]])
        self.assertEqual(self.rows("one.xml", "--table=zones")[1:],
                         [["counters", "thread 2", "search", "0-8 16-32", "0-8"]])

    def test_merged(self) -> None:
        """spatial (50 + 75) / 400; temporal (40 + 20 * 15/16 + 60 + 90 * 14/16) / 400."""
        self.assertIn(["all", "all", "400", "0.31250", "0.49375", "1.00000", "0", "0", "0"], self.rows("one.xml", "two.xml"))
        self.assertIn(["object", "counters", "160", "0.00000", "0.00000", "0.50000", "0", "0", "0"], self.rows("one.xml", "two.xml"))
        self.assertEqual(self.rows("one.xml", "two.xml", "--table=zones")[1:],
                         [["counters", "thread 2", "search", "0-12 16-32", "0-8"]])

    MAPS = """<map object="1" thread="2" fn="search" begin="100" step="16" row-bytes="8" accesses="9" read="0-1:A.B" written="3:.D"/>
        <map object="1" thread="3" fn="insert" begin="132" step="32" first-byte="16" row-bytes="8" accesses="9" read="0:2C"/>"""

    def map(self, *arguments: str, maps: str = MAPS) -> subprocess.CompletedProcess[str]:
        text = (DATA / "one.xml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "maps.xml")
            path.write_text(text.replace("</locality>", maps + "</locality>").replace("</threads>", '<thread id="3" guest-thread="3"/></threads>'))
            return run("map", str(path), *arguments)

    def test_map(self) -> None:
        """Maps of cells of different sizes are one picture of the larger ones, each cell where it belongs; and pictures of parts."""
        cells = [line.split("\t")[1:] for line in self.map("--format=tsv").stdout.splitlines()]
        # use, first byte, bytes, first instruction, instructions, about how many
        self.assertEqual(cells, [
            ["use", "first-byte", "bytes", "begin", "instructions", "accesses"],
            ["read", "0", "8", "100", "32", "1"], ["read", "0", "8", "132", "32", "3"],
            ["read", "8", "8", "100", "32", "1"], ["read", "8", "8", "132", "32", "3"],
            ["read", "16", "8", "132", "32", "6"], ["read", "16", "8", "164", "32", "6"],
            ["write", "24", "8", "100", "32", "12"]])
        self.assertEqual([line.split("\t")[0] for line in self.map("--format=tsv", "--by=thread").stdout.splitlines()[1:]],
                         ["counters, thread 2"] * 5 + ["counters, thread 3"] * 2)
        self.assertEqual(len(self.map("--format=tsv", "--function=insert").stdout.splitlines()), 3)
        text = self.map("--thread=2").stdout
        self.assertIn("counters: about 8 reads and 12 writes; down: bytes, 8 a line; right: instructions, 16 a character\n", text)
        self.assertIn("reads\n       0 |. -|\n       8 |. -|\n      16 |   |\n      24 |   |\n", text)
        self.assertIn("writes\n       0 |   |\n       8 |   |\n      16 |   |\n      24 | @ |\n", text)

    def test_map_nonsense(self) -> None:
        """Cells that make no sense are left out; objects without maps are told of."""
        for cells in ("", "x", "0", "0:", "300:A", "0:999999999999999999999A", "5-2:A", "0:.", "0:5", "9-1"):
            for numbers in ('begin="1" step="16" row-bytes="8"', 'begin="18446744073709551615" step="1" row-bytes="18446744073709551615"'):
                result = self.map(maps=f'<map object="1" thread="2" fn="f" {numbers} accesses="1" read="{cells}"/>')
                self.assertIn(result.returncode, (0, 2), result.stderr)
        self.assertIn("there is no map", self.map("--object=nothing").stderr)

    def test_map_image(self) -> None:
        """A PNG: its chunks have right checksums, its pixels are as many as it says."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "map.png")
            self.assertEqual(self.map("--format=png", f"--output={path}").returncode, 0)
            data = path.read_bytes()
        self.assertTrue(data.startswith(b"\x89PNG\r\n\x1a\n"))
        at, chunks = 8, {}
        while at < len(data):
            length, name = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
            self.assertEqual(zlib.crc32(data[at + 4:at + 8 + length]), int.from_bytes(data[at + 8 + length:at + 12 + length], "big"))
            chunks[name] = data[at + 8:at + 8 + length]
            at += length + 12
        width, height = (int.from_bytes(chunks[b"IHDR"][i:i + 4], "big") for i in (0, 4))
        self.assertEqual(list(chunks), [b"IHDR", b"PLTE", b"IDAT", b"IEND"])
        self.assertEqual(len(zlib.decompress(chunks[b"IDAT"])), (width + 1) * height)

    def test_diff(self) -> None:
        """What is compared of a function are first uses and distances over 2^16, here 1,000 + 500 and 1,000 + 5,000."""
        stream = '<stream kind="function" name="search" fn="search" accesses="20" stores="20"/>'
        text = (DATA / "one.xml").read_text()
        self.assertIn(stream, text)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for far in (500, 5000):
                files.append(str(Path(folder, f"{far}.xml")))
                Path(files[-1]).write_text(text.replace(stream, f"""{stream[:-2]} spatial="0" temporal="0" followed="1">
                    <reuses far="1000">{"7 " * 17}{far}</reuses></stream>"""))
            result = run("diff", "--format=tsv", *files)
        self.assertIn("#table\tdiff.locality-by-function\nstate\tbefore\tafter\twhat\ttable\n"
                      "changed\t1500\t6000\tsearch\tlocality-by-function\n", result.stdout)

    def test_errors(self) -> None:
        """A sampled score of 10,000 accesses and a variance of 4: the standard error is 100 * 2 / 10,000. Of two such runs, merged,
        it is 100 * sqrt(8) / 20,000."""
        stream = '<stream kind="function" name="search" fn="search" accesses="20" stores="20"/>'
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "sampled.xml")
            path.write_text((DATA / "one.xml").read_text().replace(
                stream, f"""{stream[:-2]} spatial="0.5" temporal="0" followed="1" near="500000000" spatial-variance="4">
                <reuses far="10000"></reuses></stream>"""))
            row = ["function", "search", "20", "0.50000", "0.00000", "1.00000", "0", "0.02000", "0"]
            self.assertIn(row, self.rows(str(path)))
            self.assertEqual(self.rows(str(path), str(path), "--stream=function")[1][7], "0.01414")
            plain = run("locality", str(path), "--stream=function").stdout
        self.assertRegex(plain, r"spatial +temporal +sampled +error\n")
        self.assertRegex(plain, r"search +20 +0\.500 ±0\.020 +0\.00000 ")

    def test_diff_of_scores(self) -> None:
        """Scores that changed by more than two standard errors of the difference, and by a hundredth; a lower one is worse."""
        stream = '<stream kind="function" name="search" fn="search" accesses="20" stores="20"/>'

        def differs(before: tuple[float, int], after: tuple[float, int], *options: str) -> tuple[int, list[str]]:
            files = []
            with tempfile.TemporaryDirectory() as folder:
                for name, (score, variance) in (("before", before), ("after", after)):
                    files.append(str(Path(folder, f"{name}.xml")))
                    Path(files[-1]).write_text((DATA / "one.xml").read_text().replace(
                        stream, f"""{stream[:-2]} spatial="{score}" temporal="0" followed="1" spatial-variance="{variance}">
                        <reuses far="10000"></reuses></stream>"""))
                result = run("diff", "--format=tsv", *options, *files)
            return result.returncode, [line for line in result.stdout.splitlines() if line.startswith("changed")]

        row = ["changed\t0.50000\t0.44000\tsearch\tlocality-spatial"]
        self.assertEqual(differs((0.5, 4), (0.44, 4)), (0, row))  # 0.06 > 2 * 0.0283
        self.assertEqual(differs((0.5, 4), (0.45, 4)), (0, []))
        self.assertEqual(differs((0.5, 0), (0.491, 0)), (0, []))
        self.assertEqual(differs((0.5, 0), (0.44, 0)), (0, row))
        self.assertEqual(differs((0.5, 0), (0.44, 0), "--fail-on=regress:10")[0], 1)
        self.assertEqual(differs((0.5, 0), (0.44, 0), "--fail-on=regress:15")[0], 0)
        self.assertEqual(differs((0.44, 0), (0.5, 0), "--fail-on=regress:10")[0], 0)

    def test_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "none.xml")
            path.write_text(re.sub(r"  <locality .*</locality>\n", "", (DATA / "one.xml").read_text(), flags=re.DOTALL))
            result = run("locality", str(path))
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("run the program with --locality=yes or exact", result.stderr)


class Cost(unittest.TestCase):
    def test_diff(self) -> None:
        """Cycles of objects by name; the heap's small blocks are one of them."""
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for cycles in (1000, 3000):
                files.append(str(Path(folder, f"{cycles}.xml")))
                Path(files[-1]).write_text(re.sub(r"(?=</memspy-profile>)", f"""
                  <cost machine="m" nodes="1" min-block="4096" assumptions="none">
                    <cost-object object="1" first-touch="0" first-thread="1" loads="90" cycles="{cycles}"/>
                    <cost-object first-touch="0" first-thread="1" loads="5" cycles="{5000 - cycles}"/>
                  </cost>""", (DATA / "one.xml").read_text()))
            result = run("diff", "--format=tsv", *files)
        self.assertIn("#table\tdiff.cost-by-object\nstate\tbefore\tafter\twhat\ttable\n"
                      "changed\t1000\t3000\tcounters\tcost-by-object\n"
                      "changed\t4000\t2000\tsmall blocks\tcost-by-object\n", result.stdout)

    def test_threads_and_placement(self) -> None:
        """--by=thread has a row for each object and thread, the highest cost first; the text has what other homes would change, and
        no replicas of an object that is stored to."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "cost.xml")
            path.write_text(re.sub(r"(?=</memspy-profile>)", """
              <cost machine="m" nodes="2" min-block="4096" assumptions="none">
                <cost-object object="1" first-touch="0" first-thread="1" loads="18" cycles="800"/>
                <cost-use object="1" thread="1" loads="4" cycles="100" local="2"/>
                <cost-use object="1" thread="2" loads="14" stores="3" cycles="700" local="1" remote="40" transfers="5"/>
                <cost-placement object="1" advice="touch-by-users" lines="43" remote="40" remote-touched="2" remote-interleaved="21"
                  busiest="43" busiest-interleaved="22" late-stores="3" touched-saves="3800" interleaved-saves="1900"/>
              </cost>""", (DATA / "one.xml").read_text()))
            rows = [line.split("\t") for line in run("cost", "--by=thread", "--format=tsv", str(path)).stdout.splitlines()]
            self.assertEqual(rows, [
                "object kind thread loads stores cycles local remote transfers".split(),
                "counters static 2 14 3 700 1 40 5".split(),
                "counters static 1 4 0 100 2 0 0".split()])
            text = run("cost", str(path)).stdout
            self.assertRegex(text, r"counters +43 +40 +2 +3,800 +21 +1,900 +stored to +43 +22 +touch-by-users\n")

    def test_tree(self) -> None:
        """By object: where it was allocated, then where it is accessed; by code: calls, then objects. Each row has the sums of the
        rows below it, the highest come first, what is less than --least is left out, and --own says which frames are shown. Without
        debug information these are all of the program's, and none of a replaced function's."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "cost.xml")
            path.write_text(re.sub(r"(?=</memspy-profile>)", """
              <cost machine="m" nodes="1" min-block="4096" assumptions="none">
                <cost-object object="2" first-touch="0" first-thread="1" loads="18" cycles="800"/>
                <cost-row object="2" stack="4" loads="9" cycles="300" l1-misses="3"/>
                <cost-row object="2" stack="8" loads="9" cycles="500" l1-misses="4" remote="1"/>
                <cost-row object="1" stack="4" loads="9" cycles="190" llc-misses="2"/>
                <cost-row stack="8" loads="1" cycles="10"/>
              </cost>""", (DATA / "one.xml").read_text()))

            def tree(*options: str) -> list[list[str]]:
                result = run("cost", "--format=tsv", *options, str(path))
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                titles, *rows = (line.split("\t") for line in result.stdout.splitlines())
                self.assertEqual(titles, ["depth", "kind", "name", "cycles", "l1_misses", "llc_misses", "remote", "cycles-percent"])
                return [row[:4] for row in rows]

            block = "heap blocks of pool_new (pool.c:50)"
            self.assertEqual(tree("--tree=data", "--least=2"), [
                ["0", "object", block, "800"],
                ["1", "allocation", "main (search.c:58)", "800"],
                ["2", "allocation", "pool_new (pool.c:50)", "800"],
                ["3", "access", "main (search.c:60)", "500"],
                ["4", "access", "pool_push (pool.c:40)", "500"],
                ["3", "access", "pool_main (pool.c:20)", "300"],
                ["4", "access", "pool_run (pool.c:12)", "300"],
                ["5", "access", "search (search.c:33)", "300"],
                ["0", "object", "counters", "190"],
                ["1", "access", "pool_main (pool.c:20)", "190"],
                ["2", "access", "pool_run (pool.c:12)", "190"],
                ["3", "access", "search (search.c:33)", "190"]])
            block = "heap blocks of main (search.c:58)"
            self.assertEqual(tree("--tree=code", "--own=!*:*/search.c"), [
                ["0", "call", "main (search.c:60)", "510"], ["1", "object", block, "500"], ["1", "object", "small blocks", "10"],
                ["0", "call", "search (search.c:33)", "490"], ["1", "object", block, "300"], ["1", "object", "counters", "190"]])
            text = run("cost", "--tree=code", "--least=40", str(path)).stdout
            self.assertIn("  510  51.0 %          4           0       1  main (search.c:60)\n", text)
            self.assertNotIn("counters", text)
            bare = re.sub(r' (?:dir|file|line)="[^"]*"', "", path.read_text()).replace("libpool.so", "vgpreload_memspy.so")
            path.write_text(bare)
            block = "heap blocks of main (in search)"
            self.assertEqual(tree("--tree=data", "--least=40"), [
                ["0", "object", block, "800"],
                ["1", "allocation", "main (in search)", "800"],
                ["2", "access", "main (in search)", "500"]])
            wrong = run("cost", "--tree=code", "--least=x", str(path))
            self.assertEqual((wrong.returncode, wrong.stderr.count("\n")), (2, 1))


class Zeros(unittest.TestCase):
    """Advice on the places of one line: the type that holds the values of all, how many places it is for, the share of zeros over
    all that may be skipped."""

    def test_advice_of_places(self) -> None:
        def row(stack: int, zero: int, *advice: str) -> str:
            return (f'<row stack="{stack}" type="integer" bytes="8" lanes="1" loads="100" elements="100" redundant="400" zero="{zero}"'
                    f' threads="1"><redmap>1 1 1 1 1 1 1 1</redmap>{"".join(advice)}</row>')

        def narrow(name: str) -> str:
            return f'<advice kind="narrow" type="{name}">every value fits {name}, it has 8 bytes</advice>'

        def skip(zero: int) -> str:
            return f'<advice kind="skip">{zero}.0% of the values are zero: test for zero and skip the calculation</advice>'

        constant = '<advice kind="constant">every value is zero</advice>'
        rows = row(4, 60, narrow("uint8_t"), skip(60)), row(4, 80, narrow("uint16_t"), skip(80)), row(4, 100, constant), row(4, 0)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "zeros.xml")
            text = (DATA / "one.xml").read_text()
            text = re.sub(r'<row stack="4" type="integer".*?</row>', "".join(rows), text, flags=re.DOTALL)
            path.write_text(text)
            result = run("text", "--names=no", str(path))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            (line,) = [each for each in result.stdout.splitlines() if "integer of 8" in each]
            self.assertTrue(line.endswith(
                "search (search.c:33)  at 2 of 4 places 70.0% of the values are zero: test for zero and skip the calculation; "
                "at 3 of 4 places every value fits uint16_t, it has 8 bytes"), line)


class Mpi(unittest.TestCase):
    """memspy-report mpi over the profiles of ranks: rows, bytes from rank to rank, who waited, and who is missing."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = [str(Path(folder.name) / f"{rank}.xml") for rank in (0, 1)]
        # Each sends the other ten messages; the second comes to the barrier 700 microseconds after the first, and gets
        # from the first's window.
        for rank, file in enumerate(self.files):
            calls = f"""<call rank="{rank}" number="1" name="MPI_Send" pattern="point to point" stack="4"
                communicator="1" calls="10" sent="{4000 + rank}" microseconds="1500"><sizes below="512" calls="10"/></call>
              <call rank="{rank}" number="2" name="MPI_Barrier" pattern="all to all" stack="8" communicator="1"
                calls="1" microseconds="{800 if rank == 0 else 100}"/>"""
            begin = 1000 if rank == 0 else 700
            fetched = ' fetched="96"' if rank else ""
            Path(file).write_text(f"""<memspy-profile format="1" version="0.1" valgrind="3.19" finished="yes" made-by="exit">
              <run pid="{rank + 1}" ppid="1" start="2026-01-02T03:04:01.000Z" end="2026-01-02T03:04:09.000Z" arch="amd64">
                <command><exe>./ring</exe></command><options/></run>
              <modules><module id="1" path="/nonexistent/ring" build-id="aa" bias="0x0" begin="0x0" end="0x9000"/></modules>
              <stacks>
                <stack id="4"><frame ip="0x100" module="1" offset="0x100" fn="pass" dir="/src" file="ring.c" line="7"/></stack>
                <stack id="8"><frame ip="0x200" module="1" offset="0x200" fn="main" dir="/src" file="ring.c" line="20"/></stack>
              </stacks><objects/><threads/>
              <mpi><rank rank="{rank}" size="3" open-requests="{rank + 1}" began="{5000 + 1000 * rank}"/>
                <communicator rank="{rank}" number="1" name="MPI_COMM_WORLD" size="3" group="0xa"/>
                {calls}<peer rank="{rank}" peer="{1 - rank}" sent="{4000 + rank}"{fetched}/>
                <collectives rank="{rank}">1 2 {begin} {begin + (800 if rank == 0 else 100)}</collectives>
              </mpi></memspy-profile>""")

    def rows(self, *arguments: str) -> list[list[str]]:
        result = run("mpi", "--names=no", "--format=tsv", *arguments, *self.files)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [line.split("\t") for line in result.stdout.splitlines()]

    def test_wire(self) -> None:
        machine = Path(self.files[0]).with_name("machine.json")
        times = [{"bytes": 1, "one_way_ns": 1000.0}, {"bytes": 1001, "one_way_ns": 3000.0}]
        network = {"pairs": [{"nodes": ["a", "a"], "times": times}, {"nodes": ["a", "b"], "times": []}],
                   "collectives": [{"call": "MPI_Barrier", "times": [{"bytes": 0, "ns": 5000.0}]}]}
        machine.write_text(json.dumps({"format": "memspy-machine 1", "network": network}))
        rows = self.rows(f"--machine={machine}")
        column = rows[0].index("wire")
        # Two ranks send ten messages of some 400 bytes each, and come to one barrier.
        self.assertEqual({row[1]: row[column] for row in rows[1:]}, {"MPI_Send": "0.000035", "MPI_Barrier": "0.000010"})
        machine.write_text("{}")
        result = run("mpi", f"--machine={machine}", self.files[0])
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
        self.assertIn("has no network", result.stderr)

    def test_rows(self) -> None:
        self.assertEqual(self.rows(), [
            "pattern call context calls bytes seconds waiting ranks seconds_min seconds_max slowest_rank imbalance work_max busiest_rank "
            "late_sender late_receiver sizes".split(),
            ["point to point", "MPI_Send", "pass (ring.c:7)", "20", "8001", "0.003000", "0.000000", "2", "0.001500",
             "0.001500", "0", "0.000000", "-", "-", "0.000000", "0.000000", "512:20"],
            # It begins at 6,000 and at 6,700.
            ["all to all", "MPI_Barrier", "main (ring.c:20)", "2", "0", "0.000900", "0.000700", "2", "0.000100",
             "0.000800", "0", "0.000700", "-", "-", "0.000000", "0.000000", ""]])
        by_rank = self.rows("--ranks")
        self.assertEqual(by_rank[0][7:], ["rank", "late_sender", "late_receiver", "sizes"])
        self.assertEqual([(row[1], row[4], row[6], row[7]) for row in by_rank[1:]],
                         [("MPI_Send", "4000", "0.000000", "0"), ("MPI_Send", "4001", "0.000000", "1"),
                          ("MPI_Barrier", "0", "0.000700", "0"), ("MPI_Barrier", "0", "0.000000", "1")])

    def test_longest_waits(self) -> None:
        """When each rank waited, and for whom: in the barrier, which begins at 6,000, for the second rank; then for its messages,
        that are sent 300 and 100 microseconds after the receives begin. A message that was there is no wait."""
        for file, events in zip(self.files, ("<receives rank='0'>1 1 0 1 2000 2000 2400 1 1 0 1 3000 3000 3400 1 1 0 1 4000 4000 4100</receives>",
                                             "<sends rank='1'>1 0 0 1 1300 1310 1 0 0 1 2100 2110 1 0 0 1 2500 2510</sends>")):
            Path(file).write_text(Path(file).read_text().replace("<collectives", events + "<collectives"))
        exported = json.loads(run("export", "--to=json", "--names=no", *self.files).stdout)["profile"]["mpi"]
        self.assertEqual([tuple(wait.values()) for wait in exported["longest-waits"]],
                         [(0, 2, 6000, 700, 1), (0, 1, 7000, 300, 1), (0, 1, 8000, 100, 1)])

    def test_matrix(self) -> None:
        """Bytes that the second fetched from the first went from the first to the second. What a rank without a profile
        gave is not known, but for what others fetched from it."""
        self.assertEqual(self.rows("--matrix"), [["rank", "0", "1", "2"], ["0", "0", "4096", "0"],
                                                 ["1", "4001", "0", "0"], ["2", "-", "-", "-"]])
        del self.files[0]
        self.assertEqual(self.rows("--matrix")[1], ["0", "-", "96", "-"])

    def test_diff(self) -> None:
        """Calls are known again by their names and by the function that makes them, whatever the rank."""
        Path(self.files[1]).write_text(Path(self.files[1]).read_text().replace('calls="10" sent="4001"',
                                                                              'calls="30" sent="9001"'))
        self.assertEqual(run("diff", "--format=tsv", "--floor=1", *self.files).stdout,
                         "state\tbefore\tafter\twhat\ttable\n"
                         "changed\t10\t30\tMPI_Send  at pass (ring.c)\tmpi-calls\n\n"
                         "#table\tdiff.mpi-bytes\nstate\tbefore\tafter\twhat\ttable\n"
                         "changed\t4000\t9001\tMPI_Send  at pass (ring.c)\tmpi-bytes\n")

    def test_missing(self) -> None:
        """Ranks without a profile are named, and requests that stayed open counted."""
        self.assertIn("There is no profile of rank 2.\n3 requests were begun and never completed.\n",
                      run("mpi", "--names=no", *self.files).stdout)
        alone = run("mpi", "--names=no", self.files[1]).stdout
        self.assertIn("There is no profile of rank 0, 2.\n", alone)
        self.assertIn("No process of these profiles called MPI.", run("mpi", "--names=no", "one.xml").stdout)

    def test_merged(self) -> None:
        """A merged profile has the same content as its profiles together."""
        before = self.rows(), self.rows("--matrix")
        merged = Path(self.files[0]).with_name("merged.xml")
        merged.write_text(run("merge", *self.files).stdout)
        self.files = [str(merged)]
        self.assertEqual((self.rows(), self.rows("--matrix")), before)


class Schema(unittest.TestCase):
    """docs/profile.rng and the tables of fields name the same elements and attributes."""

    def test_names(self) -> None:
        namespace = "{http://relaxng.org/ns/structure/1.0}"
        schema = ElementTree.parse(SOURCE / "docs/profile.rng").getroot()
        defined = {each.get("name"): each for each in schema.iter(namespace + "define")}

        def attributes(node: ElementTree.Element) -> set[str]:
            """Of an element, not of those inside it."""
            found: set[str] = set()
            for each in node:
                if each.tag == namespace + "attribute":
                    found.add(str(each.get("name")))
                elif each.tag == namespace + "ref":
                    found |= attributes(defined[each.get("name")])
                elif each.tag != namespace + "element":
                    found |= attributes(each)
            return found

        in_schema: dict[str, set[frozenset[str]]] = {}
        for element in schema.iter(namespace + "element"):
            in_schema.setdefault(str(element.get("name")), set()).add(frozenset(attributes(element)))
        for table in sorted((SOURCE / "memspy/common/fields").glob("*.def")):
            types: dict[str, set[str]] = {}
            used: list[tuple[str, str]] = []
            kinds: dict[str, list[str]] = {}
            section = ""
            for line in table.read_text().splitlines():
                words = re.fullmatch(r"(\w+)\((.*)\)", line)
                if not words:
                    continue
                arguments = [word.strip() for word in words[2].split(",")]
                if words[1] == "ELEMENT":
                    fields = types[arguments[0]] = set()
                elif words[1] in ("FIELD", "FIELD_OR"):
                    fields.add(arguments[2].strip('"'))
                elif words[1] == "WRITTEN":
                    fields.add(arguments[1].strip('"'))
                elif words[1] == "PROCESSES":
                    fields.add("processes")
                elif words[1] == "KINDS":
                    kinds[list(types)[-1]] = [word.strip('"') for word in arguments[2:]]
                elif words[1] == "DOCUMENT":
                    used.append((arguments[0], arguments[1].strip('"')))
                elif words[1] == "HELD" and arguments[0] not in kinds:
                    used.append((arguments[0], arguments[2].strip('"')))
                elif words[1] in ("PART", "LIST"):
                    used.append((arguments[0], arguments[2].strip('"')))
                elif words[1] == "SECTION":
                    section = arguments[0].strip('"')
                elif words[1] == "RECORD":
                    used.append((arguments[0], arguments[1].strip('"') or section))
            self.assertTrue(used)
            for name, element in used:
                self.assertIn(frozenset(types[name]), in_schema.get(element, set()), f"{table.name}: <{element}>")
            # A record of several kinds has the attributes of all of them.
            for name, elements in kinds.items():
                together = frozenset[str]().union(*(next(iter(in_schema[element])) for element in elements))
                self.assertEqual(together, types[name], f"{table.name}: {name}")


class JsonSchema(unittest.TestCase):
    """docs/report.schema.json is made of the exporter's tables, and what is exported is as it says."""

    def test_file(self) -> None:
        self.assertEqual(json_schema.FILE.read_text(), json_schema.text_of(json_schema.make()),
                         "tests/report/json_schema.py --write makes it")

    def test_documents(self) -> None:
        schema = json.loads(json_schema.FILE.read_text())
        with tempfile.TemporaryDirectory() as folder:
            merged = str(Path(folder, "merged.xml"))
            self.assertEqual(run("merge", "one.xml", "two.xml", "-o", merged).returncode, 0)
            for files in (["one.xml", "defects.xml"], ["defects.xml", "sharing.errors.xml"], [merged]):
                json_schema.check(json.loads(run("export", "--to=json", *files).stdout), schema, schema)

    def test_wrong_documents(self) -> None:
        """A member that is new, missing or of another type is told."""
        schema = json_schema.make()
        whole = run("export", "--to=json", "--names=no", "one.xml", "defects.xml").stdout
        for path, value in (("problems", None), ("profile.news", 1), ("profile.contention.rows.0.thread", "2"), ("profile.runs.0.pid", -1),
                            ("profile.modules.0.bias", "12"), ("profile.finished", 1), ("errors.0.errors.0.stack.0.line", True),
                            ("profile.objects.0.kind", "odd"), ("profile.contention.lines.0.extents.0.object", None)):
            with self.subTest(path), self.assertRaises(json_schema.Wrong):
                json_schema.check(changed(whole, path, value), schema, schema)


class Safety(unittest.TestCase):
    """Damaged or hostile files are refused with file and line; the readable part is used."""

    def read(self, text: str, code: int, message: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "bad.xml")
            path.write_text(text)
            result = run("export", "--to=json", str(path))
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertRegex(result.stderr, message)
            if code == 3:
                self.assertEqual(len(json.loads(result.stdout)["problems"]), 1)

    def test_document_types(self) -> None:
        laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
        for subset in (f'[<!ENTITY l0 "lol">{laughs}]', '[<!ENTITY x SYSTEM "file:///etc/passwd">]',
                       'SYSTEM "http://127.0.0.1:1/x.dtd"'):
            self.read(f'<?xml version="1.0"?>\n<!DOCTYPE memspy-profile {subset}>\n<memspy-profile format="1"/>\n', 2,
                      r"bad\.xml:2: a document type")

    def test_depth(self) -> None:
        text = (DATA / "one.xml").read_text().replace("<modules>", "<modules>" + "<x>" * 500)
        self.read(text, 3, r"bad\.xml:\d+: nested too deep \(read until there: 0 stacks")

    def test_format(self) -> None:
        text = (DATA / "one.xml").read_text().replace('format="1"', 'format="3"')
        self.read(text, 2, r"bad\.xml:2: format 3 is not known here, only 1 to 2")

    def test_frames(self) -> None:
        """What is merged has numbers of frames in the place of frames, and a number that no stack before had is refused."""
        merged = run("merge", "one.xml").stdout
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "merged.xml")
            path.write_text(merged)
            texts = [run("export", "--to=json", "--names=no", file).stdout for file in ("one.xml", str(path))]
            stacks = [json.loads(text)["profile"]["stacks"] for text in texts]
            self.assertTrue(stacks[0])
            self.assertEqual(*([stack["frames"] for stack in several] for several in stacks))
        number = re.search(r'<stack [^>]*frames="(\d+)', merged)
        assert number is not None
        self.read(merged.replace(f'frames="{number[1]}', 'frames="999', 1), 3, r"bad\.xml:\d+: <stack> refers to frame 999, which is not")

    def test_truncated(self) -> None:
        text = (DATA / "one.xml").read_text()
        self.read(text[:text.index("<threads>")], 3, r"bad\.xml:\d+: the file is cut off here, .*run it again for the rest \(read until there: 3 stacks, 4 objects, 0 threads")
        # In the middle of a tag.
        self.read(text[:text.index("<threads>") + 4], 3, r"bad\.xml:\d+: the file is cut off here")
        self.read(text.replace("<threads>", "<threads"), 3, r"bad\.xml:\d+: (?!.*cut off)")
        self.read("", 2, r"bad\.xml: the file is empty")
        self.read("no XML", 2, r"bad\.xml:1: ")

    def test_encodings(self) -> None:
        text = (DATA / "one.xml").read_text()
        self.read(text.replace("UTF-8", "ISO-8859-1", 1), 2, r"bad\.xml:\d+: not in UTF-8")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "bad.xml")
            for data in (text.replace("UTF-8", "UTF-16", 1).encode("utf-16"), b"\xff\xfe\xfc\xff\xff\xff"):
                path.write_bytes(data)
                for command in ("merge", "text"):
                    result = run(command, str(path))
                    self.assertEqual((result.returncode, result.stdout), (2, ""))
                    self.assertRegex(result.stderr, r"^memspy-report: .*bad\.xml:\d+: .*\n$")

    def test_errors_out_of_place(self) -> None:
        """Found by fuzzing: a stack in an <error> in another place."""
        text = (DATA / "defects.xml").read_text()
        first = text.index("<error>")
        text = text[:first] + "<status>" + text[first:text.index("</error>") + 8] + "</status></valgrindoutput>"
        self.read(text, 0, "^$")

    def test_bad_values(self) -> None:
        text = (DATA / "one.xml").read_text()
        for old, new, message in (('thread="2" loads="20000"', 'thread="-2" loads="20000"', '"-2" is not a valid number'),
                                  ('thread="2" loads="20000"', 'thread="99999999999" loads="1"', "is not a valid number here"),
                                  ('ip="0x1091c4"', 'ip="1091c4"', "is not a hexadecimal number"),
                                  ('sharing="yes"', 'sharing="maybe"', "is neither yes nor no"),
                                  ('<row object="1" stack="4" thread="2"', '<row object="1" stack="4"',
                                   "<row> without thread"),
                                  (text[text.index("<model "):text.index("<quality")], "",
                                   "<contention> has <quality> where <model> must come first")):
            self.assertIn(old, text)
            self.read(text.replace(old, new, 1), 3, message)

    def test_references(self) -> None:
        """A profile in which something refers to a stack, object, module or thread that is not there is refused, with the line."""
        text = (DATA / "one.xml").read_text()
        for gone, message in (('<stack id="4"', "<row> refers to stack 4, which is not in the file"),
                              ('<static id="1"', "<row> refers to object 1, which is not in the file"),
                              ('<module id="1"', "<stack> refers to module 1, which is not in the file"),
                              ('<unknown id="5" thread="2"', "<objects> refers to thread 77, which is not in the file"),
                              ('<thread id="1"', "<thread> refers to thread 1, which is not in the file"),
                              ('<thread id="3"', "<row> refers to thread 3, which is not in the file")):
            self.assertIn(gone, text)
            number = re.findall(r'"(\d+)"', gone)[-1]
            self.read(text.replace(gone, gone.replace(f'"{number}"', '"77"'), 1), 3, r"bad\.xml:\d+: " + message)

    def test_names_of_xml(self) -> None:
        """Characters that XML writes as entities are plain characters in names."""
        text = (DATA / "one.xml").read_text().replace('name="counters"', 'name="a&amp;b&lt;c&#38;d&quot;"')
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "names.xml")
            path.write_text(text)
            document = json.loads(run("export", "--to=json", "--names=no", str(path)).stdout)
            self.assertIn('a&b<c&d"', [entry.get("name") for entry in document["profile"]["objects"]])
            self.assertIn('name="a&amp;b&lt;c&amp;d&quot;"', run("merge", str(path)).stdout)

    def test_unknown_elements(self) -> None:
        text = (DATA / "one.xml").read_text().replace("</modules>", "</modules><news><a/>b</news>")
        self.read(text, 0, "<news> is not known here and left out")

    def test_usage(self) -> None:
        for arguments in (["nonsense"], ["text"], ["text", "--nonsense", "one.xml"], ["text", "--sort=x", "one.xml"],
                          ["text", "no_such_file.xml"], ["export", "one.xml"], ["diff", "one.xml"],
                          ["diff", "one.xml", "defects.xml"], ["suppress", "one.xml"],
                          ["export", "--to=memcheck4", "one.xml"]):
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertTrue(result.stderr.startswith("memspy-report: "), arguments)

    def test_unlike_profiles(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder, "other.xml")
            other.write_text((DATA / "two.xml").read_text().replace('line-size="64"', 'line-size="128"'))
            result = run("merge", "one.xml", str(other))
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertRegex(result.stderr, "other.xml: <contention> was measured with another line-size than")


class Merging(unittest.TestCase):
    """Merging random profiles is associative and commutative; one alone stays as it is, byte for byte."""

    def random_profile(self, generator: random.Random, path: Path) -> None:
        base = 0x10000000 + generator.randrange(1000) * 4096
        modules = generator.sample(range(1, 6), generator.randrange(1, 5))
        # A module that is loaded twice is two modules, which are equal in every other file.
        modules.append(modules[0])
        root = ElementTree.Element("memspy-profile", {"format": "1", "version": "0.1", "valgrind": "3.19", "finished":
                                   generator.choice(["yes", "no"]), "made-by": generator.choice(["exit", "dump"])})
        run_element = ElementTree.SubElement(root, "run", {
            "pid": str(generator.randrange(1, 99999)), "ppid": "1", "start": "2026-01-01T00:00:00.000Z",
            "end": "2026-01-01T00:00:01.000Z", "arch": "amd64",
            **({"rank": str(generator.randrange(20)), "ranks": "20"} if generator.random() < 0.7 else {})})
        ElementTree.SubElement(ElementTree.SubElement(run_element, "command"), "exe").text = "./x"
        ElementTree.SubElement(run_element, "options")

        def number(limit: int = 1000) -> str:
            return str(generator.randrange(1, limit))

        def some(**attributes: str) -> dict[str, str]:
            return {name.replace("_", "-"): value for name, value in attributes.items() if value}

        holder = ElementTree.SubElement(root, "modules")
        for i, module in enumerate(modules, 1):
            at = hex(base + i * 0x100000)
            ElementTree.SubElement(holder, "module", some(id=str(i), path=f"/lib/m{module}.so",
                                   build_id=f"{module:04x}" if module != 3 else "", bias=at, begin=at, end=at + "f"))
        holder = ElementTree.SubElement(root, "stacks")
        stacks = sorted(generator.sample(range(1, 200), 12))
        for stack in stacks:
            element = ElementTree.SubElement(holder, "stack", {"id": str(stack)})
            for _ in range(generator.randrange(1, 4)):
                module_id = generator.randrange(0, len(modules) + 1)
                offset = generator.randrange(1, 5)
                ElementTree.SubElement(element, "frame", some(
                    ip=hex(base + module_id * 0x100000 + offset), module=str(module_id) if module_id else "",
                    offset=hex(offset) if module_id else "", fn=f"f{offset}"))
        holder = ElementTree.SubElement(root, "objects")
        objects = range(1, 9)
        for item in objects:
            start = hex(base + generator.randrange(10000))
            if item % 3 == 0:
                ElementTree.SubElement(holder, "heap", some(
                    id=str(item), stack=str(generator.choice(stacks)), by=generator.choice(["malloc", "new"]),
                    guest_thread=number(4), blocks=number(), start=start, size=number()))
            elif item % 3 == 1:
                place = hex(generator.randrange(1, 4))
                ElementTree.SubElement(holder, "static", some(
                    id=str(item), module=str(generator.randrange(1, len(modules) + 1)), offset=place, name="v" + place,
                    start=start, size="8"))
            else:
                ElementTree.SubElement(holder, "unknown", some(id=str(item), name="anonymous mapping", start=start))
        holder = ElementTree.SubElement(root, "threads")
        threads = range(1, generator.randrange(3, 6))
        for thread in threads:
            ElementTree.SubElement(holder, "thread", some(id=str(thread), parent="1" if thread > 1 else "",
                                                          guest_thread=str(thread)))

        def views(element: ElementTree.Element, pair: bool = False) -> None:
            for view in ("observed", "modelled"):
                if generator.random() < 0.7:
                    ElementTree.SubElement(element, view, some(events=number(), false_events=number()) if pair else
                                           some(coherence_misses=number(), false_invalidations=number()))

        holder = ElementTree.SubElement(root, "contention")
        ElementTree.SubElement(holder, "model", {"line-size": "64", "sharing": "yes", "coherence-latency": "0",
                               "interleave": "0", "access-log-bytes": number()}).text = "one core each"
        ElementTree.SubElement(holder, "quality", {"exact": generator.choice(["yes", "no"]), "several-threads": "yes",
                               "threads": number(), "merged": "5", "forced": "0", "lifted": "0"})
        views(ElementTree.SubElement(holder, "total", some(loads=number(), stores=number())))
        for thread in threads:
            views(ElementTree.SubElement(holder, "thread-counts", some(thread=str(thread), loads=number())))
        for _ in range(20):
            views(ElementTree.SubElement(holder, "row", some(
                object=str(generator.choice(objects)), stack=str(generator.choice(stacks)),
                thread=str(generator.choice(threads)), loads=number())))
        for _ in range(5):
            views(ElementTree.SubElement(holder, "pair", some(object=str(generator.choice(objects)),
                                                              thread=str(generator.choice(threads)))), pair=True)
        for i in range(8):
            line = ElementTree.SubElement(holder, "line", {"address": hex(base + i * 64)})
            views(line)
            ElementTree.SubElement(line, "extent", some(object=str(generator.choice(objects)), first="0", bytes="64",
                                   offset=str(generator.randrange(2) * 64), start=hex(base)))
            for _ in range(generator.randrange(4)):
                ElementTree.SubElement(line, "range", some(thread=str(generator.choice(threads)),
                                       first=str(generator.randrange(2) * 8), bytes="8", loads=number()))
        for _ in range(3):
            group = ElementTree.SubElement(holder, "group", some(kind="FalseSharing", finding=generator.choice(
                ["yes", "no"]), removable=number()))
            for item in generator.sample(list(objects), generator.randrange(1, 3)):
                ElementTree.SubElement(group, "member", {"object": str(item)})
            ElementTree.SubElement(group, "side", {"stack": str(generator.choice(stacks)), "thread": "1", "loads": "yes",
                                   "stores": "no"})
            if generator.random() < 0.5:
                ElementTree.SubElement(group, "what").text = "what " + number(3)
                ElementTree.SubElement(group, "figures").text = "figures " + number(3)
        holder = ElementTree.SubElement(root, "zeros", {"mode": "all", "context": "4"})
        for _ in range(5):
            row = ElementTree.SubElement(holder, "row", some(
                stack=str(generator.choice(stacks)), type="integer", bytes="2", lanes="1", loads=number(),
                elements=number(), redundant=number(), threads="1"))
            ElementTree.SubElement(row, "redmap").text = f"{number()} {number()}"
            for kind in generator.sample(["narrow", "skip", "sparse"], generator.randrange(3)):
                ElementTree.SubElement(row, "advice", {"kind": kind}).text = "text " + number(3)
        for item in generator.sample(list(objects), 4):
            element = ElementTree.SubElement(holder, "object-counts", some(object=str(item), blocks="1", size="48",
                                             accessed=number(), redundant=number()))
            ElementTree.SubElement(element, "zero-blocks", some(bytes="8", accessed=number(), zero=number()))
            if generator.random() < 0.5:
                ElementTree.SubElement(element, "zero-rows", some(stride=generator.choice(["16", "24"]), accessed="2"))
            if generator.random() < 0.7:
                ElementTree.SubElement(element, "zero-columns", {"stride": "8"}).text = generator.choice(
                    ["1-3 5-7", "2-6", "0-1 4-7"])
            cell = generator.choice([4, 6, 8])
            ElementTree.SubElement(element, "map", {"cell": str(cell)}).text = " ".join(
                f"{number()}/{number()}" for _ in range(48 // cell))
        holder = ElementTree.SubElement(root, "locality", {"mode": "exact", "accesses": number(), "bursts-one-in": number(3),
                                        "words-one-in": "1"})
        # Functions of one name, in two modules, are two streams.
        things: list[tuple[str, dict[str, str]]] = [
            ("all", {}), ("object", {"object": str(generator.choice(objects))}), ("function", {"fn": "f1"}),
            ("function", {"fn": "f1"}), ("line", {"file": "x.c", "line": "7"})]
        for kind, thing in things:
            scores = some(spatial="0.5", temporal="0.00001", followed="0.25", near=number()) if generator.random() < 0.7 else {}
            stream = ElementTree.SubElement(holder, "stream", {"kind": kind, "name": "name " + number(5), **thing,
                                            "accesses": "1000", "loads": number(), **scores})
            if scores:
                ElementTree.SubElement(stream, "reuses", {"far": number()}).text = " ".join(
                    number() for _ in range(generator.randrange(1, 20)))
        for _ in range(4):
            zone = ElementTree.SubElement(holder, "zones", some(object=str(generator.choice(objects)),
                                          thread=str(generator.choice(threads)), fn="f1"))
            for name in ("read", "written"):
                begin, middle, gap, end = (generator.randrange(1, 5) for _ in range(4))
                ElementTree.SubElement(zone, name, some(joined=generator.choice(["yes", ""]))).text = (
                    f"{begin}-{begin + middle} {begin + middle + gap}-{begin + middle + gap + end}")
        for _ in range(3):
            ElementTree.SubElement(holder, "map", some(object=str(generator.choice(objects)), thread=str(generator.choice(threads)), fn="f1", begin=number(),
                                   step=str(16 << generator.randrange(3)), **{"row-bytes": "4"}, accesses=number(2), read=f"0-1:{number()}.A", written="2:B"))
        ElementTree.SubElement(holder, "advice", some(kind="tiles", object=str(generator.choice(objects)), fn="f1", file="x.c", line="7", accesses=number(),
                               **({"spatial": "0.5", "temporal": "0.25"} if generator.random() < 0.5 else {}), text="text " + number(3)))
        ElementTree.SubElement(holder, "use", some(object=str(generator.choice(objects)), thread=str(generator.choice(threads)), fn="f1", file="x.c", line="7",
                               accesses=number()))
        ElementTree.SubElement(holder, "cache", {"bytes": generator.choice(["32768", "49152"])})
        ElementTree.indent(root)
        path.write_text('<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode").replace(
            " />", "/>") + "\n")

    def merge(self, *files: Path) -> str:
        result = run("merge", *map(str, files))
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_laws(self) -> None:
        for seed in range(25):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                generator = random.Random(seed)
                paths = [Path(folder, f"{name}.xml") for name in "abc"]
                for path in paths:
                    self.random_profile(generator, path)
                    path.write_text(self.merge(path))  # the written form of frames
                a, b, c = paths
                self.assertEqual(self.merge(a), a.read_text(), "alone")
                whole = self.merge(a, b, c)
                self.assertEqual(self.merge(c, a, b), whole, "commutative")
                pair = Path(folder, "pair.xml")
                for first, second, rest in ((a, b, c), (b, c, a), (c, a, b)):
                    pair.write_text(self.merge(first, second))
                    self.assertEqual(self.merge(pair, rest), whole, "associative")
                    self.assertEqual(self.merge(rest, pair), whole, "associative")
                    self.assertEqual(self.merge(pair), pair.read_text(), "a merged one alone")
                self.check_sums(paths, whole)

    def check_sums(self, paths: list[Path], whole: str) -> None:
        """No count is lost or added."""
        def sums(root: ElementTree.Element) -> dict[tuple[str, str], int]:
            totals: dict[tuple[str, str], int] = {}
            for element in root.iter():
                for name, value in element.items():
                    if name in ("loads", "stores", "coherence-misses", "false-invalidations", "events", "blocks",
                                "removable", "redundant", "elements") and value.isdigit():
                        key = (element.tag, name)
                        totals[key] = totals.get(key, 0) + int(value)
            return totals

        expected: dict[tuple[str, str], int] = {}
        for path in paths:
            for key, value in sums(ElementTree.parse(path).getroot()).items():
                expected[key] = expected.get(key, 0) + value
        self.assertEqual(sums(ElementTree.fromstring(whole)), expected)

    def test_processes(self) -> None:
        root = ElementTree.fromstring(self.merge(DATA / "one.xml", DATA / "two.xml"))
        self.assertEqual(len(root.findall("run")), 2)
        counters = root.find("objects/static")
        assert counters is not None
        self.assertEqual(counters.get("processes"), "2")
        # The load address of libpool.so does not matter, but the moved line does.
        self.assertEqual([s.get("processes") for s in root.iterfind("stacks/stack")].count("2"), 2)

    def test_repeated(self) -> None:
        result = run("merge", "one.xml", "one.xml")
        self.assertIn("counted more than once", result.stderr)

    def test_list_of_files(self) -> None:
        result = run("merge", "--files-from=-", stdin="one.xml\ntwo.xml\n")
        self.assertEqual(result.stdout, run("merge", "one.xml", "two.xml").stdout)


def main() -> None:
    global PROGRAM, SOURCE, UPDATE
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    options, rest = parser.parse_known_args()
    PROGRAM, SOURCE, UPDATE = os.path.abspath(options.report), options.source.resolve(), options.update
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
