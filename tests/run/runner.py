#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs small test programs under a Valgrind tool and requires exactly the errors that they declare.

A test program is one C or C++ file that describes itself.

Lines at the start of a line, anywhere in the file:
    // PROVES: one sentence                      required
    // ARGS: --option ...                        further Valgrind options
    // COMPILE: gcc clang -O0 -O2 -pthread       every named compiler with every named -O level; whatever
                                                 else stands there goes to each; default gcc -O0 -O2
    // EXPECT: nothing                           says that the absence of markers is meant
    // EXPECT-EXIT: n                            exit status, negative for a signal; default 0
    // PROCESSES: n                              how many XML files there must be (fork); default 1
    // NEEDS: avx2                               CPU flags without which the test is skipped
    // ARCH: x86_64|aarch64                      skipped on another machine
    // TOOL: memspy                              skipped under any other tool
    // TIMEOUT: seconds                          default 60
    // RUN-ARGS: word ...                        arguments of the program
    // STATUS: FINISHED|RUNNING|none             last <status> of the XML; default FINISHED
    // XML: no                                   runs without --xml=yes; only counts are looked at
    // ENVIRONMENT: NAME=VALUE ...               more of it
    // SET: NAME=VALUE ...                       compiles with -DNAME=VALUE; one for each such line: the first with
                                                 all compilers and levels, the others with the first of each
    // ALSO: --option NAME=VALUE ...             the first program runs once more with these options and this
                                                 environment; one run for each such line
    // COUNTS: ..., // SHARING: ...              counts in the profile and findings of sharing, see counts.py
    // ZEROS: ...                                redundant zeros in the profile, see zero_rules.py
    // MIX: ...                                  instructions of functions, see mix_rules.py
    // LOCALITY: ...                             scores of streams, see locality_rules.py
    // COST: ...                                 memory cost of variables, see cost_rules.py
    // PROFILES: n                               how many profile files there must be; default as PROCESSES
    // MADE-BY: exit|exec                        what made the profile; default exit
    // REPEAT: n                                 runs so often: modelled events of all objects must be the same

Markers, in a comment on the line that they speak of:
    /* label: NAME */
    /* expect: Kind [alloc=NAME] [free=NAME] [origin=NAME] [text="regex"] [count=n] [in=child]
                    [only=TOOL|ARCH] [tid=n] [maybe=yes] */
    /* leak: definite|indirect|possible|reachable bytes=n blocks=n [in=child] [only=TOOL|ARCH] */

An error is at the line of the first frame of its first stack that stands in the test's file; the same
holds for the stacks of allocation, of free and of origin. `alloc=none` demands that there is no such
stack. A `text` is searched in the error's own message and in those of its further stacks. Each expected error (but `maybe` ones) must be there once, and there must be no other.

Every XML is parsed, validated against the schema, and read as programs that consume Valgrind's XML do.
Programs with errors run a second time with the suppressions that the first run wrote: that run
must be silent, but for findings of sharing where `SHARING: anything` says that threads decide on them.

Exit status: 0 passed, 1 failed, 77 skipped.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import itertools
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Optional

sys.dont_write_bytecode = True  # the sources stay as they are
import cases  # noqa: E402
import cost_rules  # noqa: E402
import counts  # noqa: E402
import locality_rules  # noqa: E402
import mix_rules  # noqa: E402
import profile_file  # noqa: E402
import zero_rules  # noqa: E402

SKIPPED = 77
LEAK_KINDS = {
    "definite": "Leak_DefinitelyLost",
    "indirect": "Leak_IndirectlyLost",
    "possible": "Leak_PossiblyLost",
    "reachable": "Leak_StillReachable",
}
KNOWN_KINDS = {
    "InvalidRead", "InvalidWrite", "InvalidJump", "UninitCondition", "UninitValue", "SyscallParam",
    "ClientCheck", "InvalidFree", "MismatchedFree", "InvalidMemPool", "Overlap", "FishyValue",
    "ReallocSizeZero", "StackOverflow", "GlobalOverflow", "RedundantZeros", "Race", "LockOrder", *LEAK_KINDS.values(), *counts.SHARING_KINDS,
}
ATTRIBUTES = {
    "expect": {"alloc", "free", "origin", "text", "count", "in", "only", "tid", "maybe"},
    "leak": {"bytes", "blocks", "in", "only"},
}
HEADERS = {
    "PROVES", "ARGS", "COMPILE", "EXPECT", "EXPECT-EXIT", "PROCESSES", "NEEDS", "TOOL", "TIMEOUT",
    "RUN-ARGS", "STATUS", "XML", "ENVIRONMENT", "PROFILES", "REPEAT", "MADE-BY", "ARCH",
}
# Headers that may be repeated; each line is separate.
LISTS = {"SET", "ALSO", "COUNTS", "SHARING", "ZEROS", "MIX", "LOCALITY", "COST"}
HEADER = re.compile(r"^// ([A-Z][A-Z-]*): *(.*?) *$")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*")
MARKER = re.compile(r"/\*\s*(expect|leak|label):\s*(.*?)\s*\*/")


