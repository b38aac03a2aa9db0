// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/rank_clocks.h"

#include <utility>

namespace memspy::mpi {

struct RankClocks::Inboxes {
    static constexpr usize kMessages = 256;  // of one rank that are not received; older ones are forgotten
    struct InboxKey {
        u64 way;
        i32 from;
        u32 number;  // 0: none
    };
    struct InboxMessage {
        SentMessage message;
        RankMoment known[kMostRanks];
    };
    struct Inbox {
        u32 lock;
        u32 last;  // number
        InboxKey keys[kMessages];
        InboxMessage sent[kMessages];
    };
    u32 attached;  // processes
    u32 unused[15];
    Inbox of_rank[kMostRanks];
};

void RankClocks::begin(i32 rank, i32 size) {
    if (size < 2 || size > kMostRanks || table_ != nullptr) return;
    rank_ = rank;
    size_ = size;
    table_ = static_cast<Inboxes*>(shared_.map("clocks", sizeof(Inboxes)));
}

void RankClocks::sends(u64 way, i32 to, const SentMessage& message) {
    if (table_ == nullptr || to < 0 || to >= size_) return;
    next_step();
    Inboxes::Inbox& inbox = table_->of_rank[to];
    const EntryLock lock(inbox.lock);
    if (!lock.held()) return;
    const u32 number = ++inbox.last;
    const usize at = number % Inboxes::kMessages;
    inbox.keys[at] = {way, rank_, number};
    inbox.sent[at].message = message;
    for (i32 i = 0; i < size_; ++i) inbox.sent[at].known[i] = known_[i];
}

bool RankClocks::look_for(u64 way, i32 from, Arrived& arrived) {
    if (table_ == nullptr) return false;
    next_step();
    Inboxes::Inbox& inbox = table_->of_rank[rank_];
    const EntryLock lock(inbox.lock);
    usize found = Inboxes::kMessages;
    for (usize i = 0; lock.held() && i < Inboxes::kMessages; ++i) {
        const Inboxes::InboxKey& key = inbox.keys[i];
        if (key.number == 0 || key.way != way || key.from != from) continue;
        if (found == Inboxes::kMessages || key.number < inbox.keys[found].number) found = i;
    }
    if (found == Inboxes::kMessages) return false;
    const Inboxes::InboxMessage& sent = inbox.sent[found];
    arrived = {inbox.keys[found].number, sent.message, sent.known[rank_]};
    inbox.keys[found].number = 0;
    for (i32 i = 0; i < size_; ++i)
        if (i != rank_ && sent.known[i] >= known_[i]) known_[i] = sent.known[i];
    return true;
}

void RankClocks::find_unreceived(rt::Vector<Unreceived>& found) const {
    found.clear();
    if (table_ == nullptr) return;
    Inboxes::Inbox& inbox = table_->of_rank[rank_];
    const EntryLock lock(inbox.lock);
    for (usize i = 0; lock.held() && i < Inboxes::kMessages; ++i) {
        const Inboxes::InboxKey& key = inbox.keys[i];
        if (key.number == 0) continue;
        found.push_back({key.from, key.number, inbox.sent[i].message, inbox.sent[i].known[rank_]});
        for (usize at = found.size() - 1; at > 0 && found[at].number < found[at - 1].number; --at)
            std::swap(found[at], found[at - 1]);
    }
}

void RankClocks::begins_operation_of_all() {
    const RankMoment next{known_[rank_].operations + 1, 0};
    for (i32 i = 0; i < kMostRanks; ++i)
        if (next >= known_[i]) known_[i] = next;
}

void RankClocks::heard_unknown() {
    const RankMoment latest{known_[rank_].operations, ~u32{0}};
    for (i32 i = 0; i < kMostRanks; ++i)
        if (i != rank_ && latest >= known_[i]) known_[i] = latest;
}

}  // namespace memspy::mpi
