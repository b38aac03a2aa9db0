// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an object held by a pointer to its second base is reachable by the multipleinheritance heuristic.
// EXPECT: nothing
#include "case.h"

struct One { virtual ~One() = default; virtual int one() { return 1; } long a = 1; };
struct Two { virtual ~Two() = default; virtual int two() { return 2; } long b = 2; };
struct Both : One, Two { long c = 3; };
static Two* keep;

int main() {
    keep = new Both;
    ESCAPE(&keep);
}
// ARGS: --leak-check-heuristics=multipleinheritance
