# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots the arm64 machine and hands out what it reports, line by line. It ends for certain: when it switches itself
off, when it has been silent for too long, or when its time is up."""

from __future__ import annotations

import json
import selectors
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import image

PROGRAM = "qemu-system-aarch64"
CPUS = {
    "cortex-a72": "atomics by exclusive loads and stores",
    "neoverse-n1": "atomics by single instructions (LSE)",
}
MEGABYTES = 6144  # allocated when touched; a test needs a block of 4 GB
PROCESSORS = 2  # threads wait by spinning

# With kernel page-table isolation, which KASLR enables, each system call flushes the emulator's page tables.
QUICK = " mitigations=off nokaslr kpti=off init_on_alloc=0"
# A test asks for more memory than this machine has, as it may on larger ones. The strict machine promises no memory that
# it has not got, and lets no process look into another.
LENIENT = " sysctl.vm.overcommit_memory=1"
STRICT = " sysctl.vm.overcommit_memory=2 sysctl.kernel.yama.ptrace_scope=3 sysctl.kernel.perf_event_paranoid=3"


class Trouble(Exception):
    """The machine did not do all that it was to do."""


def boot(system: image.Image, cpu: str, strict: bool, archives: list[Path], console: Path, processors: int,
         until: float, silent_for: float) -> Iterator[dict[str, Any]]:
    """What the machine with the files of `archives` says; raises Trouble where it is stopped: at the time `until`, or
    when it was silent."""
    initrd = console.with_name("initrd")
    with open(initrd, "wb") as out:
        for part in (system.archive, *archives):
            with open(part, "rb") as archive:
                shutil.copyfileobj(archive, out, 1 << 20)
    # Killed together with this process, however that ends.
    command = ["setpriv", "--pdeathsig", "KILL",
               PROGRAM, "-M", "virt", "-cpu", cpu, "-smp", str(processors), "-m", str(MEGABYTES),
               "-accel", "tcg,thread=multi", "-nodefaults", "-display", "none", "-no-reboot",
               "-serial", f"file:{console}", "-chardev", "stdio,id=results,signal=off",
               "-device", "pci-serial,chardev=results", "-kernel", str(system.kernel), "-initrd", str(initrd),
               "-append", "console=ttyAMA0 loglevel=4 panic=-1" + QUICK + (STRICT if strict else LENIENT)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as machine:
        try:
            assert machine.stdout is not None
            yield from lines(machine, until, silent_for, console)
        finally:
            machine.kill()
            initrd.unlink()
    if machine.returncode != 0:
        raise Trouble(f"{PROGRAM} ended with status {machine.returncode}")


def lines(machine: subprocess.Popen[bytes], until: float, silent_for: float,
          console: Path) -> Iterator[dict[str, Any]]:
    assert machine.stdout is not None
    heard = time.monotonic()
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(machine.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if now > until:
                raise Trouble(f"stopped, for its time is up; its console is in {console}")
            if now - heard > silent_for:
                raise Trouble(f"stopped, for nothing came for {silent_for:.0f} s; its console is in {console}")
            if not selector.select(1):
                continue
            block = machine.stdout.read1(1 << 16)  # type: ignore[attr-defined]
            if not block:
                break
            heard = time.monotonic()
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                try:
                    yield json.loads(line)
                except ValueError as problem:
                    raise Trouble(f"it said {line!r}") from problem
    machine.wait()
