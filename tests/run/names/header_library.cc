// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block that a library of headers allocates goes by the program's line that asked for it, and by the variable there,
// PROVES: although the library's functions are compiled into the program
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: COUNT=20000
// SHARING: FalseSharing text="heap block box of main .header_library.cc:[0-9]+"
#include <cstddef>
// clang-format off
# 20 "/usr/include/boxes/box.h"
class Box {
    long* cells_;
    __attribute__((noinline)) static long* get(std::size_t size) { return new long[size](); }

public:
    __attribute__((noinline)) explicit Box(std::size_t size) : cells_(get(size)) {}
    __attribute__((noinline)) ~Box() { delete[] cells_; }
    long& operator[](std::size_t index) { return cells_[index]; }
};
# 21 "header_library.cc"
// clang-format on
#include "workers.h"

static Box* shared;

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) INCREMENT((*shared)[static_cast<std::size_t>(index)]);
}

int main() {
    Box box(8);
    shared = &box;
    run_together(3, work);
    return 0;
}
