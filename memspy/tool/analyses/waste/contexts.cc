// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/contexts.h"

#include <algorithm>
#include <new>

#include "instrument/core/call_tracking.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/paged_array.h"
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
    static Address calls[kMostCalls];
    const u32 count = threads::return_addresses(path, calls, kMostCalls);
    u32 wanted = 0;
    while (of_library && wanted < count) of_library = is_library(calls[wanted++]);
    // No own code at all: an installed program, or what runs before main.
    if (of_library) wanted = 0;
    wanted = std::min(wanted + depth, count);
    CallPath result = CallPath::Root;
    while (wanted > 0) result = threads::child_of(result, calls[--wanted]);
    return result;
}

// *Callers*: what paths are cut to. A frame has their number beside its path, so that a program with millions of
// paths and some thousand callers meets few cells that are another's.
struct Callers {
    CallPath of_own, of_library;
};
constexpr u32 kPage = 4096;
rt::Global<rt::PagedArray<Callers, kPage>> callers;
rt::Global<rt::HashMap<u32>> caller_numbers;          // by both paths
rt::Global<rt::PagedArray<u32, kPage>> path_callers;  // by path: the number + 1; 0: not known

u32 number_of_callers(CallPath path) {
    const u32 place = static_cast<u32>(path);
    while (path_callers->size() <= place) path_callers->push_back(0);
    if (const u32 known = (*path_callers)[place]; known != 0) return known - 1;
    const Callers of{cut(path, false), cut(path, true)};
    u32& number = (*caller_numbers)[u64{static_cast<u32>(of.of_own)} << 32 | static_cast<u32>(of.of_library)];
    if (number == 0) {
        callers->push_back(of);
        number = callers->size();
    }
    (*path_callers)[place] = number;
    return number - 1;
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

EffectBlock& block_at(EffectStretch& stretch, u32 caller) {
    const Callers& of = (*callers)[caller];
    const CallPath full = stretch.of_library ? of.of_library : of.of_own;
    const CallPath context = used < kOfPaths ? full : CallPath::Root;
    EffectBlock*& block = (*blocks)[key_of(stretch, context)];
    if (block == nullptr) block = make_block(stretch, context);
    return *block;
}

}  // namespace

void start_contexts(u32 calls) {
    depth = calls;
    CHECK_EQ(number_of_callers(CallPath::Root), 0u);
    instrument::name_callers(number_of_callers);
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
    made->of_library = is_library(sites[0].instruction);
    made->next = head;
    return head = made;
}

void enter_stretch(EffectStretch* stretch, u64 caller) {
    ++use.misses;
    effect_cell_of(*stretch, caller) = {stretch->tag() | caller,
                                        &block_at(*stretch, static_cast<u32>(caller))};
}

EffectBlock& block_of(const SiteCounts& counts) {
    auto* const first = const_cast<SiteCounts*>(&counts) - counts.index;
    return *(reinterpret_cast<EffectBlock*>(first) - 1);
}

SiteCounts& event_context(const places::Place& place, EffectKind kind) {
    rt::Vector<EffectSite> sites;
    sites.push_back({.instruction = place.instruction, .kind = kind});
    return block_at(*stretch_of(place.instruction, sites), number_of_callers(place.path)).sites()[0];
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
