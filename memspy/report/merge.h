// SPDX-License-Identifier: GPL-2.0-or-later
//
// Merges several profiles. Records that mean the same, even if at other addresses, become one. Merging is
// associative and commutative. A single profile stays as it is, with its order and ids. Of a process that has
// a rank the findings and errors are noted by rank (section "ranks"), with its profile's first merge.
//
//     Merger merger(inputs.strings());
//     merger.begin_file(); inputs.read_profile(a, merger);
//     merger.begin_file(); inputs.read_profile(b, merger);
//     merger.errors(file);
//     merger.emit(writer);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "report/folding.h"
#include "report/merged_records.h"
#include "report/merged_table.h"
#include "report/model.h"
#include "report/section.h"
#include "report/string_pool.h"

namespace memspy::report {

struct ErrorFile;  // input.h

class Merger : public ProfileHandler, private FindingSink {
public:
    // All texts of the records are of this pool.
    explicit Merger(StringPool& strings) : strings_(strings) {}

    void begin_file();

    // Records may come in any order, but a record may only refer to records before it. Throws FoldError if
    // the file cannot be merged with those before.
    void header(const Header& record) override;
    void run(const Run& record) override;
    void module(const Module& record) override;
    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void thread(const Thread& record) override { threads_.add(record, file_); }
    void record(const AnyRecord& record) override;

    // Errors of a process whose profile has been read. False: there is none, or it has no rank.
    bool errors(const ErrorFile& file);

    // The file is incomplete, so the result is, too.
    void cut_short() {
        if (header_) header_->finished = false;
    }

    // The processes that have been read.
    const std::vector<Run>& runs() const { return runs_; }

    // Emits everything in the order of the format. Call only once: the records are renumbered.
    void emit(ProfileHandler& to);

private:
    void finding(const RankFinding& finding) override;

    template <typename R>
    static void single(std::optional<R>& into, const R& record) {
        if (into) {
            fold(*into, record);
        } else {
            into = record;
        }
    }
    template <typename R>
    std::vector<u32> order_of(const MergedTable<R>& table) const;
    template <typename Id, typename R>
    std::vector<Id> renumber(MergedTable<R>& table, const std::vector<u32>& order) const;
    StringPool& strings_;
    u32 file_ = 0;
    FileNumbers numbers_;      // of the present file
    bool from_merge_ = false;  // the present file has its findings by rank
    u64 rank_ = kNobody;       // whose findings are noted

    std::optional<Header> header_;
    std::vector<Run> runs_;
    MergedTable<Module> modules_;
    MergedTable<Stack> stacks_;
    MergedTable<Object> objects_;
    MergedTable<Thread> threads_;
    std::map<const RecordType*, std::unique_ptr<MergedRecords>> records_;
};

}  // namespace memspy::report
