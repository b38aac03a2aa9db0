// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: containers, smart pointers, functions and futures of the standard library leave no leak.
// COMPILE: gcc clang -O0 -O2 -pthread
// EXPECT: nothing
#include <any>
#include <deque>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
#include "case.h"

static std::map<int, std::string> global_map;

int main() {
    for (int i = 0; i < 200; i++) global_map[i] = std::string(static_cast<std::size_t>(i), 'x');
    std::vector<std::unique_ptr<std::list<int>>> lists;
    for (int i = 0; i < 20; i++) lists.push_back(std::make_unique<std::list<int>>(i, i));
    std::unordered_map<std::string, std::shared_ptr<std::deque<double>>> table;
    for (int i = 0; i < 100; i++) table[std::to_string(i)] = std::make_shared<std::deque<double>>(i, 0.5);
    std::any anything = std::string("some text that is too long for the small buffer");
    std::function<int(int)> add = [lists = std::make_shared<int>(5)](int n) { return n + *lists; };
    auto later = std::async(std::launch::async, [&] { return add(3); });
    std::ostringstream out;
    out << later.get() << ' ' << table.size() << std::any_cast<std::string>(anything);
    BRANCH_ON(out.str().size() == 10);
}
