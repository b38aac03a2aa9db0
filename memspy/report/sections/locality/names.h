// SPDX-License-Identifier: GPL-2.0-or-later
//
// Streams and advice name blocks by their types.
#pragma once

#include "report/record_type.h"

namespace memspy::report {
class ProfileHandler;
class SourceNames;
}  // namespace memspy::report

namespace memspy::report::locality {

void pass_with_names(const AnyRecord& record, SourceNames& names, ProfileHandler& to);

}  // namespace memspy::report::locality
