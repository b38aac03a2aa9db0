// SPDX-License-Identifier: GPL-2.0-or-later
//
// LeakGraph: which live blocks the program can still reach, and how.
//
// Nodes are the live heap blocks. Edges are the words inside them that point at a block: at its first byte (a
// start pointer) or further in (an interior pointer). The caller feeds the words of the roots (registers,
// stacks, static data), then solve() walks the graph. Every block ends up as one of:
//   Reachable  a chain of start pointers leads from a root to it
//   Possible   some chain leads to it, but each one has an interior pointer in it
//   Definite   no chain leads to it from a root, and it leads its clique (see below)
//   Indirect   lost too, but found from another lost block
// An interior pointer counts as a start pointer if a heuristic recognises the layout that it belongs to: C++
// keeps pointers into blocks whose start it does not keep (see Heuristic).
//
// Lost blocks form cliques. In ascending address order, each lost block without a clique becomes the leader
// of a new one and collects all lost blocks that can be found from it. An earlier leader found in this way
// joins with everything it had collected. So each lost byte counts once: as direct bytes of a leader, and as
// indirect bytes of exactly one leader.
//
// Each block's content is read once, or twice if it was Possible before a better chain was found. No
// recursion: the blocks yet to be read wait on a list, each at most once.
//
// The graph does not depend on Valgrind and never touches client memory: reading is up to the caller.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"

namespace memspy::defects {

enum class Reach : u8 { Reachable, Possible, Indirect, Definite };
inline constexpr unsigned kReachKinds = 4;

enum class Heuristic : u8 {
    None,
    // libstdc++'s old std::string: {length, capacity, count, characters…, 0}, pointer to the characters.
    StdString,
    // A 64-bit length of everything behind it; pointer to the byte behind the length (sqlite's allocator).
    Length64,
    // new[] of elements with a destructor: {number of elements, elements…}, pointer to the elements.
    NewArray,
    // Pointer to a second base class: both it and the block's start hold a pointer to a table of functions.
    MultipleInheritance,
    // A dynamic thread vector of glibc: {number of modules, 0, two words for each, and for none}. A thread's control
    // block, at the end of its stack, points to the second pair. The linker frees it when the thread ends.
    ThreadVector
};
inline constexpr unsigned kHeuristics = 6;  // including None
// The bit of a heuristic in a set of them (HeuristicBit in options.h).
inline constexpr u32 heuristic_bit(Heuristic heuristic) {
    return heuristic == Heuristic::None ? 0 : 1u << (static_cast<unsigned>(heuristic) - 1);
}

// A word of client memory that may hold a pointer.
struct FoundWord {
    Address address;
    u64 value;
};

// How the graph reads client memory. A word is *usable* if it is aligned to eight bytes and all its bytes are
// addressable, readable and defined. Other words are skipped.
struct WordReader {
    // Fills `words` with up to `capacity` usable words of [at, end), in ascending order, and moves `at`
    // behind the last word examined. At the end of the range `at` equals `end`.
    usize (*read)(void* argument, Address& at, Address end, FoundWord* words, usize capacity);
    // Reads one word; false if it is not usable.
    bool (*read_word)(void* argument, Address at, u64& value);
    // Whether the (aligned, not small) address looks like a table of functions.
    bool (*is_function_table)(void* argument, Address at);
    void* argument;
};

inline constexpr u32 kNoBlock = ~0u;

class LeakGraph {
public:
    struct GraphBlock {
        Address payload;
        usize size;
        u64 indirect_bytes;  // Definite: of all other blocks in its clique
        u32 found_from;      // Indirect: the lost block in which a pointer to it was found
        u32 tag;             // the caller's
        Reach reach;
        Heuristic heuristic;  // Reachable only through this one, or None
        bool waiting;         // on the list of blocks to be read
    };

    LeakGraph(const WordReader& reader, u32 heuristics) : reader_(reader), heuristics_(heuristics) {}

    // Blocks come in ascending address order and do not overlap. A block of no bytes counts as one byte,
    // because the program's only pointer to it points there.
    void add_block(Address payload, usize size, u32 tag);
    // Call once, between the last block and the first root.
    void prepare();
    // A word found in a root: perhaps a pointer, mostly not.
    void root(u64 word) { point_at(word, true); }
    // Call once, after the last root.
    void solve();

    const rt::Vector<GraphBlock>& blocks() const { return blocks_; }
    // The block that holds `address`, or kNoBlock. Call after prepare().
    u32 find(Address address) const;
    // The first heuristic in `set` that accepts interior pointer `address` as a start pointer.
    Heuristic match(u32 block, Address address, u32 set) const;

private:
    static Address end_of(const GraphBlock& block) {
        return block.payload + (block.size == 0 ? 1 : block.size);
    }

    void point_at(Address address, bool from_reachable);
    void collect_clique(u32 leader);
    void wait(u32 block);
    template <typename F>
    void for_each_word(const GraphBlock& block, F&& f) const;

    WordReader reader_;
    u32 heuristics_;
    rt::Vector<GraphBlock> blocks_;
    rt::Vector<u32> waiting_;

    // Index: the blocks' span in equal buckets, about two for each block. Bucket b has the first block that
    // ends behind the bucket's begin. find() then searches between two adjacent entries.
    Address span_begin_ = 0;
    Address span_end_ = 0;
    unsigned bucket_shift_ = 0;
    rt::Vector<u32> buckets_;
};

}  // namespace memspy::defects