class BadCase(Exception):
    """The test file itself is wrong."""


class Failure(Exception):
    """The tool's result differs from the test's expectations."""


class Skip(Exception):
    """The machine lacks what this needs."""


@dataclass
class Expectation:
    kind: str
    line: int
    attributes: dict[str, str]

    def __str__(self) -> str:
        extra = "".join(f" {k}={v}" for k, v in sorted(self.attributes.items()))
        return f"{self.kind} at line {self.line}{extra}"


@dataclass
class Case:
    path: Path
    headers: dict[str, str]
    expectations: list[Expectation]
    labels: dict[str, set[int]]
    sets: list[dict[str, int]]
    also: list[list[str]]
    count_rules: list[counts.CountRule]
    sharing: list[counts.SharingRule]
    zeros: list[zero_rules.ZeroRule]
    mix: list[mix_rules.MixRule]
    locality: list[locality_rules.LocalityRule]
    cost: list[cost_rules.CostRule]

    @property
    def uses_profile(self) -> bool:
        return bool(self.count_rules or self.sharing or self.zeros or self.mix or self.locality or self.cost
                    or {"PROFILES", "REPEAT"} & self.headers.keys())

    @property
    def source(self) -> str:
        """The name in frames."""
        return f"{self.path.stem}/{self.path.name}"

    def number(self, key: str, default: int) -> int:
        return int(self.headers.get(key, default))


@dataclass
class Variant:
    compiler: str
    flags: list[str]
    numbers: dict[str, int]  # of its SET
    set_index: int

    @property
    def name(self) -> str:
        return self.compiler + "".join(f for f in self.flags if f.startswith("-O")) + \
            (f".{self.set_index}" if self.set_index else "")


@dataclass
class Stack:
    text: str                       # of the <auxwhat> before it; empty for the error's own
    frames: list[tuple[str, str, int]]  # program/file, function, line (0 where unknown)

    def line_in(self, file: str) -> int:
        for frame_file, _, line in self.frames:
            if frame_file == file and line:
                return line
        return 0

    def lines_in(self, file: str) -> set[int]:
        return {line for frame_file, _, line in self.frames if frame_file == file}

    def functions(self) -> list[str]:
        """The name without suffixes added by optimisers."""
        return [re.sub(r" ?(\[clone|\.(cold|part|isra|constprop)\b).*", "", name) for _, name, _ in self.frames]

    @property
    def role(self) -> str:
        if not self.frames:
            return "other"
        text = self.text.lower()
        if "created by" in text or "uninitialised" in text:
            return "origin"
        if "free'd" in text or "freed" in text:
            return "free"
        if "alloc" in text or "client-defined" in text:
            return "alloc"
        return "other"


@dataclass
class Error:
    kind: str
    unique: str
    tid: str
    text: str
    bytes: int
    blocks: int
    stacks: list[Stack]
    child: bool
    used: bool = False

    def line(self, file: str) -> int:
        return self.stacks[0].line_in(file) if self.stacks else 0

    def second(self, role: str) -> Optional[Stack]:
        return next((s for s in self.stacks[1:] if s.role == role), None)

    def describe(self, file: str) -> str:
        out = [f"{self.kind} at line {self.line(file) or '?'}: {self.text}"]
        for index, stack in enumerate(self.stacks):
            if index:
                out.append(f"      {stack.text} [line {stack.line_in(file) or '?'}]")
            for frame_file, function, line in stack.frames[:4]:
                out.append(f"        {function} ({frame_file}:{line})")
        return "\n".join(out)


@dataclass
class Report:
    path: Path
    pid: int
    ppid: int
    tool: str
    errors: list[Error]
    suppressions: list[str]
    last_status: str
    counts: dict[str, int]


