// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words by which threads order each other: one table, and for each word one state, which says what the word is
// taken for at present (DESIGN.md, "Words"). Beside it stands what decides about the next one: what is no proof in
// itself is counted as evidence. No Valgrind here.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"
#include "sync/rules.h"

namespace memspy::sync {

inline constexpr Address kWordBytes = 4;

inline Address word_of(Address a) { return a & ~(kWordBytes - 1); }
inline u64 later(u64 a, u64 b) { return a > b ? a : b; }

enum class WordState : u8 {
    Open,     // stores are noted, because somebody may turn out to wait for it
    Looked,   // loaded before a wait
    Mutex,    // threads wait for it, but not for its value
    OwnLock,  // of the program's own (own_locks.h)
    // From here on the word carries time.
    Beside,   // another thread loads it, too
    Polled,   // as long as somebody looks at it again and again
    Awaited,  // from here on it does so for good
    Slept,    // in the kernel, so it is not just a lock that threads spin for
    End       // of a thread
};

// What speaks for or against something that a word may be.
class Evidence {
public:
    // Returns whether that is enough.
    bool add(u32 least, u32 more = 1) {
        count_ += more;
        return count_ >= least;
    }
    u32 count() const { return count_; }
    void begin_anew() { count_ = 0; }
    // The word was taken for it and is none.
    void strike() {
        count_ = 0;
        if (!is_out()) ++strikes_;
    }
    bool is_out() const { return strikes_ == rules::kStrikes; }  // for good
    void give_up() { strikes_ = rules::kStrikes; }

private:
    u32 count_ = 0;
    u8 strikes_ = 0;
};

// The stores to a word, as far as waits need them.
struct WordStores {
    Time time = 0;      // which a load of the word carries
    u32 by = 0;         // serial of the thread that made `time`
    u32 writer = 0;     // serial of the last thread to store
    u32 run = 0;        // its stores in a row
    bool seen = false;  // another thread has loaded the word since the last store
};

// The updates of a word at which threads count in.
struct CountingIn {
    Time time = 0;  // the latest
    u32 by = 0;     // serial of the thread that made it
    u32 last = 0;   // serial
};

class StoreTimes;  // counts.h
class PostTimes;   // posts.h

// What updates of a word show of it as a lock, which it is if its state is OwnLock (own_locks.h).
struct LockWord {
    Address display = 0;
    u32 holder = 0, giver = 0;  // serials; the giver is the last one
    u32 first = 0;              // the first holder
    u64 free = 0;               // the value before the last take
    Evidence turns;             // how often it was taken and given
    bool several = false, plain = false, contested = false;
    bool turned = false;     // at first takes were thought to be gives
    bool by_ticket = false;  // the holder took it while another thread had it
    bool retried = false;    // with a ticket, so it was none
    u8 kinds = 0;            // of updates: a bit for each
    u32 tried_by = 0;        // who updated it last while another thread held it, and where
    Address tried_at = 0;
    Address takes[rules::kLockPlaces] = {}, gives[rules::kLockPlaces] = {};
};

struct SyncWord {
    WordState state = WordState::Open;
    Evidence idle;            // Beside: loads in a row that found nothing to wait for
    u32 pollers = 0;          // threads that spin on it
    bool glanced = false;     // one has looked at it, and perhaps spins soon
    u32 first = 0, last = 0;  // slot + 1 of threads that sleep on it, in order of arrival
    WordStores stores;
    CountingIn counting;
    StoreTimes* count = nullptr;  // of a word that one thread counts up
    bool posted = false;          // a thread has added to it atomically
    PostTimes* posts = nullptr;   // of a semaphore
    LockWord* lock = nullptr;     // of a word that is updated atomically
    Address shows = 0;            // the lock whose display it is

    bool carries_time() const { return state >= WordState::Beside; }
    bool is_proven() const { return state >= WordState::Awaited; }
    bool is_slept_for() const { return state >= WordState::Slept; }
    bool is_lock() const { return state == WordState::Mutex || state == WordState::OwnLock; }

