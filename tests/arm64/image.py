# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine's software: a Debian root file system for arm64 and its kernel, made once and kept in the cache.

The root file system serves twice: booted, it runs the tests; as a folder, its Valgrind package is what memspy is
cross-compiled against.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import debian

HOST = "aarch64-linux-gnu"
KERNEL = "linux-image-cloud-arm64"
# Packages that the tests run, that run the tests (python3, xmllint), and that the machine needs to boot.
PACKAGES = [
    "bash", "busybox-static", "bzip2", "coreutils", "gdb", "git", "grep", "gzip", "libc6", "libc6-dbg", "libgomp1",
    "libomp5", "libstdc++6", "libxml2-utils", "openssl", "perl", "pigz", "procps", "python3", "sqlite3", "util-linux",
    "valgrind", "xz-utils",
]
# Not used in the machine, where each megabyte takes time to unpack.
LEFT_OUT = ("boot", "usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/i18n",
            "var/lib/apt", "lib/modules", "usr/lib/modules", "usr/include")
REDIRECTED = ("__GI_*", "*bcmp*", "*index*", "*mem*", "*stp*", "*str*", "*wcs*")


@dataclass(frozen=True)
class Image:
    root: Path      # the unpacked packages
    kernel: Path
    archive: Path   # the root file system as the kernel unpacks it


def pack(folder: Path, archive: Path, names: Iterable[str]) -> None:
    """Names below the folder, as an archive of files that belong to root."""
    listing = "".join(f"{name}\0" for name in names).encode()
    with open(archive, "wb") as out:
        subprocess.run(["cpio", "--create", "--null", "--format=newc", "--owner=0:0", "--quiet"], cwd=folder,
                       input=listing, stdout=out, check=True)


def names_below(folder: Path, left_out: tuple[str, ...] = ()) -> list[str]:
    found = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not any(name == out or name.startswith(out + "/") for out in left_out):
            found.append(name)
    return found


def make(folder: Path, archives: list[Path]) -> None:
    root = folder / "root"
    root.mkdir(parents=True)
    # Folders that packages put files in may be links to others: created first, as by the installer.
    for name in ("bin", "sbin", "lib"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for archive in archives:
        tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE)
        subprocess.run(["tar", "--extract", "--keep-directory-symlink", "--no-same-owner", "--directory", str(root)],
                       stdin=tar.stdout, check=True)
        if tar.wait():
            raise debian.Unavailable(f"{archive} cannot be unpacked")
    # Valgrind reads the C library's debug information whenever a program starts, and compares each name in it with all
    # that it redirects: a third of a small program's time. Needed are the names of functions that it may redirect.
    keep = [f"--keep-symbol={names}" for names in REDIRECTED]
    subprocess.run([f"{HOST}-strip", "--strip-debug", "--discard-all", "--wildcard", *keep,
                    *(root / "usr/lib/debug").rglob("*.debug")], check=True)
    (root / "usr/lib" / HOST / "libomp.so").symlink_to("libomp.so.5")  # for programs to be linked with it here
    (kernel,) = (root / "boot").glob("vmlinuz-*")
    shutil.copy(kernel, folder / "kernel")
    busybox = root / "bin/busybox"
    busybox.chmod(0o755)
    if not (root / "bin/sh").exists():
        (root / "bin/sh").symlink_to("bash")
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\n")
    (root / "etc/group").write_text("root:x:0:\nuser:x:1000:\n")
    pack(root, folder / "root.cpio", names_below(root, LEFT_OUT))


def get() -> Image:
    """From the cache; made anew when one of the main packages has another version."""
    cache = debian.cache_folder() / "arm64"
    recipe = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    folder = cache / "image"
    with debian.locked(cache):
        marker = folder / "versions"
        had = marker.read_text(encoding="utf-8") if marker.exists() else ""
        apt = debian.Apt(cache / "apt", "arm64")
        try:
            apt.update()
            versions = "".join(f"{name} {apt.version(name)}\n" for name in sorted([*PACKAGES, KERNEL]))
            versions += f"recipe {recipe}\n"
        except debian.Unavailable as problem:
            if not had.endswith(f"recipe {recipe}\n"):
                raise
            print(f"arm64: the image in the cache is used as it is ({problem})", file=sys.stderr)
            versions = had
        if versions != had:
            print("arm64: making the root file system", file=sys.stderr)
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(cache / "apt/cache/archives", ignore_errors=True)
            (cache / "apt/cache/archives/partial").mkdir(parents=True)
            make(folder, apt.download([*PACKAGES, KERNEL]))
            shutil.rmtree(cache / "apt/cache/archives")
            marker.write_text(versions, encoding="utf-8")
    return Image(folder / "root", folder / "kernel", folder / "root.cpio")


if __name__ == "__main__":
    try:
        print(get().root)
    except debian.Unavailable as unavailable:
        sys.exit(f"arm64: {unavailable}")
