// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves: for any loads of any threads, by instruction or in contexts of a few calls, by threads that live or have
// ended, each row of the report agrees with a plain account of the loads; rows that are left out are small, and
// included in the totals.
#include "analyses/zeros/counters.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "analyses/zeros/redundancy.h"
#include "threads/call_tree.h"

namespace {

using namespace memspy;
using namespace memspy::zeros;
using threads::CallPath;
using threads::Thread;

struct Sum {
    u64 loads = 0, redundant = 0, zero = 0;
    std::set<u32> threads;
};
using Key = std::tuple<Address, u8, CallPath>;  // instruction, type, calls
using Account = std::map<Key, Sum>;

// One integer or float, as the program has it in memory.
struct Value {
    u8 bytes[8];
    u64 word() const {
        u64 w;
        std::memcpy(&w, bytes, sizeof w);
        return w;
    }
};

u32 redundant_in(ValueType type, const Value& value) {
    const u64 word = type.bytes() == 8 ? value.word() : value.word() & ((u64{1} << 8 * type.bytes()) - 1);
    u32 redundant = 0;
    if (type.is_float()) {
        const bool wide = type.bytes() == 8;
        u64 mantissa = word & ((u64{1} << (wide ? 52 : 23)) - 1), exponent = word >> (wide ? 52 : 23) & (wide ? 2047 : 255);
        for (u32 cell = 0; cell < (wide ? 7u : 3u); ++cell, mantissa >>= 8) redundant += (mantissa & 255) == 0;
        for (u32 cell = 0; cell < (wide ? 2u : 1u); ++cell, exponent >>= 8) redundant += (exponent & 255) == 0;
        return redundant + (word >> (8 * type.bytes() - 1) == 0);
    }
    while (redundant < type.bytes() && (word >> 8 * (type.bytes() - 1 - redundant) & 255) == 0) ++redundant;
    return redundant;
}

class Loads {
public:
    explicit Loads(u32 seed) : random_(seed) { forget_all(); }
    u32 below(u32 n) { return std::uniform_int_distribution<u32>(0, n - 1)(random_); }

    Value value() {
        Value v;
        const u64 word = (u64{below(1u << 31)} << 33 ^ below(1u << 31)) >> 8 * below(9 - 1) << 8 * below(4);
        const u64 chosen = below(4) == 0 ? 0 : word;
        std::memcpy(v.bytes, &chosen, sizeof chosen);
        return v;
    }

    void account(SiteNumber number, Thread t, CallPath path, const Value& v) {
        const Site& s = site(number);
        Sum& sum = plain[{s.instruction, s.type.code(), path}];
        ++sum.loads;
        const u32 redundant = redundant_in(s.type, v);
        sum.redundant += redundant;
        sum.zero += redundant == s.type.cells();
        sum.threads.insert(t.serial);
    }

    void expect_same() {
        CodeReport report;
        build(report);
        EXPECT_TRUE(report.complete);
        Account left = plain;
        u64 loads = 0;
        for (const LoadRow& row : report.rows) {
            const Sum& sum = left[{row.instruction, row.type.code(), row.path}];
            EXPECT_EQ(row.loads(), sum.loads);
            EXPECT_EQ(row.counts.redundant, sum.redundant);
            EXPECT_EQ(row.counts.zero, sum.zero);
            EXPECT_EQ(row.threads, sum.threads.size());
            left.erase({row.instruction, row.type.code(), row.path});
        }
        EXPECT_EQ(left.size(), report.left_out);
        for (const auto& [key, sum] : plain) loads += sum.loads;
        EXPECT_EQ(report.totals.integer.loads + report.totals.floating.loads, loads);
        std::set<u32> serials;
        for (const auto& [key, sum] : plain) serials.insert(sum.threads.begin(), sum.threads.end());
        EXPECT_EQ(report.threads.size(), serials.size());
    }

