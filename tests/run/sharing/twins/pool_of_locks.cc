// SPDX-License-Identifier: GPL-2.0-or-later
// An array of locks with what they protect; threads mostly take different ones.
// EXPECT: - buckets '.'
#include <mutex>
#include "../../include/workers.h"
struct
#ifdef MENDED
    alignas(64)
#endif
        Bucket {
    std::mutex lock;
    long entries = 0;
};
alignas(64) static Bucket buckets[8];

static void work(int index) {
    unsigned random = static_cast<unsigned>(index) + 5;
    for (int i = 0; i < 1500; ++i) {
        random = random * 1103515245u + 12345u;
        Bucket& bucket = buckets[random >> 20 & 7];
        std::lock_guard<std::mutex> hold(bucket.lock);
        bucket.entries += 1;
        volatile int other = 0;
        for (int k = 0; k < 10; ++k) other = other + k;
    }
}

int main() {
    run_together(4, work);
    return buckets[0].entries > 0 ? 0 : 1;
}
