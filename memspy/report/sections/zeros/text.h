// SPDX-License-Identifier: GPL-2.0-or-later
//
// Redundant zeros by code and by object.
#pragma once

#include <memory>

namespace memspy::report {
class TextPart;
class TextView;
}  // namespace memspy::report

namespace memspy::report::zeros {

std::unique_ptr<TextPart> text_part(const TextView& view);

}  // namespace memspy::report::zeros
