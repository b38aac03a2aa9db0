#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Takes docs/images/report.png anew: the first page of tests/demo/sharing.c. Usage: picture.py FOLDER-OF-PROGRAMS"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from pathlib import Path

from webdriver import Browser

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 1180, 1010


def main() -> None:
    programs = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="memspy-picture-") as name, Browser() as browser:
        folder = Path(name)
        subprocess.run(["gcc", "-g", "-pthread", "-o", folder / "sharing", "sharing.c"], check=True, cwd=ROOT / "tests" / "demo")
        subprocess.run([programs / "valgrind", "-q", "--tool=memspy", "--zeros=all", "--memspy-out-file=run.xml", "--xml=yes",
                        "--xml-file=errors.xml", "./sharing"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        subprocess.run([programs / "memspy-html", "run.xml", "errors.xml", "-o", "page.html"], check=True, cwd=folder)
        browser.command("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        browser.open(folder / "page.html")
        picture = browser.command("Page.captureScreenshot")
        (ROOT / "docs" / "images" / "report.png").write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    main()
