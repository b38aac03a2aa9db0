# SPDX-License-Identifier: GPL-2.0-or-later
"""Completions of options, commands and words, for bash, zsh and fish.

In bash those of valgrind and memspy-report ask the programs (bash/); the others are made here, as all are for zsh and fish.
"""

from __future__ import annotations

import re

from tables import Option, Program

HEAD = "# SPDX-License-Identifier: GPL-2.0-or-later\n# Made when memspy was built.\n"

# Options of Valgrind's core that people type: zsh and fish have no others here.
CORE = [
    Option(("--tool",), "memspy|memcheck|cachegrind|callgrind|helgrind|drd|massif|dhat|none", "the tool"),
    Option(("--error-exitcode",), "<number>", "exit status when there are errors"),
    Option(("--exit-on-first-error",), "no|yes", "stop at the first error"),
    Option(("--fair-sched",), "no|yes|try", "threads take turns"),
    Option(("--gen-suppressions",), "no|yes|all", "print a suppression for each error"),
    Option(("--log-file",), "<file>", "where the text goes"),
    Option(("--num-callers",), "<number>", "frames of each stack"),
    Option(("--suppressions",), "<file>", "errors not to report"),
    Option(("--trace-children",), "no|yes", "follow programs started with exec"),
    Option(("--track-fds",), "no|yes", "report file descriptors left open"),
    Option(("--xml",), "no|yes", "write errors as XML"),
    Option(("--xml-file",), "<file>", "where the XML goes"),
    Option(("-q", "--quiet"), "", "print errors only"),
    Option(("-v", "--verbose"), "", "print more"),
    Option(("--help",), "", "everyday options"),
    Option(("--help-all",), "", "all options of memspy"),
    Option(("--version",), "", "print the version"),
]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def function_of(name: str) -> str:
    return "_" + name.replace("-", "_")


# bash


def for_bash(program: Program) -> str:
    cases = ""
    for option in program.options:
        names = " | ".join(option.names)
        reply = "mapfile -t COMPREPLY < <(compgen"
        if option.words:
            cases += f"    {names}) {reply} -W '{' '.join(option.words)}' -- \"$current\") && return ;;\n"
        elif option.wants == "folders":
            cases += f"    {names}) compopt -o filenames && {reply} -d -- \"$current\") && return ;;\n"
        elif option.value and option.wants == "nothing":
            cases += f"    {names}) return ;;\n"
    offered = " ".join(sorted(option.name + ("=" if option.value else "") for option in program.options))
    name = function_of(program.name)
    return f"""{HEAD}# shellcheck shell=bash

{name}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    # Bash breaks words at `=`.
    [[ $current == '=' ]] && current=''
    [[ $previous == '=' ]] && previous=${{COMP_WORDS[COMP_CWORD - 2]}}
    COMPREPLY=()
    case $previous in
{cases}    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '{offered}' -- "$current")
        [[ ${{COMPREPLY[0]-}} == *= ]] && compopt -o nospace
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}}
complete -F {name} {program.name}
"""


# zsh

ZSH_VALUES = {"folders": "_files -/", "files": "_files", "nothing": " "}


def zsh_option(option: Option) -> str:
    def plain(text: str) -> str:
        return re.sub(r"([\[\]:\\])", r"\\\1", text)

    specs = []
    for name in option.names:
        value = ""
        if option.value:
            value = "(" + " ".join(option.words) + ")" if option.words else ZSH_VALUES[option.wants]
            value = f":{plain(option.value.strip('<>'))}:{value}"
        equals = ("=-" if name.startswith("--") else "") if option.value else ""
        specs.append("    " + quoted(f"*{name}{equals}[{plain(option.help)}]{value}"))
    return " \\\n".join(specs)


def for_zsh(program: Program) -> str:
    name = function_of(program.name)
    if program.commands:
        names = "\n".join(f"    {quoted(command.name + ':' + command.help.replace(':', chr(92) + ':'))}"
                          for command in program.commands)
        cases = "".join(f"  {command.name}) _arguments -S \\\n" + " \\\n".join(map(zsh_option, command.options))
                        + " \\\n    '*:file:_files' ;;\n" for command in program.commands)
        return f"""#compdef {program.name}
{HEAD}
{name}() {{
  local -a commands
  commands=(
{names}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{cases}  esac
}}
{name} "$@"
"""
    tail = "'*::program:_normal'" if program.name in ("memspy", "valgrind") else "'*:file:_files'"
    return f"#compdef {program.name}\n{HEAD}\n_arguments -S \\\n" + " \\\n".join(map(zsh_option, program.options)) + f" \\\n    {tail}\n"


# fish


def fish_option(program: str, option: Option, condition: str = "") -> str:
    line = f"complete -c {program}"
    line += f" -n {quoted(condition)}" if condition else ""
    for name in option.names:
        line += f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" if len(name) == 2 else f" -o {name[1:]}"
    if option.words:
        line += f" -x -a {quoted(' '.join(option.words))}"
    elif option.value:
        line += {"files": " -r -F", "folders": " -x -a '(__fish_complete_directories)'"}.get(option.wants, " -x")
    return f"{line} -d {fish_quoted(option.help)}\n"


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def for_fish(program: Program) -> str:
    name = program.name
    text = HEAD
    if name in ("memspy", "valgrind"):
        text += f"complete -c {name} -x -a '(__fish_complete_subcommand)'\n"
    if not program.commands:
        return text + "".join(fish_option(name, option) for option in program.options)
    text += "".join(fish_option(name, option, "__fish_use_subcommand") for option in program.options)
    for command in program.commands:
        text += f"complete -c {name} -n __fish_use_subcommand -f -a {command.name} -d {fish_quoted(command.help)}\n"
        text += "".join(fish_option(name, option, f"__fish_seen_subcommand_from {command.name}") for option in command.options)
    return text
