// SPDX-License-Identifier: GPL-2.0-or-later
//
// The access log: the records that generated code writes of a thread's accesses, and their meaning.
//
// Each thread writes records, one behind the other, to a chunk of its own:
//
//   u32 shape, u32 call path | u64 time | u64 words[shape.words]
//
// `time` is the reader's to fill in; before, it counts the instructions since the last record (a *pause*:
// code that accesses no memory has no record). A word holds the address that the accesses of one base are
// told from, or 1 where control went on behind a side exit (a marker). Chunks are all zeros until they are
// written, and the cursor moves by the whole record at its start: a word that is zero was not reached. So
// side exits need no code of their own.
//
// A chunk takes records until the cursor has the bit kFullBit, which is looked at once in each superblock;
// the room behind it is for the last superblock's records.
#pragma once

#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::log {

inline constexpr u64 kFullBit = u64{1} << 16;
inline constexpr usize kChunkStride = 2 * kFullBit;  // chunks are aligned to this
inline constexpr u32 kRecordHead = 2;                // words before the first
inline constexpr u32 kMostWords = 200;               // of a record: word numbers fit a byte
inline constexpr u32 kMostSuperblockWords = 7000;    // of all records of a superblock, heads included
static_assert(kFullBit + kMostSuperblockWords * 8 <= kChunkStride && kChunkStride / 8 < 1u << 16);

// What a call does to a lock. A record of it stands where the function is entered, has no accesses and takes no
// instructions; its one word is the lock's address.
enum class LockEvent : u8 {
    None,
    Acquire,
    AcquireShared,
    Try,  // may fail
    TryShared,
    Release,
    Wait  // gives it back, waits for something else, and takes it again
};
struct LockCall {
    LockEvent event = LockEvent::None;
    u8 argument = 0;  // which one of the function's is the address, from 1
    u8 number = 0;    // in its place, where there is no argument: of a lock without an address
};

// One access of a record.
struct AccessUse {
    Address instruction;
    i64 offset;   // from the word's value; the address itself when word is kNoWord
    u16 ordinal;  // of its instruction in the record
    u16 bytes;
    u8 word;
    u8 proof;  // the word which is not zero when the access was made, or kNoWord: always made
    bool loads : 1, stores : 1, atomic : 1;
};
inline constexpr u8 kNoWord = 255;

// Bytes [low, high) off a word; their first and their last are accessed when `proof` was reached. What
// several uses share is no longer than a line, so that the spans of a shape touch just the lines that its
// uses touch.
struct Span {
    i64 low, high;
    u64 read, written;  // which of its bytes, one bit each from `low` on; all ones when it is longer than 64
    u16 loads, stores;
    u8 word;
    u8 proof;
};

// What a span says of lines alone, for a first look.
struct QuickSpan {
    i64 low;
    u16 reach;  // from the first byte to the last
    u8 word;
    u8 proof;
    u8 place;  // of the word in the record; kZeroPlace when there is none
    bool stores;
};
static_assert(sizeof(QuickSpan) == 16);
inline constexpr u8 kZeroPlace = 1;  // the time, which is zero while the record is read

// A run of instructions without side exits.
struct Segment {
    u8 marker;         // the word that is not zero when it was reached; kNoWord for the first
    u16 instructions;  // in the record up to its end
};

// What was executed of a record that was left by an exit, or of a whole one.
struct QuickExit {
    u16 instructions, loads, stores;
    u16 spans;  // the number of the first ones that were reached
    u8 place;   // in the record, of the marker that was reached then; 0 when there is none
};

// A shape as the first look wants it, in one piece, with its spans behind it, and then its exits, the last
// one first.
struct alignas(16) QuickShape {
    u16 spans;
    // What is reached goes by markers alone, and the clocks do not need it: it is not part of a wait, and
    // updates nothing atomically.
    bool is_plain;
    QuickExit whole;

