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

// Whether loads of the line by t, which is about to load it, teach nothing from now on.
bool are_passable(SharedLine& shared, Thread t, u32 bit) {
    return bit != QuietLines::kNobody && !shared.syncs &&
           !log::quiet_lines().are_loads_quiet(line_begin(shared.line), bit) && !lacks_accesses(shared) &&
           !shared.turns.any_stores_of_others(t.slot, kNever, merged_at(shared)) &&
           holds(*shared.order[static_cast<u32>(View::Modelled)], t) &&
           !shared.turns.any_stores(merged_at(shared));
}

// What the thread passes of the line ends with its next wait.
void pass_until_wait(const SharedLine& shared, PassedLoads& loads, rt::Vector<u64>& lines_passed) {
    if (loads.listed) return;
    loads.listed = true;
    lines_passed.push_back(shared.line);
}

}  // namespace

void pass_loads(SharedLine& shared, Thread t, u32 bit, rt::Vector<u64>& lines_passed) {
    if (!are_passable(shared, t, bit) || ++shared.looks < accesses_to_pass(shared)) return;
    log::quiet_lines().make_loads_quiet(line_begin(shared.line), bit);
    if (t.slot < kMostSlots && !is_only_holder(*shared.order[static_cast<u32>(View::Observed)], t))
        pass_until_wait(shared, loads_for(shared, t), lines_passed);
}

bool passes_when_read(Thread t, const Record& record) {
    const log::QuickShape& quick = log::quick_shape(record.shape);
    const u32 bit = quick.is_plain ? known_bit(t.serial) : 0;
    if (bit == 0) return false;
    const u64* const at = reinterpret_cast<const u64*>(&record);
    const log::QuickSpan* span = quick.begin();
    for (const log::QuickSpan* const end = span + quick.whole.spans; span != end; ++span) {
        const Address a = static_cast<Address>(span->low) + at[span->place];
        const LineState state = lines().look(a);
        if (!state.is_shared()) continue;
        SharedLine& shared = lines().of(state);
        if (span->stores || !are_passable(shared, t, bit)) continue;
        if (shared.looks + 1 >= accesses_to_pass(shared)) return true;
    }
    return false;
}

void end_with_next_wait(SharedLine& shared, u32 serial) {
    const u32 bits = serial == 0 ? 0 : known_bits(serial);
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
    const u32 bit = lines_passed.empty() ? 0 : known_bit(t.serial);
    for (const u64 line : lines_passed) {
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
