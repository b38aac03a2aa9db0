#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a user sees of memspy at the command line: good and bad input, output files, exit status.

Each function test_NAME is one test; its docstring says what it proves. `cli.py --list` names them.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "run"))
from profile_stacks import stacks_of  # noqa: E402

SKIPPED = 77
SOURCES = Path(__file__).resolve().parent / "programs"
LINKS = ("", "-static", "-s", "-static -s")   # options of the linker that tests ask for
ASSERTION = re.compile(r"Assertion|the impossible happened|Internal error|SIGSEGV.*valgrind|memspy: .*CHECK")


class Failure(Exception):
    pass


class Skip(Exception):
    pass


@dataclass
class Result:
    command: list[str]
    status: int
    stdout: str
    stderr: str
    seconds: float = 0
    peak_kilobytes: int = 0

    def __str__(self) -> str:
        return f"{shlex.join(self.command)}\nexit status {self.status}\n--- stdout\n{self.stdout[-3000:]}\n" \
               f"--- stderr\n{self.stderr[-3000:]}"


def compile_program(cross: str, source: Path, link: str, out: Path) -> None:
    compiler = "g++" if source.suffix == ".cc" else "gcc"
    subprocess.run([cross + compiler, "-g", "-O1", "-w", "-fno-builtin", "-pthread", str(source), "-o", str(out),
                    *link.split()], check=True)


class Bench:
    """The tool under test, a folder for this test, and ways to run things."""

    def __init__(self, options: argparse.Namespace, name: str) -> None:
        self.valgrind: str = options.valgrind
        self.tool: str = options.tool
        self.schema: Path = options.schema.resolve()
        self.programs: Path | None = options.programs
        self.time_factor: int = options.time_factor
        self.directory = options.work.resolve() / name
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.missing = self.directory / "no-such-folder/file"

    def program(self, name: str, link: str = "") -> str:
        out = self.directory / name
        if self.programs is None:
            compile_program("", next(SOURCES.glob(f"{name}.c*")), link, out)
        else:
            shutil.copy(self.programs / (name + link), out)
        return str(out)

    def run(self, *arguments: str, stdin: str = "") -> Result:
        command = [self.valgrind, f"--tool={self.tool}", *arguments]
        begin = time.monotonic()
        out, err = self.directory / "stdout", self.directory / "stderr"
        with open(out, "wb") as stdout, open(err, "wb") as stderr, open(os.devnull, "rb") as null:
            process = subprocess.Popen(command, stdin=null, stdout=stdout, stderr=stderr, cwd=self.directory,
                                       start_new_session=True)
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - begin > 90 * self.time_factor:
                    os.killpg(process.pid, signal.SIGKILL)
                    os.wait4(process.pid, 0)
                    raise Failure(f"hangs: {shlex.join(command)}\n{err.read_text(errors='replace')[-2000:]}")
                time.sleep(0.01)
            process.returncode = os.waitstatus_to_exitcode(status)
        result = Result(command, process.returncode, out.read_text(errors="replace"),
                        err.read_text(errors="replace"), time.monotonic() - begin, usage.ru_maxrss)
        if ASSERTION.search(result.stderr):
            raise Failure(f"an assertion:\n{result}")
        return result

    def valid_xml(self, path: Path) -> ElementTree.Element:
        try:
            root = ElementTree.parse(path).getroot()
        except ElementTree.ParseError as error:
            raise Failure(f"{path} is not well-formed: {error}\n{path.read_text(errors='replace')[-600:]}") \
                from error
        if self.tool == "memspy":
            check = subprocess.run(["xmllint", "--noout", "--relaxng", str(self.schema), str(path)],
                                   capture_output=True, text=True, check=False)
            if check.returncode:
                raise Failure(f"{path} does not agree with {self.schema}:\n{check.stderr[-2000:]}")
        return root


def demand(condition: bool, what: str, result: Result) -> None:
    if not condition:
        raise Failure(f"{what}\n{result}")


def kinds(root: ElementTree.Element) -> list[str]:
    return sorted(e.findtext("kind", "") for e in root.findall("error"))


def only_memspy(bench: Bench) -> None:
    if bench.tool != "memspy":
        raise Skip("only for memspy")


def refused(bench: Bench, pattern: str, *arguments: str, status: int = 1) -> None:
    """One short, clear message that matches `pattern`, that exit status, and the program does not run."""
    result = bench.run(*arguments)
    demand(result.status == status, f"exit status is not {status}", result)
    demand(re.search(pattern, result.stderr) is not None, f"no message like '{pattern}'", result)
    lines = [x for x in result.stderr.splitlines() if x and not re.match(r"==\d+==", x)]
    demand(len(lines) <= 4, "more than a few lines", result)
    demand(result.stdout == "", "the program ran", result)


FAULT_KINDS = ["InvalidFree", "InvalidRead", "InvalidWrite", "Leak_DefinitelyLost", "UninitCondition"]


def test_unknown_option(bench: Bench) -> None:
    """An option that nobody knows is refused by name, and the program does not run."""
    refused(bench, r"[Uu]nknown option: --nonsense", "--nonsense", bench.program("clean"), "x")


def test_bad_values(bench: Bench) -> None:
    """A bad value of each kind of option is refused with the option's name."""
    program = bench.program("clean")
    bad = ["--leak-check=maybe", "--show-leak-kinds=some", "--errors-for-leak-kinds=definite,some",
           "--leak-check-heuristics=magic", "--freelist-vol=much", "--undef-value-errors=perhaps"]
    if bench.tool == "memspy":
        bad += ["--defects=perhaps", "--freelist-vol=-1", "--freelist-vol=99999999999999", "--line-size=48",
                "--line-size=8", "--line-size=512"]
    for option in bad:
        refused(bench, re.escape(option.split("=")[0]), option, program, "x")


def option_values() -> tuple[list[str], list[str]]:
    """Every option of memspy's tables with values at its limits, and with such that are beyond them or no values at all."""
    sources = SOURCES.parent.parent.parent / "memspy/tool"
    if not sources.exists():
        raise Skip("the list of options is not here")
    text = "\n".join(path.read_text(encoding="utf-8") + "\n"
                     for path in [sources / "options.def", *sorted(sources.glob("analyses/*/options.def"))])
    table = re.findall(r'^MEMSPY_(NUMBER|PERCENT|BOOL|CHOICE|SET|BYTE|SPECIAL|ACCEPTED)\((.*?"\s*(?:, [^"]*?)?)\)\n(?=\n|MEMSPY|#|//)',
                       text, re.MULTILINE | re.DOTALL)
    # What the tables do not say: texts, and options with readers of their own.
    special = {"heap-limit": (["peak:900M", "end:2G,blocks:1000000"], ["", "x", "peak:", "peak:x", "most:3"]),
               "ignore-ranges": (["0x1000-0x2000", "1-2,3-4"], ["", "x", "2-1", "0x1000-0xFFFFFFFFFF"]),
               "ignore-range-below-sp": (["2-1", "1000000-995904"], ["", "x", "1-2", "1-1", "1000001-1000000", "5000-1"])}
    good = ["--memspy-out-file=none", "--memspy-out-file=%p.pair", "--locality-from=ma*", "--cost-machine=auto"]
    bad = ["--memspy-out-file=", "--memspy-out-file=/no/such/folder", "--locality-from=", "--cost-machine=",
           "--cost-machine=/no/such/file --cost=yes"]
    read, text_count = 0, len(re.findall(r"^MEMSPY_(?:NUMBER|PERCENT|BOOL|CHOICE|SET|BYTE|SPECIAL|ACCEPTED)\(", text, re.MULTILINE))
    for kind, text in table:
        named = re.search(r'"([a-z0-9-]+)"', text)
        if named is None:
            continue
        read += 1
        name = f"--{named[1]}"
        words = re.findall(r'"([^"]+)"', text)
        if kind == "NUMBER":
            low, high = (int(n.replace("'", "")) for n in re.findall(r"(?<=, )([0-9']+)(?=,)", text)[-2:])
            good += [f"{name}={low}", f"{name}={high}"]
            bad += [f"{name}={low - 1}", f"{name}={high + 1}", f"{name}=", f"{name}=x", f"{name}=1x"]
        elif kind == "PERCENT":
            good += [f"{name}=0", f"{name}=0.5", f"{name}=100"]
            bad += [f"{name}=-1", f"{name}=", f"{name}=x", f"{name}=1.5.5"]
        elif kind == "BYTE":
            good += [f"{name}=00", f"{name}=ff"]
            bad += [f"{name}=", f"{name}=100", f"{name}=g"]
        elif kind == "SET":
            good += [f"{name}=all", f"{name}=none"]
            bad += [f"{name}=", f"{name}=some", f"{name}=all,some"]
        elif kind == "SPECIAL" and named[1] in special:
            good += [f"{name}={value}" for value in special[named[1]][0]]
            bad += [f"{name}={value}" for value in special[named[1]][1]]
        elif kind == "BOOL" or words[1:2] == ["no|yes"]:
            good += [f"{name}=yes", f"{name}=no"]
            bad += [f"{name}=", f"{name}=2"] if kind != "ACCEPTED" else []
        elif kind == "ACCEPTED" and "|" not in words[1]:
            good += [f"{name}=x"]
        elif kind in ("CHOICE", "ACCEPTED"):
            good += [f"{name}={word}" for word in words[1].split("|")]
            bad += [f"{name}=", f"{name}={words[1].split('|')[0]}x"] if kind == "CHOICE" else []
        else:
            raise Failure(f"values for {name} are not known here")
    if read < text_count:
        raise Failure(f"{read} of {text_count} options are read")
    return good, bad


