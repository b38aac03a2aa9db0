// SPDX-License-Identifier: GPL-2.0-or-later
//
// Quiet lines: cache lines at which a thread's accesses teach nothing, so that generated code passes them
// without logging them (order/passing.h).
//
// Each line has a word with a bit for each of kThreads threads: 1 means that the thread's loads are quiet.
// Stores are quiet as well if kStores is 1, too; then no other thread's bit is 1. Generated code knows no
// states: it ANDs the words of all lines that a record touches and tests the result once, with the running
// thread's bit (and kStores if something is stored). A thread without a bit of its own has kNobody, which is
// always 0.
//
// A thread may have several bits, its *ages*: what it executes now has one of them, others are of what it
// executed before, and one is of lines that it has not passed yet. A line that is quiet for one of the others
// gets the present one when the thread passes it (renew). So a line's word tells not only whether its thread
// passes it, but also when it may have done so last.
//
// The words stand in one array for all of the client's addresses, an eighth of their 128 GiB. What was
// never written to is zero and costs no memory. Addresses above the client's memory wrap around.
#pragma once

#include <bit>

#include "rt/vector.h"

namespace memspy::log {

class QuietLines {
public:
    static constexpr u32 kThreads = 60;
    static constexpr u64 kStores = u64{1} << 63;
    static constexpr u64 kNobody = u64{1} << 62;
    // The line never becomes quiet, because threads may wait for a word there.
    static constexpr u64 kFollowed = u64{1} << 61;

    bool initialise(u32 line_bytes);  // false: the system has no room for the words
    bool is_on() const { return words_ != nullptr; }

    // `bit`: the present one of a thread, 1 << number.
    void make_loads_quiet(Address a, u64 bit) {
        u64& word = own_word(a);
        const Ages ages = ages_of(bit);
        if ((word & (ages.all | kFollowed)) != 0) return;
        word |= ages.fresh;
        pair(a);
    }
    void make_quiet(Address a, u64 bit) {
        u64& word = own_word(a);
        const Ages ages = ages_of(bit);
        const u64 passed = word & ages.all;
        if ((passed != 0 && (word & kStores) != 0) || (word & kFollowed) != 0) return;
        word = (passed != 0 ? passed : ages.fresh) | kStores;
        pair(a);
    }
    // The thread's loads are logged again, unless the line is its own. Returns whether they were quiet.
    bool end(Address a, u64 bit) {
        u64& word = word_of(a);
        const u64 ages = ages_of(bit).all;
        if ((word & ages) == 0 || (word & kStores) != 0) return false;
        word &= ~ages;
        pair(a);
        return true;
    }
    // Whether the thread passes loads of the line, and has done so since it became quiet or fresh.
    bool was_passed(Address a, u64 bit) const {
        const Ages ages = ages_of(bit);
        return (words_[line_of(a)] & (ages.fresh == bit ? ages.all : ages.all & ~ages.fresh)) != 0;
    }
    // The line, of which the thread passed loads, is as if it had just become quiet. False where that cannot
    // be told.
    bool make_fresh(Address a, u64 bit) {
        u64& word = word_of(a);
        const Ages ages = ages_of(bit);
        if (ages.fresh == bit || (word & kStores) != 0) return false;
        word = (word & ~ages.all) | ages.fresh;
        pair(a);
        return true;
    }
    // All accesses to the line are logged again. Returns the bits of the threads for which it was quiet.
    u64 follow(Address a) {
        u64& word = word_of(a);
        const u64 quiet = word & thread_bits();
        if (quiet != 0) {
            word &= ~(quiet | kStores);
            pair(a);
        }
        return quiet;
    }
    // The bits of a thread: all of them, and that of lines which it has not passed yet.
    struct Ages {
        u64 all = 0, fresh = 0;
    };
    void set_ages(u64 bit, Ages ages) { ages_[std::countr_zero(bit)] = ages; }
    // The thread passes the line, which is quiet for one of its ages.
    void renew(Address a, u64 bit) {
        u64& word = word_of(a);
        if ((word & bit) != 0) return;
        word = (word & ~ages_of(bit).all) | bit;
        pair(a);
        renewed_.push_back(a);
    }
    // An address of each line that the running thread has come to since it took these last.
    template <typename F>
    void take_renewed(F f) {
        for (const Address a : renewed_) f(a);
        renewed_.resize(0);
    }
    u64 quiet_for(Address a) const { return words_[line_of(a)] & thread_bits(); }
    bool are_loads_quiet(Address a, u64 bit) const { return (words_[line_of(a)] & ages_of(bit).all) != 0; }
    // Whether the thread's loads of the line are logged, and may become quiet.
    bool may_pass_loads(Address a, u64 bit) const {
        return (words_[line_of(a)] & (ages_of(bit).all | kFollowed)) == 0;
    }
    bool are_stores_quiet(Address a) const { return (words_[line_of(a)] & kStores) != 0; }
    void always_follow(Address a) {
        own_word(a) = kFollowed;
        pair(a);
    }
    // The same until follow_no_more(). False if the line is followed anyway.
    bool follow_for_now(Address a) {
        if ((word_of(a) & kFollowed) != 0) return false;
        always_follow(a);
        return true;
    }
    void follow_no_more(Address a) {
        word_of(a) &= ~kFollowed;
        pair(a);
    }
    // The bit of the thread with this number, below kThreads; and the number of the lowest of such bits.
    u64 bit_of(u32 number) const { return u64{1} << (number < line_bits_ ? number : number + 1); }
    u32 number_of(u64 bits) const {
        const auto at = static_cast<u32>(std::countr_zero(bits));
        return at < line_bits_ ? at : at - 1;
    }
    // The memory gets another use.
    void forget(Address begin, Address end);
    // What is quiet by one of these bits of a thread is so by its present one.
    void join_ages(u64 bits, u64 present);
    // These threads are gone, and their bits can be given to others.
    void forget_threads(u64 bits);