def parse_case(path: Path) -> Case:
    headers: dict[str, str] = {}
    expectations: list[Expectation] = []
    labels: dict[str, set[int]] = {}
    lists: dict[str, list[str]] = {key: [] for key in LISTS}
    whole = path.read_text(encoding="utf-8")
    for number, text in enumerate(whole.splitlines(), 1):
        where = f"{path}:{number}"
        header = HEADER.match(text)
        if header:
            key, value = header.groups()
            if key in LISTS:
                lists[key].append(value)
                continue
            if key not in HEADERS:
                raise BadCase(f"{where}: unknown header {key}")
            headers[key] = f"{headers[key]} {value}" if key in headers else value
        for what, body in MARKER.findall(text):
            words = shlex.split(body)
            if not words:
                raise BadCase(f"{where}: empty marker")
            if what == "label":
                labels.setdefault(words[0], set()).add(number)
                continue
            attributes = dict(w.split("=", 1) for w in words[1:] if "=" in w)
            if len(attributes) != len(words) - 1 or attributes.keys() - ATTRIBUTES[what]:
                raise BadCase(f"{where}: bad marker '{body}'")
            kind = LEAK_KINDS.get(words[0], "") if what == "leak" else words[0]
            if kind not in KNOWN_KINDS:
                raise BadCase(f"{where}: unknown kind '{words[0]}'")
            if what == "leak" and not {"bytes", "blocks"} <= attributes.keys():
                raise BadCase(f"{where}: a leak needs bytes= and blocks=")
            for _ in range(int(attributes.pop("count", "1"))):
                expectations.append(Expectation(kind, number, dict(attributes)))
    if not headers.get("PROVES"):
        raise BadCase(f"{path}:1: no '// PROVES:' line")
    sets = [{k: int(v, 0) for k, v in (w.split("=", 1) for w in shlex.split(line))} for line in lists["SET"]]
    try:
        rules = [counts.parse_counts(line) for line in lists["COUNTS"]]
        sharing = [r for r in (counts.parse_sharing(line) for line in lists["SHARING"]) if r is not None]
        counts.check_labels(rules, sharing, labels, whole)
        zeros = [zero_rules.parse(line) for line in lists["ZEROS"]]
        zero_rules.check_names(zeros, labels, whole)
        mix = [mix_rules.parse(line) for line in lists["MIX"]]
        locality = [locality_rules.parse(line) for line in lists["LOCALITY"]]
        cost = [cost_rules.parse(line) for line in lists["COST"]]
    except counts.BadRule as bad:
        raise BadCase(f"{path}:1: {bad}") from bad
    if (headers.get("EXPECT") == "nothing") == bool(expectations or lists["SHARING"] or "XML" in headers):
        raise BadCase(f"{path}:1: needs either '// EXPECT: nothing' or markers")
    if expectations and all("maybe" in e.attributes for e in expectations) and not (rules or sharing or zeros):
        raise BadCase(f"{path}:1: it passes whatever is found")
    for expectation in expectations:
        for role in ("alloc", "free", "origin"):
            label = expectation.attributes.get(role)
            if label and label != "none" and label not in labels:
                raise BadCase(f"{path}:{expectation.line}: no label '{label}'")
    return Case(path, headers, expectations, labels, sets or [{}], [shlex.split(line) for line in lists["ALSO"]],
                rules, sharing, zeros, mix, locality, cost)


def variants(case: Case, options: Options) -> list[Variant]:
    words = shlex.split(case.headers.get("COMPILE", ""))
    compilers = [w for w in words if w in ("gcc", "clang")] or ["gcc"]
    levels = [w for w in words if re.fullmatch(r"-O[0-3sg]", w)] or ["-O0", "-O2"]
    rest = [w for w in words if w not in compilers and w not in levels]
    out = []
    for index, numbers in enumerate(case.sets):
        defines = [f"-D{name}={value}" for name, value in numbers.items()]
        for compiler, level in itertools.product(compilers, levels):
            if index == 0 or (compiler == compilers[0] and level == levels[0]):
                out.append(Variant(compiler, [level, *rest, *defines], numbers, index))
    if options.first_variant:
        return out[:1]
    return [variant for number, variant in enumerate(out) if number == 0 or options.part.has(f"{case.path.name} {number}")]


def child_text(element: ElementTree.Element, tag: str) -> str:
    found = element.find(tag)
    return (found.text or "").strip() if found is not None else ""


def parse_stack(element: ElementTree.Element, text: str) -> Stack:
    frames = []
    for frame in element.findall("frame"):
        # The C library has files of the same names, so the object file's name is added.
        file = f"{Path(child_text(frame, 'obj')).name}/{Path(child_text(frame, 'file')).name}"
        frames.append((file, child_text(frame, "fn"),
                       int(child_text(frame, "line") or 0)))
    return Stack(text, frames)


