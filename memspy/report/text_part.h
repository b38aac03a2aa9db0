// SPDX-License-Identifier: GPL-2.0-or-later
//
// A section's tables of `memspy-report text`, and what all sections' tables share: the filter of rows, names,
// the number of rows. Rows are added up while they are read, so memory grows with the number of objects and
// code places rather than with the file.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/catalog.h"
#include "report/source_names.h"
#include "report/table.h"

namespace memspy::report {

// The rows that count. Patterns are those of the shell (`*worker*`); empty: all.
struct RowFilter {
    std::string object;
    std::string function;  // for any frame of the row's stack
    std::string file;      // the same: base name or path
    u32 thread = 0;
};

struct TextOptions {
    RowFilter filter;
    std::string_view sort;  // the option's word
    u64 top = 20;
    std::vector<std::string> own;             // the same as for Catalog::set_own
    TableFormat format = TableFormat::Plain;  // Tsv: tables only
};

// The innermost frame, or another frame with the same function and line: instructions of one line are one
// row.
using CodeKey = FrameIndex;
inline constexpr CodeKey kNoCode = ~u32{0};

// A profile's catalog with the rows that are wanted.
class TextView : public Catalog {
public:
    // `names` may be null.
    TextView(const TextOptions& options, SourceNames* names) : options_(options), names_(names) {
        set_own(OwnCode(options.own));
    }

    void stack(const Stack& record) override;
    void object(const Object& record) override;

    const TextOptions& options() const { return options_; }
    bool plain() const { return options_.format == TableFormat::Plain; }
    SourceNames* names() const { return names_; }
    bool wants(StackId stack) const;
    bool wants(ObjectId object) const;
    bool wants(ThreadId thread) const;
    CodeKey code_of(StackId id) const { return codes_.find(static_cast<u32>(id)); }
    std::string code_label(CodeKey code) const;

    // The first rows of a table, as many as are wanted. Prints its title, with how many there are of how
    // many.
    template <typename T>
    void cut(std::vector<T>& rows, std::string_view title, std::ostream& out) const {
        const std::size_t all = rows.size();
        if (all > options_.top) rows.resize(options_.top);
        if (plain()) out << '\n' << title << ", " << rows.size() << " of " << all << '\n';
    }

private:
    bool passes(const Stack& stack) const;
    CodeKey code_at(FrameIndex frame);

    TextOptions options_;
    SourceNames* names_;
    IdIndex codes_;   // for the stacks that pass the filter
    IdIndex wanted_;  // for the objects that pass it
    std::unordered_map<FrameIndex, CodeKey> code_of_frame_;
    std::unordered_map<std::string, CodeKey> code_of_label_;
};

class TextPart {
public:
    virtual ~TextPart() = default;
    virtual void record(const AnyRecord& record) = 0;  // of its section
    // Titles and tables, or tables alone for Tsv.
    virtual void print(std::ostream& out) const = 0;
};

std::string number_of(ThreadId thread);
// `1,000 lines`, `1 process`.
std::string plural(u64 count, std::string_view what);

}  // namespace memspy::report
