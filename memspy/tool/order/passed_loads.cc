// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loads of lines that several threads hold: which are passed, and until when.
#include <algorithm>
#include <new>

#include "order/line_life.h"
#include "order/passing.h"

namespace memspy::order {

namespace {

constexpr u32 kMostSlots = LinePasses::kMostSlots;

PassedLoads* loads_of(SharedLine& shared, Thread t) {
    if (shared.passes == nullptr || t.slot >= kMostSlots) return nullptr;
    PassedLoads* const loads = shared.passes->find(t.slot);
    return loads != nullptr && loads->serial == t.serial ? loads : nullptr;
}

// The same; makes an entry if the thread has none: then others of the line move. Only for slots below
// kMostSlots.
PassedLoads& loads_for(SharedLine& shared, Thread t) {
    if (PassedLoads* const known = loads_of(shared, t)) return *known;
    LinePasses* const old = shared.passes;
    if (old == nullptr || old->find(t.slot) == nullptr) {
        const u32 slots = (old == nullptr ? 0 : old->slots) | u32{1} << t.slot;
        shared.passes = new (line_memory().take(LinePasses::bytes(slots))) LinePasses{.slots = slots};
        if (old != nullptr) {
            PassedLoads* const place = shared.passes->find(t.slot);
            PassedLoads* const behind = old->begin() + (place - shared.passes->begin());
            std::copy(old->begin(), behind, shared.passes->begin());
            std::copy(behind, old->end(), place + 1);
            line_memory().give(old, LinePasses::bytes(old->slots));
        }
    }
    PassedLoads* const loads = shared.passes->find(t.slot);
    *loads = PassedLoads{.serial = t.serial};
    return *loads;
}

// Whether loads of the line by a thread that loads it now teach nothing from now on. The merge may still have to
// come to that load: then the thread holds the line in the modelled order, too, because all stores are merged.
bool are_passable(SharedLine& shared, u64 bit) {
    return bit != QuietLines::kNobody && !shared.syncs &&
           log::quiet_lines().may_pass_loads(line_begin(shared.line), bit) &&
           !shared.turns.any_stores(merged_at(shared)) && !lacks_accesses(shared);
}

// What the thread passes of the line ends with its next wait.
void pass_until_wait(const SharedLine& shared, PassedLoads& loads, rt::Vector<u64>& lines_passed) {
    if (loads.listed) return;
    loads.listed = true;
    lines_passed.push_back(shared.line);
}

// Of lines that come later in the list, what is needed is fetched into the host's cache.
void fetch_ahead_of(const rt::Vector<u64>& passed, usize at) {
    constexpr usize kState = 12, kRecord = 8, kParts = 4;
    if (at + kState < passed.size()) lines().prefetch(line_begin(passed[at + kState]));
    if (at + kRecord < passed.size()) lines().prefetch_record(line_begin(passed[at + kRecord]));
    if (at + kParts >= passed.size()) return;
    const LineState state = lines().look(line_begin(passed[at + kParts]));
    if (!state.has_record()) return;
    __builtin_prefetch(lines().of(state).passes);
    __builtin_prefetch(lines().of(state).use);
}

}  // namespace

void pass_loads(SharedLine& shared, Thread t, u64 bit, rt::Vector<u64>& lines_passed) {
    if (!are_passable(shared, bit) || ++shared.looks < accesses_to_pass(shared)) return;
    log::quiet_lines().make_loads_quiet(line_begin(shared.line), bit);
    if (t.slot < kMostSlots && !is_only_holder(*shared.order[static_cast<u32>(View::Observed)], t))
        pass_until_wait(shared, loads_for(shared, t), lines_passed);
}

void pass_loads_of(const Record& record, Thread t, u64 bit, rt::Vector<u64>& lines_passed) {
    const log::QuickShape& quick = log::quick_shape(record.shape);
    const u64* const at = reinterpret_cast<const u64*>(&record);
    const log::QuickSpan* span = quick.begin();
    for (const log::QuickSpan* const end = span + quick.whole.spans; span != end; ++span) {
        if (span->stores) continue;
        const LineState state = lines().look(static_cast<Address>(span->low) + at[span->place]);
        if (!state.is_shared()) continue;
        SharedLine& shared = lines().of(state);
        // Its look counts when it is read.
        if (shared.looks + 1 >= accesses_to_pass(shared)) pass_loads(shared, t, bit, lines_passed);
    }
}

void end_with_next_wait(SharedLine& shared, u32 serial) {
    const u64 bits = serial == 0 ? 0 : known_bits(serial);
    if (bits == 0 || (log::quiet_lines().quiet_for(line_begin(shared.line)) & bits) == 0) return;
    for (Strand* const strand : recording->strands)
        if (const Thread t = strand->thread(); t.serial == serial && t.slot < kMostSlots)
            pass_until_wait(shared, loads_for(shared, t), strand->lines_passed());
}

void note_renewed(Thread t, rt::Vector<u64>& lines_passed) {
    log::quiet_lines().take_renewed([&](Address a) {
        const LineState state = lines().look(a);
        PassedLoads* const loads = state.has_record() ? loads_of(lines().of(state), t) : nullptr;
        if (loads != nullptr) pass_until_wait(lines().of(state), *loads, lines_passed);
    });
}

// As long as nobody stores to a line, the thread's next load of it is not logged: it makes the helper renew
// the line.
void end_passing(Thread t, Time now, rt::Vector<u64>& lines_passed) {
    note_renewed(t, lines_passed);
    const u64 bit = lines_passed.empty() ? 0 : known_bit(t.serial);
    for (usize i = 0; i < lines_passed.size(); ++i) {
        fetch_ahead_of(lines_passed, i);
        const u64 line = lines_passed[i];
        const LineState state = lines()[line];
        PassedLoads* const loads = state.has_record() ? loads_of(lines().of(state), t) : nullptr;
        if (loads == nullptr) continue;
        loads->listed = false;
        const Address a = line_begin(line);
        log::QuietLines& quiet = log::quiet_lines();
        if (bit == 0 || !quiet.was_passed(a, bit)) continue;
        const bool again = quiet.make_fresh(a, bit);
        if (!again && !quiet.end(a, bit)) continue;
        loads->until = now;
        if (again && knows_lives())
            lines().of(state).use->lives.passed(t, recording->observed.part(t.slot), false);
    }
    lines_passed.resize(0);
}

}  // namespace memspy::order
