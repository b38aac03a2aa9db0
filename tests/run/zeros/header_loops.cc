// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: floats that a header's function loads where it is inlined are the program's own data, and its integers are not:
// PROVES: a sparse factor in std::inner_product is a finding at the call, the sizes of vectors are none
// ARGS: --zeros-errors=yes --contention=no
// COMPILE: gcc -O1 -O2
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
    constexpr int kCount = 20000, kRounds = 10;
    std::vector<double> factors(kCount), values(kCount);
    for (int i = 0; i < kCount; ++i) values[i] = 1.0 / (i + 3);
    for (int i = 0; i < kCount; i += 20) factors[i] = 1.0 / 3;
    std::vector<std::vector<double>> rows(kCount, std::vector<double>(1, 1.0 / 7));
    double sum = 0;
    std::size_t size = 0;
    for (int k = 0; k < kRounds; ++k) {
        sum += std::inner_product(factors.begin(), factors.end(), values.begin(), 0.0); /* expect: RedundantZeros text="double.*skip the calculation" */
        for (const std::vector<double>& row : rows) size += row.size();
    }
    std::printf("%g %zu\n", sum, size);
}
