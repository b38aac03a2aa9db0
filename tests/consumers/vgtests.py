# SPDX-License-Identifier: GPL-2.0-or-later
"""Valgrind's own tests of Memcheck: where they are, how they are built, what a .vgtest file says, how one runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import debian
import source_tree

FOLDERS = ("memcheck/tests", "memcheck/tests/common", "memcheck/tests/linux", "memcheck/tests/amd64",
           "memcheck/tests/amd64-linux")
# What must be built, and programs of other folders that these tests run.
BUILT = (("include", "check"), ("tests", "check"), ("memcheck/tests", "check"), ("none/tests", "sem"), ("perf", "bz2"),
         ("gdbserver_tests", "gone"),
         ("none/tests/amd64", "insn_basic", "insn_fpu", "insn_mmx", "insn_sse", "insn_sse2"))
LONGEST = 300  # seconds, on a busy machine
ENDED_BY_US = -int(signal.SIGALRM)


def system_suite() -> str:
    """The Debian suite whose Valgrind this machine has."""
    for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.split("=", 1)[1].strip('"')
    raise debian.Unavailable("/etc/os-release names no suite")


def built_tree(cache: Path, log: Path) -> Path:
    """The source tree with the tests' programs, built once."""
    folder = source_tree.unpacked(cache, system_suite(), cache / "memcheck-tests")
    tree = folder / "tree"
    if not (folder / "built").exists():
        print(f"building the tests' programs; see {log}", flush=True)
        with open(log, "wb") as out:
            for command in (["./configure", "-q", "--enable-only64bit"],
                            *(["make", "-k", "-j2", "-C", *words] for words in BUILT)):
                done = subprocess.run(command, cwd=tree, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                      check=False)
                if done.returncode:
                    raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}; see {log}")
        (folder / "built").touch()
    return tree


@dataclass(frozen=True)
class Test:
    name: str  # without memcheck/tests/
    folder: Path
    prog: str
    args: str = ""
    options: str = ""
    prereq: str = ""
    cleanup: str = ""
    env: tuple[str, ...] = field(default=())

    @staticmethod
    def read(path: Path, root: Path) -> Test:
        lines: dict[str, list[str]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"\s*([a-zA-Z_-]+):\s*(.*)$", line):
                lines.setdefault(match[1], []).append(match[2].replace("${PWD}", str(path.parent)))
        prog = lines.get("prog-asis", lines.get("prog", [""]))[-1]
        if "prog" in lines and not prog.startswith("/"):
            prog = f"./{prog}"
        return Test(str(path.with_suffix("").relative_to(root)), path.parent, prog, lines.get("args", [""])[-1],
                    " ".join(lines.get("vgopts", [])), lines.get("prereq", [""])[-1], lines.get("cleanup", [""])[-1],
                    tuple(lines.get("env", [])))

    def shell(self, command: str) -> int:
        return subprocess.run(["sh", "-c", command], cwd=self.folder, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def is_for_here(self) -> bool:
        return not self.prereq or self.shell(self.prereq) == 0


@dataclass(frozen=True)
class Output:
    status: int
    out: str
    err: str


def all_tests(tree: Path) -> list[Test]:
    root = tree / "memcheck/tests"
    return [Test.read(path, root) for folder in FOLDERS for path in sorted((tree / folder).glob("*.vgtest"))]


def run(test: Test, valgrind: str, options: str, written: Path) -> Output:
    """As Valgrind's own driver does it: options before the test's, by a shell, in the test's folder."""
    command = " ".join([*test.env, "exec" if not test.env else "", valgrind, "--command-line-only=yes", options, test.options,
                        test.prog, test.args])
    out, err = written.with_suffix(".out"), written.with_suffix(".err")
    with open(out, "wb") as stdout, open(err, "wb") as stderr:
        process = subprocess.Popen(["sh", "-c", command], cwd=test.folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                                   start_new_session=True, env={**os.environ, "LC_ALL": "C"})
        try:
            status = process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            status = ENDED_BY_US
        try:
            os.killpg(process.pid, signal.SIGKILL)  # what the test left behind
        except ProcessLookupError:
            pass
        process.wait()
    if test.cleanup:
        test.shell(test.cleanup)
    return Output(status, out.read_text(encoding="utf-8", errors="replace"), err.read_text(encoding="utf-8", errors="replace"))
