#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of memspy-html in Chromium, driven as a person does.

Each function test_NAME is one test; its docstring says what it proves. `browser_test.py --list` names them.
"""

from __future__ import annotations

import argparse
import base64
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable

import webdriver
from webdriver import KEYS, Browser

FOLDERS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(FOLDERS / "html"), str(FOLDERS / "report" / "ranks")]
import rank_profiles  # noqa: E402
import samples  # noqa: E402

SKIPPED = 77
ROWS = 100_000
LINES = 20_000


class Pages:
    """Makes pages in a folder of this test."""

    def __init__(self, program: str, valgrind: str, source: Path, directory: Path) -> None:
        self.program, self.valgrind, self.checkout, self.directory = program, valgrind, source, directory
        directory.mkdir(parents=True, exist_ok=True)
        self.source = directory / "program.c"
        self.source.write_text(samples.SOURCE)

    def make(self, *arguments: str) -> Path:
        out = self.directory / "page.html"
        subprocess.run([self.program, *arguments, "-o", str(out)], check=True)
        return out

    def of(self, data: samples.Json, *options: str) -> Path:
        path = self.directory / "in.json"
        path.write_text(json.dumps(data))
        return self.make("--json", str(path), *options)

    def of_profiles(self, *sections: str) -> Path:
        """Of profile files with these sections, one each."""
        names = []
        for number, text in enumerate(sections):
            names.append(str(self.directory / f"{number}.xml"))
            Path(names[-1]).write_text(samples.profile(self.source, text, number + 1))
        return self.make(*names)

    def demonstration(self, name: str) -> Path:
        """Of one of tests/demo's programs, run under memspy."""
        program, profile, errors = (str(self.directory / f"{name}{end}") for end in ("", ".xml", ".errors.xml"))
        subprocess.run(["gcc", "-g", "-O1", "-pthread", "-w", str(self.checkout / "tests" / "demo" / f"{name}.c"), "-o", program],
                       check=True)
        subprocess.run([self.valgrind, "--tool=memspy", "--leak-check=full", f"--memspy-out-file={profile}", "--xml=yes",
                        f"--xml-file={errors}", program], check=True, stdout=subprocess.DEVNULL)
        return self.make(profile, errors)


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


def demand(condition: bool, what: str) -> None:
    if not condition:
        raise Failure(what)


def equal(found: object, wanted: object) -> None:
    demand(found == wanted, f"found  {found!r}\nwanted {wanted!r}")


def column(browser: Browser, number: int) -> list[str]:
    """The texts of a column of the rows that are elements, from the top."""
    found: list[str] = browser.run(
        "Array.from(document.querySelectorAll('.table .row')).sort((a, b) => a.dataset.position - b.dataset.position)"
        ".map(row => row.children[arguments[0]].innerText)", number)
    return found


def test_demonstration(pages: Pages) -> None:
    """Who sees the sharing demonstration for the first time finds variable, fields, line and what to do on the first page,
    and the declaration, the map and the source line behind one click."""
    with Browser() as browser:
        browser.open(pages.demonstration("sharing"))
        card = browser.text(".card.finding")
        for words in ("counters", "counters.worker[0…3].found", "sharing.c:33", "alignas(64)", "Cache line"):
            demand(words in card, f"no '{words}' in: {card}")
        demand(browser.count(".card.finding svg.linemap .write") == 4, "not four threads that write")
        browser.click(".card.finding h3 a")
        browser.wait("document.querySelector('.line.here')")
        shown = browser.texts(".line.here code")
        for words in ("static _Alignas(64) struct Counters counters;", "counters.worker[worker].found++;"):
            demand(words in shown, f"'{words}' is not among the lines shown: {shown}")
        demand(browser.count("svg.linemap .write") == 4, "no map of the line")
        demand(browser.count("svg.strip") == 5, "no layouts: one line now, four apart")
        equal(browser.complaints(), [])


def test_fields(pages: Pages) -> None:
    """The fields that the threads' bytes lie in are named on the first page, and drawn above the line."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)))
        demand("table.left and table.right" in browser.text(".card.finding.FalseSharing"), browser.text(".card.finding"))
        demand("2 shared lines" in browser.text(".tiles"), browser.text(".tiles"))
        labels = browser.run("Array.from(document.querySelectorAll('.card.finding .field text'), e => e.textContent)")
        equal(labels, ["table.left", "table.right"])
        equal(browser.complaints(), [])


def test_own_paths(pages: Pages) -> None:
    """A finding names members as the program's author knows them: not those of a library's types, each once."""
    paths = ["pool.lock_[0..31]", "pool.lock_.__lock", "pool.lock_.__align", "list._M_impl._M_node", "_M_next", "all[2].hits", "all[3].hits"]
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)))
        equal(browser.run("memspy.text.ownPaths(arguments[0])", paths), ["pool.lock_", "list", "_M_next", "all[2].hits", "all[3].hits"])


def test_defects(pages: Pages) -> None:
    """The four planted faults are listed; a click shows text, stacks and the source line of each, and its suppression
    can be copied."""
    with Browser() as browser:
        browser.open(pages.demonstration("demo"), "#/defects")
        equal(sorted(column(browser, 1)), ["InvalidRead", "InvalidWrite", "Leak_DefinitelyLost", "UninitCondition"])
        browser.click_text(".row .td", "Leak_DefinitelyLost")
        demand("definitely lost" in browser.text(".detail h2"), "the leak is not shown")
        demand("malloc(" in browser.text(".detail .line.here"), "its source line is not shown")
        browser.click_text(".row .td", "InvalidRead")
        demand(browser.count(".detail .stack") == 3, "a use after free has three stacks")
        # Two ways of copying: a page that is opened as a file may have the second only.
        browser.run("document.addEventListener('copy', () => { window.copied = document.activeElement.value; })")
        browser.run("navigator.clipboard && (navigator.clipboard.writeText = async (words) => { window.copied = words; })")
        browser.click(".detail button.copy")
        browser.wait("typeof window.copied === 'string'")
        suppression = browser.run("window.copied")
        demand(suppression.startswith("{") and "\n   memspy:InvalidRead\n" in suppression and suppression.rstrip().endswith("}"), suppression)
        browser.click_text(".detail .stack:last-of-type .frame", "main")
        demand("main" in browser.text(".detail .stack:last-of-type li[aria-current]"), "the frame is not chosen")
        equal(browser.complaints(), [])


LOST = """#include <map>
#include <string>
#include <vector>
int *cut(int n) { int *p = new int[n]; for (int i = 0; i <= n; ++i) p[i] = i; p[n] += p[n]; return p; }
void forget(int n) { auto *all = new std::vector<std::string>(n, std::string(40, 'x')); all->push_back("y"); }
int main(int argc, char **) { int *p = cut(argc + 8); int s = *p; delete[] p; forget(3); return s; }
"""


KEPT = """#include <stdlib.h>
static int *make(int n) { return malloc(n * sizeof(int)); }
static void drop(int *p) { free(p); }
int main(void) {
    int *p = make(4), *q = make(4), table[3] = {0};
    p[1] = 2;
    drop(p);
    int s = p[1];
    if (q[2] > 3) s++;
    s += table[q[3] & 1];
    free(q);
    return s & 1;
}
"""


def test_page_of_default_run(pages: Pages) -> None:
    """A run without threads and options has a page by the line that its text ends with: one card for one mistake, with its block,
    then the leak at the user's line, then the rest; the flame graph charges them to the functions where they are."""
    folder = pages.directory
    (folder / "lost.cc").write_text(LOST)
    subprocess.run(["g++", "-g", "-O0", "-o", "lost", "lost.cc"], cwd=folder, check=True)
    result = subprocess.run([pages.valgrind, "--tool=memspy", "./lost"], cwd=folder, check=True, capture_output=True, text=True)
    command = re.search(r"To see them: memspy-html (.*)$", result.stderr, re.MULTILINE)
    demand(command is not None, result.stderr)
    assert command
    subprocess.run([pages.program, command[1], "-o", "page.html"], cwd=folder, check=True)
    with Browser() as browser:
        browser.open(folder / "page.html")
        equal([card.split("\n")[0] for card in browser.texts(".finding .badge")][:2], ["InvalidWrite", "Leak"])
        cards = browser.texts(".finding")
        demand("Block\n0 bytes after a block of size 36 alloc'd" in cards[0] and "lost.cc:4" in cards[0] and "#3" in cards[0], cards[0])
        demand("forget" in cards[1] and "lost.cc:5" in cards[1] and "allocate" not in cards[1], cards[1])
        demand(not any("InvalidRead" in card for card in cards[1:]), "one mistake has two cards")
        # Freed and allocated in different lines: each is said with its own, and a value and a condition of one origin are one mistake.
        (folder / "kept.c").write_text(KEPT)
        subprocess.run(["gcc", "-g", "-O0", "-w", "-o", "kept", "kept.c"], cwd=folder, check=True)
        subprocess.run([pages.valgrind, "--tool=memspy", "--memspy-out-file=kept.xml", "./kept"], cwd=folder, check=True, capture_output=True)
        subprocess.run([pages.program, "kept.xml", "-o", "kept.html"], cwd=folder, check=True)
        browser.open(folder / "kept.html")
        cards = browser.texts(".finding")
        equal([card.split("\n")[0] for card in cards][:2], ["InvalidRead", "UninitCondition"])
        demand(re.search(r"free'd \(use-after-free\) at drop kept.c:3\nBlock was alloc'd at make kept.c:2\n", cards[0]) is not None, cards[0])
        demand("#2, #3" in cards[1] and not any(card.startswith("UninitValue") for card in cards), str(cards))
        browser.open(folder / "page.html", "#/flame/defects")
        labels = browser.run("Array.from(document.querySelectorAll('.flame svg > g'), g => g.getAttribute('aria-label'))")
        equal(sorted(label.split(",")[0].partition("(")[0] for label in labels), ["all", "cut", "forget", "main"])
        equal(browser.complaints(), [])


