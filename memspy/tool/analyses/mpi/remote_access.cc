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

bool is_own(const RemoteAccess& a) { return a.call >= RemoteAccesses::kStore; }

// One waits for the other. What a rank itself does with its part without a lock waits for nobody.
bool are_ordered_by_lock(const RemoteAccess& a, const RemoteAccess& b) {
    using enum RemoteAccess::PartLock;
    return (a.lock == Exclusive && (!is_own(b) || b.lock != None)) ||
           (b.lock == Exclusive && (!is_own(a) || a.lock != None));
}

bool conflict(const RemoteAccess& a, const RemoteAccess& b) {
    if (a.window != b.window || a.target != b.target || a.phase != b.phase) return false;
    if (a.end <= b.begin || b.end <= a.begin) return false;
    if (a.use == RemoteUse::Loads && b.use == RemoteUse::Loads) return false;
    if (is_own(a) && is_own(b)) return false;
    const bool both_accumulate = a.use == RemoteUse::Accumulates && b.use == RemoteUse::Accumulates;
    if (both_accumulate && (a.rank == b.rank || a.op == 0 || b.op == 0 || a.op == b.op)) return false;
    return a.rank == b.rank ? a.completions == b.completions
                            : !a.alone && !b.alone && !are_ordered_by_lock(a, b);
}

}  // namespace

struct RemoteAccesses::RankAccesses {
    static constexpr usize kParts = 256, kEntries = 64;
    struct WindowPart {
        u32 lock;
        u32 next;
        RemoteAccess entries[kEntries];
        u32 next_own;
        RemoteAccess own[kEntries];  // of the program itself
    };
    u32 attached;  // processes
    u32 unused[15];
    WindowPart parts[kParts];
    struct PartSize {
        u64 key, bytes;  // of a window and a rank
    };
    static constexpr usize kSizes = 4096;
    PartSize sizes[kSizes];
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
            if (window != nullptr) window->fenced = true;
            break;
        case kMpi_Win_lock_all:
            if (window != nullptr) window->all_locked = true;
            break;
        case kMpi_Win_lock:
            locks_[key_of_lock(in.facts.comm, target)] = in.facts.is_exclusive != 0;
            heard_ |= window != nullptr && target == window->self;
            break;
        case kMpi_Win_start:
            if (window != nullptr) window->started = true;
            heard();
            break;
        case kMpi_Win_wait:
        case kMpi_Win_test:
        case kMpi_Win_sync: heard(); break;
        case kMpi_Win_unlock:
        case kMpi_Win_unlock_all:
        case kMpi_Win_complete:
            if (in.call % kMpiCalls == kMpi_Win_unlock) locks_.erase(key_of_lock(in.facts.comm, target));
            if (window != nullptr && in.call % kMpiCalls == kMpi_Win_unlock_all) window->all_locked = false;
            if (window != nullptr && in.call % kMpiCalls == kMpi_Win_complete) window->started = false;
            [[fallthrough]];
        case kMpi_Win_flush:
        case kMpi_Win_flush_all:
            ++completions_;
            heard_ |= fetches_;
            break;
        // At the target nothing need be complete.
        case kMpi_Win_flush_local:
        case kMpi_Win_flush_local_all: heard_ |= fetches_; break;
        default: break;
    }
}

void RemoteAccesses::window_made(const MpiWindowFacts& window, const InCall& in, const Communicator& comm) {
    const u64 identity = ((comm.group * kOdd + comm.ordinal) * kOdd + in.operation) * kOdd + window.unit;
    windows_[window.handle] = {identity, window.unit, window.base, window.bytes,
                               false,    false,       false,       window.self};
    if (u64* size = size_of_part(identity, window.self, true)) *size = window.bytes;
}

// Of a rank's part. One that loses its place to another window's is not known any more.
u64* RemoteAccesses::size_of_part(u64 window, i32 target, bool makes) {
    if (table_ == nullptr) return nullptr;
    const u64 key = key_of_lock(window, target) | 1;
    RankAccesses::PartSize& part = table_->sizes[(key * kOdd >> 32) % RankAccesses::kSizes];
    if (makes) part = {key, 0};
    return part.key == key ? &part.bytes : nullptr;
}

