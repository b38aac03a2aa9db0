// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables of `memspy-report text`: sums by object, by object and code, by thread; the worst lines as maps;
// redundant zeros by code and by object. Rows are added up while they are read, so memory grows with the
// number of objects and code places rather than with the file.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/catalog.h"
#include "report/sections/contention/records.h"
#include "report/sections/zeros/records.h"
#include "report/source_names.h"
#include "report/sums_table.h"
#include "report/table.h"

namespace memspy::report {

// The rows that count. Patterns are those of the shell (`*worker*`); empty: all.
struct RowFilter {
    std::string object;
    std::string function;  // for any frame of the row's stack
    std::string file;      // the same: base name or path
    u32 thread = 0;
};

enum class SortBy : u8 { Events, Modelled, Observed, Misses, Invalidations, False, Accesses, Name };
inline constexpr std::string_view kSortWords =
    "events|modelled|observed|misses|invalidations|false|accesses|name";

struct TextOptions {
    RowFilter filter;
    SortBy sort = SortBy::Events;
    u64 top = 20;
    std::vector<std::string> own;             // the same as for Catalog::set_own
    TableFormat format = TableFormat::Plain;  // Tsv: tables only
};

class TextReport : public Catalog {
public:
    // `names` may be null.
    TextReport(const TextOptions& options, SourceNames* names) : options_(options), names_(names) {
        set_own(options.own);
    }

    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void record(const AnyRecord& record) override;

    void print(const std::string& file, std::ostream& out) const;

private:
    // The part of a sum of rows that the tables show.
    struct EventSums {
        u64 misses = 0, invalidations = 0, false_events = 0;
        u64 all() const { return misses + invalidations; }
        void add(const contention::Counts& counts);
    };
    struct Sums {
        EventSums modelled, observed;
        u64 accesses = 0, processes = 0;
        void add(const contention::Row& row);
        // The view with more events, by which a row is ranked.
        const EventSums& larger() const { return observed.all() > modelled.all() ? observed : modelled; }
    };
    struct ZeroSums {
        u64 loads = 0, elements = 0, bytes = 0, redundant = 0, zero = 0;
        std::vector<std::string> advice;  // of all rows
    };
    // The innermost frame, or another frame with the same function and line: instructions of one line are one
    // row.
    using CodeKey = FrameIndex;

    void add(const contention::Row& record);
    void add(const contention::Line& record);
    void add(const contention::Group& record);
    void add(const zeros::Row& record);
    void add(const zeros::ObjectCounts& record);
    bool passes(const Stack& stack) const;
    CodeKey code_at(FrameIndex frame);
    bool wants(StackId stack) const;
    bool wants(ObjectId object) const;
    bool wants(ThreadId thread) const;
    CodeKey code_of(StackId id) const;
    std::string code_label(CodeKey code) const;
    u64 sort_key(const Sums& sums) const;
    void print_sums(const char* title, const SumsTable<Sums>& sums, bool with_code, std::ostream& out) const;
    void print_tsv(std::ostream& out) const;
    void print_groups_tsv(std::ostream& out) const;
    void print_head(const std::string& file, std::ostream& out) const;
    void print_contention(std::ostream& out) const;
    void print_threads(std::ostream& out) const;
    void print_groups(std::ostream& out) const;
    void print_lines(std::ostream& out) const;
    void print_line(const contention::Line& line, std::ostream& out) const;
    void print_fields(const contention::Extent& extent, std::ostream& out) const;
    void print_zeros(std::ostream& out) const;
    static constexpr std::size_t kLines = 5;    // maps that are shown
    static constexpr std::size_t kFields = 16;  // fields named for an extent
    static constexpr CodeKey kNoCode = ~u32{0};

    TextOptions options_;
    SourceNames* names_;
    IdIndex codes_;   // for the stacks that pass the filter
    IdIndex wanted_;  // for the objects that pass it
    std::unordered_map<FrameIndex, CodeKey> code_of_frame_;
    std::unordered_map<std::string, CodeKey> code_of_label_;
    std::optional<contention::Model> model_;
    std::optional<contention::Quality> quality_;
    std::optional<contention::Total> total_;
    std::vector<contention::ThreadCounts> thread_counts_;
    // By object (upper half of the key) and code.
    SumsTable<Sums> by_object_, by_code_;
    std::vector<contention::Line> lines_;    // the worst so far
    std::vector<contention::Group> groups_;  // those with texts
    std::optional<zeros::Model> zeros_model_;
    std::optional<zeros::Total> zeros_total_;
    std::map<std::pair<CodeKey, std::string>, ZeroSums> zeros_by_code_;
    std::vector<zeros::ObjectCounts> zero_objects_;
};

}  // namespace memspy::report
