// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that a function's bare name is what its author calls it, whatever the demangler writes beside it.
#include "places/names.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace memspy::places {

const Object& object(ObjectId) { std::abort(); }  // no object is asked for here

namespace {

std::string bare(const char* name) {
    rt::Text text;
    add_bare_function(text, name);
    return text.c_str();
}

TEST(BareFunction, Names) {
    EXPECT_EQ(bare("main"), "main");
    EXPECT_EQ(bare("Queue::push(Job) const"), "Queue::push");
    EXPECT_EQ(bare("Queue::push(Job) const &"), "Queue::push");
    EXPECT_EQ(bare("pthread_mutex_lock@@GLIBC_2.2.5"), "pthread_mutex_lock@@GLIBC_2.2.5");
    EXPECT_EQ(bare("(anonymous namespace)::add(unsigned int)"), "(anonymous namespace)::add");
    EXPECT_EQ(bare("int (anonymous namespace)::add(unsigned int)"), "(anonymous namespace)::add");
    EXPECT_EQ(bare("state::counts"), "state::counts");
    EXPECT_EQ(bare("work.part.0"), "work.part.0");
    EXPECT_EQ(bare("<unknown>"), "<unknown>");
}

TEST(BareFunction, Templates) {
    EXPECT_EQ(bare("bool tbb::map<int, tbb::hash<int> >::lookup<true, int*(*)(int)>(int const&, int (*)(int))"),
              "tbb::map::lookup");
    EXPECT_EQ(bare("void run<std::pair<int, long> >(std::pair<int, long>)::step(int)"), "run::step");
}

TEST(BareFunction, Lambdas) {
    EXPECT_EQ(bare("auto main::{lambda()#1}::operator()() const::{lambda(auto:1 const&)#1}::operator()<tbb::range<unsigned "
                   "long> >(tbb::range<unsigned long> const&) const"),
              "main::{lambda#1}::{lambda#1}");
    EXPECT_EQ(bare("main::{lambda(int)#2}::operator()(int) const"), "main::{lambda#2}");
    EXPECT_EQ(bare("main::{lambda(int)#2}::_FUN(int)"), "main::{lambda#2}::_FUN");
}

TEST(BareFunction, Operators) {
    EXPECT_EQ(bare("Task::operator()() const"), "Task::operator()");
    EXPECT_EQ(bare("operator new[](unsigned long)"), "operator new[]");
    EXPECT_EQ(bare("std::ostream& operator<< <char>(std::ostream&, char)"), "operator<<");
    EXPECT_EQ(bare("Row::operator<(Row const&) const"), "Row::operator<");
    EXPECT_EQ(bare("Handle::operator->() const"), "Handle::operator->");
    EXPECT_EQ(bare("Handle::operator bool() const"), "Handle::operator bool");
    EXPECT_EQ(bare("my_operator(int)"), "my_operator");
}

}  // namespace
}  // namespace memspy::places
