// SPDX-License-Identifier: GPL-2.0-or-later
//
// Receives of any rank that could have got another message, after which the program would not end, or a
// message would be longer than its buffer. No Valgrind here.
//
// What a rank received is kept in the order in which the receives were posted, from the first one of any rank
// on. For each of these a message is found that another rank sent to a later receive, and that was sent without
// knowing that this one had ended. Then all receives behind are gone through with the two messages exchanged:
// each takes the message that it got, or else another one that fits. If there is none it would wait for ever.
// A receive whose rank or tag may come from what was received before (`follows`) might name another one then,
// so nothing is known behind it. A receive of any rank behind a probe of any rank need not get the message that
// was probed. Who takes what comes and never names ranks has no race.
#pragma once

#include "analyses/mpi/rank_clocks.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::mpi {

class MessageRaces {
public:
    static constexpr u64 kAnyRoom = ~u64{0};  // its size was asked for
    struct Receipt {
        u64 posted;            // when, microseconds
        u64 comm;              // the same number in all ranks
        i32 named, named_tag;  // by the receive; negative: any
        u64 room;              // bytes of its buffer
        // As many as a probe of any rank found; the receive itself names no rank either.
        bool has_probed_room;
        u32 call;  // that posted it, and where
        ContextId context;
        i32 from, tag;  // of the message
        u32 number;     // in the order in which those to this rank were sent
        u64 bytes;
        RankMoment ended;       // this rank, when it had the message
        RankMoment knew_of_us;  // the sender, of this rank
        bool follows;
    };
    struct MessageRace {
        Receipt receive;
        i32 from;  // whose message it might get
        bool is_too_long;
        bool is_unprobed;  // it need not be the message that a probe has found before
        Receipt later;     // the receive that then waits for ever, or whose message is too long
    };

    void received(const Receipt& receipt);
    // One for each receive's place.
    void find(rt::Vector<MessageRace>& races);
    // Of the receives of any rank at one place, how many could have got a message of another rank.
    struct OpenReceives {
        u32 call;
        ContextId context;
        u64 receives, open;
    };
    void find_open(rt::Vector<OpenReceives>& found);
    // The receive of any rank that got the message which a receive waits for, and could have got `left` instead; null
    // if there is none. Of `left` `comm`, `from`, `tag` and `knew_of_us` are known.
    const Receipt* taker(i32 awaited, i32 awaited_tag, const Receipt& left) const;
    void clear() { receipts_.clear(); }

private:
    // The message may come to this receive.
    static bool fits(const Receipt& receive, const Receipt& message);
    usize earliest(usize from, const Receipt& receive, i32 rank) const;
    usize message_for(usize wild, usize receive) const;
    bool goes_wrong(usize wild, usize other, MessageRace& race);
    bool is_first_of_sender(usize wild, usize other) const;
    bool find_race(usize wild, MessageRace& race);

    rt::Vector<Receipt> receipts_;  // by `posted`
    rt::Vector<bool> taken_;        // message of receipt i, in the order that is tried
    u64 steps_ = 0;
};

}  // namespace memspy::mpi
