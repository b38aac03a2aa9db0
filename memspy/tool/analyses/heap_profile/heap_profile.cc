// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/heap_profile/heap_profile.h"

#include <algorithm>
#include <new>

#include "analyses/analysis.h"
#include "client/following.h"
#include "client/replacement.h"
#include "heap/heap.h"
#include "instrument/clock/clock.h"
#include "instrument/uses/use_observer.h"
#include "options.h"
#include "places/objects.h"
#include "rt/global.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/vg.h"

namespace memspy::heap_profile {
namespace {

using instrument::instructions_run;

bool running = false;
HeapRows* rows = nullptr;
HeapTimeline* moments = nullptr;
rt::Global<BlockBytes> bytes;
rt::Global<rt::Vector<places::ObjectId>> objects;  // by row; of others the first block's
rt::Global<HeapReport> settled;
u64 mapped_now = 0, mapped_peak = 0;

void advance() { moments->advance(instructions_run, *rows, mapped_now); }

// Events of the heap

void allocated(const heap::Block& block) {
    advance();
    const bool custom = heap::is_foreign(block);
    rows->allocated(block.payload, block.size, block.allocated, custom, instructions_run);
    const u32 row = rows->find_live(block.payload, custom)->row;
    while (objects->size() <= row) objects->push_back({});
    if ((*objects)[row] == places::ObjectId::None) (*objects)[row] = places::heap_object(block);
    if (follows_accesses() && !custom) bytes->added(block.payload, block.size, row);
}
void resized(const heap::Block& from, const heap::Block& to) {
    advance();
    const LiveBlock* const known = rows->find_live(from.payload, false);
    if (follows_accesses() && known != nullptr)
        bytes->moved(from.payload, from.size, to.payload, to.size, known->row);
    rows->resized(from.payload, to.payload, to.size, instructions_run);
}
void released(const heap::Block& block) {
    advance();
    const bool custom = heap::is_foreign(block);
    const BlockUse use = follows_accesses() && !custom ? bytes->take(block.payload, block.size) : BlockUse{};
    rows->released(block.payload, custom, use, instructions_run);
}

// Accesses

using UseWay = BlockBytes::UseWay;

template <u32 size, UseWay way>
void access(Address a) {
    bytes->access<size, way>(a);
}
template <UseWay way>
void access_range(Address a, u64 size) {
    bytes->access_range(a, size, way);
}
void call_accessed(threads::Thread, u32, Address begin, usize size, bool stores) {
    if (running && follows_accesses())
        bytes->access_range(begin, size, stores ? UseWay::Store : UseWay::Load);
}
void follow_accesses() {
    bytes->start();
    constexpr UseWay kLoad = UseWay::Load, kStore = UseWay::Store;
    instrument::add_use_hooks({.leaves = bytes->leaves(),
                               .leaf_bits = kUseLeafBits,
                               .load = {access<1, kLoad>, access<2, kLoad>, access<4, kLoad>,
                                        access<8, kLoad>, access<16, kLoad>, access<32, kLoad>},
                               .store = {access<1, kStore>, access<2, kStore>, access<4, kStore>,
                                         access<8, kStore>, access<16, kStore>, access<32, kStore>},
                               .load_range = access_range<kLoad>,
                               .store_range = access_range<kStore>});
}

// Life

void forked(threads::Thread, u32) {
    if (!running) return;
    // The blocks live in the child, too, but their past is the parent's.
    rows->clear();
    objects->resize(0);
    if (follows_accesses()) bytes->clear();
    moments->clear();
}
void mapped(Address, usize size) {
    if (!running) return;
    advance();
    mapped_now += size;
    mapped_peak = std::max(mapped_peak, mapped_now);
}
void unmapped(Address, usize size) {
    if (!running) return;
    advance();
    mapped_now -= std::min<u64>(size, mapped_now);
}

void settle() {
    if (!running) return;
    advance();
    HeapReport& to = *settled;
    rows->settle(instructions_run);
    to.total = rows->total();
    rows->copy_rows(to.rows, instructions_run);
    if (follows_accesses()) {
        rows->for_each_live([&](Address address, const LiveBlock& block) {
            to.rows[block.row].use.add(bytes->use_of(address, block.size));
        });
        for (u32 i = 0; i < to.rows.size(); ++i) {
            const BlockBytes::RowAccesses of = bytes->of_row(i);
            to.rows[i].use.loaded = of.loaded;
            to.rows[i].use.stored = of.stored;
        }
    }
    to.numbers.resize(0);
    for (u32 i = 0; i < to.rows.size(); ++i) to.numbers.push_back(i);
    std::sort(to.numbers.begin(), to.numbers.end(), [&](u32 a, u32 b) {
        const HeapRow &left = to.rows[a], &right = to.rows[b];
        if (left.peak_bytes != right.peak_bytes) return left.peak_bytes > right.peak_bytes;
        if (left.bytes != right.bytes) return left.bytes > right.bytes;
        return a < b;
    });
    rt::Vector<HeapRow> sorted;
    for (const u32 i : to.numbers) sorted.push_back(to.rows[i]);
    for (usize i = 0; i < sorted.size(); ++i) to.rows[i] = sorted[i];
    to.objects.resize(0);
    for (const u32 i : to.numbers) to.objects.push_back((*objects)[i]);
    to.mapped_peak = mapped_peak;
    to.mapped_end = mapped_now;
}

void register_with_core() {
    threads::listen(
        {.call_accessed = call_accessed, .mapped = mapped, .unmapped = unmapped, .forked = forked});
}

void start() {
    running = options().heap_profile != HeapProfileMode::No;
    if (!running) return;
    rows = new (rt::allocate(sizeof(HeapRows), "memspy.heap_rows"))
        HeapRows(static_cast<u64>(options().heap_temporary));
    moments = new (rt::allocate(sizeof(HeapTimeline), "memspy.timeline")) HeapTimeline;
    instrument::run_clock();
    // Without defects to look for, VEX need not recognise `a && b`, of which the clock would count all.
    if (!options().defects) VG_(clo_vex_control).guest_chase = False;
    client::want_replacement();
    vg::want_library_cleanup();
    client::listen({.allocated = allocated, .resized = resized, .released = released});
    if (follows_accesses()) follow_accesses();
}

void finish(End) {
    settle();
    if (!running) return;
    print_summary(*settled, static_cast<u32>(options().top));
    const ThreadId thread = VG_(get_running_tid)();
    report_limits(*settled, thread == VG_INVALID_THREADID ? 1 : thread);
}

void check_options(Options& all) {
    if (has_limits() && all.heap_profile == HeapProfileMode::No) all.heap_profile = HeapProfileMode::Yes;
}

}  // namespace

const HeapReport& report() { return *settled; }
void places_of_row(u32 number, rt::Vector<BlockBytes::PlaceCounts>& to) { bytes->places_of_row(number, to); }
const HeapTimeline& timeline() { return *moments; }
bool follows_accesses() { return options().heap_profile == HeapProfileMode::Accesses; }

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "heap-profile",
                                .wanted = [] { return options().heap_profile != HeapProfileMode::No; },
                                .check_options = check_options,
                                .register_with_core = register_with_core,
                                .start = start,
                                .checkpoint = settle,
                                .finish = finish,
                                .section = &kSection};

}  // namespace memspy::heap_profile
