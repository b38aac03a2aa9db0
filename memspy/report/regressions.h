// SPDX-License-Identifier: GPL-2.0-or-later
//
// What became worse since the accepted runs, as an error file: a kind like others for those who read such
// files.
#pragma once

#include <ostream>
#include <vector>

#include "report/differences.h"
#include "report/errors.h"

namespace memspy::report {

void write_regressions(const std::vector<Regression>& regressions, const ErrorRun& run, std::ostream& out);

}  // namespace memspy::report
