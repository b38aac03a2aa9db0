// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/heap_profile/advice.h"

#include <algorithm>

#include "report/shares.h"
#include "report/table.h"

namespace memspy::report::heap_profile {
namespace {

// --- Rules. Each is held by programs of tests/run/heap/advice: those that need a change have their advice, the
// others (fine_*) none. ---

// Instructions that a pair of malloc and free takes, and bytes that an instruction copies: of glibc and its
// memcpy, in round figures. They weigh what is done against the whole run.
constexpr u64 kPerBlock = 100, kCopiedPerInstruction = 8;
// Of the run's instructions: below it a change is not felt.
constexpr u64 kRunPercent = 2;
// Of the peak, or of all bytes loaded from blocks.
constexpr u64 kPeakPercent = 5;
// Bytes: the start of a program that does nothing stays below it.
constexpr u64 kLeast = 16'384;
// Growth by a factor of two copies each byte about once; more than this many times is growth by a step.
constexpr u64 kCopies = 4;
constexpr u64 kLeastGrowths = 8;
// Growth by a factor of two leaves a quarter in the mean.
constexpr u64 kRoomPercent = 25;
// A member is cold if its bytes are loaded this many times less than those of the member loaded most.
constexpr u64 kColder = 20;
// A struct that is smaller than half a cache line brings no cold members that matter.
constexpr u64 kLeastStruct = 32;

bool is_part(u64 part, u64 whole, u64 percent) { return whole != 0 && part * 100 >= whole * percent; }

std::string sizes(const Context& sum) {
    return sum.least == sum.most ? with_commas(sum.most) + " bytes"
                                 : with_commas(sum.least) + " to " + with_commas(sum.most) + " bytes";
}

struct Advisor {
    const HeapRecords& records;
    std::vector<HeapAdvice> result{};

    void add(HeapAdviceKind kind, const HeapLine& line, u64 figure, u64 weight, std::string text) {
        result.push_back({kind, figure, weight, line.function, line.line, std::move(text), line.sum.stack});
    }

    void growth(const HeapLine& line) {
        const Context& sum = line.sum;
        const u64 times = sum.resized + sum.grown, copied = sum.copied + sum.grown_bytes;
        const u64 cost = times * kPerBlock + copied / kCopiedPerInstruction;
        if (times < kLeastGrowths || copied < kLeast || !is_part(cost, records.total().end_time, kRunPercent))
            return;
        const std::string why = ": blocks grew " + with_commas(times) + " times, and " + with_commas(copied) +
                                " bytes were moved for that";
        // All that is alive at once, or the largest block of many that are freed in turn.
        const u64 final = std::max(sum.max_bytes, sum.bytes - std::min(sum.bytes, copied));
        const bool by_step = copied > kCopies * final ||
                             (sum.most != 0 && copied > kCopies * 4 * sum.most && sum.blocks - times <= 4);
        add(HeapAdviceKind::Growth, line, copied, millionths(cost, records.total().end_time),
            (by_step ? "double the size when a block is full, or allocate all at once, at "
                     : "reserve the size, or allocate all at once, at ") +
                line.line + why);
    }

    void temporary(const HeapLine& line) {
        const Context& sum = line.sum;
        const u64 cost = sum.temporary * kPerBlock;
        if (!is_mostly(sum.temporary, sum.blocks) || !is_part(cost, records.total().end_time, kRunPercent))
            return;
        if (2 * (sum.resized + sum.grown) > sum.blocks) return;  // growth says more
        add(HeapAdviceKind::Temporary, line, sum.temporary, millionths(cost, records.total().end_time),
            "keep one block for all rounds, or a local variable, at " + line.line + ": " +
                with_commas(sum.temporary) + " of " + with_commas(sum.blocks) + " blocks of " + sizes(sum) +
                " live less than " + with_commas(records.model().temporary) + " instructions");
    }

