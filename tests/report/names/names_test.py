#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that names come out of debug information right, in every form that compilers and packagers give it.

A subject, compiled by gcc and clang as DWARF 4 and 5, in C and C++, says where its variables, members, elements and
inlined calls are and what the source calls them; the probe, asked for these addresses, must say the same. Each
VARIANT is another form of debug information. Programs that are not what ran must give no names, and the
reason.
"""

from __future__ import annotations

import argparse
import http.server
import os
import re
import shutil
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILERS = {"gcc": {"c": "gcc", "cc": "g++"}, "clang": {"c": "clang", "cc": "clang++"}}


class Failure(Exception):
    """A wrong answer."""


@dataclass
class Case:
    """One subject, compiled one way."""

    compiler: str
    dwarf: int
    language: str
    folder: Path
    flags: list[str] = field(default_factory=list)
    debug_dirs: list[Path] = field(default_factory=list)
    library: bool = False

    def __str__(self) -> str:
        return f"{self.compiler} -gdwarf-{self.dwarf} {self.language} {' '.join(self.flags)}"

    @property
    def program(self) -> Path:
        return self.folder / "subject"

    @property
    def module(self) -> Path:
        return self.folder / "libsubject.so" if self.library else self.program

    def compile(self) -> None:
        """In two steps, in the folder, so that .dwo files stand there under relative names."""
        command = COMPILERS[self.compiler][self.language]
        # The linker's build-id must differ between two builds; it depends on the content.
        shared = ["-DLIBRARY", "-fPIC"] if self.library else []
        source = HERE / f"subject.{self.language}"
        flags = [f"-gdwarf-{self.dwarf}", *self.flags]
        run([command, *flags, *shared, "-c", source, "-o", "subject.o"], self.folder)
        link = [command, *flags, "subject.o", "-Wl,--build-id"]
        if self.library:
            run([*link, "-shared", "-o", "libsubject.so"], self.folder)
            (self.folder / "main.c").write_text("void report(void);\nint main(void) { report(); return 0; }\n")
            run(["gcc", "main.c", "-o", "subject", "-L.", "-lsubject", "-Wl,-rpath,$ORIGIN"], self.folder)
        else:
            run([*link, "-o", "subject"], self.folder)

    def expectations(self) -> list[list[str]]:
        text = run([self.program], self.folder)
        return [line.split("\t") for line in text.splitlines()]


def prepared(about: str | None, *programs: str) -> tuple[argparse.Namespace, Path]:
    """The paths that a test is given, `--work` and one for each of `programs`, and its folder, which is empty."""
    parser = argparse.ArgumentParser(description=about)
    for name in (*programs, "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    folder: Path = arguments.work.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return arguments, folder


def run(command: Sequence[object], folder: Path, stdin: str | None = None) -> str:
    words = [str(word) for word in command]
    # A compiler cache may return a result from another folder, whose path is in the debug information.
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    done = subprocess.run(words, cwd=folder, env=environment, input=stdin, text=True, capture_output=True, timeout=120,
                          check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)} failed with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


Check = Callable[[Case, Path], None]


def build_id(path: Path) -> str:
    for line in run(["readelf", "-n", path], path.parent).splitlines():
        if "Build ID:" in line:
            return line.split(":")[1].strip()
    raise Failure(f"{path} has no build-id")


class Probe:
    """Answers for one module; each a list of lines, split at tabs."""

    def __init__(self, program: Path, case: Case, module_build_id: str) -> None:
        self.command: list[object] = [program, *(f"--debug-dir={path}" for path in case.debug_dirs)]
        self.command += [case.module, module_build_id]
        self.folder = case.folder

    def ask(self, questions: list[str]) -> list[list[list[str]]]:
        # In another folder, so that nothing is found by chance below the current one.
        text = run(self.command, Path("/"), "\n".join(questions) + "\n")
        answers: list[list[list[str]]] = [[]]
        for line in text.splitlines():
            if line:
                answers[-1].append(line.split("\t"))
            else:
                answers.append([])
        if len(answers) != len(questions) + 1:
            raise Failure(f"{len(questions)} questions, {len(answers) - 1} answers:\n{text}")
        return answers[:-1]


def question_of(expected: list[str]) -> str:
    kind, address = expected[0], expected[1]
    if kind == "part":
        return f"part {address} {expected[2]}"
    if kind == "padding":
        return f"part {address} 1"
    if kind == "bits":
        return f"fields {address} {int(address, 16) + 1:x}"
    return {"code": "frames", "variable": "variable"}[kind] + f" {address}"


def is_right(expected: list[str], answer: list[list[str]], source: Path) -> bool:
    kind = expected[0]
    if kind == "code":
        # Lines of other files may be inlined further out; the frames that the subject speaks of come first.
        frames = [f"{name}:{line}" for name, path, line, _ in answer if Path(path) == source]
        inlined = [flag for _, _, _, flag in answer]
        # gcc gives no linker name, and so no parameters, to functions that it has inlined everywhere.
        either = [(wanted, re.sub(r"\(.*:", ":", wanted)) for wanted in expected[2:]]
        return (
            len(frames) >= len(either)
            and all(frame in wanted for frame, wanted in zip(frames, either))
            and inlined[: len(either)] == ["1", "1", "0"]
        )
    if kind == "bits":
        _, address, bit, bits, path = expected
        return [path, address, bit, bits] in [[a[0], a[2], a[4], a[5]] for a in answer]
    if len(answer) != 1:
        return False
    found = answer[0]
    if kind == "part":
        return expected[3] in [found[0], *found[5:]] and found[2:5] == [expected[1], str(int(expected[2], 16)), "0"]
    if kind == "padding":
        return found[0] == expected[2] and found[4] == "1"
    address, name, type_name, line, size = expected[1:]
    # gcc has C's long as "long int".
    found[1] = found[1].replace("long int", "long")
    return found == [name, type_name, str(source), line, address, size]


def check_answers(case: Case, probe: Probe, want_state: str = "good") -> None:
    expectations = case.expectations()
    if len(expectations) < 20:
        raise Failure(f"{case}: the subject said little: {expectations}")
    answers = probe.ask(["status", *map(question_of, expectations), "status"])
    for status in (answers[0], answers[-1]):
        if status[0][0] != want_state or len(status) != 1:
            raise Failure(f"{case}: status {status}")
    wrong = [
        f"  {expected}\n    but {answer}"
        for expected, answer in zip(expectations, answers[1:-1])
        if not is_right(expected, answer, HERE / f"subject.{case.language}")
    ]
    if wrong:
        raise Failure(f"{case}: {len(wrong)} of {len(expectations)} wrong\n" + "\n".join(wrong))


def check_silence(case: Case, probe: Probe, expectations: list[list[str]], state: str, problem: str) -> None:
    """Not a single name, and the reason."""
    answers = probe.ask(["status", *map(question_of, expectations)])
    if answers[0][0][0] != state or problem not in answers[0][0][1]:
        raise Failure(f"{case}: status {answers[0]}, wanted {state}: {problem}")
    for expected, answer in zip(expectations, answers[1:]):
        if answer:
            raise Failure(f"{case}: {expected} answered by {answer}")


def separate(case: Case, debug_file: Path, link: bool) -> None:
    debug_file.parent.mkdir(parents=True)
    run(["objcopy", "--only-keep-debug", case.module, debug_file], case.folder)
    run(["objcopy", "--strip-all", case.module], case.folder)
    if link:
        run(["objcopy", f"--add-gnu-debuglink={debug_file}", case.module], case.folder)


def pack(case: Case) -> None:
    if case.compiler == "gcc" and case.dwarf == 5:
        pack_one(case)
    else:
        tool = ["dwp", "--exec"] if case.compiler == "gcc" else [llvm_tool("llvm-dwp"), "-e"]
        run([*tool, case.module, "-o", f"{case.module}.dwp"], case.folder)
    for dwo in case.folder.glob("*.dwo"):
        dwo.unlink()


def pack_one(case: Case) -> None:
    """A package of one unit is its .dwo and an index. On DWARF 5 from gcc the packers of binutils 2.40 (crashes) and
    LLVM 14 (runs for ever) are of no use."""
    dwo = next(case.folder.glob("*.dwo"))
    numbers = {".debug_info.dwo": 1, ".debug_abbrev.dwo": 3, ".debug_line.dwo": 4, ".debug_loclists.dwo": 5,
               ".debug_str_offsets.dwo": 6, ".debug_rnglists.dwo": 8}
    sizes, unit_id = {}, 0
    for line in run(["readelf", "-SW", dwo], case.folder).splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] in numbers:
            sizes[numbers[words[1]]] = int(words[5], 16)
            if words[1] == ".debug_info.dwo":
                # Behind length, version, unit type, address size and the place of its abbreviations.
                unit_id = struct.unpack_from("<Q", dwo.read_bytes(), int(words[4], 16) + 12)[0]
    slot = unit_id & 1
    index = struct.pack("<HHIII", 5, 0, len(sizes), 1, 2)
    index += struct.pack("<QQ", *[unit_id if i == slot else 0 for i in range(2)])
    index += struct.pack("<II", *[1 if i == slot else 0 for i in range(2)])
    index += struct.pack(f"<{len(sizes)}I", *sizes) + bytes(4 * len(sizes))
    index += struct.pack(f"<{len(sizes)}I", *sizes.values())
    (case.folder / "index").write_bytes(index)
    run(["objcopy", "--add-section", ".debug_cu_index=index", dwo, f"{case.module}.dwp"], case.folder)


def llvm_tool(name: str) -> str:
    """Debian has these under names with a version, and without one only if the package llvm is there."""
    folders = [Path("/usr/bin"), *sorted(Path("/usr/lib").glob("llvm-*/bin"), reverse=True)]
    for folder in folders:
        if (folder / name).exists():
            return str(folder / name)
    raise Failure(f"there is no {name}")


def simple(flags: list[str]) -> Check:
    def check(case: Case, probe_program: Path) -> None:
        case.flags = flags
        case.compile()
        check_answers(case, Probe(probe_program, case, build_id(case.module)))

    return check


def link_time_optimised(case: Case, probe_program: Path) -> None:
    """gcc's descriptions refer from one unit to another then."""
    if case.compiler == "clang":
        return  # Debian's gcc toolchain links no LLVM bitcode
    simple(["-flto", "-O2"])(case, probe_program)


