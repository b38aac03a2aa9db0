#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What leaves the checkout.

moved      an installed folder that was moved runs what is in it, also by way of a link, and nothing of the old place
tarball    `make dist` ends, and packs the files of the repository, no others but those of autotools
demo       the programs of the tutorial are installed
sbom       the list of what memspy is built of is SPDX, and has all that the programs are linked with
distcheck  memspy builds from its tarball, whose folder cannot be written to, installs with and without DESTDIR, and
           is uninstalled without a trace
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

SKIPPED = 77
# What autoreconf makes, and the parts of D3.
GENERATED = ("Makefile.in", "aclocal.m4", "build-aux/", "configure", "libraries.")


def call(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    assert done.returncode == 0, f"{command[0]}: exit code {done.returncode}\n{done.stdout[-6000:]}"
    return done.stdout


def moved(valgrind: Path, _source: Path, work: Path) -> None:
    installed = valgrind.resolve().parent.parent
    folder = work / "another-place"
    folder.mkdir()
    for part in ("bin", "libexec"):
        shutil.copytree(installed / part, folder / part, symlinks=True)
    # A tool that is nowhere else: who finds it looks in the new place.
    (tool,) = (folder / "libexec/valgrind").glob("memspy-*-linux")
    architecture = tool.name.split("-")[1]
    tool.rename(tool.with_name(f"moved-{architecture}-linux"))
    (work / "links").mkdir()
    link = work / "links/valgrind"
    link.symlink_to(folder / "bin/valgrind")
    for program in (folder / "bin/valgrind", link):
        text = call(program, "--tool=moved", "--memspy-out-file=none", "/bin/true", cwd=work)
        assert "ERROR SUMMARY: 0 errors" in text, text
    by_path = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "CDPATH": "/"}
    call("valgrind", "--tool=moved", "-q", "--memspy-out-file=none", "/bin/true", cwd=work, env=by_path)


def sbom(valgrind: Path, _source: Path, _work: Path) -> None:
    installed = valgrind.resolve().parent.parent
    document = json.loads((installed / "share/doc/memspy/memspy.spdx.json").read_text(encoding="utf-8"))
    packages = {each["name"]: each for each in document["packages"]}
    known = {each["SPDXID"] for each in document["packages"]} | {"SPDXRef-DOCUMENT"}
    assert document["spdxVersion"] == "SPDX-2.3" and len(known) == len(document["packages"]) + 1, document
    for relation in document["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, relation
    linked = call("ldd", installed / "bin/memspy-report", cwd=installed)
    for library, name in (("libxml2", "libxml-2.0"), ("libdw", "libdw"), ("libz", "zlib"), ("libcapstone", "capstone")):
        assert (f"{library}." in linked) == (name in packages), f"{name}: {linked}"
    version = call(valgrind, "--version", cwd=installed).strip().removeprefix("valgrind-")
    assert version.startswith(packages["valgrind"]["versionInfo"]), packages["valgrind"]
    late = int(version.split(".")[1]) >= 26
    assert packages["memspy"]["licenseConcluded"] == f"GPL-{3 if late else 2}.0-or-later", packages["memspy"]


def demo(valgrind: Path, source: Path, _work: Path) -> None:
    """Who has a package can follow the tutorial."""
    installed = valgrind.resolve().parent.parent / "share/doc/memspy"
    named = set(re.findall(r"^\$ gcc [^\n]*?(\w+\.c)\b", (installed / "tutorial.md").read_text(encoding="utf-8"), re.M))
    here = {path.name for path in (installed / "demo").iterdir()}
    assert named and named <= here and len(here) == len(list((source / "tests/demo").glob("*.c"))), (named, here)


def configured(source: Path, work: Path) -> Path:
    build = work / "build"
    build.mkdir()
    call(source / "configure", "-q", f"--prefix={work / 'inst'}", cwd=build)
    return build


def tarball(_valgrind: Path, source: Path, work: Path) -> None:
    files = subprocess.run(["git", "-C", source, "ls-files"], stdout=subprocess.PIPE, text=True, check=False)
    if files.returncode != 0:
        print("skipped: not a checkout")
        sys.exit(SKIPPED)
    build = configured(source, work)
    call("make", "-s", "dist", cwd=build)
    (archive,) = build.glob("memspy-*.tar.xz")
    with tarfile.open(archive) as tar:
        packed = {name.partition("/")[2] for name in (each.name for each in tar if each.isfile() or each.issym())}
    tracked = {name for name in files.stdout.splitlines() if (source / name).exists()}
    missing = {name for name in tracked - packed if name != ".gitignore"}
    assert not missing, f"not packed: {sorted(missing)}"
    known = tracked | {name for name in packed if name.startswith(GENERATED)}
    new = subprocess.run(["git", "-C", source, "ls-files", "--others", "--exclude-standard"], stdout=subprocess.PIPE,
                         text=True, check=True).stdout.splitlines()
    others = packed - known - set(new)
    assert not others, f"packed, and not of the repository: {sorted(others)[:20]}"


def distcheck(_valgrind: Path, source: Path, work: Path) -> None:
    call("make", "-s", "-j2", "distcheck", cwd=configured(source, work))


def main() -> int:
    tests = {"moved": moved, "sbom": sbom, "demo": demo, "tarball": tarball, "distcheck": distcheck}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", choices=tests)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    work: Path = arguments.work.resolve()
    subprocess.run(["chmod", "-R", "u+w", work], stderr=subprocess.DEVNULL, check=False)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    tests[arguments.test](arguments.valgrind, arguments.source.resolve(), work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
