// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who has the locks, tokens and barriers of the replay, and who waits for them in which order. Simulation
// decides when.
#pragma once

#include <new>

#include "replay/step.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::replay {

inline void erase_serial(rt::Vector<u32>& serials, u32 serial) {
    usize kept = 0;
    for (const u32 each : serials)
        if (each != serial) serials[kept++] = each;
    serials.resize(kept);
}

// Objects that are found by a number. All zeros is a valid empty one.
template <typename T>
class NumberedObjects {
public:
    NumberedObjects() = default;
    NumberedObjects(const NumberedObjects&) = delete;
    NumberedObjects& operator=(const NumberedObjects&) = delete;
    ~NumberedObjects() {
        objects_.for_each([](u64, T* object) { rt::destroy(object); });
    }
    T* find(u64 number) {
        T** const found = objects_.find(number);
        return found == nullptr ? nullptr : *found;
    }
    T& at(u64 number, const char* what) {
        T*& object = objects_[number];
        if (object == nullptr) object = new (rt::allocate(sizeof(T), what)) T;
        return *object;
    }
    void erase(u64 number) {
        rt::destroy(*objects_.find(number));
        objects_.erase(number);
    }

private:
    rt::HashMap<T*> objects_;
};

// A lock that a thread holds; address 0: none.
struct LockTaken {
    Address address = 0;
    bool shared = false;
};

// Those that it holds, in the order in which it took them; of more than a few the first ones.
class LocksTaken {
public:
    void add(LockTaken lock) {
        if (count_ < kMost) held_[count_++] = lock;
    }
    void remove(Address lock) {
        u32 kept = 0;
        for (u32 i = 0; i < count_; ++i)
            if (held_[i].address != lock) held_[kept++] = held_[i];
        count_ = kept;
    }
    LockTaken first() const { return count_ == 0 ? LockTaken{} : held_[0]; }

private:
    static constexpr u32 kMost = 4;
    LockTaken held_[kMost] = {};
    u32 count_ = 0;
};

// The locks that are held.
class LockQueues {
public:
    struct LockOwner {
        u32 serial;
        u32 depth;
        bool shared;
    };
    struct Lock {
        rt::Vector<LockOwner> owners;
        rt::Vector<u32> queue;  // serials, in order of arrival
        Lock* next = nullptr;   // for locks that are not in use
    };
    LockQueues() = default;
    LockQueues(const LockQueues&) = delete;
    LockQueues& operator=(const LockQueues&) = delete;
    ~LockQueues() {
        locks_.for_each([](u64, Lock* lock) { rt::destroy(lock); });
        while (free_ != nullptr) {
            Lock* const next = free_->next;
            rt::destroy(free_);
            free_ = next;
        }
    }
    Lock& at(Address a) {
        Lock*& lock = locks_[a];
        if (lock == nullptr) {
            lock = free_;
            if (lock != nullptr)
                free_ = lock->next;
            else
                lock = new (rt::allocate(sizeof(Lock), "memspy.order.lock")) Lock;
        }
        return *lock;
    }
    void drop_if_free(Address a, Lock& lock) {
        if (!lock.owners.empty() || !lock.queue.empty()) return;
        lock.next = free_;
        free_ = &lock;
        locks_.erase(a);
    }
    static LockOwner* owner(Lock& lock, u32 serial) {
        for (LockOwner& each : lock.owners)
            if (each.serial == serial) return &each;
        return nullptr;
    }
    // Removes owners that ended without releasing the lock.
    template <typename F>
    static void forget_dead(Lock& lock, F is_dead) {
        usize kept = 0;
        for (const LockOwner& each : lock.owners)
            if (!is_dead(each.serial)) lock.owners[kept++] = each;
        lock.owners.resize(kept);
    }
    // Whom the waiting thread waits for first; 0: nobody.
    static u32 is_behind(const Lock& lock, u32 serial) {
        if (!lock.owners.empty()) return lock.owners[0].serial;
        return lock.queue[0] == serial ? 0 : lock.queue[0];
    }
    static bool is_free_for(const Lock& lock, bool shared) {
        if (lock.owners.empty()) return true;
        if (!shared) return false;
        for (const LockOwner& each : lock.owners)
            if (!each.shared) return false;
        return true;
    }

private:
    rt::HashMap<Lock*> locks_;
    Lock* free_ = nullptr;
};

class TokenQueues {
public:
    struct Token {
        u32 serial;  // who posted it, and when
        Time when;
    };
    struct TokenQueue {
        i64 unknown = 0;           // tokens whose posts are not known; < 0: so many posts are taken already
        rt::Vector<Token> tokens;  // from next on: not taken yet, in order
        usize next = 0;
        rt::Vector<u32> queue;  // serials, in order of arrival

        bool has_token() const { return next != tokens.size(); }
        Token take() {
            const Token token = tokens[next++];
            if (next == tokens.size()) {
                tokens.resize(0);
                next = 0;
            }
            return token;
        }
    };
    TokenQueue& at(u64 number) { return queues_.at(number, "memspy.order.semaphore"); }
    void forget(u64 number) {
        const TokenQueue* const found = queues_.find(number);
        if (found != nullptr && found->queue.empty()) queues_.erase(number);
    }

private:
    NumberedObjects<TokenQueue> queues_;
};

// Meetings at barriers.
class Gatherings {
public:
    struct Gathering {
        rt::Vector<Arrival> arrivals;
        usize missing = 0;  // the first ones: not known to have got there
        usize inside = 0;   // so many have not left it
        u32 last = 0;       // who got there last, and when in virtual time
        Time at = 0;
    };
    void begin(u64 number, const rt::Vector<Arrival>& arrivals) {
        CHECK(find(number) == nullptr);
        Gathering& meeting = meetings_.at(number, "memspy.order.meeting");
        for (const Arrival& arrival : arrivals) meeting.arrivals.push_back(arrival);
        meeting.missing = arrivals.size();
        meeting.inside = arrivals.size();
    }
    Gathering* find(u64 number) { return meetings_.find(number); }
    void end(u64 number) { meetings_.erase(number); }

private:
    NumberedObjects<Gathering> meetings_;
};

}  // namespace memspy::replay