def parse_error(element: ElementTree.Element) -> Error:
    text = child_text(element, "what")
    size = blocks = 0
    wide = element.find("xwhat")
    if wide is not None:
        text = child_text(wide, "text")
        size = int(child_text(wide, "leakedbytes") or 0)
        blocks = int(child_text(wide, "leakedblocks") or 0)
    stacks: list[Stack] = []
    pending = ""
    for part in element:
        if part.tag == "auxwhat":
            if pending and stacks:  # a line without a stack
                stacks.append(Stack(pending, []))
            pending = (part.text or "").strip()
        elif part.tag == "stack":
            stacks.append(parse_stack(part, pending if stacks else ""))
            if len(stacks) > 1:
                pending = ""
    if pending and stacks:  # an <auxwhat> with no stack after it
        stacks.append(Stack(pending, []))
    return Error(child_text(element, "kind"), child_text(element, "unique"), child_text(element, "tid"), text,
                 size, blocks, stacks, False)


def check_as_consumer(path: Path, root: ElementTree.Element, tool: str) -> None:
    """Properties that programs that read Valgrind's XML rely on, beyond the schema."""
    if root.tag != "valgrindoutput":
        raise Failure(f"{path}: root element is <{root.tag}>")
    if child_text(root, "tool") != tool or child_text(root, "protocoltool") != tool:
        raise Failure(f"{path}: <tool> or <protocoltool> is not {tool}")
    reserved = {"error", "status", "kind", "what", "auxwhat", "text", "stack", "frame"}
    uniques: set[str] = set()
    for element in root.findall("error"):
        unique = child_text(element, "unique")
        name = f"{path}: error {unique}"
        if not unique or unique in uniques:
            raise Failure(f"{name}: <unique> is missing or not unique")
        uniques.add(unique)
        if not child_text(element, "tid"):
            raise Failure(f"{name}: no <tid>")
        if child_text(element, "kind") not in KNOWN_KINDS:
            raise Failure(f"{name}: unknown kind '{child_text(element, 'kind')}'")
        message = child_text(element, "what")
        wide = element.find("xwhat")
        if wide is not None:
            message = child_text(wide, "text")
        if not message:
            raise Failure(f"{name}: neither <what> nor <xwhat><text>")
        if child_text(element, "kind").startswith("Leak_") and (
                wide is None or not child_text(wide, "leakedbytes") or not child_text(wide, "leakedblocks")):
            raise Failure(f"{name}: a leak without <leakedbytes> or <leakedblocks>")
        messages = [message] + [a.text or "" for a in element.findall("auxwhat")]
        if any(c in m for m in messages for c in "&<>"):
            raise Failure(f"{name}: a message has one of & < >: {messages}")
        stack = element.find("stack")
        if stack is None or stack.find("frame") is None:
            raise Failure(f"{name}: no stack")
        for inner in element.iter():
            for nested in inner:
                if inner is not element and nested.tag in reserved and (inner.tag, nested.tag) not in (
                        ("stack", "frame"), ("xwhat", "text"), ("suppression", "kind")):
                    raise Failure(f"{name}: <{nested.tag}> inside <{inner.tag}>")


def validate(files: Iterable[Path], schema: Path) -> None:
    for path in files:
        check = subprocess.run(["xmllint", "--noout", "--relaxng", str(schema), str(path)],
                               capture_output=True, text=True, check=False)
        if check.returncode:
            raise Failure(f"{path}: does not agree with {schema}:\n{check.stderr[-2000:]}")


def read_report(path: Path, options: Options) -> Report:
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise Failure(f"{path}: not well-formed: {error}\n...{text[-400:]}") from error
    if options.schema is not None:
        validate([path], options.schema)
    check_as_consumer(path, root, options.tool)
    statuses = [child_text(s, "state") for s in root.findall("status")]
    counts = {child_text(p, "unique"): int(child_text(p, "count"))
              for e in root.findall("errorcounts") for p in e.findall("pair")}
    suppressions = [(s.text or "") for s in root.iter("rawtext")]
    return Report(path, int(child_text(root, "pid")), int(child_text(root, "ppid")), child_text(root, "tool"),
                  [parse_error(e) for e in root.findall("error")], suppressions,
                  statuses[-1] if statuses else "none", counts)


