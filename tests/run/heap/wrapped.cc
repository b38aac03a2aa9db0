// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a program of which all memory comes from one function of its own, by way of two others, runs with --heap-profile=yes
// beside the defects, without a report (heap_profile.py looks at the callers)
// COMPILE: gcc clang -O0 -O2
// ARGS: --heap-profile=yes --leak-check=no
// EXPECT: nothing
#include <cstdlib>

#define NOINLINE __attribute__((noinline))

static NOINLINE void* must(std::size_t bytes) {
    void* const block = std::malloc(bytes);
    if (block == nullptr) std::abort();
    return block;
}
static NOINLINE void* zeroed(std::size_t bytes) {
    char* const block = static_cast<char*>(must(bytes));
    for (std::size_t i = 0; i < bytes; ++i) block[i] = 0;
    return block;
}
static NOINLINE void* counted(std::size_t bytes) {
    static std::size_t all;
    all += bytes;
    return zeroed(bytes);
}
static NOINLINE void* make_node() { return counted(400); }
static NOINLINE void* make_name() { return counted(300); }
static NOINLINE void* make_table() { return counted(300); }

int main() {
    void* const all[] = {make_node(), make_name(), make_table()};
    for (void* const each : all) std::free(each);
    return 0;
}
