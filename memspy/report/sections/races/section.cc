// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/races/command.h"
#include "report/sections/races/records.h"

namespace memspy::report::races {

namespace {
constexpr const Command* kCommands[] = {&kRacesCommand};
}

#define MEMSPY_FIELDS "fields/races.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName, .records = kRecords, .commands = kCommands};

}  // namespace memspy::report::races