@dataclass
class Options:
    valgrind: str
    tool: str
    schema: Optional[Path]
    work: Path
    include: list[Path] = field(default_factory=list)
    profile_schema: Optional[Path] = None
    only_variant: str = ""
    round_trip: bool = True
    extra: list[str] = field(default_factory=list)
    compile_only: bool = False
    machine: str = platform.machine()   # that the programs run on
    cross: str = ""                     # in front of the compilers' names
    programs: Optional[Path] = None     # the folder of compiled programs
    build_only: bool = False            # only compiles them into that folder
    first_variant: bool = False         # of each SET; and each program runs only once
    time_factor: int = 1
    flags: list[str] = field(default_factory=list)  # for all programs
    part: cases.Shard = cases.EVERYTHING            # of the variants behind the first one

    def compiler(self, variant: Variant, cxx: bool) -> list[str]:
        name = {"gcc": "g++", "clang": "clang++"}[variant.compiler] if cxx else variant.compiler
        if variant.compiler == "clang":
            return [name, *([f"--target={self.cross.rstrip('-')}"] if self.cross else [])]
        return [self.cross + name]


@dataclass
class Outcome:
    returncode: int
    stdout: str
    stderr: str
    pid: int
    words: str  # the words that `when=` matches
    reports: list[Report]
    profiles: list[profile_file.Profile]


def links_openmp(compiler: list[str], directory: Path) -> bool:
    done = subprocess.run([*compiler, "-fopenmp", "-x", "c++" if compiler[0].endswith("++") else "c", "-", "-o",
                           str(directory / f"openmp.{os.getpid()}")], input=b"int main(void) { return 0; }",
                          capture_output=True, check=False)
    (directory / f"openmp.{os.getpid()}").unlink(missing_ok=True)
    return done.returncode == 0


def compile_case(case: Case, variant: Variant, options: Options, directory: Path) -> Path:
    cxx = case.path.suffix in (".cc", ".cpp")
    if options.programs is not None and not options.build_only:
        built = options.programs / f"{case.path.parent.name}.{case.path.stem}" / variant.name / case.path.stem
        if not built.exists():  # --build-only reported the reason
            raise Skip("it was not compiled")
        shutil.copy(built, directory)
        return directory / case.path.stem
    compiler = options.compiler(variant, cxx)
    standard = [] if any(f.startswith("-std=") for f in variant.flags) else \
        ["-std=c++17" if cxx else "-std=gnu11"]
    program = directory / case.path.stem
    if "-fopenmp" in variant.flags and not links_openmp([*compiler, *options.flags], options.work):
        raise Skip(f"{compiler[0]} has no OpenMP")
    built = Path(f"{program}.o")
    flags = ["-g", "-w", "-fno-omit-frame-pointer", *options.flags, *variant.flags]
    includes = [f"-I{d}" for d in options.include]
    # In two steps: ccache, if used, caches the first one.
    compiling = [*compiler, *standard, *flags, *includes, "-c", case.path.name, "-o", str(built)]
    linking = [*compiler, str(built), "-o", str(program), *flags]
    for command in (compiling, linking):
        # From the source's folder, as most programs are built: clang writes paths that depend on it.
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=case.path.parent)
        if done.returncode:
            raise Failure(f"does not compile: {shlex.join(command)}\n{done.stderr[-3000:]}")
    built.unlink()
    return program


def execute(case: Case, options: Options, program: Path, directory: Path, tag: str,
            extra: Iterable[str], variant: Variant) -> Outcome:
    for old in [*directory.glob(f"{tag}.*.xml"), *directory.glob(f"profile-{tag}.*.xml")]:
        old.unlink()
    wants_xml = case.headers.get("XML") != "no"
    words = list(extra)
    own_environment = [w for w in [*shlex.split(case.headers.get("ENVIRONMENT", "")), *words]
                       if ASSIGNMENT.fullmatch(w)]
    command = [options.valgrind, f"--tool={options.tool}", "--leak-check=full", *options.extra]
    if wants_xml:
        command += ["--xml=yes", f"--xml-file={directory}/{tag}.%p.xml", "--gen-suppressions=all"]
    if case.uses_profile:
        command.append(f"--memspy-out-file={directory}/profile-{tag}.%p.xml")
    if options.tool == "memcheck" and any("origin" in e.attributes for e in case.expectations):
        command.append("--track-origins=yes")
    command += [*shlex.split(case.headers.get("ARGS", "")), *(w for w in words if not ASSIGNMENT.fullmatch(w))]
    said = " ".join([*command[2:], *own_environment, variant.compiler, *variant.flags, options.machine])
    command += [str(program), *shlex.split(case.headers.get("RUN-ARGS", ""))]
    shown = shlex.join([*own_environment, *command])
    timeout = case.number("TIMEOUT", 60) * options.time_factor
    environment = {**os.environ, **dict(w.split("=", 1) for w in own_environment)}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=directory, start_new_session=True, env=environment) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            stdout, stderr = process.communicate()
            raise Failure(f"still runs after {timeout} s: {shown}\n"
                          f"{stderr.decode(errors='replace')[-2000:]}") from None
    outcome = Outcome(process.returncode, stdout.decode(errors="replace"), stderr.decode(errors="replace"),
                      process.pid, said, [], [])
    try:
        if wants_xml:
            outcome.reports = read_reports(case, options, directory, tag, outcome)
        if case.uses_profile:
            outcome.profiles = read_profiles(case, options, directory, tag)
    except Failure as failure:
        raise Failure(f"{failure}\n{shown}\nexit status {process.returncode}\n"
                      f"{outcome.stderr[-3000:]}") from failure
    expected_exit = case.number("EXPECT-EXIT", 0)
    if process.returncode != expected_exit and tag != "second":
        raise Failure(f"exit status {process.returncode} instead of {expected_exit}: {shown}\n"
                      f"{outcome.stderr[-3000:]}")
    return outcome


