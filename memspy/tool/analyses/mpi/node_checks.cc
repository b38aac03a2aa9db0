// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/node_checks.h"

#include "analyses/mpi/checks.h"
#include "analyses/mpi/output/wait_text.h"
#include "client/shared_windows.h"
#include "options.h"
#include "vg/clock.h"
#include "vg/vg.h"

namespace memspy::mpi {
namespace {

constexpr i32 kRanks = -2, kTags = -3;  // in the place of a tag
u64 with_rank(u64 way, i32 rank) { return way * 64 + static_cast<u32>(rank); }
bool waits_for(const RankWait& wait, i32 rank) {
    for (const i32 each : wait.ranks)
        if (each == rank) return true;
    return false;
}

}  // namespace

void NodeChecks::begin(i32 rank, i32 size) {
    agreement_.begin(size);
    clocks_.begin(rank, size);
    windows_.begin(size, clocks_);
}

void NodeChecks::end() {
    agreement_.end();
    clocks_.end();
    windows_.end();
}

void NodeChecks::clear() {
    clocks_.clear();
    windows_.clear();
    races_.clear();
}

const Communicator* NodeChecks::group_of(const InCall* in, u64 handle) const {
    const auto comm = in == nullptr || in->depth != 1 ? CommId::None : all_->comm_of(handle);
    return comm == CommId::None ? nullptr : &all_->communicators()[static_cast<usize>(comm) - 1];
}

void NodeChecks::compare_share(u32 thread, const MpiShare& share) {
    using Disagreement = Agreement::Disagreement;
    const InCall* in = all_->in_call(thread);
    const Communicator* const comm = group_of(in, share.comm);
    Agreement::OperationEntry mine;
    if (comm == nullptr || share_difference_.thread == thread) return;
    const i32 other = all_->world_rank(all_->comm_of(share.comm), share.peer);
    if (!describe_share(*comm, *in, share, all_->rank(), other, mine)) return;
    write_place(in->context, mine.place, sizeof mine.place);
    ShareDifference found{thread, Disagreement::None, {}};
    found.difference = agreement_.compare(mine, found.first);
    if (found.difference == Disagreement::Elements) share_difference_ = found;
}

void NodeChecks::compare_operation(u32 thread) {
    const ShareDifference found = share_difference_;
    if (found.thread == thread) share_difference_ = {};
    const InCall* in = all_->in_call(thread);
    const Communicator* const comm = in == nullptr ? nullptr : group_of(in, in->facts.comm);
    Agreement::OperationEntry mine, first;
    if (comm == nullptr) return;
    const i32 root = all_->world_rank(all_->comm_of(in->facts.comm), in->facts.root);
    if (!describe_operation(*comm, *in, all_->rank(), root, mine)) return;
    write_place(in->context, mine.place, sizeof mine.place);
    const Agreement::Disagreement difference = agreement_.compare(mine, first);
    const bool is_share = difference == Agreement::Disagreement::None && found.thread == thread;
    const Agreement::OperationEntry& other = is_share ? found.first : first;
    if (is_share || difference != Agreement::Disagreement::None)
        all_->note_disagreement(all_->comm_of(in->facts.comm), other.rank);
    Checks(*all_).disagrees(thread, is_share ? found.difference : difference, other);
}

void NodeChecks::follow_access(u32 thread, const InCall& in, i32 target) {
    RemoteAccess earlier;
    const u64 bytes = in.facts.sent > in.facts.received ? in.facts.sent : in.facts.received;
    const char* wrong = nullptr;
    if (bytes != in.facts.target_bytes && bytes != 0 && in.facts.target_bytes != 0)
        wrong = "has another size at its origin than at its target";
    else if (!windows_.has_access(in, target))
        wrong = "is called without access to its target, by MPI_Win_fence, MPI_Win_start or MPI_Win_lock";
    else if (windows_.is_behind(in, target, all_->buffers()))
        wrong = "uses bytes behind its target's part of the window";
    if (wrong != nullptr)
        Checks(*all_).judge(thread, wrong);
    else if (windows_.compare(in, all_->world_rank(all_->comm_of(in.facts.comm), target), all_->rank(),
                              all_->buffers(), earlier))
        Checks(*all_).conflicts(thread, in.call, earlier);
}

void NodeChecks::follow_complete(u32 thread, const InCall& in) {
    RemoteAccess found, earlier;
    if (windows_.completes(in, found, earlier)) Checks(*all_).conflicts(thread, found.call, earlier);
}

void NodeChecks::note_partners(u64 window, u32 thread, const i32* world_ranks, i32 count) {
    const InCall* in = all_->in_call(thread);
    if (in != nullptr && in->depth == 1) windows_.shared_with(window, in->call, world_ranks, count);
}

// What the call itself loads from the rank's own part, or stores there.
void NodeChecks::follow_buffers(u32 thread, const InCall& in) {
    RemoteAccess earlier;
    bool found = false;
    if (windows_.has_none() || makes_persistent(in.call)) return;
    all_->buffers().for_each(in.buffers, [&](const Piece& piece) {
        found = found || windows_.used_here(in.call, piece.begin, piece.bytes, piece.writes, all_->rank(),
                                            in.context, earlier);
    });
    if (found) Checks(*all_).conflicts(thread, in.call, earlier);
}

void NodeChecks::follow_windows(u32 thread) {
    const InCall* in = all_->in_call(thread);
    const Communicator* const comm = in == nullptr ? nullptr : group_of(in, in->facts.comm);
    if (comm == nullptr) return;
    if (const char* wrong = windows_.out_of_turn(*in); wrong != nullptr) Checks(*all_).judge(thread, wrong);
    follow_buffers(thread, *in);
    if (in->operation != 0)
        windows_.collective(*in, *comm, all_->size());
    else if (in->call == kMpi_Win_complete)
        follow_complete(thread, *in);
    else if (!in->at_target.empty())
        follow_access(thread, *in, in->facts.peer >= 0 ? in->facts.peer : in->facts.source);
}

void NodeChecks::note_window(u32 thread, const MpiWindowFacts& window) {
    const InCall* in = all_->in_call(thread);
    const Communicator* const comm = in == nullptr ? nullptr : group_of(in, in->facts.comm);
    if (comm != nullptr) windows_.window_made(window, *in, *comm);
}

void NodeChecks::note_shared_part(u32 thread, const u64* arguments) {
    const u64 window = arguments[1];
    const i32 number = static_cast<i32>(arguments[2]);
    const i32 target = all_->world_rank(all_->comm_of(window), number);
    windows_.shared_part(window, {window, number, target, arguments[3], arguments[4]});
    client::tell_shared_window(thread, arguments[3], arguments[4]);
}

u64 NodeChecks::way_of(CommId comm, i32 tag) const {
    const Communicator& of = all_->communicators()[static_cast<usize>(comm) - 1];
    return TypeMatching::way_of(of.group, of.ordinal, tag);
}

u64 NodeChecks::room_of(const PieceList& buffers) {
    u64 room = 0;
    all_->buffers().for_each(buffers, [&](const Piece& piece) { room += piece.writes ? piece.bytes : 0; });
    return room;
}

void NodeChecks::note_sending(u32 thread, u64 started) {
    const InCall* in = all_->in_call(thread);
    if (in == nullptr || in->depth != 1 || pattern_of(in->call) != Pattern::PointToPoint) return;
    CommId comm = all_->comm_of(in->facts.comm);
    i32 to = in->facts.peer, tag = in->facts.tag;
    u64 bytes = in->facts.sent;
    MpiTypes types = in->facts.given;
    u32 call = in->call;
    ContextId context = in->context;
    if (started != 0) {
        const Pending* const pending = all_->find_pending(started);
        if (pending == nullptr || pending->receives || pending->partitions != 0 || pending->operation != 0)
            return;
        comm = pending->comm;
        to = pending->peer;
        tag = pending->tag;
        bytes = pending->sent;
        types = pending->given;
        call = all_->rows()[pending->row].call;
        context = all_->rows()[pending->row].context;
    } else if (makes_persistent(in->call)) {
        return;
    }
    const i32 rank = all_->world_rank(comm, to);
    if (rank < 0) return;
    const u64 way = way_of(comm, tag);
    RankClocks::SentMessage message{};
    message.bytes = bytes;
    if (types.count >= 0) message.types = signature_of(types, static_cast<u64>(types.count) * types.bytes);
    message.in_way = ++sent_[with_rank(way, rank)].count;
    message.thread = thread;
    message.comm = way_of(comm, kRanks);
    message.tag = tag;
    TypeMatching::CallLabel& label = labels_[static_cast<u64>(context)];
    if (label.text[0] == '\0') label = label_of(call, context);
    message.sent_by = label;
    clocks_.sends(way, rank, message);
}

// An earlier receive may take the messages that this one takes, and be looked at later.
bool NodeChecks::may_be_of_other(CommId comm, i32 source, i32 tag, u64 posted) {
    bool found = false;
    all_->for_each_active([&](const Pending& pending) {
        found =
            found || (pending.receives && pending.comm == comm && pending.begun <= posted &&
                      pending.partitions == 0 && (pending.awaits == source || pending.awaits == kMpiAnyone) &&
                      (pending.awaited_tag < 0 || pending.awaited_tag == tag));
    });
    return found;
}

// It may come at any time: the rank's call, or a request, takes it.
bool NodeChecks::is_awaited(const RankClocks::Unreceived& sent, const RankWait& wait) {
    const auto is_of = [&](CommId comm, i32 tag) {
        return way_of(comm, kRanks) == sent.message.comm && (tag < 0 || tag == sent.message.tag);
    };
    bool found = waits_for(wait, sent.from) && is_of(wait.comm, wait.tag);
    all_->for_each_active([&](const Pending& pending) {
        found =
            found ||
            (pending.receives && pending.comm != CommId::None && is_of(pending.comm, pending.awaited_tag) &&
             (pending.awaits == kMpiAnyone || all_->world_rank(pending.comm, pending.awaits) == sent.from));
    });
    return found;
}

TypeMatching::CallLabel NodeChecks::taker_of(const RankClocks::Unreceived& sent, const RankWait& wait) const {
    MessageRaces::Receipt left{};
    left.comm = sent.message.comm;
    left.from = sent.from;
    left.tag = sent.message.tag;
    left.knew_of_us = sent.knew_of_us;
    const MessageRaces::Receipt* const taker =
        wait.ranks.size() == 1 ? races_.taker(wait.ranks[0], wait.tag, left) : nullptr;
    return taker == nullptr ? TypeMatching::CallLabel{} : label_of(taker->call, taker->context);
}

LeftMessage NodeChecks::find_left(const RankWait& wait) {
    LeftMessage left;
    // One that was taken out before its receive (MPI_Mprobe) is still among them.
    if (!wait.has_tag || wait.sends || wait.comm == CommId::None || matches_) return left;
    rt::Vector<RankClocks::Unreceived> all;
    clocks_.find_unreceived(all);
    u32 least = ~u32{0};
    for (const RankClocks::Unreceived& each : all) {
        const bool is_here = each.message.comm == way_of(wait.comm, kRanks);
        const bool is_tag = wait.tag < 0 || wait.tag == each.message.tag;
        const bool is_from = waits_for(wait, each.from);
        const u32 differs = u32{!is_here} + u32{!is_tag} + u32{!is_from};
        if (differs >= least || (!is_from && differs != 1) || is_awaited(each, wait)) continue;
        least = differs;
        left.from = each.from;
        left.tag = each.message.tag;
        left.sent_by = each.message.sent_by;
        left.taker = is_here ? taker_of(each, wait) : TypeMatching::CallLabel{};
        left.comm = CommId::None;
        for (u32 number = 1; number <= all_->communicators().size(); ++number)
            if (way_of(static_cast<CommId>(number), kRanks) == each.message.comm)
                left.comm = static_cast<CommId>(number);
    }
    return left;
}

void NodeChecks::keep_left(const LeftMessage& left) {
    constexpr usize kMostLeft = 1000;
    if (left.from >= 0 && left_.size() < kMostLeft) left_.push_back(left);
}

void NodeChecks::never_received(u32 thread, u64 handle, i32 source, i32 tag, const char* name) {
    LeftMessage left;
    left.comm = all_->comm_of(handle);
    left.from = all_->world_rank(left.comm, source);
    left.tag = tag;
    left.messages = 0;
    rt::Vector<RankClocks::Unreceived> all;
    if (left.comm != CommId::None) clocks_.find_unreceived(all);
    for (const RankClocks::Unreceived& each : all) {
        if (each.from != left.from || each.message.tag != tag ||
            each.message.comm != way_of(left.comm, kRanks))
            continue;
        if (++left.messages == 1) left.sent_by = each.message.sent_by;
    }
    if (left.messages == 0) left.messages = 1;
    Checks(*all_).unreceived(thread, source, tag, name, left.sent_by.text);
    keep_left(left);
}

void NodeChecks::compare_types(u32 thread, CommId comm, i32 source, i32 tag, const PostedReceive& posted,
                               const RankClocks::SentMessage& sent) {
    if (options().mpi_types) return;  // they are compared at the end
    Messages& way = received_[with_rank(way_of(comm, tag), all_->world_rank(comm, source))];
    if (way.sender == 0) way = {way.count, sent.thread, posted.thread, way.uncertain};
    way.uncertain = way.uncertain || matches_ || sent.in_way != way.count || sent.thread != way.sender ||
                    posted.thread != way.receiver || sent.bytes != posted.bytes ||
                    may_be_of_other(comm, source, tag, posted.posted);
    const MpiSignature taken = signature_of(posted.taken, posted.bytes);
    const bool is_known = taken.length != 0 && sent.types.length != 0;
    if (!way.uncertain && is_known && (taken.length != sent.types.length || taken.hash != sent.types.hash))
        Checks(*all_).wrong_types(thread, posted.call, posted.begun, sent.sent_by);
}

void NodeChecks::note_received(u32 thread, CommId comm, i32 source, i32 tag, const PostedReceive& posted) {
    RankClocks::Arrived arrived{};
    const i32 from = all_->world_rank(comm, source);
    if (from < 0) return;
    ++received_[with_rank(way_of(comm, tag), from)].count;
    if (!clocks_.received(way_of(comm, tag), from, arrived)) return;
    compare_types(thread, comm, source, tag, posted, arrived.message);
    const u64 of_rank = way_of(comm, kRanks) + static_cast<u32>(source),
              of_tag = way_of(comm, kTags) + static_cast<u32>(tag);
    MessageRaces::Receipt receipt{};
    receipt.posted = posted.posted;
    receipt.named_tag = posted.awaits == kMpiNobody ? tag : posted.awaited_tag;
    receipt.room = room_of(posted.buffers);
    receipt.call = posted.call;
    receipt.context = posted.context;
    const auto is_known = [&](u64 key) {
        const u64* const when = named_by_messages_.find(key);
        return when != nullptr && *when <= receipt.posted;
    };
    const u64 now = vg::wall_microseconds();
    const bool any_rank = posted.awaits == kMpiAnyone, any_tag = receipt.named_tag < 0;
    const bool was_probed = probed_ != 0 && probed_ <= receipt.posted;
    receipt.follows =
        (!any_rank && (was_probed || is_known(of_rank))) || (!any_tag && (was_probed || is_known(of_tag)));
    if (any_rank && named_by_messages_.find(of_rank) == nullptr) named_by_messages_[of_rank] = now;
    if (any_tag && named_by_messages_.find(of_tag) == nullptr) named_by_messages_[of_tag] = now;
    receipt.comm = way_of(comm, kRanks);
    u64& probed_any = probed_any_[receipt.comm];
    receipt.has_probed_room = any_rank && probed_any != 0 && receipt.room == arrived.message.bytes;
    probed_any = 0;
    if (was_probed) receipt.room = MessageRaces::kAnyRoom;
    receipt.named = any_rank ? -1 : from;
    receipt.from = from;
    receipt.tag = tag;
    receipt.number = arrived.number;
    receipt.bytes = arrived.message.bytes;
    receipt.ended = clocks_.now();
    receipt.knew_of_us = arrived.knew_of_us;
    races_.received(receipt);
}

void NodeChecks::note_end(const InCall& in, const MpiCallFacts& facts) {
    switch (in.call % kMpiCalls) {
        case kMpi_Recv:
        case kMpi_Mrecv:
        case kMpi_Sendrecv:
        case kMpi_Sendrecv_replace: {
            if (facts.source < 0) return;
            return note_received(in.thread, all_->comm_of(facts.comm), facts.source, facts.received_tag,
                                 {.posted = in.begin,
                                  .awaits = facts.awaits,
                                  .awaited_tag = facts.awaited_tag,
                                  .buffers = in.buffers,
                                  .call = in.call,
                                  .context = in.context,
                                  .taken = facts.taken,
                                  .bytes = facts.received,
                                  .thread = in.thread,
                                  .begun = ContextId::None});
        }
        case kMpi_Mprobe:
        case kMpi_Improbe: matches_ = matches_ || facts.in_vain == 0; [[fallthrough]];
        case kMpi_Probe:
        case kMpi_Iprobe:
            if (facts.in_vain != 0) return;
            if (probed_ == 0) probed_ = vg::wall_microseconds();
            if (facts.awaits == kMpiAnyone) probed_any_[way_of(all_->comm_of(facts.comm), kRanks)] = 1;
            return;
        // Who takes the message has begun to.
        case kMpi_Ssend: return clocks_.heard_unknown();
        default: return;
    }
}

void NodeChecks::note_end(u32 thread, const Pending& was, const MpiCompletion& completion) {
    if (!was.used || !was.active) return;
    const CallRow& row = all_->rows()[was.row];
    const Pattern pattern = pattern_of(row.call);
    const u32 call = row.call % kMpiCalls;
    if (was.receives && pattern == Pattern::PointToPoint && was.partitions == 0) {
        if (completion.source < 0) return;
        return note_received(thread, was.comm, completion.source, completion.tag,
                             {.posted = was.begun,
                              .awaits = was.awaits,
                              .awaited_tag = was.awaited_tag,
                              .buffers = was.buffers,
                              .call = row.call,
                              .context = row.context,
                              .taken = was.taken,
                              .bytes = completion.received,
                              .thread = was.thread,
                              .begun = row.context});
    }
    const bool only_sends = pattern == Pattern::PointToPoint && !was.receives && was.partitions == 0 &&
                            call != kMpi_Issend && call != kMpi_Ssend_init;
    if (!only_sends && pattern != Pattern::FileAccess) windows_.heard();
}

void NodeChecks::report_message_races(u32 thread) {
    rt::Vector<MessageRaces::MessageRace> races;
    races_.find(races);
    for (const MessageRaces::MessageRace& race : races) Checks(*all_).message_race(thread, race);
    races_.find_open(open_);
}

void NodeChecks::used_in_window(u32 thread, u32 call, Address a) {
    RemoteAccess earlier;
    const ContextId context = id_of(VG_(record_ExeContext)(thread, 0));
    windows_.count_trip();
    if (!Checks::is_in_library(thread) &&
        windows_.used_here(call, a, 1, call == RemoteAccesses::kStore, all_->rank(), context, earlier))
        Checks(*all_).conflicts(thread, call, earlier);
}

}  // namespace memspy::mpi