    // For generated code.
    u64 lines() const { return u64{1} << (kClientAddressBits - line_bits_); }  // a power of two
    u64 line_of(Address a) const { return (a >> line_bits_) & (lines() - 1); }
    const u64* words() const { return words_; }  // by line
    unsigned line_bits() const { return line_bits_; }

private:
    // The words that are not zero are in *parts* of the addresses.
    static constexpr unsigned kPartBits = 16;
    static constexpr u32 kParts = u32{1} << (kClientAddressBits - kPartBits);

    Ages ages_of(u64 bit) const { return bit >= kNobody ? Ages{} : ages_[std::countr_zero(bit)]; }
    // Calls f(word) for all words that may not be zero. Pairs must stay valid or become too strict.
    template <typename F>
    void for_each_word(F f) {
        const u32 lines = u32{1} << (kPartBits - line_bits_);
        for (u32 part : used_)
            for (u32 i = 0; i < lines; ++i) f(words_[u64{part} * lines + i]);
    }
    u64& word_of(Address a) { return words_[line_of(a)]; }
    u64& own_word(Address a) {
        const auto part = static_cast<u32>((a >> kPartBits) & (kParts - 1));
        if (!is_used_[part]) {
            is_used_[part] = true;
            used_.push_back(part);
        }
        return word_of(a);
    }
    u64 thread_bits() const { return ((u64{1} << (kThreads + 1)) - 1) & ~(u64{1} << line_bits_); }
    // The word of the line of `a` has changed.
    void pair(Address a) {
        u64& word = word_of(a);
        pair(word, (&word)[1]);
        if (line_of(a) != 0) pair((&word)[-1], word);
    }
    // The bit says whether accesses that go on in the next line are not quiet alike.
    void pair(u64& word, u64 next) const {
        const u64 bit = u64{1} << line_bits_;
        const u64 paired = ((word ^ next) & (thread_bits() | kStores)) == 0 ? word & ~bit : word | bit;
        if (paired != word) word = paired;
    }

    u64* words_ = nullptr;
    bool is_used_[kParts] = {};
    rt::Vector<u32> used_;
    rt::Vector<Address> renewed_;
    unsigned line_bits_ = 6;
    Ages ages_[kThreads + 1];  // by the number of the present bit
};

QuietLines& quiet_lines();

}  // namespace memspy::log
