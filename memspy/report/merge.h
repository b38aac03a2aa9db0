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

#include <optional>
#include <vector>

#include "report/folding.h"
#include "report/id_index.h"
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
    void contention_model(const ContentionModel& record) override { single(model_, record); }
    void quality(const Quality& record) override { single(quality_, record); }
    void total(const Total& record) override { single(total_, record); }
    void thread_counts(const ThreadCounts& record) override { thread_counts_.add(record, file_); }
    void row(const Row& record) override;
    void pair(const Pair& record) override;
    void line(const Line& record) override;
    void group(const Group& record) override;
    void zeros_model(const ZerosModel& record) override { single(zeros_model_, record); }
    void zero_total(const ZeroTotal& record) override { zero_totals_.add(record, file_); }
    void zero_row(const ZeroRow& record) override;
    void zero_object(const ZeroObject& record) override;

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
    template <typename R>
    void emit_all(MergedTable<R>& table, ProfileHandler& to, void (ProfileHandler::*take)(const R&)) const;
    void emit_groups(ProfileHandler& to);
    void refer_to_numbers(const std::vector<ObjectId>& objects, const std::vector<StackId>& stacks);

    u32 file_ = 0;
    IdIndex module_numbers_, stack_numbers_, object_numbers_;  // of the file at hand

    std::optional<Header> header_;
    std::vector<Run> runs_;
    MergedTable<Module> modules_;
    MergedTable<Stack> stacks_;
    MergedTable<Object> objects_;
    MergedTable<Thread> threads_;
    std::optional<ContentionModel> model_;
    std::optional<Quality> quality_;
    std::optional<Total> total_;
    MergedTable<ThreadCounts> thread_counts_;
    MergedTable<Row> rows_;
    MergedTable<Pair> pairs_;
    MergedTable<Line> lines_;
    MergedTable<Group> groups_;
    std::optional<ZerosModel> zeros_model_;
    MergedTable<ZeroTotal> zero_totals_;
    MergedTable<ZeroRow> zero_rows_;
    MergedTable<ZeroObject> zero_objects_;
};

}  // namespace memspy::report
