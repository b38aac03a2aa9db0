// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the figures of memspy-machine's search are right: random geometries, simulated access by
// access, with noise, prefetchers, hashed sets, exclusive and pseudo-LRU caches, and pages at random places.
// The search may fail to find a figure, but it finds most of the first level. MACHINES=N in the environment
// tries N of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "machine/search.h"

namespace memspy::machine {
namespace {

enum class Policy { Lru, TreePlru };

struct SimulatedCache {
    u64 size = 0, line = 64, ways = 0;
    double ns = 0;
    Policy policy = Policy::Lru;
    bool hashed = false;     // upper address bits are included in the number of the set
    bool exclusive = false;  // holds only lines that the level before it evicted
    u64 slices = 1;          // a hash of the address selects one

    u64 sets() const { return size / line / ways; }
};

struct SimulatedTlb {
    u64 entries = 0, ways = 0;
    double ns = 0;  // cost of a miss in it
};

struct Geometry {
    std::vector<SimulatedCache> caches;
    std::vector<SimulatedTlb> tlbs;
    double memory_ns = 0;
    u64 page = 4096;
    bool scattered = false;  // pages are at random places, even if large ones are asked for
    bool next_line = false;  // a miss brings the next line, too
    double noise = 0.0;
    double unsteady = 0.0;  // this share of the measurements fails
    bool counted = false;   // 1 for a load that hits the first cache, 4 for another one, instead of its time
};

// Sets of at most 64 ways: tags in the order of use (LRU), or at fixed places with a tree of bits.
class Sets {
public:
    Sets(u64 sets, u64 ways, Policy policy)
        : sets_(sets),
          ways_(ways),
          policy_(policy),
          tags_(sets * ways, kNone),
          tree_(sets, 0),
          ages_(sets, 0) {}

    // Returns whether the line was there; it is then the one used last.
    bool touch(u64 set, u64 tag) {
        u64* const first = begin(set);
        for (u64 i = 0; i < ways_; ++i) {
            if (first[i] != tag) continue;
            used(set, i, tag);
            return true;
        }
        return false;
    }
    // Returns the evicted line.
    u64 insert(u64 set, u64 tag) {
        u64* const first = begin(set);
        if (policy_ == Policy::Lru) {
            const u64 victim = first[ways_ - 1];
            std::copy_backward(first, first + ways_ - 1, first + ways_);
            first[0] = tag;
            return victim;
        }
        u64 place = 0;
        for (place = 0; place < ways_; ++place)
            if (first[place] == kNone) break;
        if (place == ways_) {
            u64 node = 1;
            while (node < ways_) node = 2 * node + (tree_[set] >> node & 1);
            place = node - ways_;
        }
        const u64 victim = first[place];
        first[place] = tag;
        used(set, place, tag);
        return victim;
    }
    void remove(u64 set, u64 tag) {
        u64* const first = begin(set);
        for (u64 i = 0; i < ways_; ++i) {
            if (first[i] != tag) continue;
            if (policy_ == Policy::Lru) {
                std::copy(first + i + 1, first + ways_, first + i);
                first[ways_ - 1] = kNone;
            } else {
                first[i] = kNone;
            }
            return;
        }
    }
    // Sets are emptied when they are next accessed.
    void clear() { ++age_; }
    u64 sets() const { return sets_; }
    static constexpr u64 kNone = ~u64{0};

private:
    u64* begin(u64 set) {
        u64* const first = &tags_[set * ways_];
        if (ages_[set] != age_) {
            ages_[set] = age_;
            std::fill(first, first + ways_, kNone);
            tree_[set] = 0;
        }
        return first;
    }
    void used(u64 set, u64 place, u64 tag) {
        u64* const first = &tags_[set * ways_];
        if (policy_ == Policy::Lru) {
            std::copy_backward(first, first + place, first + place + 1);
            first[0] = tag;
            return;
        }
        // Every node on the way points to the other side.
        for (u64 node = place + ways_; node > 1; node /= 2) {
            const u64 bit = u64{1} << (node / 2);
            if (node % 2 == 0)
                tree_[set] |= bit;
            else
                tree_[set] &= ~bit;
        }
    }
    u64 sets_, ways_;
    Policy policy_;
    std::vector<u64> tags_;
    std::vector<u64> tree_, ages_;
    u64 age_ = 1;
};

class SimulatedWalker : public Walker {
public:
    SimulatedWalker(const Geometry& geometry, u64 seed) : geometry_(geometry), random_(seed) {
        for (const SimulatedCache& cache : geometry.caches)
            caches_.emplace_back(cache.sets(), cache.ways, cache.policy);
        for (const SimulatedTlb& tlb : geometry.tlbs)
            tlbs_.emplace_back(tlb.entries / tlb.ways, tlb.ways, Policy::Lru);
        frames_.resize(size() / geometry.page);
        for (u64 i = 0; i < frames_.size(); ++i) frames_[i] = i;
        scattered_ = frames_;
        std::shuffle(scattered_.begin(), scattered_.end(), random_);
    }