def in_library(case: Case, probe_program: Path) -> None:
    case.library = True
    case.compile()
    check_answers(case, Probe(probe_program, case, build_id(case.module)))


def split_elsewhere(case: Case, probe_program: Path) -> None:
    """The .dwo files were moved after the build: found in a folder that is named."""
    case.flags = ["-gsplit-dwarf"]
    case.compile()
    moved = case.folder / "moved"
    moved.mkdir()
    for dwo in case.folder.glob("*.dwo"):
        dwo.rename(moved / dwo.name)
    case.debug_dirs = [moved]
    check_answers(case, Probe(probe_program, case, build_id(case.module)))


def packed(flags: list[str]) -> Check:
    def check(case: Case, probe_program: Path) -> None:
        if "-fdebug-types-section" in flags and case.compiler == "gcc" and case.dwarf == 5:
            return  # nothing packs it, see pack_one
        case.flags = ["-gsplit-dwarf", *flags]
        case.compile()
        pack(case)
        check_answers(case, Probe(probe_program, case, build_id(case.module)))

    return check


def by_build_id(case: Case, probe_program: Path) -> None:
    """A stripped program; the debug file is found by number in a tree that is named."""
    case.compile()
    number = build_id(case.module)
    tree = case.folder / "tree"
    separate(case, tree / ".build-id" / number[:2] / f"{number[2:]}.debug", False)
    case.debug_dirs = [tree]
    check_answers(case, Probe(probe_program, case, number))


