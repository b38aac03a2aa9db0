// SPDX-License-Identifier: GPL-2.0-or-later
// A vector is made anew for each row of a table.
#include <cstdio>
#include <vector>

static double row_sum(int row, [[maybe_unused]] std::vector<double>& kept) {
#ifdef FIXED
    std::vector<double>& values = kept;
    values.assign(12, 0);
#else
    std::vector<double> values(12);  // ADVICE: temporary: keep one block
#endif
    for (int i = 0; i < 12; ++i) values[static_cast<size_t>(i)] = row * i;
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
}

int main() {
    std::vector<double> kept;
    double sum = 0;
    for (int row = 0; row < 20000; ++row) sum += row_sum(row, kept);
    printf("%g\n", sum);
}
