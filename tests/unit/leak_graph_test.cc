// SPDX-License-Identifier: GPL-2.0-or-later
//
// The leak graph against a plain model: kinds, cliques and their bytes, heuristics, the index of blocks,
// sizes at which recursion or quadratic work would show; and the search for defined words.
#include "analyses/defects/leak_graph.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "analyses/defects/leak_words.h"
#include "options.h"

namespace {

using namespace memspy;
using defects::FoundWord;
using defects::Heuristic;
using defects::kNoBlock;
using defects::LeakGraph;
using defects::Reach;

int failures = 0;

#define EXPECT(condition)                                                              \
    do {                                                                               \
        if (!(condition)) {                                                            \
            std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);        \
            if (++failures > 20) std::exit(1);                                         \
        }                                                                              \
    } while (false)

// Simulated client memory: words that exist are usable.
struct World {
    struct Node {
        Address payload;
        usize size;
    };
    std::vector<Node> nodes;  // ascending
    std::map<Address, u64> words;
    std::set<Address> tables;
    std::vector<u64> roots;
    u64 reads = 0;  // words handed out

    Address add(Address payload, usize size) {
        nodes.push_back({payload, size});
        return payload;
    }

    static usize read(void* self, Address& at, Address end, FoundWord* out, usize capacity) {
        World& world = *static_cast<World*>(self);
        usize count = 0;
        auto word = world.words.lower_bound(at);
        for (; word != world.words.end() && word->first + 8 <= end; ++word) {
            if (count == capacity) {
                at = word->first;
                return count;
            }
            out[count++] = {word->first, word->second};
            ++world.reads;
        }
        at = end;
        return count;
    }
    static bool read_word(void* self, Address at, u64& value) {
        World& world = *static_cast<World*>(self);
        auto word = world.words.find(at);
        if (word == world.words.end()) return false;
        value = word->second;
        return true;
    }
    static bool is_table(void* self, Address at) { return static_cast<World*>(self)->tables.count(at) != 0; }

    defects::WordReader reader() { return {read, read_word, is_table, this}; }

    void fill(LeakGraph& graph) {
        u32 tag = 100;
        for (const Node& node : nodes) graph.add_block(node.payload, node.size, tag++);
        graph.prepare();
        for (u64 word : roots) graph.root(word);
        graph.solve();
    }
};

// The same results computed in the slow, obvious way.
class Model {
public:
    Model(const World& world, u32 heuristics) : world_(world), heuristics_(heuristics) {
        usize count = world.nodes.size();
        std::vector<bool> reachable(count), reached(count);
        from_reachable_start.assign(count, false);
        for (u64 root : world.roots) reach(root, reachable, true);
        for (u64 root : world.roots) reach(root, reached, false);
        for (usize i = 0; i < count; ++i)
            kinds.push_back(reachable[i] ? Reach::Reachable : reached[i] ? Reach::Possible : Reach::Definite);
        owner.assign(count, kNoBlock);
        for (usize i = 0; i < count; ++i) {
            if (kinds[i] != Reach::Definite) continue;
            std::set<usize> entered = {i};
            collect(i, i, entered);
        }
    }

    usize find(u64 word) const {
        for (usize i = 0; i < world_.nodes.size(); ++i) {
            const auto& node = world_.nodes[i];
            if (word >= node.payload && word < node.payload + (node.size ? node.size : 1)) return i;
        }
        return kNoBlock;
    }

    // All heuristics that accept `word` as a start pointer.
    u32 heuristics_for(usize block, u64 word) const {
        const auto& node = world_.nodes[block];
        auto get = [this](Address at, u64& value) {
            auto found = world_.words.find(at);
            return found != world_.words.end() && ((value = found->second), true);
        };
        u64 a = 0, b = 0;
        u32 set = 0;
        u64 offset = word - node.payload;
        if (offset == 24 && get(node.payload, a) && get(node.payload + 8, b) && a <= b && b + 25 == node.size)
            set |= kStdString;
        if (offset == 8 && get(node.payload, a) && a > 0 && a + 8 == node.size) set |= kLength64;
        if (offset == 8 && get(node.payload, a) && a > 0 && (node.size - 8) % a == 0) set |= kNewArray;
        if (word % 8 == 0 && offset != 0 && get(node.payload, a) && get(word, b) && world_.tables.count(a) &&
            world_.tables.count(b))
            set |= kMultipleInheritance;
        if (offset == 16 && get(node.payload, a) && a > 0 && a * 16 + 32 == node.size) set |= kThreadVector;
        return set & heuristics_;
    }

