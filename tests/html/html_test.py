#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""memspy-html without a browser: what it reads, what it puts into a page, how it fails.

Each test says first what it proves.
"""

from __future__ import annotations

import html.parser
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

import samples

ROOT = Path(os.environ["MEMSPY_SOURCE"])
PROGRAM = Path(os.environ["MEMSPY_HTML"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "memspy" / "report" / "html"))

from memspy_html import document, page, problem, reader, sources, tables  # noqa: E402
from memspy_html.sections import contention_layout as layout  # noqa: E402


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="memspy-html-test-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.source = self.directory / "program.c"
        self.source.write_text(samples.SOURCE)

    def write(self, data: Any, name: str = "in.json") -> Path:
        path = self.directory / name
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return path

    def run_html(self, *arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, check=False, cwd=self.directory)

    def page_of(self, data: Any, *options: str) -> str:
        out = self.directory / "out.html"
        result = self.run_html("--json", self.write(data), "-o", out, *options)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"", b""))
        return out.read_text(encoding="utf-8")


class Elements(html.parser.HTMLParser):
    """The elements of a page as a browser makes them, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.inside = True
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "script"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


def data_of(text: str) -> Any:
    return json.loads(Elements(text).scripts[0])


class Document(Scratch):
    def build(self, data: Any) -> Any:
        built = document.Document()
        built.read(reader.Reader(io.StringIO(json.dumps(data)), "test"))
        return json.loads("".join(tables.pieces_of(built.to_json(sources.Sources(True, []), ""))))

    def test_rows_are_added(self) -> None:
        """Rows of one object, stack and thread are one row in the page; objects have the sums of their rows."""
        built = self.build(samples.small(self.source))
        rows = built["sections"]["contention"]["rows"]
        self.assertEqual(rows["length"], 3)
        self.assertEqual(rows["mMisses"], [500, 500, 100])
        self.assertEqual(rows["loads"], [0, 0, 50])
        objects = built["sections"]["contention"]["objects"]
        self.assertEqual(objects["mInvalidations"], [1000, 200, 0])
        self.assertEqual(objects["threads"], [2, 1, 0])
        self.assertEqual(objects["lines"], [1, 1 + 7, 0])  # lines of their own, and lines that were left out
        self.assertTrue(built["sections"]["contention"]["linesLeftOut"])

    def test_lines_by_rank(self) -> None:
        """The worst line comes first, and has its own extents, fields and ranges."""
        tables = self.build(samples.small(self.source))["sections"]["contention"]
        self.assertEqual(tables["lines"]["address"], ["0x4040", "0x5000"])
        self.assertEqual(tables["lines"]["rangesEnd"], [3, 4])
        self.assertEqual(tables["lines"]["extentsEnd"], [1, 2])
        self.assertEqual(tables["extents"]["fieldsEnd"], [2, 2])
        self.assertEqual(tables["fields"]["name"], ["table.left", "table.right"])

    def test_findings_are_told_once(self) -> None:
        """An error on sharing is not a defect too where the profile tells the finding; without one it stays."""
        data = samples.small(self.source)
        self.assertEqual([d["kind"] for d in self.build(data)["sections"]["errors"]["list"]], ["InvalidWrite", "Leak_DefinitelyLost"])
        data["profile"]["contention"]["groups"] = []
        self.assertEqual([d["kind"] for d in self.build(data)["sections"]["errors"]["list"]],
                         ["InvalidWrite", "Leak_DefinitelyLost", "FalseSharing"])

    def test_errors_only(self) -> None:
        """Error files need no profile."""
        data = samples.small(self.source)
        data["profile"] = None
        built = self.build(data)
        self.assertEqual(built["title"], "program")
        self.assertEqual(len(built["sections"]["errors"]["list"]), 3)
        self.assertEqual(list(built["sections"]), ["errors"])

    def test_names_from_debug_information(self) -> None:
        """If debug information has the variable's full name, type and declaration, the page has them; the file of the
        declaration is there with its text, though no frame names it."""
        data = samples.small(self.source)
        other = self.directory / "other.c"
        other.write_text("long table[2];\n")
        data["profile"]["objects"][0].update({"variable": "ns::table", "type": "long[2]", "dir": str(self.directory),
                                              "file": "other.c", "line": 1})
        built = self.build(data)
        self.assertEqual((built["objects"][0]["name"], built["objects"][0]["type"]), ("ns::table", "long[2]"))
        declared = built["objects"][0]["declared"]
        self.assertEqual(built["files"][declared["file"]]["parts"], [{"first": 1, "lines": ["long table[2];"]}])
        self.assertEqual(declared["line"], 1)

    def test_problems_are_told(self) -> None:
        """The first page reports files that memspy-report could not read, and missing debug information."""
        data = samples.empty()
        data.update({"problems": ["run.xml:7: cut short"], "incomplete": ["a.dwo"]})
        self.assertEqual(self.build(data)["problems"], ["run.xml:7: cut short", "a.dwo"])

    def test_frames_are_numbered_once(self) -> None:
        """Equal frames of different stacks are one entry, and so are equal stacks of profile and errors."""
        built = self.build(samples.small(self.source))
        names = [built["functions"][f] for f in built["frames"]["function"]]
        lines = built["frames"]["line"]
        self.assertEqual(len(set(zip(names, lines))), len(names))


