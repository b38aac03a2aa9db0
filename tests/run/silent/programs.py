#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that memspy reports nothing on real programs on which Memcheck reports nothing.

Each program does a few seconds of ordinary work under --error-exitcode=99 --leak-check=full with the default
kinds of leaks. Its exit status must be that of a good run, its output must be what it is without Valgrind,
and memspy's own summary must say that there were no errors.

All were run under Memcheck 3.19 with the same options, which says nothing of any of them; what it does
complain of has been left out and is noted below beside the program.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

SKIPPED = 77
DEFINITE = ["--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]
COMMON = ["--error-exitcode=99", "--leak-check=full", "--num-callers=20"]


@dataclass
class Work:
    """The input of one program, prepared natively before Valgrind runs it."""

    command: list[str]
    stdin: bytes = b""
    same_output: bool = True        # stdout must be that of a native run
    options: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    result: Optional[str] = None    # a file that must be the same after a native run
    status: int = 0


def text_file(directory: Path, kilobytes: int, name: str = "text") -> Path:
    """Text with some structure, the same in each run."""
    source = random.Random(7)
    words = [bytes(source.choices(b"abcdefghijklmnopqrstuvwxyz", k=source.randint(2, 9))) for _ in range(500)]
    out = bytearray()
    while len(out) < kilobytes * 1024:
        out += b" ".join(source.choices(words, k=12)) + b"\n"
    path = directory / name
    path.write_bytes(bytes(out))
    return path


def run_native(command: list[str], directory: Path) -> None:
    subprocess.run(command, cwd=directory, check=True, capture_output=True, env=quiet_environment({}))


def quiet_environment(more: dict[str, str]) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "GIT_", "PYTHON"))}
    env.update({"LC_ALL": "C.UTF-8", "GIT_COMMITTER_DATE": "2020-02-01T00:00:00Z", "TZ": "UTC",
                "HOME": "/nonexistent", "CCACHE_DISABLE": "1", "GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat", "PYTHONHASHSEED": "0"})
    env.update(more)
    return env


def ls(directory: Path) -> Work:
    for i in range(60):
        (directory / f"d{i % 6}").mkdir(exist_ok=True)
        (directory / f"d{i % 6}" / f"file number {i}").write_bytes(b"x" * i)
    (directory / "link").symlink_to("d1")
    return Work(["ls", "-lR", "--color=always", "."])


def bzip2(directory: Path) -> Work:
    text_file(directory, 200)
    return Work(["bzip2", "-k", "-c", "text"])


def bunzip2(directory: Path) -> Work:
    run_native(["bzip2", str(text_file(directory, 300))], directory)
    return Work(["bzip2", "-d", "-k", "-c", "text.bz2"])


def xz(directory: Path) -> Work:
    text_file(directory, 100)
    return Work(["xz", "-3", "-k", "-c", "text"])


def unxz(directory: Path) -> Work:
    run_native(["xz", str(text_file(directory, 300))], directory)
    return Work(["xz", "-d", "-k", "-c", "text.xz"])


def xz_threads(directory: Path) -> Work:
    text_file(directory, 300)
    # Its threads still live at the end: their TLS tables are possibly lost.
    return Work(["xz", "-1", "-T2", "--block-size=100KiB", "-k", "-c", "text"], options=DEFINITE)


def xz_four_threads(directory: Path) -> Work:
    text_file(directory, 700)
    return Work(["xz", "-1", "-T4", "--block-size=90KiB", "-k", "-c", "text"], options=DEFINITE)


def pigz(directory: Path) -> Work:
    text_file(directory, 900)
    # It does not free its pool of threads and their buffers.
    return Work(["pigz", "-p", "4", "-b", "64", "-n", "-k", "-c", "text"], options=DEFINITE)


def unpigz(directory: Path) -> Work:
    run_native(["gzip", "-n", str(text_file(directory, 900))], directory)
    return Work(["pigz", "-d", "-p", "4", "-c", "text.gz"], options=DEFINITE)


