// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/rows.h"

#include <algorithm>

namespace memspy::zeros {
namespace {

using threads::CallPath;

// The part that counts up is in the lower half, where the map's hash spreads it best.
u64 key_of(SiteNumber number, CallPath path) {
    return u64{static_cast<u32>(path)} << 32 | static_cast<u32>(number);
}
SiteNumber site_of_key(u64 key) { return SiteNumber{static_cast<u32>(key)}; }
CallPath path_of_key(u64 key) { return CallPath{static_cast<u32>(key >> 32)}; }

void add_to_totals(KindTotals& totals, const Site& s, const LoadCounts& counts) {
    const u64 loads = counts.elements / s.type.lanes();
    (s.type.is_float() ? totals.floating : totals.integer)
        .add(LoadTotals{.loads = loads,
                        .bytes = counts.elements * s.type.bytes(),
                        .elements = counts.elements,
                        .cells = counts.elements * s.type.cells(),
                        .redundant = counts.redundant,
                        .zero = counts.zero,
                        .unknown_loads = s.type.known() ? 0 : loads});
}

bool loaded_nothing(const ThreadTotals& thread) {
    return thread.totals.integer.loads + thread.totals.floating.loads == 0;
}

}  // namespace

void EndedRows::begin_thread(u32 serial) { threads_.push_back(ThreadTotals{.serial = serial, .totals = {}}); }

void EndedRows::add(SiteNumber number, CallPath path, const u64* counters) {
    const Site& s = site(number);
    LoadCounts counts;
    sum(counters, s.type, &counts);
    if (counts.elements == 0) return;
    const u64 key = key_of(number, path);
    u32& index = entry_of_[key];
    if (index == 0) {
        entries_.push_back(EndedRow{.key = key, .threads = 0, .last = 0, .counts = {}});
        index = static_cast<u32>(entries_.size());
    }
    EndedRow& entry = entries_[index - 1];
    entry.counts.add(counts);
    const u32 present = static_cast<u32>(threads_.size());
    if (entry.last != present) ++entry.threads;
    entry.last = present;
    add_to_totals(threads_.back().totals, s, counts);
}

void EndedRows::end_thread() {
    if (loaded_nothing(threads_.back())) threads_.pop_back();
}

void EndedRows::clear() {
    entry_of_.clear();
    entries_.clear();
    threads_.clear();
}

void RowBuilder::add_ended(const EndedRows& ended) {
    for (const ThreadTotals& thread : ended.threads_) threads_.push_back(thread);
    for (const EndedRows::EndedRow& entry : ended.entries_)
        parts_.push_back(ThreadPart{.key = entry.key, .ended = &entry, .thread = 0});
}

void RowBuilder::begin_thread(u32 serial) {
    threads_.push_back(ThreadTotals{.serial = serial, .totals = {}});
}

void RowBuilder::add(SiteNumber number, CallPath path, const u64* counters) {
    const Site& s = site(number);
    LoadCounts counts;
    sum(counters, s.type, &counts);
    if (counts.elements == 0) return;
    parts_.push_back(ThreadPart{
        .key = key_of(number, path), .counters = counters, .thread = static_cast<u32>(threads_.size())});
    add_to_totals(threads_.back().totals, s, counts);
}

void RowBuilder::end_thread() {
    if (loaded_nothing(threads_.back())) threads_.pop_back();
}

void RowBuilder::give(CodeReport& report, u64 parts) {
    std::sort(threads_.begin(), threads_.end(),
              [](const ThreadTotals& a, const ThreadTotals& b) { return a.serial < b.serial; });
    for (const ThreadTotals& thread : threads_) {
        report.totals.add(thread.totals);
        report.threads.push_back(thread);
    }
    // Many rows have few loads each. Rows are summed one at a time, which needs no memory.
    std::sort(parts_.begin(), parts_.end(), [](const ThreadPart& a, const ThreadPart& b) {
        return a.key != b.key ? a.key < b.key : a.thread < b.thread;
    });
    const u64 least_loads = (report.totals.integer.loads + report.totals.floating.loads) / parts;
    const u64 least_redundant = (report.totals.integer.redundant + report.totals.floating.redundant) / parts;
    // Sums the parts from `i` on with the same key into a row, and returns the start of the next key.
    const auto sum_row = [&](usize i, LoadRow& row) {
        const u64 key = parts_[i].key;
        const Site& s = site(site_of_key(key));
        row.instruction = s.instruction;
        row.path = path_of_key(key);
        row.type = s.type;
        row.uses = s.uses;
        u32 last_thread = 0;
        for (; i < parts_.size() && parts_[i].key == key; ++i) {
            const ThreadPart& part = parts_[i];
            if (part.thread == 0) {
                row.counts.add(part.ended->counts);
                row.threads += part.ended->threads;
                continue;
            }
            sum(part.counters, s.type, &row.counts);
            if (part.thread != last_thread) ++row.threads;
            last_thread = part.thread;
        }
        return i;
    };
    rt::HashMap<bool> written;  // instructions
    rt::Vector<usize> small;    // starts of rows
    for (usize i = 0; i < parts_.size();) {
        LoadRow row;
        const usize next = sum_row(i, row);
        if (row.loads() < least_loads && row.counts.redundant < least_redundant) {
            small.push_back(i);
        } else {
            written[row.instruction] = true;
            report.rows.push_back(row);
        }
        i = next;
    }
    // An instruction with a row that is kept also keeps its rows for other types and contexts.
    for (const usize i : small) {
        if (written.find(site(site_of_key(parts_[i].key)).instruction) == nullptr) {
            ++report.left_out;
            continue;
        }
        LoadRow row;
        sum_row(i, row);
        report.rows.push_back(row);
    }
    std::sort(report.rows.begin(), report.rows.end(), [](const LoadRow& a, const LoadRow& b) {
        if (a.counts.redundant != b.counts.redundant) return a.counts.redundant > b.counts.redundant;
        if (a.counts.elements != b.counts.elements) return a.counts.elements > b.counts.elements;
        if (a.instruction != b.instruction) return a.instruction < b.instruction;
        return a.path != b.path ? a.path < b.path : a.type.code() < b.type.code();
    });
}

}  // namespace memspy::zeros
