#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that correct programs of MPI run under memspy as they do alone, that nothing is reported but the block that one
loses itself, that each rank has a profile of its own name, and that calls, bytes, peers and communicators in them are those that
the program makes; and that each mistake of another program is reported where it is made, and nothing else. Exit status 77: this
implementation of MPI is not installed."""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCHEMA = HERE.parents[1] / "docs" / "profile.rng"
RANKS = 4
OPTIONS = ["--tool=memspy", "--contention=no", "--zeros=no", "--xml=yes", "--xml-file=errors.%p.xml"]
EXPECTED = re.compile(r"// expect(?P<mpi4> 4)?: (?P<rank>\d) (?P<kind>\w+)")
ROUNDS, INTS = 10, 1000
C_LIBRARY = ctypes.CDLL(None)
# On a busy machine a rank takes longer to end than the second that Open MPI's launcher grants it. It sleeps for all of
# that time.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_odls_base_sigkill_timeout": "15"}


class Failure(Exception):
    pass


def demand(what: str, got: object, expected: object) -> None:
    if got != expected:
        raise Failure(f"{what}: {got}, expected {expected}")


def run(command: list[str], work: Path) -> str:
    done = subprocess.run(command, cwd=work, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=240, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def sums(mpi: ElementTree.Element, name: str) -> dict[str, int]:
    """What the calls of that name have in sum."""
    rows = [row for row in mpi.iter("call") if row.get("name") == name]
    return {what: sum(int(row.get(what, "0")) for row in rows) for what in ("calls", "sent", "received")}


def check_profile(path: Path, rank: int) -> None:
    if shutil.which("xmllint"):
        run(["xmllint", "--noout", "--relaxng", str(SCHEMA), path.name], path.parent)
    root = ElementTree.parse(path).getroot()
    process = root.find("run")
    mpi = root.find("mpi")
    if process is None or mpi is None:
        raise Failure(f"{path.name} has no element run or mpi")
    demand("rank of the process", process.get("rank"), str(rank))
    whole = ROUNDS * INTS * 4
    demand("MPI_Isend", sums(mpi, "MPI_Isend"), {"calls": ROUNDS, "sent": whole, "received": 0})
    demand("MPI_Irecv", sums(mpi, "MPI_Irecv"), {"calls": ROUNDS, "sent": 0, "received": whole})
    demand("MPI_Waitall", sums(mpi, "MPI_Waitall"), {"calls": ROUNDS, "sent": 0, "received": 0})
    demand("MPI_Allreduce", sums(mpi, "MPI_Allreduce"), {"calls": 1, "sent": 4, "received": 4})
    root_of_half = rank < 2
    demand("MPI_Bcast", sums(mpi, "MPI_Bcast"),
           {"calls": 1, "sent": 64 if root_of_half else 0, "received": 0 if root_of_half else 64})
    demand("MPI_Put", sums(mpi, "MPI_Put"), {"calls": 1, "sent": 8, "received": 0})
    if rank == 0:
        demand("MPI_Start", sums(mpi, "MPI_Start"), {"calls": 3, "sent": 12, "received": 0})
    if rank == 1:
        demand("MPI_Recv_init", sums(mpi, "MPI_Recv_init"), {"calls": 1, "sent": 0, "received": 12})
    peers = {int(peer.get("peer", "-1")): int(peer.get("sent", "0")) for peer in mpi.iter("peer")}
    demand("bytes to peers", peers, {(rank + 1) % RANKS: whole + 8 + (12 if rank == 0 else 0)})
    names = [comm.get("name") for comm in mpi.iter("communicator")]
    demand("the world among communicators", names.count("MPI_COMM_WORLD"), 1)
    sizes = {comm.get("size") for comm in mpi.iter("communicator")}
    demand("sizes of communicators", sizes, {str(RANKS), str(RANKS // 2)})
    events = {element.tag: len((element.text or "").split()) for element in mpi
              if element.tag in ("sends", "receives", "collectives")}
    demand("messages sent", events["sends"], 6 * (ROUNDS + (3 if rank == 0 else 0)))
    demand("messages received", events["receives"], 7 * (ROUNDS + (3 if rank == 1 else 0)))


class Implementation:
    """The programs with one implementation, each in a folder of its own."""

    def __init__(self, name: str, valgrind: str, work: Path) -> None:
        self.name, self.valgrind, self.work = name, valgrind, work
        self.compiler, self.fortran, self.launcher = f"mpicc.{name}", f"mpif90.{name}", f"mpirun.{name}"

    def is_installed(self) -> bool:
        return bool(shutil.which(self.compiler) and shutil.which(self.launcher))

    def line(self, ranks: int) -> list[str]:
        return [self.launcher, *(["--oversubscribe"] if self.name == "openmpi" else []), "-np", str(ranks)]

    def has_mpi4(self) -> bool:
        return self.name == "mpich"  # version 4 of the standard, with large counts

    def compiled(self, program: str) -> Path:
        folder = self.work / program
        folder.mkdir(parents=True)
        source = source_of(program)
        compiler = self.compiler if source.suffix == ".c" else self.fortran
        run([compiler, "-g", "-O1", "-w", "-fopenmp", "-o", program, str(source)], folder)
        return folder

    def correct(self, program: str, ranks: int, *options: str) -> Path:
        folder = self.compiled(program)
        alone = run([*self.line(ranks), f"./{program}"], folder)
        under = run([*self.line(ranks), self.valgrind, *OPTIONS, *options, f"./{program}"], folder)
        demand(f"output of {program}", under, alone)
        demand("error files", len(list(folder.glob("errors.*.xml"))), ranks)
        return folder

    def check_ring(self) -> None:
        folder = self.correct("ring", RANKS)
        demand("profiles", sorted(file.name for file in folder.glob("memspy.out.*")),
               [f"memspy.out.{rank}.xml" for rank in range(RANKS)])
        for rank in range(RANKS):
            check_profile(folder / f"memspy.out.{rank}.xml", rank)
        for file in sorted(folder.glob("errors.*.xml")):
            demand(f"reports in {file.name}", kinds_in(file), ["Leak_DefinitelyLost"])
        whole = ROUNDS * INTS * 4 + 8
        demand("the matrix", self.table(folder, "--matrix"),
               [["rank", *map(str, range(RANKS))],
                *([str(rank), *(str(whole + (12 if rank == 0 else 0)) if to == (rank + 1) % RANKS else "0" for to in range(RANKS))]
                  for rank in range(RANKS))])
        rows = self.table(folder)
        demand("columns", rows[0][:7], "pattern call context calls bytes seconds waiting".split())
        by_call = {row[1]: dict(zip(rows[0], row)) for row in rows[1:]}
        demand("sizes of messages", {call: by_call[call]["sizes"] for call in ("MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Put")},
               {"MPI_Isend": "4096:40", "MPI_Irecv": "4096:40", "MPI_Waitall": "", "MPI_Put": "16:4"})

    def table(self, folder: Path, *options: str) -> list[list[str]]:
        report = str(Path(self.valgrind).parent / "memspy-report")
        files = sorted(str(file) for file in folder.glob("memspy.out.*.xml"))
        return [line.split("\t") for line in run([report, "mpi", "--format=tsv", *options, *files], folder).splitlines()]

    def check_patterns(self) -> None:
        folder = self.correct("correct", 3, "--mpi-types=yes")
        for rank in range(3):
            mpi = ElementTree.parse(folder / f"memspy.out.{rank}.xml").getroot().find("mpi")
            if mpi is None:
                raise Failure(f"no element mpi of rank {rank}")
            neighbours = 1 if rank in (0, 2) else 2
            # A column of 40 elements to each neighbour in three steps, and a number to the next in the ring.
            demand("MPI_Isend", sums(mpi, "MPI_Isend"), {"calls": 7, "sent": neighbours * 3 * 40 * 8 + 4, "received": 0})
            # A block for each rank; and a number for each rank of the other group.
            across = 8 if rank == 0 else 4
            demand("MPI_Alltoall", sums(mpi, "MPI_Alltoall"), {"calls": 2, "sent": 300 + across, "received": 300 + across})
            demand("MPI_Alltoallv", sums(mpi, "MPI_Alltoallv"), {"calls": 2, "sent": 288 + across, "received": 288 + across})
            demand("MPI_Gather", sums(mpi, "MPI_Gather"),
                   {"calls": 1, "sent": 0 if rank == 0 else 4, "received": 8 if rank == 0 else 0})
            demand("MPI_Put", sums(mpi, "MPI_Put"), {"calls": 3, "sent": 24, "received": 0})
            demand("MPI_Rput", sums(mpi, "MPI_Rput"), {"calls": 1, "sent": 8, "received": 0})
            demand("MPI_Rget", sums(mpi, "MPI_Rget"), {"calls": 1, "sent": 0, "received": 40})
            demand("MPI_Rget_accumulate", sums(mpi, "MPI_Rget_accumulate"), {"calls": 1, "sent": 0, "received": 8})
            demand("MPI_Neighbor_alltoall", sums(mpi, "MPI_Neighbor_alltoall"),
                   {"calls": 1, "sent": 4 * neighbours, "received": 4 * neighbours})
            demand("MPI_Alltoallw", sums(mpi, "MPI_Alltoallw"), {"calls": 1, "sent": 12, "received": 12})
            if self.has_mpi4():  # started three times
                demand("MPI_Alltoall_init", sums(mpi, "MPI_Alltoall_init"), {"calls": 1, "sent": 36, "received": 36})
                demand("MPI_Pready", sums(mpi, "MPI_Pready"), {"calls": 12, "sent": 12 * 24, "received": 0})
                demand("MPI_Precv_init", sums(mpi, "MPI_Precv_init"), {"calls": 2, "sent": 0, "received": 3 * (96 + 16)})
                demand("MPI_Isendrecv", sums(mpi, "MPI_Isendrecv"), {"calls": 1, "sent": 4, "received": 4})
            demand("MPI_Bcast", sums(mpi, "MPI_Bcast")["calls"], 3)  # none of a file's opening
            demand("MPI_File_open", sums(mpi, "MPI_File_open")["calls"], 1)
            demand("MPI_File_iwrite_at", sums(mpi, "MPI_File_iwrite_at"), {"calls": 1, "sent": 20, "received": 0})
            demand("MPI_File_iread_at", sums(mpi, "MPI_File_iread_at"), {"calls": 1, "sent": 0, "received": 40})
            if self.has_mpi4():
                demand("MPI_Alltoallv_c", sums(mpi, "MPI_Alltoallv_c"), {"calls": 1, "sent": 12, "received": 12})
            demand("MPI_Fetch_and_op", sums(mpi, "MPI_Fetch_and_op"), {"calls": 1, "sent": 0, "received": 8})
            # Each task and each result once; the end is an empty message.
            if rank == 0:
                demand("MPI_Send", sums(mpi, "MPI_Send"), {"calls": 14, "sent": 12 * 15, "received": 0})
        for file in sorted(folder.glob("errors.*.xml")):
            demand(f"reports in {file.name}", kinds_in(file), [])

    def check_uneven(self) -> None:
        """The rank with most work is named, however long the ranks wait for each other and for a processor. Its instructions are
        its own and its libraries', those of functions in whose place memspy has its own among them, but no check of calls."""
        folder = self.correct("uneven", 3, "--mix=yes")
        report = str(Path(self.valgrind).parent / "memspy-report")
        lines = run([report, "mix", "--format=tsv", "memspy.out.0.xml"], folder).splitlines()
        counted = [line.split()[0] for line in lines if "(in vgpreload_memspy" in line.split("\t")[0]]
        demand("functions of memspy's that the C library does not have", [name for name in counted if not hasattr(C_LIBRARY, name)], [])
        demand("some stand for the C library's", "memcpy" in counted, True)
        titles, *rows = self.table(folder)
        sum_row = next(row for row in rows if row[titles.index("call")] == "MPI_Allreduce")
        demand("the busiest rank", sum_row[titles.index("busiest_rank")], "1")

    def matrix(self, folder: Path) -> list[list[int]]:
        return [[int(cell) for cell in row[1:]] for row in self.table(folder, "--matrix")[1:]]

    def check_neighbours(self) -> None:
        """Bytes of collective operations among neighbours stand in the matrix, of persistent ones at each start."""
        folder = self.correct("neighbours", RANKS)
        graph = 1 + 3 if self.has_mpi4() else 1
        demand("the matrix of neighbours", self.matrix(folder),
               [[(12 if abs(to - rank) == 1 else 0) + (4 * graph if to == rank else 12 * graph if to == (rank + 1) % RANKS else 0)
                 for to in range(RANKS)] for rank in range(RANKS)])

    def check_partitions(self) -> None:
        """Bytes of partitioned messages are counted where partitions become ready, and received where the request was made."""
        folder = self.check_mistakes("partitions")
        rows = [dict(zip(("pattern", "call", "context", "calls", "bytes"), row)) for row in self.table(folder)]
        demand("bytes of partitions", {call: sum(int(row["bytes"]) for row in rows if row["call"] == call)
                                       for call in ("MPI_Pready", "MPI_Pready_range", "MPI_Pready_list", "MPI_Start", "MPI_Precv_init")},
               {"MPI_Pready": 80, "MPI_Pready_range": 40, "MPI_Pready_list": 80, "MPI_Start": 0, "MPI_Precv_init": 160})
        demand("the matrix of partitions", self.matrix(folder), [[0, 200], [0, 0]])
        demand("reports of requests", kinds_in(folder / "errors.0.xml").count("MpiRequest"), 2)

    def check_sessions(self) -> None:
        """A program of sessions has ranks, communicators and reports as one of MPI_Init."""
        folder = self.check_mistakes("sessions")
        demand("profiles", sorted(file.name for file in folder.glob("memspy.out.*")), ["memspy.out.0.xml", "memspy.out.1.xml"])
        demand("the matrix of sessions", self.matrix(folder), [[0, 8], [8, 0]])

    def check_open_session(self) -> None:
        folder = self.compiled("open_session")
        run([*self.line(1), self.valgrind, *OPTIONS, "--xml-file=errors.xml", "./open_session"], folder)
        text = (folder / "errors.xml").read_text()
        demand("a session that never ends", "MPI_Session_init began what MPI_Session_finalize never ended" in text, True)
        demand("kinds of it", kinds_in(folder / "errors.xml"), ["MpiLeak"])

    def check_fortran(self) -> None:
        """Calls of mpif.h and of the module mpi_f08 are followed as those of C are."""
        if not shutil.which(self.fortran):
            print(f"no Fortran: there is no {self.fortran}")
            return
        folder = self.correct("fortran_halo", 3, "--mpi-types=yes")
        for file in sorted(folder.glob("errors.*.xml")):
            demand(f"reports in {file.name}", kinds_in(file), [])
        row = 40 * 8 * 10  # a row of doubles in each step
        demand("the matrix of rows", self.matrix(folder), [[row * (abs(to - rank) == 1) for to in range(3)] for rank in range(3)])
        self.check_mistakes("fortran_misuse", "--mpi-types=yes")

    def check_farm(self) -> None:
        for file in sorted(self.correct("farm", 3).glob("errors.*.xml")):
            demand(f"reports in {file.name}", kinds_in(file), [])

    def check_mistakes(self, program: str, *options: str) -> Path:
        folder = self.compiled(program)
        rank = "OMPI_COMM_WORLD_RANK" if self.name == "openmpi" else "PMI_RANK"
        run([*self.line(2), self.valgrind, *OPTIONS, f"--xml-file=errors.%q{{{rank}}}.xml", "--leak-check=no", *options,
             f"./{program}"], folder)
        expected = {(int(found["rank"]), found["kind"], number)
                    for number, line in enumerate(source_of(program).read_text().splitlines(), 1)
                    for found in EXPECTED.finditer(line) if (self.has_mpi4() or not found["mpi4"])}
        found = set()
        for number in range(2):
            found |= {(number, *mistake) for mistake in mistakes_in(folder / f"errors.{number}.xml", program)}
        # Of two accesses to a window the one is told that its rank comes to second.
        for mistake in sorted(found - expected):
            for other in expected - found:
                if (mistake[0], mistake[1], mistake[2] + 1) == (1 - other[0], "MpiRace", other[2]):
                    found = found - {mistake} | {other}
        demand(f"mistakes found in {program}", sorted(found), sorted(expected))
        return folder

    def check_thread_multiple(self) -> None:
        """Requests of several threads are not taken for each other, and the library's own data is no sharing of the program."""
        folder = self.correct("thread_multiple", 2, "--contention=yes", "--mpi-types=yes")
        sent = 3 * 8 * 500 * 8
        for rank in range(2):
            root = ElementTree.parse(folder / f"memspy.out.{rank}.xml").getroot()
            demand("MPI_Isend", sums(root, "MPI_Isend"), {"calls": 24, "sent": sent, "received": 0})
            demand("MPI_Irecv", sums(root, "MPI_Irecv"), {"calls": 24, "sent": 0, "received": sent})
        for file in folder.glob("errors.*.xml"):
            demand(f"reports in {file.name}", kinds_in(file), [])
            file.unlink()
        run([*self.line(2), self.valgrind, *OPTIONS, "./thread_multiple", "mistakes"], folder)
        found = sorted(sorted(kinds_in(file)) for file in folder.glob("errors.*.xml"))
        demand("mistakes of threads", found, [["MpiBuffer"], ["MpiBufferInUse"]])

    def check_abort(self) -> None:
        """A rank that ends the program has a profile of what it did before; its launcher may kill all others at once."""
        folder = self.compiled("abort")
        choices: list[list[str]] = [[], ["error"]]
        for words in choices:
            for file in folder.glob("memspy.out.*"):
                file.unlink()
            line = [*self.line(2), self.valgrind, *OPTIONS, "--xml-file=errors.%p.xml", "./abort", *words]
            done = subprocess.run(line, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=240, check=False)
            demand(f"the program with {words} failed", done.returncode != 0, True)
            reports: list[str] = []
            for errors in folder.glob("errors.*.xml"):
                reports += kinds_in(errors)
                errors.unlink()
            demand(f"reports with {words}", reports, ["MpiError"] if words else [])
            path = folder / "memspy.out.1.xml"
            if not path.exists():
                raise Failure(f"abort with {words}: no profile of the rank that ends the program")
            root = ElementTree.parse(path).getroot()
            demand("MPI_Allreduce before the end", sums(root, "MPI_Allreduce"), {"calls": 1, "sent": 4, "received": 4})
            if self.name == "mpich":
                demand("how the profile was made", (root.get("made-by"), root.get("finished")), ("dump", "no"))

    def check_threads(self) -> None:
        """Contention is followed from the program's own second thread on, not for the library's threads."""
        folder = self.compiled("threads")
        for threads in (False, True):
            words = ["two"] if threads else []
            run([*self.line(1), self.valgrind, *OPTIONS, "--contention=yes", "./threads", *words], folder)
            contention = ElementTree.parse(folder / "memspy.out.0.xml").getroot().find("contention")
            demand(f"contention with {words}", contention is not None, threads)
            file, = folder.glob("errors.*.xml")
            demand(f"reports with {words}", set(kinds_in(file)), {"FalseSharing"} if threads else set())
            file.unlink()