    void unread(const HeapLine& line) {
        const Context& sum = line.sum;
        if (!records.has_accesses() || sum.never_read < kLeast || !is_mostly(sum.never_read, sum.bytes))
            return;
        if (!is_part(sum.max_bytes, records.total().peak_bytes, kPeakPercent)) return;
        // Of the bytes that are written.
        const u64 in_vain = sum.never_read - std::min(sum.never_read, sum.never_written);
        const bool unwritten = !is_mostly(in_vain, sum.bytes - std::min(sum.bytes, sum.never_written));
        add(HeapAdviceKind::Unread, line, sum.never_read,
            millionths(sum.max_bytes, records.total().peak_bytes),
            (unwritten ? "allocate less, or only when it is used, at "
                       : "drop what is written to the blocks of ") +
                line.line + ": " + percent(sum.never_read, sum.bytes) + " of their bytes are never read" +
                (unwritten ? ", and " + percent(sum.never_written, sum.bytes) + " never written" : ""));
    }

    void room(const HeapLine& line) {
        const Context& sum = line.sum;
        if (!records.has_accesses() || sum.unused_end < kLeast || is_mostly(sum.never_read, sum.bytes))
            return;
        if (!is_part(sum.unused_end, sum.max_bytes, kRoomPercent)) return;
        // Of blocks that come one after the other the room is not there at once.
        const u64 at_once =
            sum.unused_end * sum.max_bytes /
            std::max<u64>(
                1, std::max(sum.bytes - std::min(sum.bytes, sum.copied + sum.grown_bytes), sum.max_bytes));
        if (!is_part(at_once, records.total().peak_bytes, kPeakPercent)) return;
        add(HeapAdviceKind::Room, line, sum.unused_end, millionths(at_once, records.total().peak_bytes),
            "allocate what is used, or shrink it when it is full (reserve, shrink_to_fit, realloc), at " +
                line.line + ": the last " + with_commas(sum.unused_end) +
                " bytes of its blocks are never read or written, and at most " + with_commas(sum.max_bytes) +
                " live at once");
    }

    void leak(const HeapLine& line) {
        const Context& sum = line.sum;
        const std::vector<u64>& history = line.history;
        if (history.size() < 8 || !is_mostly(sum.end_bytes, sum.max_bytes) || sum.end_bytes < kLeast) return;
        if (!is_part(sum.end_bytes, records.total().peak_bytes, kPeakPercent) ||
            sum.end_blocks < kLeastGrowths)
            return;
        // In each quarter of the run.
        const std::size_t quarter = history.size() / 4;
        for (std::size_t i = 1; i < 4; ++i)
            if (history[i * quarter] <= history[(i - 1) * quarter]) return;
        if (sum.end_bytes <= history[3 * quarter]) return;
        add(HeapAdviceKind::Leak, line, sum.end_bytes, millionths(sum.end_bytes, records.total().peak_bytes),
            "free what is no longer used, allocated at " + line.line +
                ": it grows in each quarter of the run, and " + with_commas(sum.end_bytes) + " bytes in " +
                with_commas(sum.end_blocks) + " blocks live at the end");
    }
};

std::string list(const std::vector<const FieldUse*>& fields) {
    constexpr std::size_t kMost = 5;
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i == kMost) return text + " and " + std::to_string(fields.size() - kMost) + " more";
        text += (i == 0 ? "" : i + 1 == fields.size() ? " and " : ", ") + fields[i]->path;
    }
    return text;
}

