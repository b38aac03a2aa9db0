# SPDX-License-Identifier: GPL-2.0-or-later
"""A file for each section that is shown as more than tables; it has the name of the member in the JSON."""

from __future__ import annotations

import importlib
import pkgutil

from ..section import Section

NAMES = frozenset(module.name for module in pkgutil.iter_modules(__path__))


def own_class(name: str) -> type[Section] | None:
    if name not in NAMES:
        return None
    found: type[Section] | None = getattr(importlib.import_module(f"{__name__}.{name}"), "SECTION", None)
    return found
