// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several profiles as one: what is the same in two of them, wherever it was loaded, is one record. Merging is
// associative and commutative; one profile alone stays as it is, with its order and numbers.
//
//     Merger merger;
//     merger.begin_file(); inputs.read_profile(a, merger);
//     merger.begin_file(); inputs.read_profile(b, merger);
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

namespace memspy::report {

class Merger : public ProfileHandler {
public:
    void begin_file();

    // What it is given may be in any order, but what a record refers to comes before it. A FoldError when the
    // file cannot be merged with those before.
    void header(const Header& record) override;
    void run(const Run& record) override { runs_.push_back(record); }
    void module(const Module& record) override;
    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void thread(const Thread& record) override { threads_.add(record, file_); }
    void record(const AnyRecord& record) override;

    // The file is not whole: nor is the profile.
    void cut_short() {
        if (header_) header_->finished = false;
    }

    // The processes that have been read.
    const std::vector<Run>& runs() const { return runs_; }

    // All of it, in the order of the format. Only once: the records are renumbered.
    void emit(ProfileHandler& to);

private:
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
    u32 file_ = 0;
    FileNumbers numbers_;  // of the file at hand

    std::optional<Header> header_;
    std::vector<Run> runs_;
    MergedTable<Module> modules_;
    MergedTable<Stack> stacks_;
    MergedTable<Object> objects_;
    MergedTable<Thread> threads_;
    std::map<const RecordType*, std::unique_ptr<MergedRecords>> records_;
};

}  // namespace memspy::report
