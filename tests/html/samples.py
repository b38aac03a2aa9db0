# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON as `memspy-report export --to=json` writes it, made up so that every figure in the page is known."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

Json = dict[str, Any]
LINE = 64


def counts(misses: int, invalidations: int, false: int) -> Json:
    """Counts with the given number of false sharing events; misses come first."""
    false_misses = min(misses, false)
    false_invalidations = false - false_misses
    found = {"coherence-misses": misses, "invalidations": invalidations, "false-misses": false_misses,
             "true-misses": misses - false_misses, "false-invalidations": false_invalidations,
             "true-invalidations": invalidations - false_invalidations}
    return {name: value for name, value in found.items() if value}


def frame(function: str, file: Path | None = None, line: int = 0) -> Json:
    entry: Json = {"ip": "0x1000", "module": 1, "fn": function}
    if file is not None:
        entry.update({"dir": str(file.parent), "file": file.name, "line": line})
    return entry


def empty() -> Json:
    """A run with one thread, in which nothing was found."""
    return {
        "generator": "memspy-report 0.1",
        "profile": {
            "format": 2, "version": "0.1", "valgrind": "3.19", "finished": True, "made-by": "exit",
            "runs": [{"pid": 10, "ppid": 1, "start": "2026-01-01T00:00:00.000Z", "end": "2026-01-01T00:00:01.000Z",
                      "arch": "amd64", "exe": "./program", "arguments": ["one", "two words"], "options": ["--tool=memspy"]}],
            "modules": [{"id": 1, "path": "/tmp/program", "bias": "0x0", "begin": "0x0", "end": "0x1000"}],
            "stacks": [], "objects": [], "threads": [{"id": 1, "guest-thread": 1}], "contention": None, "zeros": None,
        },
        "errors": [],
        "problems": [],
    }


def model() -> Json:
    return {
        "model": {"line-size": LINE, "sharing": True, "coherence-latency": 0, "interleave": 0, "access-log-bytes": 64000000,
                  "assumptions": "one core and one cache per thread"},
        "quality": {"exact": True, "several-threads": True, "threads": 3, "merged": 1, "forced": 0, "lifted": 0, "lost": 0},
    }


