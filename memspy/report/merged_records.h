// SPDX-License-Identifier: GPL-2.0-or-later
//
// The records of one type of a section, from several files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "report/folding.h"
#include "report/id_index.h"
#include "report/merged_table.h"
#include "report/model.h"
#include "report/section.h"

namespace memspy::report {

// While files are merged, a reference is an index in the tables of merged records, plus one; 0 if the file
// does not define the id.
struct FileNumbers {
    IdIndex modules, stacks, objects;

    void operator()(ModuleId& id) const { translate(id, modules); }
    void operator()(StackId& id) const { translate(id, stacks); }
    void operator()(ObjectId& id) const { translate(id, objects); }
    void operator()(ThreadId&) const {}  // means the same in every process

private:
    template <Reference T>
    static void translate(T& reference, const IdIndex& indices) {
        reference = static_cast<T>(indices.find(static_cast<u32>(reference)) + 1);
    }
};

// Converts such an index to the id in the new file.
struct FinalNumbers {
    std::vector<ModuleId> modules;
    std::vector<StackId> stacks;
    std::vector<ObjectId> objects;

    void operator()(ModuleId& id) const { number(id, modules); }
    void operator()(StackId& id) const { number(id, stacks); }
    void operator()(ObjectId& id) const { number(id, objects); }
    void operator()(ThreadId&) const {}

private:
    template <Reference T>
    static void number(T& reference, const std::vector<T>& ids) {
        const u32 index = static_cast<u32>(reference);
        reference = index == 0 ? T{} : ids[index - 1];
    }
};

class MergedRecords {
public:
    virtual ~MergedRecords() = default;
    virtual void add(const AnyRecord& record, u32 file, const FileNumbers& numbers) = 0;
    // Call once, in the order of the format. A single file keeps its own order.
    virtual void emit(const Section& section, const RecordType& type, const FinalNumbers& numbers,
                      bool one_file, ProfileHandler& to) = 0;
};

template <typename R>
class MergedRecordsOf : public MergedRecords {
public:
    explicit MergedRecordsOf(Multiplicity multiplicity) : many_(multiplicity == Multiplicity::Many) {}

    void add(const AnyRecord& record, u32 file, const FileNumbers& numbers) override {
        R copy = *static_cast<const R*>(record.data);
        for_each_reference(copy, numbers);
        if (many_) {
            table_.add(copy, file);
        } else if (single_) {
            fold_single(*single_, copy, record.section.name);
        } else {
            single_ = copy;
        }
    }

    void emit(const Section& section, const RecordType& type, const FinalNumbers& numbers, bool one_file,
              ProfileHandler& to) override {
        auto hand_over = [&](R& record) {
            if (!one_file) settle_lists(record);
            to.record({section, type, &record});
        };
        if (single_) {
            for_each_reference(*single_, numbers);
            hand_over(*single_);
        }
        for (std::size_t i = 0; i < table_.size(); ++i) for_each_reference(table_[i], numbers);
        for (const u32 index : order(one_file)) hand_over(table_[index]);
    }

private:
    std::vector<u32> order(bool one_file) const {
        if (one_file) return table_.in_order_of_arrival();
        std::vector<u32> indices =
            table_.ordered([](const R& left, const R& right) { return compare_keys(left, right) < 0; });
        // A type's own order, if it has one.
        if constexpr (requires { rank_in_file(std::declval<const R&>()); }) rank(indices);
        return indices;
    }

    // Records of one key stay together and in their order, because the next merge distinguishes them by it.
    // The first of them by rank stands for all.
    void rank(std::vector<u32>& indices) const {
        using RankInFile = decltype(rank_in_file(std::declval<const R&>()));
        std::vector<RankInFile> ranks(table_.size());
        for (std::size_t begin = 0, end; begin < indices.size(); begin = end) {
            RankInFile best{};
            for (end = begin; end < indices.size() && same_key(table_[indices[begin]], table_[indices[end]]);
                 ++end)
                best = std::max(best, rank_in_file(table_[indices[end]]));
            for (std::size_t i = begin; i < end; ++i) ranks[indices[i]] = best;
        }
        std::stable_sort(indices.begin(), indices.end(),
                         [&](u32 left, u32 right) { return ranks[left] > ranks[right]; });
    }

    bool many_;
    std::optional<R> single_;
    MergedTable<R> table_;
};

}  // namespace memspy::report
