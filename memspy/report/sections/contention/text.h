// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sums by object, by object and code, by thread; the worst lines as maps.
#pragma once

#include <memory>

namespace memspy::report {
class TextPart;
class TextView;
}  // namespace memspy::report

namespace memspy::report::contention {

std::unique_ptr<TextPart> text_part(const TextView& view);

}  // namespace memspy::report::contention
