#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of many ranks, as one program on many processors writes them: the same code and objects, other counts.

    rank_profiles.py [--ranks=N] [--rows=N] [--collectives=N] FOLDER

With collectives, ranks are a square grid and send to their neighbours there; each tenth rank comes last by a tenth of a second.
Each has a finding, whose events are 900 to 1100, but 50000 in rank 7, and as many rows of contention and calls of MPI as told;
5,000 rows are a megabyte. docs/mpi.md has what merging them takes.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

FRAMES = 8


def grid_neighbours(rank: int, ranks: int) -> list[int]:
    wide = int(ranks ** 0.5)
    found = [rank - wide, rank + wide]
    found += [rank - 1] * (rank % wide > 0) + [rank + 1] * (rank % wide < wide - 1)
    return sorted(peer for peer in found if 0 <= peer < ranks)


def collective_parts(rank: int, ranks: int, calls: int, collectives: int, generator: random.Random) -> str:
    """The rank works for 100 to 110 milliseconds, then waits in MPI_Allreduce for the last one."""
    events = []
    for number in range(collectives):
        begin = 300_000 * number + 100_000 + generator.randrange(10_000) + (100_000 if rank % 10 == 9 else 0)
        events.append(f"1 {calls + 1} {begin} {300_000 * number + 212_000}")
    peers = "".join(f'\n    <peer rank="{rank}" peer="{peer}" sent="{1000 * calls}"/>' for peer in grid_neighbours(rank, ranks))
    return f"""    <communicator rank="{rank}" number="1" name="MPI_COMM_WORLD" size="{ranks}" group="0x1"/>
    <call rank="{rank}" number="{calls + 1}" name="MPI_Allreduce" pattern="all to all" stack="1" communicator="1"
      calls="{collectives}" sent="{8 * collectives}" microseconds="{collectives * (12_000 if rank % 10 == 9 else 112_000)}"/>{peers}
    <collectives rank="{rank}">{" ".join(events)}</collectives>
"""


def profile(rank: int, ranks: int, rows: int, collectives: int = 0) -> str:
    generator = random.Random(rank)
    base = 0x4000000 + generator.randrange(4096) * 4096
    stacks = max(4, rows // 4)
    calls = max(1, rows // 100)
    parts = [f"""<?xml version="1.0" encoding="UTF-8"?>
<memspy-profile format="1" version="0.1" valgrind="3.19" finished="yes" made-by="exit">
  <run pid="{1000 + rank // 64}" ppid="1" start="2026-01-01T00:00:00.{rank % 1000:03}Z" end="2026-01-01T00:10:00.000Z" arch="amd64"
       rank="{rank}" ranks="{ranks}" host="host{rank // 64}" node="n{rank // 64}">
    <command><exe>./solver</exe></command>
    <options><arg>--xml-file=errors.{rank}.xml</arg></options>
  </run>
  <modules><module id="1" path="/home/user/solver" build-id="ab12" bias="{base:#x}" begin="{base:#x}" end="{base + 0x100000:#x}"/></modules>
  <stacks>"""]
    for stack in range(1, stacks + 1):
        parts.append(f'    <stack id="{stack}">')
        for frame in range(FRAMES if stack % 4 == 0 else 2):
            offset = 64 * (stack % 500 + 7 * frame + 1)
            parts.append(f'      <frame ip="{base + offset:#x}" module="1" offset="{offset + stack:#x}" fn="function_{offset % 97}"'
                         f' dir="/home/user/src" file="part_{offset % 13}.c" line="{offset}"/>')
        parts.append("    </stack>")
    parts.append('  </stacks>\n  <objects>')
    for item in range(1, 51):
        parts.append(f'    <static id="{item}" module="1" offset="{item * 64:#x}" symbol="v{item}" name="v{item}"'
                     f' start="{base + item * 64:#x}" size="64"/>')
    parts.append("""  </objects>
  <threads><thread id="1" guest-thread="1"/><thread id="2" parent="1" guest-thread="2"/></threads>
  <contention>
    <model line-size="64" sharing="yes" coherence-latency="0" interleave="0" access-log-bytes="1">one core each</model>
    <quality exact="yes" several-threads="yes" threads="2" merged="5" forced="0" lifted="0"/>
    <total loads="5" stores="5"/>""")
    for row in range(rows):
        parts.append(f'    <row object="{row % 50 + 1}" stack="{row % stacks + 1}" thread="{row // stacks % 2 + 1}"'
                     f' loads="{generator.randrange(1, 10**6)}" stores="{generator.randrange(1, 10**6)}">'
                     f'<modelled coherence-misses="{generator.randrange(1, 10**4)}"/></row>')
    removable = 50000 if rank == 7 else generator.randrange(900, 1101)
    parts.append(f"""    <group kind="FalseSharing" finding="yes" removable="{removable}">
      <member object="3"/>
      <what>False sharing inside v3</what>
    </group>
  </contention>
  <mpi>
    <rank rank="{rank}" size="{ranks}" began="1"/>""")
    for call in range(1, calls + 1):
        parts.append(f'    <call rank="{rank}" number="{call}" name="MPI_Send" pattern="point to point" stack="{call % stacks + 1}"'
                     f' calls="10" sent="1000" microseconds="{generator.randrange(500, 1500)}"/>')
    if collectives:
        parts.append(collective_parts(rank, ranks, calls, collectives, generator))
    else:
        parts.append(f'    <peer rank="{rank}" peer="{(rank + 1) % ranks}" sent="{1000 * calls}"/>')
    parts.append("  </mpi>\n</memspy-profile>\n")
    return "\n".join(parts)


def errors(rank: int) -> str:
    """Every third rank uses an uninitialised value, as often as its number says."""
    found = f"""<error><unique>0x1</unique><tid>1</tid><kind>UninitCondition</kind><what>Branch on an uninitialised value</what>
<stack><frame><ip>0x1</ip><obj>/home/user/solver</obj><fn>solve</fn><dir>/home/user/src</dir><file>solve.c</file><line>12</line></frame>
</stack></error>
<errorcounts><pair><count>{rank + 1}</count><unique>0x1</unique></pair></errorcounts>""" if rank % 3 == 0 else ""
    return f"""<?xml version="1.0"?>
<valgrindoutput>
<protocolversion>4</protocolversion><protocoltool>memspy</protocoltool>
<preamble><line>memspy</line></preamble>
<pid>{1000 + rank // 64}</pid><ppid>1</ppid><tool>memspy</tool>
<args><vargv><exe>/usr/bin/valgrind</exe><arg>--xml-file=errors.{rank}.xml</arg></vargv><argv><exe>./solver</exe></argv></args>
<status><state>RUNNING</state><time>00:00:00:01</time></status>
{found}
<status><state>FINISHED</state><time>00:00:00:01</time></status>
</valgrindoutput>
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--collectives", type=int, default=0)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for rank in range(arguments.ranks):
        text = profile(rank, arguments.ranks, arguments.rows, arguments.collectives)
        (arguments.folder / f"memspy.out.{rank}.xml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