    Account plain;

private:
    std::mt19937 random_;
};

constexpr ValueType kTypes[] = {ValueType(ElementKind::Integer, 1, 1, true), ValueType(ElementKind::Integer, 2, 1, true),
                                ValueType(ElementKind::Integer, 4, 1, true), ValueType(ElementKind::Integer, 8, 1, true),
                                ValueType(ElementKind::Float, 4, 1, true),   ValueType(ElementKind::Float, 8, 1, true)};

Thread thread_of(u32 serial) {
    Thread t;
    t.serial = serial;
    return t;
}

TEST(Counters, ByInstruction) {
    set_context_depth(0);
    Loads loads(1);
    u32 first_serial = 1;
    for (int step = 0; step < 40'000; ++step) {
        const Thread t = thread_of(first_serial + loads.below(4));
        thread_runs(t);
        const SiteNumber number = site_of(0x1000 + 4 * loads.below(50), kTypes[loads.below(6)], {});
        const CounterSlot slot = slot_of(number);
        const Value v = loads.value();
        count(reinterpret_cast<u64*>(running_pieces[slot.piece] + slot.offset), site(number).type, v.bytes);
        loads.account(number, t, CallPath::Root, v);
        if (loads.below(2000) == 0) thread_gone(thread_of(first_serial++));  // what comes later has other numbers
    }
    loads.expect_same();
    loads.expect_same();  // reports change nothing
}

TEST(Counters, InContexts) {
    constexpr u32 kDepth = 2;
    set_context_depth(kDepth);
    Loads loads(2);
    std::vector<Stretch*> stretches;
    for (u32 i = 0; i < 30; ++i) {
        rt::Vector<SiteNumber> sites;
        const u32 count = 1 + loads.below(3);
        for (u32 j = 0; j < count; ++j)
            sites.push_back(site_of(0x2000 + 16 * loads.below(20) + 4 * j, kTypes[loads.below(6)], {}));
        stretches.push_back(stretch_of(0x2000 + 16 * i, sites));
        EXPECT_EQ(stretch_of(0x2000 + 16 * i, sites), stretches.back());
    }
    std::vector<CallPath> paths = {CallPath::Root};
    for (u32 i = 0; i < 100; ++i) paths.push_back(threads::child_of(paths[loads.below(i + 1)], 0x100 + loads.below(5)));
    auto cut = [&](CallPath path) {
        Address calls[kDepth];
        u32 count = threads::return_addresses(path, calls, kDepth);
        CallPath result = CallPath::Root;
        while (count > 0) result = threads::child_of(result, calls[--count]);
        return result;
    };
    u32 first_serial = 1;
    for (int step = 0; step < 40'000; ++step) {
        const Thread t = thread_of(first_serial + loads.below(4));
        thread_runs(t);
        Stretch& stretch = *stretches[loads.below(30)];
        const CallPath path = paths[loads.below(static_cast<u32>(paths.size()))];
        ContextCell& cell = cell_of(stretch, path);
        const u64 key = stretch.tag() | static_cast<u32>(path);
        if (cell.key != key) fill_cell(stretch, path);
        ASSERT_EQ(cell.key, key);
        u8* counters = cell.block;
        const u32 done = 1 + loads.below(static_cast<u32>(stretch.sites->size()));  // then a side exit
        for (u32 i = 0; i < done; ++i) {
            const SiteNumber number = (*stretch.sites)[i];
            const Value v = loads.value();
            count(reinterpret_cast<u64*>(counters), site(number).type, v.bytes);
            loads.account(number, t, cut(path), v);
            counters += counters_of(site(number).type) * sizeof(u64);
        }
        if (loads.below(2000) == 0) thread_gone(thread_of(first_serial++));
    }
    loads.expect_same();
}

TEST(Counters, SmallRowsAreLeftOut) {
    set_context_depth(0);
    Loads loads(3);
    thread_runs(thread_of(1));
    const Value one{{1}};
    for (u32 i = 0; i < 200'000; ++i) {
        const SiteNumber number = site_of(i % 1000 == 0 ? 0x8000 + i : 0x7000, kTypes[3], {});
        const CounterSlot slot = slot_of(number);
        count(reinterpret_cast<u64*>(running_pieces[slot.piece] + slot.offset), kTypes[3], one.bytes);
        loads.account(number, thread_of(1), CallPath::Root, one);
    }
    CodeReport report;
    build(report);
    EXPECT_EQ(report.rows.size(), 1u);
    EXPECT_EQ(report.left_out, 200u);
    EXPECT_EQ(report.totals.integer.loads, 200'000u);
    loads.expect_same();
}

}  // namespace
