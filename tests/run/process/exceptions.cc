// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: C++ exceptions thrown through frames with undefined values are silent and leave no leak.
// COMPILE: gcc clang -O0 -O2
// EXPECT: nothing
#include <stdexcept>
#include <string>
#include <vector>
#include "case.h"

NOINLINE static int thrower(int n, const int* undefined) {
    std::vector<int> guard(10, n);
    int copy = undefined[n % 4];
    ESCAPE(&copy);
    if (n % 3 == 0) throw std::runtime_error("number " + std::to_string(n) + " of a rather long message");
    if (n % 3 == 1) throw n;
    return guard[3];
}

int main() {
    int* undefined = HIDE(new int[4]);
    int caught = 0;
    for (int n = 0; n < 60; n++) {
        try {
            caught += thrower(n, undefined) == n;
        } catch (const std::exception& error) {
            caught += std::string(error.what()).size() > 10;
        } catch (int number) {
            caught += number == n;
        }
    }
    delete[] undefined;
    return caught != 60;
}
