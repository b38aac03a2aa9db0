// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/counts.h"

#include <new>

namespace memspy::order {

CountedWords::~CountedWords() {
    counts_.for_each([](u64, CountedWord* count) { rt::release(count); });
}

CountedWords::CountReader* CountedWords::CountedWord::find(u32 serial) {
    for (u32 i = 0; i < readers; ++i)
        if (reader[i].serial == serial) return &reader[i];
    return nullptr;
}

bool CountedWords::begin(Address word, u64 first, u64 time) {
    if (counts_.find(word) == nullptr && counts_.size() == kMostWords) return false;
    CountedWord*& count = counts_[word];
    if (count == nullptr) count = new (rt::allocate(sizeof(CountedWord), "memspy.counts")) CountedWord;
    count->stores = 0;
    count->readers = 0;
    if (first != 0) count->times[count->stores++] = first;
    count->times[count->stores++] = time;
    return true;
}

void CountedWords::stored(Address word, u64 time) {
    CountedWord* const count = *counts_.find(word);
    count->times[count->stores++ % kKept] = time;
}

void CountedWords::end(Address word) {
    rt::release(*counts_.find(word));
    counts_.erase(word);
}

u64 CountedWords::take(Address word, u32 reader, u64 now, u64 last) {
    CountedWord& count = **counts_.find(word);
    CountReader* known = count.find(reader);
    if (known == nullptr) {
        if (count.readers == kReaders) return last;
        // The first time it needs no more than is there.
        u64 next = count.oldest();
        while (next + 1 < count.stores && count.time_of(next + 1) <= now) ++next;
        known = &count.reader[count.readers++];
        *known = {reader, next};
    }
    if (known->next == count.stores) return 0;
    if (known->next < count.oldest()) known->next = count.oldest();
    return count.time_of(known->next++);
}

void CountedWords::pass_all(Address word, u32 reader) {
    CountedWord& count = **counts_.find(word);
    if (CountReader* const known = count.find(reader))
        known->next = count.stores;
    else if (count.readers != kReaders)
        count.reader[count.readers++] = {reader, count.stores};
}

}  // namespace memspy::order