    const QuickSpan* begin() const { return reinterpret_cast<const QuickSpan*>(this + 1); }
    // Plain shapes: the executed part of the record at `at`.
    const QuickExit& executed(const u64* at) const {
        if (at[whole.place] != 0 || whole.place == 0) [[likely]]
            return whole;
        const auto* exit = reinterpret_cast<const QuickExit*>(begin() + spans);
        while (at[exit->place] == 0 && exit->place != 0) ++exit;
        return *exit;
    }
};
static_assert(sizeof(QuickShape) == 16);

struct Shape {
    u32 words = 0;
    u32 loads = 0, stores = 0;  // when all is reached
    u32 instructions = 0;       // likewise
    u8 last_marker = kNoWord;   // of the last segment
    bool always = true;         // no use is behind a guard
    bool yields = false;        // ends with a hint that the thread waits for others
    bool may_spin = false;      // only loads, in a library that gives no such hint: again and again, it waits
    bool updates = false;       // has an atomic read-modify-write
    LockEvent event = LockEvent::None;
    rt::Vector<AccessUse> uses;  // in order
    rt::Vector<Span> spans;
    rt::Vector<QuickSpan> quick;  // the same spans
    rt::Vector<Segment> segments;

    u32 record_words() const { return kRecordHead + words; }
    bool may_wait() const { return yields || may_spin; }
};

// Adds an access to the shape, and to its spans and counts. `line_bytes`: what a span of several uses may be
// long.
void add_use(Shape& shape, const AccessUse& use, u32 line_bytes);

struct ShapeEntry {
    const QuickShape* quick;
    const Shape* shape;
};
extern const ShapeEntry* shape_table;

// The number of a shape equal to `shape`; a copy is kept when there is none. Shapes live for ever. A number
// has the length of the records, so that the next one is found without a look at the shape; none is 0.
u32 number_of_shape(const Shape& shape);
inline constexpr u32 kLengthBits = 8;
static_assert(kRecordHead + kMostWords < 1u << kLengthBits);
inline u32 record_words(u32 number) { return number & ((1u << kLengthBits) - 1); }
inline const Shape& shape(u32 number) { return *shape_table[number >> kLengthBits].shape; }
inline const QuickShape& quick_shape(u32 number) { return *shape_table[number >> kLengthBits].quick; }
u32 shape_count();

struct Record {
    u32 shape;
    threads::CallPath path;
    u64 time;

    const u64* words() const { return reinterpret_cast<const u64*>(this + 1); }
    bool reached(u8 proof) const { return proof == kNoWord || words()[proof] != 0; }
    Address address(u8 word, i64 offset) const {
        return static_cast<Address>(offset) + (word == kNoWord ? 0 : words()[word]);
    }
    // How many of its instructions were executed.
    u32 executed(const Shape& of) const {
        if (reached(of.last_marker)) [[likely]]
            return of.instructions;
        usize last = of.segments.size() - 1;
        while (last > 0 && !reached(of.segments[last].marker)) --last;
        return of.segments[last].instructions;
    }
};
static_assert(sizeof(Record) == kRecordHead * sizeof(u64));

// A part of one thread's log.
struct Chunk {
    u64* begin = nullptr;
    u64* end = nullptr;  // behind the last record
    Chunk* next = nullptr;

    // The reader's: runs of records that it need not look at again.
    struct RecordRun {
        u64 last;        // nothing in it happens at this time or later
        u32 sequence;    // of the reader's
        u16 first, end;  // words of the chunk
    };
    rt::Vector<RecordRun> runs;

    u16 word_of(const u64* at) const { return static_cast<u16>(at - begin); }
};

// Sets how many chunks there may be; call before the first take_chunk().
void limit_chunks(u32 most);
u32 chunk_limit();
u32 chunks_taken();
Chunk* take_chunk();           // empty; nullptr when all are taken
void give_back(Chunk* chunk);  // makes it zeros again

}  // namespace memspy::log
