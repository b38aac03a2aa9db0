// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves: what is an address of the program's and what is a number: by single values, by the counters of a load and by
// the words of an array's elements.
#include "analyses/zeros/client_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "analyses/zeros/pattern.h"
#include "analyses/zeros/sites.h"
#include "instrument/zeros/byte_marks.h"

namespace {

using namespace memspy;
using namespace memspy::zeros;

constexpr Address kBegin = 0x400000, kEnd = 0x430000;

class ClientMemory : public testing::Test {
protected:
    void SetUp() override { client_has(kBegin, kEnd - kBegin); }
};

bool loads_numbers(const std::vector<u64>& values) {
    constexpr ValueType type(instrument::ElementKind::Integer, 8, 1, true);
    u64 counters[instrument::counters_of(type)] = {};
    for (const u64 value : values) count(counters, type, &value);
    LoadCounts counts;
    sum(counters, type, &counts);
    EXPECT_EQ(counts.elements, values.size());
    return counts.numbers;
}

TEST_F(ClientMemory, ValuesAreInMemoryOfTheProgram) {
    EXPECT_TRUE(may_be_address(kBegin));
    EXPECT_TRUE(may_be_address(kEnd - 1));
    EXPECT_FALSE(may_be_address(kBegin - 1));
    EXPECT_FALSE(may_be_address(kEnd));
    EXPECT_FALSE(may_be_address(0));
    EXPECT_FALSE(may_be_address(kBegin | u64{1} << 32));
    EXPECT_FALSE(may_be_address(kBegin | u64{1} << 60));
    EXPECT_FALSE(may_be_address(~u64{0}));
    const Address last = (Address{1} << instrument::kMarkAddressBits) - 1;
    client_has(last - 9, 20);
    EXPECT_TRUE(may_be_address(last));
    EXPECT_FALSE(may_be_address(last + 1));
}

TEST_F(ClientMemory, LoadsOfNumbers) {
    EXPECT_FALSE(loads_numbers({}));
    EXPECT_FALSE(loads_numbers({0, 0}));
    EXPECT_FALSE(loads_numbers({0, kBegin, kBegin + 8}));
    EXPECT_TRUE(loads_numbers({kBegin, 7}));
    EXPECT_TRUE(loads_numbers({7, kBegin}));
    // Of each width the last value decides.
    EXPECT_TRUE(loads_numbers({kBegin, kEnd}));
    EXPECT_FALSE(loads_numbers({kEnd, kBegin}));
}

struct Name {
    u64 length;
    const void* text;
};

Columns all_but_low_byte() {
    Columns columns{.stride = sizeof(Name)};
    for (u32 i = 1; i < 16; ++i)
        if (i != 8) columns.set_redundant(i);
    return columns;
}

Columns left(const std::vector<Name>& names) {
    const auto begin = reinterpret_cast<Address>(names.data());
    return without_addresses(all_but_low_byte(), begin, begin + names.size() * sizeof(Name));
}

TEST_F(ClientMemory, ColumnsOfAddressesAreLeftOut) {
    auto* const text = reinterpret_cast<const void*>(kBegin);
    Columns columns = left({{1, text}, {2, nullptr}, {3, text}});
    EXPECT_TRUE(columns.is_redundant(7));
    for (u32 i = 8; i < 16; ++i) EXPECT_FALSE(columns.is_redundant(i));
    // One number, or nothing at all, shows no address.
    columns = left({{1, text}, {2, reinterpret_cast<const void*>(Address{5})}});
    EXPECT_TRUE(columns.is_redundant(15));
    columns = left({{1, nullptr}, {2, nullptr}});
    EXPECT_TRUE(columns.is_redundant(15));
    // Both words.
    columns = left({{kBegin, text}, {kBegin, text}});
    EXPECT_EQ(columns.stride, 0u);
}

}  // namespace