def program_gone(case: Case, probe_program: Path) -> None:
    """The program is not there, or was replaced; its debug file is, and has the right number."""
    case.compile()
    number = build_id(case.module)
    tree = case.folder / "tree"
    separate(case, tree / ".build-id" / number[:2] / f"{number[2:]}.debug", False)
    case.debug_dirs = [tree]
    probe = Probe(probe_program, case, number)
    expectations = case.expectations()
    case.module.rename(case.folder / "kept")
    questions = [question_of(expected) for expected in expectations]
    gone = probe.ask(["status", *questions])
    shutil.copy("/bin/true", case.module)
    replaced = probe.ask(["status", *questions])
    case.module.unlink()
    (case.folder / "kept").rename(case.module)
    kept = probe.ask(["status", *questions])
    if not gone == replaced == kept or gone[0][0][0] != "good":
        raise Failure(f"{case}: the debug file alone gives other names: {gone[0]}, {replaced[0]}, {kept[0]}")
    check_answers(case, probe)


def by_link(case: Case, probe_program: Path) -> None:
    case.compile()
    number = build_id(case.module)
    separate(case, case.folder / ".debug" / "subject.debug", True)
    check_answers(case, Probe(probe_program, case, number))


def common_parts(case: Case, probe_program: Path) -> None:
    """dwz moved what two programs have in common to a third file; without that, types are missing and it is said."""
    if case.compiler == "clang" and case.dwarf == 5:
        return  # dwz does not support it
    case.compile()
    number = build_id(case.module)
    other = case.folder / "other"
    shutil.copy(case.module, other)
    run(["dwz", "-L", "none", "-l", "none", "-m", case.folder / "common", case.module, other], case.folder)
    sections = run(["readelf", "-SW", case.module], case.folder)
    if ".gnu_debugaltlink" not in sections:
        raise Failure(f"{case}: dwz found nothing in common")
    check_answers(case, Probe(probe_program, case, number))
    (case.folder / "common").unlink()
    status = Probe(probe_program, case, number).ask(["status"])[0]
    if len(status) != 2 or "dwz" not in status[1][0]:
        raise Failure(f"{case}: nothing said of the missing file: {status}")


