// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/merge.h"

#include <algorithm>

namespace memspy::report {
namespace {

// `reference` as an index of what it names, plus one: in the tables, records refer to each other so.
// 0 is what the file does not define.
template <Reference T>
void translate(T& reference, const IdIndex& indices) {
    reference = static_cast<T>(indices.find(static_cast<u32>(reference)) + 1);
}

// Back from such an index to the number that stands in the new file.
template <Reference T>
void number(T& reference, const std::vector<T>& ids) {
    const u32 index = static_cast<u32>(reference);
    reference = index == 0 ? T{} : ids[index - 1];
}

bool run_before(const Run& left, const Run& right) {
    auto all = [](const Run& run) {
        return std::tie(run.start, run.end, run.pid, run.ppid, run.arch, run.exe, run.arguments, run.options);
    };
    return all(left) < all(right);
}

}  // namespace

void Merger::begin_file() {
    ++file_;
    module_numbers_.clear();
    stack_numbers_.clear();
    object_numbers_.clear();
}

void Merger::header(const Header& record) {
    single(header_, record);
    if (file_ > 1) header_->made_by = "merge";
}

void Merger::module(const Module& record) {
    module_numbers_.set(static_cast<u32>(record.id), modules_.add(record, file_));
}

void Merger::stack(const Stack& record) {
    Stack copy = record;
    for (Frame& frame : copy.frames) translate(frame.module, module_numbers_);
    stack_numbers_.set(static_cast<u32>(record.id), stacks_.add(copy, file_));
}

void Merger::object(const Object& record) {
    Object copy = record;
    translate(copy.stack, stack_numbers_);
    translate(copy.module, module_numbers_);
    object_numbers_.set(static_cast<u32>(record.id), objects_.add(copy, file_));
}

void Merger::row(const Row& record) {
    Row copy = record;
    translate(copy.object, object_numbers_);
    translate(copy.stack, stack_numbers_);
    rows_.add(copy, file_);
}

void Merger::pair(const Pair& record) {
    Pair copy = record;
    translate(copy.object, object_numbers_);
    pairs_.add(copy, file_);
}

void Merger::line(const Line& record) {
    Line copy = record;
    for (Extent& extent : copy.extents) translate(extent.object, object_numbers_);
    lines_.add(copy, file_);
}

void Merger::group(const Group& record) {
    Group copy = record;
    for (Member& member : copy.members) translate(member.object, object_numbers_);
    for (Side& side : copy.sides) translate(side.stack, stack_numbers_);
    groups_.add(copy, file_);
}

void Merger::zero_row(const ZeroRow& record) {
    ZeroRow copy = record;
    translate(copy.stack, stack_numbers_);
    zero_rows_.add(copy, file_);
}

void Merger::zero_object(const ZeroObject& record) {
    ZeroObject copy = record;
    translate(copy.object, object_numbers_);
    zero_objects_.add(copy, file_);
}

// One file keeps its order. What several become is sorted by keys, which for records that refer to others is
// meaningful once those have their final numbers.
template <typename R>
std::vector<u32> Merger::order_of(const MergedTable<R>& table) const {
    if (file_ <= 1) return table.in_order_of_arrival();
    return table.ordered([](const R& left, const R& right) { return compare_keys(left, right) < 0; });
}

// Gives the records their numbers; the result tells the number by index.
template <typename Id, typename R>
std::vector<Id> Merger::renumber(MergedTable<R>& table, const std::vector<u32>& order) const {
    std::vector<Id> ids(table.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        Id& id = table[order[i]].id;
        if (file_ > 1) id = static_cast<Id>(i + 1);
        ids[order[i]] = id;
    }
    return ids;
}

template <typename R>
void Merger::emit_all(MergedTable<R>& table, ProfileHandler& to,
                      void (ProfileHandler::*take)(const R&)) const {
    for (const u32 index : order_of(table)) (to.*take)(table[index]);
}

void Merger::refer_to_numbers(const std::vector<ObjectId>& objects, const std::vector<StackId>& stacks) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        number(rows_[i].object, objects);
        number(rows_[i].stack, stacks);
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) number(pairs_[i].object, objects);
    for (std::size_t i = 0; i < lines_.size(); ++i)
        for (Extent& extent : lines_[i].extents) number(extent.object, objects);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        for (Member& member : groups_[i].members) number(member.object, objects);
        for (Side& side : groups_[i].sides) number(side.stack, stacks);
    }
    for (std::size_t i = 0; i < zero_rows_.size(); ++i) number(zero_rows_[i].stack, stacks);
    for (std::size_t i = 0; i < zero_objects_.size(); ++i) number(zero_objects_[i].object, objects);
}

