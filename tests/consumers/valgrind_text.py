# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run under Memcheck or memspy said, as a set of lines that can be compared.

A report is one line: its description, the frames of each of its stacks that are the tests' own code, and what its address
is. Addresses, process ids, numbers of threads and of loss records, frames of libraries and counts of errors are left out.
So is what memspy always says and Memcheck only when asked, or never: where an undefined value came from, its variable, a
remark behind an address, the peak of the heap. What is left are words, offsets, sizes and lines of code.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

PREFIX = re.compile(r"^(==|--|\*\*)(\d{1,7})\1 ?")
FRAME = re.compile(r"^ +(?:at|by) 0x[0-9A-F]+: (.*)$")
REMARK = re.compile(r" \((?:heap-buffer-\w+[^)]*|use-after-free[^)]*|double free[^)]*|interior pointer|allocated by [^)]*)\)$")
# Said once a run, of the tool and of how to run it again.
PREAMBLE = re.compile(r"(Memcheck, a memory error detector|memspy-|Copyright \(C\)|Using Valgrind-|Command: |Parent PID: )")
ADVICE = re.compile(r"(ERROR SUMMARY: |For (lists of detected|counts of detected|a detailed leak)|Use --track-origins=yes|"
                    r"Rerun with --leak-check|To see them, rerun|Reachable blocks \(those|used_suppression|"
                    r"The profile is in |memspy: the profile|peak heap usage: |The nearest memory is )")
# Begins a text of its own though no empty line stands before it: what threads say comes in any order.
BEGIN = re.compile(r"(Thread \d+:|WARNING: exiting thread )")
ORIGIN = re.compile(r"Uninitialised value was created")


def masked(text: str) -> str:
    text = re.sub(r"0x[0-9a-fA-F]+", "0x...", text)
    text = re.sub(r"in loss record [\d,]+ of [\d,]+", "in loss record", text)
    text = re.sub(r"\b[\d,]+ bytes below", "... bytes below", text)
    text = re.sub(r"==\d+==|(?<=test\.)\d+", "...", text)  # process ids
    text = re.sub(r"^Thread \d+", "Thread ...", text)  # which one comes first is the scheduler's choice
    text = text.replace("a recently re-allocated block", "a block")
    text = re.sub(r"(was created by a stack allocation), .*", r"\1", text)
    return text.rstrip()


class Text:
    """Makes the set for one test."""

    def __init__(self, own_files: frozenset[str], origins: bool) -> None:
        self._own = own_files
        self._origins = origins

    def lines(self, err: str, out: str, status: int) -> set[str]:
        facts = {f"exit: {status}"}
        facts.update(f"stdout: {masked(line)}" for line in out.splitlines() if line.strip())
        begin = err.find("<?xml")
        if begin >= 0:
            err, xml = err[:begin], err[begin:]
            facts.update(self._xml(xml))
        facts.update(self._text(err))
        return facts

    def _is_own(self, frame: str) -> bool:
        match = re.search(r"\(([^():]+):\d+\)$", frame)
        return match is not None and match[1].rsplit("/", 1)[-1] in self._own

    def _joined(self, parts: list[tuple[str, list[str]]]) -> str:
        """Descriptions with the stacks below them; an origin that was not asked for is left out."""
        texts = []
        for what, stack in parts:
            if ORIGIN.search(what) and not self._origins:
                continue
            own = [frame for frame in stack if self._is_own(frame)]
            texts.append(REMARK.sub("", masked(what.strip())) + "".join(f" < {frame}" for frame in own))
        return " | ".join(texts)

    def _text(self, err: str) -> Iterator[str]:
        parts: list[tuple[str, list[str]]] = []
        for line in [*err.splitlines(), "==1== "]:
            match = PREFIX.match(line)
            if match is None:
                if line.strip():
                    yield f"stderr: {masked(line)}"
                continue
            if match[1] == "--":
                continue
            said = line[match.end():]
            if match[1] == "**":
                yield f"message: {masked(said)}"
            elif not said.strip():
                if parts:
                    yield self._joined(parts)
                parts = []
            elif frame := FRAME.match(said):
                if not parts:
                    parts.append(("", []))
                parts[-1][1].append(frame[1])
            elif not PREAMBLE.match(said) and not ADVICE.search(said):
                if parts and BEGIN.match(said):
                    yield self._joined(parts)
                    parts = []
                parts.append((said, []))

    def _frame(self, frame: ElementTree.Element) -> str:
        name = frame.findtext("fn") or "???"
        file = frame.findtext("file")
        return f"{name} ({file}:{frame.findtext('line')})" if file else f"{name} (in {frame.findtext('obj')})"

    def _xml(self, text: str) -> Iterator[str]:
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError as problem:
            yield f"xml: not well-formed: {problem.msg.split(':')[0]}"
            return
        yield f"xml: protocol {root.findtext('protocolversion')}"
        for message in root.iter("clientmsg"):
            yield f"message: {masked(message.findtext('text') or '')}"
        for error in root.iter("error"):
            parts: list[tuple[str, list[str]]] = []
            for element in error:
                if element.tag in ("what", "auxwhat"):
                    parts.append((element.text or "", []))
                elif element.tag in ("xwhat", "xauxwhat"):
                    parts.append((element.findtext("text") or "", []))
                elif element.tag == "stack" and parts:
                    parts[-1][1].extend(self._frame(frame) for frame in element.iter("frame"))
            yield self._joined(parts)