def run_natively(case: Case, program: Path, directory: Path) -> None:
    """Runs the program without Valgrind, which quickly shows whether the program itself is right."""
    runs: list[list[str]] = [[], *case.also]
    for words in runs:
        pairs = [w for w in [*shlex.split(case.headers.get("ENVIRONMENT", "")), *words] if ASSIGNMENT.fullmatch(w)]
        environment = {**os.environ, **dict(w.split("=", 1) for w in pairs)}
        done = subprocess.run([str(program), *shlex.split(case.headers.get("RUN-ARGS", ""))], cwd=directory,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=case.number("TIMEOUT", 60))
        if done.returncode not in (0, case.number("EXPECT-EXIT", 0)):  # 0: no tool, no --error-exitcode
            raise Failure(f"natively exit status {done.returncode}: {done.stderr[-1000:]!r}")


def read_reports(case: Case, options: Options, directory: Path, tag: str, outcome: Outcome) -> list[Report]:
    files = sorted(directory.glob(f"{tag}.*.xml"))
    if len(files) != case.number("PROCESSES", 1):
        raise Failure(f"{len(files)} XML files instead of {case.number('PROCESSES', 1)}")
    reports = [read_report(f, options) for f in files]
    expected_status = case.headers.get("STATUS", "FINISHED")
    for report in reports:
        for error in report.errors:
            error.child = report.pid != outcome.pid
        if report.last_status != expected_status:
            raise Failure(f"{report.path}: last status is {report.last_status}, not {expected_status}")
    return reports


def read_profiles(case: Case, options: Options, directory: Path, tag: str) -> list[profile_file.Profile]:
    files = sorted(directory.glob(f"profile-{tag}.*.xml"))
    wanted = case.number("PROFILES", case.number("PROCESSES", 1))
    if len(files) != wanted:
        raise Failure(f"{len(files)} profile files instead of {wanted}")
    if options.profile_schema is not None:
        validate(files, options.profile_schema)
    try:
        return [profile_file.read(f) for f in files]
    except (ElementTree.ParseError, ValueError, KeyError) as error:
        raise Failure(f"{files}: {error!r}") from error


def mismatch(case: Case, expected: Expectation, error: Error) -> str:
    """The reason why `error` is not the expected one; empty if it is."""
    file = case.source
    attributes = expected.attributes
    if error.kind != expected.kind:
        return f"kind is {error.kind}"
    if error.line(file) != expected.line:
        return f"line is {error.line(file)}"
    if error.child != (attributes.get("in") == "child"):
        return "is in the other process"
    if "tid" in attributes and error.tid != attributes["tid"]:
        return f"thread is {error.tid}"
    for role in ("alloc", "free", "origin"):
        label = attributes.get(role)
        if label is None:
            continue
        stack = error.second(role)
        if label == "none":
            if stack is not None:
                return f"has a stack of {role}"
        elif stack is None:
            return f"has no stack of {role}"
        elif stack.line_in(file) not in case.labels[label]:
            return f"{role} is at line {stack.line_in(file)}, not {sorted(case.labels[label])}"
    if "text" in attributes:
        texts = " | ".join([error.text] + [s.text for s in error.stacks[1:]])
        if not re.search(attributes["text"], texts):
            return f"text is '{texts}'"
    if "bytes" in attributes and (error.bytes, error.blocks) != (
            int(attributes["bytes"]), int(attributes["blocks"])):
        return f"{error.bytes} bytes in {error.blocks} blocks"
    return ""


