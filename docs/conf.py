# SPDX-License-Identifier: GPL-2.0-or-later
"""The book: `make book` in the build folder makes it of the pages here, with Sphinx and MyST."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "memspy/manual"))
sys.dont_write_bytecode = True

import tables  # noqa: E402

project = "memspy"
author = "the memspy authors"
copyright = "2026, " + author
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["*.dot", "*.rng", "*.json", "*.tsv", "*.sh"]
html_theme = "classic"
html_theme_options = {"stickysidebar": "true", "bodyfont": "sans-serif", "headfont": "sans-serif"}
html_show_sourcelink = False
html_title = "memspy"
myst_heading_anchors = 4
# Blocks of languages of our own: `c NAME.c OPTION`, and `console` with output.
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

# What stands in the book where a document has this line: the tool's options, as `--help-all` and `man memspy` have them.
OPTIONS = "<!-- options -->\n"


def options() -> str:
    text = ""
    for group in tables.of_tool(SOURCE).groups:
        text += f"\n{group.title[0].upper()}{group.title[1:]}:\n\n| option | default | meaning |\n|---|---|---|\n"
        for option in group.options:
            usage = f"{option.name}={option.value}".replace("|", "\\|")
            words, _, default = option.help.rpartition(" [")
            text += f"| `{usage}` | {default.rstrip(']')} | {words} |\n"
    return text + "\n"


def put_options(app: Any, name: str, source: list[str]) -> None:
    source[0] = source[0].replace(OPTIONS, options())


def setup(app: Any) -> None:
    app.connect("source-read", put_options)
