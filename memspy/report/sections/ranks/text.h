// SPDX-License-Identifier: GPL-2.0-or-later
//
// A row for each finding: the ranks that have it, and how its figure is spread over them.
#pragma once

#include <memory>

namespace memspy::report {
class TextPart;
class TextView;
}  // namespace memspy::report

namespace memspy::report::ranks {

std::unique_ptr<TextPart> text_part(const TextView& view);

}  // namespace memspy::report::ranks
