// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings speak of types and fields that debug information knows by now: their data is completed, and their
// sentences are made again.
#pragma once

#include "report/record_type.h"

namespace memspy::report {
class ProfileHandler;
class SourceNames;
}  // namespace memspy::report

namespace memspy::report::contention {

void pass_with_names(const AnyRecord& record, SourceNames& names, ProfileHandler& to);

}  // namespace memspy::report::contention