    std::vector<Reach> kinds;
    std::vector<u32> owner;                  // leader of an Indirect block
    std::vector<bool> from_reachable_start;  // has a start pointer in a root or a Reachable block

private:
    void reach(u64 word, std::vector<bool>& done, bool exact) {
        usize block = find(word);
        if (block == kNoBlock) return;
        if (exact && word == world_.nodes[block].payload) from_reachable_start[block] = true;
        if (exact && word != world_.nodes[block].payload && heuristics_for(block, word) == 0) return;
        if (done[block]) return;
        done[block] = true;
        each_word(block, [&](u64 inner) { reach(inner, done, exact); });
    }

    void collect(usize leader, usize block, std::set<usize>& entered) {
        each_word(block, [&](u64 word) {
            usize target = find(word);
            if (target == kNoBlock || kinds[target] != Reach::Definite || entered.count(target)) return;
            entered.insert(target);
            kinds[target] = Reach::Indirect;
            for (u32& other : owner)
                if (other == target) other = static_cast<u32>(leader);
            owner[target] = static_cast<u32>(leader);
            collect(leader, target, entered);
        });
    }

    template <typename F>
    void each_word(usize block, F f) const {
        const auto& node = world_.nodes[block];
        auto word = world_.words.lower_bound(node.payload);
        for (; word != world_.words.end() && word->first + 8 <= node.payload + node.size; ++word) f(word->second);
    }

    const World& world_;
    u32 heuristics_;
};

void compare(World& world, u32 heuristics) {
    LeakGraph graph(world.reader(), heuristics);
    world.fill(graph);
    Model model(world, heuristics);
    EXPECT(graph.blocks().size() == world.nodes.size());

    std::vector<u64> indirect(world.nodes.size());
    for (usize i = 0; i < world.nodes.size(); ++i)
        if (model.owner[i] != kNoBlock) indirect[model.owner[i]] += world.nodes[i].size;
    u64 lost = 0, counted = 0;
    for (usize i = 0; i < world.nodes.size(); ++i) {
        const LeakGraph::GraphBlock& block = graph.blocks()[i];
        EXPECT(block.payload == world.nodes[i].payload && block.size == world.nodes[i].size);
        EXPECT(block.tag == 100 + i);
        EXPECT(block.reach == model.kinds[i]);
        if (block.reach == Reach::Definite) {
            EXPECT(block.indirect_bytes == indirect[i]);
            counted += block.size + block.indirect_bytes;
        }
        if (block.reach == Reach::Definite || block.reach == Reach::Indirect) lost += block.size;
        if (block.reach == Reach::Indirect) {
            // Following found_from must end at a leader.
            u32 at = static_cast<u32>(i);
            for (usize steps = 0; graph.blocks()[at].reach == Reach::Indirect && steps <= world.nodes.size(); ++steps)
                at = graph.blocks()[at].found_from;
            EXPECT(graph.blocks()[at].reach == Reach::Definite);
            EXPECT(at == model.owner[i]);
        }
        bool needs_heuristic = block.reach == Reach::Reachable && !model.from_reachable_start[i];
        EXPECT((block.heuristic != Heuristic::None) == needs_heuristic);
        EXPECT((heuristic_bit(block.heuristic) & ~heuristics) == 0);
    }
    EXPECT(lost == counted);
}

// Random graphs with start and interior pointers, cycles, shared parts, numbers that fit heuristics and
// holes of undefined words give the model's kinds, cliques and bytes.
void test_random(u32 seed) {
    std::mt19937_64 random(seed);
    auto below = [&random](u64 n) { return random() % n; };
    World world;
    usize count = 1 + below(60);
    Address at = 0x4000000 + 16 * below(100);
    for (usize i = 0; i < count; ++i) {
        static const usize kSizes[] = {0, 1, 7, 8, 16, 24, 33, 40, 41, 64, 100, 256};
        usize size = kSizes[below(std::size(kSizes))];
        world.add(at, size);
        at += (size + 16 + 15) / 16 * 16 + (below(10) == 0 ? 0x100000 * below(50) : 0);
    }
    world.tables = {0x10000, 0x10040, 0x20000};
    u64 density = 1 + below(6);
    auto pointer = [&]() -> u64 {
        const auto& node = world.nodes[below(count)];
        switch (below(7)) {
            case 0: return node.payload + below(node.size + 3);  // interior, or just behind
            case 1: return node.payload + 8;
            case 2: return node.payload + 24;
            case 3: return node.payload - 1 - below(8);
            case 4: return node.payload + 16;
            default: return node.payload;
        }
    };
    for (const auto& node : world.nodes) {
        for (Address word = node.payload; word + 8 <= node.payload + node.size; word += 8) {
            u64 kind = below(10);
            if (kind < density)
                world.words[word] = pointer();
            else if (kind == 7)
                world.words[word] = below(2) ? 1 + below(4) : below(2) ? node.size - 8 * below(3) : node.size / 16 - below(3);
            else if (kind == 8)
                world.words[word] = below(2) ? 0x10000 : 0x20000;
            else if (kind == 9)
                world.words[word] = random();
        }
    }
    for (u64 roots = below(5); roots > 0; --roots) world.roots.push_back(pointer());
    compare(world, below(3) == 0 ? 0 : below(2) ? u32{kAllHeuristics} : static_cast<u32>(below(kAllHeuristics + 1)));
}

