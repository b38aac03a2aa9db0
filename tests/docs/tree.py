#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that docs/ shows the tree as it is.

  architecture  docs/architecture.dot has each folder of memspy/ and each analysis, in the order of the table in
                docs/internals.md; its SVG was made from it
"""

from __future__ import annotations

import argparse
import html
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def complaints_of_architecture() -> list[str]:
    source = re.sub(r"//[^\n]*", "", (ROOT / "docs" / "architecture.dot").read_text(encoding="utf-8"))
    drawing = (ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8")
    table = re.findall(r"^\| `memspy/([a-z]+)[/.`]", (ROOT / "docs" / "internals.md").read_text(encoding="utf-8"), re.M)
    boxes = re.findall(r"^ +([a-z]+) \[label=", source, re.M)
    folders = {path.name for path in (ROOT / "memspy").iterdir() if path.is_dir()}
    analyses = re.findall(r"^MEMSPY_ANALYSIS\((\w+)", (ROOT / "memspy" / "analyses" / "all.def").read_text(encoding="utf-8"), re.M)

    complaints = [f"no box for memspy/{folder}/" for folder in sorted(folders.difference(boxes))]
    complaints += [f"docs/internals.md has no row for memspy/{folder}/" for folder in sorted(folders.difference(table))]
    of_tool = table[:table.index("main") + 1]
    if [box for box in boxes if box in of_tool] != of_tool:
        complaints.append(f"the boxes stand in another order than in docs/internals.md: {boxes}")
    words = source.split("analyses [label=", 1)[1].split(">,", 1)[0]
    complaints += [f"no analysis {name}" for name in analyses if not re.search(rf"\b{name}\b", words)]
    if not analyses:
        complaints.append("no analyses in all.def")

    # Names and texts only: coordinates differ between versions of dot.
    edges = [f"{tail}->{head}" for tail, head in re.findall(r"^ +(\w+) -> (\w+)\b(?! \[style=invis)", source, re.M)]
    drawn = [html.unescape(title) for title in re.findall(r"<title>([^<]+)</title>", drawing)]
    missing = [name for name in (*boxes, *edges) if name not in drawn]
    extra = [name for name in drawn if name not in (*boxes, *edges, "memspy") and not name.startswith("cluster_")]
    labels = re.findall(r"label=(<.*?>(?=[,\]])|\"[^\"]*\")", source, re.S)
    texts = [html.unescape(text).strip() for label in labels for text in re.split(r"<[^>]+>|\\n|^[<\"]|[>\"]$", label)]
    shown = {html.unescape(text).strip() for text in re.findall(r">([^<>]+)</text>", drawing)}
    missing += [text for text in texts if text and text not in shown]
    if missing or extra:
        complaints.append(f"architecture.svg is stale: {missing + extra}; make it as architecture.dot says")
    return complaints


PARTS = {"architecture": complaints_of_architecture}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    complaints = PARTS[parser.parse_args().part]()
    print("\n".join(complaints), end="\n" if complaints else "")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
