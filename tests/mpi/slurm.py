# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster of two nodes on this machine: Slurm's own daemons, on the loopback address, in a folder of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

START = 20  # seconds
CONFIGURATION = """\
ClusterName=memspy
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdSpoolDir={folder}/spool.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/linear
MpiDefault=pmi2
SwitchType=switch/none
ReturnToService=2
KillWait=20
PropagateResourceLimitsExcept=ALL
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


class NoSlurm(Exception):
    """Slurm is not installed, or does not start here."""


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Slurm:
    """Runs while the `with` lasts; `environment` is what Slurm's commands need."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons: list[subprocess.Popen[bytes]] = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def start(self, name: str, *options: str) -> None:
        path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        if path is None:
            raise NoSlurm(f"there is no {name}")
        with (self.folder / f"{name}.{len(self.daemons)}.log").open("wb") as log:
            self.daemons.append(subprocess.Popen([path, *options], env=self.environment, cwd=self.folder,
                                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def idle_nodes(self) -> int:
        done = subprocess.run(["sinfo", "-h", "-N", "-o", "%T"], env=self.environment, capture_output=True, text=True,
                              timeout=START, check=False)
        return done.stdout.split().count("idle")

    def __enter__(self) -> Slurm:
        self.folder.mkdir(parents=True)
        for name in ("state", "spool.n1", "spool.n2"):
            (self.folder / name).mkdir()
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        configuration = CONFIGURATION.format(folder=self.folder, ports=free_ports(3), user=user)
        (self.folder / "slurm.conf").write_text(configuration)
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(128))
        try:
            paths = [f"--{what}-file={self.folder}/munge.{what}" for what in ("key", "log", "pid", "seed")]
            self.start("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", *paths)
            end = time.monotonic() + START
            self.wait(lambda: (self.folder / "munge.socket").exists(), end)
            self.start("slurmctld", "-D", "-c")
            self.start("slurmd", "-D", "-N", "n1")
            self.start("slurmd", "-D", "-N", "n2")
            self.wait(lambda: self.idle_nodes() == 2, end)
        except BaseException:
            self.stop()
            raise
        return self

    def wait(self, condition: Callable[[], bool], end: float) -> None:
        while not condition():
            for daemon in self.daemons:
                if daemon.poll() is not None:
                    raise NoSlurm(f"{daemon.args!r} ended with status {daemon.returncode}")
            if time.monotonic() > end:
                raise NoSlurm(f"its nodes are not idle after {START} s")
            time.sleep(0.2)

    def stop(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def __exit__(self, *_: object) -> None:
        for name in ("n1", "n2"):
            subprocess.run(["scancel", f"--nodelist={name}"], env=self.environment, timeout=START, capture_output=True,
                           check=False)
        end = time.monotonic() + START
        while self.idle_nodes() < 2 and time.monotonic() < end:
            time.sleep(0.2)
        self.stop()
