// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/remote_access.h"

#include "analyses/mpi/output/wait_text.h"
#include "client/guards.h"
#include "vg/vg.h"

namespace memspy::mpi {
namespace {

using RemoteUse = RemoteAccess::RemoteUse;
constexpr u64 kOdd = 0x9E37'79B9'7F4A'7C15u;
// Of an operation's pieces at the target; each is an entry.
constexpr u32 kMostPieces = 16;

u64 key_of_lock(u64 window, i32 target) { return window * kOdd + static_cast<u32>(target); }

RemoteUse use_of(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Get:
        case kMpi_Rget: return RemoteUse::Loads;
        case kMpi_Put:
        case kMpi_Rput: return RemoteUse::Stores;
        default: return RemoteUse::Accumulates;
    }
}
bool fetches(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Put:
        case kMpi_Rput:
        case kMpi_Accumulate:
        case kMpi_Raccumulate: return false;
        default: return true;
    }
}
// All ranks wait for all.
bool orders_all(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Barrier:
        case kMpi_Allreduce:
        case kMpi_Allgather:
        case kMpi_Allgatherv:
        case kMpi_Alltoall:
        case kMpi_Alltoallv:
        case kMpi_Alltoallw:
        case kMpi_Reduce_scatter:
        case kMpi_Reduce_scatter_block:
        case kMpi_Win_fence:
        case kMpi_Win_create:
        case kMpi_Win_allocate:
        case kMpi_Win_allocate_shared:
        case kMpi_Win_create_dynamic:
        case kMpi_Comm_dup:
        case kMpi_Comm_split: return true;
        default: return false;
    }
}

bool conflict(const RemoteAccess& a, const RemoteAccess& b) {
    if (a.window != b.window || a.target != b.target || a.phase != b.phase) return false;
    if (a.end <= b.begin || b.end <= a.begin) return false;
    if (a.use == RemoteUse::Loads && b.use == RemoteUse::Loads) return false;
    if (a.call == RemoteAccesses::kStore && b.call == RemoteAccesses::kStore) return false;
    const bool both_accumulate = a.use == RemoteUse::Accumulates && b.use == RemoteUse::Accumulates;
    if (both_accumulate && (a.rank == b.rank || a.op == 0 || b.op == 0 || a.op == b.op)) return false;
    return a.rank == b.rank ? a.completions == b.completions : !a.alone && !b.alone;
}

}  // namespace

struct RemoteAccesses::RankAccesses {
    static constexpr usize kParts = 256, kEntries = 64;
    struct WindowPart {
        u32 lock;
        u32 next;
        RemoteAccess entries[kEntries];
    };
    u32 attached;  // processes
    u32 unused[15];
    WindowPart parts[kParts];
};

void RemoteAccesses::begin(i32 size) {
    if (size < 2 || table_ != nullptr) return;
    table_ = static_cast<RankAccesses*>(shared_.map("windows", sizeof(RankAccesses)));
}

void RemoteAccesses::clear() {
    windows_.clear();
    locks_.clear();
    table_ = nullptr;
}

void RemoteAccesses::collective(const InCall& in, const Communicator& comm, i32 world_size) {
    const bool has_all = !comm.is_between && static_cast<i32>(comm.size) == world_size;
    if (has_all && orders_all(in.call)) {
        ++phase_;
        heard_ = fetches_ = false;
    } else {
        heard();
    }
}

void RemoteAccesses::synchronised(const InCall& in) {
    const i32 target = in.facts.awaits;
    OpenWindow* const window = windows_.find(in.facts.comm);
    switch (in.call % kMpiCalls) {
        case kMpi_Win_fence:
            if (window != nullptr) window->exposed = true;
            break;
        case kMpi_Win_lock:
            if (window != nullptr) window->exposed = false;
            if (in.facts.is_exclusive != 0) locks_[key_of_lock(in.facts.comm, target)] = true;
            break;
        case kMpi_Win_start:
        case kMpi_Win_wait:
        case kMpi_Win_test: heard(); break;
        case kMpi_Win_unlock: locks_.erase(key_of_lock(in.facts.comm, target)); [[fallthrough]];
        case kMpi_Win_unlock_all:
        case kMpi_Win_flush:
        case kMpi_Win_flush_all:
        case kMpi_Win_flush_local:
        case kMpi_Win_flush_local_all:
        case kMpi_Win_complete:
            ++completions_;
            heard_ |= fetches_;
            break;
        default: break;
    }
}

