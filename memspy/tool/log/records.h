// SPDX-License-Identifier: GPL-2.0-or-later
//
// The access log: the records that generated code writes of a thread's accesses, and their meaning.
//
// Each thread writes records, one behind the other, to a chunk of its own:
//
//   u32 shape, u32 call path | u64 time | u64 words[shape.words]
//
// The reader fills in `time`. Before that, it holds the number of instructions since the last record (a
// *pause*: code that accesses no memory has no record). A word holds the base address of one or more
// accesses, or 1 where control passed a side exit (a marker). Chunks are all zeros until they are written,
// and the cursor moves by the whole record at its start. So a word that is still zero was not reached, and
// side exits need no code of their own.
//
// A chunk is full when its cursor has the bit kFullBit, which each superblock tests once. The space behind it
// is for the last superblock's records.
#pragma once

#include "rt/small_blocks.h"
#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::log {

inline constexpr u64 kFullBit = u64{1} << 16;
inline constexpr usize kChunkStride = 2 * kFullBit;  // alignment of chunks
inline constexpr u32 kRecordHead = 2;                // words before a record's own
inline constexpr u32 kMostWords = 200;               // of a record: the number of a word fits into a byte
inline constexpr u32 kMostSuperblockWords = 7000;    // of all records of a superblock, heads included
static_assert(kFullBit + kMostSuperblockWords * 8 <= kChunkStride && kChunkStride / 8 < 1u << 16);

// The effect of a call on a lock, or on something else that threads wait for. The record of the call is
// written where the function is entered, has no accesses and takes no instructions. Its one word is the
// address of the lock, barrier or semaphore.
enum class LockEvent : u8 {
    None,
    Acquire,
    AcquireShared,
    Try,  // may fail
    TryShared,
    Release,
    Wait,  // releases it, waits for something else, and takes it again
    Join,  // no lock: waits for the end of a thread
    Meet,  // a barrier
    Post,  // a semaphore
    Take,
    TryTake,  // may fail
    Resolve   // no lock: the loader looks a function up at its first call
};
inline bool takes_lock(LockEvent event) {
    return (event >= LockEvent::Acquire && event <= LockEvent::TryShared) || event == LockEvent::Take ||
           event == LockEvent::TryTake;
}
struct LockCall {
    LockEvent event = LockEvent::None;
    u8 argument = 0;  // number of the argument with the address, from 1
    // If there is no argument: of a lock without an address; it stands where others have theirs.
    u8 number = 0;
    static constexpr Address kNumbers = 256;  // the lowest address that is none
};

// What an atomic read-modify-write stores.
enum class UpdateKind : u8 {
    Other,    // none, or one that depends on a comparison
    Replace,  // a value that is not made from the old one
    Add,      // the old value and something, or less something
    Compute   // something else made from the old value
};

// How a store makes a sum of the old value and others (instrument/log/sums.h).
enum class SumKind : u8 {
    None,
    Adds,          // and the program uses neither the old value nor the sum, as far as the superblock shows
    AddsAndTells,  // it uses one of them
    AddsAfterLoad  // an atomic update of a value that an instruction before has loaded, in a loop
};

inline constexpr u8 kNoWord = 255;

// One access of a record.
struct AccessUse {
    Address instruction;
    i64 offset;        // from the word's value; the address itself if word is kNoWord
    u16 ordinal : 15;  // number of its instruction in the record
    u16 compares : 1;  // an atomic update that happens only if the value is what the thread knows
    u16 bytes;
    u8 word;
    u8 proof;  // the access happened if this word is not zero; kNoWord: always
    bool loads : 1, stores : 1, atomic : 1;
    bool vector : 1;  // loads into a vector register: no thread waits for such a word
    SumKind sum : 2;
    UpdateKind update : 2;
    u8 values = kNoWord;  // the word with the value before an atomic update; the next one has that behind it

    // Words of 8 bytes, if it crosses no border that it need not cross.
    u32 word_accesses() const { return (bytes + 7u) / 8 * (loads + stores); }
};
static_assert(sizeof(AccessUse) == 24);

// Bytes [low, low + bytes) off a word. The first and the last of them are accessed if `proof` was reached. A
// span shared by several uses is no longer than a line, so the spans of a shape touch exactly the lines that
// its uses touch.
struct Span {
    i64 low;
    u64 read, written;  // one bit for each byte from `low` on; all ones if the span is longer than 64
    u16 bytes;
    u16 loads, stores;
    u8 word;
    u8 proof;
};

// The lines of a span, for the first reading.
struct QuickSpan {
    i64 low;
    u16 reach;  // from the first byte to the last
    u8 word;
    u8 proof;
    u8 place;  // of the word in the record; kZeroPlace if there is no word
    bool stores;
    bool solid;  // all the bytes are stored to, or all are loaded and none stored to
};
static_assert(sizeof(QuickSpan) == 16);
inline constexpr u8 kZeroPlace = 1;  // the time, which is zero while the record is read

// A run of instructions without side exits.
struct Segment {
    u8 marker;         // the word that is not zero if the segment was reached; kNoWord for the first
    u16 instructions;  // of the record up to the segment's end
};

// The executed part of a record that was left by an exit, or of a whole record.
struct QuickExit {
    u16 instructions, loads, stores;
    u16 word_accesses;  // with those behind a condition, whether it holds or not
    u16 spans;          // number of spans that were reached, the first ones
    u8 place;           // place in the record of the exit's marker; 0 if it has none
};

