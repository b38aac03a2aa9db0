// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: a vector's elements are zero before each gets its value. FIXED: an array without initial values.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

static double means(const std::vector<int> &numbers, std::size_t window) {
    const std::size_t count = numbers.size() - window;
#ifdef FIXED
    const std::unique_ptr<double[]> result(new double[count]);
#else
    std::vector<double> result(count); // WASTE: initialised
#endif
    double sum = 0;
    for (std::size_t i = 0; i < window; ++i)
        sum += numbers[i];
    for (std::size_t i = 0; i < count; ++i) {
        result[i] = sum;
        sum += numbers[i + window] - numbers[i];
    }
    return result[count / 2];
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
    std::vector<int> numbers;
    for (int i = 0; i < 20000; ++i)
        numbers.push_back(i % 977);
    double sum = 0;
    for (int i = 0; i < rounds; ++i)
        sum += means(numbers, 10 + static_cast<std::size_t>(i % 7));
    std::printf("%g\n", sum);
}
