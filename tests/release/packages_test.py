#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages of other systems and files for CI servers, as packaging/ has them.

systems    bootstrap names what is missing in the words of each known installer
recipes    fill puts version, address and checksum in; each recipe is read by its own program, or by its language's, and says
           the same of memspy as the others
action     GitHub's action and GitLab's component, step by step as these servers run them: a first run without anything new is
           0, and one with a new defect is 1
debian     (with all tests) the Debian package is built, lintian has no complaint, and what is in it runs
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, Callable

SOURCE = Path(__file__).resolve().parent.parent.parent
RECIPES = SOURCE / "packaging/recipes"
yaml = importlib.import_module("yaml")  # its types are on some machines only
DEFECT = """#include <stdlib.h>
int main(int count, char** words) {
    char* block = malloc(10);
    block[count == 1 ? 9 : 10] = words[0][0];
    free(block);
    return 0;
}
"""


def run(*command: str | Path, cwd: Path, status: int = 0, **environment: str) -> str:
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment}, check=False)
    assert done.returncode == status, f"{command}: exit status {done.returncode}\n{done.stdout[-5000:]}"
    return done.stdout


def version() -> str:
    (found,) = re.findall(r"^AC_INIT\(\[memspy\], \[(.*?)\]\)", (SOURCE / "configure.ac").read_text(), re.M)
    return str(found)


def systems(_valgrind: Path, work: Path) -> None:
    # All programs but installers.
    path = work / "bin"
    path.mkdir()
    for program in Path("/usr/bin").iterdir():
        if program.name not in ("apt-get", "dpkg-query", "rpm"):
            (path / program.name).symlink_to(program)
    wanted = {"dnf": "valgrind-devel valgrind-tools-devel", "zypper": "libdw-devel", "apk": "valgrind-dev", "pacman": "python "}
    for installer, packages in wanted.items():
        stub = path / installer
        stub.write_text("#!/bin/sh\nexit 1\n")
        stub.chmod(0o755)
        text = run(SOURCE / "bootstrap", "build", f"--prefix={work / 'inst'}", "--no-install", cwd=work, status=1, PATH=str(path))
        assert f"install with:  {installer} " in text and packages in text and "libdw-dev " not in text, text
        stub.unlink()
    assert not (work / "inst").exists()


def tarball(work: Path) -> Path:
    path = work / f"memspy-{version()}.tar.xz"
    with tarfile.open(path, "w:xz") as tar:
        tar.add(SOURCE / "README.md", f"memspy-{version()}/README.md")
    return path


def without_templates(text: str) -> Any:
    """conda's recipes and GitLab's components have expressions of their own in YAML."""
    return list(yaml.safe_load_all(re.sub(r"\s# \[.*\]$", "", text, flags=re.M)))


def recipes(_valgrind: Path, work: Path) -> None:
    folder = work / "filled"
    url = f"https://example.org/releases/memspy-{version()}.tar.xz"
    run(RECIPES / "fill", tarball(work), url, folder, cwd=work)
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert set(texts) == {"APKBUILD", "Containerfile", "action.yml", "build.sh", "gitlab.yml", "memspy.eb", "memspy.rb", "memspy.spec",
                          "meta.yaml", "package.py"}, sorted(texts)
    for name in ("APKBUILD", "memspy.eb", "memspy.rb", "memspy.spec", "meta.yaml", "package.py"):
        assert "@" not in re.sub(r"\S+@localhost|python@\S+|valgrind@\S+|@run_after|@on_package\S+", "", texts[name]), name
        assert version() in texts[name] and "example.org" in texts[name], name

    spec = work / "memspy.spec"
    spec.write_text(texts["memspy.spec"])
    if shutil.which("rpmspec") is not None:
        parsed = run("rpmspec", "-P", spec, cwd=work)
        assert f"Version:        {version()}\n" in parsed and "BuildRequires:  valgrind-tools-devel" in parsed, parsed
        run("rpmspec", "-q", "--qf", "%{name} %{version} %{license}\n", spec, cwd=work)
    apk = run("sh", "-euc", '. ./APKBUILD; echo "$pkgname $pkgver $source $makedepends"; type build check package', cwd=folder)
    assert f"memspy {version()} {url} " in apk, apk
    for name in ("package.py", "memspy.eb"):
        ast.parse(texts[name], name)
    easy: dict[str, Any] = {}
    exec(texts["memspy.eb"], easy)
    assert easy["version"] == version() and re.fullmatch(r"[0-9a-f]{64}", easy["checksums"][0]), easy["checksums"]
    (conda,) = without_templates(texts["meta.yaml"])
    assert conda["source"]["sha256"] == easy["checksums"][0] and conda["package"]["name"] == "memspy", conda
    if shutil.which("ruby") is not None:
        assert "Syntax OK" in run("ruby", "-c", "memspy.rb", cwd=folder)
    run("bash", "-n", "build.sh", cwd=folder)
    # What a link is made of is there; what bootstrap installs for configure is what the recipes name.
    programs = {path.name for path in (SOURCE / "memspy/run").iterdir()}
    assert "memspy" in programs, programs
    for name in ("memspy.spec", "APKBUILD", "build.sh"):
        assert "/lib/memspy" in texts[name] or "%{home}" in texts[name], name