# The core's options that change what memspy gets to see.
CORE_OPTIONS = ["--redzone-size=0", "--redzone-size=4096", "--num-callers=1", "--num-callers=500", "--alignment=16",
                "--alignment=4096", "--vex-iropt-level=0", "--vex-iropt-level=2", "--vex-guest-max-insns=1",
                "--vex-guest-max-insns=100", "--vex-guest-chase=no", "--smc-check=all", "--smc-check=none",
                "--px-default=allregs-at-mem-access", "--px-default=sp-at-mem-access", "--max-stackframe=1",
                "--track-fds=yes", "--trace-children=yes", "--fair-sched=yes", "--read-var-info=yes", "--vgdb=no",
                "--vgdb=full", "--gen-suppressions=all", "--show-below-main=yes", "--error-limit=no", "--run-libc-freeres=no",
                "--main-stacksize=65536", "--max-threads=10", "--keep-debuginfo=yes", "--log-file=%p.log", "--stats=yes",
                "--xml=yes --xml-file=%p.xml"]


def test_option_limits(bench: Bench) -> None:
    """Every option with limits is taken at them and refused beyond. So are 500 random pairs, with the core's options too:
    a pair with a bad one is refused, the others run the program to its end."""
    only_memspy(bench)
    good, bad = option_values()
    # A static program starts in a fraction of the time, but without the preload library, if it has no symbols, and threads.
    programs = [bench.program("clean", "-static -s"), bench.program("shares")]
    dice = random.Random(1)
    alone = [([option], programs[i % 4 == 0]) for i, option in enumerate(good + bad)]
    pairs = [(dice.sample(good + CORE_OPTIONS + bad[::2], 2), programs[i % 10 == 0]) for i in range(500)]
    native = {program: subprocess.run([program, "x"], capture_output=True, check=False) for program in programs}

    def wrong(case: tuple[list[str], str]) -> str:
        options, program = case
        command = [bench.valgrind, f"--tool={bench.tool}", "-q", "--memspy-out-file=none", *" ".join(options).split(), program, "x"]
        try:
            result = subprocess.run(command, capture_output=True, timeout=120, check=False, cwd=bench.directory,
                                    stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return f"hangs: {shlex.join(command)}"
        text = result.stderr.decode(errors="replace")
        lines = [line for line in text.splitlines() if line and not re.match(r"==\d+==", line)]
        if set(options) & set(bad):
            told = any(option.split("=")[0] in text or "/no/such" in text for option in options if option in bad)
            well = result.returncode == 1 and told and len(lines) <= 4 and result.stdout == b""
        else:
            well = (result.returncode, result.stdout) == (native[program].returncode, native[program].stdout)
        return "" if well and not ASSERTION.search(text) else f"{shlex.join(command)}: {result.returncode}\n{text[-1500:]}"

    with ThreadPoolExecutor(2) as pool:
        failures = [text for text in pool.map(wrong, alone + pairs) if text]
    if failures:
        raise Failure(f"{len(failures)} of {len(alone + pairs)}:\n" + "\n".join(failures[:40]))


def test_missing_suppressions(bench: Bench) -> None:
    """A suppression file that is not there is named and ends the run."""
    refused(bench, rf"can't open suppressions file \"{re.escape(str(bench.missing))}\"",
            f"--suppressions={bench.missing}", bench.program("clean"), "x")


def test_malformed_suppressions(bench: Bench) -> None:
    """A malformed suppression is told with file and line; in XML mode the XML is well-formed too."""
    only_memspy(bench)
    supp = bench.directory / "bad.supp"
    program = bench.program("clean")
    for line, text in ((2, "{\n   name\n"), (3, "{\n   name\n   no colon\n   fun:f\n}\n"),
                       (3, "{\n   name\n   memspy:NoSuchKind\n   fun:f\n}\n"),
                       (4, "{\n   name\n   memspy:Overlap\n   what:f\n}\n")):
        supp.write_text(text, encoding="utf-8")
        refused(bench, rf"bad\.supp.* near line {line}:", f"--suppressions={supp}", program, "x")
    xml = bench.directory / "out.xml"
    refused(bench, r"bad\.supp.* near line 4:", "--xml=yes", f"--xml-file={xml}", f"--suppressions={supp}", program, "x")
    bench.valid_xml(xml)


def test_unwritable_output(bench: Bench) -> None:
    """An output file that cannot be made is named, and the program does not run."""
    program = bench.program("clean")
    refused(bench, re.escape(str(bench.missing)), "--xml=yes", f"--xml-file={bench.missing}", program, "x")
    refused(bench, re.escape(str(bench.missing)), f"--log-file={bench.missing}", program, "x")
    if bench.tool == "memspy":
        refused(bench, re.escape(str(bench.missing)), f"--memspy-out-file={bench.missing}", program, "x")


def test_fork_one_xml_file(bench: Bench) -> None:
    """A forked process that would have its parent's XML file leaves it alone, and says so; the XML is well-formed."""
    only_memspy(bench)
    xml = bench.directory / "one.xml"
    result = bench.run("--xml=yes", f"--xml-file={xml}", "--memspy-out-file=none", "--trace-children=no", "/bin/sh", "-c",
                       "(echo inner; exit 3); echo outer $?; exit 4")
    demand(result.status == 4 and result.stdout == "inner\nouter 3\n", "it did not run well", result)
    demand(bench.valid_xml(xml).findall("status")[-1].findtext("state") == "FINISHED", "the parent did not finish", result)
    demand("writes no XML" in result.stderr, "the child does not say that it is silent", result)


def test_fork_xml_and_log(bench: Bench) -> None:
    """With %p in the names of both, a forked process has its own XML and its own log; the parent's are whole."""
    xml, log = bench.directory / "x.%p.xml", bench.directory / "l.%p"
    result = bench.run("--xml=yes", f"--xml-file={xml}", f"--log-file={log}", "--trace-children=no", "/bin/sh", "-c",
                       "(echo inner; exit 3); echo outer $?; exit 4")
    demand(result.status == 4 and result.stdout == "inner\nouter 3\n", "it did not run well", result)
    files = sorted(bench.directory.glob("x.*.xml"))
    pids = sorted(str(bench.valid_xml(path).findtext("pid")) for path in files)
    demand(len(files) == 2 and pids == sorted(path.name.split(".")[1] for path in files), f"files of {pids}", result)
    logs = sorted(path.name.split(".")[1] for path in bench.directory.glob("l.*"))
    demand(logs == pids, f"logs of {logs}", result)


def test_full_disk(bench: Bench) -> None:
    """When the output cannot be written for lack of space, that is said on stderr: no report is lost in silence."""
    program = bench.program("faults")
    for options in (["--xml=yes", "--xml-file=/dev/full"], ["--log-file=/dev/full"]):
        result = bench.run(*options, program)
        demand("reached the end" in result.stdout, "the program did not run to its end", result)
        demand(re.search(r"[Nn]o space|/dev/full|could not be written|cannot write", result.stderr) is not None,
               "nothing on stderr about the lost output", result)


def test_profile_without_its_folder(bench: Bench) -> None:
    """When the profile's folder is gone at the end, or may no longer be written to, the profile is in that for temporary
    files, and a line says so."""
    folder = bench.directory / "folder"
    folder.mkdir()
    name = f"memspy-{bench.directory.name}-{os.getpid()}.xml"
    instead = Path(tempfile.gettempdir()) / name
    result = bench.run(f"--memspy-out-file={folder / name}", "--trace-children=no", "/bin/sh", "-c", f"rm -r {folder}; true")
    written = instead.exists()
    instead.unlink(missing_ok=True)
    demand(result.status == 0 and written, "no profile", result)
    demand(f"the profile is in {instead} instead" in result.stderr, "it is not said", result)


def test_missing_program(bench: Bench) -> None:
    """A program that is not there: its name, and the shell's exit status for that."""
    refused(bench, r"no-such-program.*No such file", "./no-such-program", status=127)


def test_not_executable(bench: Bench) -> None:
    """A file that may not be executed, a folder, and a file of garbage are refused with a message."""
    file = bench.directory / "data"
    file.write_text("neither ELF nor script\n", encoding="utf-8")
    refused(bench, r"data.*(Permission denied|cannot execute)", str(file), status=126)
    refused(bench, r"(directory|Permission denied)", str(bench.directory), status=126)
    garbage = bench.directory / "garbage"
    garbage.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(300))
    garbage.chmod(0o755)
    result = bench.run(str(garbage))
    demand(result.status not in (0, -11), "garbage was accepted", result)
    demand("garbage" in result.stderr, "the file is not named", result)


def test_32_bit(bench: Bench) -> None:
    """A 32-bit program gets a message that names what is missing, and no hang."""
    header = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    header += struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack("<IIIIIIII", 1, 0, 0x8048000, 0x8048000, 96, 96, 5, 4096)
    code = bytes([0x31, 0xDB, 0x31, 0xC0, 0x40, 0xCD, 0x80])
    file = bench.directory / "small32"
    file.write_bytes(header + segment + code + bytes(5))
    file.chmod(0o755)
    result = bench.run(str(file))
    demand(result.status != 0, "it was accepted", result)
    demand(re.search(r"x86-linux|32-bit|wrong ELF", result.stderr) is not None, "no clear message", result)


