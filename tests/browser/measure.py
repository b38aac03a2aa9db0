#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures how quickly a page with many rows opens in Chromium, sorts, filters and scrolls: the figures of
docs/performance.md. Usage: measure.py MEMSPY-HTML [ROWS]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from webdriver import Browser

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "html"))
import samples  # noqa: E402

PAGES = {"overview": "", "objects": "#/objects", "code": "#/code", "cache lines": "#/line", "flame graph": "#/flame"}
# From the start of the navigation until the next frame after all scripts have run.
OPENED = "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
# Scrolls down by this number of pixels in each frame; the times between frames, in milliseconds.
SCROLLED = """new Promise(done => {
    const pixels = arguments[0], view = document.querySelector('.view'), times = [];
    let last = performance.now();
    const step = () => {
        const now = performance.now();
        times.push(now - last);
        last = now;
        view.scrollTop += pixels;
        if (times.length < 300) requestAnimationFrame(step);
        else done(times.slice(1).sort((a, b) => a - b));
    };
    requestAnimationFrame(step);
})"""
TIMED = "(() => { const begin = performance.now(); %s; document.body.getBoundingClientRect(); return performance.now() - begin; })()"
SORTED = TIMED % "document.querySelector('.th button').click()"
FILTERED = TIMED % ("(() => { const box = document.querySelector('.tools input'); box.value = 'object 777'; "
                    "box.dispatchEvent(new Event('input')); })()")


def main() -> None:
    program, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory(prefix="memspy-measure-") as directory:
        source, data, page = (Path(directory) / name for name in ("program.c", "in.json", "page.html"))
        source.write_text(samples.SOURCE)
        data.write_text(json.dumps(samples.big(rows, rows, source)))
        subprocess.run([program, "--json", data, "-o", page], check=True)
        print(f"{rows:,} rows, lines and objects; page of {page.stat().st_size / 1e6:.0f} MB; milliseconds")
        with Browser() as browser:
            for name, fragment in PAGES.items():
                times = []
                for _ in range(3):
                    browser.blank()
                    browser.open(page, fragment)
                    times.append(float(browser.run(OPENED)))
                print(f"open at {name:12} {sorted(times)[1]:6.0f}")
            browser.open(page, "#/code")
            for pixels in (0, 50, 100, 800):
                frames = browser.run(SCROLLED, pixels)
                print(f"frames at {pixels:3} pixels each: median {frames[len(frames) // 2]:.0f}, "
                      f"95 of 100 under {frames[len(frames) * 95 // 100]:.0f}")
            print(f"sort by name {browser.run(SORTED):6.0f}, filter {browser.run(FILTERED):6.0f}, again {browser.run(FILTERED):6.0f}")


if __name__ == "__main__":
    main()
