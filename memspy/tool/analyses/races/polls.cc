// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/polls.h"

#include "analyses/races/detector_state.h"

namespace memspy::races {
namespace {

u64 hash_of(const log::Record& record) {
    u64 hash = u64{record.shape} << 32 ^ static_cast<u32>(record.path);
    const u32 words = log::record_words(record.shape) - log::kRecordHead;
    for (u32 i = 0; i < words; ++i) hash = (hash ^ record.words()[i]) * 0x9E3779B97F4A7C15u;
    return hash;
}

// What it stores is on its stack.
bool stores_to_stack(const RacingThread& f, const log::Record& record, const log::Shape& shape) {
    for (const log::AccessUse& use : shape.uses)
        if (use.stores && !is_near_stack(f, record.address(use.word, use.offset))) return false;
    return true;
}

// The thread waits for the words that the record loads.
void add_polled_words(RacingThread& f, const log::Record& record, const log::Shape& shape) {
    if (f.polled_news != f.news) f.polled_count = 0;
    f.polled_news = f.news;
    for (const log::AccessUse& use : shape.uses) {
        if (use.stores || !record.reached(use.proof) || use.bytes > 8 || use.vector) continue;
        if (f.polled_count == RacingThread::kPolled) return;
        f.polled[f.polled_count++] = {record.address(use.word, use.offset), use.bytes};
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
    if (look.times == kPolls) add_polled_words(f, record, shape);
}

}  // namespace memspy::races