bool RemoteAccesses::is_behind(const InCall& in, i32 target, Buffers& buffers) {
    const OpenWindow* const window = windows_.find(in.facts.comm);
    const u64* const size = window == nullptr ? nullptr : size_of_part(window->identity, target, false);
    if (size == nullptr || *size == 0) return false;  // a dynamic or a shared window's is not known
    const i64 offset = in.facts.target_offset * static_cast<i64>(window->unit);
    i64 end = 0;
    buffers.for_each(in.at_target, [&](const Piece& piece) {
        const i64 here = offset + static_cast<i64>(piece.begin) + static_cast<i64>(piece.bytes);
        if (here > end) end = here;
    });
    return end > static_cast<i64>(*size);
}

RemoteAccess::PartLock RemoteAccesses::lock_of(u64 window, i32 target) {
    const bool* const is_exclusive = locks_.find(key_of_lock(window, target));
    if (is_exclusive == nullptr) return RemoteAccess::PartLock::None;
    return *is_exclusive ? RemoteAccess::PartLock::Exclusive : RemoteAccess::PartLock::Shared;
}

void RemoteAccesses::left() {
    constexpr usize kPieces = 64, kGrain = 8, kSmall = usize{1} << 16;
    // To guard a large part takes longer than many calls of MPI.
    constexpr u32 kFirst = 200, kLater = 64;
    if (table_ == nullptr || trips_ > kMostTrips || windows_.size() == 0) return;
    const bool all = ++stretches_ <= kFirst || stretches_ % kLater == 0;
    windows_.for_each([all](u64, const OpenWindow& window) {
        if (window.bytes > kSmall && !all) return;
        const usize each = (window.bytes / kPieces + kGrain) / kGrain * kGrain;
        for (usize at = 0; at < window.bytes; at += each)
            client::raise_guard(window.base + at, at + each < window.bytes ? each : window.bytes - at,
                                kOwner);
    });
}

bool RemoteAccesses::has_access(const InCall& in, i32 target) {
    const OpenWindow* const window = windows_.find(in.facts.comm);
    return window == nullptr || window->fenced || window->started || window->all_locked ||
           locks_.find(key_of_lock(in.facts.comm, target)) != nullptr;
}

bool RemoteAccesses::used_here(u32 call, Address a, i32 rank, ContextId context, RemoteAccess& earlier) {
    bool found = false;
    ++trips_;
    windows_.for_each([&](u64 handle, const OpenWindow& window) {
        if (found || table_ == nullptr || a < window.base || a >= window.base + window.bytes) return;
        RemoteAccess mine{};
        mine.window = window.identity;
        mine.begin = static_cast<i64>(a - window.base);
        mine.end = mine.begin + 1;
        mine.phase = phase_;
        mine.completions = completions_;
        mine.target = mine.rank = rank;
        mine.call = call;
        mine.use = call == kStore ? RemoteUse::Stores : RemoteUse::Loads;
        mine.lock = lock_of(handle, window.self);
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
    mine.lock = lock_of(in.facts.comm, target);
    mine.alone = heard_;
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
    // The pieces of one operation are no conflict: types that overlap at the target are found elsewhere.
    const auto find = [&](const RemoteAccess* entries, auto&& fits) -> const RemoteAccess* {
        for (usize i = 0; i < RankAccesses::kEntries; ++i)
            if (entries[i].window != 0 && fits(entries[i])) return &entries[i];
        return nullptr;
    };
    const auto conflicts = [&](const RemoteAccess& other) { return conflict(mine, other); };
    const RemoteAccess* other = find(part.entries, conflicts);
    if (other == nullptr && !is_own(mine)) other = find(part.own, conflicts);
    if (other != nullptr) earlier = *other;
    if (!is_own(mine))
        part.entries[part.next++ % RankAccesses::kEntries] = mine;
    else if (find(part.own, [&](const RemoteAccess& known) {
                 return known.window == mine.window && known.target == mine.target &&
                        known.begin == mine.begin && known.call == mine.call && known.phase == mine.phase &&
                        known.alone == mine.alone;
             }) == nullptr)
        part.own[part.next_own++ % RankAccesses::kEntries] = mine;
    return other != nullptr;
}

}  // namespace memspy::mpi
