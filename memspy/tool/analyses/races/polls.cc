// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/polls.h"

#include "analyses/races/accesses.h"
#include "analyses/races/detector_state.h"

namespace memspy::races {
namespace {

u64 hash_of(const log::Record& record) {
    u64 hash = u64{record.shape} << 32 ^ static_cast<u32>(record.path);
    const u32 words = log::record_words(record.shape) - log::kRecordHead;
    for (u32 i = 0; i < words; ++i) hash = (hash ^ record.words()[i]) * 0x9E3779B97F4A7C15u;
    return hash;
}

// It has stored to the bytes in this part of its run: a variable of its loop.
bool stores_itself(const RacingThread& f, const AccessHistory& history, u64 bytes) {
    bool found = false;
    history.for_each_store(bytes, [&](const KnownAccess& store) {
        found |= store.strand == f.strand && store.part == observed().part(f.strand);
    });
    return found;
}

// What it stores is on its stack.
bool stores_to_stack(const RacingThread& f, const log::Record& record, const log::Shape& shape) {
    for (const log::AccessUse& use : shape.uses)
        if (use.stores && !is_near_stack(f, record.address(use.word, use.offset))) return false;
    return true;
}

// The words that the record loads tell the thread something.
void wait_for_words(RacingThread& f, const log::Record& record, const log::Shape& shape) {
    for (const log::AccessUse& use : shape.uses) {
        const Address a = record.address(use.word, use.offset);
        if (use.stores || !record.reached(use.proof) || use.bytes > 8 || use.vector || is_near_stack(f, a))
            continue;
        const u32 first = a % kLineBytes;
        const u32 bytes = first + use.bytes > kLineBytes ? kLineBytes - first : use.bytes;
        LineTurn& at = detector().lines.turn_at(a / kLineBytes, turn_of(f));
        const AccessHistory& history = detector().lines.history(at);
        if (stores_itself(f, history, mask_of(first, bytes))) continue;
        find_stores(f, history, mask_of(first, bytes));
        detector().lines.add_signals(at, words_of(mask_of(first, bytes)));
    }
}

}  // namespace

void note_look(RacingThread& f, const log::Record& record, const log::Shape& shape, const ShapeFacts& facts) {
    constexpr u32 kPolls = 3;
    if (!facts.may_poll || (facts.stores && !stores_to_stack(f, record, shape))) {
        ++f.news;
        return;
    }
    const u64 hash = hash_of(record);
    RacingThread::Look& look = f.looks[hash >> 32 & (RacingThread::kLooks - 1)];
    if (look.hash != hash) {
        look = {hash, ++f.news, 0};
        return;
    }
    look.times = f.news == look.news ? look.times + 1 : 0;
    look.news = f.news;
    if (look.times == kPolls) wait_for_words(f, record, shape);
}

}  // namespace memspy::races