def changed(case: Case, probe_program: Path) -> None:
    """The program was compiled again since it ran, and is another one: every name would be a guess."""
    case.compile()
    number = build_id(case.module)
    expectations = case.expectations()
    case.flags = ["-O1"]
    case.compile()
    if build_id(case.module) == number:
        raise Failure("the build-id did not change")
    check_silence(case, Probe(probe_program, case, number), expectations, "changed", number)
    run(["objcopy", "--remove-section=.note.gnu.build-id", case.module], case.folder)
    check_silence(case, Probe(probe_program, case, number), expectations, "changed", "not there")


def missing(case: Case, probe_program: Path) -> None:
    case.compile()
    number = build_id(case.module)
    expectations = case.expectations()
    case.module.unlink()
    check_silence(case, Probe(probe_program, case, number), expectations, "missing", str(case.module))
    case.module.write_text("not a program\n")
    check_silence(case, Probe(probe_program, case, number), expectations, "unreadable", str(case.module))


def unverified(case: Case, probe_program: Path) -> None:
    """Nothing shows that the program is the one that ran: names, and a warning."""
    case.flags = ["-Wl,--build-id=none"]
    case.compile()
    run(["objcopy", "--remove-section=.note.gnu.build-id", case.module], case.folder)
    check_answers(case, Probe(probe_program, case, ""), "unverified")


def split_missing(case: Case, probe_program: Path) -> None:
    """Without its .dwo file a unit has lines but no variables; with one of another build, neither more."""
    case.flags = ["-gsplit-dwarf"]
    case.compile()
    number = build_id(case.module)
    expectations = [expected for expected in case.expectations() if expected[0] != "code"]
    dwo = next(case.folder.glob("*.dwo"))
    dwo.unlink()
    for word in ("not there", "another build"):
        probe = Probe(probe_program, case, number)
        answers = probe.ask([*map(question_of, expectations), "status"])
        if any(answers[:-1]) or len(answers[-1]) != 2 or word not in answers[-1][1][0]:
            raise Failure(f"{case}: {answers}")
        compiler = COMPILERS[case.compiler][case.language]
        flags = [f"-gdwarf-{case.dwarf}", "-gsplit-dwarf", "-DLIBRARY", "-O1"]
        run([compiler, *flags, "-c", HERE / f"subject.{case.language}", "-o", "other.o"], case.folder)
        (case.folder / "other.dwo").rename(dwo)


