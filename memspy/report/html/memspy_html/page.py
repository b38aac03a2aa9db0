# SPDX-License-Identifier: GPL-2.0-or-later
"""One HTML file that needs nothing else: frame, style, libraries with their licences, own code, data."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Iterable, Iterator

from .problem import Problem
from .tables import Json, pieces_of

# The scripts in the order of execution: later ones use earlier ones.
SCRIPTS = ("memspy", "text", "theme", "store", "sections", "table", "tree", "compare", "charts", "timeline", "overview", "flame", "functions", "source", "stacks", "object",
           "records", "advice", "changes", "threads", "about", "search")
LAST = "main"
MARK = re.compile(r"<!--\s*memspy:(\w+)\s*-->|/\*\s*memspy:(\w+)\s*\*/")
# The page may run only its own scripts, and may load nothing, whatever the data contains.
POLICY = ("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
          "base-uri 'none'; form-action 'none'")


def data_element(document: Json) -> Iterator[str]:
    """JSON inside <script>: no character in it may end the element or open a comment in it."""
    for text in pieces_of(document):
        # Lone surrogates are not valid UTF-8, and only come from escapes in JSON.
        text = text.encode("utf-8", errors="replace").decode("utf-8")
        yield text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026") \
            .replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


# All own scripts are one function of the data, so that two runs can be in one page: see web/compare.js.
OWN = """"use strict";
const memspyOf = (data, shown) => {{
{}return memspy;
}};
const memspy = memspyOf(JSON.parse(document.getElementById("data").textContent), null);
memspy.start();
"""


def script_element(text: str, origin: str) -> str:
    if re.search(r"</script|<!--", text, re.IGNORECASE):
        raise Problem(f"{origin}: cannot stand inside a page; it was installed wrongly")
    return f"<script>\n{text}</script>"


def scripts(web: Path) -> list[Path]:
    """All scripts of sections, sorted by name: a section's first script has the section's name."""
    sections = sorted((web / "sections").glob("*.js"), key=lambda path: path.stem)
    return [*(web / f"{name}.js" for name in SCRIPTS), *sections, web / f"{LAST}.js"]


def read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}: memspy is not installed whole") from error


def render(document: Json, share: Path) -> Iterator[str]:
    """The page, in pieces. Everything except the data is read before the first piece."""
    web = share / "web"
    values: dict[str, Iterable[str]] = {
        "title": [html.escape(f"{document['title']} – memspy")],
        "policy": [html.escape(POLICY)],
        "style": [read(web / "style.css")],
        "data": data_element(document),
        "licences": [html.escape(read(share / "libraries.txt"))],
        "libraries": [script_element(read(share / "libraries.js"), "libraries.js")],
        "scripts": [script_element(OWN.format("".join(map(read, scripts(web)))), "web")],
    }
    frame = read(web / "page.html")
    end = 0
    for match in MARK.finditer(frame):
        yield frame[end:match.start()]
        yield from values[match[1] or match[2]]
        end = match.end()
    yield frame[end:]
