# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Iterable, NoReturn

from . import export, page
from .document import Document
from .problem import FAILED, USAGE, Problem
from .reader import Reader
from .sources import Sources
from .tables import Json

VERSION = "1.0"  # as in configure.ac; a test compares them
EDITOR_URL = "vscode://file{path}:{line}"
EPILOG = """exit status: 0 the page is written; 1 a file cannot be read, understood or written;
2 the command line is wrong

Write the two files with
  valgrind --tool=memspy --memspy-out-file=run.xml --xml=yes --xml-file=errors.xml ./program
and the page with
  memspy-html run.xml errors.xml -o report.html"""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Problem(f"{message} (memspy-html --help)", USAGE)


def parser() -> Parser:
    new = Parser(prog="memspy-html", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
                 allow_abbrev=False,
                 description="Makes one HTML page of memspy's measurements, which opens anywhere.")
    new.add_argument("profiles", metavar="FILE.xml", nargs="*",
                     help="profile files of memspy, which are merged, and error files (--xml-file)")
    new.add_argument("-e", "--errors", metavar="FILE.xml", action="append", default=[], help="another error file")
    new.add_argument("-o", "--output", metavar="FILE", default="memspy.html",
                     help="the page; - for standard output [%(default)s]")
    new.add_argument("--sources", choices=("all", "none"), default="all",
                     help="put the text of source files into the page, or leave it out [%(default)s]")
    new.add_argument("--source-dir", metavar="DIR", action="append", default=[],
                     help="look for source files here too; may be given several times")
    new.add_argument("--debug-dir", metavar="DIR", action="append", default=[],
                     help="look for separate debug information here too; may be given several times")
    new.add_argument("--own", metavar="GLOB", action="append", default=[],
                     help="modules and source files of the program's own code; !GLOB: of others; may be given several times")
    new.add_argument("--before", metavar="FILE", help="show what has changed since this profile, or since this error file")
    new.add_argument("--editor-url", metavar="URL", default=EDITOR_URL,
                     help="opens a line in an editor: {path} and {line} are put in; empty: no links [%(default)s]")
    new.add_argument("--title", default="", help="of the page [name of the program]")
    new.add_argument("--json", metavar="FILE",
                     help="read the output of memspy-report export --to=json instead of profiles; - for standard input")
    new.add_argument("--version", action="version", version=f"%(prog)s {VERSION}", help="print the version")
    return new


def write(pieces: Iterable[str], output: str) -> None:
    def write_to(file: BinaryIO) -> None:
        for piece in pieces:
            file.write(piece.encode("utf-8"))
        file.flush()

    if output == "-":
        write_to(sys.stdout.buffer)
        return
    path = Path(output)
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            with path.open("wb") as file:
                write_to(file)
            return
        # A file with the final name is always complete.
        handle, part = tempfile.mkstemp(prefix=path.name, suffix=".part", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                write_to(file)
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(file.fileno(), 0o666 & ~mask)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as error:
        raise Problem(f"{output}: {error.strerror}") from error


def opened(options: argparse.Namespace, beside: Path) -> AbstractContextManager[Reader]:
    if options.json:
        return export.load(options.json)
    profiles = [path for path in options.profiles if not export.is_error_file(path)]
    errors = [path for path in options.profiles if path not in profiles]
    return export.run(export.find_program(beside), profiles, errors + options.errors, options.debug_dir, options.own)


def changes(options: argparse.Namespace, beside: Path) -> Json:
    """What memspy-report says of the run before this one."""
    is_errors = export.is_error_file(options.before)
    after = [path for path in [*options.profiles, *options.errors] if export.is_error_file(path) == is_errors]
    if len(after) != 1:
        raise Problem(f"--before={options.before}: name one file of the same kind to compare it with", USAGE)
    return {"before": options.before, "after": after[0],
            "tables": export.differences(export.find_program(beside), options.before, after[0])}


def earlier(options: argparse.Namespace, beside: Path) -> Json:
    """The figures of the run before this one, without sources."""
    errors = export.is_error_file(options.before)
    document = Document()
    with export.run(export.find_program(beside), [] if errors else [options.before], [options.before] if errors else [], options.debug_dir,
                    options.own) as reader:
        document.read(reader)
    return document.to_json(Sources(False, []), "")


def make(arguments: list[str], share: Path, beside: Path) -> None:
    options = parser().parse_args(arguments)
    if bool(options.json) == bool(options.profiles or options.errors):
        raise Problem("name profiles or error files, or JSON with --json (memspy-html --help)", USAGE)
    for directory in options.source_dir:
        if not Path(directory).is_dir():
            raise Problem(f"--source-dir: no such directory: {directory}", USAGE)
    try:
        document = Document()
        with opened(options, beside) as reader:
            document.read(reader)
        built = document.to_json(Sources(options.sources == "all", options.source_dir), options.title)
        built["editorUrl"] = options.editor_url
        if options.before:
            built["changes"] = changes(options, beside)
            built["before"] = earlier(options, beside)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise Problem(f"the JSON is not what docs/report-json.md says: {type(error).__name__}: {error}") from error
    write(page.render(built, share), options.output)


def main(arguments: list[str], share: Path, beside: Path) -> int:
    try:
        make(arguments, share, beside)
    except Problem as problem:
        print(f"memspy-html: {problem}", file=sys.stderr)
        return problem.status
    except BrokenPipeError:
        return FAILED
    return 0
