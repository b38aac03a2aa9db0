// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/words.h"

#include <new>

#include "sync/counts.h"
#include "sync/posts.h"

namespace memspy::sync {

void SyncWord::note_store(u32 serial, Time time, bool atomic, bool replaces) {
    if (stores.writer == serial) {
        ++stores.run;
        if (atomic && !replaces)
            end_count();
        else if (count != nullptr)
            count->stored(time);
        else if (carries_time() && stores.run > 1)
            count = StoreTimes::begin(stores.seen ? 0 : stores.time, time);
    } else {
        end_count();
        stores.run = 1;
        stores.writer = serial;
    }
    // A read-modify-write keeps a part of the old value, so a thread that waits for the result needs both
    // times.
    if (!atomic || time >= stores.time) stores.by = serial;
    stores.time = atomic ? later(stores.time, time) : time;
    stores.seen = false;
}

void SyncWord::post(Time now, u64 tokens) {
    posted = true;
    if (posts != nullptr) posts->post(now, tokens);
}

bool SyncWord::take(u64 left) {
    if (!posted) return false;
    if (posts == nullptr) posts = new (rt::allocate(sizeof(PostTimes), "memspy.posts")) PostTimes;
    posts->take(left);
    return true;
}

Time SyncWord::lets_go() const { return posts != nullptr ? posts->first() : stores.time; }

Time SyncWord::needed(u32 reader, Time now) {
    if (posts != nullptr) return posts->first();
    if (stores.writer == reader) return stores.time;
    stores.seen = true;
    return count != nullptr ? count->take(reader, now, stores.time) : stores.time;
}

void SyncWord::end_count() {
    if (count != nullptr) StoreTimes::end(count);
    count = nullptr;
}

SyncWords::~SyncWords() {
    words_.for_each([this](u64, SyncWord& word) { release(word); });
}

void SyncWords::release(SyncWord& word) {
    word.end_count();
    if (word.lock != nullptr) rt::release(word.lock);
    word.lock = nullptr;
    if (word.posts != nullptr) rt::destroy(word.posts);
    word.posts = nullptr;
}

// The filter keeps its bit, because other words may share it.
void SyncWords::become(Address a, SyncWord& word, WordState state) {
    const bool had_time = word.carries_time();
    word.state = state;
    if (word.carries_time() == had_time) return;
    if (had_time) {
        word.end_count();
        --with_time_;
        u32* const count = granules_.find(a >> kGranuleShift);
        CHECK(count != nullptr && *count != 0);
        if (--*count == 0) granules_.erase(a >> kGranuleShift);
    } else {
        ++granules_[a >> kGranuleShift];
        ++with_time_;
        new_.push_back(a);
        mark(a);
    }
}

void SyncWords::look_at(Address a) {
    if (!has_room() && find(a) == nullptr) return;
    SyncWord& word = at(a);
    if (word.idle.is_out()) return;
    if (word.state == WordState::Open) become(a, word, WordState::Looked);
    mark(a);
}

void SyncWords::end_polls(Address a, SyncWord& word) {
    if (word.state != WordState::Polled) return;
    become(a, word, word.idle.is_out() ? WordState::Open : WordState::Looked);
    word.stores.time = 0;
}

void SyncWords::found_idle(Address a, SyncWord& word, u32 loads) {
    if (word.state != WordState::Beside || word.pollers != 0 || !word.idle.add(rules::kIdle, loads)) return;
    word.idle.strike();
    become(a, word, WordState::Open);
    word.stores = {};
}

void SyncWords::is_no_lock(Address a, SyncWord& word) {
    if (word.state == WordState::OwnLock) become(a, word, WordState::Mutex);
    if (word.lock->display == 0) return;
    const Address at = word.lock->display;
    SyncWord& display = *find(at);
    word.lock->display = 0;
    display.shows = 0;
    if (display.state == WordState::OwnLock) become(at, display, WordState::Mutex);
}

void SyncWords::begin_display(Address lock, Address display) {
    find(lock)->lock->display = display;
    find(display)->shows = lock;
}

bool SyncWords::any_carries_time(Address line, usize bytes) const {
    if (!is_marked(line)) [[likely]]
        return false;
    for (Address a = line >> kGranuleShift; a < (line + bytes) >> kGranuleShift; ++a)
        if (granules_.find(a) != nullptr) return true;
    return false;
}

void SyncWords::forget(Address a, usize bytes) {
    if (bytes == 0 || words_.empty()) return;
    const Address begin = word_of(a);
    for (const Address at : words_.keys_in(begin, a + bytes - begin, 1)) {
        SyncWord& word = *find(at);
        if (word.lock != nullptr) is_no_lock(at, word);
        if (word.shows != 0) is_no_lock(word.shows, *find(word.shows));
        release(word);
        if (word.first != 0 || word.pollers != 0) continue;
        if (word.carries_time()) become(at, word, WordState::Open);
        words_.erase(at);
    }
}

void SyncWords::forget_locks() {
    words_.for_each([this](u64 at, SyncWord& word) {
        if (word.lock == nullptr) return;
        is_no_lock(at, word);
        rt::release(word.lock);
        word.lock = nullptr;
    });
}

}  // namespace memspy::sync