def gzip(directory: Path) -> Work:
    text_file(directory, 500)
    return Work(["gzip", "-n", "-k", "-c", "text"])


def gunzip(directory: Path) -> Work:
    run_native(["gzip", "-n", str(text_file(directory, 500))], directory)
    return Work(["gzip", "-d", "-c", "text.gz"])


def sqlite3(directory: Path) -> Work:
    script = ["PRAGMA journal_mode=MEMORY;", "CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT, value REAL);",
              "CREATE TABLE b(a INTEGER, note TEXT);", "CREATE INDEX by_a ON b(a);", "BEGIN;"]
    for i in range(400):
        script.append(f"INSERT INTO a VALUES({i}, 'name {i * 7919 % 401}', {i} * 0.25);")
        script.append(f"INSERT INTO b VALUES({i % 50}, 'note {i}');")
    script += ["COMMIT;", "SELECT count(*), sum(value), max(name) FROM a;",
               "SELECT a.name, count(*) FROM a JOIN b ON a.id = b.a GROUP BY a.name ORDER BY 2, 1 LIMIT 20;",
               "UPDATE a SET name = name || upper(name) WHERE id % 3 = 0;", "DELETE FROM b WHERE a > 40;",
               "SELECT group_concat(substr(name, 1, 4)) FROM a WHERE name LIKE '%9%';",
               "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 500) SELECT sum(x) FROM n;",
               "SELECT json_extract('{\"a\": [1, 2, {\"b\": 3}]}', '$.a[2].b');", "VACUUM;"]
    return Work(["sqlite3", "test.db"], "\n".join(script).encode())


PYTHON_SCRIPT = r"""
import json, re, zlib, hashlib, collections, decimal, functools
data = [{"id": i, "name": "x" * (i % 17), "list": list(range(i % 9)), "value": i / 7} for i in range(150)]
text = json.dumps(data, sort_keys=True)
assert json.loads(text) == data
words = re.findall(r"\b\w+\b", "one two, three; four " * 50)
print(len(words), collections.Counter(words).most_common(2))
print(re.sub(r"(\d)(\d)", r"\2\1", text)[:60])
d = {str(i): i * i for i in range(2000)}
for i in range(0, 2000, 3): del d[str(i)]
print(sum(d.values()), hashlib.sha256(text.encode()).hexdigest(), zlib.crc32(zlib.compress(text.encode())))
@functools.lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80), decimal.Decimal(2).sqrt(), sorted(d, key=lambda k: (len(k), k))[:5])
class Tree:
    def __init__(self, n): self.kids = [Tree(n - 1) for _ in range(2)] if n else []
    def size(self): return 1 + sum(k.size() for k in self.kids)
print(Tree(7).size())
try: {}["missing"]
except KeyError as e: print(repr(e))
"""


def python3(directory: Path) -> Work:
    # With the system's allocator each object is a heap block (-I would have it ignore the environment).
    # Reachable or possibly lost blocks of the interpreter are not errors here: Memcheck reports "possibly
    # lost" ones in the interpreter's own tables, so only definite losses count.
    (directory / "work.py").write_text(PYTHON_SCRIPT, encoding="utf-8")
    return Work(["/usr/bin/python3", "-S", "work.py"], environment={"PYTHONMALLOC": "malloc"}, options=DEFINITE)


PYTHON_THREADS = r"""
import queue, threading, concurrent.futures
work, done = queue.Queue(), []
def worker():
    while (n := work.get()) is not None:
        done.append(sum(i * i % 7 for i in range(n)))
threads = [threading.Thread(target=worker) for _ in range(4)]
for t in threads: t.start()
for n in range(0, 800, 7): work.put(n)
for t in threads: work.put(None)
for t in threads: t.join()
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(sorted(done)[-3:], sum(pool.map(lambda n: len(str(n ** 50)), range(100))))
"""


def python3_threads(directory: Path) -> Work:
    # See python3 for the options; here with Python's own allocator, the default. The interpreter's lock and the
    # data under it do go from thread to thread.
    (directory / "work.py").write_text(PYTHON_THREADS, encoding="utf-8")
    return Work(["/usr/bin/python3", "-I", "-S", "work.py"], options=DEFINITE)