def test_static_program(bench: Bench) -> None:
    """A static program without symbols runs to its end with its own exit status; nothing untrue is said of it. One
    with symbols has the defects that it has when it is linked dynamically."""
    program = bench.program("faults", "-static -s")
    native = subprocess.run([program], capture_output=True, text=True, check=False)
    result = bench.run("--leak-check=full", program)
    demand(result.status == native.returncode and result.stdout == native.stdout,
           f"it did not run as without Valgrind: {native}", result)
    demand("ERROR SUMMARY: 0 errors" in result.stderr, "errors were invented", result)
    if bench.tool == "memspy":
        demand(result.stderr.count("heap defects cannot be seen") == 1, "not one line says what is not seen", result)
        demand("no leaks are possible" not in result.stderr, "it says what it cannot know", result)
        xml = bench.directory / "out.xml"
        result = bench.run("--leak-check=full", "--xml=yes", f"--xml-file={xml}", bench.program("faults", "-static"))
        demand(kinds(bench.valid_xml(xml)) == FAULT_KINDS, f"kinds are {kinds(bench.valid_xml(xml))}", result)
        for options in (["--defects=no"], ["--defects=no", "--contention=no"], ["--defects=no", "--heap-profile=yes"]):
            result = bench.run("-q", *options, bench.program("containers", "-static"))
            demand(result.status == 0, "it did not end well", result)


def test_musl(bench: Bench) -> None:
    """A program of musl, linked either way, has the defects that it has with the GNU library."""
    compiler = shutil.which("musl-gcc")
    if compiler is None or bench.programs is not None:
        raise Skip("there is no musl-gcc (package musl-tools)")
    only_memspy(bench)
    program, xml = bench.directory / "faults", bench.directory / "out.xml"
    for link in ("-dynamic", "-static"):
        subprocess.run([compiler, "-g", "-O1", "-w", SOURCES / "faults.c", "-o", program, link], check=True)
        result = bench.run("--leak-check=full", "--xml=yes", f"--xml-file={xml}", str(program))
        demand(kinds(bench.valid_xml(xml)) == FAULT_KINDS, f"kinds are {kinds(bench.valid_xml(xml))}", result)
        demand(result.status == 3 and result.stdout == "reached the end\n", "the program was disturbed", result)


PIECES = {"nothing.c": "int nothing(int a) { return a; }\n",
          "main.c": "#include <stdlib.h>\nvoid inner(volatile int*);\nint main(void) {\n  volatile int* p = malloc(16);\n  inner(p);\n  free((void*)p);\n  return 3;\n}\n",
          "part/inner.c": "static inline __attribute__((always_inline)) void put(volatile int* p) {\n  p[4] = 1;\n}\n"
                          "__attribute__((noinline)) void inner(volatile int* p) {\n  put(p);\n}\n"}
UNITS = ("-O0 -gdwarf-5", "-O2 -gdwarf-5", "-O0 -gdwarf-5 -gz", "-O0 -gdwarf-5 -gsplit-dwarf", "-O2 -gdwarf-5 -gsplit-dwarf",
         "-O2 -gdwarf-5 -gsplit-dwarf -gz", "-O0 -gdwarf-4 -gsplit-dwarf", "-O2 -gdwarf-5 -flto", "-O0 -gdwarf-5 -fdebug-types-section")


def test_units(bench: Bench) -> None:
    """Of programs of several units, of gcc and clang, reports have lines, files, folders and inlined calls; the latter not where
    debug information is split, or clang's and compressed."""
    if bench.programs is not None:
        raise Skip("compiles its programs here")
    only_memspy(bench)
    for name, text in PIECES.items():
        (bench.directory / name).parent.mkdir(exist_ok=True)
        (bench.directory / name).write_text(text, encoding="utf-8")
    xml = bench.directory / "out.xml"
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for flags in UNITS:
            if compiler == "clang" and "-flto" in flags:
                continue  # needs a linker of its own
            subprocess.run([compiler, "-g", *flags.split(), *PIECES, "-o", "units"], cwd=bench.directory, check=True)
            result = bench.run("--xml=yes", f"--xml-file={xml}", str(bench.directory / "units"))
            frames = [(Path(frame.findtext("dir", ""), frame.findtext("file", "")), frame.findtext("line"))
                      for frame in bench.valid_xml(xml).findall("error/stack[1]/frame")]
            inner = bench.directory / "part" / "inner.c"
            wanted = [(inner, "2"), (inner, "5"), (bench.directory / "main.c", "5")]
            if "-gsplit-dwarf" in flags or compiler == "clang" and "-gz" in flags:
                wanted.remove((inner, "5"))
            demand(frames == wanted, f"{compiler} {flags}: {frames}, not {wanted}", result)
            demand(result.status == 3 and not re.search("###|WARNING", result.stderr), f"{compiler} {flags}: is not quiet", result)
        subprocess.run([compiler, "-g", "-gdwarf64", *PIECES, "-o", "units"], cwd=bench.directory, check=True)
        result = bench.run(str(bench.directory / "units"))
        demand(result.status == 3 and "Invalid write" in result.stderr, f"{compiler} -gdwarf64: the program does not run to its end", result)


def test_static_clean(bench: Bench) -> None:
    """A static program without a defect is silent."""
    result = bench.run("--leak-check=full", "--error-exitcode=9", bench.program("clean", "-static"), "hello")
    demand(result.status == 0 and result.stdout == "hello\n", "it did not run well", result)
    result = bench.run("--leak-check=no", bench.program("clean", "-static -s"), "hello")
    demand(bench.tool != "memspy" or "leak" not in result.stderr, "speaks of leaks, which it cannot see", result)


def test_stripped_program(bench: Bench) -> None:
    """In a stripped program all defects are found, with addresses or symbols in place of lines."""
    program = bench.program("faults", "-s")
    xml = bench.directory / "out.xml"
    result = bench.run("--leak-check=full", "--xml=yes", f"--xml-file={xml}", program)
    demand(kinds(bench.valid_xml(xml)) == FAULT_KINDS, f"kinds are {kinds(bench.valid_xml(xml))}", result)


def test_sigkill(bench: Bench) -> None:
    """Errors found before a SIGKILL, by the program itself or from outside, are in the log and in the XML."""
    program = bench.program("killed")
    for who in ("itself", "outside"):
        log = bench.directory / f"{who}.log"
        result = bench.run(f"--log-file={log}.%p", program, who)
        demand(result.status == -9, "it did not die of SIGKILL", result)
        demand(any("Invalid write of size 1" in p.read_text() for p in bench.directory.glob(f"{who}.log.*")),
               "the error is not in the log", result)
        xml = bench.directory / f"{who}.xml"
        result = bench.run("--xml=yes", f"--xml-file={xml}.%p", program, who)
        texts = [p.read_text() for p in bench.directory.glob(f"{who}.xml.*")]
        # The file of a process that is killed from outside cannot be closed.
        roots = [ElementTree.fromstring(t if "</valgrindoutput>" in t else t + "</valgrindoutput>") for t in texts]
        demand(any("InvalidWrite" in kinds(root) for root in roots), "the error is not in the XML", result)


def test_crash(bench: Bench) -> None:
    """A crash gives all errors found before, leaks too, well-formed XML, and the signal as exit status."""
    program = bench.program("crashes")
    xml = bench.directory / "out.xml"
    result = bench.run("--leak-check=full", "--xml=yes", f"--xml-file={xml}", program)
    demand(result.status == -11, "it did not die of SIGSEGV", result)
    root = bench.valid_xml(xml)
    found = set(kinds(root))
    demand({"InvalidWrite", "Leak_DefinitelyLost"} <= found, f"kinds are {found}", result)
    demand(root.find("fatal_signal") is not None or "FINISHED" in xml.read_text(), "no end in the XML", result)
    result = bench.run("--leak-check=full", program)
    demand("Invalid write of size 1" in result.stderr and "SIGSEGV" in result.stderr, "text lacks it", result)


def test_text_layout(bench: Bench) -> None:
    """The text has the phrases that people and scripts know from Memcheck."""
    result = bench.run("--leak-check=full", bench.program("faults"))
    for pattern in (r"==\d+== Invalid write of size 1", r"==\d+== Invalid read of size 1",
                    r"==\d+==    at 0x[0-9A-F]+: overrun \(faults\.c:\d+\)", r"==\d+==    by 0x[0-9A-F]+: main",
                    r"==\d+==  Address 0x[0-9a-f]+ is 0 bytes after a block of size 10 alloc'd",
                    r"==\d+== Conditional jump or move depends on uninitialised value\(s\)",
                    r"==\d+== Invalid free\(\)", r"free'd", r"Block was alloc'd at",
                    r"==\d+== 33 bytes in 1 blocks are definitely lost in loss record \d+ of \d+",
                    r"==\d+== HEAP SUMMARY:", r"==\d+==     in use at exit: 33 bytes in 1 blocks",
                    r"total heap usage: \d+ allocs, \d+ frees, [\d,]+ bytes allocated",
                    r"==\d+== LEAK SUMMARY:", r"definitely lost: 33 bytes in 1 blocks",
                    r"ERROR SUMMARY: 5 errors from 5 contexts \(suppressed: 0 from 0\)"):
        demand(re.search(pattern, result.stderr) is not None, f"nothing like '{pattern}'", result)
    demand(result.status == 3 and result.stdout == "reached the end\n", "the program was disturbed", result)