def compare(case: Case, options: Options, outcome: Outcome, variant: Variant) -> None:
    file = case.source
    run = counts.Run(outcome.words, variant.numbers, case.labels, file)
    here = (options.tool, options.machine)
    expectations = [e for e in case.expectations if e.attributes.get("only", options.tool) in here]
    errors = [error for report in outcome.reports for error in report.errors]
    missing = []
    for expected in expectations:
        match = next((e for e in errors if not e.used and not mismatch(case, expected, e)), None)
        if match is None and "maybe" not in expected.attributes:
            missing.append(expected)
        elif match is not None:
            match.used = True
    wrong = []
    if options.tool == "memspy":
        if case.headers.get("XML") != "no":
            wrong += counts.match_sharing(case.sharing, errors, run)
        if case.uses_profile:
            wrong += check_profiles(case, outcome, run)
    extra = [e for e in errors if not e.used]
    if not missing and not extra and not wrong:
        return
    lines = [f"  {problem}" for problem in wrong]
    for expected in missing:
        lines.append(f"  expected: {expected}")
        near = [e for e in extra if e.kind == expected.kind]
        lines += [f"    near miss: {mismatch(case, expected, e)}" for e in near[:3]]
    lines += [f"  not expected: {e.describe(file)}" for e in extra[:8]]
    if len(extra) > 8:
        lines.append(f"  ... {len(extra) - 8} more: " + str(dict(Counter(e.kind for e in extra[8:]))))
    lines.append(f"  ({len(expectations)} expected, {len(errors)} reported; {outcome.words})")
    raise Failure("\n".join(lines))


def check_profiles(case: Case, outcome: Outcome, run: counts.Run) -> list[str]:
    own = [p for p in outcome.profiles if p.pid == outcome.pid]
    if not own and case.headers.get("PROFILES") == "0":
        return []
    if len(own) != 1:
        return [f"{len(own)} profiles of process {outcome.pid}"]
    made_by = case.headers.get("MADE-BY", "exit")
    unfinished = [f"{p.path} was made by {p.made_by}, finished: {p.finished}" for p in outcome.profiles
                  if p.made_by != made_by or p.finished != (made_by == "exit")]
    try:
        children = [p for p in outcome.profiles if p is not own[0]]
        return unfinished + counts.check_counts(case.count_rules, own[0], children, run) + \
            zero_rules.check(case.zeros, own[0], children, run) + mix_rules.check(case.mix, own[0].path) + \
            locality_rules.check(case.locality, own[0].path) + cost_rules.check(case.cost, own[0].path)
    except counts.BadRule as bad:
        return [str(bad)]


def run_variant(case: Case, variant: Variant, options: Options, round_trip: bool) -> None:
    base = options.programs if options.build_only and options.programs is not None else options.work
    directory = base / f"{case.path.parent.name}.{case.path.stem}" / variant.name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    program = compile_case(case, variant, options, directory)
    if options.build_only:
        return
    if options.compile_only:
        run_natively(case, program, directory)
        return
    outcome = execute(case, options, program, directory, "first", [], variant)
    compare(case, options, outcome, variant)
    for _ in range(0 if options.first_variant else case.number("REPEAT", 1) - 1):
        again = execute(case, options, program, directory, "again", [], variant)
        compare(case, options, again, variant)
        for before, after in zip(outcome.profiles, again.profiles, strict=True):
            first, second = before.modelled_events(), after.modelled_events()
            differing = [f"{n}: {first.get(n, 0)} and {second.get(n, 0)}" for n in sorted(first.keys() | second.keys())
                         if first.get(n, 0) != second.get(n, 0)]
            if differing:
                raise Failure("modelled events differ from run to run: " + "; ".join(differing))
    if round_trip and not options.first_variant:
        for words in case.also:
            compare(case, options, execute(case, options, program, directory, "also", words, variant), variant)
    for report in outcome.reports:
        if len(outcome.reports) == 1:
            unknown = report.counts.keys() - {e.unique for e in report.errors}
            if unknown:
                raise Failure(f"{report.path}: <errorcounts> names errors that are not there: {unknown}")
    if round_trip and options.round_trip and any(r.errors for r in outcome.reports):
        text = "\n".join(s.strip() for r in outcome.reports for s in r.suppressions)
        supp = directory / "all.supp"
        supp.write_text(text + "\n", encoding="utf-8")
        suppressed = execute(case, options, program, directory, "second", [f"--suppressions={supp}"], variant)
        free = counts.SHARING_KINDS if any(not rule.kind for rule in case.sharing) else ()
        left = [e for r in suppressed.reports for e in r.errors if e.kind not in free]
        if left:
            raise Failure(f"with its own suppressions ({supp}) there still is:\n" +
                          "\n".join(e.describe(case.source) for e in left[:4]))
    shutil.rmtree(directory, ignore_errors=True)


