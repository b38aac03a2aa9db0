// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the pointer held by a string of the old layout (behind length, capacity and count) leads to its block, by
// the stdstring heuristic.
// EXPECT: nothing
#include <cstdlib>
#include "case.h"

// The layout of the reference-counted std::string: length, capacity, references, then the text.
struct Rep { unsigned long length, capacity; int references; };
static char* keep;

int main() {
    unsigned long capacity = 100;
    Rep* rep = static_cast<Rep*>(std::malloc(sizeof(Rep) + capacity + 1));
    rep->length = 5;
    rep->capacity = capacity;
    rep->references = 0;
    keep = reinterpret_cast<char*>(rep + 1);
    for (int i = 0; i < 6; i++) keep[i] = 0;
    ESCAPE(&keep);
}
// ARGS: --leak-check-heuristics=stdstring --show-leak-kinds=definite,possible
