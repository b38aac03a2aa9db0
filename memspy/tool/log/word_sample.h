// SPDX-License-Identifier: GPL-2.0-or-later
//
// A sample of the words of memory: those whose number has a hash with the lowest `steps` bits 0. Generated
// code makes the same test (instrument/log/sample_checks.h), so that most records of a sampled log are never
// written.
//
// The sample is stratified: of each 2^steps neighbouring words it has just one, at a place that looks left to
// chance, and half of these with one step more. So of an array as many words are chosen as it should be, up
// to one, while words chosen independently would differ by the root of their number. (Owen's scrambled nets,
// Monte Carlo and Quasi-Monte Carlo Methods 1995, in one dimension.) It holds for up to kStrata steps;
// beyond, neighbours are chosen independently.
//
// A sampled log has the records that access a word of the sample, or two words with one access. Nothing is
// left out while the mask is 0. In place of its time a record has what was executed before it: instructions,
// and a counter of accesses to words, of kAccessBits bits, that goes on from what the consumer gave. The word
// behind the last record has the same. When the counter gets to kDue the log is read at once. A value of 0
// says nothing.
//
// While one thread runs, instructions are counted from the last record. With several threads they are a
// counter that goes on from record to record, too, and the log is read at once when it gets to
// kInstructionsDue. The log then also has what the order of threads depends on: atomic updates, calls on
// locks, waits, and accesses to watched lines (watched_lines.h). The consumer that keeps the records gets
// their times as in any other log.
#pragma once

#include "rt/base.h"

namespace memspy::log {

struct WordSample {
    // Bit j of a hash is bit j of the word, changed or not as the bits above it say. Those from kStrata on do
    // so by a product, so that regular strides meet no regular sample; the others by a shift.
    static constexpr unsigned kStrata = 12, kProductShift = 40, kFold = 5;
    static constexpr u64 kFactor = 0x9E3779B97F4A7C15u;
    static constexpr u64 hash_of(u64 word) {
        const u64 shifted = word ^ (word >> kStrata) * kFactor >> kProductShift;
        return shifted ^ shifted >> kFold;
    }
    // One word in 2^steps has no bit of the mask in its hash. The sign bit is not in it: (hash & mask) - 1 is
    // negative for these words only.
    static constexpr u64 mask(u32 steps) { return (u64{1} << steps) - 1; }

    static constexpr unsigned kAccessBits = 24, kDueBit = 23;
    static constexpr u64 kDue = u64{1} << kDueBit;
    static constexpr u64 kInstructionsDue = u64{1} << (63 - kAccessBits);
    static constexpr u64 kNever = kInstructionsDue - 1;
    static constexpr u64 accesses_of(u64 time) { return time & ((u64{1} << kAccessBits) - 1); }
    static constexpr u64 instructions_of(u64 time) { return time >> kAccessBits; }
    static constexpr bool is_due(u64 time) { return ((time >> 63) | (time & kDue)) != 0; }

    // What a consumer wants of the accesses that come next.
    u64 mask_now = 0;
    u64 counter = 0;  // the log is read at once after kDue - counter more accesses; less than kDue
    // With several threads: and after so many instructions, from 1 to kNever.
    u64 instructions = kNever;

    // With several threads: both counters at the beginning, as in a time.
    u64 begin() const { return (kInstructionsDue - instructions) << kAccessBits | counter; }
};

}  // namespace memspy::log
