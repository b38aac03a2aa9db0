# SPDX-License-Identifier: GPL-2.0-or-later
"""The book: `make book` in the build folder makes it of the pages here, with Sphinx and MyST."""

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
