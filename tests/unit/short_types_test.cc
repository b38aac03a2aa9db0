// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that types lose the standard library's default arguments and inline namespaces and nothing else, as gcc and clang
// (libstdc++, libc++) write them; and that what is no type is unchanged.
#include "report/names/short_types.h"

#include <gtest/gtest.h>

namespace memspy::report::names {
namespace {

constexpr const char* kString = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";

TEST(ShortTypes, DefaultArgumentsGo) {
    EXPECT_EQ(short_type(kString), "std::string");
    EXPECT_EQ(short_type("std::vector<int, std::allocator<int> >"), "std::vector<int>");
    EXPECT_EQ(short_type("std::__1::vector<int, std::__1::allocator<int>>"), "std::vector<int>");
    EXPECT_EQ(short_type("std::map<" + std::string(kString) + ", int, std::less<" + kString +
                         " >, std::allocator<std::pair<const " + kString + ", int> > >"),
              "std::map<std::string, int>");
    EXPECT_EQ(short_type("std::_Rb_tree_node<std::pair<const " + std::string(kString) + ", int> >"),
              "std::_Rb_tree_node<std::pair<const std::string, int>>");
    EXPECT_EQ(short_type("std::unique_ptr<Node, std::default_delete<Node> >"), "std::unique_ptr<Node>");
    EXPECT_EQ(short_type("std::unordered_map<int, long, std::hash<int>, std::equal_to<int>, "
                         "std::allocator<std::pair<const int, long> > >"),
              "std::unordered_map<int, long>");
    EXPECT_EQ(short_type("std::basic_ostream<wchar_t, std::char_traits<wchar_t> >"), "std::wostream");
    EXPECT_EQ(short_type("std::basic_string_view<char, std::char_traits<char> >[4]"), "std::string_view[4]");
}

TEST(ShortTypes, WhatTheProgramChoseStays) {
    EXPECT_EQ(short_type("std::map<int, int, std::greater<int>, std::allocator<std::pair<const int, int> > >"),
              "std::map<int, int, std::greater<int>>");
    EXPECT_EQ(short_type("std::set<int, std::less<int>, Arena<int> >"), "std::set<int, std::less<int>, Arena<int>>");
    EXPECT_EQ(short_type("std::vector<int, pool::allocator<int> >"), "std::vector<int, pool::allocator<int>>");
    EXPECT_EQ(short_type("Table<int, std::allocator<int> >"), "Table<int, std::allocator<int>>");
    EXPECT_EQ(short_type("std::allocator<int>"), "std::allocator<int>");
    EXPECT_EQ(short_type("std::basic_string<char, Traits, std::allocator<char> >"), "std::basic_string<char, Traits>");
    EXPECT_EQ(short_type("my::__1::Type"), "my::__1::Type");
}

TEST(ShortTypes, OtherTextIsUnchanged) {
    for (const char* text : {"", "unsigned long", "struct point *", "Array<3, (Kind)1>::Row", "std::function<void(int, char)>",
                             "bool (*)(const Row&, const Row&)", "a < b", "operator>", "std::vector<int", "Row>", ">"})
        EXPECT_EQ(short_type(text), text);
}

}  // namespace
}  // namespace memspy::report::names
