// SPDX-License-Identifier: GPL-2.0-or-later
//
// From counts to sentences: which objects are grouped, which groups become findings and of what kind, the
// advice, the data for the error manager, and the layout of the summary. The tally and the objects are
// literal tables here, so each case shows exactly which thread touched which bytes.
#include "analyses/contention/build_report.h"
#include "remedies/sharing_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "analyses/contention/output/sharing_findings.h"
#include "analyses/contention/output/summary_text.h"
#include "findings/suppression_names.h"
#include "places/code.h"

namespace {

using namespace memspy;
using namespace memspy::contention;
using namespace memspy::order;
using findings::FindingKind;
using namespace memspy::places;

// The tables behind tally.h and objects.h.
struct World {
    std::vector<SharingRow> rows;
    std::vector<PairRow> pairs;
    std::vector<ThreadRow> threads;
    std::map<u64, LineRow> lines;
    std::map<u64, rt::Vector<RangeRow>> ranges;
    std::list<Object> objects;
    std::vector<Extent> extents;
    u64 accesses = 0;
    std::vector<findings::SummedRecord> reported;
    std::vector<std::string> output;
};
World* world = nullptr;

}  // namespace

namespace memspy::contention {
PartedBlocks most_parted(u32* places) {
    *places = 0;
    return {};
}
}  // namespace memspy::contention

namespace memspy::sharing {

CoherenceCounts total(View view) {
    CoherenceCounts sum;
    for (const auto& [number, line] : world->lines) sum.add(line.counts[static_cast<u32>(view)]);
    return sum;
}
AccessCounts total_accesses() { return {world->accesses, 0}; }
void for_each_row(void (*f)(const SharingRow&, void*), void* argument) {
    for (const SharingRow& row : world->rows) f(row, argument);
}
void for_each_pair(void (*f)(const PairRow&, void*), void* argument) {
    for (const PairRow& pair : world->pairs) f(pair, argument);
}
void for_each_thread(void (*f)(const ThreadRow&, void*), void* argument) {
    for (const ThreadRow& thread : world->threads) f(thread, argument);
}
void for_each_line(void (*f)(const LineRow&, void*), void* argument) {
    for (const auto& [number, line] : world->lines) f(line, argument);
}
const LineRow* find_line(u64 line) {
    const auto found = world->lines.find(line);
    return found == world->lines.end() ? nullptr : &found->second;
}
const LineRow* find_line_counts(u64 line) { return find_line(line); }
const StayLog& stay_log() {
    static const StayLog empty;
    return empty;
}
}  // namespace memspy::sharing

namespace memspy::places {
const Object& object(ObjectId id) {
    auto found = world->objects.begin();
    std::advance(found, static_cast<int>(id) - 1);
    return *found;
}
Extent find_extent(Address a) {
    for (const Extent& extent : world->extents)
        if (a >= extent.begin && a < extent.end) return extent;
    ADD_FAILURE() << "nobody owns " << std::hex << a;
    return {a, a + 1, ObjectId{1}, a};
}
void for_each_known_extent(Address begin, Address end, void (*f)(const Extent&, void*), void* argument) {
    for (const Extent& extent : world->extents)
        if (extent.begin < end && begin < extent.end) f(extent, argument);
}
ContextId stack_of(const Place& place) { return static_cast<ContextId>(place.instruction); }

// Code from here on belongs to the C library; contexts, too.
constexpr Address kLibrary = 0x700000;
bool is_runtime_code(Address instruction) { return instruction >= kLibrary; }
constexpr Address kOpenmp = 0x600000;  // and bodies of OpenMP constructs
bool is_openmp_region(const Place& place) {
    return place.instruction >= kOpenmp && place.instruction < kLibrary;
}
bool is_barrier_code(const Place& place) { return place.instruction >= kLibrary + 0x1000; }
bool allocated_by_runtime(ContextId allocated) { return static_cast<Address>(allocated) >= kLibrary; }
bool place_before(const Place& a, const Place& b) { return a.instruction < b.instruction; }

}  // namespace memspy::places

namespace memspy::findings {
bool report_summed(u32, const SummedRecord& record) {
    world->reported.push_back(record);
    return false;
}
}  // namespace memspy::findings

namespace {

constexpr Address kBase = 0x404000;

class SharingReportTest : public testing::Test {
protected:
    SharingReportTest() { world = &world_; }
    ~SharingReportTest() override { world = nullptr; }

