// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a static C++ program with threads, exceptions, streams and locales is silent; new and delete are seen.
// COMPILE: gcc -O0 -O2 -static -pthread
#include <cstdio>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include "case.h"

int main() {
    std::map<std::string, std::vector<int>> numbers;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; i++) {
                std::lock_guard<std::mutex> guard(mutex);
                numbers["a name of some length " + std::to_string(i % 7)].push_back(t * i);
            }
        });
    for (std::thread& thread : threads) thread.join();
    std::ostringstream text;
    try {
        text << numbers.size() << ' ' << 2.5 << std::endl;
        throw std::runtime_error(text.str());
    } catch (const std::exception& error) {
        if (std::string(error.what()) != "7 2.5\n") return 1;
    }
    char* array = new char[33];  /* label: array */
    *const_cast<volatile char*>(array + HIDE(33)) = 1;  /* expect: InvalidWrite alloc=array */
    delete array;  /* expect: MismatchedFree alloc=array */
    return 0;
}