def cpu_flags() -> set[str]:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith(("flags", "Features")):  # x86 and ARM
            return set(line.split(":", 1)[1].split())
    return set()


def run_case(path: Path, options: Options) -> tuple[int, str]:
    try:
        case = parse_case(path)
    except BadCase as bad:
        return 1, str(bad)
    if case.headers.get("TOOL", options.tool) != options.tool:
        return SKIPPED, f"only for {case.headers['TOOL']}"
    if case.headers.get("ARCH", options.machine) != options.machine:
        return SKIPPED, f"only for {case.headers['ARCH']}"
    needs = set(case.headers.get("NEEDS", "").split()) - cpu_flags()
    if needs and not options.build_only:
        return SKIPPED, f"this processor has no {' '.join(sorted(needs))}"
    problems = []
    skipped = []
    done = 0
    for index, variant in enumerate(variants(case, options)):
        if options.only_variant and variant.name != options.only_variant:
            continue
        compiler = options.compiler(variant, cxx=False)[0]
        if (options.build_only or options.programs is None) and not shutil.which(compiler):
            return 1, f"{compiler} is not installed"
        try:
            run_variant(case, variant, options, round_trip=index == 0)
            done += 1
        except Skip as skip:
            skipped.append(f"[{variant.name}] {skip}")
        except Failure as failure:
            problems.append(f"[{variant.name}] {failure}")
    if problems:
        return 1, f"proves: {case.headers['PROVES']}\n" + "\n".join(problems)
    if not done and not skipped:
        return SKIPPED, "no variant to run"
    if skipped:
        return (0 if done else SKIPPED), "left out: " + "; ".join(skipped)
    return 0, ""


def main() -> int:
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--tool", default="memspy")
    parser.add_argument("--schema", type=Path, help="RELAX NG schema; without it only well-formedness")
    parser.add_argument("--profile-schema", type=Path, help="RELAX NG schema of the profile file")
    parser.add_argument("--compile-only", action="store_true", help="compile, run natively, read expectations")
    parser.add_argument("--work", type=Path, required=True, help="folder for programs and XML")
    parser.add_argument("--include", type=Path, action="append", default=[])
    parser.add_argument("--variant", default="", help="only this one, as gcc-O2")
    parser.add_argument("--no-round-trip", action="store_true")
    parser.add_argument("--machine", default=platform.machine(), help="that the programs run on, as uname says")
    parser.add_argument("--cross", default="", help="what stands in front of the names of GCC's programs")
    parser.add_argument("--programs", type=Path, help="where the programs stand, compiled")
    parser.add_argument("--build-only", action="store_true", help="compiles the programs into --programs")
    parser.add_argument("--first-variant", action="store_true", help="one variant of each program, run once")
    parser.add_argument("--part", type=cases.Shard.parse, default=cases.EVERYTHING, metavar="I/N",
                        help="the first variant of each program, and of the others one part")
    parser.add_argument("--flag", action="append", default=[], help="one more option of the compiler")
    parser.add_argument("--time-factor", type=int, default=1, help="time-outs are so many times longer")
    parser.add_argument("--extra", action="append", default=[], help="one more Valgrind option")
    parser.add_argument("-j", type=int, default=1, dest="jobs")
    parser.add_argument("cases", type=Path, nargs="+")
    arguments = parser.parse_args()
    options = Options(arguments.valgrind, arguments.tool, arguments.schema, arguments.work.resolve(),
                      [here / "include", *arguments.include], arguments.profile_schema, arguments.variant,
                      not arguments.no_round_trip and not arguments.first_variant,
                      arguments.extra, arguments.compile_only, arguments.machine, arguments.cross,
                      arguments.programs and arguments.programs.resolve(), arguments.build_only,
                      arguments.first_variant, arguments.time_factor, arguments.flag, arguments.part)
    options.work.mkdir(parents=True, exist_ok=True)
    results: list[tuple[Path, int, str]] = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = {pool.submit(run_case, path.resolve(), options): path for path in arguments.cases}
        for job in concurrent.futures.as_completed(jobs):
            status, message = job.result()
            results.append((jobs[job], status, message))
            word = {0: "passed", SKIPPED: "skipped"}.get(status, "FAILED")
            print(f"{word}: {jobs[job]}" + (f"\n{message}" if message else ""), flush=True)
    failed = [r for r in results if r[1] == 1]
    if len(results) > 1:
        print(f"{len(results)} cases, {len(failed)} failed, {sum(r[1] == SKIPPED for r in results)} skipped")
        for path, _, _ in sorted(failed):
            print(f"  {path}")
    if failed:
        return 1
    return SKIPPED if all(r[1] == SKIPPED for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
