// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/contexts.h"

#include <algorithm>
#include <new>

#include "places/stacks.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/call_tree.h"
#include "vg/vg.h"

namespace memspy::waste {

u8* context_arena = nullptr;

namespace {

using instrument::effect_cell_of;
using instrument::effect_cells;
using instrument::EffectCell;
using threads::CallPath;

// Address space; pages become real as blocks are made. When most of it is used, new blocks are those of all
// paths.
constexpr usize kArenaBytes = usize{2} << 30, kOfPaths = usize{3} << 29;
usize used = 0;
ContextUse use{};

rt::Global<rt::HashMap<EffectStretch*>> stretches;  // by first instruction, a list
rt::Global<rt::HashMap<EffectBlock*>> blocks;       // by (stretch, path)
rt::Global<rt::Vector<EffectBlock*>> all_blocks;

u32 depth = 0;
rt::Global<rt::HashMap<CallPath>> cuts;     // by path and whether the code is a library's
rt::Global<rt::HashMap<u8>> library_codes;  // by address: 1 of the program, 2 not

// Code of no file is not the program's own here: what the loader calls first has such callers.
bool is_library(Address code) {
    u8& known = (*library_codes)[code];
    const HChar* file = nullptr;
    if (known == 0)
        known =
            places::is_library_code(code) || !VG_(get_objname)(VG_(current_DiEpoch)(), code, &file) ? 2 : 1;
    return known == 2;
}

// The path's last calls, as a path of their own: up to the program's own code, if any, and `depth` more.
CallPath cut(CallPath path, bool of_library) {
    constexpr u32 kMostCalls = 2'000;
    CallPath& known = (*cuts)[u64{static_cast<u32>(path)} << 1 | u64{of_library}];
    if (known != CallPath::Root || path == CallPath::Root) return known;
    static Address calls[kMostCalls];
    const u32 count = threads::return_addresses(path, calls, kMostCalls);
    u32 wanted = 0;
    while (of_library && wanted < count) of_library = is_library(calls[wanted++]);
    // No own code at all: an installed program, or what runs before main.
    if (of_library) wanted = 0;
    wanted = std::min(wanted + depth, count);
    CallPath result = CallPath::Root;
    while (wanted > 0) result = threads::child_of(result, calls[--wanted]);
    return known = result;
}

// The part that counts up is in the lower half, where the map's hash spreads it best.
u64 key_of(const EffectStretch& stretch, CallPath path) {
    return u64{static_cast<u32>(path)} << 32 | stretch.number;
}

EffectBlock* make_block(EffectStretch& stretch, CallPath path) {
    const usize bytes = sizeof(EffectBlock) + stretch.sites->size() * sizeof(SiteCounts);
    CHECK_LE(used + bytes, kArenaBytes);
    EffectBlock& block = *new (context_arena + used) EffectBlock{&stretch, path, 0};
    used += bytes;
    ++use.blocks;
    all_blocks->push_back(&block);
    for (usize i = 0; i < stretch.sites->size(); ++i) {
        const EffectSite& site = (*stretch.sites)[i];
        SiteCounts& counts = block.sites()[i];
        counts.index = static_cast<u16>(i);
        counts.bytes = site.bytes;
        counts.direct = site.direct;
        counts.pushes = site.pushes;
        counts.floating = site.floating;
        counts.decides = site.decides;
        counts.kind = site.kind;
    }
    return &block;
}

EffectBlock& block_at(EffectStretch& stretch, CallPath path) {
    const bool of_library = is_library((*stretch.sites)[0].instruction);
    const CallPath context = used < kOfPaths ? cut(path, of_library) : CallPath::Root;
    EffectBlock*& block = (*blocks)[key_of(stretch, context)];
    if (block == nullptr) block = make_block(stretch, context);
    return *block;
}

}  // namespace

void start_contexts(u32 calls) {
    depth = calls;
    context_arena = static_cast<u8*>(rt::map_zeroed(kArenaBytes, "memspy.waste_blocks"));
    used = kContextGrain;  // no context has the number 0
    effect_cells = static_cast<EffectCell*>(
        rt::map_zeroed(instrument::kEffectCells * sizeof(EffectCell), "memspy.effect_cells"));
}

EffectStretch* stretch_of(Address first, const rt::Vector<EffectSite>& sites) {
    EffectStretch*& head = (*stretches)[first];
    for (EffectStretch* s = head; s != nullptr; s = s->next) {
        bool same = s->sites->size() == sites.size();
        for (usize i = 0; same && i < sites.size(); ++i) same = (*s->sites)[i] == sites[i];
        if (same) return s;
    }
    auto* const made =
        static_cast<EffectStretch*>(rt::allocate(sizeof(EffectStretch), "memspy.waste_stretch"));
    made->number = static_cast<u32>(++use.stretches);
    made->sites = new (rt::allocate(sizeof(*made->sites), "memspy.waste_stretch")) rt::Vector<EffectSite>;
    made->sites->reserve(sites.size());
    for (const EffectSite& site : sites) made->sites->push_back(site);
    made->next = head;
    return head = made;
}

void enter_stretch(EffectStretch* stretch, u64 path_number) {
    ++use.misses;
    const auto path = static_cast<CallPath>(path_number);
    effect_cell_of(*stretch, path) = {stretch->tag() | static_cast<u32>(path), &block_at(*stretch, path)};
}

EffectBlock& block_of(const SiteCounts& counts) {
    auto* const first = const_cast<SiteCounts*>(&counts) - counts.index;
    return *(reinterpret_cast<EffectBlock*>(first) - 1);
}

SiteCounts& event_context(const places::Place& place, EffectKind kind) {
    rt::Vector<EffectSite> sites;
    sites.push_back({.instruction = place.instruction, .kind = kind});
    return block_at(*stretch_of(place.instruction, sites), place.path).sites()[0];
}

places::Place place_of(const SiteCounts& counts) {
    const EffectBlock& block = block_of(counts);
    return {(*block.stretch->sites)[counts.index].instruction, block.path};
}

void for_each_context(void (*f)(SiteCounts& counts, void* argument), void* argument) {
    for (EffectBlock* const block : *all_blocks) {
        for (usize i = 0; i < block->stretch->sites->size(); ++i) f(block->sites()[i], argument);
    }
}

bool contexts_complete() { return used < kOfPaths; }
ContextUse context_use() {
    use.bytes = used;
    return use;
}

}  // namespace memspy::waste
