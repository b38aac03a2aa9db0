// SPDX-License-Identifier: GPL-2.0-or-later
// Points are read one by one into a vector that nobody told how many there are.
#include <cstdio>
#include <vector>

struct Point {
    double x, y, z;
};

static std::vector<Point> read_points(int count) {
    std::vector<Point> points;
#ifdef FIXED
    points.reserve(static_cast<size_t>(count));
#endif
    for (int i = 0; i < count; ++i)
        points.push_back({i * .5, i * .25, i * .125});  // ADVICE: growth: reserve the size
    return points;
}

int main() {
    double sum = 0;
    for (int round = 0; round < 8; ++round)
        for (const Point& point : read_points(4000)) sum += point.x - point.y + point.z;
    printf("%g\n", sum);
}
