// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the extension shows: two threads count in two members of a heap block; a table holds small
// numbers; freed memory is read.
#include <cstdio>
#include <thread>

struct Stats {
    long completed;
    long rejected;
};

struct JobQueue {
    int pending[16];
    Stats stats;
    void complete() { stats.completed++; }
    void reject() { stats.rejected++; }
};

static JobQueue* queue;
alignas(64) static long sizes[4096];

static long sum_of_sizes() {
    long sum = 0;
    for (long size : sizes) sum += size;
    return sum;
}

int main() {
    queue = new JobQueue{};
    for (int i = 0; i < 4096; i++) sizes[i] = i % 100;
    std::thread first([] {
        for (int i = 0; i < 100000; i++) queue->complete();
    });
    std::thread second([] {
        for (int i = 0; i < 100000; i++) queue->reject();
    });
    first.join();
    second.join();
    int* late = new int[4];
    delete[] late;
    printf("%ld %d\n", sum_of_sizes(), late[1]);
    delete queue;
}
