// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks that global variables hold, assigned in a function that may be inlined.
// EXPECT: FalseSharing 'heap block counts of' 'Pad each element of counts .8 bytes. to 64.*To change: (setup|main) .held_pointers.cc:27'
// EXPECT: FalseSharing 'heap block grid.cells of' 'Pad each element of grid.cells .8 bytes. to 64.*To change: ((Grid::)?resize|main) .held_pointers.cc:19'
#include <cstdlib>
#include <thread>
#include <vector>

#if defined(MENDED) && MENDED == 1
constexpr int kCountsStep = 8, kCellsStep = 1;
#elif defined(MENDED)
constexpr int kCountsStep = 1, kCellsStep = 8;
#else
constexpr int kCountsStep = 1, kCellsStep = 1;
#endif

struct Grid {
    volatile long* cells = nullptr;
    void resize(int size) { cells = static_cast<long*>(std::aligned_alloc(64, static_cast<size_t>(size) * 8)); }
};
static Grid grid;
volatile long* counts;
// Not the owner, although the blocks are allocated, inlined, on the lines where they are declared.
static long ends[4];

static void setup() {
    counts = static_cast<long*>(std::aligned_alloc(64, 4 * kCountsStep * 64));
    grid.resize(4 * kCellsStep * 8);
}

static void work(int index) {
    for (int i = 0; i < 20000; ++i) {
        counts[index * kCountsStep] = counts[index * kCountsStep] + 1;
        grid.cells[index * kCellsStep] = grid.cells[index * kCellsStep] + i;
    }
}

int main() {
    long first[4]; setup();
    for (int i = 0; i < 4; ++i) ends[i] = first[i] = counts[i * kCountsStep] = grid.cells[i * kCellsStep] = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) threads.emplace_back(work, index);
    for (std::thread& thread : threads) thread.join();
    return counts[3 * kCountsStep] == 20000 && ends[0] == first[3] ? 0 : 1;
}