PERL_SCRIPT = r"""
use strict; use warnings;
my (%count, @list);
while (my $line = <STDIN>) { $count{$_}++ for split /\W+/, $line; push @list, $1 if $line =~ /(\w+)$/; }
my @top = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 9];
printf "%s %d\n", $_, $count{$_} for @top;
my $text = join ",", map { ucfirst lc } grep { length > 4 } @list[0 .. 99];
$text =~ s/([aeiou])(\w)/$2$1/g;
print substr($text, 0, 200), "\n", sprintf("%.6f %e %s", sqrt(2), 12345.678, join "-", reverse 1 .. 9), "\n";
my $tree = {}; $tree->{$_ % 7}{$_ % 11}{$_} = [$_, { name => "n$_" }] for 1 .. 500;
print scalar(map { keys %$_ } values %$tree), " ", pack("N n C a5", 1, 2, 3, "hello") =~ tr/\0//, "\n";
eval { die { code => 42 } }; print $@->{code}, "\n";
"""


def perl(directory: Path) -> Work:
    (directory / "work.pl").write_text(PERL_SCRIPT, encoding="utf-8")
    return Work(["perl", "work.pl"], text_file(directory, 20).read_bytes(),
                environment={"PERL_DESTRUCT_LEVEL": "2", "PERL_HASH_SEED": "0"})


def git_log(directory: Path) -> Work:
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    run_native([*git, "init", "-q", "."], directory)
    for i in range(12):
        (directory / f"file{i % 3}").write_text(f"line {i}\n" * (i + 1), encoding="utf-8")
        run_native([*git, "add", "."], directory)
        run_native([*git, "commit", "-q", "-m", f"Change {i}\n\nLonger text of change {i}.", "--date",
                    f"2020-01-{i + 1:02}T00:00:00Z"], directory)
    # Objects that are only reached by interior pointers are possibly lost.
    return Work(["git", "--no-pager", "log", "--stat", "-p", "--format=fuller"], options=DEFINITE)


def cc1_input(directory: Path) -> str:
    lines = ["#include <stddef.h>", "struct S { int a; double b[4]; struct S *next; };"]
    for i in range(25):
        lines.append(f"static int f{i}(int x, struct S *s) {{ int r = 0; for (int i = 0; i < x; i++) "
                     f"{{ if (i % {i + 2} == 0) r += i * {i}; else s->b[i & 3] += r / {i + 1}.0; }} "
                     f"switch (r & 7) {{ case 1: return {i}; case 3: return r >> 2; default: return r + x; }} }}")
    lines.append("int all(int x, struct S *s) { int r = 0;")
    lines += [f"  r ^= f{i}(x + {i}, s);" for i in range(25)]
    lines.append("  return r; }")
    (directory / "input.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
    program = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=True)
    return program.stdout.strip()


def cc1(directory: Path) -> Work:
    # cc1 frees little at its end. Its register allocator's sparse sets read fresh memory on purpose, which
    # Memcheck reports. So this test only runs the preprocessor, the parser and the type checks.
    return Work([cc1_input(directory), "-quiet", "-Wall", "-Wextra", "-fsyntax-only", "input.c"], options=DEFINITE)


def cc1_optimises(directory: Path) -> Work:
    # For the same reason without checks of undefined values.
    return Work([cc1_input(directory), "-quiet", "-O2", "input.c", "-o", "output.s"], result="output.s",
                options=["--undef-value-errors=no", *DEFINITE])


def xmllint(directory: Path) -> Work:
    items = "".join(f'<item id="i{i}"><name>n{i % 13}</name><v a="{i}">&lt;{i * 3}&gt;</v><!-- {i} --></item>'
                    for i in range(300))
    (directory / "in.xml").write_text(f'<?xml version="1.0"?><list xmlns:x="urn:x">{items}</list>',
                                      encoding="utf-8")
    return Work(["xmllint", "--format", "--xpath", "//item[name='n7']/v[@a > 50]", "in.xml"])