def small(source: Path) -> Json:
    """Two threads with a field each of `table`, a counter that both use, and two defects; lines 3, 7 and 9 of `source`."""
    data = empty()
    profile = data["profile"]
    profile["threads"] = [{"id": 1, "guest-thread": 1}, {"id": 2, "parent": 1, "guest-thread": 2},
                          {"id": 3, "parent": 1, "guest-thread": 3}]
    profile["stacks"] = [
        {"id": 4, "frames": [frame("fill", source, 3), frame("worker", source, 7), frame("main", source, 9)]},
        {"id": 8, "frames": [frame("count", source, 7), frame("main", source, 9)]},
    ]
    profile["objects"] = [
        {"id": 1, "kind": "static", "module": 1, "offset": "0x40", "symbol": "table", "name": "table", "start": "0x4040", "size": 16},
        {"id": 2, "kind": "heap", "stack": 8, "by": "malloc", "guest-thread": 1, "blocks": 3, "start": "0x5000", "size": 24,
         "label": "heap block of grow (list.c:7)"},
    ]
    profile["contention"] = {
        **model(),
        "total": {"loads": 5000, "stores": 5000, "observed": counts(3, 4, 2), "modelled": counts(1100, 1200, 2000)},
        "thread-counts": [{"thread": t, "instructions": 1000 * t, "begin": 100 * (t - 1), "end": 1100 - 100 * t, "loads": 100 * t, "stores": 10 * t,
                           "modelled": counts(300 * t, 200 * t, 100 * t)} for t in (1, 2, 3)],
        "rows": [
            {"object": 1, "stack": 4, "thread": 2, "loads": 0, "stores": 1000, "modelled": counts(500, 500, 1000)},
            {"object": 1, "stack": 4, "thread": 3, "loads": 0, "stores": 1000, "modelled": counts(500, 500, 1000)},
            # The same place in two chains of calls that differ above the frames kept.
            {"object": 2, "stack": 8, "thread": 2, "loads": 30, "stores": 30, "modelled": counts(40, 60, 0)},
            {"object": 2, "stack": 8, "thread": 2, "loads": 20, "stores": 20, "modelled": counts(60, 140, 0),
             "observed": counts(3, 4, 2)},
        ],
        "pairs": [
            {"object": 1, "thread": 2, "other": 3, "modelled": {"events": 1000, "false-events": 1000}},
            {"object": 1, "thread": 3, "other": 2, "modelled": {"events": 1000, "false-events": 1000}},
        ],
        "lines": [
            {"address": "0x5000", "modelled": counts(100, 200, 0), "observed": counts(3, 4, 2),
             "extents": [{"object": 2, "first": 0, "bytes": 24, "offset": 0, "start": "0x5000"}],
             "ranges": [{"thread": 2, "first": 0, "bytes": 8, "loads": 50, "stores": 50}]},
            {"address": "0x4040", "modelled": counts(1000, 1000, 2000),
             "extents": [{"object": 1, "first": 0, "bytes": 16, "offset": 0, "start": "0x4040",
                          "fields": [{"first": 0, "bytes": 8, "name": "table.left", "type": "long"},
                                     {"first": 8, "bytes": 8, "name": "table.right", "type": "long"}]}],
             "ranges": [{"thread": 2, "first": 0, "bytes": 8, "stores": 1000},
                        {"thread": 3, "first": 8, "bytes": 8, "stores": 1000},
                        {"thread": 1, "first": 0, "bytes": 16, "loads": 1}]},
        ],
        "lines-left-out": [{"object": 2, "lines": 7}],
        "waits": [
            {"kind": "lock", "object": 1, "name": "table.lock", "stack": 4, "waited": 290, "times": 5, "longest": 200, "pairs": [],
             "spans": [{"thread": 2, "whom": 3, "from": 150, "until": 350, "waited": 200, "times": 1},
                       {"thread": 3, "from": 600, "until": 700, "waited": 90, "times": 4}]},
            {"kind": "end", "stack": 8, "waited": 400, "times": 1, "longest": 400, "pairs": [],
             "spans": [{"thread": 1, "whom": 2, "from": 500, "until": 900, "waited": 400, "times": 1}]},
        ],
        "groups": [
            {"kind": "FalseSharing", "finding": True, "removable": 1990, "title": "table", "objects": [1],
             "sides": [{"stack": 4, "thread": 2, "stores": True}, {"stack": 4, "thread": 3, "stores": True}],
             "what": "False sharing inside table", "figures": "1,000 misses and 1,000 invalidations modelled",
             "advice": "Pad each of them"},
            {"kind": "TrueSharing", "title": "3 heap blocks", "objects": [2], "sides": []},
        ],
    }
    # 100 loads of eight bytes below 256, ten of them 0; and 50 loads of a float, half of them 0.
    profile["zeros"] = {
        "mode": "all", "context": 1,
        "total": {"integer": {"loads": 100, "elements": 100, "cells": 800, "redundant": 710, "zero": 10},
                  "float": {"loads": 50, "elements": 50, "cells": 250, "redundant": 125, "zero": 25}},
        "thread-counts": [{"thread": 1, "integer": {"loads": 100, "elements": 100, "cells": 800, "redundant": 710, "zero": 10},
                           "float": {"loads": 50, "elements": 50, "cells": 250, "redundant": 125, "zero": 25}}],
        "rows": [
            {"stack": 8, "type": "float", "arithmetic": True, "bytes": 4, "lanes": 1, "loads": 50, "elements": 50, "redundant": 125,
             "zero": 25, "threads": 1, "redmap": [25] * 5, "advice": []},
            {"stack": 4, "type": "integer", "bytes": 8, "lanes": 1, "loads": 100, "elements": 100, "redundant": 710, "zero": 10,
             "threads": 1, "redmap": [10] + [100] * 7, "advice": [{"kind": "narrow", "type": "uint8_t", "text": "uint8_t would do"}]},
        ],
        "objects": [
            {"object": 1, "size": 16, "accessed": 8, "redundant": 7, "loaded": 800, "loaded-redundant": 710,
             "change": {"thousandths": 125, "loaded-before": 80, "redundant-before": 0, "loaded": 720, "redundant": 710}, "zero-blocks": [{"bytes": 8, "accessed": 1}],
             "zero-columns": {"stride": 8, "ranges": [[1, 7]]}, "map": {"cell": 4, "counts": [[4, 3], [4, 4], [0, 0], [0, 0]]},
             "advice": [{"kind": "narrow", "type": "uint8_t", "text": "uint8_t would do"}]},
        ],
    }
    data["errors"] = [{
        "file": "errors.xml", "tool": "memspy", "pid": 10, "ppid": 1, "exe": "./program", "arguments": [], "options": [],
        "finished": True, "signals": [], "suppressed": [],
        "errors": [
            {"unique": "0x1", "kind": "InvalidWrite", "what": "Invalid write of size 4", "count": 12, "thread": 1,
             "stack": [frame("fill", source, 3)],
             "details": [{"text": "Address 0x1 is 0 bytes after a block of size 40 alloc'd", "stack": [frame("main", source, 9)]}]},
            {"unique": "0x2", "kind": "Leak_DefinitelyLost", "what": "5 bytes in 1 blocks are definitely lost", "count": 1,
             "thread": 1, "leaked-bytes": 5, "leaked-blocks": 1, "stack": [frame("count", source, 7)], "details": []},
            {"unique": "0x3", "kind": "FalseSharing", "what": "False sharing inside table", "count": 1, "thread": 1,
             "stack": [], "details": []},
        ],
    }]
    return data