    ObjectId add_object(const Object& made) {
        world_.objects.push_back(made);
        return static_cast<ObjectId>(world_.objects.size());
    }
    ObjectId variable(const char* name, Address start, usize size) {
        const ObjectId id = add_object({.kind = Object::StorageKind::Static,
                                        .start = start,
                                        .size = size,
                                        .name = name,
                                        .symbol = name,
                                        .module = "/home/me/program"});
        world_.extents.push_back({start, start + size, id, start});
        return id;
    }
    ObjectId blocks(ContextId allocated, usize size, const std::vector<Address>& starts) {
        const ObjectId id = add_object({.kind = Object::StorageKind::Heap,
                                        .allocated = allocated,
                                        .start = starts[0],
                                        .size = size,
                                        .on_lines = starts.size()});
        for (Address start : starts) world_.extents.push_back({start, start + size, id, start});
        return id;
    }
    // Two blocks in one line, each of a thread; the second one has so many events.
    void two_blocks(usize bytes, u64 events_of_second) {
        const ObjectId one = blocks(ContextId{7}, bytes, {kBase});
        const ObjectId two = blocks(ContextId{8}, bytes, {kBase + 32});
        touch(2, kBase, 8, 60'000, 60'000);
        touch(3, kBase + 32, 8, 60'000, 60'000);
        row(one, 2, 0x1000, {60'000, 60'000}, 120'000, 120'000);
        row(two, 3, 0x2000, {60'000, 60'000}, events_of_second, events_of_second);
        pair(one, 2, 3, 120'000, 120'000);
        pair(two, 3, 2, events_of_second, events_of_second);
        line_events(kBase, 120'000 + events_of_second, 120'000 + events_of_second);
    }
    // Threads 2 and 3 add to one variable.
    void make_counter() {
        const ObjectId counter = variable("counter", kBase, 8);
        for (u32 thread = 2; thread < 4; ++thread) {
            touch(thread, kBase, 8, 10'000, 10'000);
            row(counter, thread, 0x1000, {10'000, 10'000}, 20'000, 0);
            pair(counter, thread, 5 - thread, 20'000, 0);
        }
    }
    // Rows of 80 bytes, dealt out to four threads.
    void make_matrix(bool passed_together) {
        const ObjectId id = variable("matrix", kBase, 80 * 16);
        for (u32 row_number = 0; row_number < 16; ++row_number) {
            const u32 thread = 2 + row_number % 4;
            const Address begin = kBase + 80 * row_number, in_line = 64 - begin % 64;
            for (u32 column = 0; column < 10; ++column) touch(thread, begin + 8 * column, 8, 1'000, 1'000);
            if (passed_together && in_line > 8) touch(thread, begin, static_cast<u16>(in_line), 10, 10);
            row(id, thread, 0x1000, {10'000, 10'000}, 5'000, 5'000);
        }
        for (u32 line = 0; line < 20; ++line) line_events(kBase + 64 * line, 4'000, 4'000);
        build_report();
    }
    // A thread's loads and stores to bytes of memory.
    void touch(u32 thread, Address a, u16 bytes, u64 loads, u64 stores, bool stored_first = false) {
        const u64 line = a / line_bytes_;
        LineRow& row = world_.lines[line];
        row.line = line;
        rt::Vector<RangeRow>& ranges = world_.ranges[line];
        row.ranges = &ranges;
        ranges.push_back({thread, static_cast<u16>(a % line_bytes_), bytes, {loads, stores}, stored_first});
    }
    // All that the thread has done there so far is to add to it; told: and it used the values.
    void sums(Address a, bool told = false) {
        RangeRow& range = world_.ranges[a / line_bytes_].back();
        range.sums = range.accesses;
        range.sums_told = told;
    }
    // Events of a line, half misses and half invalidations; `falsely` of them by false sharing.
    static CoherenceCounts counts(u64 events, u64 falsely) {
        const u64 truly = events - falsely;
        return {.coherence_misses = events / 2,
                .invalidations = events - events / 2,
                .true_misses = truly / 2,
                .false_misses = falsely / 2,
                .true_invalidations = truly - truly / 2,
                .false_invalidations = falsely - falsely / 2};
    }
    void line_events(Address a, u64 events, u64 falsely, View view = View::Modelled) {
        LineRow& line = world_.lines[a / line_bytes_];
        line.line = a / line_bytes_;
        line.counts[static_cast<u32>(view)].add(counts(events, falsely));
    }
    void row(ObjectId id, u32 thread, Address instruction, AccessCounts accesses, u64 events, u64 falsely,
             View view = View::Modelled) {
        SharingRow row{
            .object = id, .place = {instruction, {}}, .thread = thread, .accesses = accesses, .counts = {}};
        row.counts[static_cast<u32>(view)] = counts(events, falsely);
        world_.rows.push_back(row);
        world_.accesses += accesses.all();
    }
    void pair(ObjectId id, u32 thread, u32 other, u64 events, u64 falsely) {
        PairRow row{.object = id, .thread = thread, .other = other};
        row.events[1] = events;
        row.false_events[1] = falsely;
        world_.pairs.push_back(row);
    }
    // Four threads count in four variables of four bytes from `start` on.
    void four_counters(const std::vector<ObjectId>& ids, Address start) {
        for (u32 i = 0; i < 4; ++i) {
            touch(i + 2, start + 4 * i, 4, 100'000, 100'000);
            touch(1, start + 4 * i, 4, 1, 1);  // the main thread sets them and prints them
            row(ids[i % ids.size()], i + 2, 0x1000 + 16 * i, {100'000, 100'000}, 200'000, 199'990);
            pair(ids[i % ids.size()], i + 2, (i + 1) % 4 + 2, 200'000, 199'990);
        }
        line_events(start, 800'000, 799'960);
    }

    SharingReport& build_report() {
        report_.settings = {};
        build(report_, settings_);
        return report_;
    }
    std::string advice(u32 group = 0) { return report_.groups[group].advice; }
    std::string what(u32 group = 0) { return record_of(report_, group).what; }

    const std::vector<std::string>& summary(const ReplayStatus& status) { return summary(report_, status); }
    const std::vector<std::string>& summary(const SharingReport& report, const ReplayStatus& status) {
        world_.output.clear();
        SummaryOptions options;
        options.top = top_;
        options.describe_place = [](rt::Text& text, const Place& place) {
            text.add("worker (program.c:").add_number(place.instruction & 0xff).add(')');
        };
        options.describe_allocation = [](rt::Text& text, ContextId id) {
            text.add("make_table (program.c:").add_number(static_cast<u32>(id)).add(')');
        };
        options.describe_blocks = [](rt::Text& text, ContextId id, bool several) {
            text.add(several ? "heap blocks of " : "heap block of ").add("make_table (program.c:");
            text.add_number(static_cast<u32>(id)).add(')');
        };
        options.line = [](const char* line) { world->output.push_back(line); };
        lay_out_summary(report, status, options);
        if (std::getenv("SHOW_SUMMARY") != nullptr)
            for (const std::string& line : world_.output) std::printf("==4242== %s\n", line.c_str());
        return world_.output;
    }
    bool says(const std::string& wanted) {
        return std::any_of(world_.output.begin(), world_.output.end(),
                           [&](const std::string& line) { return line.find(wanted) != std::string::npos; });
    }

    World world_;
    ReportSettings settings_;
    SharingReport report_;
    u32 line_bytes_ = 64;
    u32 top_ = 20;
};

#define EXPECT_SAYS(text, wanted) EXPECT_NE((text).find(wanted), std::string::npos) << (text)
#define EXPECT_SILENT(text, unwanted) EXPECT_EQ((text).find(unwanted), std::string::npos) << (text)

TEST_F(SharingReportTest, FourVariablesOfOneLineAreOneFinding) {
    std::vector<ObjectId> ids;
    // Found in another order than in memory.
    for (u32 i : {2u, 0u, 3u, 1u}) ids.push_back(variable(&"a\0b\0c\0d"[2 * i], kBase + 4 * i, 4));
    four_counters({ids[1], ids[3], ids[0], ids[2]}, kBase);
    build_report();

    ASSERT_EQ(report_.findings, 1u);
    ASSERT_EQ(report_.groups.size(), 1u);
    EXPECT_EQ(report_.groups[0].kind, FindingKind::FalseSharing);
    EXPECT_EQ(what(), "False sharing between a, b, c and d");
    EXPECT_EQ(
        advice(),
        "Align a, b, c and d to 64 bytes each (alignas(64)): removes 799,960 of 800,000 modelled events");
    const findings::SummedRecord record = record_of(report_, 0);
    ASSERT_EQ(record.part_count, 4u);
    for (u32 i = 0; i < 4; ++i) {
        EXPECT_EQ(record.parts[i].address, kBase + 4 * i);
        EXPECT_EQ(record.parts[i].offset, 0u);
        EXPECT_EQ(record.parts[i].what, findings::SummedRecord::ObjectPart::PartKind::Variable);
        EXPECT_EQ(record.parts[i].name[0], "abcd"[i]);
    }
    EXPECT_NE(record.sides[0].thread, record.sides[1].thread);
    EXPECT_NE(record.sides[0].stack, ContextId::None);
    EXPECT_NE(record.sides[1].stack, ContextId::None);
    EXPECT_STREQ(record.figures,
                 "400,000 misses and 400,000 invalidations modelled (0 observed) in 800,000 accesses, "
                 "99.9% false sharing, in 1 cache line");
}

TEST_F(SharingReportTest, AnArraysElementsArePadded) {
    four_counters({variable("counters", kBase, 16)}, kBase);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(what(), "False sharing inside counters");
    EXPECT_SAYS(advice(), "Pad each element of 4 bytes to 64 and align the first to 64");
    EXPECT_SAYS(advice(), "removes 799,960 of 800,000 modelled events");
    // The same as data.
    ASSERT_EQ(report_.groups[0].remedies.size(), 1u);
    const advice::Advice& told = report_.remedies[report_.groups[0].remedies.begin];
    EXPECT_EQ(told.remedy, advice::Remedy::PadElements);
    EXPECT_EQ(told.means, advice::Means::Alignas);
    EXPECT_EQ(told.line, 64u);
    EXPECT_EQ(told.stride, 4u);
    EXPECT_EQ(told.bytes, 64u);
    EXPECT_EQ(told.removes, 799'960u);
    EXPECT_EQ(told.events, 800'000u);
    EXPECT_FALSE(told.observed);
    ASSERT_EQ(told.item_count, 1u);
    EXPECT_STREQ(report_.items[told.first_item].name, "counters");
}

// Structs of 24 bytes in a heap block over several lines; threads leave some bytes of their element unused.
TEST_F(SharingReportTest, StructsInAHeapBlockArePadded) {
    const ObjectId id = blocks(ContextId{7}, 24 * 12, {kBase + 32});
    for (u32 i = 0; i < 12; ++i) {
        const Address a = kBase + 32 + 24 * i;
        touch(i + 2, a, 8, 50'000, 50'000);
        touch(i + 2, a + 16, 4, 50'000, 0);
        row(id, i + 2, 0x1000, {100'000, 50'000}, 90'000, 90'000);
    }
    for (Address a = kBase; a < kBase + 320; a += 64) line_events(a, 200'000, 200'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(what(), "False sharing inside a heap block");
    EXPECT_SAYS(advice(), "Pad each element of 24 bytes to 64");
}

// Elements of exactly a line that begin in the middle of one.
TEST_F(SharingReportTest, ElementsAcrossLinesAreAligned) {
    const ObjectId id = blocks(ContextId{7}, 64 * 5, {kBase + 16});
    for (u32 i = 0; i < 5; ++i) {
        const Address a = kBase + 16 + 64 * i;
        touch(i + 2, a, 8, 50'000, 50'000);
        touch(i + 2, a + 40, 8, 50'000, 50'000);
        touch(i + 2, a + 48, 16, 50'000, 50'000);  // in the next line
        row(id, i + 2, 0x1000, {150'000, 150'000}, 200'000, 200'000);
    }
    for (Address a = kBase + 64; a < kBase + 320; a += 64) line_events(a, 250'000, 250'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(),
                "Align a heap block to 64 bytes: its elements of 64 bytes begin in the middle of lines");
}

TEST_F(SharingReportTest, TwoMembersGetLinesOfTheirOwn) {
    const ObjectId id = variable("queue", kBase, 24);
    touch(2, kBase + 0, 8, 80'000, 80'000);
    touch(3, kBase + 16, 8, 80'000, 80'000);
    row(id, 2, 0x1000, {80'000, 80'000}, 160'000, 160'000);
    row(id, 3, 0x2000, {80'000, 80'000}, 150'000, 150'000);
    line_events(kBase, 310'000, 310'000);
    build_report();
    EXPECT_SAYS(advice(),
                "Put bytes 0..7 (thread 2), bytes 16..23 (thread 3) of queue on lines of their own");
    const findings::SummedRecord record = record_of(report_, 0);
    EXPECT_EQ(record.sides[0].stack, ContextId{0x1000});
    EXPECT_EQ(record.sides[1].stack, ContextId{0x2000});
    EXPECT_EQ(record.parts[0].size, 24u);
}

// Some threads hardly use a member of their elements.
struct UsedBytes {
    u16 first, bytes;
};
class ElementsInPartTest : public SharingReportTest,
                           public testing::WithParamInterface<std::vector<UsedBytes>> {};
INSTANTIATE_TEST_SUITE_P(Members, ElementsInPartTest,
                         testing::Values(std::vector<UsedBytes>{{0, 16}, {24, 16}, {56, 8}},
                                         std::vector<UsedBytes>{{0, 16}, {32, 8}, {48, 16}},
                                         std::vector<UsedBytes>{{8, 8}, {24, 16}, {56, 8}},
                                         std::vector<UsedBytes>{{0, 8}, {24, 16}, {48, 8}}));
TEST_P(ElementsInPartTest, ArePadded) {
    const ObjectId id = variable("stats", kBase, 72);
    u32 thread = 2;
    for (const UsedBytes& use : GetParam()) {
        touch(thread, kBase + use.first, use.bytes, 80'000, 80'000);
        row(id, thread++, 0x1000, {80'000, 80'000}, 100'000, 100'000);
    }
    line_events(kBase, 300'000, 300'000);
    build_report();
    EXPECT_SAYS(advice(), "each element of 24 bytes to 64");
}

// Two elements of 56 bytes for each thread, with counters behind a lock that is no access. Threads meet only in two lines,
// in which 16 bytes lie between their parts, as a part of all distances: nearly all elements of that size would be unused.
TEST_F(SharingReportTest, APartOfADistanceIsNoElement) {
    const ObjectId id = variable("accounts", kBase + 32, 448);
    const Address object = kBase + 32;
    u32 thread = 2;
    for (const u64 offset : {96, 320}) {
        touch(thread, object + offset, 8, 20'000, 20'000);
        row(id, thread++, 0x1000, {20'000, 20'000}, 40'000, 40'000);
        touch(thread, object + offset + 16, 4, 40'000, 40'000);
        row(id, thread++, 0x1000, {40'000, 40'000}, 40'000, 40'000);
        line_events((object + offset) & ~Address{63}, 80'000, 80'000);
    }
    build_report();
    EXPECT_EQ(std::string(advice()).find("16 bytes"), std::string::npos) << advice();
}

// A task that goes from thread to thread: each would miss on each of its lines.
TEST_F(SharingReportTest, MembersOfAllThreadsStayTogether) {
    const ObjectId id = variable("task", kBase, 24);
    for (u32 thread = 2; thread < 6; ++thread) {
        for (const u16 offset : {u16{0}, u16{8}, u16{20}}) touch(thread, kBase + offset, 4, 20'000, 20'000);
        row(id, thread, 0x1000, {60'000, 60'000}, 60'000, 60'000);
    }
    line_events(kBase, 240'000, 240'000);
    build_report();
    EXPECT_SAYS(advice(), "Threads meet within lines of task, at no regular distance");
    EXPECT_SILENT(advice(), "removes");
}

// Members at irregular distances are not elements.
TEST_F(SharingReportTest, ThreeMembersAreNoArray) {
    const ObjectId id = variable("queue", kBase, 64);
    const u16 offsets[] = {0, 8, 16, 28, 40};
    for (u32 i = 0; i < 5; ++i) {
        touch(i + 2, kBase + offsets[i], 4, 80'000, 80'000);
        row(id, i + 2, 0x1000, {80'000, 80'000}, 100'000, 100'000);
    }
    line_events(kBase, 500'000, 500'000);
    build_report();
    EXPECT_SAYS(advice(), "Put bytes 0..3 (thread 2), bytes 8..11 (thread 3), bytes 16..19 (thread 4)");
    EXPECT_SILENT(advice(), "element");
}

// Elements compete in one line; in the next line, the last of them meets another block now and then.
TEST_F(SharingReportTest, ElementsBesideABystander) {
    const ObjectId elements = blocks(ContextId{7}, 48, {kBase + 32});
    const ObjectId bystander = blocks(ContextId{8}, 48, {kBase + 88});
    for (u32 thread = 2; thread < 5; ++thread)
        touch(thread, kBase + 32 + (thread - 2) * 16, 16, 60'000, 60'000);
    touch(2, kBase + 88, 8, 1'700, 1'600);
    row(elements, 2, 0x1000, {60'000, 60'000}, 57'000, 57'000);
    row(elements, 3, 0x1000, {60'000, 60'000}, 57'000, 57'000);
    row(elements, 4, 0x1000, {60'000, 60'000}, 240, 240);
    row(bystander, 2, 0x2000, {1'700, 1'600}, 1'480, 1'480);
    pair(elements, 2, 3, 57'000, 57'000);
    pair(elements, 3, 2, 57'000, 57'000);
    pair(bystander, 2, 4, 1'480, 1'480);
    line_events(kBase, 114'000, 114'000);
    line_events(kBase + 64, 1'720, 1'720);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(what(), "False sharing inside heap blocks") << "they are of a group, and meet in passing";
    EXPECT_SAYS(advice(), "Pad each element of 16 bytes to 64");
}

// A program can give a variable a line of its own, but not the rest of its frame.
TEST_F(SharingReportTest, VariablesOnStacks) {
    const auto on_stack = [&](u32 thread, const char* name, Address start) {
        const ObjectId id = add_object({.kind = Object::StorageKind::Stack,
                                        .thread = thread,
                                        .start = start,
                                        .size = 8,
                                        .name = "main",
                                        .variable = name});
        world_.extents.push_back({start, start + 8, id, start});
        return id;
    };
    const char* const names[][2] = {{"sum", nullptr}, {"sum", "left"}, {nullptr, nullptr}};
    const char* const expected[] = {
        "Give sum of main a cache line of its own (alignas(64) and padding): removes",
        "Align sum of main and left of main to 64 bytes each (alignas(64)): removes",
        "Allocate what other threads use of the stack of thread 1 and the stack of thread 2 on lines of its own"};
    for (u32 i = 0; i < 3; ++i) {
        SharingReport report;
        world_ = {};
        for (u32 part = 0; part < 2; ++part) {
            const Address a = kBase + 16 * part;
            const ObjectId id = on_stack(names[i][0] == nullptr ? 1 + part : 1, names[i][part], a);
            touch(2 + part, a, 8, 60'000, 60'000);
            row(id, 2 + part, 0x1000, {60'000, 60'000}, 120'000, 120'000);
            pair(id, 2 + part, 3 - part, 120'000, 120'000);
        }
        line_events(kBase, 240'000, 240'000);
        build(report, settings_);
        ASSERT_EQ(report.findings, 1u);
        EXPECT_SAYS(std::string(report.groups[0].advice), expected[i]);
        EXPECT_SILENT(std::string(report.groups[0].advice), "lign the stack");
    }
}

TEST_F(SharingReportTest, TwoSmallBlocksInOneLine) {
    two_blocks(8, 120'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(what(), "False sharing between heap blocks");
    EXPECT_SAYS(advice(), "Align the blocks to 64 bytes and round their sizes up to a multiple of 64");
    const findings::SummedRecord record = record_of(report_, 0);
    ASSERT_EQ(record.part_count, 2u);
    EXPECT_EQ(record.parts[0].allocated, ContextId{7});
    EXPECT_EQ(record.parts[1].allocated, ContextId{8});
}

// Proves that blocks which have one name in the table have numbers there, in the order of their addresses, and no
// others have.
TEST_F(SharingReportTest, BlocksOfOneNameHaveNumbers) {
    const auto contend = [&](ContextId allocated, Address start, usize bytes, u64 events) {
        const ObjectId id = blocks(allocated, bytes, {start});
        for (u32 thread = 2; thread < 4; ++thread) {
            touch(thread, start + 8 * thread, 8, events, events);
            row(id, thread, 0x1000, {events, events}, events, events);
            pair(id, thread, 5 - thread, events, events);
        }
        line_events(start, 2 * events, 2 * events);
    };
    contend(ContextId{7}, kBase + 128, 40, 120'000);
    contend(ContextId{7}, kBase, 48, 110'000);
    contend(ContextId{8}, kBase + 256, 40, 100'000);
    build_report();
    summary({.several_threads = true, .threads = 4});
    EXPECT_TRUE(says("heap block of make_table (program.c:7), no. 1, 48 bytes"));
    EXPECT_TRUE(says("heap block of make_table (program.c:7), no. 2, 40 bytes"));
    EXPECT_TRUE(says("heap block of make_table (program.c:8)"));
    EXPECT_FALSE(says("heap block of make_table (program.c:8),"));
}

// Two blocks in one line, of one allocation site: one object, but not elements of an array.
TEST_F(SharingReportTest, TwoBlocksOfOneAllocation) {
    const ObjectId id = blocks(ContextId{7}, 8, {kBase, kBase + 32});
    touch(2, kBase, 8, 60'000, 60'000);
    touch(3, kBase + 32, 8, 60'000, 60'000);
    row(id, 2, 0x1000, {60'000, 60'000}, 120'000, 120'000);
    row(id, 3, 0x1000, {60'000, 60'000}, 120'000, 120'000);
    line_events(kBase, 240'000, 240'000);
    build_report();
    EXPECT_EQ(what(), "False sharing between heap blocks");
    EXPECT_SAYS(advice(), "Align the blocks to 64 bytes");
}

// Blocks that one line allocates by two paths are one finding, which names the line; those of another size are not.
TEST_F(SharingReportTest, PathsToOneAllocation) {
    settings_.add_origin = [](rt::Text& text, ObjectId, Address, u64) { text.add("make_node (tree.c:12)"); };
    std::vector<ObjectId> ids;
    for (u32 i = 0; i < 3; ++i) {
        const Address a = kBase + 256 * i;
        const usize size = i == 2 ? 96 : 64;
        ids.push_back(blocks(ContextId{7 + i}, size, {a}));
        touch(2, a, 8, 60'000, 60'000);
        touch(3, a + 32, 8, 60'000, 60'000);
        row(ids[i], 2, 0x1000, {60'000, 60'000}, 120'000, 120'000);
        row(ids[i], 3, 0x1000, {60'000, 60'000}, 120'000, 120'000);
        line_events(a, 240'000, 240'000);
    }
    build_report();
    ASSERT_EQ(report_.findings, 2u);
    EXPECT_EQ(report_.group_of(ids[0]), report_.group_of(ids[1]));
    EXPECT_NE(report_.group_of(ids[0]), report_.group_of(ids[2]));
    EXPECT_EQ(what(report_.group_of(ids[0])), "False sharing inside heap blocks of make_node (tree.c:12)");
    EXPECT_EQ(record_of(report_, report_.group_of(ids[0])).part_count, 2u);
}

// A block is called by the variable that is declared where it is allocated; where a group has blocks of several places,
// that is the place of the one with most events.
TEST_F(SharingReportTest, BlocksAreCalledByTheirVariables) {
    settings_.add_origin = [](rt::Text& text, ObjectId id, Address, u64) {
        text.add(object(id).allocated == ContextId{7} ? "main (sums.c:4)" : "main (sums.c:5)");
    };
    settings_.add_owner = [](rt::Text& text, ContextId allocated) {
        text.add(allocated == ContextId{7} ? "sums" : "values");
        return true;
    };
    two_blocks(16, 110'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(what(), "False sharing between heap block sums of main (sums.c:4) and others");
}

TEST_F(SharingReportTest, AVariableBesideABlock) {
    const ObjectId one = variable("total", kBase, 8);
    const ObjectId two = blocks(ContextId{8}, 16, {kBase + 16});
    touch(2, kBase, 8, 60'000, 60'000);
    touch(3, kBase + 16, 8, 60'000, 60'000);
    row(one, 2, 0x1000, {60'000, 60'000}, 120'000, 120'000);
    row(two, 3, 0x2000, {60'000, 60'000}, 120'000, 120'000);
    pair(one, 2, 3, 120'000, 120'000);
    pair(two, 3, 2, 120'000, 120'000);
    line_events(kBase, 240'000, 240'000);
    build_report();
    EXPECT_EQ(what(), "False sharing between total and a heap block");
    EXPECT_SAYS(advice(), "Give total and a heap block cache lines of their own");
}

// Two blocks far apart each have allocator's memory beside them, which is one object.
TEST_F(SharingReportTest, MemoryBetweenBlocksJoinsNoGroups) {
    const ObjectId between = add_object({.kind = Object::StorageKind::Unknown, .name = "heap memory outside all blocks"});
    const ObjectId blocks_of[] = {blocks(ContextId{7}, 16, {kBase}), blocks(ContextId{8}, 32, {kBase + 0x1000})};
    for (u32 i = 0; i < 2; ++i) {
        const Address line = kBase + 0x1000 * i;
        world_.extents.push_back({line + 40, line + 64, between, line + 40});
        touch(2 + i, line, 8, 60'000, 60'000);
        touch(4 + i, line + 40, 8, 60'000, 60'000);
        row(blocks_of[i], 2 + i, 0x1000, {60'000, 60'000}, 120'000, 120'000);
        row(between, 4 + i, 0x2000, {60'000, 60'000}, 120'000, 120'000);
        pair(blocks_of[i], 2 + i, 4 + i, 120'000, 120'000);
        pair(between, 4 + i, 2 + i, 120'000, 120'000);
        line_events(line, 240'000, 240'000);
    }
    build_report();
    EXPECT_EQ(report_.groups.size(), 3u);
}

// Few writes by one thread take the line from many readers of other bytes in it.
TEST_F(SharingReportTest, WrittenBytesLeaveTheReadOnes) {
    const ObjectId id = variable("settings", kBase, 64);
    for (u32 thread = 3; thread < 11; ++thread) {
        touch(thread, kBase + 8, 16, 20'000, 0);
        row(id, thread, 0x1000, {20'000, 0}, 400, 400);
    }
    touch(2, kBase + 40, 4, 400, 400);
    row(id, 2, 0x2000, {400, 400}, 400, 400);
    touch(1, kBase, 64, 0, 1);
    line_events(kBase, 3'600, 3'600);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(), "Separate what is written (bytes 40..43 of settings) from what is only read");
}

// Nodes of a list: each has bytes that one thread changes, beside the link that all follow.
class NodesTest : public SharingReportTest {
protected:
    static constexpr u32 kNodes = 8;
    static constexpr Address node(u32 number) { return kBase + 128 * number; }
    ObjectId make() {
        std::vector<Address> starts;
        for (u32 i = 0; i < kNodes; ++i) starts.push_back(node(i));
        return blocks(ContextId{7}, 56, starts);
    }
    // The thread changes 16 bytes of the node, and four read its link.
    void use(ObjectId id, u32 number, u32 thread, u16 offset) {
        for (u32 reader = 2; reader < 6; ++reader) touch(reader, node(number), 8, 10'000, 0);
        touch(thread, node(number) + offset, 16, 10'000, 10'000);
        row(id, thread, 0x1000, {20'000, 10'000}, 20'000, 20'000);
        line_events(node(number), 20'000 + kNodes - number, 20'000);
    }
};

TEST_F(NodesTest, WhatIsWrittenLeavesTheLinks) {
    const ObjectId id = make();
    for (u32 i = 0; i < kNodes; ++i) use(id, i, 2 + i % 4, 16);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(),
                "Separate what is written (bytes 16..31 of each of the heap blocks) from what is only read");
}

// What is so in the node with most events only is no advice for all.
TEST_F(NodesTest, TheWorstLineIsNotAll) {
    const ObjectId id = make();
    for (u32 i = 0; i < kNodes; ++i) {
        use(id, i, 2 + i % 4, 16);
        if (i == 0) continue;
        touch(2 + (i + 1) % 4, node(i) + 16, 16, 10'000, 10'000);
        touch(2, node(i), 8, 0, 10'000);
        touch(3, node(i), 8, 0, 10'000);
    }
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(), "Threads meet within lines of heap blocks");
}

TEST_F(SharingReportTest, MembersOfALibrarysClassStay) {
    settings_.add_fields = [](rt::Text& text, ObjectId, Address, u64 offset, u64) {
        text.add(offset < 8 ? "counts._M_element_count" : "counts._M_buckets");
        return true;
    };
    const ObjectId id = variable("counts", kBase, 56);
    for (u32 thread = 2; thread < 6; ++thread) {
        touch(thread, kBase + 8, 8, 20'000, 0);
        row(id, thread, 0x1000, {20'000, 0}, 20'000, 20'000);
    }
    touch(2, kBase, 8, 20'000, 20'000);
    line_events(kBase, 80'000, 80'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(), "Threads meet within lines of counts");
}

TEST_F(SharingReportTest, PartsOfALargeArrayMeetInALine) {
    const ObjectId id = blocks(ContextId{7}, 100'000, {kBase + 16});
    const Address line = kBase + 64 * 300;
    touch(2, line, 36, 90'000, 90'000);
    touch(3, line + 36, 28, 90'000, 90'000);
    row(id, 2, 0x1000, {90'000, 90'000}, 40'000, 40'000);
    row(id, 3, 0x1000, {90'000, 90'000}, 40'000, 40'000);
    line_events(line, 80'000, 80'000);
    build_report();
    EXPECT_SAYS(advice(), "Let each thread's part of a heap block begin at a multiple of 64 bytes");
}

TEST_F(SharingReportTest, ACounterIsTrueSharing) {
    const ObjectId id = variable("counter", kBase, 8);
    for (u32 thread = 2; thread < 6; ++thread) {
        touch(thread, kBase, 8, 100'000, 100'000);
        sums(kBase);
        row(id, thread, 0x1000, {100'000, 100'000}, 200'000, 0);
    }
    line_events(kBase, 800'000, 0);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(report_.groups[0].kind, FindingKind::TrueSharing);
    EXPECT_EQ(what(), "True sharing of counter");
    EXPECT_SAYS(advice(), "Several threads only add to bytes 0..7 of counter: keep a copy for each thread");
    EXPECT_SAYS(advice(), "removes 800,000 of 800,000");
}

// A number that each thread takes, as of the next piece of work: copies would not do.
TEST_F(SharingReportTest, ACounterWhoseValueIsUsed) {
    const ObjectId id = variable("next", kBase, 8);
    for (u32 thread = 2; thread < 6; ++thread) {
        touch(thread, kBase, 8, 100'000, 100'000);
        sums(kBase, true);
        row(id, thread, 0x1000, {100'000, 100'000}, 200'000, 0);
    }
    line_events(kBase, 800'000, 0);
    build_report();
    EXPECT_SAYS(
        advice(),
        "add to bytes 0..7 of next: where the value that they get is used, let each take several at a time");
    EXPECT_SAYS(advice(), "removes about 800,000 of 800,000");
}

// Threads that copy a shared pointer look at the count, too, when they let it go. One that only looks would
// still meet those who count.
TEST_F(SharingReportTest, AReferenceCount) {
    const ObjectId id = variable("uses", kBase, 4);
    for (u32 thread = 2; thread < 6; ++thread) {
        touch(thread, kBase, 4, 100'000, 100'000);
        sums(kBase, true);
        touch(thread, kBase, 4, 50'000, 0);
        row(id, thread, 0x1000, {150'000, 100'000}, 200'000, 0);
    }
    line_events(kBase, 800'000, 0);
    build_report();
    EXPECT_SAYS(advice(), "or hold one reference for many uses");
    EXPECT_SAYS(advice(), "removes about 800,000 of 800,000");
}

TEST_F(SharingReportTest, ACountAtWhichAThreadOnlyLooks) {
    const ObjectId id = variable("left", kBase, 4);
    for (u32 thread = 2; thread < 6; ++thread) {
        if (thread < 5) {
            touch(thread, kBase, 4, 100'000, 100'000);
            sums(kBase, true);
        } else {
            touch(thread, kBase, 4, 100'000, 0);
        }
        row(id, thread, 0x1000, {100'000, thread < 5 ? 100'000u : 0}, 200'000, 0);
    }
    line_events(kBase, 800'000, 0);
    build_report();
    EXPECT_SAYS(advice(), "Several threads add to bytes 0..3 of left");
    EXPECT_SILENT(advice(), "removes");
}

// The head of a list: threads load it and store something else. No advice is known, only where they meet.
TEST_F(SharingReportTest, AHeadOfAList) {
    const ObjectId id = variable("head", kBase, 8);
    for (u32 thread = 2; thread < 6; ++thread) {
        touch(thread, kBase, 8, 100'000, 100'000);
        row(id, thread, 0x1000, {100'000, 100'000}, 200'000, 0);
    }
    line_events(kBase, 800'000, 0);
    build_report();
    EXPECT_SAYS(advice(), "Several threads change bytes 0..7 of head");
    EXPECT_SILENT(advice(), "copy");
    EXPECT_SILENT(advice(), "removes");
}

// Advice is in the words of the program's language.
TEST_F(SharingReportTest, AlignmentInRust) {
    settings_.language_of = [](Address) { return dwarf::Language::Rust; };
    four_counters({variable("a", kBase, 4), variable("b", kBase + 4, 4), variable("c", kBase + 8, 4),
                   variable("d", kBase + 12, 4)},
                  kBase);
    build_report();
    EXPECT_SAYS(advice(), "Align a, b, c and d to 64 bytes each (#[repr(align(64))]): removes");
}

// One thread fills a ring, another empties it.
TEST_F(SharingReportTest, TheIndicesOfARing) {
    const ObjectId id = variable("ring", kBase, 16);
    touch(2, kBase, 8, 100'000, 100'000);
    touch(3, kBase, 8, 100'000, 0);
    touch(2, kBase + 8, 8, 100'000, 0);
    touch(3, kBase + 8, 8, 100'000, 100'000);
    row(id, 2, 0x1000, {200'000, 100'000}, 150'000, 80'000);
    row(id, 3, 0x2000, {200'000, 100'000}, 150'000, 80'000);
    line_events(kBase, 300'000, 160'000);
    build_report();
    EXPECT_SAYS(advice(),
                "Put bytes 0..7 of ring (written by thread 2) and bytes 8..15 of ring (thread 3) on lines of "
                "their own (alignas(64))");
    EXPECT_SAYS(advice(), "keep a copy of the other's index");
    // Without the copies each item's misses would only be those at two lines.
    EXPECT_SAYS(advice(), "both together remove about 300,000 of 300,000");
}

// Each thread stores before it loads, except the first one: a variable that each should have for itself. In the body of
// an OpenMP construct the advice is its clause.
class PrivateVariableTest : public SharingReportTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(OpenMp, PrivateVariableTest, testing::Bool());
TEST_P(PrivateVariableTest, IsToldTo) {
    const ObjectId id = variable("k", kBase, 4);
    for (u32 thread = 1; thread < 5; ++thread) {
        touch(thread, kBase, 4, 30'000, 10'000, thread != 1);
        row(id, thread, GetParam() ? kOpenmp : 0x1000, {30'000, 10'000}, 15'000, 0);
    }
    line_events(kBase, 60'000, 0);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(), GetParam() ? "OpenMP: private(k)" : "a local variable, or thread_local");
    EXPECT_SAYS(advice(), "private: each thread writes it before it reads it");
    EXPECT_SAYS(advice(), "removes 60,000 of 60,000");
}

// Threads that load first want each other's values.
TEST_F(SharingReportTest, ACounterIsNotPrivate) {
    const ObjectId id = variable("k", kBase, 4);
    for (u32 thread = 1; thread < 5; ++thread) {
        touch(thread, kBase, 4, 30'000, 10'000, thread == 1);
        row(id, thread, 0x1000, {30'000, 10'000}, 15'000, 0);
    }
    line_events(kBase, 60'000, 0);
    build_report();
    EXPECT_SILENT(advice(), "private");
}

// All threads update all elements. Nearly all of it is false sharing, but no layout helps.
TEST_F(SharingReportTest, AHistogram) {
    const ObjectId id = variable("hist", kBase, 1024);
    for (u32 thread = 2; thread < 6; ++thread) {
        for (u32 line = 0; line < 16; ++line)
            for (u32 element = 0; element < 16; ++element) {
                touch(thread, kBase + 64 * line + 4 * element, 4, 100, 100);
                sums(kBase + 64 * line);
            }
        row(id, thread, kOpenmp, {25'600, 25'600}, 40'000, 36'000);
    }
    for (u32 line = 0; line < 16; ++line) line_events(kBase + 64 * line, 10'000, 9'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(), "Several threads add to the same parts of hist: give each thread a copy of its own");
    EXPECT_SAYS(advice(), "reduction(+: hist[:256])");
    EXPECT_SAYS(advice(), "removes 160,000 of 160,000");
}

// In a heap block that has something else before it: the bytes are told.
TEST_F(SharingReportTest, AHistogramInABlock) {
    const ObjectId id = blocks(ContextId{7}, 256, {kBase});
    for (u32 thread = 2; thread < 6; ++thread) {
        for (u32 element = 0; element < 16; ++element) {
            touch(thread, kBase + 128 + 4 * element, 4, 100, 100);
            sums(kBase + 128);
        }
        row(id, thread, 0x1000, {1'600, 1'600}, 2'500, 2'250);
    }
    line_events(kBase + 128, 10'000, 9'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(), "Several threads add to the same elements in bytes 128..191 of a heap block: give each");
}

// Tasks have an element each, and threads take them. Hardly any thread adds to what another one has just added to.
TEST_F(SharingReportTest, ElementsOfTasks) {
    const ObjectId id = variable("results", kBase, 64);
    for (u32 thread = 2; thread < 6; ++thread) {
        for (u32 element = 0; element < 8; ++element) {
            touch(thread, kBase + 8 * element, 8, 1000, 1000);
            sums(kBase);
        }
        row(id, thread, 0x1000, {8'000, 8'000}, 10'000, 9'990);
    }
    line_events(kBase, 40'000, 39'960);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_SAYS(advice(), "Several threads add to parts of results, each to its own for a while: let it add up in a "
                          "local variable");
    EXPECT_SAYS(advice(), "removes 40,000 of 40,000");
}

// Flags that threads write in no order: no layout is known, and no byte is named.
TEST_F(SharingReportTest, ScatteredFlags) {
    settings_.describe_place = [](rt::Text& text, const Place& place) {
        text.add("mark (flags.c:").add_number(place.instruction & 0xff).add(')');
    };
    const ObjectId id = variable("flags", kBase, 1024);
    u32 state = 1;
    for (u32 i = 0; i < 1024; ++i) {
        state = state * 1'664'525 + 1'013'904'223;
        touch(2 + (state >> 30), kBase + i, 1, 40, 40);
    }
    for (u32 thread = 2; thread < 6; ++thread) row(id, thread, 0x1007, {10'000, 10'000}, 20'000, 20'000);
    for (u32 line = 0; line < 16; ++line) line_events(kBase + 64 * line, 5'000, 5'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(advice(), "Threads meet within lines of flags, at no regular distance: mark (flags.c:7)");
}

// Two arrays of a structure have an element for each thread.
TEST_F(SharingReportTest, ArraysOfThreadsElements) {
    const ObjectId id = variable("tallies", kBase, 64);
    for (u32 i = 0; i < 4; ++i) {
        touch(i + 2, kBase + 4 * i, 4, 50'000, 50'000);
        touch(i + 2, kBase + 32 + 8 * i, 8, 50'000, 50'000);
        row(id, i + 2, 0x1000, {100'000, 100'000}, 200'000, 200'000);
    }
    line_events(kBase, 800'000, 800'000);
    build_report();
    EXPECT_SAYS(advice(),
                "Put together what each thread has of bytes 0..15 of tallies and bytes 32..63 of tallies");
}

// The elements of a large array go to four threads one by one; main looks at each once in the end. Few of them are an array
// with an element for each thread.
TEST_F(SharingReportTest, WhatIsDealtOutOneByOneIsDealtOutInLines) {
    const auto advice_for = [&](u32 lines, u64 looks) {
        world_ = {};
        const ObjectId id = variable("array", kBase, 64 * lines);
        for (u32 element = 0; element < 16 * lines; ++element) {
            touch(2 + element % 4, kBase + 4 * element, 4, 100, 100);
            touch(1, kBase + 4 * element, 4, looks, 0);
            row(id, 2 + element % 4, 0x1000, {100, 100}, 100, 100);
        }
        for (u32 line = 0; line < lines; ++line) line_events(kBase + 64 * line, 1'600, 1'600);
        SharingReport report;
        build(report, settings_);
        return std::string(report.groups[0].advice);
    };
    EXPECT_SAYS(advice_for(8, 1), "Deal out array to the threads in multiples of 16 elements of 4 bytes, and align the first to 64");
    EXPECT_SAYS(advice_for(8, 9), "Deal out array");
    EXPECT_SAYS(advice_for(2, 1), "Pad each element of 4 bytes to 64");
    EXPECT_SILENT(advice_for(8, 50), "Deal out");
}

// Each thread has most elements of a line to itself, in pieces of all lengths: there is no row.
TEST_F(SharingReportTest, ThreadsThatWriteHereAndThereHaveNoRows) {
    const ObjectId id = variable("colour", kBase, 256);
    const u32 owners[] = {2, 3, 2, 3, 3, 3, 3, 3, 2, 3, 2, 3, 2, 3, 2, 3};
    for (u32 line = 0; line < 4; ++line) {
        for (u32 element = 0; element < 16; ++element)
            touch(owners[element], kBase + 64 * line + 4 * element, 4, 1'000, 1'000);
        for (u32 thread : {2, 3}) row(id, thread, 0x1000, {8'000, 8'000}, 8'000, 8'000);
        line_events(kBase + 64 * line, 16'000, 16'000);
    }
    build_report();
    EXPECT_SILENT(advice(), "pitch");
    EXPECT_SAYS(advice(), "Threads meet within lines of colour, at no regular distance");
}

// Each element has a member of one thread, and one that all threads write: to pad elements keeps these together.
TEST_F(SharingReportTest, ElementsThatAllThreadsWriteAreNotPadded) {
    const auto advice_for = [&](u64 common) {
        world_ = {};
        const ObjectId id = blocks(ContextId{7}, 24 * 16, {kBase});
        for (u32 element = 0; element < 16; ++element) {
            const Address at = kBase + 24 * element;
            touch(2 + element % 4, at + 8, 8, 5'000, 5'000);
            for (u32 thread = 2; thread < 6; ++thread) touch(thread, at + 16, 8, common, common);
            row(id, 2 + element % 4, 0x1000, {10'000, 10'000}, 10'000, 9'000);
        }
        for (u32 line = 0; line < 6; ++line) line_events(kBase + 64 * line, 26'000, 24'000);
        SharingReport report;
        build(report, settings_);
        return std::string(report.groups[0].advice);
    };
    EXPECT_SAYS(advice_for(50), "Deal out a heap block to the threads in multiples of 8 elements of 24 bytes");
    EXPECT_SAYS(advice_for(1'250), "Threads meet within lines of a heap block, at no regular distance");
}

// Rows of a matrix: the pitch, in elements, not the type of an element.
TEST_F(SharingReportTest, RowsOfAMatrix) {
    make_matrix(false);
    EXPECT_SAYS(advice(), "a pitch of 128 bytes instead of 80 (16 elements of 8 bytes)");
}

// Accesses that were passed together are told as one range, which hides neither the elements nor that they are rows.
TEST_F(SharingReportTest, RowsSomeAccessesToWhichWerePassedTogether) {
    make_matrix(true);
    EXPECT_SAYS(advice(), "a pitch of 128 bytes instead of 80 (16 elements of 8 bytes)");
}

TEST_F(SharingReportTest, OneWriterAndManyReaders) {
    const ObjectId id = variable("progress", kBase, 4);
    touch(2, kBase, 4, 0, 10'000);
    row(id, 2, 0x2000, {0, 10'000}, 10'000, 0);
    for (u32 thread = 3; thread < 6; ++thread) {
        touch(thread, kBase, 4, 30'000, 0);
        row(id, thread, 0x1000, {30'000, 0}, 9'000, 0);
    }
    line_events(kBase, 37'000, 0);
    build_report();
    EXPECT_EQ(report_.groups[0].kind, FindingKind::TrueSharing);
    EXPECT_SAYS(advice(), "One thread writes what others read (bytes 0..3 of progress)");
}

// A lock with a neighbour: mostly true sharing, but a fifth depends on the layout.
TEST_F(SharingReportTest, TrueSharingTellsWhatLayoutWouldRemove) {
    const ObjectId id = variable("state", kBase, 16);
    for (u32 thread = 2; thread < 4; ++thread) {
        touch(thread, kBase, 4, 100'000, 100'000);
        row(id, thread, 0x1000, {100'000, 100'000}, 100'000, 20'000);
    }
    touch(4, kBase + 8, 4, 20'000, 20'000);
    row(id, 4, 0x2000, {20'000, 20'000}, 10'000, 2'000);
    line_events(kBase, 210'000, 42'000);
    build_report();
    EXPECT_EQ(report_.groups[0].kind, FindingKind::TrueSharing);
    EXPECT_SAYS(advice(), "own lines for its neighbours remove 42,000 of 210,000 modelled events");
}

// The kind is that of most events; if they are equal, layout is named first.
TEST_F(SharingReportTest, TheKindFollowsMostEvents) {
    for (u64 falsely : {0u, 4'999u, 5'000u, 10'000u}) {
        World fresh;
        world = &fresh;
        fresh.objects.push_back(
            {.kind = Object::StorageKind::Static, .start = kBase, .size = 8, .name = "x", .symbol = "x"});
        fresh.extents.push_back({kBase, kBase + 8, ObjectId{1}, kBase});
        fresh.rows.push_back({.object = ObjectId{1}, .thread = 2, .accesses = {20'000, 0}, .counts = {}});
        fresh.rows[0].counts[1] = counts(10'000, falsely);
        fresh.ranges[kBase / 64].push_back({2, 0, 4, {20'000, 0}});
        fresh.lines[kBase / 64] = {kBase / 64, {{}, counts(10'000, falsely)}, &fresh.ranges[kBase / 64]};
        SharingReport report;
        build(report, {});
        EXPECT_EQ(report.groups[0].kind,
                  falsely >= 5'000 ? FindingKind::FalseSharing : FindingKind::TrueSharing)
            << falsely;
    }
    world = &world_;
}

TEST_F(SharingReportTest, WithoutSharingItIsContention) {
    settings_.sharing = false;
    four_counters({variable("counters", kBase, 16)}, kBase);
    for (SharingRow& row : world_.rows)
        row.counts[1].true_misses = row.counts[1].false_misses = row.counts[1].true_invalidations =
            row.counts[1].false_invalidations = 0;
    for (auto& [number, line] : world_.lines) {
        line.counts[1].true_misses = line.counts[1].false_misses = line.counts[1].true_invalidations =
            line.counts[1].false_invalidations = 0;
    }
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(report_.groups[0].kind, FindingKind::Contention);
    EXPECT_EQ(what(), "Contention on counters");
    EXPECT_SILENT(std::string(record_of(report_, 0).figures), "false");
    EXPECT_SAYS(advice(), "--sharing=no");
}

// Both limits, at their edges.
TEST_F(SharingReportTest, ThresholdAndFloor) {
    struct Case {
        u64 events, accesses, threshold, floor;
        bool finding;
    };
    for (const Case& c :
         {Case{1'000, 100'000, 10'000, 1'000, true}, Case{1'000, 100'100, 10'000, 1'000, false},
          Case{98, 1'000, 10'000, 1'000, false}, Case{100, 1'000, 10'000, 1'000, true},
          Case{1'000, 1'000'000, 1'000, 1'000, true}, Case{2'000, 100'000, 25'000, 1'000, false},
          Case{2'500, 100'000, 25'000, 1'000, true}, Case{2, 2, 10'000, 1, true}, Case{0, 0, 0, 0, false},
          // Counts so large that a product would overflow.
          Case{u64{1} << 58, u64{1} << 62, 10'000, 1'000, true},
          Case{u64{1} << 54, u64{1} << 62, 10'000, 1'000, false}}) {
        World fresh;
        world = &fresh;
        fresh.objects.push_back(
            {.kind = Object::StorageKind::Static, .start = kBase, .size = 8, .name = "x", .symbol = "x"});
        fresh.rows.push_back({.object = ObjectId{1}, .thread = 2, .accesses = {c.accesses, 0}, .counts = {}});
        fresh.rows[0].counts[1] = counts(c.events, c.events);
        SharingReport report;
        build(report, {.threshold = c.threshold, .floor = c.floor});
        EXPECT_EQ(report.findings, c.finding ? 1u : 0u) << c.events << " of " << c.accesses;
    }
    world = &world_;
}

// True sharing counts on hot lines, false sharing on any.
TEST_F(SharingReportTest, HandedOverBuffersAreNoFinding) {
    for (const u64 falsely : {u64{0}, u64{40}}) {
        for (const u64 each : {u64{98}, u64{100}}) {
            const ObjectId id = variable("buffers", kBase, 64 * 500);
            for (u32 i = 0; i < 500; ++i) {
                touch(2, kBase + 64 * i, 64, 0, 400);
                touch(3, kBase + 64 * i, 64, 400, 0);
                line_events(kBase + 64 * i, each, falsely);
            }
            row(id, 2, 0x1000, {0, 200'000}, 250 * each, 250 * falsely);
            row(id, 3, 0x2000, {200'000, 0}, 250 * each, 250 * falsely);
            SharingReport report;
            build(report, {});
            EXPECT_EQ(report.findings, each == 100 || falsely > 0 ? 1u : 0u) << each << ' ' << falsely;
            // The kind is that of most events, harmful or not, and both shares are told.
            if (report.findings > 0) {
                EXPECT_EQ(report.groups[0].kind, FindingKind::TrueSharing);
            }
            if (falsely > 0) {
                EXPECT_SAYS(std::string(record_of(report, 0).figures), " false and ");
            }
            world_ = World();
        }
    }
}

// Workers write once to data that another thread has set: no thread misses it afterwards.
TEST_F(SharingReportTest, InvalidationsWithoutMissesAreNoFinding) {
    const ObjectId id = variable("table", kBase, 64 * 5'000);
    row(id, 2, 0x1000, {0, 4'000}, 0, 0);
    world_.rows[0].counts[1] = {.coherence_misses = 49, .invalidations = 5'000, .false_invalidations = 5'049};
    {
        SharingReport report;
        build(report, settings_);
        EXPECT_EQ(report.findings, 0u);
    }
    world_.rows[0].counts[1].coherence_misses = 50;
    build_report();
    EXPECT_EQ(report_.findings, 1u);
}

// Events that are many in a short run are few in a long one; layout is easier to mend than an exchange.
TEST_F(SharingReportTest, TheFloorGrowsWithTheRun) {
    struct Case {
        u64 instructions, falsely;
        bool finding;
    };
    for (const Case& c :
         {Case{5'000'000, 0, true}, Case{5'010'000, 0, false}, Case{20'000'000, 10'000, true},
          Case{20'010'000, 10'000, false}, Case{10'000'000, 5'000, true}, Case{20'000'000, 9'000, false}}) {
        World fresh;
        std::swap(fresh, world_);
        four_counters({variable("counters", kBase, 16)}, kBase);
        for (SharingRow& row : world_.rows) row.counts[1] = counts(2'500, c.falsely / 4);
        for (auto& [number, line] : world_.lines) line.counts[1] = counts(10'000, c.falsely);
        for (u32 thread = 1; thread < 6; ++thread)
            world_.threads.push_back(
                {.serial = thread, .accesses = {}, .instructions = c.instructions / 5, .counts = {}});
        SharingReport report;
        build(report, {.threshold = 1});
        EXPECT_EQ(report.findings, c.finding ? 1u : 0u) << c.instructions << ' ' << c.falsely;
        std::swap(fresh, world_);
    }
}

// A mutex's words are written by all threads that take it; if each uses its own word, the layout of locks is
// wrong.
TEST_F(SharingReportTest, LocksAreTrueSharing) {
    for (const u64 truly : {u64{20'000}, u64{100}}) {
        World fresh;
        std::swap(fresh, world_);
        const ObjectId id = variable("lock", kBase, 40);
        for (u32 thread = 2; thread < 4; ++thread) {
            touch(thread, kBase, 4, 50'000, 50'000);
            touch(thread, kBase + 8, 4, 50'000, 50'000);
            row(id, thread, kLibrary + 16 * thread, {100'000, 100'000}, 50'000, 50'000 - truly);
        }
        line_events(kBase, 100'000, 100'000 - 2 * truly);
        SharingReport report;
        build(report, {});
        ASSERT_EQ(report.findings, 1u);
        EXPECT_EQ(report.groups[0].kind, truly > 100 ? FindingKind::TrueSharing : FindingKind::FalseSharing);
        const std::string figures = record_of(report, 0).figures;
        if (truly > 100) {
            EXPECT_SAYS(std::string(report.groups[0].advice), "divide what is protected");
            EXPECT_SILENT(figures, "false sharing");
        } else {
            EXPECT_SAYS(figures, "99.8% false sharing");
        }
        std::swap(fresh, world_);
    }
}

// An object that only lies beside a lock is named with its loss; a neighbour that hardly loses anything is
// not.
TEST_F(SharingReportTest, ALocksNeighbourIsToldToMove) {
    const ObjectId lock = variable("lock", kBase, 40);
    const ObjectId stop = variable("stop", kBase + 40, 4);
    for (const u64 falsely : {u64{60'000}, u64{6'000}}) {
        World fresh;
        std::swap(fresh, world_);
        world_.objects = fresh.objects;
        world_.extents = fresh.extents;
        for (u32 thread : {2u, 3u}) {
            touch(thread, kBase, 40, 50'000, 50'000);
            touch(thread, kBase + 40, 4, 50'000, 0);
            row(lock, thread, kLibrary, {50'000, 50'000}, 100'000, 0);
            row(stop, thread, 0x2000, {50'000, 0}, falsely, falsely);
            pair(lock, thread, 5 - thread, 100'000, 0);
            pair(stop, thread, 5 - thread, falsely, falsely);
        }
        line_events(kBase, 200'000 + 2 * falsely, 2 * falsely);
        SharingReport report;
        build(report, {});
        ASSERT_EQ(report.groups.size(), 1u);
        const std::string advice = report.groups[0].advice;
        EXPECT_SAYS(advice, "Threads take turns");
        const std::string wanted =
            "keep stop away from it (alignas(64)): 120,000 of these events are its own";
        EXPECT_EQ(advice.find(wanted) != std::string::npos, falsely == 60'000) << advice;
        std::swap(fresh, world_);
    }
}

// Accesses by libraries to their own words are not a finding, accesses to the program's words are.
TEST_F(SharingReportTest, TheLibrariesOwnWordsAreNoFinding) {
    const auto findings_of = [&](const Object& made, Address code) {
        World fresh;
        std::swap(fresh, world_);
        const ObjectId id = add_object(made);
        world_.extents.push_back({kBase, kBase + 64, id, kBase});
        for (u32 thread = 2; thread < 4; ++thread) {
            touch(thread, kBase, 4, 50'000, 50'000);
            row(id, thread, code, {50'000, 50'000}, 50'000, 0);
        }
        line_events(kBase, 100'000, 0);
        SharingReport report;
        build(report, {});
        std::swap(fresh, world_);
        return report.findings;
    };
    const auto theirs = static_cast<ContextId>(kLibrary), ours = static_cast<ContextId>(0x1000);
    using enum Object::StorageKind;
    const Object heap{.kind = Heap, .allocated = theirs, .start = kBase, .size = 64, .on_lines = 1};
    const Object fixed{.kind = Static,
                       .start = kBase,
                       .size = 64,
                       .name = "words",
                       .symbol = "words",
                       .module = "/lib/libc.so.6"};
    const Object local{
        .kind = Unknown, .thread = 2, .start = kBase, .size = 64, .name = "thread-local storage"};
    for (const Object& object : {heap, fixed, local}) {
        EXPECT_EQ(findings_of(object, kLibrary), 0u);
        EXPECT_EQ(findings_of(object, 0x1000), 1u);  // the program's code accessed it
    }
    Object own = heap;
    own.allocated = ours;
    EXPECT_EQ(findings_of(own, kLibrary), 1u);
    own = fixed;
    own.module = "/home/me/program";
    EXPECT_EQ(findings_of(own, kLibrary), 1u);
    EXPECT_EQ(findings_of(own, kLibrary + 0x1000), 0u);  // a barrier
    const Object mapping{.kind = Unknown, .start = kBase, .size = 64, .name = "anonymous mapping"};
    EXPECT_EQ(findings_of(mapping, kLibrary), 1u);
}

// Places with about equal counts are ordered by their place in the code, whatever their order in this run.
TEST_F(SharingReportTest, TheLeadingStackIsStable) {
    const ObjectId id = variable("lock", kBase, 8);
    for (const u64 first : {u64{40'000}, u64{60'000}}) {
        World fresh;
        std::swap(fresh, world_);
        world_.objects = fresh.objects;
        world_.extents = fresh.extents;
        touch(2, kBase, 8, 50'000, 50'000);
        touch(3, kBase, 8, 50'000, 50'000);
        for (u32 thread : {3u, 2u}) {
            row(id, thread, 0x3000, {10'000, 10'000}, 100'000 - first, 0);
            row(id, thread, 0x2000, {10'000, 10'000}, first, 0);
            row(id, thread, 0x1000, {10'000, 10'000}, first / 4, 0);  // too few to lead
        }
        line_events(kBase, 200'000, 0);
        SharingReport report;
        build(report, {});
        const findings::SummedRecord record = record_of(report, 0);
        EXPECT_EQ(record.sides[0].stack, static_cast<ContextId>(0x2000));
        EXPECT_EQ(record.sides[0].thread, 2u);
        EXPECT_EQ(record.sides[1].stack, static_cast<ContextId>(0x2000));
        EXPECT_EQ(record.sides[1].thread, 3u);
        std::swap(fresh, world_);
    }
}

// Loads do not collide with loads: at least one side stores, even if loads come first and have more events.
TEST_F(SharingReportTest, OneSideStores) {
    const ObjectId id = variable("words", kBase, 16);
    for (const u64 stored : {u64{90'000}, u64{2'000}}) {
        World fresh;
        std::swap(fresh, world_);
        world_.objects = fresh.objects;
        world_.extents = fresh.extents;
        for (u32 thread : {2u, 3u}) {
            touch(thread, kBase + 8 * (thread - 2), 8, 50'000, 50'000);
            row(id, thread, 0x1000, {50'000, 0}, 100'000, 100'000);
            row(id, thread, 0x2000, {0, 50'000}, stored, stored);
        }
        line_events(kBase, 200'000 + 2 * stored, 200'000 + 2 * stored);
        SharingReport report;
        build(report, {});
        const findings::SummedRecord record = record_of(report, 0);
        EXPECT_EQ(record.sides[0].stores, stored == 90'000);
        EXPECT_TRUE(record.sides[1].stores);
        EXPECT_NE(record.sides[0].thread, record.sides[1].thread);
        std::swap(fresh, world_);
    }
}

// Threads read data that another thread wrote before, once: each line is fetched, nothing goes back.
TEST_F(SharingReportTest, FirstTouchesAreNoFinding) {
    const ObjectId id = variable("table", kBase, 64 * 1000);
    SharingRow row{.object = id, .place = {0x1000, {}}, .thread = 2, .accesses = {16'000, 0}, .counts = {}};
    row.counts[1] = {.first_touches = 4'000, .true_misses = 4'000};
    world_.rows.push_back(row);
    for (u32 i = 0; i < 1000; ++i) {
        LineRow& line = world_.lines[kBase / 64 + i];
        line.line = kBase / 64 + i;
        line.counts[1] = {.first_touches = 4, .true_misses = 4};
    }
    build_report();
    EXPECT_EQ(report_.findings, 0u);
    EXPECT_EQ(report_.groups.size(), 1u);
}

// Who comes first at a barrier moves single events. What is reported first does not change with them.
TEST(SharingFigures, AFewMoreObservedEventsDoNotLead) {
    SharingFigures figures;
    figures.counts[static_cast<u32>(View::Modelled)] = {.coherence_misses = 200};
    figures.counts[static_cast<u32>(View::Observed)] = {.coherence_misses = 210};
    EXPECT_EQ(figures.leading(), View::Modelled);
    figures.counts[static_cast<u32>(View::Observed)] = {.coherence_misses = 211};
    EXPECT_EQ(figures.leading(), View::Observed);
}

// They do not lead, but the reader is told: in the table, and over the line's map.
TEST_F(SharingReportTest, AnyMoreObservedEventsAreMarked) {
    const ObjectId id = variable("flag", kBase, 4);
    touch(2, kBase, 4, 0, 5'000);
    touch(3, kBase, 4, 5'000, 0);
    row(id, 2, 0x1000, {0, 5'000}, 4'001, 0, View::Observed);
    row(id, 3, 0x2000, {5'000, 0}, 4'000, 0);
    line_events(kBase, 4'001, 0, View::Observed);
    line_events(kBase, 4'000, 0);
    build_report();
    EXPECT_SAYS(std::string(record_of(report_, 0).figures), "invalidations modelled (4,001 observed)");
    summary({.several_threads = true, .threads = 3});
    EXPECT_TRUE(says(" 4,001*"));
    EXPECT_TRUE(says("4,001 events observed*; r read"));
    EXPECT_TRUE(says("* observed more than modelled"));
}

// The observed order was worse than the modelled one, so it counts.
TEST_F(SharingReportTest, TheLargerFigureDecides) {
    const ObjectId id = variable("flag", kBase, 4);
    const ObjectId other = variable("busy", kBase + 128, 4);
    touch(2, kBase, 4, 0, 5'000);
    touch(3, kBase, 4, 5'000, 0);
    row(id, 2, 0x1000, {0, 5'000}, 4'000, 0, View::Observed);
    row(id, 3, 0x2000, {5'000, 0}, 100, 0);
    line_events(kBase, 4'000, 0, View::Observed);
    line_events(kBase, 100, 100);
    touch(2, kBase + 128, 4, 0, 5'000);
    touch(3, kBase + 128, 4, 5'000, 0);
    row(other, 2, 0x1000, {5'000, 5'000}, 3'000, 0);
    line_events(kBase + 128, 3'000, 0);
    build_report();
    ASSERT_EQ(report_.findings, 2u);
    EXPECT_EQ(what(0), "True sharing of flag");  // although the modelled part of it is false sharing
    EXPECT_EQ(what(1), "True sharing of busy");
    EXPECT_SAYS(std::string(record_of(report_, 0).figures), "invalidations observed (100 modelled)");
    summary({.several_threads = true, .threads = 3});
    EXPECT_TRUE(says("4,000*"));
    EXPECT_TRUE(says("* observed more than modelled"));
}

// Two busy arrays that meet in one line stay two findings; their common line does not matter to either.
TEST_F(SharingReportTest, ALineInCommonIsNotEnough) {
    const ObjectId one = variable("first", kBase, 64 * 10 + 32);
    const ObjectId two = variable("second", kBase + 64 * 10 + 32, 64 * 10 + 32);
    for (u32 i = 0; i < 21; ++i) {
        const Address a = kBase + 64 * i;
        touch(2, a, 4, 1'000, 1'000);
        touch(3, a + 60, 4, 1'000, 1'000);
        line_events(a, 4'000, 4'000);
    }
    row(one, 2, 0x1000, {20'000, 20'000}, 42'000, 42'000);
    row(two, 3, 0x2000, {20'000, 20'000}, 42'000, 42'000);
    pair(one, 2, 3, 42'000, 42'000);
    pair(two, 3, 2, 42'000, 42'000);
    build_report();
    EXPECT_EQ(report_.findings, 2u);
    EXPECT_EQ(report_.groups.size(), 2u);
}

// A neighbour in the line of a truly shared counter does not belong to it.
TEST_F(SharingReportTest, TrueSharingLinksNobody) {
    const ObjectId counter = variable("counter", kBase, 8);
    const ObjectId bystander = variable("bystander", kBase + 8, 8);
    for (u32 thread = 2; thread < 4; ++thread) {
        touch(thread, kBase, 8, 10'000, 10'000);
        row(counter, thread, 0x1000, {10'000, 10'000}, 20'000, 0);
    }
    touch(2, kBase + 8, 8, 5, 0);
    row(bystander, 2, 0x3000, {5, 0}, 0, 0);
    pair(counter, 2, 3, 20'000, 0);
    pair(counter, 3, 2, 20'000, 0);
    line_events(kBase, 40'000, 0);
    build_report();
    EXPECT_EQ(report_.groups.size(), 2u);
    EXPECT_EQ(what(), "True sharing of counter");
}

// But if its reader has to wait for the counter, it does belong to it, and the reader should learn that.
TEST_F(SharingReportTest, ABystanderComesToWhatHindersIt) {
    make_counter();
    const ObjectId bystander = variable("bystander", kBase + 8, 8);
    touch(4, kBase + 8, 8, 5'000, 0);
    row(bystander, 4, 0x3000, {5'000, 0}, 5'000, 5'000);
    pair(bystander, 4, 2, 2'500, 2'500);
    pair(bystander, 4, 3, 2'500, 2'500);
    line_events(kBase, 45'000, 5'000);
    build_report();
    ASSERT_EQ(report_.groups.size(), 1u);
    EXPECT_EQ(what(), "True sharing of counter and bystander");
    EXPECT_SAYS(
        advice(),
        "move what is only read (bytes 0..7 of bystander) to a line of its own: removes 5,000 of 45,000");
}

// Threads that read it more often than they use the counter are no reason for its misses.
TEST_F(SharingReportTest, WhatIsOnlyReadIsInNobodysWay) {
    make_counter();
    const ObjectId text = variable("text", kBase + 8, 24);
    for (u32 thread = 2; thread < 4; ++thread) {
        touch(thread, kBase + 8, 16, 90'000, 0);
        row(text, thread, 0x2000, {90'000, 0}, 10'000, 10'000);
        pair(text, thread, 5 - thread, 10'000, 10'000);
    }
    line_events(kBase, 60'000, 20'000);
    build_report();
    ASSERT_EQ(report_.groups.size(), 1u);
    EXPECT_EQ(what(), "True sharing of counter and text");
}

// An object is hindered by the one that the thread mainly uses, whatever else the thread uses in the line.
TEST_F(SharingReportTest, ThreadsThatUseBothMeetInTheMainOne) {
    const ObjectId slots = variable("slots", kBase, 32);
    const ObjectId log = variable("log", kBase + 32, 8);
    for (u32 thread = 2; thread < 4; ++thread) {
        touch(thread, kBase + 16 * (thread - 2), 8, 10'000, 10'000);
        row(slots, thread, 0x1000, {10'000, 10'000}, 20'000, 20'000);
        pair(slots, thread, 5 - thread, 20'000, 20'000);
        touch(thread, kBase + 32, 8, 1'000, 0);
        row(log, thread, 0x2000, {1'000, 0}, 0, 0);
    }
    line_events(kBase, 40'000, 40'000);
    build_report();
    EXPECT_EQ(what(), "False sharing inside slots");
}

// An object that is hardly touched is hindered as well, but its name says nothing.
TEST_F(SharingReportTest, APasserByIsNotNamed) {
    make_counter();
    const ObjectId flag = variable("flag", kBase + 8, 1);
    touch(1, kBase + 8, 1, 5, 5);
    row(flag, 1, 0x3000, {5, 5}, 10, 10);
    pair(flag, 1, 2, 10, 10);
    line_events(kBase, 40'010, 10);
    build_report();
    EXPECT_EQ(report_.findings, 1u);
    EXPECT_EQ(what(), "True sharing of counter");
}

// Nor is it a finding of its own beside elements that have to be parted anyway; beside a counter it is, since that stays.
class PasserByTest : public SharingReportTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(OfElements, PasserByTest, testing::Bool());
TEST_P(PasserByTest, IsNoFinding) {
    const ObjectId slots = variable("slots", kBase, 32);
    const ObjectId root = variable("root", kBase + 32, 8);
    const u64 parted = GetParam() ? 200'000 : 0;  // false events of each thread
    for (u32 thread = 2; thread < 4; ++thread) {
        touch(thread, kBase + 16 * (thread - 2), 8, 100'000, 100'000);
        row(slots, thread, 0x1000, {100'000, 100'000}, 200'000, parted);
        pair(slots, thread, 5 - thread, 200'000, parted);
    }
    touch(4, kBase + 32, 8, 1'500, 0);
    row(root, 4, 0x2000, {1'500, 0}, 1'500, 1'500);
    pair(root, 4, 2, 750, 750);
    pair(root, 4, 3, 750, 750);
    line_events(kBase, 401'500, 2 * parted + 1'500);
    build_report();
    ASSERT_EQ(report_.groups.size(), 2u);
    EXPECT_EQ(report_.findings, GetParam() ? 1u : 2u);
    EXPECT_STREQ(report_.groups[1].advice,
                 "Keep root, which is only read, away from slots (alignas(64)): removes 1,500 of 1,500 "
                 "modelled events");
    if (!GetParam()) {
        findings::SummedRecord record = record_of(report_, 1);
        EXPECT_STREQ(record.what, "False sharing of root beside slots");
    }
}

// Two objects in one line whose threads ran at different times.
TEST_F(SharingReportTest, WhatNeverMeetsStaysApart) {
    const ObjectId early = variable("early", kBase, 16);
    const ObjectId late = variable("late", kBase + 16, 8);
    for (u32 thread = 2; thread < 4; ++thread) {
        touch(thread, kBase + 8 * (thread - 2), 8, 10'000, 10'000);
        row(early, thread, 0x1000, {10'000, 10'000}, 20'000, 20'000);
        pair(early, thread, 5 - thread, 20'000, 20'000);
        touch(thread + 2, kBase + 16, 8, 10'000, 10'000);
        row(late, thread + 2, 0x1000, {10'000, 10'000}, 20'000, 0);
        pair(late, thread + 2, 7 - thread, 20'000, 0);
    }
    line_events(kBase, 80'000, 40'000);
    build_report();
    EXPECT_EQ(report_.findings, 2u);
    for (u32 group = 0; group < 2; ++group) {
        const bool is_early = what(group) == "False sharing inside early";
        EXPECT_EQ(what(group), is_early ? "False sharing inside early" : "True sharing of late");
        EXPECT_EQ(report_.groups[group].all_lines, 1u);
        if (is_early)
            EXPECT_SAYS(advice(group), "Put bytes 0..7 (thread 2), bytes 8..15 (thread 3) of early");
        else
            EXPECT_SILENT(advice(group), "own lines");
    }
}

// Memory that was reused is charged to the owner that contended.
TEST_F(SharingReportTest, EarlierOwnersAreKnown) {
    const ObjectId quiet = blocks(ContextId{5}, 64, {kBase});
    const ObjectId busy = blocks(ContextId{6}, 64, {kBase});
    touch(2, kBase, 4, 10'000, 10'000);
    touch(3, kBase + 8, 4, 10'000, 10'000);
    row(busy, 2, 0x1000, {10'000, 10'000}, 20'000, 20'000);
    row(busy, 3, 0x1000, {10'000, 10'000}, 20'000, 20'000);
    row(quiet, 2, 0x1000, {10, 10}, 2, 0);
    line_events(kBase, 40'002, 40'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(record_of(report_, 0).parts[0].allocated, ContextId{6});
    EXPECT_EQ(report_.groups[0].all_lines, 1u);
}

// Bytes of a line whose owner is gone belong to their present owner, which may have no row at all.
TEST_F(SharingReportTest, AnOwnerWithoutRowsHasNoEvents) {
    const ObjectId counter = variable("counter", kBase, 8);
    variable("heir", kBase + 8, 8);
    for (u32 thread = 2; thread < 4; ++thread) {
        touch(thread, kBase, 8, 10'000, 10'000);
        touch(thread, kBase + 8, 8, 10'000, 10'000);
        row(counter, thread, 0x1000, {10'000, 10'000}, 20'000, 0);
    }
    line_events(kBase, 40'000, 0);
    build_report();
    EXPECT_EQ(report_.findings, 1u);
    EXPECT_EQ(what(), "True sharing of counter");
    ASSERT_EQ(report_.groups.size(), 2u);
    EXPECT_EQ(report_.groups[1].figures.peak(), 0u);
    EXPECT_EQ(report_.groups[1].harm_false + report_.groups[1].harm_true, 0u);
}

TEST_F(SharingReportTest, OnlySoManyAreTold) {
    std::list<std::string> names;
    for (u32 i = 0; i < 30; ++i) {
        names.push_back("variable" + std::to_string(i));
        const Address a = kBase + 64 * i;
        const ObjectId id = variable(names.back().c_str(), a, 8);
        touch(2, a, 8, 10'000, 10'000);
        touch(3, a, 8, 10'000, 10'000);
        row(id, 2, 0x1000, {10'000, 10'000}, 10'000 + i, 0);
        row(id, 3, 0x1000, {10'000, 10'000}, 10'000 + i, 0);
        line_events(a, 20'000 + 2 * i, 0);
    }
    build_report();
    EXPECT_EQ(report_.findings, 30u);
    EXPECT_EQ(report_findings(report_, 1, 4), 26u);
    ASSERT_EQ(world_.reported.size(), 4u);
    EXPECT_STREQ(world_.reported[0].parts[0].name, "variable29");
    EXPECT_STREQ(world_.reported[3].parts[0].name, "variable26");
    top_ = 4;
    summary({.several_threads = true, .threads = 3});
    EXPECT_TRUE(says("26 more findings are not shown (--top=4)"));
    EXPECT_TRUE(says("26 more objects"));
    EXPECT_FALSE(says("variable25"));
}

TEST_F(SharingReportTest, ManyObjectsOfOneLine) {
    std::vector<ObjectId> ids;
    const char* const names[] = {"n00", "n01", "n02", "n03", "n04", "n05", "n06", "n07",
                                 "n08", "n09", "n10", "n11", "n12", "n13", "n14", "n15"};
    for (u32 i = 0; i < 16; ++i) {
        ids.push_back(variable(names[i], kBase + 4 * i, 4));
        touch(i + 2, kBase + 4 * i, 4, 1'000, 1'000);
        row(ids[i], i + 2, 0x1000, {1'000, 1'000}, 2'000, 2'000);
        // Each meets each other one.
        for (u32 k = 0; k < 16; ++k)
            if (k != i) pair(ids[i], i + 2, k + 2, 133, 133);
    }
    line_events(kBase, 32'000, 32'000);
    build_report();
    ASSERT_EQ(report_.findings, 1u);
    EXPECT_EQ(what(), "False sharing between n00, n01, n02, n03, n04, n05, n06, n07 and others");
    const findings::SummedRecord record = record_of(report_, 0);
    EXPECT_EQ(record.part_count, 8u);
    EXPECT_EQ(record.parts_left_out, 8u);
}

TEST_F(SharingReportTest, OtherLineSizes) {
    line_bytes_ = settings_.line_bytes = 128;
    four_counters({variable("counters", kBase, 16)}, kBase);
    build_report();
    EXPECT_SAYS(advice(), "Pad each element of 4 bytes to 128 and align the first to 128");
    summary({.several_threads = true, .threads = 5});
    EXPECT_TRUE(says("++.............................................................."));
}

// The whole summary: short lines, the map, the figures, and nothing else.
TEST_F(SharingReportTest, Summary) {
    std::vector<ObjectId> ids;
    for (u32 i = 0; i < 4; ++i) ids.push_back(variable(&"a\0b\0c\0d"[2 * i], kBase + 4 * i, 4));
    four_counters(ids, kBase);
    const ObjectId heap = blocks(ContextId{12}, 8, {kBase + 0x1000, kBase + 0x1020});
    touch(2, kBase + 0x1000, 8, 60'000, 0);
    touch(3, kBase + 0x1020, 8, 0, 60'000);
    row(heap, 2, 0x1003, {60'000, 0}, 60'000, 60'000);
    row(heap, 3, 0x1004, {0, 60'000}, 60'000, 60'000);
    pair(heap, 2, 3, 60'000, 60'000);
    line_events(kBase + 0x1000, 120'000, 120'000);
    for (u32 thread = 1; thread < 6; ++thread) {
        ThreadRow known;
        known.serial = known.guest_id = thread;
        known.parent = thread == 1 ? 0 : 1;
        known.accesses = {500'000, 300'000};
        known.instructions = 1'234'567;
        known.counts[1] = counts(200'000, 200'000);
        world_.threads.push_back(known);
    }
    world_.accesses = 2'500'000;
    build_report();
    const auto& lines = summary({.several_threads = true, .threads = 5, .forced = 2, .lifted = 3});
    for (const std::string& line : lines) {
        EXPECT_LE(line.size(), kSummaryWidth) << line;
        EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
    EXPECT_TRUE(says("5 threads, lines of 64 bytes"));
    EXPECT_TRUE(says("0.36800"));  // 920,000 events in 2,500,000 accesses
    EXPECT_TRUE(says("1,234,567"));
    EXPECT_TRUE(says("FalseSharing: a, b, c and d, 1 contended line"));
    EXPECT_TRUE(says("thread 3   ....++++"));
    EXPECT_TRUE(says("object     aaaabbbbccccdddd....."));
    EXPECT_TRUE(says("2 heap blocks of make_table (program.c:12)"));
    EXPECT_TRUE(says("Advice: Align a, b, c and d to 64 bytes each"));
    EXPECT_TRUE(says("worker (program.c:4)"));
    EXPECT_TRUE(says("The access log was full 2 times"));
    EXPECT_FALSE(says("* observed"));
    EXPECT_FALSE(says("more threads"));
}

TEST_F(SharingReportTest, NothingToTell) {
    build_report();
    EXPECT_EQ(report_findings(report_, 1, 20), 0u);
    EXPECT_TRUE(world_.reported.empty());
    summary({.several_threads = true, .threads = 2});
    EXPECT_TRUE(says("No line went back and forth between threads."));
    EXPECT_FALSE(says("The access log"));
}

// Lines that move between threads now and then are summed up, whether or not there is something worse.
TEST_F(SharingReportTest, NoiseIsLeftOut) {
    const ObjectId quiet = variable("quiet", kBase + 64, 4);
    row(quiet, 2, 0x1000, {20, 20}, 9, 0);
    build_report();
    summary({.several_threads = true, .threads = 5});
    EXPECT_TRUE(says("often: no object has as many as 100 events."));
    EXPECT_FALSE(says("quiet"));

    SharingReport again;
    four_counters({variable("counters", kBase, 16)}, kBase);
    build(again, {});
    summary(again, {.several_threads = true, .threads = 5});
    EXPECT_TRUE(says("... and 1 object with fewer than 800 events"));
    EXPECT_FALSE(says("quiet"));
}

// What main sets and workers store to is invalidated once and never missed: it stands below the table.
TEST_F(SharingReportTest, WhatIsOnlyHandedOverIsSummedUp) {
    const auto hand_over = [&](ObjectId id, u64 lines) {
        row(id, 2, 0x1000, {0, lines}, 0, 0);
        world_.rows.back().counts[1].invalidations = world_.rows.back().counts[1].true_invalidations = lines;
    };
    four_counters({variable("counters", kBase, 16)}, kBase);
    hand_over(variable("grid", kBase + 64, 4000), 1'000'000);  // more than any other has
    build_report();
    summary({.several_threads = true, .threads = 5});
    EXPECT_TRUE(says("... and 1 object that was only handed over, with 1,000,000 events"));
    EXPECT_TRUE(says("counters"));
    EXPECT_FALSE(says("grid"));

    SharingReport again;
    hand_over(variable("field", kBase + 8192, 4000), 30);
    build(again, {});
    summary(again, {.several_threads = true, .threads = 5});
    EXPECT_TRUE(says("... and 2 objects that were only handed over, with 1,000,030 events"));
}

// Waits for words without a name are told apart by where threads waited, as far as that can be said.
TEST_F(SharingReportTest, NamelessWaits) {
    four_counters({variable("counters", kBase, 16)}, kBase);
    replay::Waits waits;
    const auto wait = [&](Address word, Address instruction, lines::Time time) {
        waits.add(word, replay::WaitKind::Word, {instruction, {}}, 2, 3, 0, time);
    };
    wait(0x100, 0x1007, 500'000);
    wait(0x200, 0x2007, 300'000);  // another path to the same line
    wait(0x300, 0x1008, 600'000);
    wait(0x400, 0, 550'000);
    settings_.waits = &waits;
    build_report();
    summary({.several_threads = true, .threads = 5});
    EXPECT_TRUE(says("another thread, worker (program.c:8)"));
    EXPECT_TRUE(says("800,000"));
    EXPECT_TRUE(says("another thread  "));  // where it waited is not known
    EXPECT_EQ(std::count_if(world_.output.begin(), world_.output.end(),
                            [](const std::string& line) { return line.find("another thread, ") != std::string::npos; }),
              2);
}

// Threads sleep on two words of a condition variable, in two places of its library, called from two places of the program:
// in the report a row for each of these two, in the summary one. Another member beside it has rows of its own.
TEST_F(SharingReportTest, WordsOfOneNameAreOneWait) {
    const ObjectId id = variable("queue", kBase, 64);
    four_counters({id}, kBase);
    replay::Waits waits;
    const auto wait = [&](u64 offset, Address instruction, u32 thread, lines::Time time) {
        waits.add(kBase + offset, replay::WaitKind::Word, {instruction, {}}, thread, 1, 0, time);
    };
    wait(40, 0x1007, 2, 200'000);
    wait(44, 0x1008, 2, 300'000);
    wait(44, 0x1008, 3, 100'000);
    wait(44, 0x2007, 2, 50'000);
    wait(56, 0x1007, 2, 90'000);
    wait(40, 0x1009, 2, 10);
    for (replay::WaitRow& row : waits.rows()) {
        row.object = id;
        row.offset = row.word - kBase;
    }
    settings_.waits = &waits;
    settings_.add_fields = [](rt::Text& text, ObjectId, Address, u64 offset, u64) {
        text.add(offset < 48 ? "queue.filled._M_cond.words[" : "queue.drained._M_cond[").add_number(offset).add("] of main");
        return true;
    };
    settings_.own_place = [](const Place& place) { return Place{place.instruction & ~Address{0xFFF}, place.path}; };
    build_report();
    ASSERT_EQ(report_.waits.size(), 3u);
    const Awaited& filled = report_.waits[0];
    EXPECT_STREQ(filled.name, "queue.filled of main");
    EXPECT_EQ(filled.offset, 40u);
    EXPECT_EQ(filled.place.instruction, Address{0x1008}) << "where threads waited longest";
    EXPECT_EQ(filled.figures.waited, 600'000u);
    EXPECT_EQ(filled.figures.times, 3u);
    EXPECT_EQ(filled.figures.longest, 300'000u);
    EXPECT_EQ(report_.waits[1].figures.waited, 50'000u);
    EXPECT_STREQ(report_.waits[2].name, "queue.drained of main");
    EXPECT_EQ(report_.waited, 740'010u);
    u64 of_thread_2 = 0, parts = 0;
    for (const replay::WaitPart& part : report_.wait_parts) {
        parts += part.row == 0 ? 1 : 0;
        if (part.row == 0 && part.thread == 2) of_thread_2 += part.figures.waited;
    }
    EXPECT_EQ(parts, 2u);
    EXPECT_EQ(of_thread_2, 500'000u);

    summary({.several_threads = true, .threads = 5});
    EXPECT_TRUE(says(" 650,000 "));
    EXPECT_TRUE(says(" 90,000 "));
    EXPECT_EQ(std::count_if(world_.output.begin(), world_.output.end(),
                            [](const std::string& line) { return line.find("queue.filled of main, ") != std::string::npos; }),
              1);
}

// What does not fit beside the place where threads waited has a line of its own.
// Words in a heap block have no names: those of one condition variable are one where the program called the library.
TEST_F(SharingReportTest, WordsOfAConditionInABlockAreOneWait) {
    const ObjectId id = blocks(ContextId{7}, 256, {kBase});
    replay::Waits waits;
    const auto wait = [&](u64 offset, Address instruction, lines::Time time) {
        waits.add(kBase + offset, replay::WaitKind::Word, {instruction, {}}, 2, 1, 0, time);
    };
    wait(44, 0x1007, 200'000);
    wait(40, 0x1008, 300'000);
    wait(44, 0x2007, 40'000);   // another place
    wait(104, 0x1007, 50'000);  // another one's
    wait(64, 0x3000, 60'000);   // flags, at which the program itself looks
    wait(68, 0x3000, 70'000);
    for (replay::WaitRow& row : waits.rows()) {
        row.object = id;
        row.offset = row.word - kBase;
    }
    settings_.waits = &waits;
    settings_.own_place = [](const Place& place) { return Place{place.instruction & ~Address{0xFFF}, place.path}; };
    build_report();
    ASSERT_EQ(report_.waits.size(), 5u);
    EXPECT_EQ(report_.waits[0].figures.waited, 500'000u);
    EXPECT_EQ(report_.waits[0].offset, 40u);
}

TEST_F(SharingReportTest, LongNamesOfWaits) {
    const char name[] = "table_of_the_connections_that_wait_for_an_answer_to_a_message";
    const ObjectId id = variable(name, kBase, 16);
    four_counters({id}, kBase);
    replay::Waits waits;
    waits.add(kBase + 8, replay::WaitKind::Lock, {0x1007, {}}, 2, 3, 0, 500'000);
    waits.rows()[0].object = id;
    waits.rows()[0].offset = 8;
    settings_.waits = &waits;
    build_report();
    summary({.several_threads = true, .threads = 5});
    const auto line_with = [&](const std::string& wanted) {
        for (usize i = 0; i < world_.output.size(); ++i)
            if (world_.output[i].find(wanted) != std::string::npos) return i;
        return world_.output.size();
    };
    const usize line = line_with("lock " + std::string(name, 57) + "...+8,");
    ASSERT_LT(line + 1, world_.output.size());
    EXPECT_SAYS(world_.output[line + 1], "  worker (program.c:7)  ");
    EXPECT_SAYS(world_.output[line + 1], " 500,000 ");
}

// Structs of two threads: two members of different sizes each, at one distance.
TEST_F(SharingReportTest, TwoThreadsStructsArePadded) {
    const auto advice_for = [&](u16 second_member) {
        world_ = {};
        const ObjectId id = blocks(ContextId{7}, 64, {kBase});
        for (u32 thread : {2u, 3u}) {
            const Address mine = kBase + 16 * (thread - 2);
            touch(thread, mine, 8, 50'000, 50'000);
            touch(thread, mine + 8, second_member, 50'000, 50'000);
            row(id, thread, 0x1000, {100'000, 100'000}, 100'000, 100'000);
        }
        line_events(kBase, 200'000, 200'000);
        SharingReport report;
        build(report, settings_);
        return std::string(report.groups[0].advice);
    };
    EXPECT_SAYS(advice_for(4), "Pad each element of 16 bytes to 64");
    EXPECT_SAYS(advice_for(8), "Put bytes 0..15 (thread 2), bytes 16..31 (thread 3)");  // four members, perhaps
}

// Locks that four threads take in turns, in two lines; what remains if they are parted is that three of four turns come after
// another thread's. Two locks may be members of one structure, and so may locks at uneven distances.
TEST_F(SharingReportTest, LocksOfAnArrayArePadded) {
    const auto advice_for = [&](const std::vector<u64>& offsets, u64 waited_for,
                                const u64* (*turns)(Address) = nullptr) {
        world_ = {};
        settings_.turns_of_lock = turns;
        replay::Waits waits;
        const ObjectId id = blocks(ContextId{7}, 128, {kBase});
        for (usize i = 0; i < offsets.size(); ++i) {
            const Address lock = kBase + offsets[i];
            for (u32 thread = 2; thread < 6; ++thread) touch(thread, lock, 4, 20'000, 20'000);
            if (i < waited_for) waits.add(lock, replay::WaitKind::Lock, {0x1000, {}}, 2, 3, 0, 500);
        }
        for (replay::WaitRow& row : waits.rows()) {
            row.object = id;
            row.offset = row.word - kBase;
        }
        const u64 events = 150'000 * offsets.size();
        row(id, 2, kLibrary, {20'000, 20'000}, events, events / 4);
        for (const u64 line : {0, 64}) line_events(kBase + line, events / 2, events / 8);
        settings_.waits = &waits;
        SharingReport report;
        build(report, settings_);
        settings_.waits = nullptr;
        return std::string(report.groups[0].advice);
    };
    const std::string six = advice_for({0, 24, 48, 72, 96, 120}, 6);
    EXPECT_SAYS(six, "Pad each element of 24 bytes to 64 and align the first to 64");
    // Six locks with 80,000 stores of four threads.
    EXPECT_SAYS(six, "removes about 540,000 of 900,000 modelled events");
    EXPECT_SAYS(advice_for({0, 24, 48, 72, 96, 120}, 3), "Pad each element of 24 bytes to 64");
    EXPECT_SAYS(advice_for({0, 24, 48, 72, 96, 120}, 2), "Threads take turns");
    EXPECT_SAYS(advice_for({0, 40, 64, 104}, 4), "Threads take turns");
    // Nobody has to wait for them.
    static constexpr u64 kTurns = 20'000;
    const auto turns = [](Address word) { return (word - kBase) % 24 == 0 ? &kTurns : nullptr; };
    const std::string counted = advice_for({0, 24, 48, 72, 96, 120}, 0, turns);
    EXPECT_SAYS(counted, "Pad each element of 24 bytes to 64");
    EXPECT_SAYS(counted, "removes about 660,000 of 900,000 modelled events");  // two for each turn remain
    EXPECT_SAYS(advice_for({0, 32, 64, 104}, 0, turns), "Threads take turns");  // the first one only
}

// Objects of two groups that are one suspect, since they meet on a line: what it costs is told where its events are.
TEST_F(SharingReportTest, TheGainIsOfThoseWithTheEvents) {
    const auto end_without_second = [&](u64 its_events) {
        world_ = {};
        const ObjectId one = variable("first", kBase, 64 * 20), two = variable("second", kBase + 64 * 20, 64);
        for (u32 i = 0; i < 20; ++i) line_events(kBase + 64 * i, 2'000, 2'000);
        line_events(kBase + 64 * 20, its_events, its_events);
        for (u32 thread : {2u, 3u}) {
            for (u32 i = 0; i < 20; ++i) touch(thread, kBase + 64 * i + 8 * thread, 8, 1'000, 1'000);
            touch(thread, kBase + 64 * 20 + 8 * thread, 8, 1'000, 1'000);
            row(one, thread, 0x1000, {20'000, 20'000}, 20'000, 20'000);
            row(two, thread, 0x2000, {20'000, 20'000}, its_events / 2, its_events / 2);
        }
        settings_.suspect_of = [](ObjectId) -> u32 { return 3; };
        settings_.end.costly.full = 1'000'000;
        settings_.end.costly.without[3] = 400'000;
        SharingReport report;
        build(report, settings_);
        EXPECT_EQ(report.groups.size(), 2u);
        EXPECT_EQ(report.groups[0].end_without, 400'000u);
        return report.groups[1].end_without;
    };
    EXPECT_EQ(end_without_second(4'000), 0u);
    EXPECT_EQ(end_without_second(30'000), 400'000u);
}

TEST(Text, NumbersAsPeopleReadThem) {
    const auto text = [](auto&& add) {
        rt::Text made;
        add(made);
        return std::string(made.c_str());
    };
    EXPECT_EQ(
        text([](rt::Text& t) { t.add_number(0).add(' ').add_number(999).add(' ').add_number(1'234'567); }),
        "0 999 1,234,567");
    EXPECT_EQ(text([](rt::Text& t) { t.add_number(~u64{0}); }), "18,446,744,073,709,551,615");
    for (const auto& [value, wanted] : std::map<u64, std::string>{{0, "0"},
                                                                  {999, "999"},
                                                                  {1'000, "1.0k"},
                                                                  {9'999, "9.9k"},
                                                                  {10'000, "10k"},
                                                                  {999'999, "999k"},
                                                                  {1'000'000, "1.0M"},
                                                                  {~u64{0}, "18E"}})
        EXPECT_EQ(text([&, v = value](rt::Text& t) { t.add_brief(v); }), wanted);
    EXPECT_EQ(
        text([](rt::Text& t) { t.add_percent(1, 3).add(' ').add_percent(5, 0).add(' ').add_percent(7, 7); }),
        "33.3% - 100.0%");
    EXPECT_EQ(text([](rt::Text& t) { t.add_percent(u64{1} << 62, u64{1} << 63); }), "50.0%");
    EXPECT_EQ(text([](rt::Text& t) { t.add_ratio(2, 5).add(' ').add_ratio(1, 3); }), "0.40000 0.33333");
    EXPECT_EQ(text([](rt::Text& t) { t.add_hex(0).add(' ').add_hex(0x404040).add(' ').add_hex(~u64{0}); }),
              "0x0 0x404040 0xffffffffffffffff");
    EXPECT_EQ(text([](rt::Text& t) { t.add("ab").align_right(1, 5); }), "a   b");
    EXPECT_EQ(text([](rt::Text& t) { t.add_short("abcdef", 6).add(' ').add_short("abcdefg", 6); }),
              "abcdef abc...");
}

}  // namespace