// Blocks that the random test rarely makes: each kind by its textbook example.
void test_kinds() {
    World world;
    Address a = world.add(0x1000, 16), b = world.add(0x2000, 16), c = world.add(0x3000, 32),
            d = world.add(0x4000, 0), e = world.add(0x5000, 16), f = world.add(0x6000, 8);
    world.add(0x7000, 24);
    world.roots = {a, c + 8, d};
    world.words[a] = b;          // Reachable through a
    world.words[c + 16] = f;     // Possible through an interior pointer
    world.words[e] = e;          // points at itself: still its clique's leader
    world.words[e + 8] = 0x7000; // Indirect
    LeakGraph graph(world.reader(), 0);
    world.fill(graph);
    const Reach expected[] = {Reach::Reachable, Reach::Reachable, Reach::Possible, Reach::Reachable,
                              Reach::Definite,  Reach::Possible,  Reach::Indirect};
    for (usize i = 0; i < std::size(expected); ++i) EXPECT(graph.blocks()[i].reach == expected[i]);
    EXPECT(graph.blocks()[4].indirect_bytes == 24);
    EXPECT(graph.blocks()[6].found_from == 4);
}

// A later leader takes over an earlier one with everything it collected; nothing is counted twice.
void test_merged_cliques() {
    World world;
    for (usize i = 0; i < 4; ++i) world.add(0x1000 * (i + 1), 16);
    world.words[0x1000] = 0x2000;  // 1 -> 2: first clique
    world.words[0x3000] = 0x1000;  // 3 -> 1: takes it over
    world.words[0x4000] = 0x2000;  // 4 -> 2: too late
    LeakGraph graph(world.reader(), 0);
    world.fill(graph);
    EXPECT(graph.blocks()[0].reach == Reach::Indirect && graph.blocks()[0].indirect_bytes == 0);
    EXPECT(graph.blocks()[1].reach == Reach::Indirect);
    EXPECT(graph.blocks()[2].reach == Reach::Definite && graph.blocks()[2].indirect_bytes == 32);
    EXPECT(graph.blocks()[3].reach == Reach::Definite && graph.blocks()[3].indirect_bytes == 0);
}

