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
// Its value may tell what another rank has done before. That of MPI_Get may only under a lock: without one it may be a
// part of what another rank is just storing.
bool fetches(u32 call, RemoteAccess::PartLock lock) {
    switch (call % kMpiCalls) {
        case kMpi_Put:
        case kMpi_Rput:
        case kMpi_Accumulate:
        case kMpi_Raccumulate: return false;
        case kMpi_Get:
        case kMpi_Rget: return lock != RemoteAccess::PartLock::None;
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

// One waits for the other. What a rank itself does with its part without a lock waits for nobody.
bool are_ordered_by_lock(const RemoteAccess& a, const RemoteAccess& b) {
    using enum RemoteAccess::PartLock;
    return (a.lock == Exclusive && (!b.is_own || b.lock != None)) ||
           (b.lock == Exclusive && (!a.is_own || a.lock != None));
}

// `b` came before, by the clock.
bool conflict(const RemoteAccess& a, const RemoteAccess& b, const RankClocks& clocks) {
    if (a.window != b.window || a.target != b.target || a.phase != b.phase) return false;
    if (a.end <= b.begin || b.end <= a.begin) return false;
    if (a.use == RemoteUse::Loads && b.use == RemoteUse::Loads) return false;
    if (a.is_own && b.is_own && a.rank == b.rank) return false;
    const bool both_accumulate = a.use == RemoteUse::Accumulates && b.use == RemoteUse::Accumulates;
    if (both_accumulate && (a.rank == b.rank || a.op == 0 || b.op == 0 || a.op == b.op)) return false;
    if (a.rank == b.rank) return a.completions == b.completions;
    const bool before_post = (a.waits && b.is_own) || (b.waits && a.is_own && a.epoch != b.epoch);
    return !before_post && !clocks.knows(b.rank, b.made) && !are_ordered_by_lock(a, b);
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
    WindowPart& part_of(const RemoteAccess& access) {
        return parts[(key_of_lock(access.window, access.target) * kOdd >> 32) % kParts];
    }
    struct PartSize {
        u64 key, bytes;  // of a window and a rank
    };
    static constexpr usize kSizes = 4096;
    PartSize sizes[kSizes];
};

void RemoteAccesses::begin(i32 size, RankClocks& clocks) {
    clocks_ = &clocks;
    if (size < 2 || table_ != nullptr) return;
    table_ = static_cast<RankAccesses*>(shared_.map("windows", sizeof(RankAccesses)));
}

void RemoteAccesses::clear() {
    windows_.clear();
    shared_parts_.clear();
    locks_.clear();
    table_ = nullptr;
}

void RemoteAccesses::collective(const InCall& in, const Communicator& comm, i32 world_size) {
    const bool has_all = !comm.is_between && static_cast<i32>(comm.size) == world_size;
    if (has_all)
        clocks_->begins_operation_of_all();
    else
        heard();
    if (!has_all || !orders_all(in.call)) return;
    ++phase_;
    fetches_ = synchronises_alone_ = false;
}

namespace {
// A post, and the end of its epoch, in the place of a message's way.
u64 way_of_post(u64 window) { return window * kOdd + 1; }
u64 way_of_end(u64 window) { return window * kOdd + 2; }
}  // namespace

void RemoteAccesses::shared_with(u64 handle, u32 call, const i32* world_ranks, i32 count) {
    OpenWindow* const window = windows_.find(handle);
    if (window == nullptr) return;
    EpochGroup& group = call == kMpi_Win_start ? window->targets : window->origins;
    group = {.count = 0, .epochs = group.epochs + 1, .ranks = {}, .heard = {}};
    group.count = count <= EpochGroup::kMostNamed ? count : -1;
    for (i32 i = 0; i < group.count; ++i) group.ranks[i] = world_ranks[i];
    for (i32 i = 0; i < count && call == kMpi_Win_post; ++i)
        clocks_->sends(way_of_post(window->identity), world_ranks[i], {});
}

bool RemoteAccesses::knows_post(OpenWindow& window, i32 world_target) {
    EpochGroup& group = window.targets;
    RankClocks::Arrived arrived;
    for (i32 i = 0; i < group.count; ++i) {
        if (group.ranks[i] != world_target) continue;
        group.heard[i] =
            group.heard[i] || clocks_->look_for(way_of_post(window.identity), world_target, arrived);
        return group.heard[i];
    }
    return false;
}

bool RemoteAccesses::completes(const InCall& in, RemoteAccess& found, RemoteAccess& earlier) {
    OpenWindow* const window = windows_.find(in.facts.comm);
    if (window == nullptr || table_ == nullptr) return false;
    bool conflicts = false;
    for (RemoteAccess& mine : waiting_) {
        if (mine.window != window->identity || conflicts || !knows_post(*window, mine.target)) continue;
        mine.waits = false;
        RankAccesses::WindowPart& part = table_->part_of(mine);
        const EntryLock lock(part.lock);
        for (usize i = 0; lock.held() && i < RankAccesses::kEntries && !conflicts; ++i) {
            conflicts = part.own[i].window != 0 && conflict(mine, part.own[i], *clocks_);
            if (conflicts) earlier = part.own[i];
        }
        found = mine;
    }
    waiting_.clear();
    for (i32 i = 0; i < window->targets.count; ++i)
        clocks_->sends(way_of_end(window->identity), window->targets.ranks[i], {});
    return conflicts;
}

// The epoch is over, and all posts must have been there, or all that it shared with have completed it.
void RemoteAccesses::waited(OpenWindow& window) {
    RankClocks::Arrived arrived;
    if (window.origins.count < 0) heard();
    for (i32 i = 0; i < window.origins.count; ++i)
        clocks_->received(way_of_end(window.identity), window.origins.ranks[i], arrived);
    window.origins.count = 0;
    window.posted = false;
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
            if (window != nullptr) ++window->locked;
            if (window != nullptr && target == window->self) heard();
            break;
        case kMpi_Win_start:
            if (window != nullptr) window->started = true;
            break;
        case kMpi_Win_post:
            if (window != nullptr) window->posted = true;
            break;
        case kMpi_Win_wait:
        case kMpi_Win_test:
            if (window != nullptr) waited(*window);
            break;
        case kMpi_Win_sync:
            heard();
            synchronises_alone_ = true;
            break;
        case kMpi_Win_unlock:
        case kMpi_Win_unlock_all:
        case kMpi_Win_complete:
            if (in.call % kMpiCalls == kMpi_Win_unlock) {
                locks_.erase(key_of_lock(in.facts.comm, target));
                if (window != nullptr && window->locked != 0) --window->locked;
            }
            if (window != nullptr && in.call % kMpiCalls == kMpi_Win_unlock_all) window->all_locked = false;
            if (window != nullptr && in.call % kMpiCalls == kMpi_Win_complete) {
                window->started = false;
                for (i32 i = 0; i < window->targets.count; ++i) knows_post(*window, window->targets.ranks[i]);
            }
            [[fallthrough]];
        case kMpi_Win_flush:
        case kMpi_Win_flush_all:
            ++completions_;
            if (fetches_) heard();
            break;
        // At the target nothing need be complete.
        case kMpi_Win_flush_local:
        case kMpi_Win_flush_local_all:
            if (fetches_) heard();
            break;
        default: break;
    }
}

const char* RemoteAccesses::out_of_turn(const InCall& in) {
    const OpenWindow* const window = windows_.find(in.facts.comm);
    if (window == nullptr) return nullptr;
    const bool locked = window->locked != 0 || window->all_locked;
    switch (in.call % kMpiCalls) {
        case kMpi_Win_start: return window->started ? "is called again before MPI_Win_complete" : nullptr;
        case kMpi_Win_complete: return window->started ? nullptr : "is called without MPI_Win_start";
        case kMpi_Win_post: return window->posted ? "is called again before MPI_Win_wait" : nullptr;
        case kMpi_Win_wait:
        case kMpi_Win_test: return window->posted ? nullptr : "is called without MPI_Win_post";
        case kMpi_Win_unlock: return window->locked != 0 ? nullptr : "is called without MPI_Win_lock";
        case kMpi_Win_unlock_all: return window->all_locked ? nullptr : "is called without MPI_Win_lock_all";
        case kMpi_Win_flush:
        case kMpi_Win_flush_all:
        case kMpi_Win_flush_local:
        case kMpi_Win_flush_local_all: return locked ? nullptr : "is called without a lock of the window";
        default: return nullptr;
    }
}

void RemoteAccesses::window_made(const MpiWindowFacts& window, const InCall& in, const Communicator& comm) {
    const u64 identity = ((comm.group * kOdd + comm.ordinal) * kOdd + in.operation) * kOdd + window.unit;
    windows_[window.handle] = {.identity = identity,
                               .unit = window.unit,
                               .base = window.base,
                               .bytes = window.bytes,
                               .fenced = false,
                               .started = false,
                               .posted = false,
                               .all_locked = false,
                               .self = window.self,
                               .locked = 0,
                               .targets = {},
                               .origins = {}};
    if (u64* size = size_of_part(identity, window.self, true)) *size = window.bytes;
}

void RemoteAccesses::shared_part(u64 handle, const SharedPart& part) {
    if (table_ != nullptr && part.target >= 0) shared_parts_.push_back(part);
    if (const OpenWindow* const window = windows_.find(handle); window != nullptr && !shared_parts_.empty())
        shared_parts_[shared_parts_.size() - 1].identity = window->identity;
}

void RemoteAccesses::window_gone(u64 handle) {
    usize kept = 0;
    for (const SharedPart& part : shared_parts_)
        if (part.handle != handle) shared_parts_[kept++] = part;
    shared_parts_.resize(kept);
    windows_.erase(handle);
    locks_.clear();
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
    const auto guard = [all](Address base, usize bytes) {
        if (bytes > kSmall && !all) return;
        const usize each = (bytes / kPieces + kGrain) / kGrain * kGrain;
        for (usize at = 0; at < bytes; at += each)
            client::raise_guard(base + at, at + each < bytes ? each : bytes - at, kOwner);
    };
    windows_.for_each([&](u64, const OpenWindow& window) { guard(window.base, window.bytes); });
    for (const SharedPart& part : shared_parts_)
        if (!synchronises_alone_) guard(part.base, part.bytes);
}

const char* RemoteAccesses::why_not_free(u64 handle) {
    const OpenWindow* const window = windows_.find(handle);
    if (window == nullptr) return nullptr;
    if (window->posted) return "is called before MPI_Win_wait has ended the epoch of MPI_Win_post";
    if (window->started) return "is called before MPI_Win_complete has ended the epoch of MPI_Win_start";
    if (window->all_locked || window->locked != 0) return "is called before the window was unlocked";
    return nullptr;
}

bool RemoteAccesses::has_access(const InCall& in, i32 target) {
    const OpenWindow* const window = windows_.find(in.facts.comm);
    return window == nullptr || window->fenced || window->started || window->all_locked ||
           locks_.find(key_of_lock(in.facts.comm, target)) != nullptr;
}

bool RemoteAccesses::used_here(u32 call, Address a, usize bytes, bool stores, i32 rank, ContextId context,
                               RemoteAccess& earlier) {
    bool found = false;
    RemoteAccess mine{};
    mine.phase = phase_;
    mine.completions = completions_;
    mine.rank = rank;
    mine.call = call;
    mine.use = stores ? RemoteUse::Stores : RemoteUse::Loads;
    mine.is_own = true;
    const auto use = [&](Address base, usize size) {
        const Address end = base + size;
        if (found || table_ == nullptr || a >= end || a + bytes <= base) return;
        mine.begin = a > base ? static_cast<i64>(a - base) : 0;
        mine.end = static_cast<i64>((a + bytes < end ? a + bytes : end) - base);
        mine.made = clocks_->next();
        write_place(context, mine.place, sizeof mine.place,
                    call < kStore ? Innermost::IsWrapper : Innermost::IsProgram);
        found = add(mine, earlier);
    };
    windows_.for_each([&](u64 handle, const OpenWindow& window) {
        mine.window = window.identity;
        mine.target = rank;
        mine.lock = lock_of(handle, window.self);
        mine.epoch = window.origins.count != 0 ? window.origins.epochs : 0;
        use(window.base, window.bytes);
    });
    mine.epoch = 0;
    for (const SharedPart& part : shared_parts_) {
        mine.window = part.identity;
        mine.target = part.target;
        mine.lock = lock_of(part.handle, part.number);
        if (!synchronises_alone_) use(part.base, part.bytes);
    }
    return found;
}

bool RemoteAccesses::compare(const InCall& in, i32 world_target, i32 rank, Buffers& buffers,
                             RemoteAccess& earlier) {
    OpenWindow* const window = windows_.find(in.facts.comm);
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
    mine.waits = window->started && !knows_post(*window, world_target);
    mine.epoch = window->targets.epochs;
    mine.made = clocks_->next();
    write_place(in.context, mine.place, sizeof mine.place);
    fetches_ |= fetches(in.call, mine.lock);
    u32 pieces = 0;
    bool found = false;
    buffers.for_each(in.at_target, [&](const Piece& piece) {
        if (found || ++pieces > kMostPieces) return;
        mine.begin = static_cast<i64>(piece.begin) + in.facts.target_offset * static_cast<i64>(window->unit);
        mine.end = mine.begin + static_cast<i64>(piece.bytes);
        found = add(mine, earlier);
        constexpr usize kMostWaiting = 64;
        if (mine.waits && waiting_.size() < kMostWaiting) waiting_.push_back(mine);
    });
    return found;
}

bool RemoteAccesses::add(const RemoteAccess& mine, RemoteAccess& earlier) {
    RankAccesses::WindowPart& part = table_->part_of(mine);
    const EntryLock lock(part.lock);
    if (!lock.held()) return false;
    // The pieces of one operation are no conflict: types that overlap at the target are found elsewhere.
    const auto find = [&](const RemoteAccess* entries, auto&& fits) -> const RemoteAccess* {
        for (usize i = 0; i < RankAccesses::kEntries; ++i)
            if (entries[i].window != 0 && fits(entries[i])) return &entries[i];
        return nullptr;
    };
    const auto conflicts = [&](const RemoteAccess& other) { return conflict(mine, other, *clocks_); };
    const RemoteAccess* other = find(part.entries, conflicts);
    if (other == nullptr) other = find(part.own, conflicts);
    if (other != nullptr) earlier = *other;
    if (!mine.is_own)
        part.entries[part.next++ % RankAccesses::kEntries] = mine;
    else if (find(part.own, [&](const RemoteAccess& known) {
                 return known.window == mine.window && known.target == mine.target &&
                        known.begin == mine.begin && known.end == mine.end && known.call == mine.call &&
                        known.phase == mine.phase && known.use == mine.use && known.rank == mine.rank;
             }) == nullptr)
        part.own[part.next_own++ % RankAccesses::kEntries] = mine;
    return other != nullptr;
}

}  // namespace memspy::mpi