SOURCE = "".join(f"line {number} of the source\n" for number in range(1, 13))
HOSTILE = ("</script><script>document.title='owned'</script>", "<img src=x onerror=\"document.title='owned'\">", "<!--<script>",
           "</script <b", "<!-- <script <b", "]]>", "'\"&amp;<b>", "\u2028\u2029\ud800\x00\x1b[31m", "__proto__", "constructor", "javascript:alert(1)", "${1}`", "%s%n",
           "<!-- memspy:data -->", "\u202eright to left")


def hostile(source: Path) -> Json:
    """Hostile names, wherever a name can be."""
    data = small(source)
    profile = data["profile"]
    names = iter(HOSTILE * 20)
    profile["runs"][0].update({"exe": next(names), "arguments": list(HOSTILE), "options": list(HOSTILE)})
    profile["modules"][0]["path"] = next(names)
    for stack in profile["stacks"]:
        for entry in stack["frames"]:
            entry["fn"] = next(names)
    profile["stacks"][1]["frames"][0].update({"dir": next(names), "file": next(names)})
    for entry in profile["objects"]:
        entry["name"] = next(names)
    for line in profile["contention"]["lines"]:
        for extent in line["extents"]:
            for field in extent.get("fields", []):
                field.update({"name": next(names), "type": next(names)})
    profile["contention"]["model"]["assumptions"] = next(names)
    for group in profile["contention"]["groups"]:
        group.update({"title": next(names), "what": next(names), "advice": next(names), "figures": next(names)})
    for entry in profile["zeros"]["rows"] + profile["zeros"]["objects"]:
        for advice in entry["advice"]:
            advice.update({"kind": next(names), "type": next(names), "text": next(names)})
    for error in data["errors"][0]["errors"]:
        error.update({"what": next(names), "kind": next(names)})
        for detail in error["details"]:
            detail["text"] = next(names)
    # A section without a script; whoever writes JSON names its fields.
    named = [{"name": name, "constructor": 1, "__proto__": name} for name in HOSTILE]
    data["profile"] = {"fields": {"toy": {"rows": {"name": "text", "constructor": "count", "__proto__": "text"}}}, **profile, "toy": {"rows": named}}
    data["problems"] = list(HOSTILE)
    return data


