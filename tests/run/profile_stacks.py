# SPDX-License-Identifier: GPL-2.0-or-later
"""The stacks of a profile: each has its frames' numbers, and the first that has a frame holds it."""

from __future__ import annotations

from xml.etree import ElementTree


def stacks_of(root: ElementTree.Element) -> dict[str, list[ElementTree.Element]]:
    """The `<frame>` elements of each stack, by its id, innermost first."""
    frames = {frame.get("number", ""): frame for frame in root.iterfind("stacks/stack/frame")}
    return {stack.get("id", ""): [frames[number] for number in stack.get("frames", "").split()] for stack in root.iterfind("stacks/stack")}
