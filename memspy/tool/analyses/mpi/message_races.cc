// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/message_races.h"

namespace memspy::mpi {
namespace {

constexpr usize kMostReceipts = 4096;
constexpr usize kNone = ~usize{0};
// Looks at a message; a fraction of a second.
constexpr u64 kMostSteps = 20'000'000;
// Receives of one place that are tried.
constexpr u32 kMostOfPlace = 8;

}  // namespace

void MessageRaces::received(const Receipt& receipt) {
    if ((receipts_.empty() && receipt.named >= 0) || receipts_.size() == kMostReceipts) return;
    receipts_.push_back(receipt);
    for (usize i = receipts_.size() - 1; i > 0 && receipts_[i - 1].posted > receipt.posted; --i) {
        receipts_[i] = receipts_[i - 1];
        receipts_[i - 1] = receipt;
    }
}

bool MessageRaces::fits(const Receipt& receive, const Receipt& message) {
    return receive.comm == message.comm && (receive.named < 0 || receive.named == message.from) &&
           (receive.named_tag < 0 || receive.named_tag == message.tag) &&
           !(message.knew_of_us >= receive.ended);
}

// Of the messages of `rank` to receives from `from` on that are not taken, the one that was sent first.
usize MessageRaces::earliest(usize from, const Receipt& receive, i32 rank) const {
    usize found = kNone;
    for (usize i = from; i < receipts_.size(); ++i)
        if (!taken_[i] && receipts_[i].from == rank && fits(receive, receipts_[i]) &&
            (found == kNone || receipts_[i].number < receipts_[found].number))
            found = i;
    return found;
}

usize MessageRaces::message_for(usize wild, usize receive) const {
    const Receipt& at = receipts_[receive];
    if (const usize same = earliest(wild, at, at.from); same != kNone || at.named >= 0) return same;
    if (const usize exchanged = earliest(wild, at, receipts_[wild].from); exchanged != kNone)
        return exchanged;
    for (usize i = wild; i < receipts_.size(); ++i)
        if (!taken_[i] && fits(at, receipts_[i])) return earliest(wild, at, receipts_[i].from);
    return kNone;
}

bool MessageRaces::goes_wrong(usize wild, usize other, MessageRace& race) {
    const Receipt& first = receipts_[wild];
    race = {.receive = first,
            .from = receipts_[other].from,
            .is_too_long = receipts_[other].bytes > first.room,
            .is_unprobed = first.has_probed_room && receipts_[other].bytes != first.bytes,
            .later = first};
    if (race.is_too_long || race.is_unprobed) return true;
    taken_.resize(receipts_.size());
    for (bool& taken : taken_) taken = false;
    taken_[other] = true;
    usize all_taken = wild;  // messages before are
    for (usize i = wild + 1; i < receipts_.size(); ++i) {
        steps_ += receipts_.size() - wild;
        if (receipts_[i].follows || steps_ > kMostSteps) return false;
        const usize message = message_for(wild, i);
        race.later = receipts_[i];
        if (message == kNone) return true;
        race.is_too_long = receipts_[message].bytes > receipts_[i].room;
        if (race.is_too_long) return true;
        taken_[message] = true;
        while (all_taken < receipts_.size() && taken_[all_taken]) ++all_taken;
        if (all_taken == i + 1) return false;  // from here on it is as it was
    }
    return false;
}

// Messages of one rank come in their order.
bool MessageRaces::is_first_of_sender(usize wild, usize other) const {
    for (usize i = wild + 1; i < receipts_.size(); ++i)
        if (receipts_[i].from == receipts_[other].from && fits(receipts_[wild], receipts_[i]) &&
            receipts_[i].number < receipts_[other].number)
            return false;
    return true;
}

bool MessageRaces::find_race(usize wild, MessageRace& race) {
    const Receipt& receive = receipts_[wild];
    for (usize i = wild + 1; i < receipts_.size() && steps_ <= kMostSteps; ++i) {
        const Receipt& other = receipts_[i];
        steps_ += receipts_.size() - wild;
        if (other.from != receive.from && fits(receive, other) && is_first_of_sender(wild, i) &&
            goes_wrong(wild, i, race))
            return true;
    }
    return false;
}

void MessageRaces::find(rt::Vector<MessageRace>& races) {
    rt::HashMap<u32> tried;  // by place
    steps_ = 0;
    for (usize wild = 0; wild < receipts_.size(); ++wild) {
        const Receipt& receive = receipts_[wild];
        u32& times = tried[static_cast<u32>(receive.context)];
        MessageRace race;
        if (receive.named >= 0 || ++times > kMostOfPlace || !find_race(wild, race)) continue;
        races.push_back(race);
        times = kMostOfPlace;
    }
}

void MessageRaces::find_open(rt::Vector<OpenReceives>& found) {
    found.clear();
    steps_ = 0;
    for (usize wild = 0; wild < receipts_.size(); ++wild) {
        const Receipt& receive = receipts_[wild];
        if (receive.named >= 0) continue;
        usize row = 0;
        while (row < found.size() && found[row].context != receive.context) ++row;
        if (row == found.size()) found.push_back({receive.call, receive.context, 0, 0});
        ++found[row].receives;
        for (usize i = wild + 1; i < receipts_.size() && ++steps_ <= kMostSteps; ++i) {
            if (receipts_[i].from == receive.from || !fits(receive, receipts_[i])) continue;
            ++found[row].open;
            break;
        }
    }
}

const MessageRaces::Receipt* MessageRaces::taker(i32 awaited, i32 awaited_tag, const Receipt& left) const {
    for (usize i = receipts_.size(); i-- > 0;) {
        const Receipt& receive = receipts_[i];
        if (receive.named < 0 && receive.from == awaited && (awaited_tag < 0 || receive.tag == awaited_tag) &&
            left.from != awaited && fits(receive, left))
            return &receive;
    }
    return nullptr;
}

}  // namespace memspy::mpi
