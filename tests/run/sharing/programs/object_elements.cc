// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays that are members of an object on the heap, one of the language and one of the library: both have names and types, though
// the object is no array.
// EXPECT: FalseSharing 'heap block reactor of' 'Pad each element of reactor->tallies_ .16 bytes. to 64.*alignas.64. on struct Tally .object_elements.cc:[0-9]+.' several
// EXPECT: FalseSharing 'heap block tank of' 'Pad each element of tank->levels_ .8 bytes. to 64.*alignas.64. on struct Level .object_elements.cc:[0-9]+.' several
// What the library's headers have between the program's functions is no part of the stacks in text.
// LEAVES-OUT: 'std_thread\.h|invoke\.h|in .*libstdc'
#include <array>
#include <memory>
#include <thread>
#include <vector>

struct
#if defined(MENDED) && MENDED == 1
    alignas(64)
#endif
    Tally {
    volatile long collisions = 0, absorbed = 0;
};
struct
#if defined(MENDED) && MENDED == 2
    alignas(64)
#endif
    Level {
    volatile double height = 0;
};

class Reactor {
public:
    explicit Reactor(long seed) : seed_(seed) {}
    void transport(int worker) {
        for (long i = 0; i < 10000; ++i) {
            tallies_[worker].collisions = tallies_[worker].collisions + seed_;
            tallies_[worker].absorbed = tallies_[worker].absorbed + 1;
        }
    }

private:
    long seed_;
    Tally tallies_[8];
};

class Tank {
public:
    explicit Tank(double flow) : flow_(flow) {}
    void fill(int worker) {
        for (long i = 0; i < 10000; ++i) levels_[worker].height = levels_[worker].height + flow_;
    }

private:
    double flow_;
    std::array<Level, 12> levels_;
};

int main() {
    auto reactor = std::make_unique<Reactor>(3);
    Tank* const tank = new Tank(0.5);
    std::vector<std::thread> threads;
    for (int worker = 0; worker < 4; ++worker)
        threads.emplace_back([&reactor, tank, worker] {
            reactor->transport(worker);
            tank->fill(worker);
        });
    for (std::thread& thread : threads) thread.join();
    delete tank;
    return 0;
}
