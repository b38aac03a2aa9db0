// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: a vector is passed by value. FIXED: by reference.
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef FIXED
__attribute__((noinline)) static long at(const std::vector<long> &values, unsigned place) {
#else
__attribute__((noinline)) static long at(std::vector<long> values, unsigned place) {
#endif
    return values[place % values.size()] + values[place * 7 % values.size()];
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 300;
    std::vector<long> values;
    for (long i = 0; i < 2000; ++i)
        values.push_back(i * i);
    long sum = 0;
    for (int i = 0; i < rounds; ++i)
        sum += at(values, static_cast<unsigned>(i)); // WASTE: copied
    std::printf("%ld\n", sum);
}