class Pieces(Scratch):
    def test_any_division(self) -> None:
        """The result does not depend on where a piece ends: in a number, a word, an escape, a pair of surrogates."""
        data = {"a": [1, 23, -4.5e6, True, None, {"b": []}], "c": {"d": "\U0001f600 \\ \"", "e": {}, "f": None}, "g": 12345, "h": []}
        text = json.dumps(data, indent=1)

        def read(at: reader.Reader) -> Any:
            found: dict[str, Any] = {}
            for name in at.members():
                if name in "ah":
                    found[name] = list(at.elements())
                elif name == "c":
                    found[name] = {inner: at.value() for inner in at.members()}
                else:
                    found[name] = at.value()
            at.end()
            return found

        for size in range(1, len(text) + 1):
            with unittest.mock.patch.object(reader, "CHUNK", size):
                self.assertEqual(read(reader.Reader(io.StringIO(text), "test")), data)
                for cut in range(len(text)):
                    if size in (1, 7):
                        self.assertRaises(problem.Problem, read, reader.Reader(io.StringIO(text[:cut]), "test"))

    def test_order(self) -> None:
        """A document in which something comes before the thing that it refers to is refused, not misread."""
        data = samples.small(self.source)
        profile = data["profile"]
        data["profile"] = {name: profile[name] for name in ["contention", *(name for name in profile if name != "contention")]}
        result = self.run_html("--json", self.write(data))
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"not where they should be", result.stderr)

    def test_memory(self) -> None:
        """A page of 800,000 ranges is made within 128 MB of address space, though the JSON alone has 43 MB and the page 10."""
        data = samples.empty()
        data["profile"]["contention"] = {**samples.model(), "lines": []}
        line = {"address": "0x1000", "modelled": samples.counts(1, 1, 0), "extents": [],
                "ranges": [{"thread": t, "first": 8 * (t % 8), "bytes": 8, "loads": 1000 + t, "stores": 5} for t in range(40)]}
        before, after = json.dumps(data).split('"lines": []')
        path = self.directory / "big.json"
        with path.open("w") as file:
            file.write(before + '"lines": [' + json.dumps(line))
            for _ in range(20_000):
                file.write("," + json.dumps(line))
            file.write("]" + after)
        limited: list[str | Path] = ["sh", "-c", 'ulimit -v 131072 && exec "$@"', "sh", PROGRAM, "--json", path, "-o", "big.html"]
        result = subprocess.run(limited, capture_output=True, check=False, cwd=self.directory)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertGreater(path.stat().st_size, 43_000_000)
        self.assertGreater((self.directory / "big.html").stat().st_size, 10_000_000)


