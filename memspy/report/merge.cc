// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/merge.h"

#include <algorithm>

#include "report/catalog.h"
#include "report/errors.h"
#include "report/sections/ranks/spread.h"

namespace memspy::report {
namespace {

bool run_before(const Run& left, const Run& right) {
    auto all = [](const Run& run) {
        return std::tuple(run.start, run.end, run.pid, run.ppid, run.arch, run.command.exe,
                          texts_of(run.command.arguments), texts_of(run.options.arguments));
    };
    return all(left) < all(right);
}

}  // namespace

void Merger::begin_file() {
    ++file_;
    numbers_ = {};
    rank_ = kNobody;
}

void Merger::header(const Header& record) {
    from_merge_ = record.made_by == "merge";
    single(header_, record);
    if (file_ > 1) header_->made_by = "merge";
}

void Merger::run(const Run& record) {
    runs_.push_back(record);
    rank_ = from_merge_ ? kNobody : record.rank;
}

void Merger::module(const Module& record) {
    numbers_.modules.set(static_cast<u32>(record.id), modules_.add(record, file_));
}

void Merger::stack(const Stack& record) {
    Stack copy = record;
    for_each_reference(copy, numbers_);
    numbers_.stacks.set(static_cast<u32>(record.id), stacks_.add(copy, file_));
}

void Merger::object(const Object& record) {
    Object copy = record;
    for_each_reference(copy, numbers_);
    numbers_.objects.set(static_cast<u32>(record.id), objects_.add(copy, file_));
}

void Merger::record(const AnyRecord& record) {
    std::unique_ptr<MergedRecords>& merged = records_[&record.type];
    if (!merged) merged = record.type.merged(record.type);
    merged->add(record, file_, numbers_);
    if (rank_ != kNobody && record.section.findings != nullptr) record.section.findings(record, *this);
}

namespace {

const Section& ranks_section() { return *find_section("ranks"); }
const RecordType& finding_type() { return *ranks_section().find("finding"); }

}  // namespace

void Merger::finding(const RankFinding& finding) {
    ranks::Finding record;
    record.kind = strings_.intern(finding.kind);
    record.unit = strings_.intern(finding.unit);
    record.stack = finding.stack;
    record.what = strings_.intern(finding.what);
    for (const ObjectId object : finding.objects) record.objects.push_back({object});
    ranks::set_value(record, rank_, finding.value);
    this->record({ranks_section(), finding_type(), &record});
}

bool Merger::errors(const ErrorFile& file) {
    const auto run = std::find_if(runs_.rbegin(), runs_.rend(), [&](const Run& each) {
        return each.pid == file.run.pid && texts_of(each.options.arguments) == file.run.options;
    });
    if (run == runs_.rend() || run->rank == kNobody) return false;
    begin_file();
    header_->made_by = "merge";
    rank_ = run->rank;
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        const Error& error = file.errors[i];
        Stack stack;
        stack.id = static_cast<StackId>(i + 1);
        if (!error.parts.empty())
            for (const ErrorFrame& each : error.parts.front().stack) {
                Frame& frame = stack.frames.emplace_back();
                frame.fn = each.fn.empty() ? strings_.intern(base_name(each.object)) : each.fn;
                frame.dir = each.dir;
                frame.file = each.file;
                frame.line = each.line;
            }
        this->stack(stack);
        const bool leak = error.leaked_bytes != 0;
        finding({.kind = error.kind,
                 .unit = leak ? "bytes" : "times",
                 .stack = stack.id,
                 .what = error.what,
                 .value = leak ? error.leaked_bytes : file.counts[i]});
    }
    return true;
}

// A single file keeps its order. The result of several files is sorted by keys; records that refer to others
// are sorted when those have their final numbers.
template <typename R>
std::vector<u32> Merger::order_of(const MergedTable<R>& table) const {
    if (file_ <= 1) return table.in_order_of_arrival();
    return table.ordered([](const R& left, const R& right) { return compare_keys(left, right) < 0; });
}

// Gives the records their numbers. Returns the numbers by index.
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

void Merger::emit(ProfileHandler& to) {
    if (!header_) return;
    if (file_ <= 1 && !from_merge_) records_.erase(&finding_type());
    to.header(*header_);
    if (file_ > 1) std::sort(runs_.begin(), runs_.end(), run_before);
    for (const Run& run : runs_) to.run(run);

    FinalNumbers numbers;
    const std::vector<u32> module_order = order_of(modules_);
    numbers.modules = renumber<ModuleId>(modules_, module_order);
    for (const u32 index : module_order) to.module(modules_[index]);

    for (std::size_t i = 0; i < stacks_.size(); ++i) for_each_reference(stacks_[i], numbers);
    const std::vector<u32> stack_order = order_of(stacks_);
    numbers.stacks = renumber<StackId>(stacks_, stack_order);
    for (const u32 index : stack_order) to.stack(stacks_[index]);

    for (std::size_t i = 0; i < objects_.size(); ++i) for_each_reference(objects_[i], numbers);
    const std::vector<u32> object_order = order_of(objects_);
    numbers.objects = renumber<ObjectId>(objects_, object_order);
    for (const u32 index : object_order) to.object(objects_[index]);

    for (const u32 index : order_of(threads_)) to.thread(threads_[index]);
    for (const Section* section : all_sections())
        for (const RecordType& type : section->records)
            if (const auto records = records_.find(&type); records != records_.end())
                records->second->emit(*section, type, numbers, file_ <= 1, to);
}

}  // namespace memspy::report
