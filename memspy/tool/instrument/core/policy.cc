// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/policy.h"

namespace memspy::instrument {
namespace {

Policy current;

}  // namespace

Policy& policy() { return current; }

}  // namespace memspy::instrument
