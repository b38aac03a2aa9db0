// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/waste/advice.h"

#include <algorithm>
#include <set>

#include "report/shares.h"
#include "report/table.h"

namespace memspy::report::waste {
namespace {

// --- Rules. Each is held by programs of tests/run/waste/advice: those that waste have their advice, the
// efficient ones (fine_*) none. ---

// Of all that the program stores, or loads: below it a change is not felt. Loads of the same value are part
// of any program (a product of matrices loads each element n times), so more is asked of them.
constexpr u64 kStoredPercent = 5, kLoadedPercent = 5;
// Making a text costs many times the bytes of the text.
constexpr u64 kTextPercent = 1;
// Bytes: the start of a program that does nothing stays below it.
constexpr u64 kLeast = 16'384;
// How often what is there is stored: the first time may be a block's or variable's own beginning, and a
// block that gets the memory of a freed one finds its values by chance.
constexpr u64 kStoredTimes = 3;
// How often the same bytes are searched, or copied: quicksort and binary search look at each as often as its
// count has binary digits.
constexpr u64 kPasses = 32;

u64 least_percent(const LineKey& key) {
    if (key.kind == kLoad) return kLoadedPercent;
    return key.callee.kind == CalleeKind::Format ? kTextPercent : kStoredPercent;
}

struct CountedRun {
    u64 rate;        // millionths of the run that were counted
    bool optimised;  // by a compiler
    u64 in_all(u64 counted) const {
        return static_cast<u64>(static_cast<double>(counted) * kMillion / static_cast<double>(rate));
    }
    bool is_part(u64 part, u64 whole, u64 percent) const {
        return in_all(part) >= kLeast && part * 100 >= whole * percent;
    }
};

// --- Words ---

std::string shares(u64 part, u64 whole) { return percent(part, whole) + " of the bytes"; }

// C's function, or a word for what the library's own code does.
std::string plain_name(const Callee& callee, const char* otherwise) {
    const std::string name = bare_function(callee.name);
    return name.find("__") == name.npos && name.find("::") == name.npos ? name : otherwise;
}

std::string name_of(const Callee& callee) {
    switch (callee.kind) {
        case CalleeKind::Format: return "the text that is formatted";
        case CalleeKind::Start: return "the initial values";
        case CalleeKind::Clear: return "the " + plain_name(callee, "clearing");
        case CalleeKind::Copy: return "the " + plain_name(callee, "copy");
        default: return "the stores";
    }
}

std::string verb_of(const Callee& callee) {
    switch (callee.kind) {
        case CalleeKind::Start:
        case CalleeKind::Clear: return "clear";
        case CalleeKind::Copy: return "copy";
        default: return "store";
    }
}

struct DeadEnd {
    std::string end, function, line;
    KillerSum killer{};
};
DeadEnd worst_end(const LineSum& sum) {
    DeadEnd worst;
    for (const auto& [key, killer] : sum.killers)
        if (killer.bytes > worst.killer.bytes)
            worst = {std::get<0>(key), std::get<1>(key), std::get<2>(key), killer};
    return worst;
}
std::string words_of(const DeadEnd& end) {
    const std::string at = end.line.empty() ? end.function : end.line;
    if (end.end == "freed") return "are freed" + (at.empty() ? "" : " at " + at) + " and never loaded";
    if (end.end == "stored") return "are stored again" + (at.empty() ? "" : " at " + at) + " before any load";
    return "are left with their frame and never loaded";
}

std::string dead_text(const LineKey& key, const LineSum& sum, bool is_optimised) {
    const DeadEnd end = worst_end(sum);
    const std::string why = ": " + shares(sum.bytes, sum.all) + " that it stores " + words_of(end);
    if (key.variable)
        return "do not set all of " + key.object + " at " + key.line +
               " (a reference instead of a copy, or only the members that are used)" + why;
    if (key.callee.kind == CalleeKind::Format)
        return "make the text at " + key.line + " only where it is used" + why;
    if (is_mostly(sum.in_place, sum.looked) && end.line == key.line)
        return !is_optimised
                   ? std::string()
                   : "keep " + sum.main_objects() +
                         " in a local variable and store it once behind the loop at " + key.line + why;
    if (end.line == key.line && end.end == "stored")
        return verb_of(key.callee) + " at " + key.line + " only what is used" + why;
    const bool may_wait =
        key.callee.kind == CalleeKind::None && end.end == "stored" && end.function == key.function;
    return "drop " + name_of(key.callee) + " at " + key.line +
           (may_wait ? ", or keep the values in local variables until " + end.line : "") + why;
}

std::string silent_text(const LineKey& key, const LineSum& sum) {
    const std::string why = ": " + shares(sum.bytes, sum.all) + " that it stores are there already";
    if (key.callee.kind == CalleeKind::Format)
        return "make the text at " + key.line + " only when it changes" + why;
    return verb_of(key.callee) + " at " + key.line + " only what changes" + why;
}

// `compares`: the line calls strcmp or its like.
std::string load_text(const LineKey& key, const LineSum& sum, const CountedRun& run, bool compares) {
    const std::string share = percent(sum.bytes, sum.all);
    if (is_mostly(sum.in_place, sum.looked) && key.callee.kind == CalleeKind::None)
        return !run.optimised || sum.unnamed
                   ? std::string()
                   : "keep " + sum.object() + " in a local variable, or say restrict: the loop at " +
                         key.line + " loads it from the same place again and again, and " + share +
                         " of the loads find the same value";
    const u64 held = sum.held_in_all();
    const u64 passes = !sum.holds_known || held == 0 ? 0 : run.in_all(sum.bytes) / held;
    if (passes < kPasses) return {};
    const std::string again = ": " + sum.object() + " is read about " + with_commas(passes) + " times, and " +
                              share + " of its bytes have not changed";
    switch (key.callee.kind) {
        case CalleeKind::Length: return "keep the length instead of asking for it at " + key.line + again;
        case CalleeKind::Copy: return "use the original, or copy when it changes, at " + key.line + again;
        case CalleeKind::None:
            if (!(sum.decides || compares) || !is_mostly(sum.near, sum.looked)) return {};
            return "search by an index (sorted, or a hash table) instead of one after the other at " +
                   key.line + again;
        default: return {};
    }
}

std::string text_of(const LineKey& key, const LineSum& sum, const CountedRun& run, bool compares) {
    switch (key.kind) {
        case kDead: return dead_text(key, sum, run.optimised);
        case kSilent:
            // Memory whose size is not known may be new each time.
            if (!sum.holds_known || run.in_all(sum.bytes) < kStoredTimes * sum.held_in_all()) return {};
            return silent_text(key, sum);
        default: return load_text(key, sum, run, compares);
    }
}

}  // namespace

std::vector<LineAdvice> advice_on(const Catalog& catalog, const WasteRecords& records, SourceNames* names,
                                  bool optimised) {
    const LineSums sums = sums_of_lines(catalog, records, names);
    const CountedRun run{records.model().bursts == 0 ? kMillion : std::max<u64>(records.model().rate, 1),
                         optimised};
    std::set<std::string> comparing;  // lines
    for (const auto& each : sums)
        if (each.first.callee.kind == CalleeKind::Compare) comparing.insert(each.first.line);
    std::vector<LineAdvice> result;
    std::set<std::string> told;  // lines: one change for each, that which takes away most, dead stores first
    for (u32 kind = 0; kind < kKinds; ++kind) {
        const u64 whole = records.whole(kind);
        std::set<std::string> now;
        for (const auto& [key, sum] : sums) {
            if (key.kind != kind || key.line.empty() || told.contains(key.line)) continue;
            if (!run.is_part(sum.bytes, whole, least_percent(key))) continue;
            if (!is_mostly(sum.bytes, sum.all)) continue;
            if (key.variable && !optimised) continue;
            std::string text = text_of(key, sum, run, comparing.contains(key.line));
            if (text.empty()) continue;
            now.insert(key.line);
            result.push_back({kind, sum.bytes, millionths(sum.bytes, whole), key.function, key.line,
                              sum.object(), std::move(text), sum.place(), worst_end(sum).killer.stack});
        }
        told.merge(now);
    }
    std::ranges::stable_sort(result, std::ranges::greater{}, &LineAdvice::amount);
    return result;
}

namespace {

constexpr ConclusionField kAdviceFields[] = {{"kind", "text"},     {"bytes", "count"},  {"share", "number"},
                                             {"function", "text"}, {"line", "text"},    {"label", "text"},
                                             {"stack", "stack"},   {"killer", "stack"}, {"text", "text"}};
constexpr ConclusionList kLists[] = {{"advice", kAdviceFields}};

class WasteAdvice : public Conclusion {
public:
    void record(const AnyRecord& record) override { records_.take(record); }
    std::vector<ConclusionRow> rows(std::size_t, const Catalog& catalog, SourceNames* names) const override {
        std::vector<ConclusionRow> rows;
        if (records_.empty()) return rows;
        for (const LineAdvice& each : advice_on(catalog, records_, names, is_optimised(catalog, records_)))
            rows.push_back({kKindWords[each.kind], each.bytes, each.amount, each.function, each.line,
                            each.object, u64{static_cast<u32>(each.place)},
                            u64{static_cast<u32>(each.killer)}, each.text});
        return rows;
    }

private:
    WasteRecords records_;
};

}  // namespace

const ConclusionKind kAdvice{kLists,
                             []() -> std::unique_ptr<Conclusion> { return std::make_unique<WasteAdvice>(); }};

}  // namespace memspy::report::waste
