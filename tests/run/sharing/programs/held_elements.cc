// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays of structures, at whose allocations no variable is declared: a global pointer holds one, a container in main the other.
// Both have names and types all the same.
// EXPECT: FalseSharing 'heap block workers of' 'Pad each element of workers .24 bytes. to 64.*alignas.64. on Worker .held_elements.cc:[0-9]+.*To change: (setup|main)' apart
// EXPECT: FalseSharing 'heap block pool.records of' 'Pad each element of pool.records .16 bytes. to 64.*alignas.64. on struct Record .held_elements.cc:[0-9]+.*To change: (Pool|Pool::Pool|main)' apart
#include <thread>
#include <vector>

typedef struct
#if defined(MENDED) && MENDED == 1
    alignas(64)
#endif
{
    volatile long done;
    volatile int id;
    volatile double busy;
} Worker;
static Worker* workers;

struct
#if defined(MENDED) && MENDED == 2
    alignas(64)
#endif
    Record {
    volatile long count;
    volatile double total;
};

struct Pool {
    std::vector<Record> records;
    explicit Pool(int size) { records.resize(static_cast<size_t>(size)); }
};

static __attribute__((noinline)) void setup(int size) {
    workers = new Worker[static_cast<size_t>(size)]();
}

static void work(Pool& pool, int index) {
    for (int i = 0; i < 20000; ++i) {
        workers[index].done = workers[index].done + 1;
        workers[index].busy = workers[index].busy + 0.5;
        pool.records[index].count = pool.records[index].count + 1;
        pool.records[index].total = pool.records[index].total + i;
    }
}

int main() {
    setup(4);
    Pool pool(4);
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) threads.emplace_back(work, std::ref(pool), index);
    for (std::thread& thread : threads) thread.join();
    return workers[3].done == 20000 && pool.records[0].count == 20000 ? 0 : 1;
}