    void note_store(u32 serial, Time time, bool atomic, bool replaces);
    // The time of the store that a load of the word needs to be behind; 0 if it is behind all that it needs.
    Time needed(u32 reader, Time now);
    // The time of the store that lets those go on who wait for one.
    Time lets_go() const;
    void post(Time now, u64 tokens);
    bool take(u64 left);  // false: nobody has posted, so it is no semaphore
    void end_count();
};

// All zeros is a valid empty object.
class SyncWords {
public:
    SyncWords() = default;
    SyncWords(const SyncWords&) = delete;
    SyncWords& operator=(const SyncWords&) = delete;
    ~SyncWords();
    // Of these, updated ones may take half: there is room for others that threads wait for.
    static constexpr usize kMostWords = usize{1} << 17;

    // Pointers are valid until the next call of at() or forget().
    SyncWord* find(Address a) { return words_.find(a); }
    SyncWord& at(Address a) { return words_[a]; }
    bool has_room() const { return words_.size() < kMostWords; }
    bool has_room_for_update() const { return words_.size() < kMostWords / 2; }

    // The only function that changes a word's state.
    void become(Address a, SyncWord& word, WordState state);
    void sleep_for(Address a, SyncWord& word) {
        if (word.state != WordState::End && word.state != WordState::OwnLock)
            become(a, word, WordState::Slept);
    }
    // One that was not proved carries time only while somebody polls it.
    void end_polls(Address a, SyncWord& word);
    void prove(Address a, SyncWord& word) {
        if (word.carries_time() && !word.is_proven()) become(a, word, WordState::Awaited);
    }
    void look_at(Address a);  // a thread that may wait has loaded the word
    // Loads of the word found nothing to wait for.
    void found_idle(Address a, SyncWord& word, u32 loads = 1);
    // The word, which may be a lock (`lock`), is none; nor is its display.
    void is_no_lock(Address a, SyncWord& word);
    // A lock and its display name each other until one of them is forgotten or the lock is none. Both words are in
    // the table; the lock has no display yet.
    void begin_display(Address lock, Address display);

    // The memory is freed: the state of its words does not hold for its next user.
    void forget(Address a, usize bytes);
    // Forgets which words are locks.
    void forget_locks();

    // Whether [line, line + bytes) holds a word that carries time.
    bool any_carries_time(Address line, usize bytes) const;
    // Whether there may be one that was looked at or carries time near `a`: within 256 bytes.
    bool is_marked(Address a) const {
        const u32 bit = filter_bit(a);
        return ((filter_[bit >> 6] >> (bit & 63)) & 1) != 0;
    }
    void mark(Address a) {
        const u32 bit = filter_bit(a);
        filter_[bit >> 6] |= u64{1} << (bit & 63);
    }
    u32 with_time() const { return with_time_; }
    // Words that began to carry time since the last call, one by one; false if there are no more.
    bool take_new(Address* a) {
        if (new_.empty()) return false;
        *a = new_.back();
        new_.pop_back();
        return true;
    }

private:
    static u32 filter_bit(Address a) {
        return static_cast<u32>(((a >> kFilterShift) * 0x9E3779B97F4A7C15u) >> (64 - kFilterBits));
    }
    void release(SyncWord& word);

    // Words with time are counted per 16 bytes, the smallest line. The filter in front of the counts has 256 bytes
    // per entry, so that one look is enough for any line.
    static constexpr u32 kGranuleShift = 4;
    static constexpr u32 kFilterShift = 8;
    static constexpr u32 kFilterBits = 15;  // 4 KiB of host memory, so that it stays in the L1 cache

    rt::HashMap<SyncWord> words_;
    mutable rt::HashMap<u32> granules_;  // words with time per 16 bytes
    rt::Vector<Address> new_;
    u32 with_time_ = 0;
    u64 filter_[(usize{1} << kFilterBits) / 64] = {};
};

}  // namespace memspy::sync