def test_blocks_of_containers(bench: Bench) -> None:
    """The summary calls a block by the function of the program that wanted it, not by one of the C++ library."""
    only_memspy(bench)
    result = bench.run("--memspy-out-file=none", bench.program("containers"))
    for pattern in (r"heap block counters of (make_counters|main) \(containers\.cc:\d+\)",
                    r"4 heap blocks of fill_map \(containers\.cc:19\)"):
        demand(re.search(pattern, result.stderr) is not None, f"nothing like '{pattern}'", result)


def test_leak_check_modes(bench: Bench) -> None:
    """--leak-check=no says nothing of leaks, =summary gives totals only, =full and =yes the records."""
    program = bench.program("faults")
    result = bench.run("--leak-check=no", program)
    demand("definitely lost" not in result.stderr, "=no speaks of leaks", result)
    result = bench.run("--leak-check=summary", program)
    demand("definitely lost: 33 bytes" in result.stderr and "are definitely lost" not in result.stderr,
           "=summary is not right", result)
    for option in ("--leak-check=full", "--leak-check=yes"):
        result = bench.run(option, program)
        demand("are definitely lost" in result.stderr, f"{option} has no record", result)


def test_error_exitcode(bench: Bench) -> None:
    """--error-exitcode is the exit status when there are errors, else the program's own is."""
    result = bench.run("--error-exitcode=42", bench.program("faults"))
    demand(result.status == 42, "not 42", result)
    result = bench.run("--error-exitcode=42", bench.program("clean"))
    demand(result.status == 0, "not 0", result)


def test_exit_on_first_error(bench: Bench) -> None:
    """--exit-on-first-error=yes ends at the first error with --error-exitcode's status and says what it was."""
    result = bench.run("--exit-on-first-error=yes", "--error-exitcode=9", bench.program("faults"))
    demand(result.status == 9, "not 9", result)
    demand("Invalid write of size 1" in result.stderr, "the error is not there", result)
    demand("Invalid read" not in result.stderr and "reached the end" not in result.stdout, "it went on", result)


def test_show_error_list(bench: Bench) -> None:
    """--show-error-list=yes repeats the errors at the end, with counts."""
    result = bench.run("--show-error-list=yes", "--leak-check=no", bench.program("faults"))
    demand(result.stderr.count("Invalid write of size 1") == 2, "not told twice", result)
    demand("1 errors in context 1 of 4" in result.stderr, "no context line", result)


def xml_errors(bench: Bench, program: str, *options: str) -> tuple[list[str], list[str]]:
    xml = bench.directory / "out.xml"
    xml.unlink(missing_ok=True)
    bench.run("--leak-check=full", "--gen-suppressions=all", "--xml=yes", f"--xml-file={xml}", *options, program)
    root = bench.valid_xml(xml)
    return kinds(root), [r.text or "" for e in root.findall("error") for r in e.iter("rawtext")]


def test_suppressions_from_xml(bench: Bench) -> None:
    """A generated suppression silences exactly its own error; all of them silence all."""
    program = bench.program("faults")
    found, suppressions = xml_errors(bench, program)
    if found != FAULT_KINDS or len(suppressions) != len(FAULT_KINDS):
        raise Failure(f"found {found}, {len(suppressions)} suppressions")
    supp = bench.directory / "some.supp"
    for index, text in enumerate(suppressions):
        supp.write_text(text + "\n", encoding="utf-8")
        left, _ = xml_errors(bench, program, f"--suppressions={supp}")
        if len(left) != len(found) - 1:
            raise Failure(f"suppression {index} left {left}:\n{text}")
        if any(left.count(k) > found.count(k) for k in left):
            raise Failure(f"suppression {index} changed the kinds: {left}")
    supp.write_text("\n".join(suppressions), encoding="utf-8")
    left, _ = xml_errors(bench, program, f"--suppressions={supp}")
    if left:
        raise Failure(f"all suppressions left {left}")


def test_suppressions_from_text(bench: Bench) -> None:
    """The same with the suppressions of the text output, cut out of it between braces; they are counted."""
    program = bench.program("faults")
    result = bench.run("--leak-check=full", "--gen-suppressions=all", program)
    blocks = re.findall(r"^\{\n.*?^\}$", result.stderr, re.MULTILINE | re.DOTALL)
    demand(len(blocks) == 5, f"{len(blocks)} suppressions in the text", result)
    supp = bench.directory / "text.supp"
    supp.write_text("\n".join(blocks) + "\n", encoding="utf-8")
    result = bench.run("--leak-check=full", "--error-exitcode=9", f"--suppressions={supp}", program)
    demand(result.status == 3 and "ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 5 from 5)" in result.stderr,
           "they do not silence all", result)


def test_memcheck_suppressions(bench: Bench) -> None:
    """Suppressions written for Memcheck silence the same errors here, under Memcheck's names."""
    only_memspy(bench)
    program = bench.program("faults")
    supp = bench.directory / "memcheck.supp"
    names = [("Addr1", "overrun"), ("Addr1", "underrun"), ("Cond", "branch"), ("Free", "free"), ("Leak", "malloc")]
    for prefix in ("memspy", "Memcheck,memspy"):
        supp.write_text("".join(f"{{\n   s{i}\n   {prefix}:{kind}\n   fun:{function}\n}}\n"
                                for i, (kind, function) in enumerate(names)), encoding="utf-8")
        left, _ = xml_errors(bench, program, f"--suppressions={supp}")
        if left:
            raise Failure(f"{prefix}: left {left}")


def test_default_suppressions(bench: Bench) -> None:
    """What libxcb sends may have padding that nobody set; what another file sends may not."""
    only_memspy(bench)
    program = bench.program("pads")
    xcb = shutil.copy(program, bench.directory / "libxcb.so.1")
    for file, found in ((program, ["SyscallParam", "SyscallParam"]), (str(xcb), [])):
        left, _ = xml_errors(bench, file)
        if left != found:
            raise Failure(f"{file}: found {left} instead of {found}")


def test_memcheck_command_line(bench: Bench) -> None:
    """The options of a user's Memcheck command line are accepted."""
    result = bench.run("-v", "--leak-check=full", "--show-leak-kinds=all", "--track-origins=yes", "--num-callers=30",
                       "--freelist-vol=1000000", "--freelist-big-blocks=500000", "--redzone-size=32",
                       "--leak-resolution=med", "--leak-check-heuristics=all", "--show-reachable=yes",
                       "--partial-loads-ok=yes", "--errors-for-leak-kinds=definite", "--undef-value-errors=yes",
                       "--keep-stacktraces=alloc-and-free", "--show-mismatched-frees=yes",
                       "--expensive-definedness-checks=yes", "--ignore-range-below-sp=1024-1", "--malloc-fill=a5",
                       "--free-fill=5a", "--error-limit=no", "--error-exitcode=7", "--time-stamp=no",
                       bench.program("clean"), "hello")
    demand(result.status == 0 and result.stdout == "hello\n", "it did not run", result)


def test_quiet(bench: Bench) -> None:
    """With -q a clean run writes nothing at all, a faulty one only its errors."""
    result = bench.run("-q", bench.program("clean"))
    demand(result.stderr == "", "something was written", result)
    result = bench.run("-q", "--leak-check=full", bench.program("faults"))
    demand("Invalid write" in result.stderr and "SUMMARY" not in result.stderr, "not only errors", result)


def test_profile_is_named(bench: Bench) -> None:
    """A run says where its profile went, and the file is there; it is silent when there is none."""
    result = bench.run("--memspy-out-file=figures.%p.xml", bench.program("clean"))
    named = re.search(r"All figures are in (.*figures\.\d+\.xml)$", result.stderr, re.MULTILINE)
    demand(named is not None and Path(named[1]).is_file(), "no file of that name", result)
    result = bench.run("--memspy-out-file=none", bench.program("clean"))
    demand("All figures" not in result.stderr, "a file is named", result)


def test_profile_when_worth(bench: Bench) -> None:
    """Without a name a profile is written if there is something to read in it; under -q, and before an exec that
    leaves nothing, it is not."""
    def profiles() -> int:
        found = list(bench.directory.glob("memspy.out.*"))
        for path in found:
            path.unlink()
        return len(found)

    for what, wanted, *arguments in (("a clean program", 0, bench.program("clean")),
                                     ("threads that share lines", 1, bench.program("shares"), "3000"),
                                     ("-q", 0, "-q", bench.program("shares"), "3000"),
                                     ("-q and a name", 1, "-q", "--memspy-out-file=memspy.out.named",
                                      bench.program("clean")),
                                     ("zeros of objects", 1, "--zeros=data", bench.program("clean")),
                                     # Its first program writes beyond a block.
                                     ("an exec chain", 1, "--trace-children=yes", bench.program("runs_other"), "here",
                                      bench.program("clean")),
                                     ("an exec chain without defects", 0, "--defects=no", "--trace-children=yes", bench.program("runs_other"),
                                      "here", bench.program("clean"))):
        result = bench.run(*map(str, arguments))
        found = profiles()
        demand(found == wanted, f"{what}: {found} profiles instead of {wanted}", result)


