// SPDX-License-Identifier: GPL-2.0-or-later
// An array that a member of a local object holds.
// EXPECT: FalseSharing 'of' 'Pad each element of board(.cells_)? .16 bytes. to 64.*alignas.64. on struct Cell.*To change: (Board|Board::Board|main) .member_elements.cc:[0-9]+'
// TELLS: 'alignas.64. on struct Cell'
#include <thread>
#include <vector>

#ifdef MENDED
struct alignas(64) Cell {
#else
struct Cell {
#endif
    volatile long moves;
    volatile double value;
};

class Board {
    Cell* cells_;

public:
    explicit Board(int size)
        : cells_(new Cell[static_cast<size_t>(size)]()) {}
    ~Board() { delete[] cells_; }
    void move(int index, double by) {
        cells_[index].moves = cells_[index].moves + 1;
        cells_[index].value = cells_[index].value + by;
    }
    long moves(int index) const { return cells_[index].moves; }
};

int main() {
    Board board(4);
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index)
        threads.emplace_back([&board, index] {
            for (int i = 0; i < 20000; ++i) board.move(index, i);
        });
    for (std::thread& thread : threads) thread.join();
    return board.moves(3) == 20000 ? 0 : 1;
}
