// SPDX-License-Identifier: GPL-2.0-or-later
//
// A record's block: what is known of the records of one shape below one chain of calls.
//
// The uses of a shape are divided into *steps*: uses behind each other off one word, between the same exits,
// within a line's length. If a step lies in one line, its first use decides: the others then change nothing.
// No Valgrind here.
#pragma once

#include <span>

#include "log/records.h"
#include "rt/set_cache.h"

namespace memspy::cost {

// Of a shape.
struct StepShape {
    i64 low;    // first byte off the word; the address itself if there is no word
    u16 place;  // of the word in the record; 0: none
    u8 reach;   // from the first byte to the last
    u8 use;     // the first; the next step's first use is its end
    bool stores;
    // One bit for each byte from `low` on: it is stored to; a use goes on from the byte before.
    u64 stored, inside;

    // What a step does that lies in two lines, of which the second begins `first_bytes` behind the step's
    // begin.
    bool is_cut(u32 first_bytes) const {
        return (inside >> first_bytes & 1) != 0;
    }  // one of its uses is in both
    bool stores_before(u32 first_bytes) const { return (stored & ((u64{1} << first_bytes) - 1)) != 0; }
    bool stores_behind(u32 first_bytes) const { return stored >> first_bytes != 0; }
};
// The executed part of a record that was left by an exit, or the whole.
struct StepPart {
    u16 place;  // of the exit's marker in the record; 0: none
    u8 steps, uses;
};

// A compiler has a hundred thousand, so each is one piece of a larger allocation: the steps behind it, then
// the parts.
class ShapeSteps {
public:
    // Null if its records have no blocks: an access is guarded, or longer than kLongest. Never freed.
    static const ShapeSteps* make(const log::Shape& shape);
    static constexpr u32 kLongest = 64;
    static constexpr u32 kMostUses = 255;

    std::span<const StepShape> steps() const {
        return {reinterpret_cast<const StepShape*>(this + 1), steps_};
    }
    // The whole record first.
    std::span<const StepPart> parts() const {
        return {reinterpret_cast<const StepPart*>(steps().data() + steps_), parts_};
    }

private:
    ShapeSteps(u32 steps, u32 parts) : steps_(steps), parts_(parts) {}
    u32 steps_, parts_;
};
static_assert(sizeof(ShapeSteps) == 8);

// The rows of a step's accesses to an object that is not the step's own, and how many records had such
// accesses. Behind it stand the numbers of the rows, by use. In a list, since code like an interpreter's goes
// to a few objects in turns.
struct OtherObject {
    OtherObject* next;
    u32 object, count;

    u32* rows() { return reinterpret_cast<u32*>(this + 1); }
};

// A step of the records of one block: what each record needs of it, apart from the rest, since a program of
// much code has hundreds of thousands of them.
struct QuickStep {
    i64 low;    // as in StepShape
    u64 owned;  // with the line's number shifted up: the word of a line of the object that was stored to
    u16 place;
    u8 reach;
    u8 any_mark;            // 1: the line need not have been stored to
    u8 use;                 // as in StepShape
    bool on_stack = false;  // the step's bytes decide, too: BlockStep::contains()

    Address address(const u64* at) const { return static_cast<Address>(low) + (place == 0 ? 0 : at[place]); }
    bool stores() const { return any_mark == 0; }
    u32 tag() const { return static_cast<u32>(owned >> rt::SetCache::kTagShift); }
};
static_assert(sizeof(QuickStep) == 24);

// The rest. Its rows are of one object: that of a line with the object's tag, and of the bytes from `begin`
// on where a line has several owners. A first byte a with a - begin < size is the object's, and so is the
// last. On a stack the object is the stack, and the rows are of the variables that the uses of such a step are
// to.
struct BlockStep {
    u64 begin, size;
    u32 object;
    u32 elsewhere;  // of the records counted, those whose step was to another object
    OtherObject* others;
    u32 turn;  // on a stack: so many bytes below and above it is the same in other frames of a recursion; 0

    bool contains(Address a) const { return a - begin < size || (turn != 0 && is_in_other_turn(a)); }
    void set_extent(u64 first, u64 end, u32 reach, u32 bytes_of_turn = 0) {
        begin = first;
        size = end - first > reach ? end - first - reach : 0;
        turn = bytes_of_turn;
    }

private:
    bool is_in_other_turn(Address a) const {
        constexpr u64 kMostTurns = u64{1} << 31;
        const u64 apart = begin + size - 1 - a + kMostTurns / turn * turn;
        return apart < 2 * kMostTurns && static_cast<u32>(apart) % turn < size;
    }
};

// In one piece: the steps stand behind it, first all that is quick, then the parts, the counts, the rows.
// What a whole record needs comes first.
struct RecordBlock {
    u64 age;         // the steps' bytes are of that time
    StepPart whole;  // parts[0]
    threads::CallPath path;
    u64* counts;  // of records, by executed part
    StepPart* parts;
    u32* rows;  // by use; ~0: not known
    const ShapeSteps* block_shape;
    const log::Shape* shape;
    u32 steps_count;

    QuickStep* quick_steps() { return reinterpret_cast<QuickStep*>(this + 1); }
    BlockStep* steps() { return reinterpret_cast<BlockStep*>(quick_steps() + steps_count); }
    // The executed part of the record at `at`.
    StepPart executed(const u64* at, u32& number) const {
        number = 0;
        if (whole.place == 0 || at[whole.place] != 0) return whole;
        const StepPart* part = parts;
        while (part->place != 0 && at[part->place] == 0) ++part;
        number = static_cast<u32>(part - parts);
        return *part;
    }
};
static_assert(sizeof(RecordBlock) == 64);

}  // namespace memspy::cost