// Findings first, and those first of which most can be removed. Groups of one key stay together and in their
// order, since that tells them apart in the next merge.
void Merger::emit_groups(ProfileHandler& to) {
    std::vector<u32> order = order_of(groups_);
    if (file_ > 1) {
        std::vector<std::pair<bool, u64>> ranks(groups_.size());
        for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
            std::pair<bool, u64> rank;
            for (end = begin; end < order.size() && same_key(groups_[order[begin]], groups_[order[end]]);
                 ++end)
                rank = std::max(rank, {groups_[order[end]].finding, groups_[order[end]].removable});
            for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = rank;
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](u32 left, u32 right) { return ranks[left] > ranks[right]; });
    }
    for (const u32 index : order) {
        Group& group = groups_[index];
        if (file_ > 1) {
            auto before = [](const auto& a, const auto& b) { return compare_fields(a, b) < 0; };
            auto same = [](const auto& a, const auto& b) { return compare_fields(a, b) == 0; };
            std::sort(group.members.begin(), group.members.end(), before);
            std::sort(group.sides.begin(), group.sides.end(), before);
            group.sides.erase(std::unique(group.sides.begin(), group.sides.end(), same), group.sides.end());
        }
        to.group(group);
    }
}

void Merger::emit(ProfileHandler& to) {
    if (!header_) return;
    to.header(*header_);
    if (file_ > 1) std::sort(runs_.begin(), runs_.end(), run_before);
    for (const Run& run : runs_) to.run(run);

    const std::vector<u32> module_order = order_of(modules_);
    const auto modules = renumber<ModuleId>(modules_, module_order);
    for (const u32 index : module_order) to.module(modules_[index]);

    for (std::size_t i = 0; i < stacks_.size(); ++i)
        for (Frame& frame : stacks_[i].frames) number(frame.module, modules);
    const std::vector<u32> stack_order = order_of(stacks_);
    const auto stacks = renumber<StackId>(stacks_, stack_order);
    for (const u32 index : stack_order) to.stack(stacks_[index]);

    for (std::size_t i = 0; i < objects_.size(); ++i) {
        number(objects_[i].module, modules);
        number(objects_[i].stack, stacks);
    }
    const std::vector<u32> object_order = order_of(objects_);
    const auto objects = renumber<ObjectId>(objects_, object_order);
    for (const u32 index : object_order) to.object(objects_[index]);

    refer_to_numbers(objects, stacks);
    emit_all(threads_, to, &ProfileHandler::thread);
    if (model_) to.contention_model(*model_);
    if (quality_) to.quality(*quality_);
    if (total_) to.total(*total_);
    emit_all(thread_counts_, to, &ProfileHandler::thread_counts);
    emit_all(rows_, to, &ProfileHandler::row);
    emit_all(pairs_, to, &ProfileHandler::pair);
    emit_all(lines_, to, &ProfileHandler::line);
    emit_groups(to);
    if (zeros_model_) to.zeros_model(*zeros_model_);
    emit_all(zero_totals_, to, &ProfileHandler::zero_total);
    emit_all(zero_rows_, to, &ProfileHandler::zero_row);
    emit_all(zero_objects_, to, &ProfileHandler::zero_object);
}

}  // namespace memspy::report
