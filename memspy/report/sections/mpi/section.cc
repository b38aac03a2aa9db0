// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/mpi/command.h"
#include "report/sections/mpi/records.h"

namespace memspy::report::mpi {

void fold(Sends&, const Sends&) {}
void fold(Receives&, const Receives&) {}
void fold(Collectives&, const Collectives&) {}

namespace {
constexpr const Command* kCommands[] = {&kMpiCommand};
}

#define MEMSPY_FIELDS "profile/fields/mpi.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName, .records = kRecords, .commands = kCommands};

}  // namespace memspy::report::mpi