def big(rows: int, lines: int, source: Path) -> Json:
    """Row i has i + 1 stores and as many events, on object `object i`, by function `function i`; shuffled."""
    data = small(source)
    profile = data["profile"]
    contention = profile["contention"]
    order = list(range(rows))
    random.Random(1).shuffle(order)
    profile["stacks"] = [{"id": i + 1, "frames": [frame(f"function {i}", source, 1 + i % 12), frame("main", source, 9)]}
                         for i in range(rows // 10)]
    profile["objects"] = [{"id": i + 1, "kind": "static", "module": 1, "offset": hex(i * LINE), "symbol": f"object {i}",
                           "name": f"object {i}", "start": hex(i * LINE), "size": 8} for i in range(rows)]
    contention["rows"] = [{"object": i + 1, "stack": i // 10 + 1, "thread": 1 + i % 64, "stores": i + 1,
                           "modelled": counts(i, 1, 0)} for i in order]
    contention["lines"] = [{"address": hex(i * LINE), "modelled": counts(i, 1, 0),
                            "extents": [{"object": i + 1, "first": 0, "bytes": 8, "offset": 0, "start": hex(i * LINE)}],
                            "ranges": [{"thread": 1 + i % 64, "first": 0, "bytes": 8, "stores": i + 1},
                                       {"thread": 1 + (i + 1) % 64, "first": 0, "bytes": 8, "loads": 1}]}
                           for i in range(lines)]
    contention["pairs"] = []
    contention["groups"] = []
    return data


def profile(source: Path, sections: str, pid: int = 1) -> str:
    """A profile file: an object and a stack of it, at lines 3 and 9 of `source`, a stack at line 9, and the sections."""
    frames = "".join(f'<frame ip="0x{line}00" module="1" offset="0x{line}00" fn="{function}" dir="{source.parent}" file="{source.name}" '
                     f'line="{line}"/>' for function, line in (("fill", 3), ("main", 9)))
    main = frames[frames.index("/>") + 2:]
    return f"""<memspy-profile format="1" version="0.1" valgrind="3.19" finished="yes" made-by="exit">
      <run pid="{pid}" ppid="1" start="2026-01-02T03:04:01.000Z" end="2026-01-02T03:04:09.000Z" arch="amd64">
        <command><exe>./program</exe></command><options/></run>
      <modules><module id="1" path="/nonexistent/program" build-id="aa" bias="0x0" begin="0x0" end="0x9000"/></modules>
      <stacks><stack id="4">{frames}</stack><stack id="5">{main}</stack></stacks>
      <objects><heap id="1" stack="4" by="malloc" guest-thread="1" blocks="1" start="0x5000" size="24"/></objects>
      <threads><thread id="1" guest-thread="1"/></threads>{sections}</memspy-profile>"""


COST = """<cost machine="test" nodes="2" min-block="4096" assumptions="none">
  <cost-object object="1" first-touch="4" first-thread="1" loads="90" stores="10" cycles="1000" l1-misses="20" llc-misses="8" local="2" remote="6"/>
  <cost-object first-touch="4" first-thread="1" loads="5" stores="5" cycles="40"/>
  <cost-row object="1" stack="4" loads="90" stores="10" cycles="1000" l1-misses="20" llc-misses="8" local="2" remote="6"/></cost>"""

HEAP = """<heap-profile mode="blocks" temporary="1000">
  <total blocks="4" bytes="170" peak-blocks="3" peak-bytes="120" peak-time="500" end-blocks="1" end-bytes="50" end-time="1000"/>
  <context stack="4" blocks="2" bytes="100" peak-blocks="2" peak-bytes="100" end-blocks="1" end-bytes="50" max-bytes="100"><history>0 100 50</history></context>
  <context blocks="2" bytes="70" peak-blocks="1" peak-bytes="20" max-bytes="70"><history>70 20 0</history></context>
  <context stack="5" custom="yes" blocks="1" bytes="30" peak-blocks="1" peak-bytes="30" max-bytes="30"/>
  <moment number="0" time="0" blocks="1" bytes="70"/><moment number="1" time="500" blocks="3" bytes="120"/>
  <moment number="2" time="1000" blocks="1" bytes="50"/></heap-profile>"""

WASTE = """<waste>
  <waste-total stored="100000" loaded="200000" dead="60000" silent="0" again="0"/>
  <dead stack="4" killer="5" end="stored" object="1" bytes="60000" all="60000"/></waste>"""

# Blocks grew by realloc, for a fifth of the run's instructions.
GROWTH = """<heap-profile mode="yes" temporary="1000">
  <total blocks="1001" bytes="8000000" peak-blocks="1" peak-bytes="16000" peak-time="500" end-blocks="0" end-bytes="0" end-time="5000000"/>
  <context stack="4" object="1" blocks="1001" bytes="8000000" peak-blocks="1" peak-bytes="16000" max-bytes="16000" least="16" most="16000" resized="1000"
    copied="7984000"/></heap-profile>"""

MIX = """<mix predictor="none">
  <code stack="4" thread="1" instructions="100" loads="2" loaded="16" f64="4" f64-operations="4"/>
  <code stack="4" instructions="50" loads="6" loaded="48" f64="4" f64-operations="4"/></mix>"""

LOCALITY = """<locality mode="exact" accesses="100" bursts-one-in="1" words-one-in="1">
  <stream kind="all" name="all" accesses="100" loads="60" stores="40" spatial="0.25" temporal="0.5" followed="1" spatial-variance="1">
    <reuses far="20">10 0 40 30</reuses></stream>
  <stream kind="thread" name="thread 1" thread="1" accesses="100" loads="60" stores="40"/>
  <stream kind="object" name="block" object="1" accesses="80" loads="40" stores="40" spatial="0" temporal="0.75" followed="0.5"/>
  <stream kind="object-thread" name="block, thread 1" object="1" thread="1" accesses="80" loads="40" stores="40"/>
  <zones object="1" thread="1" fn="fill"><read>0-8 16-24</read></zones>
  <map object="1" thread="1" fn="fill" begin="100" step="16" row-bytes="4" accesses="12" read="0-1:A.B 4:2.D" written="0:.A"/>
  <map object="1" thread="1" fn="main" begin="100" step="16" row-bytes="4" accesses="1" read="4:3.A"/>
  <advice kind="columns" object="1" fn="fill" dir="/nonexistent" file="program.c" line="3" accesses="80" spatial="0" temporal="0.75" text="store block by columns"/>
  <use object="1" thread="1" fn="fill" dir="/nonexistent" file="program.c" line="3" accesses="70"/>
  <use object="1" thread="1" fn="main" dir="/nonexistent" file="program.c" line="9" accesses="10"/>
  <cache bytes="32"/><cache bytes="4096"/></locality>"""


def rank(number: int, sending: int = 0) -> str:
    """Of three ranks: each sends ten messages to the other, in so many microseconds; the second comes to the barrier 700
    microseconds after the first, because it has more to do before, and gets from the first's window."""
    last, begin = (800, 1000) if number == 0 else (100, 700)
    return f"""<mpi><rank rank="{number}" size="3" began="{5000 + 1000 * number}"/>
      <communicator rank="{number}" number="1" name="MPI_COMM_WORLD" size="3" group="0xa"/>
      <call rank="{number}" number="1" name="MPI_Send" pattern="point to point" stack="4" communicator="1" calls="10"
        sent="{4000 + number}" microseconds="{sending or (900 if number else 1500)}"/>
      <call rank="{number}" number="2" name="MPI_Barrier" pattern="all to all" stack="4" communicator="1" calls="1" microseconds="{last}"
        worked="{2600 if number else 2000}"/>
      <peer rank="{number}" peer="{0 if number else 1}" sent="{4000 + number}"{' fetched="96"' if number else ""}/>
      <collectives rank="{number}">1 2 {begin} {begin + last}</collectives></mpi>"""