# A repository of memspy as the servers' jobs clone it, whose bootstrap gives what is installed already.
def repository(valgrind: Path, work: Path) -> Path:
    folder = work / "memspy.git"
    (folder / "docs").mkdir(parents=True)
    shutil.copy(SOURCE / "docs/nightly.sh", folder / "docs")
    (folder / "bootstrap").write_text(f'#!/bin/sh\n[ "$1" = build ] && mkdir -p "${{2#--prefix=}}/bin" && for each in {valgrind.parent}/*; '
                                      'do ln -s "$each" "${2#--prefix=}/bin/"; done\n')
    (folder / "bootstrap").chmod(0o755)
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    for command in (("init", "-q", "-b", "main"), ("add", "-A"), (*identity, "commit", "-q", "-m", "all")):
        run("git", *command, cwd=folder)
    return folder


def github(valgrind: Path, work: Path, project: Path, arguments: str, status: int) -> None:
    action = yaml.safe_load((RECIPES / "action.yml").read_text(encoding="utf-8"))
    inputs = {name: str(each.get("default", "")) for name, each in action["inputs"].items()}
    inputs |= {"source": str(work / "memspy.git"), "program": f"./program{arguments}"}
    temporary = work / f"runner{status}"
    temporary.mkdir()
    added = temporary / "path"
    added.touch()
    steps = action["runs"]["steps"]
    for number, step in enumerate(steps, 1):
        values = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: inputs[match[1]], value) for name, value in step["env"].items()}
        run("sh", "-e", "-c", step["run"], cwd=project, status=status if number == len(steps) else 0, RUNNER_TEMP=str(temporary),
            GITHUB_PATH=str(added), PATH=":".join([*added.read_text().split(), os.environ["PATH"]]), **values)


def gitlab(valgrind: Path, work: Path, project: Path, arguments: str, status: int) -> None:
    spec, jobs = yaml.safe_load_all((RECIPES / "gitlab.yml").read_text(encoding="utf-8"))
    inputs = {name: str((each or {}).get("default", "")) for name, each in spec["spec"]["inputs"].items()}
    inputs |= {"source": str(work / "memspy.git"), "program": f"./program{arguments}"}
    job = jobs["memspy"]
    values = {name: re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda match: inputs[match[1]], value) for name, value in job["variables"].items()}
    # Where the job's container has its folders of its own.
    lines = [line.replace("/tmp/", f"{work}/gitlab{status}-") for line in [*job["before_script"], *job["script"]]]
    run("sh", "-e", "-c", "\n".join(lines), cwd=project, status=status, **values)
    for path in [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]:
        assert (project / path).exists(), path


def action(valgrind: Path, work: Path) -> None:
    repository(valgrind, work)
    for server in (github, gitlab):
        project = work / server.__name__
        project.mkdir()
        (project / "main.c").write_text(DEFECT)
        run("gcc", "-g", "main.c", "-o", "program", cwd=project)
        by_path = f"{valgrind.parent}:{os.environ['PATH']}"
        run(SOURCE / "docs/nightly.sh", "--accept", "--runs=1", "ci/memspy", "./program", cwd=project, PATH=by_path)
        server(valgrind, work, project, "", 0)
        server(valgrind, work, project, " wrong", 1)


def debian(valgrind: Path, work: Path) -> None:
    build = work / "build"
    build.mkdir()
    run(SOURCE / "configure", "-q", f"--prefix={work / 'inst'}", cwd=build)
    run("make", "-s", "dist-debian", cwd=build, XZ_OPT="-1")
    folder = build / "debian-package"
    (changes,) = folder.glob("*.changes")
    run("lintian", "--allow-root", "--fail-on", "error,warning", changes, cwd=folder)
    package = next(path for path in folder.glob("memspy_*.deb"))
    root = work / "root"
    run("dpkg-deb", "-x", package, root, cwd=work)
    # Links to Valgrind's own files are relative, as Debian wants them.
    (root / "usr/libexec").mkdir()
    (root / "usr/libexec/valgrind").symlink_to("/usr/libexec/valgrind")
    text = run(root / "usr/lib/memspy/bin/memspy", "--memspy-out-file=none", "/bin/true", cwd=work)
    assert f"memspy-{version()}" in text and "ERROR SUMMARY: 0 errors" in text, text
    for program in ("memspy-report", "memspy-html", "memspy-run", "memspy-machine", "memspy_control"):
        assert version() in run(root / f"usr/lib/memspy/bin/{program}", "--version", cwd=work)
        assert os.readlink(root / f"usr/bin/{program}") == f"../lib/memspy/bin/{program}"
    depends = run("dpkg-deb", "-f", package, "Depends", cwd=work)
    assert re.search(r"valgrind \(>= \S+\), valgrind \(<< \S+\)", depends), depends


def main() -> int:
    tests: dict[str, Callable[[Path, Path], None]] = {each.__name__: each for each in (systems, recipes, action, debian)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", choices=tests)
    parser.add_argument("--valgrind", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    work: Path = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    tests[arguments.test](arguments.valgrind.absolute(), work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
