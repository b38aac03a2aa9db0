# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of redundant zeros."""

from __future__ import annotations

from typing import Any, Callable

from .tables import Json


def zeros_of(data: Json, object_number: Callable[[Any], int], stack_number: Callable[[Any], int]) -> Json:
    return {}