void cold(const StructUse& of, u64 all_loaded, std::vector<HeapAdvice>& to) {
    if (!of.may_change || of.size < kLeastStruct || of.max_bytes < kLeast) return;
    if (!is_part(of.loaded, all_loaded, kPeakPercent)) return;
    const auto per_byte = [](const FieldUse& field) { return field.loaded / std::max<u64>(1, field.size); };
    u64 most = 0;
    for (const FieldUse& field : of.fields) most = std::max(most, per_byte(field));
    std::vector<const FieldUse*> hot, cold;
    u64 cold_bytes = 0, hot_loaded = 0;
    for (const FieldUse& field : of.fields) {
        const bool is_cold = per_byte(field) * kColder <= most;
        (is_cold ? cold : hot).push_back(&field);
        (is_cold ? cold_bytes : hot_loaded) += is_cold ? field.size : field.loaded;
    }
    if (2 * cold_bytes < of.size) return;
    to.push_back({HeapAdviceKind::Cold, cold_bytes, millionths(of.loaded, all_loaded), of.function, of.line,
                  "part " + of.type + " of " + of.line + " in two: " + list(hot) + " " +
                      (hot.size() == 1 ? "has " : "have ") + percent(hot_loaded, of.loaded) +
                      " of what is loaded, " + list(cold) + " nearly nothing of it, in " +
                      std::to_string(cold_bytes) + " of " + std::to_string(of.size) + " bytes",
                  of.stack});
}

}  // namespace

std::vector<HeapAdvice> heap_advice(const Catalog& catalog, const HeapRecords& records, SourceNames* names) {
    Advisor advisor{records};
    for (const HeapLine& line : heap_lines(catalog, records)) {
        if (!line.may_change) continue;
        advisor.growth(line);
        advisor.temporary(line);
        advisor.unread(line);
        advisor.room(line);
        advisor.leak(line);
    }
    u64 loaded = 0;
    for (const Context& context : records.contexts()) loaded += context.loaded;
    for (const StructUse& of : struct_uses(catalog, records, names)) cold(of, loaded, advisor.result);
    std::ranges::stable_sort(advisor.result, std::ranges::greater{}, &HeapAdvice::weight);
    return advisor.result;
}

namespace {

constexpr ConclusionField kAdviceFields[] = {{"kind", "text"},     {"figure", "count"}, {"share", "number"},
                                             {"function", "text"}, {"line", "text"},    {"stack", "stack"},
                                             {"text", "text"}};
constexpr ConclusionField kMemberFields[] = {{"function", "text"}, {"line", "text"},    {"stack", "stack"},
                                             {"type", "text"},     {"field", "text"},   {"offset", "number"},
                                             {"size", "number"},   {"loaded", "count"}, {"stored", "count"}};
constexpr ConclusionList kLists[] = {{"advice", kAdviceFields}, {"members", kMemberFields}};

class HeapConclusions : public Conclusion {
public:
    void record(const AnyRecord& record) override { records_.take(record); }
    std::vector<ConclusionRow> rows(std::size_t list, const Catalog& catalog,
                                    SourceNames* names) const override {
        return list == 0 ? advice(catalog, names) : members(catalog, names);
    }

private:
    std::vector<ConclusionRow> advice(const Catalog& catalog, SourceNames* names) const {
        std::vector<ConclusionRow> rows;
        for (const HeapAdvice& each : heap_advice(catalog, records_, names))
            rows.push_back({kAdviceWords[static_cast<u32>(each.kind)], each.figure, each.weight,
                            each.function, each.line, u64{static_cast<u32>(each.stack)}, each.text});
        return rows;
    }
    std::vector<ConclusionRow> members(const Catalog& catalog, SourceNames* names) const {
        std::vector<ConclusionRow> rows;
        for (const StructUse& of : struct_uses(catalog, records_, names))
            for (const FieldUse& field : of.fields)
                rows.push_back({of.function, of.line, u64{static_cast<u32>(of.stack)}, of.type, field.path,
                                field.place, field.size, field.loaded, field.stored});
        return rows;
    }

    HeapRecords records_;
};

}  // namespace

const ConclusionKind kConclusions{
    kLists, []() -> std::unique_ptr<Conclusion> { return std::make_unique<HeapConclusions>(); }};

}  // namespace memspy::report::heap_profile
