// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/code_figures.h"

namespace memspy::report::locality {

extern const StackMetrics kStackMetrics;
extern const LineColumns kLineColumns;

}  // namespace memspy::report::locality