// Each heuristic accepts its own layout, only if it is asked for, and not similar ones.
void test_heuristics() {
    struct Case {
        const char* what;
        usize size;
        std::map<usize, u64> words;  // by offset
        usize offset;                // of the root's pointer
        u32 fits;                    // heuristics that apply
    };
    const u64 table = 0x10000, no_table = 0x30000;
    const std::vector<Case> cases = {
        {"string", 24 + 10 + 1, {{0, 4}, {8, 10}}, 24, kStdString},
        {"string, longer than its capacity", 24 + 10 + 1, {{0, 11}, {8, 10}}, 24, 0},
        {"string, capacity of another block", 24 + 10 + 2, {{0, 4}, {8, 10}}, 24, 0},
        {"string, undefined length", 24 + 10 + 1, {{8, 10}}, 24, 0},
        {"string, pointer into the characters", 24 + 10 + 1, {{0, 4}, {8, 10}}, 25, 0},
        {"length, also one element of that many bytes", 8 + 100, {{0, 100}}, 8, kLength64 | kNewArray},
        {"length that counts itself", 8 + 100, {{0, 108}}, 8, 0},
        {"array of 3 x 16", 8 + 48, {{0, 3}}, 8, kNewArray},
        {"array of none", 8 + 48, {{0, 0}}, 8, 0},
        {"array that does not divide", 8 + 48, {{0, 5}}, 8, 0},
        {"array, undefined number", 8 + 48, {}, 8, 0},
        {"array, pointer to the second element", 8 + 48, {{0, 3}}, 24, 0},
        {"second base", 48, {{0, table}, {16, table}}, 16, kMultipleInheritance},
        {"second base, at the block's end", 24, {{0, table}, {16, table}}, 16, kMultipleInheritance},
        {"second base without functions", 48, {{0, table}, {16, no_table}}, 16, 0},
        {"first base without functions", 48, {{0, no_table}, {16, table}}, 16, 0},
        {"vector of 18 modules", 20 * 16, {{0, 18}}, 16, kThreadVector},
        {"vector of one more", 20 * 16, {{0, 19}}, 16, 0},
        {"vector, pointer to its third pair", 20 * 16, {{0, 18}}, 32, 0},
        {"vector and half a pair", 20 * 16 + 8, {{0, 18}}, 16, 0},
        {"unaligned base", 48, {{0, table}, {16, table}}, 17, 0},
    };
    for (const Case& c : cases) {
        for (u32 set = 0; set <= kAllHeuristics; ++set) {
            World world;
            world.tables = {table};
            Address payload = world.add(0x5000, c.size);
            for (auto [offset, value] : c.words) world.words[payload + offset] = value;
            world.roots = {payload + c.offset};
            LeakGraph graph(world.reader(), set);
            world.fill(graph);
            bool reachable = graph.blocks()[0].reach == Reach::Reachable;
            bool right = reachable == ((c.fits & set) != 0) && (reachable || graph.blocks()[0].reach == Reach::Possible) &&
                         (heuristic_bit(graph.blocks()[0].heuristic) & ~(c.fits & set)) == 0;
            if (!right) std::printf("heuristics %u on %s\n", set, c.what);
            EXPECT(right);
        }
    }
}

// A start pointer found after an interior one clears the heuristic, so that the summary does not count it.
void test_heuristic_cleared() {
    World world;
    Address a = world.add(0x5000, 8 + 48);
    world.words[a] = 3;
    world.roots = {a + 8, a};
    LeakGraph graph(world.reader(), kAllHeuristics);
    world.fill(graph);
    EXPECT(graph.blocks()[0].reach == Reach::Reachable && graph.blocks()[0].heuristic == Heuristic::None);
}

// find() agrees with a linear search on dense, sparse and lopsided layouts.
void test_find(u32 seed) {
    std::mt19937_64 random(seed);
    World world;
    Address at = 0x10000;
    usize count = 1 + random() % 200;
    for (usize i = 0; i < count; ++i) {
        usize size = random() % 20 == 0 ? random() % 0x40000000 : random() % 200;
        world.add(at, size);
        at += (size ? size : 1) + random() % 40 + (random() % 30 == 0 ? random() % 0x100000000 : 0);
    }
    LeakGraph graph(world.reader(), 0);
    world.fill(graph);
    Model model(world, 0);
    auto try_at = [&](Address a) { EXPECT(graph.find(a) == static_cast<u32>(model.find(a))); };
    for (const auto& node : world.nodes) {
        for (Address a : {node.payload - 1, node.payload, node.payload + node.size / 2, node.payload + node.size - 1,
                          node.payload + node.size})
            try_at(a);
    }
    for (int i = 0; i < 300; ++i) try_at(0x10000 + random() % (at - 0x10000));
    try_at(0);
    try_at(~Address{0});
}

