#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that scores of locality agree with the definitions for kernels whose accesses are known.

All scores are those of the kernel's own function, in exact mode. R(d) below is an access at reuse distance d: it
adds 1 at d = 2, 15/16 at 3 and 4, 14/16 at 5 to 8, and so on; nothing at d = 1 or at a first use. S(n) is one at
stride n: it adds 1/n up to 127.

product   c[i][j] += a[i][k] * b[k][j], 128 x 128; each step loads a, b, c and stores c. Published: ijk and jik
          .250/.388, jki .000/.388, kji .002/.388; with the inner loop in pairs ikj .571/.586, kij .569/.586
walk      4096 words, 8 times: S(1) but for the first of each round; the last 7 rounds R(4096) = 5/16
stencil   x[i-1], x[i], x[i+1], then y[i]: strides 0 0 1 1; x[i-1] and x[i] at R(3), the others are first uses
copied    y[j][i] = x[i][j], 256 words a row: loads S(1), stores at 256 are far; no word is used twice
sorted    order[i], of 4 bytes, then x[order[i]]: order is at strides 0 and 1 in turn, and every second at R(2); x S(1)
shuffled  the same with x anywhere
hashed    random words of 4096: distances are spread evenly over 1 to 4096; strides as 32 random words leave them
list      nodes of 64 bytes in random order: value is S(1) from next, next is anywhere; no word is used twice
structs   one of four members: S(4). arrays: the same values next to each other, S(1)

seldom    each variable that was touched has a row, however few its accesses are, the first thread's own ones too; what was not
          has none; and a sample never says that a thread does not access what it may have passed

together  two threads read the words of one array in turn, the second three words behind: of two accesses one is a new
          word at stride 1, the other a word of the last 32 with 4 to 6 others since: R(5 to 8) = 14/16. In the order in
          which they run, one slice after the other, all have stride 1, and words come back after thousands of others

reused    two threads allocate, fill and free blocks of two places in turn, which are at the same addresses: each place has
          its own accesses

phases    a sample of a run is of that run: it has as many accesses as the exact one, though most of them have no record while
          one thread runs, and each part has the same scores, with a second thread, too. Counts of parts are as near as their errors say

gradients  with four threads, too, most accesses of a sample have no record, and scores of objects are within two told errors
          (and 0.005) of the exact ones in whatever slices the threads run

polling   a flag that two threads poll has a few accesses, however often the core lets them poll

And that scores of lines stand beside the source and in exports. And that sampled scores of two products are within 0.02 of the exact ones; that objects, threads, reads and writes, and
zones of two threads are as the program has them; and that scores are the same whatever the threads' slices.

And that programs that need it get advice for the line that is marked in advised.c, and none when they are mended, as
compiled by gcc and clang; one of the scores is better then.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
import cases  # noqa: E402

HERE = Path(__file__).parent / "locality" / "programs"
NEAR = 0.005


def even_distances() -> tuple[float, float]:
    """Spatial and temporal score of accesses to random words of 4096."""
    words, accesses = 4096, 200_000
    first_uses = words / accesses
    temporal = (1 - first_uses) * sum(2 ** (g - 1) / words * (17 - g) / 16 for g in range(1, 13))

    def none_within(distance: int) -> float:
        return (1 - (2 * distance + 1) / words) ** 32

    spatial = sum((none_within(i - 1) - none_within(i)) / i for i in range(1, 128))
    return spatial, temporal


EXPECTED: dict[str, tuple[float, float]] = {
    "ijk": (0.250, 0.388),
    "jik": (0.250, 0.388),
    "jki": (0.000, 0.388),
    "kji": (0.002, 0.388),
    "ikj": (0.571, 0.586),
    "kij": (0.569, 0.586),
    "walk": (1, 7 / 8 * 5 / 16),
    "stencil": (2 / 4, 2 / 4 * 15 / 16),
    "copied": (1 / 2, 0),
    "sorted": ((1 / 2 + 1) / 2, 1 / 4),
    "shuffled": (1 / 4, 1 / 4),
    "hashed": even_distances(),
    "list": (1 / 2, 0),
    "structs": (1 / 4, 0),
    "arrays": (1, 0),
}
FUNCTION = {"sorted": "indirect", "shuffled": "indirect"}