def test_nothing_found(pages: Pages) -> None:
    """If nothing was found the first page says so; and, if no error file was given, that it has no data on
    defects."""
    data = samples.small(pages.source)
    data["profile"]["contention"]["groups"] = []
    data["errors"][0]["errors"] = []
    with Browser() as browser:
        browser.open(pages.of(data))
        equal(browser.texts("p.good"), ["Nothing that harms was found."])
        data["errors"] = []
        browser.open(pages.of(data))
        demand("No finding on sharing. Defects were not looked for." in browser.text("main"), browser.text("main"))
        equal(browser.count("p.good"), 0)
        equal(browser.complaints(), [])


def test_sort(pages: Pages) -> None:
    """A click on a heading sorts by it, a second one the other way round; the heading says so."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/objects")
        modelled = 6
        equal(column(browser, modelled), ["2,000", "300"])
        browser.click_text(".th button", "Modelled")
        equal(column(browser, modelled), ["300", "2,000"])
        equal(browser.run("document.querySelectorAll('.th')[6].getAttribute('aria-sort')"), "ascending")
        browser.click_text(".th button", "Object")
        equal(column(browser, 0), ["heap block of grow (list.c:7)", "table"])
        browser.click_text(".th button", "Object")
        equal(column(browser, 0), ["table", "heap block of grow (list.c:7)"])
        equal(browser.complaints(), [])


def test_filter(pages: Pages) -> None:
    """The filter keeps the rows that have all typed words, in any case; the counter has their number."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/code")
        equal(browser.text(".counter"), "3 rows")
        browser.type(".tools input", "FILL 3")
        equal(browser.text(".counter"), "2 of 3 rows")
        equal(set(column(browser, 0)), {"fill (program.c:3)"})
        browser.type(".tools input", " nowhere")
        equal(browser.text(".counter"), "0 of 3 rows")
        demand("no row has these words" in browser.text(".table"), "an empty table says nothing")
        equal(browser.complaints(), [])


def test_filter_numbers(pages: Pages) -> None:
    """A filter takes conditions on columns of numbers, beside words, with the units of people; what is no such condition is a word."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/objects")
        both = ["table", "heap block of grow (list.c:7)"]
        for words, wanted in (("modelled>300", both[:1]), ("modelled>=300", both), ("modelled<=.3k grow", both[1:]), ("MODELLED=2,000", both[:1]),
                              ("ratio>100000%", []), ("ratio>0.1% modelled<1k", both[1:]), ("nothing>1", [])):
            browser.run("(() => { const e = document.querySelector('.tools input'); e.value = arguments[0]; e.dispatchEvent(new Event('input')); })()", words)
            equal(column(browser, 0), wanted)
        equal(browser.complaints(), [])


def test_search_and_keys(pages: Pages) -> None:
    """/ goes to the page's filter, or else to the search over all pages, which finds objects, functions, findings and pages, each
    with a link that opens it; ? shows the keys; inside a field both are letters."""
    press = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true, cancelable: true}))"
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/objects")
        browser.run(press, "/")
        equal(browser.run("document.activeElement.getAttribute('aria-label')"), "Filter shared objects")
        browser.run(press, "?")
        equal(browser.count("dialog"), 0)
        browser.run("document.activeElement.blur()")
        browser.run(press, "?")
        demand("modelled>1000" in browser.text("dialog"), "no help")
        browser.click("dialog button")
        browser.wait("!document.querySelector('dialog')")
        browser.open(browser_page := pages.of(samples.small(pages.source)), "#/about")
        browser.run("document.activeElement.blur()")
        browser.run("document.querySelectorAll('main input[type=search]').forEach((e) => e.remove())")
        browser.run(press, "/")
        equal(browser.run("document.activeElement.getAttribute('aria-label')"), "Search all pages")
        for words, kinds in (("table", {"Object"}), ("worker", {"Function"}), ("flame", {"Page"})):
            browser.open(browser_page, f"#/search/{words}")
            hits = browser.run("Array.from(document.querySelectorAll('main tbody tr'), r => [r.children[0].innerText, r.children[1].innerText, r.querySelector('a').hash])")
            demand(kinds <= {kind for kind, _, _ in hits} and all(words in name.lower() for _, name, _ in hits), f"{words}: {hits}")
            for kind, _, link in hits:
                browser.open(browser_page, link)
                demand(browser.text("h1") not in ("", "Search"), f"{kind} {link} leads nowhere")
        equal(browser.complaints(), [])


def test_row_shows_source(pages: Pages) -> None:
    """A click on a row of code shows its source line with its count; the link there shows the file at this line."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/code")
        browser.click_text(".row .td", "count (program.c:7)")
        equal(browser.text(".detail .line.here code"), "line 7 of the source")
        equal(browser.text(".detail .line.here .count"), "300")
        browser.click(".detail .codehead a")
        browser.wait("document.querySelector('nav a[aria-current]').dataset.page === 'source'")
        equal(browser.text(".line.here code"), "line 7 of the source")
        # At the line itself, and including the functions called from there.
        equal(browser.texts(".line.here .count"), ["300", "2,300"])
        equal(browser.count(".line"), 12)
        equal(browser.complaints(), [])


def test_keyboard(pages: Pages) -> None:
    """Without a mouse: Tab gets to the table, arrows move, Enter opens; the skip link is the first stop."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/code")
        browser.type("body", KEYS["tab"])
        equal(browser.run("document.activeElement.className"), "skip")
        browser.type(".view", KEYS["down"] + KEYS["down"] + KEYS["down"])
        equal(browser.text(".row.active .td"), "count (program.c:7)")
        equal(browser.run("document.getElementById(document.activeElement.getAttribute('aria-activedescendant')) "
                          "=== document.querySelector('.row.active')"), True)
        browser.type(".view", KEYS["enter"])
        demand("count (program.c:7)" in browser.text(".detail h2"), "Enter does not open")
        browser.type(".view", KEYS["home"])
        equal(browser.text(".row.active .td"), "fill (program.c:3)")
        # Tab reaches everything that a mouse can use.
        equal(browser.run("Array.from(document.querySelectorAll('[onclick], a:not([href])')).length"), 0)
        equal(browser.complaints(), [])


def test_line_map(pages: Pages) -> None:
    """The map has reads and writes of each thread at their bytes; the table beside it says the same."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/line/0")
        marks = browser.run("Array.from(document.querySelectorAll('svg.linemap .read, svg.linemap .write'), e => "
                            "[e.getAttribute('class'), +e.getAttribute('x'), +e.getAttribute('width')])")
        width = min(w for _, _, w in marks)
        left = min(x for _, x, _ in marks)
        equal(sorted([kind, (x - left) / width, w / width] for kind, x, w in marks),
              [["read", 0, 2], ["write", 0, 1], ["write", 1, 1]])
        browser.click("details.plain summary")
        equal(browser.run("Array.from(document.querySelectorAll('details.plain tbody tr'), r => Array.from(r.cells, c => c.innerText))"),
              [["1", "bytes 0–15", "table.left and table.right", "1", "0"], ["2", "bytes 0–7", "table.left", "0", "1,000"],
               ["3", "bytes 8–15", "table.right", "0", "1,000"]])
        equal(browser.complaints(), [])