def test_launcher(bench: Bench) -> None:
    """`valgrind` takes the core that is packed beside it, by way of a link, too; says memspy's version if that tool is meant; turns
    --help-all into what the core knows, but not for the program; and refuses a folder from which nothing can be preloaded."""
    for place, status in (("packed", 0), ("a blank", 1), ("a:colon", 1)):
        folder = bench.directory / place
        for part in ("bin", "libexec/valgrind"):
            (folder / part).mkdir(parents=True)
        script = folder / "bin/valgrind"
        shutil.copy(bench.valgrind, script)
        core = folder / "bin/valgrind.bin"
        core.write_text('#!/bin/sh\necho "$VALGRIND_LIB"\nfor word; do echo "<$word>"; done\n')
        core.chmod(0o755)
        (folder / "link").symlink_to(script)

        def say(*words: str, by: Path = script) -> list[str]:
            done = subprocess.run([by, *words], capture_output=True, text=True, check=False)
            if done.returncode != status:
                raise Failure(f"{by} {words}: status {done.returncode}\n{done.stdout}{done.stderr}")
            return (done.stdout or done.stderr).splitlines()

        if status:
            if "with a blank or a colon in its name" not in say("true")[0]:
                raise Failure(f"{place}: {say('true')}")
            continue
        tools = str(folder / "libexec/valgrind")
        for words, wanted in ((["--tool=memspy", "true", "--version"], [tools, "<--tool=memspy>", "<true>", "<--version>"]),
                              (["--tool=memspy", "--help-all"], [tools, "<--help>", "<--tool=memspy>", "<--help-all>"]),
                              (["a b", "--help-all"], [tools, "<a b>", "<--help-all>"])):
            for by in (script, folder / "link"):
                if say(*words, by=by) != wanted:
                    raise Failure(f"{words}: {say(*words, by=by)}")
        said = say("--tool=memspy", "--version")
        if not said[0].startswith("memspy-") or said[1:] != [tools, "<--tool=memspy>", "<--version>"] or say("--version") != [tools, "<--version>"]:
            raise Failure(f"--version: {said}")


def test_brief_summary(bench: Bench) -> None:
    """A run with threads has at most fifteen lines of figures, and ends with a line for each finding, in the order of the reports;
    -v and --top have the tables, -q has neither, a run without sums does not repeat its errors."""
    program = bench.program("shares")
    brief = bench.run(program, "3000")
    summary = brief.stderr.partition("Cache contention and sharing")[2].partition("HEAP SUMMARY")[0]
    demand(0 < summary.count("\n") <= 15 and "contention ratio" not in summary and "Modelled: one core" not in summary, "not brief", brief)
    reports = [line[:80] for line in re.findall(r"^==\d+== (\w+ sharing \w+ .*)$", brief.stderr, re.MULTILINE)]
    again = brief.stderr.partition("FINDINGS, once more:")[2].partition("All figures")[0]
    demand(bool(reports) and [line[:80] for line in re.findall(r"==   (\w+ sharing .*)$", again, re.MULTILINE)] == reports,
           f"{reports} are not repeated", brief)
    for option in ("-v", "--top=20"):
        full = bench.run(option, program, "3000")
        demand("contention ratio" in full.stderr and "Modelled: one core" in full.stderr and "most events at" in full.stderr, "no tables", full)
    for arguments in (("-q", program, "3000"), (bench.program("faults"),)):
        other = bench.run(*arguments)
        demand("FINDINGS" not in other.stderr, "findings are repeated", other)


def test_defects_in_profile(bench: Bench) -> None:
    """The profile has the errors and leaks of the run's error file: kinds, threads, times, each remark and the function of each
    stack. Without options it is written if there is an error, and an error file makes it needless."""
    result = bench.run("--memspy-out-file=run.xml", "--xml=yes", "--xml-file=errors.xml", "--leak-check=full", bench.program("faults"))
    errors = ElementTree.parse(bench.directory / "errors.xml").getroot()
    profile = ElementTree.parse(bench.directory / "run.xml").getroot()
    stacks = {identity: [frame.get("fn") for frame in frames] for identity, frames in stacks_of(profile).items()}
    times = {pair.findtext("unique"): pair.findtext("count") for counts in errors.findall("errorcounts") for pair in counts}

    def functions(stack: ElementTree.Element) -> list[str | None]:
        return [frame.findtext("fn") for frame in stack]

    told = []
    for error in errors.findall("error"):
        leak = error.find("xwhat")
        told.append((error.findtext("kind"), times.get(error.findtext("unique"), "1"), None if leak is None else leak.findtext("leakedbytes"),
                     [text.text for text in error.findall("auxwhat")], [functions(stack) for stack in error.findall("stack")]))
    kept = [(defect.get("kind"), defect.get("times"), defect.get("leaked-bytes"), [remark.get("text") for remark in defect.findall("remark")],
             [stacks[identity] for part in (defect, *defect.findall("remark")) if (identity := part.get("stack"))])
            for defect in profile.iter("defect")]
    demand(len(kept) >= 3 and sorted(map(repr, kept)) == sorted(map(repr, told)), f"{kept}\n{told}", result)
    for wanted, *options in ((1, ), (0, "--xml=yes", "--xml-file=other.xml"), (0, "-q"), (0, "--memspy-out-file=none")):
        result = bench.run(*map(str, options), bench.program("faults"))
        found = list(bench.directory.glob("memspy.out.*"))
        for path in found:
            path.unlink()
        demand(len(found) == wanted, f"{options}: {len(found)} profiles instead of {wanted}", result)


def test_lines_of_system(bench: Bench) -> None:
    """A run that finds nothing does not read the lines of the system's libraries for its figures: the profile has only their functions,
    and memspy-report finds the lines. That is half of the time of a short run."""
    result = bench.run("--memspy-out-file=run.xml", bench.program("clean"))
    path = bench.directory / "run.xml"
    profile = ElementTree.parse(path).getroot()
    if os.uname().machine != "x86_64" or int(profile.get("valgrind", "0.0").split(".")[1]) > 21:
        raise Skip("this core decides itself when lines are read")
    system = {module.get("id") for module in profile.iter("module") if module.get("path", "").startswith(("/lib", "/usr/lib"))}
    frames = [frame for frame in profile.iter("frame") if frame.get("module") in system]
    demand(sum("fn" in frame.attrib for frame in frames) > 50, "few frames with functions", result)
    demand(not any("line" in frame.attrib for frame in frames), "lines were read", result)
    if not any(Path("/usr/lib/debug/.build-id").rglob("*.debug")):
        raise Skip("the C library's debug information is not installed")
    report = subprocess.run([Path(bench.valgrind).resolve().parent / "memspy-report", "text", path], capture_output=True, text=True, check=False)
    demand(re.search(r"\(dl-\w+\.c:\d+\)", report.stdout) is not None, f"no line in the report:\n{report.stdout}{report.stderr}", result)


def test_progress(bench: Bench) -> None:
    """On a terminal, and only there, a line every --progress seconds says how far the run is."""
    def lines(progress: int, terminal: bool) -> list[str]:
        reader, writer = os.openpty() if terminal else os.pipe()
        command = [bench.valgrind, f"--tool={bench.tool}", f"--progress={progress}", bench.program("loops"), "3"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer,
                              cwd=bench.directory) as process:
            os.close(writer)
            text = b""
            try:
                while piece := os.read(reader, 65536):
                    text += piece
            except OSError:     # a terminal whose last writer is gone
                pass
            os.close(reader)
        if process.returncode != 0:
            raise Failure(f"{shlex.join(command)}\nexit status {process.returncode}\n{text.decode()}")
        return re.findall(r"\d+ s, [\d,]+ blocks of code, 0 errors so far", text.decode())

    for progress, terminal, wanted in ((1, True, True), (1, False, False), (0, True, False)):
        found = lines(progress, terminal)
        if bool(found) != wanted:
            raise Failure(f"--progress={progress}, terminal {terminal}: {found}")


def test_fork_exec_untraced(bench: Bench) -> None:
    """Without --trace-children the executed program runs natively; parent's errors are there."""
    log = bench.directory / "out.%p.log"
    result = bench.run(f"--log-file={log}", bench.program("runs_other"), "fork", bench.program("clean"), "hello")
    # The other program's status differs from the one that the first expects.
    demand(result.status == 1 and result.stdout == "hello\n", "did not run well", result)
    logs = [p.read_text() for p in bench.directory.glob("out.*.log")]
    demand(sum("ERROR SUMMARY: 1 errors" in t for t in logs) == 1, f"{len(logs)} logs", result)
    demand(sum("HEAP SUMMARY" in t for t in logs) == 1, "the other program was traced", result)


def test_fork_exec_traced(bench: Bench) -> None:
    """With --trace-children=yes and %p parent and executed program have a well-formed XML file each."""
    other = bench.program("faults")
    result = bench.run("--trace-children=yes", "--leak-check=full", "--xml=yes",
                       f"--xml-file={bench.directory}/out.%p.xml", bench.program("runs_other"), "fork", other)
    demand(result.status == 0, "did not run well", result)
    found = sorted(kinds(bench.valid_xml(p)) for p in bench.directory.glob("out.*.xml"))
    demand(found == sorted([["InvalidWrite"], FAULT_KINDS]), f"kinds are {found}", result)


def test_fork_exec_traced_one_name(bench: Bench) -> None:
    """With --trace-children=yes and one name for all, the file is the parent's, and what the child executes gets a number."""
    other = bench.program("faults")
    for kind, options in (("xml", ("--xml=yes", f"--xml-file={bench.directory}/all.xml")),
                          ("log", (f"--log-file={bench.directory}/all.log",))):
        result = bench.run("--trace-children=yes", "--leak-check=full", *options, bench.program("runs_other"), "fork", other)
        demand(result.status == 0, "did not run well", result)
        first, second = bench.directory / f"all.{kind}", bench.directory / f"all.1.{kind}"
        if kind == "xml":
            demand(kinds(bench.valid_xml(first)) == ["InvalidWrite"], "the parent's errors are not there", result)
            demand(kinds(bench.valid_xml(second)) == FAULT_KINDS, "the other program's errors are not there", result)
        else:
            demand("ERROR SUMMARY: 1 errors" in first.read_text(), "the parent's errors are not there", result)
            demand(f"Command: {other}" in second.read_text(), "the other program's report is not there", result)


