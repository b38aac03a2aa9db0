#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that Qt Creator loads what memspy-report exports as memcheck4 and helgrind4, and finds every issue in it.

Debian's Qt Creator runs on a display of its own and is driven as a screen reader would: a button is pressed, a file named
in the dialog, the number of issues read from the status bar. Needs Debian's Python, which has the accessibility library.
"""
# mypy: disable-error-code="import"

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator

# Of each export: the demonstration that it is made from, and its planted faults.
ISSUES = {"memcheck4": ("demo", 4), "helgrind4": ("sharing", 1)}
BUTTON = "Load External XML Log File"
PROCESSED = re.compile(r"Log file processed\. (\d+) issues? w")


def export(arguments: argparse.Namespace) -> Path:
    """The demonstration, run under memspy; its errors in the wanted format."""
    program = ISSUES[arguments.format][0]
    source = arguments.source / "tests" / "demo" / f"{program}.c"
    errors: Path = arguments.work / "errors.xml"
    exported: Path = arguments.work / f"{arguments.format}.xml"
    subprocess.run(["gcc", "-g", "-pthread", source, "-o", arguments.work / program], check=True)
    subprocess.run([arguments.valgrind, "--tool=memspy", "--xml=yes", f"--xml-file={errors}", "--memspy-out-file=none",
                    "--leak-check=full", arguments.work / program], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([arguments.valgrind.parent / "memspy-report", "export", f"--to={arguments.format}", errors, "-o", exported],
                   check=True)
    return exported


def on_a_display() -> int:
    """Runs this program again with a display and a message bus of its own; both end with it."""
    reader, writer = os.pipe()
    # Without -noreset the display resets when its first client leaves, although the next one is about to start.
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-noreset", "-nolisten", "tcp", "-screen", "0", "1280x900x24"],
                              pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as answer:
            display = answer.readline().strip()
        command = ["dbus-run-session", "--", sys.executable, *sys.argv, "--inside"]
        return subprocess.run(command, env={**os.environ, "DISPLAY": f":{display}"}, check=False).returncode
    finally:
        server.terminate()
        server.wait()


class Creator:
    """Qt Creator with new settings, its home in `home`."""

    def __init__(self, home: Path) -> None:
        import gi

        gi.require_version("Atspi", "2.0")
        from gi.repository import Atspi

        self.atspi: Any = Atspi
        runtime = home / "runtime"
        runtime.mkdir(mode=0o700)
        environment = {**os.environ, "HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
        self.process = subprocess.Popen(["qtcreator", "-settingspath", home / "settings", "-noload", "all", "-load", "Valgrind"],
                                        env=environment)

    def __enter__(self) -> Creator:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def elements(self) -> Iterator[Any]:
        desktop = self.atspi.get_desktop(0)
        waiting = [desktop.get_child_at_index(i) for i in range(desktop.get_child_count())]
        while waiting:
            element = waiting.pop()
            if element is None:
                continue
            yield element
            waiting += [element.get_child_at_index(i) for i in range(element.get_child_count())]

    def find(self, what: str, matches: Callable[[Any], Any]) -> Any:
        """The first element that matches; they come and go, so one that is gone is passed over."""
        last = time.monotonic() + 90
        while time.monotonic() < last:
            if self.process.poll() is not None:
                sys.exit(f"FAILED: Qt Creator ended with {self.process.returncode}")
            try:
                for element in self.elements():
                    if matches(element):
                        return element
            except Exception as gone:  # pylint: disable=broad-except  # GLib.Error, known only when gi is there
                if type(gone).__name__ not in ("Error", "GError"):
                    raise
            time.sleep(0.3)
        sys.exit(f"FAILED: Qt Creator shows no {what}")

    def press(self, element: Any) -> None:
        try:
            self.atspi.Action.do_action(element, 0)
        except Exception as late:  # pylint: disable=broad-except
            # A button that opens a dialog answers when the dialog is closed: later than the library waits.
            if type(late).__name__ not in ("Error", "GError"):
                raise

    def issues(self, log: Path) -> int:
        atspi = self.atspi
        self.press(self.find(f"button {BUTTON!r}", lambda e: e.get_description() == BUTTON))
        dialog = self.find("file dialog", lambda e: e.get_role() in (atspi.Role.DIALOG, atspi.Role.FILE_CHOOSER))
        name = self.find("field for the file's name", lambda e: e.get_name() == "File name:" and e.get_role() == atspi.Role.TEXT)
        atspi.EditableText.set_text_contents(name, str(log))
        self.press(self.find("button to open it", lambda e: e.get_name() == "Open" and e.get_role() == atspi.Role.PUSH_BUTTON
                             and atspi.Action.get_n_actions(e) and e.get_parent().get_parent() == dialog))
        label = self.find("result", lambda e: PROCESSED.match(e.get_name()))
        found = PROCESSED.match(label.get_name())
        assert found
        return int(found[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("format", choices=sorted(ISSUES))
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True, help="root of the checkout")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        shutil.rmtree(arguments.work, ignore_errors=True)
        arguments.work.mkdir(parents=True)
        return on_a_display()
    expected = ISSUES[arguments.format][1]
    with Creator(arguments.work) as creator:
        found = creator.issues(export(arguments))
    if found != expected:
        print(f"FAILED: Qt Creator found {found} issues, not {expected}")
        return 1
    print(f"passed: Qt Creator found {found} issues")
    return 0


if __name__ == "__main__":
    sys.exit(main())
