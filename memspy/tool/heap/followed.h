// SPDX-License-Identifier: GPL-2.0-or-later
//
// FollowedBlocks: the blocks of the program's own allocator, by address. They lie side by side in memory that
// is the allocator's: blocks never overlap, and begin at multiples of eight bytes.
//
// Each page with the start of a block has a bit for each eight bytes at which one starts, and the blocks in
// that order, so a block is found by counting bits. Two sets of pages, a bit each: those in which blocks
// start, and those in which there is or was a byte of one, which are the heap's memory. The block around an
// address is the last one that starts before it without a page between that is not the heap's.
// Starts as all zero bytes, see rt/global.h.
#pragma once

#include "heap/block.h"
#include "rt/vector.h"

namespace memspy::heap {

// Of 128 GiB of addresses. Nearly all programs have memory in the lowest only.
class FollowedWindow {
public:
    static constexpr unsigned kAddressBits = 37;

    // A copy of it. Whatever it overlaps is to be removed first.
    Block* add(const Block& block);
    void remove(Block& block);
    // Memory that is no longer the heap's; there is no block in it.
    void remove_memory(Address begin, usize bytes);

    Block* find(Address payload);  // that starts there
    Block* around(Address a);      // that contains it
    // The first that starts in [begin, end).
    Block* first_in(Address begin, Address end);
    void give_back_pages();           // when there is no block
    bool is_memory(Address a) const;  // of the heap
    // Cuts [*begin, *end) down to the bytes around `a`, which is none of the heap's, that are none.
    void cut(Address a, Address* begin, Address* end) const;

private:
    struct Page {
        u64 starts[8];  // a bit for each eight bytes
        u16 before[8];  // how many starts are in the words before
        rt::Vector<Block*> blocks;

        u32 rank(Address payload) const;  // how many start before it
        bool has(Address payload) const;
        void set(Address payload, bool starts_here);
    };
    using Leaf = Page*;
    static u64 page_of(Address a);
    Address address_of(u64 page) const;

    Page* page(u64 number) const;  // or null
    Page& make_page(u64 number);
    Block* take_record();

    Address base_ = 0;
    u64* starting_ = nullptr;  // pages in which blocks start; null while there was no block
    u64* memory_ = nullptr;
    Leaf** leaves_ = nullptr;
    Block* spare_ = nullptr;  // records
    // The blocks that `around` found last, by MiB: large ones are asked for again and again.
    static constexpr u32 kLatest = 16;
    Block* latest_[kLatest] = {};
    // The last search for the page before `searched_` in which a block starts: `found_`. 0: none since a
    // change.
    u64 searched_ = 0, found_ = 0;
    Block*& latest_at(Address a) { return latest_[a >> 20 & (kLatest - 1)]; }
};

class FollowedBlocks {
public:
    // As the window's.
    Block* add(const Block& block) { return make_window(block.payload).add(block); }
    void remove(Block& block) { window(block.payload)->remove(block); }
    void remove_memory(Address begin, usize bytes);
    Block* find(Address payload);
    Block* around(Address a);
    Block* first_in(Address begin, Address end);
    bool is_memory(Address a) const;
    void cut(Address a, Address* begin, Address* end) const;

    void clear();

private:
    static constexpr u64 kWindows = u64{1} << (47 - FollowedWindow::kAddressBits);
    static u64 number_of(Address a) { return a >> FollowedWindow::kAddressBits; }
    FollowedWindow* window(Address a) const {
        return number_of(a) < kWindows ? windows_[number_of(a)] : nullptr;
    }
    FollowedWindow& make_window(Address a);

    FollowedWindow* windows_[kWindows] = {};
};

}  // namespace memspy::heap
