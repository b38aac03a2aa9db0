// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/defects/records.h"
#include "report/sections/defects/text.h"

namespace memspy::report::defects {

#define MEMSPY_FIELDS "fields/defects.def"
#include "report/section_from.h"

static std::optional<PlacedFinding> placed_finding(const AnyRecord& record, const Catalog&) {
    const auto* const defect = record.as<Defect>();
    if (defect == nullptr) return std::nullopt;
    PlacedFinding finding{.kind = defect->kind,
                          .what = what_of(*defect),
                          .stack = defect->stack,
                          .thread = static_cast<u32>(defect->thread),
                          .times = defect->times,
                          .leaked_bytes = defect->leaked_bytes,
                          .leaked_blocks = defect->leaked_blocks};
    for (const DefectRemark& remark : defect->remarks)
        finding.remarks.push_back({std::string(remark.text), remark.stack});
    return finding;
}

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = {},
                       .text = text_part,
                       .comes_first = true,
                       .placed_finding = placed_finding};

}  // namespace memspy::report::defects
