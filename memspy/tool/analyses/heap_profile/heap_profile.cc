// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/heap_profile/heap_profile.h"

#include <algorithm>
#include <new>

#include "analyses/analysis.h"
#include "analyses/heap_profile/block_bytes.h"
#include "client/following.h"
#include "client/replacement.h"
#include "heap/heap.h"
#include "instrument/clock/clock.h"
#include "log/consumer.h"
#include "options.h"
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
rt::Global<HeapReport> settled;
u64 mapped_now = 0, mapped_peak = 0;

void advance() { moments->advance(instructions_run, *rows, mapped_now); }

// Events of the heap

void allocated(const heap::Block& block) {
    advance();
    rows->allocated(block.payload, block.size, block.allocated, heap::is_foreign(block), instructions_run);
}
void resized(const heap::Block& from, const heap::Block& to) {
    advance();
    if (follows_accesses()) bytes->moved(from.payload, from.size, to.payload, to.size);
    rows->resized(from.payload, to.payload, to.size, instructions_run);
}
void released(const heap::Block& block) {
    advance();
    const bool custom = heap::is_foreign(block);
    const BlockUse use = follows_accesses() && !custom ? bytes->take(block.payload, block.size) : BlockUse{};
    rows->released(block.payload, custom, use, instructions_run);
}

// Accesses

// The block that was found last: most accesses are to the same one as that before.
Address found_begin = 0;
usize found_size = 0;

void access(const log::AccessUse& use, Address address) {
    if (address - found_begin >= found_size) {
        const heap::Block* const block = heap::find_block(address);
        if (block == nullptr) return;
        found_begin = block->payload;
        found_size = block->size;
    }
    const usize room = found_begin + found_size - address;
    bytes->access(found_begin, found_size, address, std::min<usize>(use.bytes, room), use.loads, use.stores);
}

void records(threads::Thread, const u64* first, const u64* end) {
    found_size = 0;  // it may have been freed
    log::for_each_record(first, end, [](const log::Record& record, const log::Shape& shape) {
        log::for_each_access(record, shape, access);
    });
}

// Life

void forked(threads::Thread, u32) {
    if (!running) return;
    // The blocks live in the child, too, but their past is the parent's.
    rows->clear();
    bytes->clear();
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
    if (follows_accesses())
        rows->for_each_live([&](Address address, const LiveBlock& block) {
            to.rows[block.row].use.add(bytes->use_of(address, block.size));
        });
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
    to.mapped_peak = mapped_peak;
    to.mapped_end = mapped_now;
}

void register_with_core() { threads::listen({.mapped = mapped, .unmapped = unmapped, .forked = forked}); }

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
    if (follows_accesses()) log::attach({.from_start = true, .records = records});
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
