// SPDX-License-Identifier: GPL-2.0-or-later
//
// Contexts: sites with their calls, and the counts of each (instrument/effects/effect_layout.h). Their blocks
// stand in one arena, and the number of a context is its counts' place there, so nothing is looked up to get
// from one to the other.
#pragma once

#include "analyses/waste/byte_states.h"
#include "instrument/effects/effect_layout.h"
#include "places/place.h"

namespace memspy::waste {

using instrument::EffectBlock;
using instrument::EffectKind;
using instrument::EffectSite;
using instrument::EffectStretch;
using instrument::SiteCounts;

// `calls`: those above the program's own code that are part of a context. Below it, in libraries, all are. Call
// before any translation.
void start_contexts(u32 calls);
// Of EffectHooks.
EffectStretch* stretch_of(Address first, const rt::Vector<EffectSite>& sites);
void enter_stretch(EffectStretch* stretch, u64 caller);

extern u8* context_arena;
inline constexpr usize kContextGrain = 8;
inline ContextNumber number_of(const SiteCounts* counts) {
    return static_cast<ContextNumber>((reinterpret_cast<const u8*>(counts) - context_arena) / kContextGrain);
}
inline SiteCounts& counts_of(ContextNumber context) {
    return *reinterpret_cast<SiteCounts*>(context_arena + usize{context} * kContextGrain);
}
EffectBlock& block_of(const SiteCounts& counts);
// The context of what a call of the malloc family, or of the system, does to memory: Store or Free.
SiteCounts& event_context(const places::Place& place, EffectKind kind);
places::Place place_of(const SiteCounts& counts);

// Calls f(counts) for each.
void for_each_context(void (*f)(SiteCounts& counts, void* argument), void* argument);
bool contexts_complete();  // there was room for all; the others are those of code called from anywhere

struct ContextUse {
    u64 stretches, blocks, bytes, misses;
};
ContextUse context_use();

}  // namespace memspy::waste
