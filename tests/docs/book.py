#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that `make book` makes a page of each document without a warning, in the order of docs/index.md, and that its search
finds the words of each."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
# Words that stand in one document only.
WORDS = {"histogram": "tutorial", "sbatch": "tasks", "loggp": "machine"}


def main() -> int:
    if shutil.which("sphinx-build") is None:
        print("skipped: no sphinx-build")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run(["sphinx-build", "-q", "-W", "-b", "html", "-d", f"{name}/trees", DOCS, f"{name}/book"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            print(done.stdout)
            return 1
        book = Path(name, "book")
        complaints = [f"no page of {path.name}" for path in DOCS.rglob("*.md") if not (book / path.relative_to(DOCS)).with_suffix(".html").exists()]
        index = json.loads(re.sub(r"^Search\.setIndex\((.*)\)$", r"\1", (book / "searchindex.js").read_text(encoding="utf-8"), flags=re.S))
        for word, document in WORDS.items():
            found = index["terms"].get(word, [])
            pages = [index["docnames"][i] for i in (found if isinstance(found, list) else [found])]
            if document not in pages:
                complaints.append(f"search for {word} finds {pages}")
    print("\n".join(complaints), end="\n" if complaints else "")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
