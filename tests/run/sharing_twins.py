#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that advice on sharing predicts what it brings, neither less nor more. Each program in sharing/twins has a line

    // EXPECT: KIND OBJECT 'regex of the advice' [openmp] [all]

("-" for any kind and any object; "none" as the kind if nothing is to be promised, whether there is a finding or not; all: the advice of all findings is applied, not only of the first; together: their gain is that without false sharing, since each alone gains less; plain: without optimisation) and a twin, compiled with MENDED, to which the advice is applied. What the advice said it removes and what the twin has less differ by
at most a tenth of it (and a hundredth of all events), and the run's ends in virtual time have the told ratio within a twentieth,
but for instructions that the change saves.
As a table, with --table, it has a row for each program, and nothing fails.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
import sharing_advice  # noqa: E402
from sharing_advice import Failed, bare_end, end, events, headers, number, without_false  # noqa: E402

HERE = Path(__file__).parent / "sharing" / "twins"
OF_REMOVED, OF_ALL, OF_GAIN = 0.1, 0.01, 0.05


@dataclass
class Twin:
    """What was said, and what came."""
    name: str
    before: int
    said: int
    gone: int
    told: float
    came: float
    advice: str

    def is_right(self) -> bool:
        slack = max(OF_REMOVED * max(self.said, self.gone), OF_ALL * self.before)
        return abs(self.said - self.gone) <= slack and abs(self.told / self.came - 1) <= OF_GAIN

    def row(self) -> str:
        return (f"{self.name:26} {self.before:9,} {self.said:9,} {self.gone:9,} {self.told:7.2f} {self.came:7.2f}"
                f"  {'' if self.is_right() else 'WRONG'}")


def promise(groups: list[ElementTree.Element]) -> tuple[int, float, str]:
    """Events that the advice of these findings removes, the gain of the best of them, the advice. To take turns less often removes
    all, if done well."""
    removed, gain, texts = 0, 1.0, []
    for group in groups:
        text = group.findtext("advice") or ""
        texts.append(text)
        for remedy in group.iter("remedy"):
            removed += number(remedy, "removes") if number(remedy, "events") else 0
            gain = max(gain, float(remedy.get("gain", "1")))
        if [remedy.get("kind") for remedy in group.iter("remedy")] == ["synchronise-less"]:
            removed += sum(sharing_advice.figures_of(group))
    return removed, gain, "; ".join(texts)


def compare(valgrind: Path, program: Path, work: Path) -> Twin:
    kind, thing, advice, *settings = headers(program, "EXPECT")[0]
    given, mended = (sharing_advice.run(valgrind, "gcc", program, work, which, settings) for which in (0, 1))
    groups = [group for group in given.iter("group") if group.get("finding") == "yes"]
    found = [group for group in groups if (kind == "-" or group.get("kind") == kind)
             and (thing in ("-", ".") or thing in (group.findtext("what") or ""))]
    told = "; ".join(f"{group.findtext('what')}: {group.findtext('advice')}" for group in groups)
    if kind not in ("none", "-") and not found:
        raise Failed(f"{program.name}: no {kind} of {thing}, but: {told}")
    removed, gain, text = promise(found if "all" in settings else found[:1])
    if "together" in settings:
        gain = max(gain, end(given) / without_false(given))
    if kind not in ("none", "-") and not re.search(advice, text):
        raise Failed(f"{program.name}: advice: {text}")
    return Twin(program.name, events(given), removed, events(given) - events(mended), gain,
                end(given) / (end(mended) + max(0, bare_end(given) - bare_end(mended))), text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("programs", nargs="*", help="names; default: all")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    if shutil.which("gfortran") is None:
        print("without gfortran: programs in Fortran are left out")
    print(f"{'program':26} {'events':>9} {'said':>9} {'gone':>9} {'told':>7} {'came':>7}")
    failures = 0
    for program in sorted([*HERE.glob("*.c"), *HERE.glob("*.cc"), *HERE.glob("*.F90")]):
        if arguments.programs and program.stem not in arguments.programs:
            continue
        if program.suffix == ".F90" and shutil.which("gfortran") is None:
            continue
        try:
            twin = compare(arguments.valgrind, program, arguments.work)
            print(twin.row(), flush=True)
            if not twin.is_right() or arguments.table:
                print(f"    {twin.advice}", flush=True)
            failures += 0 if twin.is_right() else 1
        except (Failed, subprocess.CalledProcessError) as failure:
            print(f"{program.name}: FAILED: {failure}", flush=True)
            failures += 1
    return 1 if failures and not arguments.table else 0


if __name__ == "__main__":
    sys.exit(main())