class Runs:
    """Programs under the tool, and memspy-report's output for their profiles."""

    def __init__(self, valgrind: Path, work: Path) -> None:
        self.valgrind = valgrind
        self.work = work
        self.failures: list[str] = []
        work.mkdir(parents=True, exist_ok=True)

    def compile(self, source: str, compiler: str, *flags: str) -> Path:
        program = self.work / f"{Path(source).name}-{compiler}{''.join(flags)}"
        subprocess.run([compiler, "-g", *flags, "-pthread", "-o", program, HERE / f"{source}.c"], check=True)
        return program

    def profile(self, program: Path, *words: str, options: tuple[str, ...] = ()) -> Path:
        profile = self.work / f"{program.name}-{'-'.join((*words, *options)).replace('=', '')}.xml"
        command: list[str | Path] = [self.valgrind, "--tool=memspy", "-q", "--defects=no", "--zeros=no", *options]
        subprocess.run([*command, f"--memspy-out-file={profile}", program, *words], check=True, timeout=300, stdout=subprocess.DEVNULL)
        return profile

    def rows(self, profile: Path, *options: str) -> list[dict[str, str]]:
        report = self.valgrind.parent / "memspy-report"
        text = subprocess.run([report, "locality", profile, "--format=tsv", *options], check=True,
                              capture_output=True, text=True).stdout
        titles, *lines = (line.split("\t") for line in text.splitlines())
        return [dict(zip(titles, line, strict=True)) for line in lines]

    def table(self, profile: Path, records: str) -> list[dict[str, str]]:
        report = self.valgrind.parent / "memspy-report"
        text = subprocess.run([report, "table", records, profile, "--format=tsv"], check=True, capture_output=True, text=True).stdout
        titles, *lines = (line.split("\t") for line in text.splitlines())
        return [dict(zip(titles, line, strict=True)) for line in lines]

    def scores(self, profile: Path, stream: str, name: str) -> tuple[float, float]:
        for row in self.rows(profile, f"--stream={stream}"):
            if row["name"] == name or row["name"].startswith(f"{name}."):
                return float(row["spatial"]), float(row["temporal"])
        self.failures.append(f"{profile.name}: there is no {stream} {name}")
        return -1, -1

    def demand(self, what: str, is_: object, wanted: object) -> None:
        if is_ != wanted:
            self.failures.append(f"{what}: {is_}, not {wanted}")

    def demand_near(self, what: str, is_: tuple[float, ...], wanted: tuple[float, ...], near: float) -> None:
        if any(abs(left - right) > near for left, right in zip(is_, wanted, strict=True)):
            self.failures.append(f"{what}: {is_}, not {wanted}")


def check_kernels(runs: Runs) -> None:
    # Without x87; every machine has 16-byte accesses in its base set.
    program = runs.compile("kernels", "gcc", "-O2")
    exact: dict[str, tuple[float, float]] = {}
    for name, wanted in EXPECTED.items():
        profile = runs.profile(program, name, options=("--locality=exact", "--contention=no"))
        exact[name] = runs.scores(profile, "function", FUNCTION.get(name, name))
        runs.demand_near(name, exact[name], wanted, NEAR)
    for name in ("jki", "ikj"):
        profile = runs.profile(program, name, options=("--locality=yes", "--contention=no"))
        runs.demand_near(f"{name}, sampled", runs.scores(profile, "function", name), exact[name], 0.02)


