// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/code_figures.h"

namespace memspy::report::waste {

extern const StackMetrics kStackMetrics;

}  // namespace memspy::report::waste
