// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/clock/clock.h"

#include <cstddef>

#include "instrument/core/policy.h"
#include "instrument/core/registers.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::instrument {

u64 instructions_run = 0;

namespace {

bool runs = false;

struct TimedSegment {
    u32 first, count;  // addresses
};
rt::Global<rt::Vector<TimedSegment>> segments;
rt::Global<rt::Vector<Address>> addresses;
rt::Global<rt::HashMap<u32>> latest;  // by the first address: the segment's number, from 1; 0 is none

// The upper half of a word that has no undefined bits, so that its copy in the first shadow is free
// (operation_counts.cc has the lower half).
Int running_offset() { return shadow_offset(static_cast<Int>(offsetof(VexGuestArchState, guest_CMLEN)) + 4); }

bool is_same(const TimedSegment& segment, const Scratch<Address>& wanted) {
    if (segment.count != wanted.size()) return false;
    for (u32 i = 0; i < segment.count; ++i)
        if ((*addresses)[segment.first + i] != wanted[i]) return false;
    return true;
}

// Code is translated again and again as levels rise; its segments are the same ones then.
u32 number_of(const Scratch<Address>& wanted) {
    u32& known = (*latest)[wanted[0]];
    if (known != 0 && is_same((*segments)[known - 1], wanted)) return known;
    segments->push_back(
        {.first = static_cast<u32>(addresses->size()), .count = static_cast<u32>(wanted.size())});
    for (const Address address : wanted) addresses->push_back(address);
    return known = static_cast<u32>(segments->size());
}

// A check of `instruction` tripped: it and what is behind it in the segment has not run.
void trip_in_clock(u8* state, Address instruction) {
    const u32 running = *reinterpret_cast<const u32*>(state + running_offset());
    if (running == 0) return;
    const TimedSegment& segment = (*segments)[running - 1];
    for (u32 i = 0; i < segment.count; ++i)
        if ((*addresses)[segment.first + i] == instruction) {
            instructions_run -= segment.count - i;
            return;
        }
}

}  // namespace

void run_clock() { runs = true; }

void ClockWriter::begin(int begin, int end) {
    end_ = end;
    count_segment(begin);
}

// instructions_run += the segment's instructions;  PUT(running_offset) = segment
void ClockWriter::count_segment(int from) {
    Scratch<Address> instructions;
    for (at_ = from; at_ < end_ && in_->stmts[at_]->tag != Ist_Exit; ++at_)
        if (in_->stmts[at_]->tag == Ist_IMark) instructions.push_back(instruction_address(in_->stmts[at_]));
    ++at_;
    if (!instructions.empty()) {
        IRExpr* clock = Emitter::pointer(&instructions_run);
        emit_.store(clock,
                    emit_.binop(Iop_Add64, emit_.load(Ity_I64, clock), Emitter::u64c(instructions.size())));
    }
    if (policy().check_accesses)
        emit_.put(running_offset(), Emitter::u32c(instructions.empty() ? 0 : number_of(instructions)));
}

extern const ObserverKind kClock;
constexpr ObserverKind kClock = {.is_on = [] { return runs; },
                                 .make = make_observer<ClockWriter>,
                                 .unmake = unmake_observer<ClockWriter>,
                                 // The part of an instruction before one of its exits has been counted.
                                 .at_exit = [] { return ObserverKind::AtExit::Always; },
                                 .tripped = trip_in_clock};

}  // namespace memspy::instrument
