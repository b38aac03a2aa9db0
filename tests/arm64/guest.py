# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs inside the machine: the jobs of a list, a few at a time, and writes one line of JSON for each to file 3.

A job that is a Python program is run in a child of this process, which has read it already: starting Python for each
would take longer than many of the tests.
"""

from __future__ import annotations

import concurrent.futures
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

TIMED_OUT = 124


def be_job(job: dict[str, Any], output: int) -> NoReturn:
    """In the child."""
    status = 1
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(3)
        if "module" in job:
            sys.argv = [job["module"], *job["arguments"]]
            result = importlib.import_module(job["module"]).main()
            status = result if isinstance(result, int) else 0
        else:
            os.execvp(job["arguments"][0], job["arguments"])
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
        if isinstance(left.code, str):
            print(left.code)
    except BaseException as problem:  # whatever the error, the parent's code must not run twice
        print(repr(problem))
    sys.stdout.flush()
    os._exit(status)


def run(job: dict[str, Any]) -> dict[str, Any]:
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            be_job(job, output.fileno())
        expired = threading.Event()

        def stop() -> None:
            expired.set()
            os.killpg(child, signal.SIGKILL)

        timer = threading.Timer(job["timeout"], stop)
        timer.start()
        _, raw = os.waitpid(child, 0)
        timer.cancel()
        output.seek(0)
        text = output.read().decode(errors="replace")[-20000:]
    status = TIMED_OUT if expired.is_set() else os.waitstatus_to_exitcode(raw)
    return {"name": job["name"], "status": status, "seconds": round(time.monotonic() - started, 1), "output": text}


def main() -> int:
    jobs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.path[:0] = jobs["path"]
    for module in sorted({job["module"] for job in jobs["jobs"] if "module" in job}):
        importlib.import_module(module)
    machine = {"machine": os.uname().machine, "uid": os.getuid(), "kernel": os.uname().release,
               "strict": Path("/proc/sys/vm/overcommit_memory").read_text(encoding="ascii") == "2\n",
               "valgrind": subprocess.run([*jobs["valgrind"], "--version"], capture_output=True, text=True,
                                          check=False).stdout.strip()}
    with os.fdopen(3, "w", encoding="ascii") as results, \
            concurrent.futures.ThreadPoolExecutor(jobs["at_once"]) as pool:
        print(json.dumps(machine), file=results, flush=True)
        for done in concurrent.futures.as_completed([pool.submit(run, job) for job in jobs["jobs"]]):
            print(json.dumps(done.result()), file=results, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
