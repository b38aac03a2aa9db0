// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: what a header's function does where it is inlined stands at the program's line that calls it
// ARGS: --locality=exact --zeros=no --contention=no --leak-check=no
// COMPILE: gcc clang -O1
// LOCALITY: line header_loops.cc:16 accesses>=40000 spatial>=0.9
// LOCALITY: line header_loops.cc:21 accesses>=40000 spatial<=0.1
// EXPECT: nothing
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

constexpr int kCount = 200;

static double in_rows(const std::vector<double>& grid) {
    return std::accumulate(grid.begin(), grid.end(), 0.0);
}

static double in_columns(const std::vector<double>& grid) {
    double sum = 0;
    for (int j = 0; j < kCount; ++j) for (int i = 0; i < kCount; ++i) sum = std::plus<>()(sum, grid[i * kCount + j]);
    return sum;
}

int main() {
    std::vector<double> grid(kCount * kCount, 0.5);
    std::printf("%g %g\n", in_rows(grid), in_columns(grid));
}
