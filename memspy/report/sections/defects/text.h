// SPDX-License-Identifier: GPL-2.0-or-later
//
// A row for each defect and each leak.
#pragma once

#include <memory>
#include <string>

#include "report/sections/defects/records.h"

namespace memspy::report {
class TextPart;
class TextView;
}  // namespace memspy::report

namespace memspy::report::defects {

// "440 bytes in 1 block are definitely lost"; what the run said of other defects.
std::string what_of(const Defect& defect);

std::unique_ptr<TextPart> text_part(const TextView& view);

}  // namespace memspy::report::defects