class Layout(unittest.TestCase):
    EXTENTS = [{"object": 0, "first": 0, "bytes": 64, "fields": [{"first": 0, "bytes": 8, "name": "a"},
                                                                   {"first": 8, "bytes": 8, "name": "b"}]}]

    def test_threads_apart(self) -> None:
        """Two threads that write neighbouring bytes get a line each, and bytes that are only read a third."""
        ranges = [{"thread": 1, "first": 0, "bytes": 8, "stores": 100}, {"thread": 2, "first": 8, "bytes": 8, "stores": 100},
                  {"thread": 3, "first": 16, "bytes": 4, "loads": 100}]
        found = layout.before_and_after(64, self.EXTENTS, ranges)
        assert found is not None
        self.assertEqual([(s["first"], s["bytes"], s["field"], s["threads"]) for s in found["before"]],
                         [(0, 8, "a", [1]), (8, 8, "b", [2]), (16, 4, "", [3])])
        self.assertEqual([[(s["first"], s["field"]) for s in line] for line in found["after"]], [[(0, "a")], [(0, "b")], [(0, "")]])

    def test_who_passes_by_is_left_out(self) -> None:
        """A thread that looked at a byte once does not make it shared."""
        ranges = [{"thread": 1, "first": 0, "bytes": 8, "stores": 1000}, {"thread": 2, "first": 8, "bytes": 8, "stores": 1000},
                  {"thread": 3, "first": 0, "bytes": 16, "loads": 1}]
        found = layout.before_and_after(64, self.EXTENTS, ranges)
        assert found is not None
        self.assertEqual([s["threads"] for s in found["before"]], [[1], [2]])

    def test_no_layout_for_true_sharing(self) -> None:
        """If all threads write the same bytes, no other layout is drawn."""
        ranges = [{"thread": t, "first": 0, "bytes": 8, "stores": 100} for t in (1, 2)]
        self.assertIsNone(layout.before_and_after(64, self.EXTENTS, ranges))

    def test_bytes_outside_the_line(self) -> None:
        """A range that goes on behind the line is cut off there."""
        found = layout.segments(16, [], [{"thread": 1, "first": 12, "bytes": 32, "stores": 1}])
        self.assertEqual([(s.first, s.bytes) for s in found], [(12, 4)])


class Text(Scratch):
    def test_long_files_are_cut(self) -> None:
        """A file of 10,000 lines is shown around the lines that are referred to, in one part where these meet."""
        self.assertEqual(sources.excerpts(10000, {100, 150, 5000}),
                         [(60, 190), (5000 - sources.AROUND, 5000 + sources.AROUND)])
        self.assertEqual(sources.excerpts(10000, {1, 10000, 12000}), [(1, 41), (9960, 10000)])
        self.assertEqual(sources.excerpts(20, {7}), [(1, 20)])

    def test_only_source_files(self) -> None:
        """A profile cannot put any file into a page: only files with the name of a source file, no pipe, no directory."""
        secret = self.directory / "secret.txt"
        secret.write_text("secret")
        os.mkfifo(self.directory / "pipe.c")
        (self.directory / "folder.c").mkdir()
        get = sources.Sources(True, []).get
        self.assertEqual(get(str(secret), {1})["state"], "refused")
        self.assertEqual(get("/etc/passwd", {1})["state"], "refused")
        self.assertEqual(get(str(self.directory / "pipe.c"), {1})["state"], "missing")
        self.assertEqual(get(str(self.directory / "folder.c"), {1})["state"], "missing")
        self.assertEqual(get(str(self.source), {1})["state"], "whole")

    def test_source_directories(self) -> None:
        """--source-dir finds a file by the end of its path, and a relative one too."""
        (self.directory / "tree" / "sub").mkdir(parents=True)
        (self.directory / "tree" / "sub" / "other.c").write_text("found\n")
        look = sources.Sources(True, [str(self.directory / "tree")])
        for name in ("/gone/build/sub/other.c", "./sub/other.c", "../x/other.c"):
            self.assertEqual(look.get(name, {1})["state"], "whole" if "sub" in name else "missing", name)

    def test_none(self) -> None:
        """With --sources=none no line of any source file is in the page; with all there is."""
        data = samples.small(self.source)
        self.assertIn("line 3 of the source", self.page_of(data))
        text = self.page_of(data, "--sources=none")
        self.assertNotIn("of the source", text)
        self.assertIn("program.c", text)