    std::optional<double> ns(std::span<const u64> offsets, PageKind memory, double) override {
        std::uniform_real_distribution<double> share(0, 1);
        if (share(random_) < geometry_.unsteady) return std::nullopt;
        for (Sets& sets : caches_) sets.clear();
        for (Sets& sets : tlbs_) sets.clear();
        const bool large = memory == PageKind::Large && !geometry_.scattered;
        const auto& frames = large ? frames_ : scattered_;
        for (int round = 0; round < 2; ++round)
            for (const u64 offset : offsets) load(offset, frames);
        double sum = 0;
        for (const u64 offset : offsets) {
            const u64 missed = missed_;
            const double time = load(offset, frames);
            sum += !geometry_.counted ? time : missed_ == missed ? 1 : 4;
        }
        std::normal_distribution<double> noise(0, geometry_.noise);
        return sum / static_cast<double>(offsets.size()) * (1 + std::abs(noise(random_)));
    }
    u64 size() const override { return u64{64} << 20; }
    u64 page() const override { return geometry_.page; }

private:
    u64 set_of(std::size_t level, u64 line) const {
        const SimulatedCache& cache = geometry_.caches[level];
        const u64 sets = cache.sets();
        if (cache.slices > 1) {
            const u64 mixed = line * 0x9e3779b97f4a7c15u;
            const u64 of_a_slice = sets / cache.slices;
            return (mixed >> 40) % cache.slices * of_a_slice + line % of_a_slice;
        }
        if (cache.hashed) {
            const u64 bits = static_cast<u64>(std::bit_width(sets) - 1);
            return (line ^ line >> bits ^ line >> (2 * bits)) % sets;
        }
        return line % sets;
    }

    double load(u64 offset, const std::vector<u64>& frames) {
        const u64 page = offset / geometry_.page;
        const u64 address = frames[page] * geometry_.page + offset % geometry_.page;
        double time = 0;
        for (std::size_t i = 0; i < tlbs_.size(); ++i) {
            Sets& tlb = tlbs_[i];
            if (tlb.touch(page % tlb.sets(), page)) break;
            tlb.insert(page % tlb.sets(), page);
            time += geometry_.tlbs[i].ns;
        }
        for (std::size_t i = 0;; ++i) {
            if (i == caches_.size()) {
                time += geometry_.memory_ns;
                bring(address, i);
                if (geometry_.next_line && caches_.size() > 1) {
                    const u64 next = address / geometry_.caches[1].line + 1;
                    if (!caches_[1].touch(set_of(1, next), next)) caches_[1].insert(set_of(1, next), next);
                }
                return time;
            }
            const u64 line = address / geometry_.caches[i].line;
            if (!caches_[i].touch(set_of(i, line), line)) {
                missed_ += i == 0;
                continue;
            }
            time += geometry_.caches[i].ns;
            if (geometry_.caches[i].exclusive) caches_[i].remove(set_of(i, line), line);
            bring(address, i);
            return time;
        }
    }

    // Inserts the line into all levels before `level`. A line evicted from the level before an exclusive one
    // goes into that.
    void bring(u64 address, std::size_t level) {
        for (std::size_t i = level; i-- > 0;) {
            const SimulatedCache& cache = geometry_.caches[i];
            if (cache.exclusive) continue;
            const u64 line = address / cache.line;
            const u64 victim = caches_[i].insert(set_of(i, line), line);
            if (victim == Sets::kNone || i + 1 >= caches_.size() || !geometry_.caches[i + 1].exclusive)
                continue;
            const u64 evicted = victim * cache.line / geometry_.caches[i + 1].line;
            if (!caches_[i + 1].touch(set_of(i + 1, evicted), evicted))
                caches_[i + 1].insert(set_of(i + 1, evicted), evicted);
        }
    }

