# SPDX-License-Identifier: GPL-2.0-or-later
"""What memspy reported in the ranks of one run."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path


def kinds_in(folder: Path, sources: tuple[str, ...]) -> set[str]:
    """Kinds of the errors in errors.*.xml; those without a frame in one of `sources` have a "?". A rank that the launcher
    kills, as another one failed, leaves a file without an end: what stands there counts."""
    found = set()
    for file in folder.glob("errors.*.xml"):
        parser = ElementTree.XMLPullParser(["end"])
        parser.feed(file.read_bytes())
        for _, error in parser.read_events():
            if error.tag == "error":
                is_ours = any(frame.findtext("file") in sources for frame in error.iter("frame"))
                found.add(error.findtext("kind", "") + ("" if is_ours else "?"))
    return found
