# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots the arm64 machine and hands out what it reports, line by line. It ends for certain: when it switches itself
off, when it has been silent for too long, or when its time is up."""

from __future__ import annotations

import json
import selectors
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import image

CPUS = {
    "cortex-a72": "atomics by exclusive loads and stores",
    "neoverse-n1": "atomics by single instructions (LSE)",
}
MEGABYTES = 6144  # used as it is touched; a test wants a block of 4 GB
PROCESSORS = 2


class Trouble(Exception):
    """The machine did not do all that it was to do."""


def boot(system: image.Image, cpu: str, overlay: Path, console: Path, processors: int, seconds: float,
         silent_for: float) -> Iterator[dict[str, Any]]:
    """What the machine with the files of `overlay` (an archive) says; raises Trouble where it is stopped."""
    with tempfile.TemporaryDirectory(prefix="memspy-arm64.") as scratch:
        initrd = Path(scratch) / "initrd"
        with open(initrd, "wb") as out:
            for part in (system.archive, overlay):
                with open(part, "rb") as archive:
                    shutil.copyfileobj(archive, out, 1 << 20)
        command = ["qemu-system-aarch64", "-M", "virt", "-cpu", cpu, "-smp", str(processors), "-m", str(MEGABYTES),
                   "-accel", "tcg,thread=multi", "-nodefaults", "-display", "none", "-no-reboot",
                   "-serial", f"file:{console}", "-chardev", "stdio,id=results,signal=off",
                   "-device", "pci-serial,chardev=results", "-kernel", str(system.kernel), "-initrd", str(initrd),
                   "-append", "console=ttyAMA0 loglevel=4 panic=-1 mitigations=off"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as machine:
            try:
                assert machine.stdout is not None
                yield from lines(machine, seconds, silent_for, console)
            finally:
                machine.kill()
        if machine.returncode != 0:
            raise Trouble(f"qemu-system-aarch64 ended with status {machine.returncode}")


def lines(machine: subprocess.Popen[bytes], seconds: float, silent_for: float,
          console: Path) -> Iterator[dict[str, Any]]:
    assert machine.stdout is not None
    end = time.monotonic() + seconds
    heard = time.monotonic()
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(machine.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if now > end:
                raise Trouble(f"stopped after {seconds:.0f} s; its console is in {console}")
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
                yield json.loads(line)
    machine.wait()
