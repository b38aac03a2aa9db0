# SPDX-License-Identifier: GPL-2.0-or-later
"""Man pages: a text of our own, pages/NAME.1.in, with the options and commands in it."""

from __future__ import annotations

import re

from tables import Option, Program


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", "\\&", text)


def entry(option: Option) -> str:
    separator = "=" if option.name.startswith("--") else " "
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names)
    if not option.value:
        value = ""
    elif option.words:
        value = f"{separator}\\fB{escaped(option.value)}\\fR"
    else:
        value = f"{separator}\\fI{escaped(option.value)}\\fR"
    return f".TP\n{names}{value}\n{escaped(option.help)}\n"


def options(program: Program) -> str:
    text = ""
    for group in program.groups:
        text += f".SS {escaped(group.title[0].upper() + group.title[1:])}\n" if group.title else ""
        text += "".join(entry(option) for option in group.options)
    return text


def commands(program: Program) -> str:
    text = ""
    for command in program.commands:
        text += f".SS {escaped(command.name)} {escaped(command.operands)}\n{escaped(command.help)}.\n"
        text += "".join(entry(option) for option in command.options if option.name != "--help")
    return text


def page(template: str, program: Program, version: str) -> str:
    text = template.replace("@VERSION@", version)
    text = text.replace("@OPTIONS@\n", options(program)).replace("@COMMANDS@\n", commands(program))
    return '.\\" Made when memspy was built; its texts are those of the programs.\n' + text
