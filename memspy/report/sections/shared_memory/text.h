// SPDX-License-Identifier: GPL-2.0-or-later
//
// A table of the lines that processes take from each other.
#pragma once

#include <memory>

#include "report/command_line.h"

namespace memspy::report {
class TextPart;
class TextView;
}  // namespace memspy::report

namespace memspy::report::shared_memory {

std::unique_ptr<TextPart> text_part(const TextView& view);
extern const Command kSharedMemoryCommand;  // memspy-report shared-memory

}  // namespace memspy::report::shared_memory
