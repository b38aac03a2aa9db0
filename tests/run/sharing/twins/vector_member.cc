// SPDX-License-Identifier: GPL-2.0-or-later
// A class has a vector of cells, one for each thread.
// EXPECT: FalseSharing - 'Pad each element of 16 bytes to 64|Pad each element of .*16 bytes. to 64'
#include <memory>
#include <new>
#include <vector>

#include "../../include/workers.h"

// Begins at a line whatever its type.
template <typename T>
struct OnLines {
    using value_type = T;
    OnLines() = default;
    template <typename U>
    OnLines(const OnLines<U>&) {}
    T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(LINE))); }
    void deallocate(T* p, size_t) { ::operator delete(p, std::align_val_t(LINE)); }
    bool operator==(const OnLines&) const { return true; }
    bool operator!=(const OnLines&) const { return false; }
};
#ifdef MENDED
struct alignas(LINE) Cell {
#else
struct Cell {
#endif
    volatile long hits, misses;
};
class Cache {
public:
    Cache() : cells_(4), keys_(64) {}
    void add(int i) {
        cells_[i].hits = cells_[i].hits + 1;
        cells_[i].misses = cells_[i].misses + keys_[i];
    }

private:
    std::vector<Cell, OnLines<Cell>> cells_;
    std::vector<long, OnLines<long>> keys_;
};
static Cache* cache;

static void work(int index) {
    for (int i = 0; i < 1500; ++i) {
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other = other + n;
        cache->add(index);
    }
}

int main() {
    cache = new Cache;
    run_together(4, work);
    delete cache;
    return 0;
}