def openssl_digest(directory: Path) -> Work:
    text_file(directory, 300)
    return Work(["openssl", "dgst", "-sha512", "text"])


def openssl_encrypt(directory: Path) -> Work:
    text_file(directory, 300)
    return Work(["openssl", "enc", "-aes-256-cbc", "-K", "00" * 32, "-iv", "11" * 16, "-in", "text"])


def openssl_key(_: Path) -> Work:
    return Work(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                same_output=False)


def cxx(directory: Path) -> Work:
    source = Path(__file__).resolve().parent / "cxx_program.cc"
    run_native(["g++", "-std=c++17", "-O2", "-g", "-pthread", str(source), "-o", "cxx_program"], directory)
    return Work(["./cxx_program"])


def cxx_clang(directory: Path) -> Work:
    source = Path(__file__).resolve().parent / "cxx_program.cc"
    run_native(["clang++", "-std=c++17", "-O3", "-g", "-pthread", str(source), "-o", "cxx_program"], directory)
    return Work(["./cxx_program"])


def openmp(directory: Path) -> Work:
    source = Path(__file__).resolve().parent / "openmp_blocks.c"
    run_native(["gcc", "-O2", "-g", "-fopenmp", str(source), "-o", "openmp_blocks"], directory)
    # Its team lives until the end: the threads' TLS tables are possibly lost.
    return Work(["./openmp_blocks"], options=DEFINITE)


def openmp_passive(directory: Path) -> Work:
    work = openmp(directory)
    work.environment = {"OMP_WAIT_POLICY": "passive"}
    return work


def openmp_clang(directory: Path) -> Work:
    source = Path(__file__).resolve().parent / "openmp_blocks.c"
    command = ["clang", "-O2", "-g", "-fopenmp", str(source), "-o", "openmp_blocks"]
    if subprocess.run(command, cwd=directory, capture_output=True, check=False).returncode:
        print("skipped: clang has no OpenMP (libomp-dev)")
        sys.exit(SKIPPED)
    return Work(["./openmp_blocks"], options=DEFINITE)


def openmp_stencil(directory: Path) -> Work:
    """The benchmark's: rows are not aligned, so neighbours share a line at each border and exchange its data."""
    source = Path(__file__).resolve().parents[2] / "perf" / "stencil.c"
    run_native(["gcc", "-O2", "-g", "-fopenmp", str(source), "-o", "stencil"], directory)
    return Work(["./stencil", "4"], options=DEFINITE, environment={"OMP_NUM_THREADS": "4"})


def openmp_regions_of(compiler: str, directory: Path) -> Work:
    source = Path(__file__).resolve().parent / "openmp_regions.c"
    command = [compiler, "-O2", "-g", "-fopenmp", str(source), "-o", "openmp_regions"]
    if subprocess.run(command, cwd=directory, capture_output=True, check=False).returncode:
        print(f"skipped: {compiler} has no OpenMP")
        sys.exit(SKIPPED)
    return Work(["./openmp_regions"], options=DEFINITE)


def openmp_regions(directory: Path) -> Work:
    return openmp_regions_of("gcc", directory)


def openmp_regions_clang(directory: Path) -> Work:
    return openmp_regions_of("clang", directory)


def thread_pool(directory: Path) -> Work:
    source = Path(__file__).resolve().parent / "thread_pool.cc"
    run_native(["g++", "-std=c++17", "-O2", "-g", "-pthread", str(source), "-o", "thread_pool"], directory)
    return Work(["./thread_pool"])


def pigz_small_blocks(directory: Path) -> Work:
    text_file(directory, 900)
    return Work(["pigz", "-p", "3", "-b", "32", "-1", "-n", "-k", "-c", "text"], options=DEFINITE)


def xz_small_blocks(directory: Path) -> Work:
    text_file(directory, 500)
    return Work(["xz", "-0", "-T4", "--block-size=20KiB", "-k", "-c", "text"], options=DEFINITE)


