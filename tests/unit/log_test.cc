// SPDX-License-Identifier: GPL-2.0-or-later
//
// The access log is read as it was written: shapes that differ in anything that matters have different
// numbers, equal ones the same number; accesses skipped by a side exit or a false condition do not count;
// returned chunks are zeros.
#include "log/records.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <functional>
#include <set>

#include "log_source.h"

namespace memspy::log {
namespace {

const Record& record_at(const u64* at) { return *reinterpret_cast<const Record*>(at); }

struct Sample : RecordBuilder {
    Sample() {
        const u8 at = base(0x1000);
        access(0x1008, 4, true, false, Way::Based, at);
        instructions(2);
        side_exit(false);
        instructions();
        access(0x5000, 8, false, true, Way::Guarded);
    }
};

// A number is found again for an equal shape, and is another one if anything differs.
TEST(Shapes, ToldApartAndFoundAgain) {
    const u32 number = number_of_shape(Sample().shape());
    EXPECT_EQ(number_of_shape(Sample().shape()), number);
    std::set<u32> numbers{number};
    const std::vector<std::function<void(Shape&)>> changes = {
        [](Shape& s) { s.uses[0].instruction += 1; },
        [](Shape& s) { s.uses[0].offset += 8; },
        [](Shape& s) { s.uses[0].ordinal += 1; },
        [](Shape& s) { s.uses[0].bytes = 8; },
        [](Shape& s) { s.uses[1].word = 0; },
        [](Shape& s) { s.uses[1].proof = kNoWord; },
        [](Shape& s) { s.uses[0].loads = false; },
        [](Shape& s) { s.uses[0].stores = true; },
        [](Shape& s) { s.uses[0].atomic = true; },
        [](Shape& s) { s.segments[0].instructions += 1; },
        [](Shape& s) { s.segments[1].marker = 0; },
        [](Shape& s) { s.words += 1; },
        [](Shape& s) { s.yields = true; },
        [](Shape& s) { s.may_spin = true; },
        [](Shape& s) { s.uses.pop_back(); },
        [](Shape& s) { s.segments.pop_back(); }};
    for (usize i = 0; i < changes.size(); ++i) {
        Sample b;
        changes[i](b.shape());
        EXPECT_TRUE(numbers.insert(number_of_shape(b.shape())).second)
            << "change " << i << " made no other shape";
        EXPECT_EQ(number_of_shape(b.shape()), *numbers.rbegin()) << "change " << i << " is not found again";
    }
    EXPECT_EQ(shape_count(), numbers.size());
}

// The stored shape has the given data, and everything that follows from it.
TEST(Shapes, AreKept) {
    Sample b;
    b.yields();
    const Shape& kept = shape(number_of_shape(b.shape()));
    EXPECT_EQ(kept.words, 3u);
    EXPECT_EQ(kept.record_words(), kRecordHead + 3);
    EXPECT_EQ(kept.loads, 1u);
    EXPECT_EQ(kept.stores, 1u);
    EXPECT_EQ(kept.instructions, 4u);
    EXPECT_EQ(kept.last_marker, 1);
    EXPECT_FALSE(kept.always);
    EXPECT_TRUE(kept.yields);
    ASSERT_EQ(kept.uses.size(), 2u);
    ASSERT_EQ(kept.spans.size(), 2u);
    ASSERT_EQ(kept.quick.size(), 2u);
    for (usize i = 0; i < 2; ++i) {
        EXPECT_EQ(kept.quick[i].low, kept.spans[i].low);
        EXPECT_EQ(kept.quick[i].low + kept.quick[i].reach, kept.spans[i].low + kept.spans[i].bytes - 1);
        EXPECT_EQ(kept.quick[i].word, kept.spans[i].word);
        EXPECT_EQ(kept.quick[i].proof, kept.spans[i].proof);
    }
}

// Ten thousand shapes keep their numbers and their content.
TEST(Shapes, Many) {
    std::vector<u32> numbers;
    for (u32 round = 0; round < 2; ++round)
        for (u32 i = 0; i < 10'000; ++i) {
            RecordBuilder b;
            b.load(0x70000 + i);
            const u32 number = number_of_shape(b.shape());
            if (round == 0) {
                numbers.push_back(number);
            } else {
                ASSERT_EQ(number, numbers[i]);
                ASSERT_EQ(shape(number).uses[0].offset, static_cast<i64>(0x70000 + i));
            }
        }
}

// A taken exit: code behind it was not reached, and its instructions were not executed.
TEST(Records, SideExits) {
    limit_chunks(64);
    Chunk* chunk = take_chunk();
    for (u32 taken = 0; taken < 4; ++taken) {
        RecordBuilder b;
        const u8 base = b.base(0x2000);
        b.access(0x2004, 4, true, false, RecordBuilder::Way::Based, base);
        for (u32 exit = 1; exit <= 3; ++exit) {
            b.instructions(10);
            b.side_exit(exit == taken);
            b.instructions();
            b.access(0x2000 + 8 * exit, 4, true, false, RecordBuilder::Way::Based, base);
        }
        u64* const at = chunk->end;
        chunk->end = b.write(at, CallPath{7});
        const Record& record = record_at(at);
        const Shape& of = shape(record.shape);
        EXPECT_EQ(record.path, CallPath{7});
        EXPECT_EQ(record.time, 0u) << "left to the reader";
        EXPECT_EQ(record.address(of.uses[0].word, of.uses[0].offset), 0x2004u);
        for (u32 exit = 1; exit <= 3; ++exit)
            EXPECT_EQ(record.reached(of.uses[exit].proof), taken == 0 || exit < taken)
                << taken << " " << exit;
        EXPECT_EQ(record.executed(of), taken == 0 ? 34 : 11 * taken);
        // The quick shape gives the same result.
        const QuickShape& quick = quick_shape(record.shape);
        ASSERT_TRUE(quick.is_plain);
        const QuickExit& executed = quick.executed(at);
        EXPECT_EQ(executed.instructions, record.executed(of));
        EXPECT_EQ(executed.loads, taken == 0 ? 4 : taken);
        EXPECT_EQ(executed.stores, 0);
        for (usize i = 0; i < of.spans.size(); ++i)
            EXPECT_EQ(i < executed.spans, record.reached(of.spans[i].proof)) << taken << " " << i;
    }
    give_back(chunk);
}

// A false condition leaves its own access out, and nothing else.
TEST(Records, Guards) {
    Chunk* chunk = take_chunk();
    RecordBuilder b;
    b.guards_fail(true);
    b.access(0x3000, 4, true, false, RecordBuilder::Way::Guarded);
    b.guards_fail(false);
    b.instructions();
    b.access(0x3000, 4, true, false, RecordBuilder::Way::Guarded);
    chunk->end = b.write(chunk->begin);
    const Record& record = record_at(chunk->begin);
    const Shape& of = shape(record.shape);
    EXPECT_FALSE(record.reached(of.uses[0].proof));
    EXPECT_TRUE(record.reached(of.uses[1].proof));
    EXPECT_EQ(record.executed(of), 2u);
    give_back(chunk);
}

// A taken chunk has only zeros and no runs, whatever its former use; at most the allowed number is given out.
TEST(Chunks, BoundedAndZero) {
    limit_chunks(20);
    for (u32 round = 0; round < 2; ++round) {
        std::vector<Chunk*> chunks;
        std::set<const u64*> places;
        while (Chunk* chunk = take_chunk()) {
            chunks.push_back(chunk);
            EXPECT_TRUE(places.insert(chunk->begin).second);
            EXPECT_EQ(reinterpret_cast<u64>(chunk->begin) % kChunkStride, 0u)
                << "the full bit tells fullness";
            EXPECT_EQ(chunk->begin, chunk->end);
            EXPECT_EQ(chunk->next, nullptr);
            EXPECT_TRUE(chunk->runs.empty());
            for (usize i = 0; i < kChunkStride / sizeof(u64); i += 1)
                ASSERT_EQ(chunk->begin[i], 0u) << "word " << i << " in round " << round;
            chunk->end = chunk->begin + kChunkStride / sizeof(u64);
            for (u64* word = chunk->begin; word != chunk->end; ++word) *word = ~u64{0};
            chunk->runs.push_back(Chunk::RecordRun{.last = 1, .sequence = 1, .first = 0, .end = 1});
        }
        EXPECT_EQ(chunks.size(), 20u);
        EXPECT_EQ(chunks_taken(), 20u);
        give_back(chunks[3]);
        EXPECT_EQ(chunks_taken(), 19u);
        EXPECT_EQ(take_chunk(), chunks[3]);
        for (Chunk* chunk : chunks) give_back(chunk);
        EXPECT_EQ(chunks_taken(), 0u);
    }
}

// Chunks that were in use in neither of two periods are emptied; those that were keep their memory. All can be used again.
TEST(Chunks, IdleOnesAreEmptied) {
    const auto use = [](u32 count) {
        std::vector<Chunk*> chunks;
        for (u32 i = 0; i < count; ++i) {
            chunks.push_back(take_chunk());
            EXPECT_EQ(*chunks.back()->begin, 0u);
            chunks.back()->end = chunks.back()->begin + 100;
            *chunks.back()->begin = 7;
        }
        for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk) give_back(*chunk);
        return chunks;
    };
    const auto in_memory = [](const Chunk* chunk) {
        unsigned char pages = 0;
        EXPECT_EQ(mincore(chunk->begin, 4096, &pages), 0);
        return (pages & 1) != 0;
    };
    limit_chunks(20);
    const std::vector<Chunk*> chunks = use(12);
    empty_idle_chunks();
    EXPECT_TRUE(in_memory(chunks[11])) << "was in use before";
    use(5);
    empty_idle_chunks();
    for (u32 i = 0; i < 12; ++i) EXPECT_EQ(in_memory(chunks[i]), i < 5) << i;
    EXPECT_EQ(use(12), chunks);
    EXPECT_TRUE(in_memory(chunks[11]));
}

}  // namespace
}  // namespace memspy::log
