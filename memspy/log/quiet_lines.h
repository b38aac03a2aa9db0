// SPDX-License-Identifier: GPL-2.0-or-later
//
// Quiet lines: cache lines at which a thread's accesses teach nothing, so that generated code passes them without
// logging them (docs/internals.md, "Quiet accesses").
//
// Each line has a word with a bit for each of kThreads threads: 0 means that the thread's loads are quiet. Stores
// are quiet as well if kStores is 0, too; then no other thread's bit is 0. Generated code knows no states: it ORs
// the words of all lines that a record touches and tests the result once, with the running thread's bit (and
// kStores if something is stored). A thread without a bit of its own has kNobody, which is always 1.
//
// A thread may have several bits, its *ages*: what it executes now has one of them, others are of what it executed before,
// and one is of lines that it has not passed yet. A line that is quiet for one of the others gets the present one when the
// thread passes it (renew). So a line's word tells not only whether its thread passes it, but also when it may have done so
// last.
//
// The words stand in leaves of a MiB of addresses each. Addresses where nothing is quiet share one leaf of ones.
// Addresses above the client's memory wrap around.
#pragma once

#include <bit>

#include "rt/base.h"

namespace memspy::log {

class QuietLines {
public:
    static constexpr u32 kThreads = 28;
    static constexpr u32 kStores = u32{1} << 31;
    static constexpr u32 kNobody = u32{1} << 30;
    // 0: the line never becomes quiet, because threads may wait for a word there.
    static constexpr u32 kMayBeQuiet = u32{1} << 29;

    static constexpr unsigned kAddressBits = kClientAddressBits, kLeafAddressBits = 20;
    static constexpr u32 kLeaves = u32{1} << (kAddressBits - kLeafAddressBits);

    void initialise(u32 line_bytes);
    bool is_on() const { return nothing_ != nullptr; }

    // `bit`: the present one of a thread, 1 << number.
    void make_loads_quiet(Address a, u32 bit) {
        u32& word = own_word(a);
        const Ages ages = ages_of(bit);
        if ((~word & ages.all) != 0 || (word & kMayBeQuiet) == 0) return;
        word &= ~ages.fresh;
        pair(a);
    }
    void make_quiet(Address a, u32 bit) {
        u32& word = own_word(a);
        const Ages ages = ages_of(bit);
        const u32 passed = ~word & ages.all;
        if ((passed != 0 && (word & kStores) == 0) || (word & kMayBeQuiet) == 0) return;
        word = ~((passed != 0 ? passed : ages.fresh) | kStores);
        pair(a);
    }
    // The thread's loads are logged again, and its stores; if the line is its own, only where `own`. Returns whether they were
    // quiet.
    bool end(Address a, u32 bit, bool own) {
        u32& word = word_of(a);
        const u32 ages = ages_of(bit).all;
        if ((~word & ages) == 0 || ((word & kStores) == 0 && !own)) return false;
        word |= ages | kStores;
        pair(a);
        return true;
    }
    // All accesses to the line are logged again. Returns the bits of the threads for which it was quiet.
    u32 follow(Address a) {
        u32& word = word_of(a);
        const u32 quiet = ~word & thread_bits();
        if (quiet != 0) {
            word |= quiet | kStores;
            pair(a);
        }
        return quiet;
    }
    // The bits of a thread: all of them, and that of lines which it has not passed yet.
    struct Ages {
        u32 all = 0, fresh = 0;
    };
    void set_ages(u32 bit, Ages ages) { ages_[std::countr_zero(bit)] = ages; }
    // The thread passes the line, which is quiet for one of its ages.
    void renew(Address a, u32 bit) {
        u32& word = word_of(a);
        if ((word & bit) == 0) return;
        word = (word | ages_of(bit).all) & ~bit;
        pair(a);
    }
    u32 quiet_for(Address a) const { return ~look(a) & thread_bits(); }
    bool are_loads_quiet(Address a, u32 bit) const { return (~look(a) & ages_of(bit).all) != 0; }
    bool are_stores_quiet(Address a) const { return (look(a) & kStores) == 0; }
    void always_follow(Address a) {
        own_word(a) = ~kMayBeQuiet;
        pair(a);
    }
    // The bit of the thread with this number, below kThreads.
    u32 bit_of(u32 number) const { return u32{1} << (number < line_bits_ ? number : number + 1); }
    // The memory gets another use.
    void forget(Address begin, Address end);
    // These threads are gone, and their bits can be given to others.
    void forget_threads(u32 bits);

    // For generated code.
    u32* const* leaves() const { return leaves_; }
    unsigned line_bits() const { return line_bits_; }

private:
    Ages ages_of(u32 bit) const { return bit >= kNobody ? Ages{} : ages_[std::countr_zero(bit)]; }
    u32 look(Address a) const {
        return leaves_[(a >> kLeafAddressBits) & (kLeaves - 1)][(a & kLeafMask) >> line_bits_];
    }
    u32& word_of(Address a) {  // of the shared leaf, too: only to set bits
        return leaves_[(a >> kLeafAddressBits) & (kLeaves - 1)][(a & kLeafMask) >> line_bits_];
    }
    u32& own_word(Address a) {
        u32*& leaf = leaves_[(a >> kLeafAddressBits) & (kLeaves - 1)];
        if (leaf == nothing_) [[unlikely]]
            leaf = make_leaf();
        return leaf[(a & kLeafMask) >> line_bits_];
    }
    u32 thread_bits() const { return ((u32{1} << (kThreads + 1)) - 1) & ~(u32{1} << line_bits_); }
    // The word of the line of `a` has changed.
    void pair(Address a) {
        u32* const leaf = leaves_[(a >> kLeafAddressBits) & (kLeaves - 1)];
        const u32 line = static_cast<u32>((a & kLeafMask) >> line_bits_);
        if (line + 1 < leaf_lines()) pair(leaf[line], leaf[line + 1]);
        if (line != 0) pair(leaf[line - 1], leaf[line]);
    }
    void pair(u32& word, u32 next) const {
        const u32 bit = u32{1} << line_bits_;
        word = ((word ^ next) & (thread_bits() | kStores)) == 0 ? word & ~bit : word | bit;
    }
    u32* make_leaf();
    u32 leaf_lines() const { return u32{1} << (kLeafAddressBits - line_bits_); }

    static constexpr u64 kLeafMask = (u64{1} << kLeafAddressBits) - 1;
    u32* leaves_[kLeaves] = {};
    u32* nothing_ = nullptr;
    unsigned line_bits_ = 6;
    Ages ages_[kThreads + 1];  // by the number of the present bit
};

QuietLines& quiet_lines();

}  // namespace memspy::log