// A shape in one piece for the first reading, followed by its spans, and then by its exits, the last one
// first.
struct alignas(16) QuickShape {
    u16 spans;
    // Markers alone show how much was reached, and the clocks do not need the record: it is not part of a
    // wait and has no atomic update.
    bool is_plain;
    QuickExit whole;

    const QuickSpan* begin() const { return reinterpret_cast<const QuickSpan*>(this + 1); }
    // For plain shapes: the executed part of the record at `at`.
    const QuickExit& executed(const u64* at) const {
        if (at[whole.place] != 0 || whole.place == 0) [[likely]]
            return whole;
        const auto* exit = reinterpret_cast<const QuickExit*>(begin() + spans);
        while (at[exit->place] == 0 && exit->place != 0) ++exit;
        return *exit;
    }
};
static_assert(sizeof(QuickShape) == 16);

struct QuickSpans {
    const QuickSpan* first = nullptr;
    u32 count = 0;
    const QuickSpan* begin() const { return first; }
    const QuickSpan* end() const { return first + count; }
    usize size() const { return count; }
    const QuickSpan& operator[](usize i) const { return first[i]; }
};

// There are tens of thousands of shapes, and most have a few accesses.
inline constexpr char kShapeMemory[] = "memspy.shapes";
template <typename T>
using ShapeVector = rt::Vector<T, rt::OnSmallBlocks<kShapeMemory>>;

struct Shape {
    u32 words = 0;
    u32 loads = 0, stores = 0;  // if all is reached
    u32 word_accesses = 0;      // likewise: each access counts once for every word that it has at least
    u32 instructions = 0;       // likewise
    u8 last_marker = kNoWord;   // of the last segment
    bool always = true;         // no use is guarded
    bool yields = false;        // ends with a hint that the thread waits for others
    // It also yields if it is left at an exit in its middle: between these two markers.
    struct EarlyYield {
        bool any = false;
        u8 reached = kNoWord, not_reached = kNoWord;
    } early_yield;
    bool may_spin = false;  // only loads, in a library without such hints: a repeated record is a wait
    bool updates = false;   // has an atomic read-modify-write
    LockEvent event = LockEvent::None;
    ShapeVector<AccessUse> uses;  // in order
    ShapeVector<Span> spans;
    QuickSpans quick;  // the same spans; of stored shapes
    ShapeVector<Segment> segments;

    u32 record_words() const { return kRecordHead + words; }
    bool may_wait() const { return yields || may_spin || early_yield.any; }
};

// Adds an access to the shape, and to its spans and counts. A span of several uses is at most `line_bytes`
// long.
void add_use(Shape& shape, const AccessUse& use, u32 line_bytes);

struct ShapeEntry {
    const QuickShape* quick;
    const Shape* shape;
};
extern const ShapeEntry* shape_table;

// The number of the shape equal to `shape`; a copy is stored if there is none. Shapes are never freed. A
// number contains the length of the records, so that the next record is found without the shape. No number is
// 0.
u32 number_of_shape(const Shape& shape);
inline constexpr u32 kLengthBits = 8;
static_assert(kRecordHead + kMostWords < 1u << kLengthBits);
inline u32 record_words(u32 number) { return number & ((1u << kLengthBits) - 1); }
inline const Shape& shape(u32 number) { return *shape_table[number >> kLengthBits].shape; }
inline const QuickShape& quick_shape(u32 number) { return *shape_table[number >> kLengthBits].quick; }
u32 shape_count();

// Accesses of the running thread that were passed without a record (quiet_lines.h), and their number since
// the last call.
void add_passed(u64 accesses);
u64 take_passed();

// What an atomic update found in memory, and what it left there. Where the superblock does not know: another value.
struct WordChange {
    u64 before = 0, after = 1;
    // Not for an exchange of equal values, or a comparison that failed.
    bool any() const { return before != after; }
};

struct Record {
    u32 shape;
    threads::CallPath path;
    u64 time;

    const u64* words() const { return reinterpret_cast<const u64*>(this + 1); }
    bool reached(u8 proof) const { return proof == kNoWord || words()[proof] != 0; }
    Address address(u8 word, i64 offset) const {
        return static_cast<Address>(offset) + (word == kNoWord ? 0 : words()[word]);
    }
    WordChange change(const AccessUse& update) const {
        return update.values == kNoWord ? WordChange{}
                                        : WordChange{words()[update.values], words()[update.values + 1]};
    }
    bool changes(const AccessUse& use) const { return use.stores && change(use).any(); }
    bool yields(const Shape& of) const {
        if (of.early_yield.any && reached(of.early_yield.reached) && !reached(of.early_yield.not_reached))
            return true;
        return of.yields && reached(of.last_marker);
    }
    // The number of its instructions that were executed.
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

    // For the reader: a run of records that it need not look at again.
    struct RecordRun {
        u64 last;        // all accesses of the run are earlier
        u32 sequence;    // a number of the reader's
        u16 first, end;  // words of the chunk
    };
    rt::Vector<RecordRun> runs;
    bool touched = false;  // its pages take memory

    u16 word_of(const u64* at) const { return static_cast<u16>(at - begin); }
};

// Sets the maximum number of chunks. Call before the first take_chunk().
void limit_chunks(u32 most);
u32 chunk_limit();
u32 chunks_taken();
Chunk* take_chunk();  // an empty chunk; nullptr if all are in use
// The part of a chunk that was written, from its begin on. A word behind it is set to zero, too, if their
// number is odd: it is zero anyway.
void set_to_zero(u64* begin, u64* end);
void give_back(Chunk* chunk);  // zeroes it again
// The memory of chunks that were not in use since the last call goes back to the system. A log is large only
// now and then.
void empty_idle_chunks();

}  // namespace memspy::log
