// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/communication.h"

#include <bit>
#include <string_view>

namespace memspy::mpi {
namespace {

u32 size_class(u64 bytes) {
    const u32 width = static_cast<u32>(std::bit_width(bytes));
    return width < kSizeClasses ? width : kSizeClasses - 1;
}

// FNV-1a, 64 bits.
constexpr u64 kHashStart = 0xcbf29ce484222325;
void mix(u64* hash, u64 value) {
    for (int i = 0; i < 8; ++i, value >>= 8) *hash = (*hash ^ (value & 0xff)) * 0x100000001b3;
}
u64 hash_of(std::string_view name, const int* world_ranks, int size) {
    u64 hash = kHashStart;
    for (char letter : name) mix(&hash, static_cast<u8>(letter));
    mix(&hash, static_cast<u32>(size));
    for (int i = 0; world_ranks != nullptr && i < size; ++i) mix(&hash, static_cast<u64>(world_ranks[i]));
    return hash;
}

}  // namespace

void Communication::world(i32 rank, i32 size) {
    rank_ = rank;
    size_ = size;
}

void Communication::describe(const MpiCommFacts& facts) {
    Communicator comm;
    usize length = 0;
    for (; facts.name[length] != '\0' && length + 1 < sizeof comm.name; ++length)
        comm.name[length] = facts.name[length];
    comm.size = static_cast<u32>(facts.size);
    comm.is_between = facts.own_size != 0;
    // Between groups each side sees the other one, and the sum is the same on both.
    if (facts.own_size == 0) {
        comm.group = hash_of({comm.name, length}, facts.world_ranks, facts.size);
    } else {
        comm.own = hash_of({}, facts.own_ranks, facts.own_size);
        comm.group = hash_of({}, facts.world_ranks, facts.size) + comm.own;
    }
    if (facts.numbered != 0) mix(&comm.group, static_cast<u64>(facts.numbered));
    if (facts.world_ranks != nullptr) {
        comm.first = static_cast<u32>(world_ranks_.size());
        comm.listed = comm.size;
        for (u32 i = 0; i < comm.size; ++i) world_ranks_.push_back(facts.world_ranks[i]);
    }
    for (i32 i = 0; i < facts.size && facts.world_ranks != nullptr; ++i)
        comm.has_strangers |= facts.world_ranks[i] < 0;
    for (const Communicator& other : communicators_)
        if (other.group == comm.group) ++comm.ordinal;
    communicators_.push_back(comm);
    handles_[facts.handle] = static_cast<u32>(communicators_.size());
}

// Its identity in all ranks remains.
void Communication::rename(u64 comm, const char* name) {
    const CommId id = comm_of(comm);
    if (id == CommId::None) return;
    char* const text = communicators_[static_cast<u32>(id) - 1].name;
    usize length = 0;
    for (; name[length] != '\0' && length + 1 < sizeof Communicator::name; ++length)
        text[length] = name[length];
    text[length] = '\0';
}

CommId Communication::comm_of(u64 handle) {
    const u32* known = handles_.find(handle);
    return known == nullptr ? CommId::None : static_cast<CommId>(*known);
}

u32 Communication::row_of(u32 call, ContextId context, CommId comm) {
    const u64 key = u64{call} << 32 | static_cast<u32>(context);
    u32* first = row_numbers_.find(key);
    u32 last = kNoRow;
    for (u32 row = first == nullptr ? kNoRow : *first; row != kNoRow; row = next_row_[row]) {
        if (rows_[row].comm == comm) return row;
        last = row;
    }
    const u32 number = static_cast<u32>(rows_.size());
    CallRow row;
    row.call = call;
    row.context = context;
    row.comm = comm;
    rows_.push_back(row);
    next_row_.push_back(kNoRow);
    if (last == kNoRow)
        row_numbers_[key] = number;
    else
        next_row_[last] = number;
    return number;
}

i32 Communication::world_rank(CommId comm, i32 rank) const {
    if (rank < 0 || comm == CommId::None) return -1;
    const Communicator& of = communicators_[static_cast<u32>(comm) - 1];
    if (of.listed == 0) return of.size == static_cast<u32>(size_) ? rank : -1;
    return static_cast<u32>(rank) < of.listed ? world_ranks_[of.first + static_cast<u32>(rank)] : -1;
}

Peer& Communication::peer(i32 rank) {
    u32& number = peer_numbers_[static_cast<u64>(static_cast<u32>(rank))];
    if (number == 0) {
        peers_.push_back(Peer{rank, 0, 0});
        number = static_cast<u32>(peers_.size());
    }
    return peers_[number - 1];
}

void Communication::count_sent(u32 row, CommId comm, u64 bytes, i32 to, i64 tag, u64 begin, u64 now) {
    const i32 rank = world_rank(comm, to);
    rows_[row].sent += bytes;
    if (rank < 0) return;
    peer(rank).sent += bytes;
    if (pattern_of(rows_[row].call) == Pattern::PointToPoint) keep_sending(row, comm, rank, tag, begin, now);
}

void Communication::keep_sending(u32 row, CommId comm, i32 to_world, i64 tag, u64 begin, u64 now) {
    if (sends_.size() < kMostEvents)
        sends_.push_back(SendEvent{comm, to_world, tag, row, begin, now});
    else
        ++left_out_;
}

void Communication::count_received(u32 row, CommId comm, u64 bytes, i32 from, i64 tag, u32 ended_by,
                                   u64 posted, u64 begin, u64 now) {
    rows_[row].received += bytes;
    const i32 rank = world_rank(comm, from);
    if (rank < 0) return;
    if (pattern_of(rows_[row].call) == Pattern::OneSided) peer(rank).fetched += bytes;
    if (pattern_of(rows_[row].call) != Pattern::PointToPoint) return;
    if (receives_.size() < kMostEvents)
        receives_.push_back(ReceiveEvent{comm, rank, tag, ended_by, posted, begin, now});
    else
        ++left_out_;
}

TypeMatching::Message Communication::message(u32 row, CommId comm, i32 peer, i64 tag, u32 thread,
                                             u64 posted) const {
    const Communicator& of = communicators_[static_cast<u32>(comm) - 1];
    return {.way = TypeMatching::way_of(of.group, of.ordinal, tag),
            .peer = world_rank(comm, peer),
            .row = row,
            .thread = thread,
            .posted = posted};
}

void Communication::keep_sent(u32 thread, u32 row, CommId comm, i32 to, i64 tag, const MpiTypes& types) {
    if (!matches_types_ || world_rank(comm, to) < 0 || pattern_of(rows_[row].call) != Pattern::PointToPoint)
        return;
    TypeMatching::Message sent = message(row, comm, to, tag, thread, 0);
    if (types.bytes != 0 && types.count > 0)
        sent.types = signature_of(types, static_cast<u64>(types.count) * types.bytes);
    types_.sent(sent);
}

void Communication::keep_received(u32 thread, u32 row, CommId comm, i32 from, i64 tag, u64 posted,
                                  const MpiTypes& types, u64 bytes) {
    if (!matches_types_ || pattern_of(rows_[row].call) != Pattern::PointToPoint) return;
    if (world_rank(comm, from) < 0) return types_.lost_one();
    TypeMatching::Message received = message(row, comm, from, tag, thread, posted);
    received.types = signature_of(types, bytes);
    types_.received(received);
}

void Communication::about_to(u32 thread, const MpiCallFacts& facts) {
    InCall* const in = in_call(thread);
    if (in == nullptr || in->depth != 1 || in->is_told) return;
    in->is_told = true;
    in->facts = facts;
    const CommId comm = comm_of(facts.comm);
    if (comm != CommId::None && is_in_order(in->call))
        in->operation = ++communicators_[static_cast<u32>(comm) - 1].operations;
}

void Communication::waits_for(u32 thread, MpiAwaited* requests, u32 count) {
    InCall* const in = in_call(thread);
    if (in == nullptr || in->depth != 1) return;
    in->is_told = true;
    in->facts = {};
    in->facts.peer = in->facts.source = in->facts.awaits = in->facts.root = kMpiNobody;
    in->waiting = requests;
    in->waiting_count = count;
}

// Of a pair of ranks, the shares in a communicator's operations match in their order. Tags are not negative.
void Communication::share(u32 thread, const MpiShare& share) {
    constexpr i32 kCollective = -1;
    const InCall* in = in_call(thread);
    const CommId comm = comm_of(share.comm);
    if (!matches_types_ || in == nullptr || in->depth != 1 || world_rank(comm, share.peer) < 0) return;
    TypeMatching::Message message =
        this->message(row_of(in->call, in->context, comm), comm, share.peer, kCollective, thread, in->begin);
    message.types = signature_of(share.types, static_cast<u64>(share.types.count) * share.types.bytes);
    if (share.is_taken != 0)
        types_.received(message);
    else
        types_.sent(message);
}

void Communication::gives(u32 thread, const MpiGift& gift) {
    InCall* const in = in_call(thread);
    if (in != nullptr && in->depth == 1) gifts_.add(in->gifts, {.peer = gift.peer, .bytes = gift.bytes});
}

void Communication::count_gifts(CommId comm, const ItemList& gifts) {
    gifts_.for_each(gifts, [&](const Gift& gift) {
        if (const i32 rank = world_rank(comm, gift.peer); rank >= 0) peer(rank).sent += gift.bytes;
    });
}

void Communication::add_pending(const Pending& pending) {
    u32 slot = static_cast<u32>(pending_.size());
    if (!free_slots_.empty()) {
        slot = free_slots_.back();
        free_slots_.pop_back();
    } else {
        pending_.push_back({});
    }
    pending_[slot] = pending;
    pending_[slot].used = true;
    if (pending.window != 0) return;
    u32& first = slots_[pending.request];
    if (first == 0) {
        first = slot + 1;
        return;
    }
    Pending* last = &pending_[first - 1];
    for (; last->next != 0; last = &pending_[last->next - 1]) last->shared = true;
    last->shared = pending_[slot].shared = true;
    last->next = slot + 1;
}

void Communication::take_out(u64 request) {
    u32* first = slots_.find(request);
    Pending& pending = pending_[*first - 1];
    if (pending.next != 0)
        *first = pending.next;
    else
        slots_.erase(request);
    pending.next = 0;
}

MpiAwaited Communication::await(u64 request) {
    const Pending* pending = find_pending(request);
    if (pending == nullptr) return 0;
    if (!pending->persistent) take_out(request);
    return (number_of(*pending) + 1) | (pending->receives ? u32{kMpiAwaitedReceives} : 0);
}

void Communication::give_back(MpiAwaited awaited, bool failed) {
    Pending* const pending = find_awaited(awaited);
    if (pending == nullptr) return;
    if (failed) {
        if (pending->persistent) take_out(pending->request);
        return forget(*pending);
    }
    if (pending->persistent) return;
    u32& first = slots_[pending->request];
    pending->next = first;
    first = number_of(*pending) + 1;
}

bool Communication::has_room_for_window() const {
    usize open = 0;
    for (const Pending& pending : pending_) open += pending.used && pending.window != 0;
    return open < kMostOneSided;
}

void Communication::forget_request(u64 request) {
    Pending* pending = find_pending(request);
    if (pending == nullptr) return;
    take_out(request);
    forget(*pending);
}

void Communication::forget(Pending& pending) {
    buffers_.release(pending.buffers);
    gifts_.release(pending.gifts);
    free_slot(pending);
}

void Communication::free_slot(Pending& pending) {
    pending.used = false;
    free_slots_.push_back(number_of(pending));
}

u32 Communication::new_channel(bool receives, CommId comm, i32 peer, i32 tag) {
    u64 key = kHashStart;
    for (u64 part : {u64{receives}, u64{static_cast<u32>(comm)}, u64{static_cast<u32>(peer)},
                     u64{static_cast<u32>(tag)}})
        mix(&key, part);
    return ++channels_[key];
}

namespace {
i64 tag_of(const Pending& pending) { return i64{pending.channel} << 32 | static_cast<u32>(pending.tag); }
}  // namespace

void Communication::keep_lock(u32 call, CommId window, const MpiCallFacts& facts) {
    const u32 plain = call % kMpiCalls;
    const bool is_of_all = plain == kMpi_Win_lock_all || plain == kMpi_Win_unlock_all;
    const i32 target = world_rank(window, facts.awaits);
    if (facts.failed != 0 || (!is_of_all && target < 0)) return;
    if (plain == kMpi_Win_lock || plain == kMpi_Win_lock_all)
        locks_.take({window, target, facts.is_exclusive != 0});
    if (plain == kMpi_Win_unlock || plain == kMpi_Win_unlock_all) locks_.give_back(window, target);
}

// A persistent request: its message, or its part in a collective operation, is counted now. One to or from
// MPI_PROC_NULL has ended when it starts: MPICH does not tell its end.
void Communication::started(u32 thread, u32 row, const MpiCallFacts& facts, u64 begin, u64 now) {
    Pending* const pending = find_pending(facts.request);
    if (pending == nullptr) return;
    const u32 made_by = rows_[pending->row].call;
    const bool has_partner = is_collective(made_by) || pending->peer >= 0 || pending->awaits != kMpiNobody;
    pending->active = facts.failed == 0 && has_partner;
    pending->begun = begin;
    pending->ready = 0;
    pending->reported = false;
    if (is_collective(made_by)) {
        CallRow& made = rows_[pending->row];
        made.sent += pending->sent;
        made.received += pending->received;
        const u64 moved = pending->sent != 0 ? pending->sent : pending->received;
        if (moved != 0) ++made.sizes[size_class(moved)];
        count_gifts(pending->comm, pending->gifts);
        return;
    }
    if (pending->receives || pending->partitions != 0) return;
    ++rows_[row].sizes[size_class(pending->sent)];
    count_sent(row, pending->comm, pending->sent, pending->peer, pending->tag, begin, now);
    if (pending->active)
        keep_sent(thread, pending->row, pending->comm, pending->peer, pending->tag, pending->given);
}

// Partitions are sent from this call on; the receiver waits for the last one.
void Communication::marked_ready(u32 row, const MpiCallFacts& facts, u64 begin, u64 now) {
    Pending* const pending = find_pending(facts.request);
    const u32 marked = static_cast<u32>(facts.partitions);
    if (pending == nullptr || pending->partitions == 0 || facts.failed != 0) return;
    const u64 each = pending->sent / pending->partitions;
    rows_[row].sizes[size_class(each)] += marked;
    rows_[row].sent += each * marked;
    const i32 rank = world_rank(pending->comm, pending->peer);
    if (rank >= 0) peer(rank).sent += each * marked;
    const bool was_ready = pending->ready >= pending->partitions;
    pending->ready += marked;
    if (rank < 0 || was_ready || pending->ready < pending->partitions) return;
    keep_sending(row, pending->comm, rank, tag_of(*pending), begin, now);
    keep_sent(pending->thread, pending->row, pending->comm, pending->peer, tag_of(*pending), pending->given);
}

void Communication::leave(u32 thread, const MpiCallFacts& facts, u64 now) {
    InCall* in = in_calls_.find(thread);
    if (in == nullptr || in->depth == 0 || --in->depth > 0) return;
    --inside_;
    buffers_.release(in->at_target);
    if (facts.in_vain == 0) moved(now);
    const u32 call = in->call;
    const u64 begin = in->begin;
    const CommId comm = comm_of(facts.comm);
    keep_lock(call, comm, facts);
    const u32 number = row_of(call, in->context, comm);
    CallRow& row = rows_[number];
    ++row.calls;
    row.time += now - begin;
    const u64 bytes = facts.sent != 0 ? facts.sent : facts.received;
    if (facts.persistent == 0 && (bytes != 0 || facts.peer >= 0 || facts.source >= 0))
        ++row.sizes[size_class(bytes)];

    if (call == kMpi_Start) return started(thread, number, facts, begin, now);
    if (marks_ready(call)) return marked_ready(number, facts, begin, now);
    if (facts.persistent == 0) count_gifts(comm, in->gifts);
    const bool waits_for_window = facts.window != 0 && !in->buffers.empty() && has_room_for_window();
    if ((facts.request != 0 || waits_for_window) && facts.failed == 0) {
        Pending pending;
        pending.row = number;
        pending.comm = comm;
        pending.persistent = facts.persistent != 0;
        pending.active = !pending.persistent;
        pending.begun = begin;
        pending.receives = is_receive(call);
        pending.sent = facts.sent;
        pending.received = facts.received;
        pending.peer = facts.peer >= 0 ? facts.peer : facts.source;
        pending.window = facts.window;
        if (facts.request != 0 && pattern_of(call) == Pattern::OneSided) pending.buffers_window = facts.comm;
        pending.thread = thread;
        pending.given = facts.given;
        pending.taken = facts.taken;
        pending.tag = facts.tag;
        pending.awaits = facts.awaits;
        pending.awaited_tag = facts.awaited_tag;
        pending.root = facts.root;
        // That it was made, all ranks know; a start has no number.
        pending.operation = is_persistent_collective(call) ? 0 : in->operation;
        pending.partitions = static_cast<u32>(facts.partitions);
        if (pending.partitions != 0)
            pending.channel = new_channel(pending.receives, comm, pending.peer, pending.tag);
        pending.buffers = in->buffers;
        pending.request = facts.request;
        in->buffers = {};
        if (pending.persistent) {
            pending.gifts = in->gifts;
            in->gifts = {};
        }
        add_pending(pending);
    }
    buffers_.release(in->buffers);
    gifts_.release(in->gifts);
    if (facts.persistent == 0 && facts.sent != 0)
        count_sent(number, comm, facts.sent, facts.peer, facts.tag, begin, now);
    if (facts.persistent == 0 && facts.sent == 0 && facts.peer >= 0)
        count_sent(number, comm, 0, facts.peer, facts.tag, begin, now);
    if (facts.persistent == 0 && facts.peer >= 0 && facts.failed == 0)
        keep_sent(thread, number, comm, facts.peer, facts.tag, facts.given);
    if (!is_receive(call) && facts.source >= 0)
        keep_received(thread, number, comm, facts.source, facts.received_tag, begin, facts.taken,
                      facts.received);
    // Bytes received by a request are counted when it completes; those of a collective call are known now.
    if (facts.persistent == 0 && !is_receive(call) && (facts.received != 0 || facts.source >= 0))
        count_received(number, comm, facts.received, facts.source, facts.received_tag, number, begin, begin,
                       now);
    if (is_blocking_collective(call)) {
        rows_[number].worked += worked_;
        worked_ = 0;
        if (collectives_.size() < kMostEvents)
            collectives_.push_back(CollectiveEvent{comm, number, begin, now});
        else
            ++left_out_;
    }
}

Pending Communication::complete(u32 thread, const MpiCompletion& completion, u64 now) {
    Pending* pending = find_awaited(completion.request);
    const InCall* in = in_calls_.find(thread);
    if (pending == nullptr || in == nullptr) return {};
    const Pending was = *pending;
    if (was.receives && was.active) {
        // A partitioned message has one sender, and its whole size.
        const bool is_whole = was.partitions != 0;
        const u64 received = is_whole ? was.received : completion.received;
        const i32 source = is_whole ? was.peer : completion.source;
        const i64 tag = is_whole ? tag_of(was) : completion.tag;
        // None comes from MPI_PROC_NULL, or if the receive was cancelled.
        if (source >= 0 || received != 0) ++rows_[was.row].sizes[size_class(received)];
        count_received(was.row, was.comm, received, source, tag, row_of(in->call, in->context, CommId::None),
                       was.begun, in->begin, now);
        if (source >= 0)
            keep_received(was.thread, was.row, was.comm, source, tag, was.begun, was.taken, received);
    }
    if (was.persistent) {
        pending->active = false;
    } else {
        free_slot(*pending);
    }
    return was;
}

void Communication::forked() {
    rank_ = -1;
    rows_.clear();
    next_row_.clear();
    row_numbers_.clear();
    peers_.clear();
    peer_numbers_.clear();
    pending_.clear();
    free_slots_.clear();
    slots_.clear();
    buffers_.clear();
    gifts_.clear();
    channels_.clear();
    types_.clear();
    in_calls_.clear();
    locks_.clear();
    inside_ = 0;
    sends_.clear();
    receives_.clear();
    collectives_.clear();
    work_began_ = worked_ = 0;
    left_out_ = 0;
    last_move_ = moves_ = 0;
}

}  // namespace memspy::mpi
