// SPDX-License-Identifier: GPL-2.0-or-later
//
// The histories of all lines that were touched, and the *turns* at the lines used last: what one strand has
// done to a line in one part of its run, with nobody in between. Most accesses only repeat what their turn
// has already. To see that takes one look at one place in memory, which can be asked for in advance. No
// Valgrind here.
#pragma once

#include "analyses/races/access_history.h"
#include "rt/hash_map.h"

namespace memspy::races {

// Number of a part of a strand's run, from 1 on, in the order in which they were met.
using TurnNumber = u32;

struct StrandTurn {
    TurnNumber number;
    u32 part;
    u16 strand;
    LockSet held;
};

struct LineTurn {
    u64 line;
    u64 loaded, stored;  // bytes of which further loads, stores teach nothing, one bit each
    u32 history;         // number of the line's history
    TurnNumber turn;     // with kSpecialLine, where not every access is one to data
};
static_assert(sizeof(LineTurn) == 32);
inline constexpr TurnNumber kSpecialLine = TurnNumber{1} << 31;

// All zeros is a valid empty object.
class LineHistories {
public:
    // The accesses to these bytes of the line teach nothing: the turn has had all of them, and none is one to
    // a signal or a counter.
    bool is_repeated(u64 line, TurnNumber turn, u64 loaded, u64 stored) const {
        const LineTurn& known = turns_[place_of(line)];
        return known.line == line && known.turn == turn &&
               ((loaded & ~known.loaded) | (stored & ~known.stored)) == 0;
    }
    // Of a line that is in use: not every access is one to data.
    bool is_special(u64 line) const { return (turns_[place_of(line)].turn & kSpecialLine) != 0; }
    void ask_for(u64 line) const { __builtin_prefetch(&turns_[place_of(line)]); }

    // The line's turn, which is that one from now on. Valid until the next call.
    LineTurn& turn_at(u64 line, const StrandTurn& turn) {
        LineTurn& known = turns_[place_of(line)];
        const bool is_new = known.line != line || known.turn == 0;
        if (is_new) known = {line, 0, 0, number_of(line), 0};
        if ((known.turn & ~kSpecialLine) == turn.number) return known;
        const AccessHistory& of = history(known);
        known.loaded = known.stored = 0;
        known.turn = turn.number;
        if (of.is_special())
            known.turn |= kSpecialLine;
        else if (is_new)
            of.tell_own(turn.strand, turn.part, turn.held, &known.loaded, &known.stored);
        return known;
    }
    AccessHistory& history(const LineTurn& at) { return by_number(at.history); }
    void add_signals(LineTurn& at, u16 words) {
        history(at).add_signals(words);
        at.turn |= kSpecialLine;
    }
    void add_counters(LineTurn& at, u16 words) {
        history(at).add_counters(words);
        at.turn |= kSpecialLine;
    }

    // What the line's turn did to these bytes counts no more.
    void forget_turn(u64 line, u64 bytes) {
        LineTurn& known = turns_[place_of(line)];
        if (known.line != line) return;
        known.loaded &= ~bytes;
        known.stored &= ~bytes;
    }

    // Calls f(line, history) for each line of [first, last] that was touched.
    template <typename F>
    void for_each(u64 first, u64 last, F f) {
        const auto in_block = [&](u64 block, u32 number) {
            for (u64 line = block * kBlock; line < (block + 1) * kBlock; ++line) {
                if (line < first || line > last) continue;
                f(line, blocks_[number - 1][line % kBlock]);
            }
        };
        // A large range may have few lines that are known.
        if ((last - first) / kBlock > numbers_.capacity()) {
            numbers_.for_each([&](u64 block, u32& number) {
                if (block >= first / kBlock && block <= last / kBlock) in_block(block, number);
            });
            return;
        }
        for (u64 block = first / kBlock; block <= last / kBlock; ++block)
            if (const u32* number = numbers_.find(block)) in_block(block, *number);
    }

private:
    static constexpr u32 kTurnBits = 15, kTurns = 1 << kTurnBits;  // a MiB, as a processor's second cache
    static constexpr u32 kBlock = 16;                              // lines whose histories are made together

    // Stacks of threads and arenas of the heap lie at multiples of large powers of two. The factor puts those of
    // several threads far from each other, by the golden ratio of the table for arenas of 64 MiB: with none, four
    // threads of pigz took each other's places, and twice the time.
    static u32 place_of(u64 line) {
        constexpr u64 kApart = 633;
        return static_cast<u32>((line + (line >> kTurnBits) * kApart) % kTurns);
    }
    AccessHistory& by_number(u32 number) { return blocks_[number / kBlock][number % kBlock]; }
    u32 number_of(u64 line) {
        u32& block = numbers_[line / kBlock];
        if (block == 0) {
            auto* made = static_cast<AccessHistory*>(HistoryMemory::allocate(kBlock * sizeof(AccessHistory)));
            for (u32 i = 0; i < kBlock; ++i) made[i] = {};
            blocks_.push_back(made);
            block = static_cast<u32>(blocks_.size());
        }
        return (block - 1) * kBlock + line % kBlock;
    }

    LineTurn turns_[kTurns] = {};
    rt::HashMap<u32> numbers_;  // of blocks, from 1 on
    rt::Vector<AccessHistory*> blocks_;
};

}  // namespace memspy::races