    Geometry geometry_;
    u64 missed_ = 0;  // the first cache
    std::mt19937_64 random_;
    std::vector<Sets> caches_, tlbs_;
    std::vector<u64> frames_, scattered_;
};

template <typename T>
T one_of(std::mt19937_64& random, std::initializer_list<T> list) {
    return *(list.begin() + static_cast<long>(random() % list.size()));
}

Geometry random_geometry(u64 seed) {
    std::mt19937_64 random(seed);
    Geometry g;
    const auto chance = [&](double share) {
        return std::uniform_real_distribution<double>(0, 1)(random) < share;
    };
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    const u64 line = chance(0.85) ? 64 : one_of<u64>(random, {32, 128});
    // First level: powers of two, and 48 kB of 12 ways.
    SimulatedCache first;
    first.line = line;
    if (chance(0.2)) {
        first.size = 48 << 10;
        first.ways = 12;
    } else {
        first.size = one_of<u64>(random, {8, 16, 32, 64, 128}) << 10;
        first.ways = one_of<u64>(random, {2, 4, 8, 16});
        while (first.size / first.ways > 64 << 10) first.ways *= 2;
    }
    first.ns = between(0.8, 2);
    if (std::has_single_bit(first.ways) && chance(0.3)) first.policy = Policy::TreePlru;
    g.caches.push_back(first);
    SimulatedCache second;
    second.line = line;
    if (chance(0.2)) {
        second.size = 1280 << 10;
        second.ways = 20;
    } else {
        second.ways = one_of<u64>(random, {4, 8, 12, 16});
        second.size = one_of<u64>(random, {256, 512, 1024, 2048}) << 10;
        if (second.ways == 12) second.size = second.size / 4 * 3;
        if (second.size < 4 * first.size) second.size *= 4;
    }
    second.ns = first.ns * between(2.5, 4);
    if (std::has_single_bit(second.ways) && chance(0.3)) second.policy = Policy::TreePlru;
    second.hashed = chance(0.2);
    second.exclusive = second.size >= 8 * first.size && second.policy == Policy::Lru && chance(0.15);
    g.caches.push_back(second);
    g.memory_ns = second.ns * between(10, 20);
    if (chance(0.8)) {
        SimulatedCache third;
        third.line = line;
        if (chance(0.3)) {
            third.size = 36 << 20;
            third.ways = 12;
            third.slices = 12;
        } else {
            third.size = one_of<u64>(random, {4, 8, 16, 32}) << 20;
            third.ways = 16;
            third.slices = one_of<u64>(random, {1, 8});
        }
        third.ns = second.ns * between(2.5, 4);
        g.caches.push_back(third);
    }
    const u64 ways = one_of<u64>(random, {4, 8});
    g.tlbs.push_back({one_of<u64>(random, {32, 48, 64, 96}), 0, first.ns * between(1, 2)});
    g.tlbs[0].ways = chance(0.5) ? g.tlbs[0].entries : 4;
    if (chance(0.8))
        g.tlbs.push_back({one_of<u64>(random, {512, 1024, 1536, 2048}), ways, first.ns * between(6, 15)});
    g.page = chance(0.85) ? 4096 : 16384;
    g.scattered = chance(0.4);
    g.next_line = chance(0.4);
    g.noise = chance(0.5) ? 0.01 : 0.002;
    g.unsteady = chance(0.3) ? 0.05 : 0;
    return g;
}

struct Verdict {
    int right = 0, unknown = 0, wrong = 0;
    void add(const Figure<u64>& figure, u64 truth, u64 slack = 0) {
        if (!figure)
            ++unknown;
        else if (*figure + slack >= truth && *figure <= truth + slack)
            ++right;
        else
            ++wrong;
    }
};

std::string text_of(const Geometry& g) {
    std::string text;
    for (const SimulatedCache& c : g.caches)
        text += std::to_string(c.size >> 10) + "K/" + std::to_string(c.ways) + "w/" + std::to_string(c.line) +
                "b " + std::to_string(c.ns) + "ns" + (c.policy == Policy::Lru ? " lru" : " plru") +
                (c.hashed ? " hashed" : "") + (c.exclusive ? " exclusive" : "") +
                (c.slices > 1 ? " sliced" : "") + "; ";
    for (const SimulatedTlb& t : g.tlbs)
        text += "tlb " + std::to_string(t.entries) + "/" + std::to_string(t.ways) + "; ";
    return text + "page " + std::to_string(g.page) + (g.scattered ? " scattered" : "") +
           (g.next_line ? " next-line" : "") + " noise " + std::to_string(g.noise);
}

std::string text_of(const MeasuredHierarchy& h) {
    std::string text;
    const auto figure = [](const Figure<u64>& f) { return f ? std::to_string(*f) : "? (" + f.how + ")"; };
    for (const CacheLevel& c : h.caches)
        text += "\n    L" + std::to_string(c.level) + " size " + figure(c.size) + " ways " + figure(c.ways) +
                " line " + figure(c.line) + " ns " + std::to_string(*c.latency_ns);
    for (const TlbLevel& t : h.tlbs) text += "\n    TLB" + std::to_string(t.level) + " " + figure(t.entries);
    return text;
}

TEST(MachineSearch, FindsRandomHierarchiesOrSaysThatItDoesNot) {
    const int machines = std::getenv("MACHINES") != nullptr ? std::atoi(std::getenv("MACHINES")) : 4;
    const int first_machine = std::getenv("FIRST") != nullptr ? std::atoi(std::getenv("FIRST")) : 0;
    const bool loud = std::getenv("LOUD") != nullptr;
    int all_right = 0;
    Verdict first, second, last, buffers;
    for (int i = first_machine; i < first_machine + machines; ++i) {
        const Geometry g = random_geometry(static_cast<u64>(i));
        SimulatedWalker walker(g, static_cast<u64>(i) + 7);
        const MeasuredHierarchy found = search_again(walker, Deadline(1e6), static_cast<u64>(i));
        Verdict here[4];
        const CacheLevel none;
        for (std::size_t level = 0; level < g.caches.size(); ++level) {
            const CacheLevel& cache = level < found.caches.size() ? found.caches[level] : none;
            Verdict& verdict = here[std::min<std::size_t>(level, 2)];
            verdict.add(cache.size, g.caches[level].size, level == 2 ? g.caches[level].size / 10 : 0);
            verdict.add(cache.ways, g.caches[level].ways);
            verdict.add(cache.line, g.caches[level].line);
        }
        for (std::size_t level = 0; level < g.tlbs.size(); ++level) {
            const bool known = level < found.tlbs.size();
            here[3].add(known ? found.tlbs[level].entries : Figure<u64>(), g.tlbs[level].entries,
                        g.tlbs[level].entries / 16);
        }
        const bool wrong = here[0].wrong + here[1].wrong + here[2].wrong + here[3].wrong > 0;
        if (here[0].right == 3 && here[1].right == 3 && !wrong) ++all_right;
        if (wrong || (loud && (here[0].unknown || here[1].unknown)))
            std::printf("machine %d: %s\n  found:%s\n", i, text_of(g).c_str(), text_of(found).c_str());
        Verdict* const sums[] = {&first, &second, &last, &buffers};
        for (int part = 0; part < 4; ++part) {
            sums[part]->right += here[part].right;
            sums[part]->unknown += here[part].unknown;
            sums[part]->wrong += here[part].wrong;
        }
    }
    std::printf(
        "all of two levels right: %d of %d; figures right/not found/wrong: first level %d/%d/%d, second "
        "%d/%d/%d, "
        "third %d/%d/%d, TLB entries %d/%d/%d\n",
        all_right, machines, first.right, first.unknown, first.wrong, second.right, second.unknown,
        second.wrong, last.right, last.unknown, last.wrong, buffers.right, buffers.unknown, buffers.wrong);
    EXPECT_EQ(first.wrong + second.wrong + last.wrong + buffers.wrong, 0);
    EXPECT_GE(first.right, first.unknown);
}

// The first cache from a counter of its misses, as memspy-machine uses the processor's where it may.
TEST(MachineSearch, FindsTheFirstCacheFromCounts) {
    Verdict verdict;
    for (u64 i = 0; i < 12; ++i) {
        Geometry g = random_geometry(i);
        g.counted = true;
        g.noise = 0;
        SimulatedWalker walker(g, i + 3);
        const MeasuredHierarchy found = search(walker, i);
        const CacheLevel first = found.caches.empty() ? CacheLevel() : found.caches[0];
        verdict.add(first.size, g.caches[0].size);
        verdict.add(first.line, g.caches[0].line);
        verdict.add(first.ways, g.caches[0].ways);
    }
    EXPECT_EQ(verdict.wrong, 0);
    EXPECT_GE(verdict.right, 2 * verdict.unknown);
}

}  // namespace
}  // namespace memspy::machine