def test_exec_untraced(bench: Bench) -> None:
    """Errors before an exec without --trace-children are in the log, and the new program runs natively."""
    log = bench.directory / "out.log"
    result = bench.run(f"--log-file={log}", bench.program("runs_other"), "here", bench.program("clean"), "hello")
    demand(result.status == 0 and result.stdout == "hello\n", "the other program did not run", result)
    text = log.read_text()
    demand("Invalid write of size 1" in text and "HEAP SUMMARY" not in text, "log is not right:\n" + text, result)


def test_exec_untraced_xml(bench: Bench) -> None:
    """Errors before an exec without --trace-children are in the XML."""
    xml = bench.directory / "out.xml"
    result = bench.run("--xml=yes", f"--xml-file={xml}", bench.program("runs_other"), "here",
                       bench.program("clean"), "hello")
    demand(result.status == 0 and result.stdout == "hello\n", "the other program did not run", result)
    text = xml.read_text()
    demand(kinds(ElementTree.fromstring(text)) == ["InvalidWrite"], "the error is not in the XML:\n" + text, result)


def test_exec_chain(bench: Bench) -> None:
    """Programs that follow each other in one process have files of their own, all well-formed."""
    result = bench.run("--trace-children=yes", "--xml=yes", f"--xml-file={bench.directory}/x.%p.xml",
                       f"--memspy-out-file={bench.directory}/profile.%p.xml", bench.program("runs_other"), "here",
                       bench.program("runs_other"), "here", bench.program("faults"))
    demand(result.status == 3, "did not run well", result)
    for name, wanted in (("x.*.1.xml", ["InvalidWrite"]), ("x.*.2.xml", ["InvalidWrite"])):
        files = list(bench.directory.glob(name))
        demand(len(files) == 1, f"{len(files)} files {name}", result)
        found = kinds(ElementTree.fromstring(files[0].read_text()))
        demand(found == wanted, f"kinds in {name} are {found}", result)
    demand(len(list(bench.directory.glob("x.*.xml"))) == 3, "not three files of errors", result)
    demand(len(list(bench.directory.glob("profile.*.xml"))) == 3, "not three profiles", result)


def test_num_callers(bench: Bench) -> None:
    """--num-callers=1 leaves one frame in each stack."""
    xml = bench.directory / "out.xml"
    result = bench.run("--num-callers=1", "--leak-check=full", "--xml=yes", f"--xml-file={xml}", bench.program("faults"))
    root = bench.valid_xml(xml)
    # Frames of one inlined address count as one; the program has none inlined.
    frames = [len(stack.findall("frame")) for stack in root.iter("stack")]
    demand(len(frames) > len(FAULT_KINDS) and set(frames) == {1}, f"stacks have {frames} frames", result)


def test_redzone_size(bench: Bench) -> None:
    """--redzone-size moves how far behind a block an access is still charged to it."""
    for size, distance, charged in (("0", "0", True), ("16", "99", False), ("256", "99", True)):
        result = bench.run(f"--redzone-size={size}", bench.program("behind"), distance)
        demand((f"is {distance} bytes after a block of size 24 alloc'd" in result.stderr) == charged,
               "it is charged to another block" if charged else "it is charged to the block", result)


def test_defects_off(bench: Bench) -> None:
    """--defects=no finds nothing, and the program runs as it does alone: its own allocator aborts it at a double free."""
    only_memspy(bench)
    program = bench.program("faults")
    alone = subprocess.run([program], capture_output=True, text=True, check=False)
    result = bench.run("--defects=no", "--error-exitcode=9", program)
    demand((result.status, result.stdout) == (alone.returncode, alone.stdout), "the program was disturbed", result)
    demand("ERROR SUMMARY: 0 errors" in result.stderr, "it found something", result)


def test_huge_allocation(bench: Bench) -> None:
    """A program that asks for 15 GB and touches 20 MB of it stays below 300 MB."""
    result = bench.run(bench.program("huge"))
    demand(result.status == 0 and "ERROR SUMMARY: 0 errors" in result.stderr, "it did not run well", result)
    if bench.tool == "memspy":
        demand(result.peak_kilobytes < 300 * 1024, f"peak is {result.peak_kilobytes} kB", result)