def test_zeros(pages: Pages) -> None:
    """Loads are ranked by their redundant cells, and a row's redmap has the most significant byte at the left; an object's
    heat map has a square for each cell, and those that were never loaded are hollow."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)))
        demand("79.5 %" in browser.text(".tiles"), browser.text(".tiles"))  # 835 of 1,050 cells
        browser.open(pages.directory / "page.html", "#/zeros")
        equal([column(browser, i) for i in (1, 2, 3, 5)], [["int64", "float"], ["710", "125"], ["88.8 %", "50.0 %"], ["10.0 %", "50.0 %"]])
        browser.click_text(".row .td", "int64")
        equal(browser.texts(".redmap .value"), ["100 %"] * 7 + ["10.0 %"])
        equal(browser.text(".detail .line.here code"), "line 3 of the source")
        demand("uint8_t would do" in browser.text(".detail .advice"), "no advice")
        browser.open(pages.directory / "page.html", "#/zeroobjects")
        equal(browser.run("Array.from(document.querySelectorAll('svg.heat rect'), e => e.getAttribute('class'))"),
              ["used", "used", "unused", "unused"])
        colours = browser.run("Array.from(document.querySelectorAll('svg.heat .used'), e => e.getAttribute('fill'))")
        demand(colours[0] != colours[1], "a cell that is partly and one that is all zero look alike")
        demand("bytes 1–7" in browser.text(".detail"), "no pattern")
        demand("88.8 % of what loads read from it is redundant" in browser.text(".detail"), browser.text(".detail"))
        demand("From 12.5 % of the run on 98.6 %" in browser.text(".detail"), browser.text(".detail"))
        equal(browser.complaints(), [])


def test_mend_first(pages: Pages) -> None:
    """Findings of all analyses are ranked by what they are predicted to save, and each says what that is: cycles for memory,
    the ranks' time, accesses. Loaded zeros come behind false sharing, and not at all where a library's code loads them."""
    with Browser() as browser:
        data = samples.small(pages.source)
        browser.open(pages.of(data))
        equal(browser.texts(".finding h3")[-2:], ["False sharing inside table", "Zeros loaded by fill (program.c:3)"])
        stack = data["profile"]["stacks"][0]
        stack["frames"].insert(0, samples.frame("std::map<int, int>::find", Path("/usr/include/c++/12/bits/stl_map.h"), 3))
        stack["own"] = 1
        browser.open(pages.of(data))
        equal([title for title in browser.texts(".finding h3") if "Zeros" in title], [])
        browser.open(pages.of_profiles(samples.COST))
        # All accesses take 10 cycles: none of these are for misses.
        equal(browser.texts(".finding h3"), [])
        # The second row is of atomic instructions, each a load and a store.
        cheap = '<cost-row stack="4" loads="11" cycles="44"/><cost-row stack="4" loads="3" stores="3" cycles="12"/></cost>'
        browser.open(pages.of_profiles(samples.LOCALITY + samples.COST.replace("</cost>", cheap)))
        saved = [line for line in browser.texts(".finding .facts dd") if line.startswith("at most")]
        # 80 of 100 accesses with nothing beside them; 100 accesses in 1,000 cycles, of 1,040, would take 4 each.
        equal(saved, ["at most 80.0 % of all accesses become accesses beside others",
                      "at most 57.7 % of the cycles for memory saved, if no access to it missed"])
        first = samples.rank(0).replace("1 2 1000 1800", "1 2 1000 401100").replace('microseconds="800"', 'microseconds="400100"')
        browser.open(pages.of_profiles(first, samples.rank(1).replace('began="6000"', 'began="405300"')))
        # The first rank waits for 0.4 of 16 seconds.
        equal(browser.texts(".finding h3"), ["Ranks wait for others in MPI_Barrier"])
        demand("at most 2.5 % of the ranks' time saved" in browser.text(".finding .facts"), browser.text(".finding"))
        demand("rank 1 works 0.002600 s before it, the rank in the middle 0.002000 s: give rank 1 less to do." in browser.text(".finding .advice"),
               browser.text(".finding"))
        browser.open(pages.of_profiles(first, samples.rank(1).replace('began="6000"', 'began="405300"').replace('worked="2600"', 'worked="2100"')))
        demand("ranks work equally long before it, 0.002000 to 0.002100 s" in browser.text(".finding .advice"), browser.text(".finding"))
        older = [page.replace('worked="2000"', "").replace('worked="2600"', "") for page in (first, samples.rank(1).replace('began="6000"', 'began="405300"'))]
        browser.open(pages.of_profiles(*older))
        demand("ranks come there at different times" in browser.text(".finding .advice"), browser.text(".finding"))
        equal(browser.complaints(), [])


def test_heap_moment(pages: Pages) -> None:
    """The heap's timeline begins at the peak; its areas are what lives at the chosen moment, by allocation. Another moment
    has others."""
    with Browser() as browser:
        browser.open(pages.of_profiles(samples.HEAP), "#/heap-timeline")
        browser.wait("document.querySelector('svg.treemap')")

        def areas(moment: int | None = None) -> list[str]:
            if moment is not None:
                browser.run("((slider, moment) => { slider.value = moment; slider.dispatchEvent(new Event('input')); })"
                            f"(document.querySelector('input[type=range]'), {moment})")
            labels: list[str] = browser.run("[...document.querySelectorAll('svg.treemap a')].map((area) => area.getAttribute('aria-label'))")
            return labels

        equal(areas(), ["fill (program.c:3): 100 bytes", "(not known): 20 bytes"])
        equal(areas(0), ["(not known): 70 bytes"])
        equal(areas(2), ["fill (program.c:3): 50 bytes"])
        equal(browser.complaints(), [])


def test_heap_flames(pages: Pages) -> None:
    """The heap's flame graph has what lives at the chosen moment. What has no stack is beside it. The blocks of the program's
    own allocator are in no graph, because the memory that they lie in is."""
    with Browser() as browser:
        browser.open(pages.of_profiles(samples.HEAP), "#/heap-timeline")
        browser.wait("document.querySelector('.flame svg')")

        def flames(moment: int) -> list[str]:
            browser.run("((slider, moment) => { slider.value = moment; slider.dispatchEvent(new Event('input')); })"
                        f"(document.querySelector('input[type=range]'), {moment})")
            labels: list[str] = browser.run("Array.from(document.querySelectorAll('.flame svg > g'), g => g.getAttribute('aria-label'))")
            return labels

        equal(flames(1), ["all, 100 %", "main, 83.3 %", "fill, 83.3 %"])
        demand("Not in it: 20 bytes (16.7 %)" in browser.text("main"), browser.text("main"))
        equal(flames(0), [])
        equal(flames(2), ["all, 100 %", "main, 100 %", "fill, 100 %"])
        browser.run("document.querySelector('.flame g[aria-label^=fill]').dispatchEvent(new MouseEvent('click'))")
        demand("50 live bytes, 100 % of all" in browser.text("main"), browser.text("main"))
        browser.open(pages.of_profiles(samples.HEAP), "#/flame/heap-profile-peak-bytes")
        browser.wait("document.querySelector('main .sub').innerText.startsWith('100 bytes at the heap')")
        equal(browser.complaints(), [])


def test_threads_in_time(pages: Pages) -> None:
    """Each thread has a row with its waits where they were. Dragging shows a part of the run, keys choose a wait and say
    what it is for, and plus shows it nearer."""
    drawn = "Array.from(document.querySelectorAll('.timeline .span'), (bar) => Math.round(bar.getBoundingClientRect().width))"
    mouse = """((kind, share) => { const box = document.querySelector('.timeline').getBoundingClientRect();
        document.querySelector('.timeline').dispatchEvent(new MouseEvent(kind, { bubbles: true, clientX: box.left + 84 + share * 900, clientY: box.top + 40 })); })"""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/thread-times")
        browser.wait("document.querySelector('svg.timeline')")
        # Thread 1 waits for 400 of the run's 1,000 units, thread 2 for 200 and thread 3 for 100.
        equal(browser.run(drawn), [360, 180, 90])
        equal(browser.run("Array.from(document.querySelectorAll('.timeline .working')).length"), 3)
        demand("lock table.lock, at fill" in browser.text(".waitsums"), browser.text(".waitsums"))
        browser.run(f"[{mouse}('mousedown', 0.5), {mouse}('mouseup', 1)]")
        equal(browser.run(drawn), [720, 180])
        browser.run("[...document.querySelectorAll('button')].find((button) => button.textContent === 'The whole run').click()")
        equal(browser.run(drawn), [360, 180, 90])
        press = "((key) => document.querySelector('.keys').dispatchEvent(new KeyboardEvent('keydown', { key })))"
        browser.run(f"[{press}('ArrowDown'), {press}('ArrowDown')]")
        demand("thread 2 waits for lock table.lock, at fill (program.c:3): 200 units, from 150 on, until thread 3 lets it go on" in browser.text(".note"), browser.text(".note"))
        browser.run(f"{press}('ArrowDown')")
        demand("4 waits near each other" in browser.text(".note"), browser.text(".note"))
        browser.run(f"{press}('+')")
        equal(browser.run(drawn), [720, 180])
        browser.click(".note a")
        browser.wait("document.querySelector('h1').textContent === 'Waits in virtual time'")
        equal(browser.complaints(), [])


def test_advice_of_bytes(pages: Pages) -> None:
    """What memspy-report advises of waste and of the heap stands on pages of its own and among the first page's findings. Both
    lines of a dead store are side by side, on a phone one above the other."""
    tops = "[...document.querySelectorAll('.pair > div')].map((side) => Math.round(side.getBoundingClientRect().top))"
    with Browser() as browser:
        page = pages.of_profiles(samples.WASTE)
        browser.open(page)
        demand("Drop the stores at program.c:3: 100.0 % of the bytes that it stores are stored again at program.c:9 before any load" in browser.text(".finding .advice"), browser.text("main"))
        demand("60.0 % of all bytes stored" in browser.text(".finding .facts"), browser.text(".finding"))
        browser.open(page, "#/waste-advice")
        browser.wait("document.querySelector('.pair')")
        equal(browser.texts(".pair h3"), ["Stored", "Then"])
        equal(browser.texts(".pair .line.here code"), ["line 3 of the source", "line 9 of the source"])
        browser.command("Emulation.setDeviceMetricsOverride", width=1440, height=900, deviceScaleFactor=1, mobile=False)
        left, right = browser.run(tops)
        equal(left, right)
        browser.command("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
        left, right = browser.run(tops)
        demand(left < right, f"{left} {right}")
        equal(browser.complaints(), [])
    with Browser() as browser:
        browser.open(pages.of_profiles(samples.GROWTH), "#/heap-advice")
        browser.wait("document.querySelector('.advice')")
        demand("blocks grew 1,000 times, and 7,984,000 bytes were moved for that" in browser.text(".advice"), browser.text("main"))
        demand("22.0 % of the run's instructions" in browser.text("h2"), browser.text("main"))
        equal(browser.complaints(), [])


def test_cost(pages: Pages) -> None:
    """Objects are ranked by cycles, with what each access costs and how much is remote; a row shows all its figures and
    where the memory was touched first; code has a page of its own, the object's page its figures, and cycles are counts
    beside source lines."""
    with Browser() as browser:
        page = pages.of_profiles(samples.COST)
        browser.open(page)
        demand("9.5 for each access" in browser.text(".tiles"), browser.text(".tiles"))  # 1,040 of 110
        browser.open(page, "#/cost-objects")
        equal([column(browser, i) for i in (0, 1, 2, 3, 4, 8)],
              [["heap block of fill (program.c:3)", "small blocks, or not known"], ["100", "10"], ["1,000", "40"], ["10.0", "4.0"], ["20", "0"], ["75.0 %", "–"]])
        browser.type(".tools input", "heap")
        equal(browser.text(".counter"), "1 of 2 rows")
        demand("Local\n2" in browser.text(".detail .facts"), browser.text(".detail .facts"))
        equal(browser.text(".detail .line.here code"), "line 3 of the source")
        browser.click(".detail .facts a")
        browser.wait("document.querySelector('h1').innerText === 'heap block of fill (program.c:3)'")
        demand("1,000" in browser.text("section .row"), browser.text("main"))
        browser.open(page, "#/cost-rows")
        equal(column(browser, 0), ["fill (program.c:3)"])
        equal(browser.text(".detail .line.here .count"), "1,000")
        browser.open(page, "#/cost-contexts")

        def tree() -> list[str]:
            return [" ".join(row.split()) for row in browser.texts(".tree tbody tr")]

        equal(tree(), ["heap block of fill (program.c:3) 1,000 20 8 6 100 %"])
        browser.click(".tree .toggle")
        equal([row.split(" 1,000")[0] for row in tree()], ["heap block of fill (program.c:3)", "allocated in main program.c:9",
              "fill program.c:3", "accessed in main program.c:9", "fill program.c:3"])
        browser.click(".tree .toggle")
        equal(len(tree()), 1)
        browser.open(page, "#/cost-contexts/code")
        browser.click(".tree .toggle")
        equal([row.split(" 1,000")[0] for row in tree()], ["main program.c:9", "fill program.c:3",
              "accesses heap block of fill (program.c:3)"])
        # What is opened is the first row in the order shown, not in the file.
        page = pages.of_profiles(samples.COST.replace('cycles="40"', 'cycles="4000"'))
        browser.blank()
        browser.open(page, "#/cost-objects")
        equal(browser.text(".detail h2"), "small blocks, or not known")
        equal(browser.complaints(), [])


def test_roofline(pages: Pages) -> None:
    """A function is one point for all its threads, with the operations and bytes of them all."""
    with Browser() as browser:
        browser.open(pages.of_profiles(samples.MIX), "#/mix-roofline")
        equal(browser.run("Array.from(document.querySelectorAll('.missratio circle'), c => [c.__data__.label, c.__data__.intensity])"), [["fill", 0.125]])
        browser.type("input[aria-label='seconds of the program alone']", "2")
        equal(browser.run("Array.from(document.querySelectorAll('.missratio .measured'), m => [m.__data__.all, m.__data__.rate])"), [[8, 4e-9]])
        equal(browser.run("document.querySelectorAll('.missratio').length"), 1)
        equal(browser.complaints(), [])


def test_mpi(pages: Pages) -> None:
    """Calls of both ranks are one row for each place, with bytes, seconds and waiting; a row tells the ranks apart; the
    matrix has a square for each pair; a rank without a profile is named, and its row hatched."""
    with Browser() as browser:
        page = pages.of_profiles(samples.rank(0), samples.rank(1))
        browser.open(page, "#/mpi-calls")
        equal([column(browser, i) for i in range(8)],
              [["point to point", "all to all"], ["MPI_Send", "MPI_Barrier"], ["fill (program.c:3)"] * 2, ["20", "2"], ["8,001", "0"],
               ["0.002400", "0.000900"], ["0.000000", "0.000700"], ["2", "2"]])
        demand("slowest in rank 0" in browser.text(".detail"), browser.text(".detail"))
        browser.click_text(".row .td", "MPI_Barrier")
        equal(browser.run("Array.from(document.querySelectorAll('.detail tbody tr'), r => Array.from(r.cells, c => c.innerText))"),
              [["0", "1", "0", "0.000800", "0.000700", "0.002000"], ["1", "1", "0", "0.000100", "0.000000", "0.002600"]])
        browser.open(page, "#/mpi-matrix")
        # The second fetched 96 bytes from the first.
        equal(browser.run("Array.from(document.querySelectorAll('svg.matrix rect.hot'), r => [r.__data__.from, r.__data__.to, r.__data__.value])"),
              [[0, 1, 4096], [1, 0, 4001]])
        equal(browser.run("Array.from(document.querySelectorAll('svg.matrix rect.unheard'), r => [r.__data__.from, r.__data__.to])"),
              [[2, 0], [2, 1], [2, 2]])
        demand("no profile of rank 2: what it sent is hatched" in browser.text("header"), browser.text("header"))
        browser.open(page, "#/mpi-collectives")
        # The first begins at 6,000 and waits 700 microseconds for the second.
        equal(browser.run("Array.from(document.querySelectorAll('svg.timeline rect.hot'), r => [r.__data__.rank, r.__data__.until - r.__data__.begin])"),
              [[0, 700], [1, 0]])
        # The same wait in the timeline of ranks, with the rank that is waited for; keys choose it.
        browser.open(page, "#/mpi-times")
        equal(browser.run("Array.from(document.querySelectorAll('.timeline .span'), (bar) => bar.__data__).length"), 1)
        equal(browser.run("document.querySelectorAll('.timeline .working').length"), 2)
        demand("MPI_Barrier, fill (program.c:3)" in browser.text(".waitsums"), browser.text(".waitsums"))
        browser.run("document.querySelector('.keys').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown' }))")
        demand("rank 0 waits in MPI_Barrier, fill (program.c:3): 0.000700 s for rank 1" in browser.text(".note"), browser.text(".note"))
        browser.click(".note a")
        browser.wait("document.querySelector('h1').textContent === 'Calls of MPI'")
        browser.open(page, "#/mpi-ranks")
        equal(column(browser, 2), ["4,000", "4,001"])
        demand("no profile of rank 2" in browser.text("header"), browser.text("header"))
        # Ranks are columns; the call that takes longest comes first.
        equal(browser.run("Array.from(document.querySelectorAll('table.plain tr'), r => Array.from(r.cells, c => c.innerText))"),
              [["call", "rank 0", "rank 1"], ["MPI_Send, fill (program.c:3)", "0.001500", "0.000900"],
               ["MPI_Barrier, fill (program.c:3)", "0.000800", "0.000100"]])
        # Of five ranks one is far from the others.
        browser.blank()
        page = pages.of_profiles(*(samples.rank(number, 1000 if number < 4 else 90000) for number in range(5)))
        browser.blank()
        browser.open(page, "#/mpi-calls")
        equal([column(browser, i)[0] for i in range(8, 12)], ["0.001000", "0.001000", "0.090000", "4: 0.090000"])
        equal(browser.complaints(), [])


def test_many_ranks(pages: Pages) -> None:
    """Of a hundred ranks the matrix has a square for each three by three, with their sum, which leads to these ranks; a column of
    the table of calls is the slower of two; a call's table has the slowest; the timeline those that wait least and most."""
    names = []
    for rank in range(100):
        names.append(str(pages.directory / f"rank.{rank}.xml"))
        Path(names[-1]).write_text(rank_profiles.profile(rank, 100, 12, 5))
    squares = "Array.from(document.querySelectorAll('svg.matrix rect.hot'), r => [r.__data__.from, r.__data__.to, r.__data__.value])"
    labels = "Array.from(document.querySelectorAll('svg text[transform*=rotate]'), e => e.textContent)"
    with Browser() as browser:
        page = pages.make(*names)
        browser.open(page, "#/mpi-matrix")
        equal(browser.run(labels), [f"{first}–{first + 2}" for first in range(0, 99, 3)] + ["99"])
        # Each sends 1000 bytes to each neighbour in a grid that is ten wide.
        sums: dict[tuple[int, int], int] = {}
        for rank in range(100):
            for peer in rank_profiles.grid_neighbours(rank, 100):
                sums[rank // 3, peer // 3] = sums.get((rank // 3, peer // 3), 0) + 1000
        equal(sorted(browser.run(squares)), sorted([*pair, value] for pair, value in sums.items()))
        browser.run("document.querySelector('svg.matrix a[aria-label^=\"ranks 0–2 to ranks 9–11\"]').dispatchEvent(new MouseEvent('click'))")
        browser.wait("document.querySelectorAll('header .sub').length === 2")
        demand("Only among 0–2 and 9–11. All 100 ranks" in browser.text("header"), browser.text("header"))
        # 0, 1, 2, 9, 10, 11
        equal(sorted(browser.run(squares)), [[*pair, 1000] for pair in
              ([0, 1], [0, 4], [1, 0], [1, 2], [1, 5], [2, 1], [4, 0], [4, 5], [5, 1], [5, 4])])
        browser.click("header a")
        browser.wait("document.querySelectorAll('header .sub').length === 1")
        browser.open(page, "#/mpi-ranks")
        equal(browser.texts("table.plain thead th")[:3], ["call", "rank 0–1", "rank 2–3"])
        # Ranks 8 and 9: the second is the last to come.
        equal(browser.texts("table.plain tbody tr:first-child td")[:5], ["0.560000"] * 5)
        equal(len(browser.texts("table.plain thead th")), 51)
        browser.open(page, "#/mpi-calls/0")
        equal(len(browser.texts(".detail tbody tr")), 64)
        demand("the 64 slowest of 100 ranks" in browser.text(".detail"), browser.text(".detail"))
        browser.open(page, "#/mpi-collectives")
        rows = browser.run("Array.from(document.querySelectorAll('svg.timeline text[text-anchor=end]'), e => Number(e.textContent))")
        equal(len(rows), 48)
        demand({rank for rank in range(100) if rank % 10 == 9} <= set(rows[:24]), str(rows))
        demand(not any(rank % 10 == 9 for rank in rows[24:]), str(rows))
        demand("Of 100 ranks the 24 that wait least" in browser.text("header"), browser.text("header"))
        # Ten ranks that were chosen, and those that they sent to.
        browser.blank()
        page = pages.make(*names[:10])
        browser.blank()
        browser.open(page, "#/mpi-matrix")
        equal(browser.run(labels), [])
        equal(browser.run("[...new Set(Array.from(document.querySelectorAll('svg.matrix rect.unheard'), r => r.__data__.from))].map(Number)"),
              list(range(10, 20)))
        equal(browser.complaints(), [])


def test_locality(pages: Pages) -> None:
    """Streams have their scores, where they were followed; a table says which thread reads and writes which object, another
    which bytes; an object's page has its streams."""
    with Browser() as browser:
        page = pages.of_profiles(samples.LOCALITY)
        browser.open(page)
        demand("Spatial locality\n0.250 ±1.000\n" in browser.text(".tiles"), browser.text(".tiles"))
        browser.open(page, "#/locality")
        equal([column(browser, i) for i in (0, 1, 2, 5, 6, 7)],
              [["all", "thread 1", "block", "block, thread 1"], ["all", "thread", "object", "object-thread"], ["100", "100", "80", "80"],
               ["0.250 ±1.000", "–", "0.000", "–"], ["0.500", "–", "0.750", "–"], ["100 %", "–", "50.0 %", "–"]])
        browser.type(".tools input", "object thread")
        equal(browser.text(".counter"), "1 of 4 rows")
        browser.open(page, "#/locality-zones")
        equal([column(browser, i) for i in range(5)], [["heap block of fill (program.c:3)"], ["1"], ["fill"], ["0–8 16–24"], [""]])
        browser.open(page, "#/locality-access")
        equal([column(browser, i) for i in (0, 1, 3, 4)], [["block"], ["24"], ["80"], ["R/W"]])
        browser.click(".row")
        browser.wait("document.querySelector('h1').innerText === 'heap block of fill (program.c:3)'")
        demand("block, thread 1" in browser.text("main"), browser.text("main"))
        demand("access map" in browser.text("main"), browser.text("main"))
        browser.open(page, "#/locality-advice")
        demand("Store block by columns." in browser.text(".advice"), browser.text(".advice"))
        equal(browser.complaints(), [])


def test_locality_maps(pages: Pages) -> None:
    """An access map has a picture of the reads and one of the writes; arrow keys go through its cells, which are told in words; threads and functions
    can be chosen."""
    with Browser() as browser:
        page = pages.of_profiles(samples.LOCALITY)
        browser.open(page, "#/locality-maps")
        equal(browser.run("Array.from(document.querySelectorAll('.accessmap figure figcaption'), f => f.innerText)"), ["Reads", "Writes"])
        browser.type(".accessmap canvas", KEYS["right"])
        said = "document.querySelector('.accessmap [role=status]').innerText"
        equal(browser.run(said), "bytes 0–3; instructions 100–115; about 1 reads: fill, thread 1")
        browser.type(".accessmap canvas", KEYS["right"])
        equal(browser.run(said), "bytes 0–3; instructions 116–131; not read")
        painted = "(() => { const c = document.querySelector('.accessmap canvas'); return Array.from(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).some(Boolean); })()"
        equal(browser.run(painted), True)
        browser.run("(() => { const s = document.querySelectorAll('.accessmap select')[1]; s.value = 'main'; s.dispatchEvent(new Event('change')); })()")
        equal(browser.run("document.querySelectorAll('.accessmap canvas').length"), 1)
        equal(browser.complaints(), [])


def test_locality_misses(pages: Pages) -> None:
    """The curve of misses has the machine's caches in it; a table is turned; source lines have their scores and colours."""
    line = '<stream kind="line" name="program.c:3" dir="/nonexistent" file="program.c" line="3" accesses="70" spatial="0.25" temporal="0" followed="1"/>'
    with Browser() as browser:
        page = pages.of_profiles(samples.LOCALITY.replace("<zones", f"{line}<zones").replace("/nonexistent", str(pages.source.parent)))
        browser.open(page, "#/locality-misses")
        # Of 100: 10 at 8 bytes, none at 16, 40 at 32, 30 at 64.
        equal(browser.run("Array.from(document.querySelectorAll('.missratio circle'), c => c.__data__)"), [[8, 0.9], [16, 0.9], [32, 0.5], [64, 0.2]])
        equal(browser.run("Array.from(document.querySelectorAll('.missratio line.cache')).length"), 2)
        demand("cache 1: 32 B" in browser.run("document.querySelector('.missratio').textContent"), "the first cache")
        browser.open(page, "#/locality-table/object/function")
        equal([column(browser, i) for i in range(4)], [["block"], ["80"], ["70"], ["10"]])
        browser.click_text("button", "Turn")
        browser.wait("document.querySelector('.th').innerText.startsWith('function')")
        equal([column(browser, i) for i in range(3)], [["fill", "main"], ["70", "10"], ["70", "10"]])
        browser.open(page, "#/source/0/3/locality-spatial")
        demand("spatial locality" in browser.text(".codehead"), browser.text(".codehead"))
        equal(browser.run("document.querySelector('.line[data-line] .count:not(:empty)').innerText"), "0.250")
        equal(browser.complaints(), [])


def test_races(pages: Pages) -> None:
    """A race has both accesses beside each other, each with its thread, locks and source, and what to do."""
    data = samples.small(pages.source)
    kinds = {"stack": "stack", "other-stack": "stack", "thread": "thread", "other-thread": "thread", "access": "text", "other-access": "text",
             "object": "object", "variable": "text", "clause": "text", "held": "text", "other-held": "text", "last": "text", "fix": "text",
             "bytes": "number", "times": "count"}
    race = {"stack": 4, "other-stack": 4, "thread": 2, "other-thread": 3, "access": "R", "other-access": "W", "variable": "sum of main",
            "other-held": "m", "last": "barrier at work (f.c:3)", "fix": "Take the lock that thread 3 holds here, too", "bytes": 4, "times": 1200}
    data["profile"] = {"fields": {"races": {"races": kinds}}, **data["profile"], "races": {"races": [race]}}
    with Browser() as browser:
        browser.open(pages.of(data), "#/races/0")
        equal(browser.texts(".pair .side h3"), ["Thread 3 writes", "Thread 2 reads"])
        equal(browser.texts(".pair .side > .note"), ["Holds m.", "Holds no lock."])
        equal(browser.text(".detail > p.note"), "Thread 2 last waited for thread 3 at the barrier at work (f.c:3).")
        equal(len(browser.texts(".pair .side > :not(details) .line.here code")), 2)
        equal(browser.text(".detail .fix"), "Fix: Take the lock that thread 3 holds here, too.")
        equal(browser.complaints(), [])


def test_section_without_script(pages: Pages) -> None:
    """A section without a script has a page for each of its lists, by the kinds of its fields."""
    data = samples.small(pages.source)
    data["profile"] = {"fields": {"toy": {"sizes": {"bytes": "number", "loads": "count", "stack": "stack", "part.share": "real"}}}, **data["profile"],
                       "toy": {"mode": "all", "sizes": [{"bytes": 8, "loads": 5, "stack": 4, "part": {"share": 0.5}}, {"bytes": 4, "loads": 1200}]}}
    with Browser() as browser:
        page = pages.of(data)
        browser.open(page, "#/toy-sizes")
        equal([column(browser, i) for i in range(4)], [["4", "8"], ["1,200", "5"], ["not known", "fill (program.c:3)"], ["0.000", "0.500"]])
        browser.click_text(".row .td", "8")
        equal(browser.text(".detail .line.here code"), "line 3 of the source")
        browser.open(page, "#/about")
        demand("Mode\nall" in browser.text("main"), browser.text("main"))
        equal(browser.complaints(), [])


def test_flame_graph(pages: Pages) -> None:
    """The flame graph is as wide as the counts; a function can be looked for and enlarged, and another count chosen."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/flame/modelled")
        labels = browser.run("Array.from(document.querySelectorAll('.flame svg > g'), g => g.getAttribute('aria-label')).sort()")
        equal(labels, ["all, 100 %", "count, 13.0 %", "fill, 87.0 %", "main, 100 %", "worker, 87.0 %"])
        browser.run("(() => { const e = document.querySelector('header input[type=search]'); e.value = 'FILL'; e.dispatchEvent(new Event('input')); })()")
        found = browser.run("Array.from(document.querySelectorAll('.flame svg > g:not(.off)'), g => g.getAttribute('aria-label'))")
        equal(found, ["fill, 87.0 %"])
        equal(browser.text("header .counter"), "87.0 % matched")
        browser.run("document.querySelector('.flame g[aria-label^=fill]').dispatchEvent(new MouseEvent('click'))")
        wide = browser.run("document.querySelector('.flame g[aria-label^=fill] rect').getAttribute('width')")
        demand(float(wide) > 1190, f"enlarged, it is {wide} of 1200 wide")
        demand("line 3 of the source" in browser.text(".line.here"), "its source is not shown")
        browser.run("(() => { const s = document.querySelector('header select'); s.value = 'stores'; "
                    "s.dispatchEvent(new Event('change')); })()")
        browser.wait("document.querySelector('main .sub').innerText.startsWith('2,050 stores')")
        equal(browser.complaints(), [])


def test_flame_orders(pages: Pages) -> None:
    """The charged code can come first, with its callers as its children, and each thread can have its part."""
    labels = "Array.from(document.querySelectorAll('.flame svg > g'), g => g.getAttribute('aria-label')).sort()"
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)), "#/flame/modelled/merged")
        equal(browser.run(labels), ["all, 100 %", "count, 13.0 %", "fill, 87.0 %", "main, 13.0 %", "main, 87.0 %", "worker, 87.0 %"])
        browser.click("header input[type=checkbox]")
        browser.wait("location.hash.endsWith('/threads')")
        equal([name for name in browser.run(labels) if name.startswith("thread")], ["thread 2, 56.5 %", "thread 3, 43.5 %"])
        equal(browser.complaints(), [])


def test_functions(pages: Pages) -> None:
    """Functions have what is theirs and what they call; callers and callees add up; so do threads. A link keeps the filter,
    the order and the chosen row."""
    with Browser() as browser:
        page = pages.of(samples.small(pages.source))
        browser.open(page, "#/functions/modelled")
        rows = "Object.fromEntries(Array.from(document.querySelectorAll('.row'), r => [r.children[0].innerText, [r.children[1].innerText, r.children[2].innerText]]))"
        total = "2,300"
        equal(browser.run(rows), {"fill": ["2,000", "2,000"], "count": ["300", "300"], "worker": ["0", "2,000"], "main": ["0", total]})
        browser.click_text(".row .td", "worker")
        sides = browser.texts(".sides section")
        demand(any(side.split() == ["Called", "by", "main", "2,000", "100", "%"] for side in sides), str(sides))
        demand(any(side.split() == ["Calls", "fill", "2,000", "100", "%"] for side in sides), str(sides))
        browser.type(".tools input", "r")
        browser.click_text(".th button", "Function")
        address = browser.run("location.hash")
        browser.blank()
        browser.open(page, address)
        equal(browser.text(".detail h2"), "worker")
        equal(column(browser, 0), ["worker"])
        equal(browser.run("document.querySelector('.th').getAttribute('aria-sort')"), "ascending")
        browser.open(page, "#/functions/modelled/thread")
        equal(column(browser, 0), ["thread 2", "thread 3"])
        equal(browser.complaints(), [])


def test_source_opens_at_hottest(pages: Pages) -> None:
    """A file that is opened without a line shows its hottest line; each line with counts has a mark beside the scroll bar."""
    pages.source.write_text("".join(f"line {n}\n" for n in range(1, 2000)))
    data = samples.small(pages.source)
    data["profile"]["stacks"][0]["frames"][0]["line"] = 1500
    with Browser() as browser:
        browser.open(pages.of(data, "--editor-url=edit:{path}#{line}"), "#/source/0")
        browser.wait("document.querySelector('.lines').scrollTop > 0")
        equal(browser.run("(() => { const r = document.querySelector('[data-line=\"1500\"]').getBoundingClientRect(), "
                          "b = document.querySelector('.lines').getBoundingClientRect(); return r.top > b.top && r.bottom < b.bottom; })()"), True)
        equal(browser.count(".marks button"), 3)
        equal(browser.run("document.querySelector('a.editor').getAttribute('href')"), f"edit:{pages.source}#1")
        equal(browser.complaints(), [])


def test_machine_code(pages: Pages) -> None:
    """Beside a hot line is the machine code around the instructions that are charged, as objdump has it."""
    if not shutil.which("objdump"):
        return
    with Browser() as browser:
        browser.open(pages.demonstration("sharing"), "#/source")
        browser.click_text(".row .td", "sharing.c")
        browser.wait("document.querySelector('.line .asm')")
        lines = browser.run("Array.from(document.querySelectorAll('.line'), l => l.querySelector('.asm') ? Number(l.dataset.line) : 0).filter(Boolean)")
        disassembled = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(pages.directory / "sharing")], capture_output=True,
                                      text=True, check=True).stdout
        for line in lines:
            browser.click(f"[data-line='{line}'] .asm")
            hot = browser.run("Array.from(document.querySelectorAll('.machine .hot'), i => i.innerText.split(/\\s+/).slice(0, 2).join(':'))")
            demand(bool(hot), f"line {line} has no hot instruction")
            for place, name in (each.split(":") for each in hot):
                demand(re.search(rf"^ *{place}:\t{name}\b", disassembled, re.MULTILINE) is not None, f"{place} is not {name}")
            browser.click(f"[data-line='{line}'] .asm")
        equal(browser.count(".machine"), 0)
        equal(browser.complaints(), [])


def test_changes(pages: Pages) -> None:
    """What has changed since another run has a page, with the figures of both."""
    names = []
    for number, cycles in enumerate((4000, 9000)):
        names.append(str(pages.directory / f"{number}.xml"))
        Path(names[-1]).write_text(samples.profile(pages.source, samples.COST.replace('cycles="1000"', f'cycles="{cycles}"'), 1))
    with Browser() as browser:
        browser.open(pages.make("--before", names[0], names[1]), "#/changes")
        equal(browser.text(".row").split("\n")[:4], ["changed", "4,000", "9,000", "+5,000"])
        equal(browser.complaints(), [])


def test_before(pages: Pages) -> None:
    """With a profile of before, the flame graph and the functions have what each function had there, matched by name, whatever the
    numbers of stacks; what is gone has a row; the colours go from blue to red with the difference."""
    def run(name: str, cycles: dict[int, int], stacks: dict[int, str]) -> str:
        rows = "".join(f'<cost-row stack="{stack}" loads="10" cycles="{n}"/>' for stack, n in cycles.items())
        text = samples.profile(pages.source, f'<cost machine="test" nodes="2" min-block="4096" assumptions="none">{rows}</cost>')
        made = "".join(f'<stack id="{stack}"><frame ip="0x{stack}00" fn="{fn}"/><frame ip="0x999" fn="main"/></stack>' for stack, fn in stacks.items())
        path = pages.directory / name
        path.write_text(re.sub("<stacks>.*</objects>", f"<stacks>{made}</stacks><objects/>", text, flags=re.DOTALL))
        return str(path)

    before = run("before.xml", {1: 100, 2: 300, 3: 50}, {1: "same", 2: "slow", 3: "gone"})
    now = run("now.xml", {5: 40, 6: 100, 7: 500}, {5: "slow", 6: "same", 7: "fresh"})
    with Browser() as browser:
        browser.open(pages.make(now, f"--before={before}"), "#/functions/cost-cycles")
        rows = browser.run("Array.from(document.querySelectorAll('.row'), r => Array.from(r.children, c => c.innerText))")
        equal({row[0]: row[2:5] for row in rows}, {"main": ["640", "450", "+190"], "same": ["100", "100", "0"], "slow": ["40", "300", "-260"],
                                                   "fresh": ["500", "0", "+500"], "gone": ["0", "50", "-50"]})
        browser.open(pages.make(now, f"--before={before}"), "#/flame/cost-cycles")
        red = {name: browser.run("(() => { const [r, , b] = getComputedStyle(document.querySelector(`.flame g[aria-label^=${arguments[0]}] rect`)).fill.match(/\\d+/g).map(Number);"
                                 " return r - b; })()", name) for name in ("slow", "same", "fresh")}
        demand(red["slow"] < red["same"] < red["fresh"], str(red))
        browser.click("header label:nth-of-type(3) input")
        browser.wait("location.hash.endsWith('/before')")
        equal(browser.run("Array.from(document.querySelectorAll('.flame svg > g'), g => g.getAttribute('aria-label')).sort()"),
              ["all, 100 %", "gone, 11.1 %", "main, 100 %", "same, 22.2 %", "slow, 66.7 %"])
        demand("Red: more now, when it is 640" in browser.text("main"), browser.text("main"))
        equal(browser.complaints(), [])


def test_before_every_table(pages: Pages) -> None:
    """With a run before, each table with figures has that run's figure of each row, though all lines of the program have moved; so
    have trees, the figures of the first page, the page of an object and that of a finding. The user chooses the figure."""
    text = (pages.checkout / "tests" / "demo" / "sharing.c").read_text()
    modules, profile = [], pages.directory / "now.xml"
    for folder, lines in (("now", text), ("before", "// one\n// two\n" + text)):
        (pages.directory / folder).mkdir(exist_ok=True)
        program = pages.directory / folder / "sharing"
        program.with_suffix(".c").write_text(lines)
        subprocess.run(["gcc", "-g", "-O1", "-pthread", "-w", "sharing.c", "-o", "sharing"], cwd=program.parent, check=True)
        subprocess.run([pages.valgrind, "--tool=memspy", "--cost=yes", "--mix=yes", "--heap-profile=yes", "--waste=yes", "--locality=yes",
                        f"--memspy-out-file={pages.directory / folder}.xml", "./sharing"], cwd=program.parent, check=True, capture_output=True)
        written = (pages.directory / f"{folder}.xml").read_text()
        modules.append(re.findall(r'path="[^"]*/sharing" build-id="\w+"', written)[0])
    # The same figures, of a program whose lines are others.
    moved = pages.directory / "moved.xml"
    moved.write_text(profile.read_text().replace(*modules).replace(str(pages.directory / "now"), str(pages.directory / "before")))
    with Browser() as browser:
        browser.open(pages.make(str(profile), f"--before={moved}"))
        tiles = browser.texts(".tile .label + .value")
        equal(browser.texts(".tile .note + .note"), [f"before: {tile}" for tile in tiles[:-1]])
        names = browser.run("Array.from(document.querySelectorAll('nav a'), a => a.getAttribute('href'))")
        names += browser.run("(() => { const object = memspy.store.data.sections.contention.groups[0].objects[0]; return [memspy.link('object', object), memspy.link('finding', 0)]; })()")
        compared = 0
        for name in names:
            browser.run("location.hash = arguments[0]", name)
            browser.wait(f"location.hash.startsWith('{name}')")
            for heads in browser.run("Array.from(document.querySelectorAll('.table'), t => Array.from(t.querySelectorAll('.th'), c => [c.innerText.trim(), c.classList.contains('number')]))"):
                figures = [head for head, number in heads if number and head not in ("Thread", "Made by", "#")]
                demand(not figures or ("Before" in figures and "More" in figures), f"{name}: {heads}")
            for more in browser.run("""Array.from(document.querySelectorAll('.table')).flatMap((t) => {
                    const at = Array.from(t.querySelectorAll('.th'), c => c.innerText.trim()).indexOf('More');
                    return at < 0 ? [] : Array.from(t.querySelectorAll('.row'), r => r.children[at].innerText); })"""):
                demand(re.fullmatch(r"0(\.0+)?( %)?", more) is not None, f"{name}: {more} more")
                compared += 1
        demand(compared > 100, f"only {compared} rows are compared")
        browser.run("location.hash = '#/cost-contexts'")
        browser.wait("document.querySelector('.tree')")
        equal(browser.run("[...new Set(Array.from(document.querySelectorAll('.tree tr[aria-level]'), r => r.children[3].innerText))]"), ["0"])
        equal(browser.complaints(), [])

    files = [pages.directory / f"{number}.xml" for number in range(2)]
    for number, (cycles, loads) in enumerate(((4000, 150), (9000, 100))):
        cost = samples.COST.replace('cycles="1000"', f'cycles="{cycles}"').replace('loads="90"', f'loads="{loads}"')
        files[number].write_text(samples.profile(pages.source, cost, 1))
    with Browser() as browser:
        browser.open(pages.make(str(files[1]), f"--before={files[0]}"), "#/cost-rows")
        shown = "(() => { const heads = Array.from(document.querySelectorAll('.th'), c => c.innerText.trim()), cells = document.querySelector('.row').children; return heads.map((head, i) => [head, cells[i].innerText]); })()"
        at = browser.run(shown).index
        rows = browser.run(shown)
        equal(rows[at(["Before", "4,000"]) - 1:][:3], [["Cycles", "9,000"], ["Before", "4,000"], ["More", "+5,000"]])
        browser.run("(() => { const s = document.querySelector('.tools select'); s.value = 'accesses'; s.dispatchEvent(new Event('change')); })()")
        rows = browser.run(shown)
        before = [head for head, _ in rows].index("Before")
        equal([head for head, _ in rows][before - 1], "Accesses")
        equal(rows[before + 1][1], "-50")
        equal(browser.complaints(), [])


def test_before_lines(pages: Pages) -> None:
    """Rows of one name in different numbers are paired by how far most lines of their file have moved; what is left in order."""
    mine = [[1, "f (x.c:11)"], [2, "f (x.c:21)"], [3, "f (x.c:35)"], [4, "g (x.c:51)"], [5, "h (y.c:7)"], [6, "h (y.c:9)"], [7, "k (y.c:30)"]]
    theirs = [[11, "f (x.c:10)"], [12, "f (x.c:20)"], [13, "f (x.c:29)"], [14, "f (x.c:34)"], [15, "g (x.c:50)"], [16, "h (y.c:7)"], [17, "k (y.c:20)"]]
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source)))
        equal(sorted(browser.run("[...memspy.compare.pairs(arguments[0], arguments[1])]", mine, theirs)),
              [[1, 11], [2, 12], [3, 14], [4, 15], [5, 16], [7, 17]])


def test_every_page(pages: Pages) -> None:
    """Each page of the navigation opens, has a heading, marks itself and says nothing on the console: with figures of
    every kind, with errors only, with a run that has nothing to show and with one that was cut short. No page, and no picture
    in it, says what only a program says: "[object …]", "undefined", "NaN"."""
    errors = samples.small(pages.source)
    errors["profile"] = None
    cut = samples.small(pages.source)
    cut["profile"].update({"finished": False, "made-by": "dump"})
    cut["profile"]["contention"]["quality"]["exact"] = False
    cut["problems"] = ["run.xml:7: cut short", "other.xml:1: empty"]
    with Browser() as browser:
        for data in (samples.small(pages.source), errors, samples.empty(), cut, None):
            browser.open(pages.of(data) if data else pages.of_profiles(samples.LOCALITY + samples.rank(0) + samples.COST))
            names = browser.run("Array.from(document.querySelectorAll('nav a'), a => a.dataset.page)")
            demand("overview" in names and "about" in names, str(names))
            for name in names:
                browser.click(f"nav a[data-page={name}]")
                # The address changes first.
                browser.wait(f"document.querySelector('nav a[aria-current]').dataset.page === '{name}'")
                demand(browser.text("h1") != "", f"{name} has no heading")
                shown = browser.run("document.getElementById('side').textContent + document.getElementById('main').textContent")
                for word in ("[object", "undefined", "NaN"):
                    demand(word not in shown, f"{name} says {word}")
            equal(browser.complaints(), [])


def test_phone(pages: Pages) -> None:
    """On a phone's screen of 390 pixels no page is wider than it, and no sentence is cut; tables and pictures scroll by themselves."""
    with Browser() as browser:
        browser.command("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
        for profiles in (None, samples.LOCALITY + samples.rank(0) + samples.COST):
            browser.open(pages.of_profiles(profiles) if profiles else pages.of(samples.small(pages.source)))
            for name in browser.run("Array.from(document.querySelectorAll('nav a'), a => a.dataset.page)"):
                browser.click(f"nav a[data-page={name}]")
                browser.wait(f"document.querySelector('nav a[aria-current]').dataset.page === '{name}'")
                wide = browser.run("document.documentElement.scrollWidth")
                demand(wide <= 390, f"{name} is {wide} pixels wide")
                equal(browser.run("Array.from(document.querySelectorAll('main p, main figcaption, main .counter, main label'), e => [e.textContent, e.getBoundingClientRect(), e.closest('.scrolls')])"
                                  ".filter(([, box, inside]) => box.width && box.right > 391 && !inside).map(([words]) => words)"), [])
        equal(browser.complaints(), [])


def test_no_name_is_cut(pages: Pages) -> None:
    """On a screen of 1,440 pixels a table beside an open row shows kinds and places whole, and no heading or number is cut."""
    with Browser() as browser:
        browser.command("Emulation.setDeviceMetricsOverride", width=1440, height=900, deviceScaleFactor=1, mobile=False)
        page = pages.demonstration("demo")
        for address, columns in (("#/defects", "[1, 3, 4]"), ("#/zeros", "[0, 1, 2, 3]")):
            browser.blank()
            browser.open(page, address)
            equal(browser.run(f"""Array.from(document.querySelectorAll('.row, .head')).flatMap((row) => {columns}.map((i) => row.children[i]))
                .filter((cell) => cell && cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent).filter((text) => text.length < 40)"""), [])
        # Names that are longer than any screen give way to figures.
        data = samples.small(pages.source)
        for entry in data["profile"]["objects"]:
            entry["variable"] = f"std::map<std::string, std::vector<std::pair<int, long>>>::{entry.get('variable') or entry.get('name')}"
        for stack in data["profile"]["stacks"]:
            for frame in stack["frames"]:
                frame["fn"] = f"{frame.get('fn')}_with_a_name_that_says_all_that_the_function_does"
        page = pages.of(data)
        for address in ("#/objects", "#/code", "#/line", "#/zeros"):
            browser.blank()
            browser.open(page, address)
            equal(browser.run("Array.from(document.querySelectorAll('.th.number'), th => [th.innerText, th.getBoundingClientRect().right]).filter(([, right]) => "
                              "right > document.querySelector('.view').getBoundingClientRect().right + 1)"), [])
        equal(browser.complaints(), [])


def axe(work: Path) -> str:
    """A checker of what people need who do not see a page or use no mouse, from npm."""
    done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", work, "axe-core@4.10.2"], check=False)
    if done.returncode:
        raise Skipped("npm did not install axe-core")
    return (work / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


def test_everyone_can_use_it(pages: Pages) -> None:
    """Axe finds nothing on any page, on a wide screen and on a phone's."""
    checker = axe(pages.directory)
    with Browser() as browser:
        for width in (1440, 390):
            browser.command("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 1000)
            for which in ("demonstration", "small", "profiles"):
                browser.blank()
                browser.open(pages.demonstration("demo") if which == "demonstration" else pages.of(samples.small(pages.source)) if which == "small"
                             else pages.of_profiles(samples.LOCALITY + samples.rank(0) + samples.COST + samples.MIX))
                browser.run(f"(() => {{ {checker}\nreturn 1; }})()")
                for name in browser.run("Array.from(document.querySelectorAll('nav a'), a => a.dataset.page)"):
                    browser.click(f"nav a[data-page={name}]")
                    browser.wait(f"document.querySelector('nav a[aria-current]').dataset.page === '{name}'")
                    # What scrolls gets its place among the keys when it is laid out, before it is painted: two frames later all are there.
                    browser.run("""(() => { window.found = null; requestAnimationFrame(() => requestAnimationFrame(() =>
                        axe.run(document, { resultTypes: ["violations"] }).then((result) => {
                            window.found = result.violations.map((v) => `${v.id}: ${v.nodes[0].html}`); }))); return 1; })()""")
                    browser.wait("window.found !== null")
                    equal((name, width, browser.run("window.found")), (name, width, []))


def test_hundred_thousand_rows(pages: Pages) -> None:
    """100,000 rows: few are elements, the last is there after End, sorting and filtering see all."""
    with Browser() as browser:
        browser.open(pages.of(samples.big(ROWS, LINES, pages.source)), "#/code")
        equal(browser.text(".counter"), "100,000 rows")
        equal(column(browser, 1)[0], f"object {ROWS - 1}")
        demand(browser.count(".row") < 100, f"{browser.count('.row')} rows are elements")
        browser.type(".view", KEYS["end"])
        browser.wait("document.querySelector('.row.active')")
        equal(browser.run("document.querySelector('.row.active').children[1].innerText"), "object 0")
        demand(browser.count(".row") < 100, "too many elements after scrolling")
        for top in range(0, ROWS * 32, ROWS * 32 // 17):
            browser.run("document.querySelector('.view').scrollTop = arguments[0]", top)
            browser.wait("(() => { const v = document.querySelector('.view').getBoundingClientRect(); "
                         "return document.elementFromPoint(v.left + 40, v.top + v.height / 2)?.closest('.row'); })()")
        browser.type(".tools input", "object 777")
        equal(browser.text(".counter"), f"{sum('777' in str(i) for i in range(ROWS))} of 100,000 rows")
        browser.click_text(".th button", "Object")
        equal(column(browser, 1)[0], "object 777")
        browser.open(pages.directory / "page.html", "#/line")
        equal(browser.text(".counter"), f"{LINES:,} rows")
        equal(browser.complaints(), [])


def test_link_keeps_place(pages: Pages) -> None:
    """The address says how far a table was scrolled, and a page that is opened with it begins there."""
    with Browser() as browser:
        page = pages.of(samples.big(1000, 10, pages.source))
        browser.open(page, "#/code")
        browser.run("document.querySelector('.view').scrollTop = 500 * 32")
        browser.wait("location.hash.includes('top+')")
        address = browser.run("location.hash")
        browser.blank()
        browser.open(page, address)
        browser.wait("document.querySelector('.view').scrollTop === 500 * 32")
        equal(browser.complaints(), [])


def test_hostile_names(pages: Pages) -> None:
    """No name in the data becomes an element or runs, on any page."""
    with Browser() as browser:
        browser.open(pages.of(samples.hostile(pages.source)))
        for name in browser.run("Array.from(document.querySelectorAll('nav a'), a => a.dataset.page)"):
            browser.click(f"nav a[data-page={name}]")
            browser.wait(f"document.querySelector('nav a[aria-current]').dataset.page === '{name}'")
            demand("owned" not in browser.run("document.title").replace("document.title='owned'", ""), "a name ran")
            equal(browser.count("main img, main script, main b.owned"), 0)
        for fragment in ("#/object/0", "#/finding/0", "#/defects/0", "#/line/0", "#/source/0/1", "#/code/0",
                         "#/__proto__", "#/constructor/1", "#/object/999", "#/finding/77", "#/source/999/1", "#/line/-1", "#/%zz"):
            browser.run("location.hash = arguments[0]", fragment)
            browser.wait("document.querySelector('h1, .note')")
            equal(browser.count("main img, main script"), 0)
        equal(browser.complaints(), [])


def test_colours(pages: Pages) -> None:
    """Dark where the system is dark; the switch goes through light and dark, and text stands out in both."""
    path = pages.of(samples.small(pages.source))
    contrast = """(() => {
        const light = (c) => { const [r, g, b] = c.match(/\\d+/g).map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
            return .2126 * r + .7152 * g + .0722 * b; };
        const of = (selector) => { const e = document.querySelector(selector); let b = e;
            while (b && getComputedStyle(b).backgroundColor === 'rgba(0, 0, 0, 0)') b = b.parentElement;
            const [x, y] = [light(getComputedStyle(e).color), light(getComputedStyle(b).backgroundColor)].sort((p, q) => q - p);
            return (x + .05) / (y + .05); };
        return ['h1', '.tile .label', '.tile .note', '.card h3 a', '.card dd', 'nav li a', 'nav .badge'].map((s) => [s, of(s)]);
    })()"""
    for dark in (False, True):
        with Browser(dark=dark) as browser:
            browser.open(path)
            theme = "document.documentElement.dataset.theme"
            equal(browser.run(theme), "dark" if dark else "light")
            for selector, ratio in browser.run(contrast):
                demand(ratio >= 4.5, f"{selector} has a contrast of {ratio:.1f} in {browser.run(theme)}")
            browser.click("button.theme")
            equal(browser.run(theme), "light")
            browser.click("button.theme")
            equal(browser.run(theme), "dark")
            equal(browser.complaints(), [])


def test_print(pages: Pages) -> None:
    """Printed, a long table has its first 500 rows and says so; the navigation is left out."""
    with Browser() as browser:
        browser.open(pages.of(samples.big(2000, 10, pages.source)), "#/code")
        printed = browser.command("Page.printToPDF", printBackground=True)["data"]
        pages_printed = len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed)))
        demand(5 <= pages_printed <= 60, f"{pages_printed} pages of paper")
        browser.command("Emulation.setEmulatedMedia", media="print")
        browser.run("window.dispatchEvent(new Event('beforeprint'))")
        equal(browser.count(".row"), 500)
        demand("the first 500 are printed" in browser.text(".counter"), browser.text(".counter"))
        equal(browser.run("getComputedStyle(document.querySelector('nav')).display"), "none")
        # The rows are only removed after the view has shrunk to its size on the screen.
        browser.command("Emulation.setEmulatedMedia", media="")
        browser.run("window.dispatchEvent(new Event('afterprint'))")
        browser.wait("document.querySelectorAll('.row').length < 100")
        equal(browser.complaints(), [])


def test_without_sources(pages: Pages) -> None:
    """With --sources=none the page works, says why there is no code, and asks for nothing."""
    with Browser() as browser:
        browser.open(pages.of(samples.small(pages.source), "--sources=none"), "#/code/0")
        demand("left out" in browser.text(".detail"), browser.text(".detail"))
        equal(browser.count(".line"), 0)
        equal(browser.run("performance.getEntriesByType('resource').length"), 0)
        equal(browser.complaints(), [])


TESTS: dict[str, Callable[[Pages], None]] = {name[5:]: function for name, function in sorted(globals().items())
                                              if name.startswith("test_")}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--program")
    parser.add_argument("--valgrind")
    parser.add_argument("--source", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("name", nargs="?")
    options = parser.parse_args()
    if options.list:
        print("\n".join(TESTS))
        return 0
    if webdriver.programs() is None:
        if os.environ.get("CI", "").lower() in ("true", "1"):
            print("chromium and chromium-driver are missing, and CI is set: ./bootstrap check installs them")
            return 1
        print("skipped: no chromium and chromedriver here (Debian: chromium, chromium-driver)")
        return SKIPPED
    test = TESTS[options.name]
    print(inspect.getdoc(test))
    try:
        test(Pages(options.program, options.valgrind, options.source, options.work / options.name))
    except Skipped as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except (Failure, webdriver.BrowserError) as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