class Injection(Scratch):
    def test_hostile_names(self) -> None:
        """Names can neither end the data's element nor make one; they arrive as they are (but for what is no text)."""
        plain = Elements(self.page_of(samples.small(self.source)))
        text = self.page_of(samples.hostile(self.source))
        elements = Elements(text)
        self.assertEqual([tag for tag, _ in elements.tags], [tag for tag, _ in plain.tags])
        self.assertEqual(elements.scripts[1:], plain.scripts[1:])
        # Browsers know more ways to end a script than Python's parser: no `<` can be part of one.
        raw = re.split("</script", text.split('type="application/json">', 1)[1], maxsplit=1, flags=re.IGNORECASE)[0]
        self.assertEqual(json.loads(raw), data_of(text))
        self.assertNotIn("<", raw)
        seen = json.dumps(data_of(text))
        for name in samples.HOSTILE:
            self.assertIn(json.dumps(name.replace("\ud800", "?"))[1:-1], seen)

    def test_hostile_title(self) -> None:
        """The title is text, in the head too."""
        text = self.page_of(samples.small(self.source), "--title", "</title><script>1</script>")
        plain = Elements(self.page_of(samples.small(self.source)))
        self.assertEqual([tag for tag, _ in Elements(text).tags], [tag for tag, _ in plain.tags])

    def test_scripts_make_no_html(self) -> None:
        """No part of the page turns text into HTML or code."""
        for path in sorted((ROOT / "memspy" / "report" / "html" / "web").rglob("*.js")):
            found = re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\.html\(", path.read_text())
            self.assertEqual(found, [], path.name)

    def test_nothing_is_loaded(self) -> None:
        """No element refers to another file or host, and the policy forbids it."""
        elements = Elements(self.page_of(samples.small(self.source)))
        for tag, attributes in elements.tags:
            self.assertFalse({"src", "srcset", "data"} & set(attributes), tag)
            self.assertTrue((attributes.get("href") or "#").startswith("#"), tag)
        policy = [a.get("content") or "" for t, a in elements.tags if a.get("http-equiv") == "Content-Security-Policy"]
        self.assertEqual(len(policy), 1)
        self.assertIn("default-src 'none'", policy[0])

    def test_every_script_is_used(self) -> None:
        """The list of scripts and the folder agree."""
        found = {path.stem for path in (ROOT / "memspy" / "report" / "html" / "web").glob("*.js")}
        self.assertEqual(found, {*page.SCRIPTS, page.LAST})


    def test_sections_are_named_in_their_files_only(self) -> None:
        """Only a section's own files contain its name."""
        folder = ROOT / "memspy" / "report" / "html"
        files = [path for ending in ("py", "js") for path in folder.rglob(f"*.{ending}")]
        names = {path.stem.split("_")[0] for path in files if path.parent.name == "sections"} - {""}
        self.assertLessEqual({"contention", "errors", "zeros"}, names)
        alike = {"errors", "defects"}  # one list, of an error file or of a profile
        for path in files:
            own = path.stem.split("_")[0] if path.parent.name == "sections" else ""
            others = names - (alike if own in alike else {own})
            for name in others:
                self.assertNotRegex(path.read_text(), rf"""["'.]{name}["']|sections\.{name}""", path.name)


class CommandLine(Scratch):
    def test_licences(self) -> None:
        """The page has the licences of its libraries."""
        text = self.page_of(samples.small(self.source))
        for part in ("d3-selection", "d3-scale", "d3-hierarchy"):
            self.assertIn(f"{part}\n", text)
        self.assertIn("Redistribution and use in source and binary forms", text)

    def test_help(self) -> None:
        """--help names every option and the exit codes."""
        result = self.run_html("--help")
        self.assertEqual(result.returncode, 0)
        for word in (b"--output", b"--errors", b"--sources", b"--source-dir", b"--title", b"--json", b"exit status"):
            self.assertIn(word, result.stdout)

    def fails(self, status: int, pattern: str, *arguments: str | Path, stdin: bytes = b"") -> None:
        result = self.run_html(*arguments, stdin=stdin)
        message = result.stderr.decode()
        self.assertEqual(result.returncode, status, message)
        self.assertRegex(message, pattern)
        self.assertNotIn("Traceback", message)

    def test_usage(self) -> None:
        """A wrong command line gives one line and status 2."""
        self.fails(2, "name profiles")
        self.fails(2, "unrecognized", "--nonsense", "a.xml")
        self.fails(2, "--sources", "--sources=some", "a.xml")
        self.fails(2, "no such directory", f"--source-dir={self.directory}/none", "a.xml")
        self.fails(2, "name profiles", "--json=a.json", "a.xml")

    def test_bad_input(self) -> None:
        """A file that cannot be read or understood gives one line and status 1, and no page."""
        self.fails(1, "No such file", f"--json={self.directory}/none.json")
        for text in ("", "{", "[]", "{}", '"text"', "[" * 100000, "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")):
            self.fails(1, "no JSON|not the output", "--json=-", stdin=text.encode("latin-1"))
        data = samples.small(self.source)
        data["profile"]["format"] = 3
        self.fails(1, "format 3", "--json", self.write(data))
        data = samples.small(self.source)
        data["profile"]["contention"]["rows"] = [{"object": {}}]
        self.fails(1, "not what docs/report-json.md says", "--json", self.write(data))
        self.assertEqual(list(self.directory.glob("*.html")), [])

    def test_output(self) -> None:
        """A page is complete or absent; - is standard output; a missing folder is reported."""
        path = self.write(samples.small(self.source))
        self.fails(1, "No such file", "--json", path, "-o", self.directory / "none" / "x.html")
        self.assertTrue(self.run_html("--json", path, "-o", "-").stdout.startswith(b"<!doctype html>"))
        self.assertEqual(self.run_html("--json", path).returncode, 0)
        self.assertEqual([p.name for p in self.directory.glob("*html*")], ["memspy.html"])
        self.assertEqual((self.directory / "memspy.html").stat().st_mode & 0o777, 0o666 & ~current_umask())

    def test_runs_of_memspy_report(self) -> None:
        """A file that memspy-report refuses is told by it, and there is no page; a profile that is cut short gives a page of
        what was read, which says so."""
        bad = self.write("<nonsense/>", "bad.xml")
        result = self.run_html(bad, "-o", "x.html")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"bad.xml", result.stderr)
        self.assertFalse((self.directory / "x.html").exists())
        cut = self.write(PROFILE.format(pid=77, name="cut") + "<modules>", "cut.xml")
        result = self.run_html(cut, "-o", "x.html")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = data_of((self.directory / "x.html").read_text())
        self.assertEqual(data["title"], "cut")
        self.assertIn("cut.xml", data["problems"][0])


    def test_analyses_left_out(self) -> None:
        """A profile of any analysis alone becomes a page with that and no other."""
        parts = {"contention": '<contention><model line-size="64" sharing="yes" coherence-latency="0" interleave="0" access-log-bytes="1">'
                               '-</model><quality exact="yes" several-threads="no" threads="1" merged="1" forced="0" lifted="0"/>'
                               '<total loads="1" stores="1"/></contention>',
                 "zeros": '<zeros mode="all" context="0"><total/></zeros>'}
        for wanted in ((), ("contention",), ("zeros",), ("contention", "zeros")):
            path = self.write(PROFILE.format(pid=1, name="one") + REST.replace("</memspy", "".join(parts[w] for w in wanted) + "</memspy"), "x.xml")
            result = self.run_html(path, "-o", "x.html")
            self.assertEqual((result.returncode, result.stderr), (0, b""), wanted)
            self.assertEqual(tuple(data_of((self.directory / "x.html").read_text())["sections"]), wanted)

    def test_several_profiles(self) -> None:
        """Profiles are merged; error files among them are recognised by their content."""
        profiles = [self.write(PROFILE.format(pid=pid, name="one") + REST, f"{pid}.xml") for pid in (77, 78)]
        errors = self.write("<valgrindoutput><protocolversion>4</protocolversion><protocoltool>memspy</protocoltool><pid>77</pid>"
                            "<ppid>1</ppid><tool>memspy</tool><args><vargv><exe>v</exe></vargv><argv><exe>one</exe></argv></args>"
                            "<error><unique>0x0</unique><tid>1</tid><kind>InvalidRead</kind><what>Invalid read of size 1</what>"
                            "<stack><frame><ip>0x1</ip></frame></stack></error></valgrindoutput>", "errors.xml")
        result = self.run_html(profiles[0], errors, profiles[1], "-o", "x.html")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = data_of((self.directory / "x.html").read_text())
        self.assertEqual(sorted(run["pid"] for run in data["runs"]), [77, 78])
        self.assertEqual([defect["kind"] for defect in data["sections"]["errors"]["list"]], ["InvalidRead"])


# The beginning of a profile, and the rest of one without measurements.
PROFILE = ('<memspy-profile format="1" version="0.1" valgrind="3.19" finished="yes" made-by="exit">'
           '<run pid="{pid}" ppid="1" start="2026-01-01T00:00:00Z" end="2026-01-01T00:00:01Z" arch="amd64">'
           '<command><exe>./{name}</exe></command><options/></run>')
REST = "<modules/><stacks/><objects/><threads/></memspy-profile>"


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


if __name__ == "__main__":
    unittest.main()
