#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that docs/ shows the tree as it is.

  architecture  docs/architecture.dot has each folder of memspy/ and each analysis, in the order of the table in
                docs/internals.md
  pictures      each SVG of docs/images/ that has a .dot in docs/ was made from it
  files         files, folders and names of C++ that documents speak of are there
  tables        tables and code were not wrapped like text, which destroys them
  width         lines of text have at most 100 characters
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# What developers read: a page for each folder that has more to say than its headers.
DESIGNS = sorted(str(path.relative_to(ROOT)) for part in ("memspy", "editors/vscode") for path in (ROOT / part).rglob("DESIGN.md")
                 if "node_modules" not in path.parts)
DOCUMENTS = ["README.md", "CONTRIBUTING.md", *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))]


def complaints_of_architecture() -> list[str]:
    source = re.sub(r"//[^\n]*", "", (ROOT / "docs" / "architecture.dot").read_text(encoding="utf-8"))
    table = re.findall(r"^\| `memspy/(?:tool/|common/)?([a-z]+)[/.`]", (ROOT / "docs" / "internals.md").read_text(encoding="utf-8"), re.M)
    boxes = re.findall(r"^ +([a-z]+) \[label=", source, re.M)
    folders = {path.name for part in (".", "common", "tool") for path in (ROOT / "memspy" / part).iterdir()
               if path.is_dir()} - {"common", "tool"}
    analyses = re.findall(r"^MEMSPY_ANALYSIS\((\w+)", (ROOT / "memspy/tool/analyses/all.def").read_text(encoding="utf-8"), re.M)

    complaints = [f"no box for memspy/{folder}/" for folder in sorted(folders.difference(boxes))]
    complaints += [f"docs/internals.md has no row for memspy/{folder}/" for folder in sorted(folders.difference(table))]
    of_tool = table[:table.index("main") + 1]
    if [box for box in boxes if box in of_tool] != of_tool:
        complaints.append(f"the boxes stand in another order than in docs/internals.md: {boxes}")
    words = source.split("analyses [label=", 1)[1].split(">,", 1)[0]
    complaints += [f"no analysis {name}" for name in analyses if not re.search(rf"\b{name}\b", words)]
    if not analyses:
        complaints.append("no analyses in all.def")
    return complaints


def complaints_of_pictures() -> list[str]:
    """Names and texts only: coordinates differ between versions of dot."""
    complaints = []
    for dot in sorted((ROOT / "docs").glob("*.dot")):
        source = re.sub(r"//[^\n]*", "", dot.read_text(encoding="utf-8"))
        drawing = (ROOT / "docs" / "images" / f"{dot.stem}.svg").read_text(encoding="utf-8")
        boxes = re.findall(r"^ +([a-z]+) \[label=", source, re.M)
        edges = [f"{tail}->{head}" for tail, head in re.findall(r"^ +(\w+) -> (\w+)\b(?! \[style=invis)", source, re.M)]
        drawn = [html.unescape(title) for title in re.findall(r"<title>([^<]+)</title>", drawing)]
        known = {*boxes, *edges, re.findall(r"^digraph (\w+)", source, re.M)[0]}
        wrong = [name for name in (*boxes, *edges) if name not in drawn]
        wrong += [name for name in drawn if name not in known and not name.startswith("cluster_")]
        labels = re.findall(r"label=(<.*?>(?=[,\]])|\"[^\"]*\")", source, re.S)
        texts = [html.unescape(text).strip() for label in labels for text in re.split(r"<[^>]+>|\\n|^[<\"]|[>\"]$", label)]
        shown = {html.unescape(text).strip() for text in re.findall(r">([^<>]+)</text>", drawing)}
        wrong += [text for text in texts if text and text not in shown]
        if wrong or not boxes:
            complaints.append(f"docs/images/{dot.stem}.svg is stale: {wrong}; make it as {dot.name} says")
    return complaints


def listed_files() -> list[str]:
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if (ROOT / line).exists()]