def source_of(program: str) -> Path:
    source, = HERE.glob(f"{program}.[cf]*")
    return source


def kinds_in(path: Path) -> list[str]:
    return [error.findtext("kind", "") for error in ElementTree.parse(path).getroot().iter("error")]


def mistakes_in(path: Path, program: str) -> set[tuple[str, int]]:
    """Kind and line of each error that is not the library's own access, which follows a wrong buffer."""
    found = set()
    for error in ElementTree.parse(path).getroot().iter("error"):
        kind = error.findtext("kind", "")
        if kind in ("InvalidRead", "InvalidWrite", "SyscallParam"):
            continue
        stack = error.findall("stack")[1 if kind in ("MpiRequest", "MpiTypes") else 0]
        lines = [int(frame.findtext("line", "0")) for frame in stack.iter("frame") if frame.findtext("file") == source_of(program).name]
        found.add((kind, lines[0]))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("implementation", choices=["openmpi", "mpich"])
    arguments = parser.parse_args()
    implementation = Implementation(arguments.implementation, arguments.valgrind, arguments.work)
    if not implementation.is_installed():
        print(f"skipped: no {implementation.compiler}")
        return 77
    shutil.rmtree(arguments.work, ignore_errors=True)
    try:
        implementation.check_ring()
        implementation.check_patterns()
        implementation.check_farm()
        implementation.check_uneven()
        implementation.check_fortran()
        folder = implementation.check_mistakes("misuse")
        demand("a value used too early is one of a pending operation",
               "created by a pending operation" in (folder / "errors.1.xml").read_text(), True)
        implementation.check_mistakes("types", "--mpi-types=yes")
        implementation.check_mistakes("arrays", "--mpi-types=yes")
        implementation.check_mistakes("split")
        implementation.check_neighbours()
        if implementation.has_mpi4():
            implementation.check_partitions()
            implementation.check_sessions()
            implementation.check_mistakes("mpi4")
            implementation.check_open_session()
        implementation.check_threads()
        implementation.check_thread_multiple()
        implementation.check_abort()
    except Failure as problem:
        print(f"FAILED: {problem}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