def no_debug(case: Case, probe_program: Path) -> None:
    """Symbols alone: functions have their names, nothing else is known."""
    case.compile()
    run(["objcopy", "--strip-debug", case.module], case.folder)
    expectations = case.expectations()
    probe = Probe(probe_program, case, build_id(case.module))
    answers = probe.ask(["status", *map(question_of, expectations)])
    if answers[0][0][0] != "no debug information":
        raise Failure(f"{case}: {answers[0]}")
    for expected, answer in zip(expectations, answers[1:]):
        wanted = [[expected[4].rsplit(":", 1)[0], "", "0", "0"]] if expected[0] == "code" else []
        if answer != wanted:
            raise Failure(f"{case}: {expected} answered by {answer}")


class Server:
    """A server without debug files, which counts requests."""

    def __init__(self) -> None:
        asked: list[str] = []
        self.asked = asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_error(404)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"


def no_network(case: Case, probe_program: Path) -> None:
    """A server for debug files is asked only if the user wants it."""
    case.compile()
    run(["objcopy", "--strip-debug", case.module], case.folder)
    server = Server()
    os.environ["DEBUGINFOD_URLS"] = server.address
    os.environ["DEBUGINFOD_CACHE_PATH"] = str(case.folder / "cache")
    os.environ["no_proxy"] = "127.0.0.1"
    number = build_id(case.module)
    probe = Probe(probe_program, case, number)
    probe.ask(["status"])
    if server.asked:
        raise Failure(f"{case}: asked a server for {server.asked}")
    probe.command.insert(1, "--debuginfod")
    probe.ask(["status"])
    if f"/buildid/{number}/debuginfo" not in server.asked:
        raise Failure(f"{case}: --debuginfod asked for {server.asked}; is libdebuginfod here?")


VARIANTS: dict[str, Check] = {
    "plain": simple([]),
    "optimised": simple(["-O2"]),
    "fixed_address": simple(["-no-pie", "-fno-pie"]),
    "link_time_optimised": link_time_optimised,
    "dropped_sections": simple(["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]),
    "compressed": simple(["-gz=zlib"]),
    "type_units": simple(["-fdebug-types-section"]),
    "split": simple(["-gsplit-dwarf"]),
    "split_optimised": simple(["-gsplit-dwarf", "-O2"]),
    "split_compressed": simple(["-gsplit-dwarf", "-gz=zlib"]),
    "split_elsewhere": split_elsewhere,
    "split_missing": split_missing,
    "packed": packed([]),
    "packed_optimised": packed(["-O2"]),
    "packed_type_units": packed(["-fdebug-types-section"]),
    "library": in_library,
    "by_build_id": by_build_id,
    "by_link": by_link,
    "program_gone": program_gone,
    "common_parts": common_parts,
    "changed": changed,
    "missing": missing,
    "unverified": unverified,
    "no_debug": no_debug,
    "no_network": no_network,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probe", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("variant", choices=VARIANTS)
    arguments = parser.parse_args()
    # The probe must find the given files and no others.
    os.environ.pop("DEBUGINFOD_URLS", None)
    failures = []
    for compiler in COMPILERS:
        for dwarf in (4, 5):
            for language in ("c", "cc"):
                folder = (arguments.work / arguments.variant / f"{compiler}{dwarf}{language}").resolve()
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                try:
                    VARIANTS[arguments.variant](Case(compiler, dwarf, language, folder), arguments.probe)
                except Failure as failure:
                    failures.append(str(failure))
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