def complaints_of_files() -> list[str]:
    files = listed_files()
    folders = {f"{parent}/" for name in files for parent in Path(name).parents}
    tree = [*files, *folders, *(folder.rstrip("/") for folder in folders)]
    code = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in files
                     if name.startswith("memspy/") and name.endswith((".cc", ".h", ".def", ".c")))
    known = set(re.findall(r"\w+", code))

    def is_there(path: str, anywhere: bool) -> bool:
        pattern = re.sub(r"\b(NAME|FOLDER)\b", "*", path)
        wanted = [pattern, *(f"{start}/{pattern}" for start in ("memspy", "memspy/tool", "memspy/common", "docs"))]
        if anywhere:
            wanted.append(f"memspy/*/{pattern}")
        return any(fnmatchcase(name, one) for one in wanted for name in tree)

    complaints = []
    seen = 0
    for name in (*DOCUMENTS, *DESIGNS):
        text = (ROOT / name).read_text(encoding="utf-8")
        prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        links = [link for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose)
                 if not (ROOT / name).parent.joinpath(link).exists()]
        complaints += [f"{name}: a link leads to {link}" for link in links]
        paths = re.findall(r"(?<![\w/.}<-])(?:docs|tests|memspy|perl|dist)/[\w./*-]*[\w/*]", text)
        complaints += [f"{name}: there is no {path}" for path in paths if not is_there(path, False)]
        seen += len(paths)
        if name != "docs/internals.md" and name not in DESIGNS:
            continue
        for word in re.findall(r"`([^`\s]+)`", prose):
            if re.fullmatch(r"[\w.-]+(/[\w.-]+)*(/|\.(\*|[a-z]+))", word) and not word.startswith((".", "memspy.")):
                seen += 1
                if not is_there(word, True):
                    complaints.append(f"{name}: there is no {word}")
            elif re.fullmatch(r"\w+(::\w+)+", word):
                complaints += [f"{name}: no code has {part} of {word}" for part in word.split("::") if part not in known]
    if seen < 100:
        complaints.append(f"only {seen} paths found")
    return complaints


def complaints_of_width() -> list[str]:
    complaints = []
    for name in (*DOCUMENTS, "NEWS"):
        fenced = False
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.startswith("```")
            # Tables cannot be wrapped, nor code.
            if len(line) > 100 and not fenced and not line.startswith(("|", "    ")):
                complaints.append(f"{name}:{number}: {len(line)} characters")
    return complaints


def complaints_of_tables() -> list[str]:
    complaints = []
    for name in (*DOCUMENTS, *DESIGNS):
        fenced = False
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.lstrip().startswith("```")
            # A row is a line of its own, and text has no columns.
            text = re.sub(r"`[^`]*`", "", line)
            if not fenced and not line.startswith(("|", "    ")) and re.search(r"\S {3,}\S|\|\s*-{3,}|\| \|", text.lstrip()):
                complaints.append(f"{name}:{number}: a table or code that was wrapped: {line[:60]}")
    return complaints


def complaints_of_figures() -> list[str]:
    """README and the first lines of performance.md have the medians of its table."""
    text = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    head, *rows = [[cell.strip("* ") for cell in line.strip("|").split("|")] for line in text.partition("One thread:")[2].partition("Four threads:")[0].splitlines()
                   if line.startswith("|")]
    median = dict(zip(head, next(row for row in rows if row[0] == "median")))
    of = {"default": median["memspy / memcheck"], "defects": median["defects / memcheck"], "undef": median["defects, undef=no / memcheck"]}
    wanted = {"README.md": [of["default"], of["defects"]], "docs/performance.md": [of["default"], of["defects"], of["undef"]]}
    said = {"README.md": re.findall(r"takes (\d\.\d\d) of Memcheck's time, (\d\.\d\d) for defects", (ROOT / "README.md").read_text(encoding="utf-8")),
            "docs/performance.md": re.findall(r"\*\*(\d\.\d\d)\*\*[^*]*\*\*(\d\.\d\d)\*\*[^*]*\*\*(\d\.\d\d)\*\*", text.partition("## ")[0])}
    return [f"{name} says {said[name]}, the table {wanted[name]}" for name in wanted if [list(found) for found in said[name]] != [wanted[name]]]


PARTS = {"architecture": complaints_of_architecture, "files": complaints_of_files, "pictures": complaints_of_pictures,
         "tables": complaints_of_tables, "width": complaints_of_width, "figures": complaints_of_figures}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    complaints = PARTS[parser.parse_args().part]()
    print("\n".join(complaints), end="\n" if complaints else "")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
