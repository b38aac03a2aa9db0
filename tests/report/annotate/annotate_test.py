#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that `memspy-report annotate` puts every count beside the innermost line that is known of it, says what it
cannot show, and where a file may not be the source of what ran. --update writes the expected texts anew."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BEFORE_THE_RUN, AFTER_THE_RUN = 1_700_000_000, 1_720_000_000

# Name, age of the source, arguments.
CASES: list[tuple[str, int, list[str]]] = [
    ("both", BEFORE_THE_RUN, ["profile.xml", "errors.xml"]),
    ("one_file_no_context", BEFORE_THE_RUN, ["--file=work.c", "--context=0", "profile.xml", "errors.xml"]),
    ("path_pattern", BEFORE_THE_RUN, ["--file=/gone/*", "profile.xml"]),
    ("no_such_file", BEFORE_THE_RUN, ["--file=*.f90", "errors.xml"]),
    ("changed_since", AFTER_THE_RUN, ["--top=1", "--context=1", "profile.xml"]),
    # other.c in `elsewhere` is shorter than the line that has counts.
    ("found_elsewhere", BEFORE_THE_RUN, ["--file=other.c", "--source-dir=/none:elsewhere", "profile.xml"]),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    folder: Path = arguments.work.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "elsewhere").mkdir(parents=True)
    (folder / "elsewhere" / "other.c").write_text("int other;\n")
    os.utime(folder / "elsewhere" / "other.c", (BEFORE_THE_RUN, BEFORE_THE_RUN))
    shutil.copy(HERE / "work.c", folder)
    for name in ("profile.xml", "errors.xml"):
        (folder / name).write_text((HERE / f"{name}.in").read_text().replace("@DIR@", str(folder)))

    failed = 0
    for name, age, words in CASES:
        os.utime(folder / "work.c", (age, age))
        done = subprocess.run([arguments.report, "annotate", *words], cwd=folder, capture_output=True, text=True,
                              timeout=60, check=False)
        text = f"exit code {done.returncode}\n{done.stderr}{done.stdout}".replace(str(folder), "@DIR@")
        expected = HERE / f"{name}.expected"
        if arguments.update:
            expected.write_text(text)
        elif text != expected.read_text():
            failed += 1
            print(f"{name}: memspy-report annotate {' '.join(words)} printed\n{text}\ninstead of {expected}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