class Running:
    """A program that runs under the tool until the end of the `with`, and ways to ask it. `said` is its first line."""

    def __init__(self, bench: Bench, program: str, *options: str,
                 program_arguments: tuple[str, ...] = ()) -> None:
        if shutil.which("vgdb") is None:
            raise Skip("vgdb is not installed")
        self.bench = bench
        self.prefix = f"--vgdb-prefix={bench.directory}/vgdb"
        self.log = bench.directory / "out.log"
        self.process = subprocess.Popen(
            [bench.valgrind, f"--tool={bench.tool}", "--vgdb=yes", self.prefix, f"--log-file={self.log}", *options,
             program, *program_arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=bench.directory)

    def __enter__(self) -> Running:
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=60 * self.bench.time_factor)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        log = self.log.read_text(errors="replace")
        if kind is None and (self.process.returncode or ASSERTION.search(log)):
            raise Failure(f"exit status {self.process.returncode}:\n{log[-2000:]}")

    def tell(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def ask(self, *words: str) -> str:
        done = subprocess.run(["vgdb", self.prefix, f"--pid={self.process.pid}", "--wait=10", *words],
                              capture_output=True, text=True, timeout=60 * self.bench.time_factor, check=False)
        if done.returncode:
            raise Failure(f"vgdb {words} fails:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def control(self, *words: str, status: int = 0, folder: Path | None = None) -> str:
        """What memspy_control prints on stdout, or on stderr (one line) when it ends with another status than 0."""
        done = subprocess.run([str(Path(self.bench.valgrind).parent / "memspy_control"), self.prefix, *words],
                              capture_output=True, text=True, timeout=60 * self.bench.time_factor, check=False, cwd=folder)
        if done.returncode != status:
            raise Failure(f"memspy_control {words}: status {done.returncode}, not {status}:\n{done.stdout}\n"
                          f"{done.stderr}")
        if status and (done.stdout or done.stderr.count("\n") != 1):
            raise Failure(f"memspy_control {words} does not say why in one line:\n{done.stdout}\n{done.stderr}")
        return done.stderr if status else done.stdout

    def counts(self) -> dict[str, list[int]]:
        """The numbers of each line of `status`."""
        lines = (line.split(":", 1) for line in self.ask("status").splitlines())
        return {line[0]: [int(n) for n in re.findall(r"\d+", line[1])] for line in lines}


def grown(running: Running, before: dict[str, list[int]], *names: str) -> dict[str, list[int]]:
    """What `status` says once all these are more than they were; the machine may be busy."""
    for _ in range(200):
        now = running.counts()
        if all(sum(now[name]) > sum(before[name]) for name in names):
            return now
        time.sleep(0.05)
    raise Failure(f"{names} do not grow: {before} {now}")


def expect_answers(running: Running, answers: dict[tuple[str, ...], list[str]]) -> None:
    for words, patterns in answers.items():
        answer = running.ask(*words)
        for pattern in patterns:
            if not re.search(pattern, answer):
                raise Failure(f"vgdb {' '.join(words)}: nothing like '{pattern}' in\n{answer}")


def test_monitor(bench: Bench) -> None:
    """vgdb's leak_check, block_list and who_points_at answer while the program runs."""
    with Running(bench, bench.program("waits")) as running:
        holder, held = running.said.split()
        expect_answers(running, {
            ("leak_check", "full", "reachable", "any"): [r"77 bytes in 1 blocks are definitely lost",
                                                         r"99 bytes in 1 blocks are still reachable"],
            ("leak_check", "summary", "any"): [r"definitely lost: 77 .*bytes in 1"],
            ("block_list", "1"): [r"bytes in \d+ blocks", r"0x[0-9A-Fa-f]+\[\d+\]"],
            ("who_points_at", held): [re.escape(held).replace("0x", "(?i:0x)"),
                                      f"(?i){hex(int(holder, 16) + 40)[2:]}"],
            ("help",): ["leak_check", "block_list", "who_points_at"],
        })


def test_monitor_status(bench: Bench) -> None:
    """`status` tells errors, threads, accesses and events so far, and wrong words get one line that names them."""
    only_memspy(bench)
    with Running(bench, bench.program("shares")) as running:
        one = running.counts()
        two = grown(running, one, "accesses", "modelled", "observed")
        for name in ("accesses", "modelled", "observed"):
            if not all(a <= b for a, b in zip(one[name], two[name])):
                raise Failure(f"{name} fall: {one} {two}")
        if not 0 < one["access log"][0] <= one["access log"][1]:
            raise Failure(f"the access log is not right: {one}")
        expect_answers(running, {
            ("status",): [r"(?m)^instrumentation: on$"],
            ("status", "now"): [r"^status takes no 'now'\n$"],
            ("instrumentation",): [r"^instrumentation needs on, off or status\n$"],
            ("instrumentation", "maybe"): [r"^instrumentation needs on, off or status\n$"],
            ("instrumentation", "off", "now"): [r"^instrumentation takes no 'now'\n$"],
            ("instrumentation", "status"): [r"^instrumentation is on\n$"],
            ("help",): ["  status", r"  dump \[FILE\]", r"  instrumentation on\|off\|status"],
        })


def test_monitor_status_one_thread(bench: Bench) -> None:
    """`status` and `dump` of a program without a second thread, and without contention, say so."""
    only_memspy(bench)
    with Running(bench, bench.program("waits")) as running:
        expect_answers(running, {("status",): [r"threads: 1 now, 1 ever\ncontention: none, there was no second thread"]})
        running.ask("dump", str(bench.directory / "one.xml"))
        valid_profile(bench, bench.directory / "one.xml")
    with Running(bench, bench.program("waits"), "--defects=no", "--contention=no", "--sharing=no", "--zeros=no") as running:
        expect_answers(running, {("status",): [r"contention: not looked at"],
                                 ("dump", "x.xml"): [r"^there is no profile with --contention=no and --zeros=no and --locality=no and --cost=no and --mix=no and --races=no and --heap-profile=no and --waste=no and --defects=no\n$"]})


def valid_profile(bench: Bench, path: Path) -> ElementTree.Element:
    check = subprocess.run(["xmllint", "--noout", "--relaxng", str(bench.schema.parent / "profile.rng"), str(path)],
                           capture_output=True, text=True, check=False)
    if check.returncode:
        raise Failure(f"{path} does not agree with profile.rng:\n{check.stderr[-2000:]}")
    return ElementTree.parse(path).getroot()


def test_threads_without_contention(bench: Bench) -> None:
    """A profile names all threads, whichever analyses are on: what it counts by thread points to them."""
    only_memspy(bench)
    own = bench.directory / "own.xml"
    with Running(bench, bench.program("shares"), "--contention=no", f"--memspy-out-file={own}"):
        pass
    profile = valid_profile(bench, own)
    named = {thread.get("id"): thread.get("parent") for thread in profile.findall("threads/thread")}
    counted = {counts.get("thread") for counts in profile.findall("zeros/thread-counts")}
    if len(counted) < 2 or not counted <= named.keys() or [parent for parent in named.values() if not parent] != [None]:
        raise Failure(f"threads {named}, counts of {counted}")


def total(profile: ElementTree.Element, view: str, name: str) -> int:
    element = profile.find(f"contention/total/{view}")
    return 0 if element is None else int(element.get(name, "0"))


def test_lines_that_matter(bench: Bench) -> None:
    """Of many lines the profile has those with many events and the worst of each object; the others are counted."""
    only_memspy(bench)
    own = bench.directory / "own.xml"
    listed: dict[str, int] = {}
    left_out: dict[str, int] = {}
    for lines in (300, 4000):
        bench.run("--defects=no", "--zeros=no", f"--memspy-out-file={own}", bench.program("hands_over"), str(lines))
        profile = valid_profile(bench, own)
        names = {entry.get("id"): entry.get("name", "") for entry in profile.findall("objects/*")}
        objects_of = {line: [names[extent.get("object")] for extent in line.findall("extent")]
                      for line in profile.findall("contention/line")}
        listed = Counter(name for objects in objects_of.values() for name in objects)
        left_out = {names[entry.get("object")]: int(entry.get("lines", "0"))
                    for entry in profile.findall("contention/lines-left-out")}
        events = [int(counts.get("invalidations", "0")) for line, objects in objects_of.items() if "counters" in objects
                  for counts in line.findall("modelled")]
        if len(events) != 1 or events[0] < 50_000:
            raise Failure(f"{lines} lines: the line of the counters has {events} invalidations")
        if lines == 300 and (listed["many"], listed["few"], left_out) != (300, 40, {}):
            raise Failure(f"of few lines {listed} are listed, {left_out} left out")
    if (listed["many"], left_out["many"], listed["few"], left_out["few"]) != (8, 4000 - 8, 8, 40 - 8):
        raise Failure(f"of many lines {listed} are listed, {left_out} left out")


def test_dump(bench: Bench) -> None:
    """`dump` writes a valid profile of the run so far, to the file of the options or another, and says which."""
    only_memspy(bench)
    own = bench.directory / "own.xml"
    with Running(bench, bench.program("shares"), f"--memspy-out-file={own}") as running:
        expect_answers(running, {("dump",): [f"^profile written to {re.escape(str(own))}\n$"]})
        first = valid_profile(bench, own)
        if (first.get("finished"), first.get("made-by")) != ("no", "dump"):
            raise Failure(f"not marked as a dump: {first.attrib}")
        grown(running, running.counts(), "modelled")
        # A relative name is relative to the folder in which the program was started, and may have blanks.
        expect_answers(running, {("dump", "a second.xml"): [r"profile written to /.*/a second.xml\n$"]})
        second = valid_profile(bench, bench.directory / "a second.xml")
        counts = [total(p, "modelled", "coherence-misses") for p in (first, second)]
        if not 0 < counts[0] < counts[1]:
            raise Failure(f"counts do not grow from dump to dump: {counts}")
        expect_answers(running, {("dump", str(bench.missing)): [f"{re.escape(str(bench.missing))} could not be written"]})
    last = valid_profile(bench, own)
    if (last.get("finished"), last.get("made-by")) != ("yes", "exit"):
        raise Failure(f"the end of the run did not replace the dump: {last.attrib}")
    if total(last, "modelled", "coherence-misses") < counts[1]:
        raise Failure("the end of the run has less than the dump")


def test_dump_without_file(bench: Bench) -> None:
    """Without --memspy-out-file `dump` wants a name, and writes there; at the end nothing is written."""
    only_memspy(bench)
    with Running(bench, bench.program("shares"), "--memspy-out-file=none") as running:
        expect_answers(running, {("dump",): [r"^no file is given, here or by --memspy-out-file\n$"]})
        running.ask("dump", str(bench.directory / "named.xml"))
    if valid_profile(bench, bench.directory / "named.xml").get("made-by") != "dump":
        raise Failure("something replaced the dump")
    if left := [p.name for p in bench.directory.glob("*.xml") if p.name != "named.xml"]:
        raise Failure(f"files that nobody asked for: {left}")


def test_dump_changes_nothing(bench: Bench) -> None:
    """The modelled counts at the end are the same whether or not somebody asked for dumps on the way."""
    only_memspy(bench)
    program = bench.program("shares")
    out = [bench.directory / "quiet.xml", bench.directory / "asked.xml"]
    bench.run(f"--memspy-out-file={out[0]}", program, "3000000")
    with Running(bench, program, f"--memspy-out-file={out[1]}", program_arguments=("3000000",)) as running:
        for number in range(4):
            running.ask("dump", f"dump{number}.xml")
            running.ask("status")
    quiet, asked = (valid_profile(bench, path) for path in out)
    dumps = [total(valid_profile(bench, bench.directory / f"dump{n}.xml"), "modelled", "invalidations") for n in range(4)]
    for name in ("coherence-misses", "invalidations"):
        counts = [total(p, "modelled", name) for p in (quiet, asked)]
        if counts[0] < 5_000_000 or abs(counts[0] - counts[1]) > 100:
            raise Failure(f"{name}: {counts[0]} without dumps, {counts[1]} with")
    if not dumps[0] < dumps[-1] < counts[1]:
        raise Failure(f"the dumps came too late to prove anything: {dumps}")


def stacks_of_rows(profile: ElementTree.Element, function: str) -> set[tuple[str, ...]]:
    """The functions of the stacks whose innermost is `function` that accesses were charged to."""
    stacks = {identity: tuple(frame.get("fn", "?") for frame in frames) for identity, frames in stacks_of(profile).items()}
    rows = (stacks.get(r.get("stack", ""), ()) for r in profile.iterfind("contention/row"))
    return {s for s in rows if s and s[0] == function}


def test_instrumentation(bench: Bench) -> None:
    """With `instrumentation off` nothing is counted in any thread; on again, counts go on with whole call stacks."""
    only_memspy(bench)
    with Running(bench, bench.program("shares")) as running:
        running.ask("dump", "before.xml")
        before = stacks_of_rows(valid_profile(bench, bench.directory / "before.xml"), "add")
        for _ in range(3):
            expect_answers(running, {("instrumentation", "off"): [r"^instrumentation is off\n$"],
                                     ("instrumentation", "status"): [r"^instrumentation is off\n$"]})
            off = running.counts()
            # The thread's next calls are not seen.
            running.tell("x")
            time.sleep(0.3)
            # Earlier records may still be merged.
            still = running.counts()
            if any(still[name] != off[name] for name in ("accesses", "observed")):
                raise Failure(f"counts grow while instrumentation is off: {off} {still}")
            expect_answers(running, {("status",): [r"(?m)^instrumentation: off$"],
                                     ("instrumentation", "on"): [r"^instrumentation is on\n$"]})
            grown(running, off, "accesses", "observed")
        grown(running, running.counts(), "modelled")
        running.ask("dump", "after.xml")
    after = stacks_of_rows(valid_profile(bench, bench.directory / "after.xml"), "add")
    depths = [{(s.count("deep"), s.count("detour")) for s in stacks} for stacks in (before, after)]
    if depths != [{(6, 0), (0, 0)}, {(6, 0), (3, 1), (0, 0)}]:
        raise Failure(f"the calls are not known: {before}\n{after}")


def zeros_of(bench: Bench, running: Running, name: str) -> tuple[int, int]:
    """Loads, and bytes of objects that were loaded, of the run so far."""
    running.ask("dump", name)
    profile = valid_profile(bench, bench.directory / name)
    return (sum(int(e.get("loads", 0)) for e in profile.iterfind("zeros/total/*")),
            sum(int(e.get("accessed", 0)) for e in profile.iterfind("zeros/object-counts")))


def test_zeros_while_it_runs(bench: Bench) -> None:
    """Without contention: redundant zeros in a dump, by code and by object; off, no load is counted; on again, they are."""
    only_memspy(bench)
    with Running(bench, bench.program("shares"), "--contention=no", "--sharing=no", "--zeros=all") as running:
        loads, accessed = zeros_of(bench, running, "1.xml")
        if loads == 0 or accessed == 0:
            raise Failure(f"{loads} loads, {accessed} bytes of objects")
        more, _ = zeros_of(bench, running, "2.xml")
        running.ask("instrumentation", "off")
        off, _ = zeros_of(bench, running, "3.xml")
        time.sleep(0.3)
        still, _ = zeros_of(bench, running, "4.xml")
        running.ask("instrumentation", "on")
        for attempt in range(50):
            time.sleep(0.1)
            on, _ = zeros_of(bench, running, f"on{attempt}.xml")
            if on > still:
                break
        if not loads <= more <= off == still < on:
            raise Failure(f"loads: {loads}, {more}, off {off}, {still}, on {on}")


def test_zeros_of_sections(bench: Bench) -> None:
    """Sections (here those of a stripped program and of libraries) stand among the objects, without advice; a block has it."""
    only_memspy(bench)
    result = bench.run("--zeros=data", "--zeros-threshold=0.1", "--top=50", "--memspy-out-file=none",
                       bench.program("loads_all", "-s"), "1")
    lines = [line.partition("== ")[2] for line in result.stderr.splitlines()]
    is_object = re.compile(r" +[\d,]+ +[\d,]+ +[\d.]+% +[\d.]+%   (?P<name>.*)")
    advised: dict[str, bool] = {}
    name = ""
    for line in lines[lines.index("Redundant zeros"):]:
        if found := is_object.fullmatch(line):
            name = found["name"]
            advised[name] = False
        elif name and re.match(r" {6}\w+: ", line):
            advised[name] = True
    sections = [name for name in advised if re.match(r"\.[a-z.]+ of ", name)]
    demand(len(sections) > 0, "no section is listed", result)
    demand(not any(advised[name] for name in sections), "a section has advice", result)
    demand(any(advised.values()), "nothing has advice", result)


def test_zeros_by_line(bench: Bench) -> None:
    """Findings of one source line that load the same type are one row, which says of how many instructions."""
    only_memspy(bench)
    result = bench.run("--memspy-out-file=none", bench.program("expression"))
    rows = re.findall(r"== +([\d,]+) +[\d.]+% .* float64 +main \((expression\.c:\d+)\)(.*)", result.stderr)
    demand(rows == [("480,000", "expression.c:14", ", 4 instructions"), ("120,000", "expression.c:15", "")], f"{rows}", result)


def test_zeros_memory(bench: Bench) -> None:
    """Looking by object takes at most 1.5 times the program's heap and 100 MB."""
    only_memspy(bench)
    megabytes = 160
    result = bench.run("--defects=no", "--contention=no", "--sharing=no", "--zeros=data", "--memspy-out-file=none",
                       bench.program("loads_all"), str(megabytes))
    demand(result.status == 0, "does not run", result)
    demand(result.peak_kilobytes <= (1.5 * megabytes + 100) * 1024, f"takes {result.peak_kilobytes} KB", result)
    demand(result.peak_kilobytes >= 1.2 * megabytes * 1024, f"{result.peak_kilobytes} KB: nothing was marked", result)


def test_control(bench: Bench) -> None:
    """memspy_control finds the program, passes each command on, and says in one line what is wrong."""
    only_memspy(bench)
    elsewhere = bench.directory / "elsewhere"
    elsewhere.mkdir()
    with Running(bench, bench.program("shares"), "--memspy-out-file=none") as running:
        pid = str(running.process.pid)
        for words, pattern in ((("status",), rf"process {pid}: .*shares\nerrors: 0 found, 0 shown\ninstrumentation: on\n"
                                             r"threads: 3 now, 3 ever\naccesses: "),
                               ((pid, "status"), f"process {pid}: "),
                               (("instrumentation", "off"), "^instrumentation is off\n$"),
                               (("instrumentation", "status"), "^instrumentation is off\n$"),
                               (("instrumentation", "on"), "^instrumentation is on\n$"),
                               (("leak_check", "summary"), "LEAK SUMMARY|no leaks"),
                               (("dump", "here.xml"), f"^profile written to {re.escape(str(elsewhere))}/here.xml\n$")):
            if not re.search(pattern, answer := running.control(*words, folder=elsewhere)):
                raise Failure(f"memspy_control {words}: nothing like '{pattern}' in\n{answer}")
        valid_profile(bench, elsewhere / "here.xml")
        for words, status, pattern in ((("dump",), 1, "no file is given"),
                                       (("dump", str(bench.missing)), 1, f"{bench.missing} could not be written"),
                                       (("dump", "x", "y"), 2, "too many arguments for dump"),
                                       (("dump", ""), 2, "not empty"),
                                       (("status", "x"), 2, "too many arguments for status"),
                                       (("instrumentation",), 2, "instrumentation needs an argument"),
                                       (("instrumentation", "maybe"), 2, "on, off or status, not maybe"),
                                       (("nonsense",), 2, "unknown command nonsense"),
                                       (("1", "status"), 1, "process 1 does not run under memspy")):
            if pattern not in (answer := running.control(*words, status=status)):
                raise Failure(f"memspy_control {words}: nothing like '{pattern}' in\n{answer}")


def test_help(bench: Bench) -> None:
    """--help has the tool's everyday options in groups, --help-all and --help-debug all; neither needs a program. Faults of
    memspy are not sent to Valgrind's developers."""
    result = bench.run("--help")
    demand(result.status == 0, "status", result)
    for option in ("--leak-check=", "--undef-value-errors=", "--freelist-vol=", "--show-leak-kinds="):
        demand(option in result.stdout, f"no {option}", result)
    if bench.tool != "memspy":
        return
    everyday = result.stdout.split("user options for memspy:")[1]
    demand("--memspy-out-file=" in everyday and "--track-origins=" not in everyday, "not the everyday options", result)
    demand(everyday.count("\n\n  ") >= 10, "no groups", result)
    for option, hidden in (("--help-all", 0), ("--help-debug", 1)):
        result = bench.run(option)
        demand(result.status == 0, "status", result)
        for text in ("--track-origins=", "--line-size=", "--mpi-buffering="):
            demand(text in result.stdout, f"no {text}", result)
        demand(result.stdout.count("--contention-thread-counters=") == hidden, "hidden options", result)
        demand("valgrind.org" not in result.stdout and "memspy-report bug" in result.stdout, "where faults go", result)


def test_version(bench: Bench) -> None:
    """--version has Valgrind's line, which programs read, and memspy's where the tool is named."""
    only_memspy(bench)
    result = bench.run("--version")
    demand(re.fullmatch(r"memspy-\d+\.\d+\nvalgrind-3\.\d+\..*\n", result.stdout) is not None, "not both", result)
    demand(result.status == 0, "status", result)
    other = subprocess.run([bench.valgrind, "--version"], capture_output=True, text=True, check=True).stdout
    if not re.fullmatch(r"valgrind-3\.\d+\..*\n", other):
        raise Failure(f"without a tool: {other}")
    result = bench.run(bench.program("clean"), "x")
    demand(re.search(r"== memspy-\d+\.\d+, ", result.stderr) is not None, "no version in the first lines", result)


def test_other_tools(bench: Bench) -> None:
    """The same launcher runs the packaged tools."""
    only_memspy(bench)
    program = bench.program("clean")
    for tool in ("none", "memcheck"):
        done = subprocess.run([bench.valgrind, f"--tool={tool}", program, "hello"], capture_output=True, text=True,
                              check=False)
        if done.returncode or done.stdout != "hello\n":
            raise Failure(f"{tool}: {done}")


TESTS: dict[str, Callable[[Bench], None]] = {
    name[len("test_"):]: function for name, function in list(globals().items()) if name.startswith("test_")
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Tests of memspy's command line.")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--tool", default="memspy")
    parser.add_argument("--schema", type=Path, default=Path("valgrind-xml.rng"))
    parser.add_argument("--work", type=Path, default=Path("cli-work"))
    parser.add_argument("--cross", default="", help="what stands in front of the compiler's name")
    parser.add_argument("--programs", type=Path, help="where the programs stand, compiled")
    parser.add_argument("--build-only", action="store_true", help="compiles the programs into --programs")
    parser.add_argument("--time-factor", type=int, default=1, help="time-outs are so many times longer")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(TESTS))
        return 0
    if arguments.build_only:
        arguments.programs.mkdir(parents=True, exist_ok=True)
        for source in SOURCES.glob("*.c*"):
            for link in LINKS:
                compile_program(arguments.cross, source, link, arguments.programs / (source.stem + link))
        return 0
    failed = skipped = 0
    names = arguments.names or list(TESTS)
    for name in names:
        function = TESTS[name]
        bench = Bench(arguments, name)
        try:
            function(bench)
            print(f"passed: {name}", flush=True)
        except Skip as skip:
            skipped += 1
            print(f"skipped: {name}: {skip}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"FAILED: {name}: {function.__doc__}\n{failure}", flush=True)
    if failed:
        return 1
    return SKIPPED if skipped == len(names) else 0


if __name__ == "__main__":
    sys.exit(main())
