// SPDX-License-Identifier: GPL-2.0-or-later
//
// `memspy-report text` for a profile: what ran, and the tables of its sections.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "report/text_part.h"

namespace memspy::report {

class TextReport : public TextView {
public:
    // `names` may be null.
    TextReport(const TextOptions& options, SourceNames* names);

    void record(const AnyRecord& record) override;

    // `whole`: the file could be read to its end.
    void print(const std::string& file, bool whole, std::ostream& out) const;

private:
    void print_ranks(std::ostream& out) const;
    void print_head(const std::string& file, std::ostream& out) const;

    struct SectionText {
        const Section& section;
        std::unique_ptr<TextPart> part;  // null: the section has commands of its own
        bool measured = false;
    };
    std::vector<SectionText> sections_;
};

}  // namespace memspy::report
