// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that a function's bare name is what its author calls it, whatever the demangler writes beside it.
#include "places/names.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "rt/function_name.h"

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
    EXPECT_EQ(bare("main::{lambda(int)#2}::_FUN(int)"), "main::{lambda#2}");
    EXPECT_EQ(bare("main::{lambda(int)#2}::operator()(int) const [clone .constprop.0]"), "main::{lambda#2}");
    EXPECT_EQ(bare("(anonymous namespace)::S<int>::get(int) const::{lambda(int)#1}::operator()(int) const"),
              "(anonymous namespace)::S::get::{lambda#1}");
    EXPECT_EQ(bare("main::$_1::operator()(int) const"), "main::{lambda}");
    EXPECT_EQ(bare("main::$_1::__invoke(int)"), "main::{lambda}");
    EXPECT_EQ(bare("int call<main::$_0>(main::$_0, int)"), "call");
    EXPECT_EQ(bare("main::$_2"), "main::$_2");
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

TEST(BareFunction, PartsAndCopies) {
    EXPECT_EQ(bare("work.part.0"), "work");
    EXPECT_EQ(bare("main.cold"), "main");
    EXPECT_EQ(bare("work.constprop.0.isra.0"), "work");
    EXPECT_EQ(bare("work.cold.1"), "work");
    EXPECT_EQ(bare("work.lto_priv.12"), "work");
    EXPECT_EQ(bare("grow(List*) [clone .part.0] [clone .cold]"), "grow");
    EXPECT_EQ(bare("std::to_string[abi:cxx11](int)"), "std::to_string");
    // Other languages join names by points.
    EXPECT_EQ(bare("main.colder"), "main.colder");
    EXPECT_EQ(bare("sheet.part.total"), "sheet.part.total");
    EXPECT_EQ(bare("main.destroy"), "main.destroy");
}

TEST(BareFunction, Coroutines) {
    EXPECT_EQ(bare("read(File) [clone .actor]"), "read");
    EXPECT_EQ(bare("coro(coro(int*)::_Z4coroPi.Frame*) [clone .destroy]"), "coro");
    EXPECT_EQ(bare("read(File) [clone .resume]"), "read");
}

TEST(BareFunction, OpenMPRegions) {
    EXPECT_EQ(bare("main._omp_fn.0"), "main");
    EXPECT_EQ(bare("solve(double*, int) [clone ._omp_fn.1]"), "solve");
    EXPECT_EQ(bare("main.omp_outlined"), "main");
    EXPECT_EQ(bare(".omp_outlined."), "OpenMP region");
    EXPECT_EQ(bare(".omp_outlined._debug__.12"), "OpenMP region");
    EXPECT_EQ(bare(".omp.reduction.reduction_func"), "OpenMP region");
}

TEST(BareFunction, Initialisers) {
    EXPECT_EQ(bare("__static_initialization_and_destruction_0(int, int)"), "static initialiser");
    EXPECT_EQ(bare("_GLOBAL__sub_I_words.cpp"), "static initialiser");
    EXPECT_EQ(bare("__cxx_global_var_init.3"), "static initialiser");
    EXPECT_TRUE(rt::is_nameless("__cxx_global_var_init.3"));
    EXPECT_TRUE(rt::is_nameless("UnknownInlinedFun"));
    EXPECT_FALSE(rt::is_nameless("UnknownFun"));
    EXPECT_EQ(bare("__tls_init_tp"), "__tls_init_tp");
}

TEST(BareFunction, Rust) {
    EXPECT_EQ(bare("app::run::{{closure}}::h0123456789abcdef"), "app::run::{{closure}}");
    EXPECT_EQ(bare("<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop::h0123456789abcdef"),
              "<alloc::vec::Vec as core::ops::drop::Drop>::drop");
    EXPECT_EQ(bare("<std::sync::once::Once>::call_once::<std::rt::cleanup::{closure#0}>::{closure#0}"),
              "<std::sync::once::Once>::call_once::{closure#0}");
    EXPECT_EQ(bare("call_once<fn(&str) -> alloc::boxed::Box<str, alloc::alloc::Global>, (&str)>"), "call_once");
    EXPECT_EQ(bare("table::hash"), "table::hash");
    EXPECT_EQ(bare("table::h0123456789abcdef0"), "table::h0123456789abcdef0");
}

TEST(NamesAllocator, WhereverTheWordStands) {
    EXPECT_TRUE(rt::names_allocator("xmalloc"));
    EXPECT_TRUE(rt::names_allocator("Pool::Alloc(unsigned long)"));
    EXPECT_TRUE(rt::names_allocator("deALLOCate"));
    EXPECT_FALSE(rt::names_allocator("deflateInit2_"));
    EXPECT_FALSE(rt::names_allocator("call_al"));
}

}  // namespace
}  // namespace memspy::places
