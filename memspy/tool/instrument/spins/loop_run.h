// SPDX-License-Identifier: GPL-2.0-or-later
//
// A thread's code, followed from where the thread stands without running it: as it would go on if nobody else
// did anything. Registers are copies; what it stores is kept apart. The run ends where others could see what
// the thread has done, or where it would depend on what is not known here.
//
// Each value knows which words of memory it depends on, of those that the run has loaded and not stored to,
// and whether it depends on something that varies from one trip of the loop to the next.
#pragma once

#include "instrument/spins/loop_code.h"
#include "rt/hash_map.h"

namespace memspy::instrument {

struct LoopValue {
    bool known = false, varies = false;
    u16 words = 0;  // a bit for each of LoopRun::words()
    u64 bits = 0;
};

// A decision of a trip that goes the other way, as it would if the words that it depends on had changed. Later ones
// that depend on some of these words may go the other way, too.
struct LoopFlip {
    static constexpr u32 kNone = ~u32{0};
    u32 number = kNone;
    bool with_later = false;
};

class LoopRun {
public:
    static constexpr u32 kMostWords = 16;
    // The stack is [least, most).
    LoopRun(u32 guest_id, Address stack_end);

    enum class TripEnd : u8 { Back, Visible, Unknown, Long, Waits };  // Waits: in the kernel
    struct Decision {
        Address instruction = 0;
        LoopValue condition;
        Address next = 0;   // the instruction that came behind it
        Address stack = 0;  // the stack pointer
    };
    // Follows the code until it is at `head` again.
    TripEnd trip(Address head, LoopFlip flip = {});
    // Follows it from `head` on until it is at code that the last trip did not have: *head is there then.
    TripEnd leave(Address* head);

    // Compares registers and stack with those at the last call: what has changed varies from now on. Words
    // that only varied by the first trip's surroundings do not, if it is called after the second.
    void compare();
    // The same state, but for what varies.
    bool is_like(const LoopRun& other) const;
    bool is_any_off_stack(u16 words) const;

    // Whether the last trip loaded from a place that varies: a search or a sum, and no wait.
    bool reads_on() const { return reads_on_; }
    // Whether it updated others' memory, or tried to.
    bool changes() const { return updated_ != 0; }
    // Of the words, those that the run itself does not store to.
    u16 others_words(u16 words) const { return static_cast<u16>(words & ~own_words_); }

    const rt::Vector<Decision>& decisions() const { return decisions_; }  // of the last trip
    const rt::Vector<Address>& instructions() const { return instructions_; }
    const rt::Vector<Address>& looks() const { return looks_; }  // of these, atomic updates that only look
    const rt::Vector<Address>& words() const { return words_; }
    LoopRun(const LoopRun& other);
    LoopRun& operator=(const LoopRun&) = delete;

private:
    bool is_on_stack(Address a) const { return a >= stack_begin_ && a < stack_end_; }
    static constexpr u32 kWord = 8, kCell = 4;
    static constexpr u32 kWords = (sizeof(VexGuestArchState) + kWord - 1) / kWord;
    // Longest trip, in instructions. Between looks at a word threads wait in loops that grow.
    static constexpr u32 kMostInstructions = 4096;
    struct MemoryCell {  // that was stored to
        u8 stored;
        bool known, varies;
        u16 words;
        u64 bits, before;
    };

    LoopValue value(const LoopAtom& atom) const;
    LoopValue get(i32 offset, u32 bytes) const;
    void put(i32 offset, u32 bytes, const LoopValue& value);
    // Behind the first two trips what varies does so from trip to trip.
    bool is_settled() const { return compared_ > 1; }
    void changed_at(Address a);
    bool leaves_trace();
    LoopValue load(const LoopValue& at, u32 bytes);
    bool store(const LoopValue& at, u32 bytes, const LoopValue& value);
    LoopValue call(const LoopCode& code, const LoopStatement& s) const;
    LoopValue computed(const LoopCode& code, const LoopStatement& s);
    bool update(const LoopStatement& s);
    u16 number_of(Address word);
    bool stores_like(const LoopRun& other) const;
    bool flips(const LoopValue& condition, LoopFlip flip);
    TripEnd block(const LoopCode& code, Address* at, LoopFlip flip);
    TripEnd system_call();
    bool asks_time(u64 number);

    u32 guest_id_;
    Address stack_begin_ = 0, stack_end_;
    struct Register {
        bool known, varies;
        u16 words;
        u64 bits, before;
    } registers_[kWords];
    rt::Vector<LoopValue> temps_;
    rt::HashMap<MemoryCell> stored_;  // by address / kCell
    rt::Vector<Address> words_;
    rt::Vector<Decision> decisions_;
    rt::Vector<Address> instructions_, looks_;
    bool open_ = false;    // the last decision has no instruction behind it yet
    u16 changed_ = 0;      // the words that the flipped decision depends on
    u16 own_words_ = 0;    // that the run stores to
    Address updated_ = 0;  // the last word that it updated atomically, but for looks
    u32 compared_ = 0;     // so often
    bool too_many_ = false, reads_on_ = false;
};

}  // namespace memspy::instrument