void RemoteAccesses::window_made(const MpiWindowFacts& window, const InCall& in, const Communicator& comm) {
    const u64 identity = ((comm.group * kOdd + comm.ordinal) * kOdd + in.operation) * kOdd + window.unit;
    windows_[window.handle] = {identity, window.unit, window.base, window.bytes, false};
}

void RemoteAccesses::left() {
    constexpr usize kPieces = 64, kGrain = 8;
    if (table_ == nullptr || trips_ > kMostTrips) return;
    windows_.for_each([](u64, const OpenWindow& window) {
        if (!window.exposed) return;
        const usize each = (window.bytes / kPieces + kGrain) / kGrain * kGrain;
        for (usize at = 0; at < window.bytes; at += each)
            client::raise_guard(window.base + at, at + each < window.bytes ? each : window.bytes - at,
                                kOwner);
    });
}

bool RemoteAccesses::stored(Address a, i32 rank, ContextId context, RemoteAccess& earlier) {
    bool found = false;
    ++trips_;
    windows_.for_each([&](u64, const OpenWindow& window) {
        if (found || table_ == nullptr || !window.exposed || a < window.base ||
            a >= window.base + window.bytes)
            return;
        RemoteAccess mine{};
        mine.window = window.identity;
        mine.begin = static_cast<i64>(a - window.base);
        mine.end = mine.begin + 1;
        mine.phase = phase_;
        mine.completions = completions_;
        mine.target = mine.rank = rank;
        mine.call = kStore;
        mine.use = RemoteUse::Stores;
        mine.alone = heard_;
        write_place(context, mine.place, sizeof mine.place);
        found = add(mine, earlier);
    });
    return found;
}

bool RemoteAccesses::compare(const InCall& in, i32 world_target, i32 rank, Buffers& buffers,
                             RemoteAccess& earlier) {
    const OpenWindow* window = windows_.find(in.facts.comm);
    if (table_ == nullptr || window == nullptr || world_target < 0 || in.at_target.empty()) return false;
    RemoteAccess mine{};
    mine.window = window->identity;
    mine.op = in.facts.op;
    mine.phase = phase_;
    mine.completions = completions_;
    mine.target = world_target;
    mine.rank = rank;
    mine.call = in.call;
    mine.use = use_of(in.call);
    const i32 target = in.facts.peer >= 0 ? in.facts.peer : in.facts.source;
    mine.alone = heard_ || locks_.find(key_of_lock(in.facts.comm, target)) != nullptr;
    write_place(in.context, mine.place, sizeof mine.place);
    fetches_ |= fetches(in.call);
    u32 pieces = 0;
    bool found = false;
    buffers.for_each(in.at_target, [&](const Piece& piece) {
        if (found || ++pieces > kMostPieces) return;
        mine.begin = static_cast<i64>(piece.begin) + in.facts.target_offset * static_cast<i64>(window->unit);
        mine.end = mine.begin + static_cast<i64>(piece.bytes);
        found = add(mine, earlier);
    });
    return found;
}

bool RemoteAccesses::add(const RemoteAccess& mine, RemoteAccess& earlier) {
    const u64 part_number = key_of_lock(mine.window, mine.target) * kOdd >> 32;
    RankAccesses::WindowPart& part = table_->parts[part_number % RankAccesses::kParts];
    const EntryLock lock(part.lock);
    if (!lock.held()) return false;
    bool found = false;
    for (const RemoteAccess& other : part.entries) {
        // The pieces of one operation are no conflict: types that overlap at the target are found elsewhere.
        if (other.window == 0 || !conflict(mine, other)) continue;
        earlier = other;
        found = true;
        break;
    }
    part.entries[part.next++ % RankAccesses::kEntries] = mine;
    return found;
}

}  // namespace memspy::mpi
