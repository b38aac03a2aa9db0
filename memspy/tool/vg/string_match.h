// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core's comparison of a text with a pattern that has * and ?.
#pragma once

#include "vg/vg.h"

extern "C" Bool VG_(string_match)(const HChar* pattern, const HChar* text);