// A list, a ring and a random graph of 300,000 blocks each: no recursion, each word read twice at most.
void test_large() {
    constexpr usize kCount = 300'000;
    std::mt19937_64 random(7);
    for (int shape = 0; shape < 4; ++shape) {
        // A plain vector instead of the map: this test is about the graph's own time.
        static std::vector<u64> words;
        words.assign(kCount * 4, 0);
        static u64 reads;
        reads = 0;
        constexpr Address kBase = 0x4000000;
        auto address_of = [](usize block) { return kBase + block * 48; };
        for (usize i = 0; i < kCount; ++i) {
            usize next = shape == 3 ? random() % kCount : (i + 1) % kCount;
            if (next != 0 || shape != 0) words[i * 4 + 1] = address_of(next) + (shape == 2 ? 8 : 0);
            if (shape == 3) words[i * 4 + 2] = address_of(random() % kCount);
        }
        defects::WordReader reader = {
            [](void*, Address& at, Address end, FoundWord* out, usize capacity) {
                usize count = 0;
                for (; at + 8 <= end && count < capacity; at += 8, ++count, ++reads)
                    out[count] = {at, words[(at - kBase) / 48 * 4 + (at - kBase) % 48 / 8]};
                return count;
            },
            [](void*, Address at, u64& value) {
                value = words[(at - kBase) / 48 * 4 + (at - kBase) % 48 / 8];
                return true;
            },
            [](void*, Address) { return false; }, nullptr};
        for (bool rooted : {false, true}) {
            reads = 0;
            LeakGraph graph(reader, kAllHeuristics);
            auto begin = std::chrono::steady_clock::now();
            for (usize i = 0; i < kCount; ++i) graph.add_block(address_of(i), 32, 0);
            graph.prepare();
            if (rooted) graph.root(address_of(0));
            graph.solve();
            auto spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            EXPECT(reads <= 2 * 4 * kCount);
            EXPECT(spent < 20);  // a quadratic walk would take hours
            usize kinds[defects::kReachKinds] = {};
            u64 counted = 0;
            for (const auto& block : graph.blocks()) {
                ++kinds[static_cast<usize>(block.reach)];
                if (block.reach == Reach::Definite) counted += block.size + block.indirect_bytes;
            }
            if (!rooted) EXPECT(counted == kCount * 32);
            if (shape < 2 && rooted) EXPECT(kinds[0] == kCount);
            if (shape < 2 && !rooted) EXPECT(kinds[3] == 1 && kinds[2] == kCount - 1);
            if (shape == 2 && rooted) EXPECT(kinds[0] == 1 && kinds[1] == kCount - 1);
            if (shape == 3 && rooted) EXPECT(kinds[0] > kCount / 2);
        }
    }
}

// next() finds exactly the aligned words that are defined in every byte.
void test_defined_words(u32 seed) {
    std::mt19937_64 random(seed);
    constexpr Address kBase = 0x70000000;
    constexpr usize kBytes = 4 << 16;
    std::vector<u8> states(kBytes);
    for (int i = 0; i < 40; ++i) {
        usize begin = random() % kBytes;
        usize bytes = random() % (i % 4 == 0 ? 0x20000 : 100);
        if (bytes > kBytes - begin) bytes = kBytes - begin;
        u8 state = static_cast<u8>(random() % 4);
        std::memset(states.data() + begin, state, bytes);
        shadow::set_range(kBase + begin, bytes, static_cast<shadow::State>(state));
    }
    defects::DefinedWords words;
    Address begin = kBase + random() % 50, end = kBase + kBytes - random() % 50;
    Address at = begin;
    for (Address word = (begin + 7) & ~Address{7}; word + 8 <= end; word += 8) {
        bool defined = true;
        for (usize i = 0; i < 8; ++i) defined = defined && states[word - kBase + i] == 0;
        EXPECT(defects::DefinedWords::defined(word) == defined);
        if (!defined) continue;
        at = words.next(at, end);
        EXPECT(at == word);
        at += 8;
    }
    EXPECT(words.next(at, end) == end);
    shadow::set_range(kBase, kBytes, shadow::State::Fine);
}

// 15 GB of uninitialised memory with three defined words: they are found without reading all of it.
void test_huge_block() {
    constexpr Address kBase = 0x100000010;
    constexpr usize kBytes = usize{15} << 30;
    shadow::set_range(kBase, kBytes, shadow::State::Uninitialised);
    usize leaves = shadow::leaf_count();
    const Address defined[] = {kBase + 8, kBase + (usize{7} << 30) + 16, kBase + kBytes - 8};
    for (Address word : defined) shadow::set_range(word, 8, shadow::State::Fine);
    EXPECT(shadow::leaf_count() <= leaves + 3);
    auto begin = std::chrono::steady_clock::now();
    defects::DefinedWords words;
    Address at = kBase;
    for (Address word : defined) {
        at = words.next(at, kBase + kBytes);
        EXPECT(at == word);
        at += 8;
    }
    EXPECT(words.next(at, kBase + kBytes) == kBase + kBytes);
    auto spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT(spent < 1);
    shadow::set_range(kBase, kBytes, shadow::State::Fine);
}

}  // namespace

int main() {
    shadow::initialise();
    test_kinds();
    test_merged_cliques();
    test_heuristics();
    test_heuristic_cleared();
    for (u32 seed = 1; seed <= 4000; ++seed) test_random(seed);
    for (u32 seed = 1; seed <= 60; ++seed) test_find(seed);
    for (u32 seed = 1; seed <= 20; ++seed) test_defined_words(seed);
    test_huge_block();
    test_large();
    std::printf("leak graph: %d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
