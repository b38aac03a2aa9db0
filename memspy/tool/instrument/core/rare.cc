// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/rare.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "threads/registry.h"
#include "vg/compat.h"

namespace memspy::instrument {
namespace {

// A run of a rare translation costs some ten nanoseconds more, a translation some ten microseconds.
constexpr u32 kOften = 2000;

struct RareBlock {
    Address first;
    u32 runs;
};
// Blocks stay where they are, because translations have their addresses.
constexpr u32 kBlocksEach = 1024;
RareBlock* room = nullptr;
u32 room_left = 0;
rt::Global<rt::HashMap<RareBlock*>> blocks;
rt::Global<rt::Vector<Address>> often;  // to be translated anew
// Each discarding empties the core's cache of targets of indirect jumps, which costs more than the discarded
// translations do. So they are discarded together.
constexpr usize kTogether = 512;
constexpr u64 kPatience = 200'000;  // superblocks
u64 now = 0, waiting_since = 0;     // superblocks run
RareBlock* current = nullptr;
bool expected = false;

extern "C" void memspy_ran_rare(RareBlock* block) {
    if (++block->runs == kOften) often->push_back(block->first);
}

void started(threads::Thread, u32, u64 blocks_run) { now = blocks_run; }

// The core may not discard translations while client code runs.
void stopped(threads::Thread, u32) {
    if (often->empty()) return;
    if (waiting_since == 0) waiting_since = now;
    if (often->size() < kTogether && now - waiting_since < kPatience) return;
    waiting_since = 0;
    for (Address first : *often) vg::discard_translation(first);
    often->resize(0);
}

RareBlock* block_at(Address first) {
    RareBlock*& block = (*blocks)[first];
    if (block != nullptr) return block;
    if (room_left == 0) {
        room = static_cast<RareBlock*>(rt::allocate(kBlocksEach * sizeof(RareBlock), "memspy.rare"));
        room_left = kBlocksEach;
    }
    block = &room[kBlocksEach - room_left--];
    *block = {first, 0};
    return block;
}

}  // namespace

void register_rare_blocks() { threads::listen({.started = started, .stopped = stopped}); }

void expect_rare_code(bool on) { expected = on; }

void begin_translation(Address first, bool may_be_rare) {
    current = may_be_rare && expected ? block_at(first) : nullptr;
    if (current != nullptr && current->runs >= kOften) current = nullptr;
}

bool is_rare() { return current != nullptr; }

void emit_run_count(Emitter& emit) {
    if (!is_rare()) return;
    emit.add(IRStmt_Dirty(unsafeIRDirty_0_N(0, "memspy_ran_rare",
                                            VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&memspy_ran_rare)),
                                            mkIRExprVec_1(Emitter::pointer(current)))));
}

}  // namespace memspy::instrument