def bash(_: Path) -> Work:
    # bash has its own malloc; its leaks are not checked.
    script = "declare -A a; for i in {1..300}; do a[k$i]=$((i*i%97)); done; " \
             "s=; for k in \"${!a[@]}\"; do s+=${a[$k]}; done; echo ${#s} ${s//[0-3]/} | tr 1-9 a-i"
    return Work(["bash", "-c", script], options=["--leak-check=no"], same_output=True)


def sort(directory: Path) -> Work:
    text_file(directory, 200)
    # It leaks a field of its command line.
    return Work(["sort", "-u", "-k2,2", "-k1nr", "text"], options=["--leak-check=no"])


def awk(directory: Path) -> Work:
    text_file(directory, 100)
    return Work(["awk", "{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) if (n[w] > 50) s += n[w]; "
                        "print s, NR }", "text"], options=["--show-leak-kinds=definite",
                                                           "--errors-for-leak-kinds=definite"])


def grep(directory: Path) -> Work:
    text_file(directory, 200)
    return Work(["grep", "-E", "-n", "-o", "(a[b-m]|c[a-e])+[a-m]*z?", "text"],
                options=DEFINITE)


PROGRAMS: dict[str, Callable[[Path], Work]] = {
    f.__name__: f for f in (ls, bzip2, bunzip2, xz, unxz, xz_threads, xz_four_threads, pigz, unpigz, gzip, gunzip,
                            sqlite3, python3, python3_threads, perl, git_log, cc1, cc1_optimises, xmllint,
                            openssl_digest, openssl_encrypt, openssl_key, cxx, cxx_clang, openmp, openmp_passive,
                            openmp_clang, openmp_stencil, openmp_regions, openmp_regions_clang, thread_pool, pigz_small_blocks,
                            xz_small_blocks, bash, sort, awk, grep)
}


def resolve(command: list[str], directory: Path) -> list[str]:
    program = command[0]
    if program.startswith("./"):
        return [str(directory / program), *command[1:]]
    found = shutil.which(program)
    if found is None:
        print(f"skipped: {program} is not installed")
        sys.exit(SKIPPED)
    return [found, *command[1:]]


def run(name: str, valgrind: str, tool: str, work_directory: Path) -> int:
    outputs: list[tuple[bytes, bytes]] = []
    for native in (True, False):
        directory = work_directory / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        log = work_directory / f"{name}.log"
        work = PROGRAMS[name](directory)
        if native and not work.same_output and work.result is None:
            continue
        command = resolve(work.command, directory)
        if not native:
            command = [valgrind, f"--tool={tool}", f"--log-file={log}", *COMMON, *work.options, *command]
        done = subprocess.run(command, cwd=directory, input=work.stdin, capture_output=True, check=False,
                              env=quiet_environment(work.environment), timeout=350)
        said = log.read_text(encoding="utf-8", errors="replace") if not native and log.exists() else ""
        if done.returncode != work.status:
            print(f"FAILED: exit status {done.returncode} of {shlex.join(command)}\n{said[-6000:]}\n"
                  f"{done.stderr.decode(errors='replace')[-2000:]}")
            return 1
        if not native and "ERROR SUMMARY: 0 errors" not in said:
            print(f"FAILED: no 'ERROR SUMMARY: 0 errors' from {shlex.join(command)}\n{said[-6000:]}")
            return 1
        outputs.append((done.stdout, (directory / work.result).read_bytes() if work.result else b""))
    if len(outputs) == 2 and outputs[0] != outputs[1]:
        print(f"FAILED: {name}: its output differs from that of a native run")
        return 1
    print(f"passed: {name}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs real programs that must give no report.")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--tool", default="memspy")
    parser.add_argument("--work", type=Path, default=Path("silent-work"))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(PROGRAMS))
        return 0
    arguments.work.mkdir(parents=True, exist_ok=True)
    status = 0
    for name in arguments.names or PROGRAMS:
        status = max(status, run(name, arguments.valgrind, arguments.tool, arguments.work.resolve()))
    return status


if __name__ == "__main__":
    sys.exit(main())
