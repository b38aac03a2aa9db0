// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/ranks/spread.h"
#include "report/sections/ranks/text.h"

namespace memspy::report::ranks {

#define MEMSPY_FIELDS "fields/ranks.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{
    .name = kName, .records = kRecords, .commands = {}, .text = text_part, .comes_first = true};

}  // namespace memspy::report::ranks
