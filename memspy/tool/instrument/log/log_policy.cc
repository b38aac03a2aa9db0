// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/log_policy.h"

namespace memspy::instrument {
namespace {

LogPolicy current;

}  // namespace

LogPolicy& log_policy() { return current; }

}  // namespace memspy::instrument
