// SPDX-License-Identifier: GPL-2.0-or-later
// Two objects that are made in an array of bytes, as a pool does: the array's element has no meaning, so the bytes are told.
// EXPECT: FalseSharing arena '[Pp]ut bytes 8\.\.15 \(thread 2\), bytes 40\.\.4[37] \(thread 3\) of arena on lines of their own.*'
#include <cstddef>
#include <new>
#include <pthread.h>

struct Counter {
    volatile long name, hits;
};
struct Gauge {
    volatile long unit;
    volatile long level;
};
constexpr std::size_t kLine = 64;
alignas(kLine) static std::byte arena[4 * kLine];
#if defined(MENDED)
constexpr std::size_t kGauge = 2 * kLine;
#else
constexpr std::size_t kGauge = 32;
#endif
static Counter* counter;
static Gauge* gauge;

static void* count(void*) {
    for (int i = 0; i < 30000; ++i) counter->hits = counter->hits + 1;
    return nullptr;
}
static void* measure(void*) {
    for (int i = 0; i < 30000; ++i) gauge->level = gauge->level + 3;
    return nullptr;
}

int main() {
    counter = new (arena) Counter{};
    gauge = new (arena + kGauge) Gauge{};
    pthread_t a, b;
    pthread_create(&a, nullptr, count, nullptr);
    pthread_create(&b, nullptr, measure, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
}
