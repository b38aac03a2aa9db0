// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a sized delete with the right size is silent, including one for a base with a virtual destructor.
// EXPECT: nothing
#include <string>
#include <vector>
#include "case.h"

struct Base { virtual ~Base() = default; int a = 1; };
struct Derived : Base { std::string text = std::string(100, 'x'); std::vector<int> numbers = {1, 2, 3}; };

int main() {
    Base* base = HIDE(static_cast<Base*>(new Derived));
    delete base;
}