def check_phases(runs: Runs) -> None:
    program = runs.compile("phases", "gcc", "-O1")
    for words in ((), ("threads",)):
        exact, sampled = (runs.profile(program, *words, options=(f"--locality={mode}", "--contention=no")) for mode in ("exact", "yes"))
        totals = [int(runs.rows(profile, "--stream=all")[0]["accesses"]) for profile in (exact, sampled)]
        # Of an access across the border of a word, now and then the second word is not counted.
        if abs(totals[0] - totals[1]) > totals[0] // 10_000:
            runs.failures.append(f"phases {words}: {totals[1]} accesses in a sample of {totals[0]}")
        counts = [{row["name"]: row for row in runs.rows(profile, "--stream=function")} for profile in (exact, sampled)]
        for name in ("in_order", "anywhere", "across", "again"):
            is_, wanted = (float(count[name]["accesses"]) for count in counts)
            if abs(is_ - wanted) > 5 * float(counts[1][name]["error"]) * wanted:
                runs.failures.append(f"phases {words}: {counts[1][name]} counted of {is_}")
            runs.demand_near(f"{name} {words}, sampled", runs.scores(sampled, "function", name), runs.scores(exact, "function", name), 0.02)


def check_maps(runs: Runs) -> None:
    """Of the two workers' arrays: which thread writes which half of `output`, `input` backwards, and each byte as often as the
    program does."""
    profile = runs.profile(runs.compile("workers", "gcc", "-O1"), options=("--locality=exact",))
    report = runs.valgrind.parent / "memspy-report"
    text = subprocess.run([report, "map", "--object=put", "--by=thread", "--format=tsv", "--top=9", profile], check=True,
                          capture_output=True, text=True).stdout
    titles, *lines = (line.split("\t") for line in text.splitlines())
    cells = [dict(zip(titles, line, strict=True)) for line in lines]

    def of(picture: str) -> list[dict[str, str]]:
        return [cell for cell in cells if cell["picture"] == picture]

    for picture, use, low, high in (("output, thread 2", "write", 0, 160_000), ("output, thread 3", "write", 160_000, 320_000),
                                    ("input, thread 2", "read", 0, 160_000), ("input, thread 3", "read", 0, 160_000)):
        found = of(picture)
        runs.demand(f"uses of {picture}", {cell["use"] for cell in found}, {use})
        step = int(found[0]["bytes"]) if found else 1
        # A row at the border has bytes on both sides of it.
        runs.demand(f"first byte of {picture}", min((int(cell["first-byte"]) for cell in found), default=-1), low // step * step)
        runs.demand(f"last row of {picture}", max((int(cell["first-byte"]) for cell in found), default=-1), (high - 1) // step * step)
        # A power of two is told as one and a half of it.
        accesses = sum(int(cell["accesses"]) for cell in found)
        if not 300_000 <= accesses <= 600_000:
            runs.failures.append(f"{picture}: {accesses} accesses, not about 400000")
    # The second worker goes down: where it is first is above where it is a moment later.
    begin = min((int(cell["begin"]) for cell in of("output, thread 3")), default=0)
    first = [int(cell["first-byte"]) for cell in of("output, thread 3") if int(cell["begin"]) == begin]
    runs.demand("where the second worker begins", max(first, default=0) > 300_000, True)


ADVISED = {"multiply": "interchange", "columns": "interchange", "transpose": "tiles", "weigh": "hot-field", "drift": "hot-field", "sensor": "columns",
           "steps": "blocks", "pipeline": "blocks", "count": "hot-field", "age": "hot-field", "energy": "hot-field"}
# What the text says of some.
USED = {"weigh": "uses 8 of each 64 bytes", "count": "uses 4 of each 40 bytes", "age": "uses 8 of each 64 bytes",
        "energy": "uses 16 of each 64 bytes", "pipeline": "in all of the 5 loops through it"}


def first_cache() -> int:
    """Bytes, as the system tells them; what the tool assumes where it does not."""
    sizes = []
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        size = (index / "size").read_text().strip()
        if (index / "type").read_text().strip() != "Instruction":
            sizes.append(int(size[:-1]) * {"K": 1024, "M": 1024 * 1024}[size[-1]])
    return min(sizes, default=32 * 1024)


def check_advice(runs: Runs, part: cases.Shard) -> None:
    lines = (HERE / "advised.c").read_text().splitlines()
    count = str(first_cache() * 2 // 8)
    for compiler in ("gcc", "clang"):
        for level in ("-O1", "-O2"):
            program = runs.compile("advised", compiler, level)
            for name, kind in ADVISED.items():
                if (compiler, level) != ("gcc", "-O1") and not part.has(f"{name} {compiler} {level}"):
                    continue
                marked = [str(i) for i, text in enumerate(lines, 1) if f"/* here: {name} */" in text]
                what = f"{name}, {compiler} {level}"
                profile = runs.profile(program, name, count, options=("--locality=yes", "--contention=no"))
                advice = runs.table(profile, "locality.advice")
                found = [(row["kind"], row["fn"], row["line"] in marked) for row in advice]
                runs.demand(what, found, [(kind, name, True)])
                if not all(USED.get(name, "") in row["text"] for row in advice):
                    runs.failures.append(f"{what}: {advice[0]['text']}")
                mended = runs.profile(program, f"{name}-mended", count, options=("--locality=yes", "--contention=no"))
                runs.demand(f"{what}, mended", [row["text"] for row in runs.table(mended, "locality.advice")], [])
                before, after = (runs.scores(p, "function", f) for p, f in ((profile, name), (mended, f"{name}_mended")))
                # A copy uses each word once: tiles save cache lines, which scores of words do not show.
                if kind != "tiles" and max(a - b for a, b in zip(after, before)) < 0.05:
                    runs.failures.append(f"{what}: scores {before}, mended {after}")


def check_region(runs: Runs) -> None:
    """--locality-from: the function and what it calls, and nothing else."""
    program = runs.compile("workers", "gcc", "-O1")
    profile = runs.profile(program, options=("--locality=exact", "--locality-from=backw*"))
    runs.demand("functions below backw*", [row["name"] for row in runs.rows(profile, "--stream=function")], ["backwards"])
    runs.demand("threads in it", [row["name"] for row in runs.rows(profile, "--stream=thread")], ["thread 3"])
    whole = runs.profile(program, options=("--locality=exact", "--locality-from=main"))
    names = {row["name"] for row in runs.rows(whole, "--stream=function")}
    runs.demand("main and what it calls, which is not the workers", ("main" in names, "backwards" in names), (True, False))


def check_workers(runs: Runs) -> None:
    program = runs.compile("workers", "gcc", "-O1")
    by_slice: list[list[dict[str, str]]] = []
    for options in ((), ("--interleave=300",)):
        profile = runs.profile(program, options=("--locality=exact", *options))
        access = {row["object"]: row for row in runs.rows(profile, "--table=access")}
        for name, wanted in {"input": ["-", "R", "R"], "output": ["-", "W", "W"]}.items():
            runs.demand(f"access to {name}", [access[name][f"thread {t}"] for t in (1, 2, 3)], wanted)
            runs.demand(f"size of {name}", access[name]["size"], "320000")
        heap = [row for row in access.values() if row["kind"] == "heap" and row["thread 3"] == "R"]
        runs.demand("heap blocks that only the second worker reads", [row["thread 2"] for row in heap], ["-"])
        runs.demand("their creator", [row["creator"] for row in heap], ["thread 1"])
        zones = {(row["object"], row["function"]): row for row in runs.rows(profile, "--table=zones")}
        runs.demand("written by forwards", zones["output", "forwards"]["writes"], "0-160000")
        runs.demand("written by backwards", zones["output", "backwards"]["writes"], "160000-320000")
        runs.demand("read by backwards", zones["input", "backwards"]["reads"], "0-160000")
        of_threads = ("object-thread", "function-thread")
        by_slice.append([row for row in runs.rows(profile, f"--stream={','.join(of_threads)}")
                         if "put, " in row["name"] or "wards, " in row["name"]])
    runs.demand("threads' own scores, by other slices", by_slice[1], by_slice[0])
    runs.demand("whether there are such streams", len(by_slice[0]) >= 6, True)


def check_seldom(runs: Runs) -> None:
    for compiler in ("gcc", "clang"):
        program = runs.compile("seldom", compiler, "-O1")
        profile = runs.profile(program, options=("--locality=exact", "--contention=no"))
        access = {row["object"]: row for row in runs.rows(profile, "--table=access")}
        for name, wanted in {"config": ["R/W", "R", "R", "R"], "results": ["R", "W", "W", "W"], "chosen": ["W", "R", "R", "R"],
                             "own of thread 1": ["R/W", "-", "-", "-"]}.items():
            found = [access[name][f"thread {t}"] for t in (1, 2, 3, 4)] if name in access else []
            # The first thread loads `chosen` to store through it.
            runs.demand(f"access to {name}, {compiler}", [cell.replace("R/W", "W") if name == "chosen" else cell for cell in found], wanted)
        runs.demand(f"what nobody touches, {compiler}", "never" in access, False)
        heap = [row for row in access.values() if row["kind"] == "heap" and row["size"] == "24"]
        runs.demand(f"the block, {compiler}", [[row[f"thread {t}"] for t in (1, 2, 3, 4)] for row in heap], [["W", "R", "R", "R"]])
    sampled = runs.rows(runs.profile(program, options=("--locality=yes", "--contention=no")), "--table=access")
    runs.demand("'-' in a sample", [row for row in sampled if "-" in [row[f"thread {t}"] for t in (1, 2, 3, 4)]], [])


def check_together(runs: Runs) -> None:
    program = runs.compile("together", "gcc", "-O1")
    for options in ((), ("--interleave=300",), ("--interleave=7000", "--contention=no"), ("--fair-sched=no",)):
        profile = runs.profile(program, options=("--locality=exact", *options))
        runs.demand_near(f"together {options}", runs.scores(profile, "object", "walked"), (1 / 2, 14 / 16 / 2), 0.001)
    profile = runs.profile(program, options=("--locality=yes",))
    runs.demand_near("together, sampled", runs.scores(profile, "object", "walked"), (1 / 2, 14 / 16 / 2), 0.02)


def check_sampled_threads(runs: Runs) -> None:
    """Most accesses of four threads have no record. What is told of the others does not depend on the threads' slices."""
    program = runs.compile("../../../perf/conjugate_gradient", "gcc", "-O2", "-fopenmp", "-fno-math-errno")
    words = ("120",)

    def objects(options: tuple[str, ...]) -> dict[str, dict[str, str]]:
        profile = runs.profile(program, *words, options=("--contention=no", *options))
        rows = {row["name"]: row for row in (*runs.rows(profile, "--stream=all"), *runs.rows(profile, "--stream=object"))}
        return {name: row for name, row in rows.items() if row["spatial"] != "-"}

    exact = objects(("--locality=exact",))
    total = max(int(row["accesses"]) for row in exact.values())
    heavy = [name for name, row in exact.items() if int(row["accesses"]) > total // 50]
    runs.demand("objects with a fiftieth of all accesses", len(heavy) >= 4, True)
    # Standard errors are estimates, too: one score in twenty is beyond two of them by chance, hardly any beyond four.
    scores, beyond = 0, []
    for slices in ((), ("--interleave=300",), ("--interleave=7000",), ("--fair-sched=no",)):
        sampled = objects(("--locality=yes", *slices))
        for name in heavy:
            row, of = sampled[name], exact[name]
            count, wanted = int(row["accesses"]), int(of["accesses"])
            # What threads execute while they wait for each other depends on slices.
            if abs(count - wanted) > 5 * float(row["error"]) * wanted + total // 500:
                runs.failures.append(f"gradients {slices}: {row} counted of {wanted}")
            for score in ("spatial", "temporal"):
                error, is_, exactly = float(row[f"{score}_error"]), float(row[score]), float(of[score])
                scores += 1
                runs.demand_near(f"{score} of {name} {slices}, sampled", (is_,), (exactly,), 4 * error + NEAR)
                if abs(is_ - exactly) > 2 * error + NEAR:
                    beyond.append(f"{score} of {name} {slices}: {is_} for {exactly}, error {error}")
    if 8 * len(beyond) > scores:
        runs.failures.append(f"{len(beyond)} of {scores} scores are off by more than two errors: {beyond}")


def check_reused(runs: Runs) -> None:
    """Blocks that are freed before their accesses come up in the replay's order."""
    program = runs.compile("reused", "gcc", "-O1")
    source = (HERE / "reused.c").read_text().splitlines()
    names = ("first_block", "second_block")  # inlined: blocks are of the line that allocates
    lines = [next(i for i, text in enumerate(source, 1) if f"{name}(void)" in text) for name in names]
    for options in ((), ("--interleave=300",)):
        profile = runs.profile(program, options=("--locality=exact", "--contention=no", *options))
        accesses = {row["name"]: int(row["accesses"]) for row in runs.rows(profile, "--stream=object")}
        for function, line, wanted in zip(names, lines, (204_800, 409_600), strict=True):
            found = [n for name, n in accesses.items() if name.endswith(f" of {function} (reused.c:{line})")]  # the type is before
            runs.demand(f"reused {options}, line {line}", found, [wanted])


def check_code_figures(runs: Runs) -> None:
    """Scores of lines stand beside the source, and their words in flame graphs and call graphs."""
    program = runs.compile("kernels", "gcc", "-O2")
    profile = runs.profile(program, "walk", options=("--locality=exact", "--contention=no"))
    report = runs.valgrind.parent / "memspy-report"

    def output(*words: str) -> str:
        return subprocess.run([report, *words, profile], check=True, capture_output=True, text=True).stdout

    lines = {row["name"]: row for row in runs.rows(profile, "--stream=line") if row["name"].startswith("kernels.c:")}
    titles, *rows = (line.split("\t") for line in output("annotate", "--format=tsv", "--file=kernels.c").splitlines())
    for row in (dict(zip(titles, row, strict=True)) for row in rows):
        line = lines.pop(f"kernels.c:{row['line']}")
        runs.demand(f"words of line {row['line']}", row["words"], line["accesses"])
        runs.demand_near(f"scores of line {row['line']}", (float(row["spatial"] or 0), float(row["temporal"] or 0)),
                         (float(line["spatial"]), float(line["temporal"])), 0.001)
    runs.demand("lines that are not annotated", lines, {})
    folded = dict(line.rsplit(" ", 1) for line in output("export", "--to=folded", "--metric=words").splitlines())
    of_walk = next(row["accesses"] for row in runs.rows(profile, "--stream=function") if row["name"] == "walk")
    runs.demand("words of walk in the flame graph", folded.get("walk"), of_walk)
    callgrind = output("export", "--to=callgrind")
    runs.demand("events in callgrind's file", "events: Words FarWords" in callgrind and ") walk\n" in callgrind, True)


def check_polling(runs: Runs) -> None:
    """Threads that poll wait in the replay: a flag has a few accesses however often they polled it."""
    program = runs.compile("polling", "gcc", "-O1")
    # With short slices a thread polls 260,000 times. A poll that the end of a slice divides is still an access.
    for options, most in (((), 60), (("--interleave=300",), 2_000)):
        profile = runs.profile(program, options=("--locality=exact", *options))
        accesses = {row["name"]: int(row["accesses"]) for row in runs.rows(profile, "--stream=object")}
        # Objects with less than a 20,000th of all accesses are not in the profile.
        runs.demand(f"polls {options} that are accesses: at most {most}", accesses.get("done", 0) <= most, True)
        runs.demand(f"accesses to work {options}", accesses["work"], 2 * 20 * 20_000 + 1)


def check_scores(runs: Runs, _: cases.Shard) -> None:
    check_kernels(runs)
    check_phases(runs)
    check_workers(runs)
    check_seldom(runs)
    check_together(runs)
    check_sampled_threads(runs)
    check_reused(runs)
    check_polling(runs)
    check_code_figures(runs)
    check_maps(runs)
    check_region(runs)


PROOFS = {"scores": check_scores, "advice": check_advice}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--part", type=cases.Shard.parse, default=cases.EVERYTHING, metavar="I/N",
                        help="programs that need advice: the first variant, and of the others one part")
    parser.add_argument("proof", choices=PROOFS)
    arguments = parser.parse_args()
    runs = Runs(arguments.valgrind, arguments.work)
    PROOFS[arguments.proof](runs, arguments.part)
    for failure in runs.failures:
        print(failure, file=sys.stderr)
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
