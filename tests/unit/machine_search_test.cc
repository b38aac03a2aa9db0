// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the figures of memspy-machine's search are right: random geometries, simulated access by
// access, with noise, prefetchers, hashed sets, exclusive and pseudo-LRU caches, and pages at random places.
// The search may fail to find a figure, but it finds most of the first level. MACHINES=N in the environment
// tries N of them, from FIRST= on. Of 4,000 with older searches some 20 figures were wrong; each led to a check.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <span>
#include <utility>
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
    u64 ways() const { return ways_; }
    Policy policy() const { return policy_; }
    bool operator==(const Sets&) const = default;
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

// In a cyclic walk, a set whose lines all fit never misses, and one with more lines than ways, each loaded once in a
// round, always does where the line used longest ago is replaced. So most walks need no simulation: what misses is told
// set by set, and is the walk of the next level. Loads are simulated one by one where a set's lines are loaded more than
// once in a round or its policy is another one, and where sets depend on each other: a cache that gets what another
// evicts, and a prefetcher.
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

    std::optional<double> ns(std::span<const u64> offsets, PageKind memory, double,
                             std::optional<u64> beside) override {
        std::uniform_real_distribution<double> share(0, 1);
        if (share(random_) < geometry_.unsteady) return std::nullopt;
        const bool large = memory == PageKind::Large && !geometry_.scattered;
        const auto& frames = large ? frames_ : scattered_;
        std::vector<u64> pages, addresses;
        addresses.reserve(offsets.size());
        const int shift = std::countr_zero(geometry_.page);
        const auto add = [&](u64 page, u64 place) {
            if (pages.empty() || pages.back() != page) pages.push_back(page);
            addresses.push_back(frames[page] << shift | place);
        };
        for (const u64 offset : offsets) {
            const u64 place = offset & (geometry_.page - 1);
            if (beside) add(*beside, place);
            add(offset >> shift, place);
        }
        const double sum =
            geometry_.counted ? counted(addresses) : time_of_pages(pages) + time_of_lines(addresses);
        std::normal_distribution<double> noise(0, geometry_.noise);
        return sum / static_cast<double>(offsets.size()) * (1 + std::abs(noise(random_)));
    }
    u64 size() const override { return u64{64} << 20; }
    u64 page() const override { return geometry_.page; }

private:
    using Walk = std::vector<u64>;
    // Rounds before the one that is timed. A tree of bits needs some until it misses each time.
    static constexpr int kRounds = 2, kRoundsOfTrees = 20;

    double time_of_pages(Walk pages) {
        double time = 0;
        for (std::size_t i = 0; i < tlbs_.size() && !pages.empty(); ++i) {
            pages = missing(tlbs_[i], pages, 1, [&](u64 page) { return page % tlbs_[i].sets(); });
            time += static_cast<double>(pages.size()) * geometry_.tlbs[i].ns;
        }
        return time;
    }

    Walk missing_lines(std::size_t level, const Walk& walk, Walk* evicted = nullptr) {
        return missing(
            caches_[level], walk, geometry_.caches[level].line, [&](u64 line) { return set_of(level, line); },
            evicted);
    }

    // For a cache that gives a line back when it is loaded, and gets instead what the level before evicts then.
    Walk missing_evicted(std::size_t level, const Walk& walk, const Walk& evicted) {
        Sets& cache = caches_[level];
        const u64 line = geometry_.caches[level].line;
        std::vector<std::uint32_t> lines(cache.sets());
        ++stamp_;
        for (const u64 address : walk) {
            const u64 number = address / line;
            if (number >= seen_.size()) seen_.resize(2 * number + 1, 0);
            lines[set_of(level, number)] += seen_[number] != stamp_;
            seen_[number] = stamp_;
        }
        Walk missed;
        cache.clear();
        for (int round = 0; round <= kRounds; ++round)
            for (std::size_t i = 0; i < walk.size(); ++i) {
                const u64 loaded = walk[i] / line, set = set_of(level, loaded),
                          other = set_of(level, evicted[i]);
                if (lines[set] > cache.ways()) {
                    if (cache.touch(set, loaded))
                        cache.remove(set, loaded);
                    else if (round == kRounds)
                        missed.push_back(walk[i]);
                }
                if (lines[other] > cache.ways() && !cache.touch(other, evicted[i]))
                    cache.insert(other, evicted[i]);
            }
        return missed;
    }

    double counted(const Walk& addresses) {
        const auto misses = static_cast<double>(missing_lines(0, addresses).size());
        return static_cast<double>(addresses.size()) + 3 * misses;
    }

    double time_of_lines(const Walk& addresses) {
        double time = 0, time_of_first = 0;
        Walk walk = addresses, of_second, evicted;
        for (std::size_t i = 0; i < caches_.size(); ++i) {
            const bool fills_next = i + 1 < caches_.size() && geometry_.caches[i + 1].exclusive;
            Walk next = geometry_.caches[i].exclusive
                            ? missing_evicted(i, walk, evicted)
                            : missing_lines(i, walk, fills_next ? &evicted : nullptr);
            time += static_cast<double>(walk.size() - next.size()) * geometry_.caches[i].ns;
            if (i == 0) {
                of_second = next;
                time_of_first = time;
            }
            walk = std::move(next);
        }
        if (walk.empty() || !geometry_.next_line || caches_.size() == 1)
            return time + static_cast<double>(walk.size()) * geometry_.memory_ns;
        // A line that always stays in the first cache decides what that evicts.
        if (geometry_.caches[1].exclusive) return each_alone(addresses, 0);
        return time_of_first + each_alone(of_second, 1);
    }

    // The addresses that miss in the steady state, in their order; `evicted`: the line that each of them replaces.
    template <typename SetOf>
    Walk missing(Sets& cache, const Walk& walk, u64 line, const SetOf& set_of_line, Walk* evicted = nullptr) {
        if (evicted) evicted->clear();
        begins_.assign(cache.sets() + 1, 0);
        lines_.resize(walk.size());
        sets_.resize(walk.size());
        const int shift = std::countr_zero(line);
        bool all_fit = true;
        for (std::size_t i = 0; i < walk.size(); ++i) {
            lines_[i] = walk[i] >> shift;
            sets_[i] = static_cast<std::uint32_t>(set_of_line(lines_[i]));
            all_fit &= ++begins_[sets_[i]] <= cache.ways();
        }
        if (all_fit) return {};
        // The loads of each set, one after the other.
        std::inclusive_scan(begins_.begin(), begins_.end(), begins_.begin());
        by_set_.resize(walk.size());
        for (std::size_t i = walk.size(); i-- > 0;) by_set_[--begins_[sets_[i]]] = static_cast<std::uint32_t>(i);
        victims_.assign(walk.size(), Sets::kNone);
        ++stamp_;
        Sets one(1, cache.ways(), cache.policy());
        for (u64 set = 0; set < cache.sets(); ++set) {
            const std::span<const std::uint32_t> loads(by_set_.begin() + begins_[set],
                                                       by_set_.begin() + begins_[set + 1]);
            if (loads.size() > cache.ways()) replace_in_set(one, loads);
        }
        Walk missed;
        for (std::size_t i = 0; i < walk.size(); ++i) {
            if (victims_[i] == Sets::kNone) continue;
            missed.push_back(walk[i]);
            if (evicted) evicted->push_back(victims_[i]);
        }
        return missed;
    }

    // Sets victims_ of those of one set's loads that miss in the steady state; `cache`: a single set.
    void replace_in_set(Sets& cache, std::span<const std::uint32_t> loads) {
        const u64 ways = cache.ways();
        u64 different = 0;
        for (const std::uint32_t i : loads) {
            if (lines_[i] >= seen_.size()) seen_.resize(2 * lines_[i] + 1, 0);
            different += seen_[lines_[i]] != stamp_;
            seen_[lines_[i]] = stamp_;
        }
        if (different <= ways) return;
        if (cache.policy() == Policy::Lru && different == loads.size()) {
            for (std::size_t i = 0; i < loads.size(); ++i)
                victims_[loads[i]] = lines_[loads[(i + loads.size() - ways) % loads.size()]];
            return;
        }
        cache.clear();
        Sets before = cache;
        int left = cache.policy() == Policy::Lru ? kRounds : kRoundsOfTrees;
        // Once the set is as it was some rounds before, it will be so again after as many.
        for (int rounds = 1, since = 0;; ++rounds, --left) {
            for (const std::uint32_t i : loads)
                victims_[i] = cache.touch(0, lines_[i]) ? Sets::kNone : cache.insert(0, lines_[i]);
            ++since;
            if (cache == before) left %= since;
            if (left == 0) return;
            if (std::has_single_bit(static_cast<unsigned>(rounds))) {
                before = cache;
                since = 0;
            }
        }
    }

    // Nanoseconds for the walk from the cache `first` on, load by load.
    double each_alone(const Walk& walk, std::size_t first) {
        for (Sets& sets : caches_) sets.clear();
        const bool trees = first == 0 && geometry_.caches[0].policy != Policy::Lru;
        double time = 0;
        for (int round = 0; round <= (trees ? kRoundsOfTrees : kRounds); ++round) {
            time = 0;
            for (const u64 address : walk) time += load(address, first);
        }
        return time;
    }

    u64 set_of(std::size_t level, u64 line) const {
        const SimulatedCache& cache = geometry_.caches[level];
        const u64 sets = caches_[level].sets();
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

    double load(u64 address, std::size_t first) {
        for (std::size_t i = first;; ++i) {
            if (i == caches_.size()) {
                bring(address, i, first);
                if (geometry_.next_line && caches_.size() > 1) {
                    const u64 next = address / geometry_.caches[1].line + 1;
                    if (!caches_[1].touch(set_of(1, next), next)) caches_[1].insert(set_of(1, next), next);
                }
                return geometry_.memory_ns;
            }
            const u64 line = address / geometry_.caches[i].line;
            if (!caches_[i].touch(set_of(i, line), line)) continue;
            if (geometry_.caches[i].exclusive) caches_[i].remove(set_of(i, line), line);
            bring(address, i, first);
            return geometry_.caches[i].ns;
        }
    }

    // Inserts the line into all levels from `first` to before `level`. A line evicted from the level before an
    // exclusive one goes into that.
    void bring(u64 address, std::size_t level, std::size_t first) {
        for (std::size_t i = level; i-- > first;) {
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
    std::mt19937_64 random_;
    std::vector<Sets> caches_, tlbs_;
    std::vector<u64> frames_, scattered_;
    // Of missing(): by load, where a set's loads begin, and the loads by set.
    std::vector<u64> lines_, victims_;
    std::vector<std::uint32_t> sets_, begins_, by_set_;
    std::vector<std::uint32_t> seen_;  // by line: the last call that saw it
    std::uint32_t stamp_ = 0;
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

// Of the sizes that were not found.
struct Bounds {
    int told = 0, none = 0, wrong = 0;
    double parts = 0;  // sum of the logarithms of bound / size
    void add(const CacheLevel& cache, u64 truth) {
        if (cache.size) return;
        if (!cache.at_least) {
            ++none;
            return;
        }
        ++(*cache.at_least > truth ? wrong : told);
        parts += std::log(static_cast<double>(*cache.at_least) / static_cast<double>(truth));
    }
};

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

// Its size and ways.
Verdict on_second_cache(const MeasuredHierarchy& found, const Geometry& g) {
    Verdict verdict;
    verdict.add(found.caches[1].size, g.caches[1].size);
    verdict.add(found.caches[1].ways, g.caches[1].ways);
    return verdict;
}

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
                " line " + figure(c.line) +
                (c.size ? "" : " at least " + figure(c.at_least)) + " ns " + std::to_string(*c.latency_ns);
    for (const TlbLevel& t : h.tlbs) text += "\n    TLB" + std::to_string(t.level) + " " + figure(t.entries);
    return text;
}

TEST(MachineSearch, FindsRandomHierarchiesOrSaysThatItDoesNot) {
    const int machines = std::getenv("MACHINES") != nullptr ? std::atoi(std::getenv("MACHINES")) : 12;
    const int first_machine = std::getenv("FIRST") != nullptr ? std::atoi(std::getenv("FIRST")) : 0;
    const bool loud = std::getenv("LOUD") != nullptr;
    int all_right = 0;
    Verdict first, second, last, buffers;
    Bounds all_bounds;
    for (int i = first_machine; i < first_machine + machines; ++i) {
        const Geometry g = random_geometry(static_cast<u64>(i));
        SimulatedWalker walker(g, static_cast<u64>(i) + 7);
        const MeasuredHierarchy found = search_again(walker, Deadline(1e6), static_cast<u64>(i));
        Verdict here[4];
        const CacheLevel none;
        Bounds bounds;
        for (std::size_t level = 0; level < g.caches.size(); ++level) {
            const CacheLevel& cache = level < found.caches.size() ? found.caches[level] : none;
            Verdict& verdict = here[std::min<std::size_t>(level, 2)];
            verdict.add(cache.size, g.caches[level].size);
            bounds.add(cache, g.caches[level].size);
            verdict.add(cache.ways, g.caches[level].ways);
            verdict.add(cache.line, g.caches[level].line);
        }
        for (std::size_t level = 0; level < g.tlbs.size(); ++level) {
            const bool known = level < found.tlbs.size();
            here[3].add(known ? found.tlbs[level].entries : Figure<u64>(), g.tlbs[level].entries,
                        g.tlbs[level].entries / 16);
        }
        const bool wrong = here[0].wrong + here[1].wrong + here[2].wrong + here[3].wrong + bounds.wrong > 0;
        all_bounds.told += bounds.told;
        all_bounds.none += bounds.none;
        all_bounds.wrong += bounds.wrong;
        all_bounds.parts += bounds.parts;
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
        "third %d/%d/%d, TLB entries %d/%d/%d; sizes not found: bounded from below %d (on average at %.2f of the size), not "
        "bounded %d, wrong %d\n",
        all_right, machines, first.right, first.unknown, first.wrong, second.right, second.unknown,
        second.wrong, last.right, last.unknown, last.wrong, buffers.right, buffers.unknown, buffers.wrong, all_bounds.told,
        std::exp(all_bounds.parts / std::max(all_bounds.told + all_bounds.wrong, 1)), all_bounds.none, all_bounds.wrong);
    EXPECT_EQ(first.wrong + second.wrong + last.wrong + buffers.wrong + all_bounds.wrong, 0);
    EXPECT_GE(first.right, first.unknown);
}

// Machines of which one or two ways too few were found, because pages that empty the first level were of the set, or
// some too many, because of an exclusive cache's set only a part misses.
TEST(MachineSearch, KnowsTheSetOfTheSecondCacheOrSaysNothing) {
    for (const u64 machine : {896, 730}) {
        const Geometry g = random_geometry(machine);
        SimulatedWalker walker(g, machine + 7);
        const MeasuredHierarchy found = search_again(walker, Deadline(1e6), machine);
        ASSERT_GE(found.caches.size(), 2u) << text_of(g);
        const Verdict verdict = on_second_cache(found, g);
        EXPECT_EQ(verdict.wrong, 0) << text_of(g) << text_of(found);
    }
}

// So many pages empty the first cache that some of them, by chance, fill another class of the second one, which has few
// ways. Then a page of either class misses: half as many classes were counted, or fewer.
TEST(MachineSearch, CountsOneClassWherePagesThatEmptyTheFirstCacheFillAnother) {
    Geometry g;
    g.caches = {{.size = 64 << 10, .ways = 8, .ns = 1.3},
                {.size = 512 << 10, .ways = 2, .ns = 4.5},
                {.size = 4096 << 10, .ways = 16, .ns = 13}};
    g.memory_ns = 60;
    g.tlbs = {{.entries = 64, .ways = 64, .ns = 2}};
    g.scattered = true;
    g.noise = 0.002;
    Verdict verdict;
    for (u64 seed = 1; seed < 3; ++seed) {
        SimulatedWalker walker(g, seed);
        const MeasuredHierarchy found = search_again(walker, Deadline(1e6), seed);
        ASSERT_GE(found.caches.size(), 2u);
        verdict.add(found.caches[1].size, g.caches[1].size);
    }
    EXPECT_EQ(verdict.wrong, 0);
    EXPECT_EQ(verdict.right, 2);
}

Geometry of_two_caches(const SimulatedCache& first, const SimulatedCache& second) {
    Geometry g;
    g.caches = {first, second, {.size = 16 << 20, .ways = 16, .ns = 14}};
    g.memory_ns = 70;
    g.tlbs = {{.entries = 64, .ways = 64, .ns = 2}};
    g.noise = 0.002;
    return g;
}

// A cache that holds what the first one evicts: one page too many of a class makes one miss, not all.
TEST(MachineSearch, FindsASecondCacheThatHoldsWhatTheFirstOneEvicts) {
    const Geometry g = of_two_caches({.size = 32 << 10, .ways = 8, .ns = 1.2},
                                     {.size = 512 << 10, .ways = 8, .ns = 4.5, .exclusive = true});
    SimulatedWalker walker(g, 3);
    const MeasuredHierarchy found = search_again(walker, Deadline(1e6), 3);
    ASSERT_GE(found.caches.size(), 2u);
    Verdict verdict = on_second_cache(found, g);
    verdict.add(found.caches[1].line, g.caches[1].line);
    EXPECT_EQ(verdict.right, 3) << text_of(found);
    EXPECT_TRUE(found.caches[1].exclusive);
}

// Pages that compete in the first cache compete in the second, too, so that none can empty the first without being of the
// second one's set. A cache of 16 ways that holds what four ways evict looks like one of 20 ways, and must not be told.
// Two ways keep a page only if it is loaded again after each other one.
TEST(MachineSearch, TellsWaysOfASecondCacheWithAsFewSetsOnlyIfItKeepsCopies) {
    for (const auto& [ways, exclusive] : {std::pair(4, false), {4, true}, {2, false}, {2, true}}) {
        const u64 way = 16 << 10;
        const Geometry g =
            of_two_caches({.size = way * static_cast<u64>(ways), .ways = static_cast<u64>(ways), .ns = 1.2},
                          {.size = 16 * way, .ways = 16, .ns = 4.5, .exclusive = exclusive});
        SimulatedWalker walker(g, 5);
        const MeasuredHierarchy found = search_again(walker, Deadline(1e6), 5);
        ASSERT_GE(found.caches.size(), 2u);
        const Verdict verdict = on_second_cache(found, g);
        EXPECT_EQ(verdict.right, exclusive ? 0 : 2) << text_of(found);
        EXPECT_EQ(verdict.wrong, 0) << text_of(found);
    }
}

// Pages of one class lie so far apart that they compete for the sets of a TLB, which has four ways.
TEST(MachineSearch, FindsASecondCacheWherePagesOfAClassCompeteInTheTlb) {
    Geometry g = of_two_caches({.size = 48 << 10, .ways = 12, .ns = 1.9},
                               {.size = 1536 << 10, .ways = 12, .ns = 7.5});
    g.tlbs = {{.entries = 64, .ways = 4, .ns = 3}};
    SimulatedWalker walker(g, 7);
    const MeasuredHierarchy found = search_again(walker, Deadline(1e6), 7);
    ASSERT_GE(found.caches.size(), 2u);
    EXPECT_EQ(on_second_cache(found, g).right, 2) << text_of(found);
}

// All pages compete for the same sets where a page is a way.
TEST(MachineSearch, FindsASecondCacheWhoseWayIsAPage) {
    Geometry g = of_two_caches({.size = 64 << 10, .ways = 16, .ns = 1.7},
                               {.size = 256 << 10, .ways = 16, .ns = 5});
    g.page = 16384;
    SimulatedWalker walker(g, 9);
    const MeasuredHierarchy found = search_again(walker, Deadline(1e6), 9);
    ASSERT_GE(found.caches.size(), 2u);
    EXPECT_EQ(on_second_cache(found, g).right, 2) << text_of(found);
}

// Lines of scattered pages may leave a cache where the second TLB has no more entries. A walk over two lines of each page
// leaves a cache at half as many pages, but a TLB at as many. Here the first cache could be left there and is not.
TEST(MachineSearch, KnowsThatAnEdgeIsTheTlbsWhereTwoLinesOfEachPageFit) {
    Geometry g;
    g.caches = {{.size = 128 << 10, .ways = 8, .ns = 1.5},
                {.size = 1280 << 10, .ways = 20, .ns = 5},
                {.size = 16 << 20, .ways = 16, .ns = 14}};
    g.memory_ns = 70;
    g.tlbs = {{.entries = 48, .ways = 48, .ns = 2}, {.entries = 1024, .ways = 8, .ns = 15}};
    g.noise = 0.01;
    for (u64 seed = 0; seed < 2; ++seed) {
        SimulatedWalker walker(g, seed);
        const MeasuredHierarchy found = search(walker, seed);
        ASSERT_EQ(found.tlbs.size(), 2u);
        ASSERT_TRUE(found.tlbs[1].entries) << found.tlbs[1].entries.how;
        EXPECT_NEAR(static_cast<double>(*found.tlbs[1].entries), 1024, 64);
    }
}

// And here the second cache, of 4096 long lines, was left at 1437 pages, and that was taken for the TLB's edge.
TEST(MachineSearch, TakesNoEdgeOfTheSecondCacheForTheTlbs) {
    constexpr u64 kMachine = 22074;
    const Geometry g = random_geometry(kMachine);
    SimulatedWalker walker(g, kMachine + 7);
    const MeasuredHierarchy found = search(walker, kMachine);
    Verdict verdict;
    verdict.add(found.tlbs.size() < 2 ? Figure<u64>() : found.tlbs[1].entries, 1536, 1536 / 16);
    EXPECT_EQ(verdict.wrong, 0) << text_of(g) << text_of(found);
}

// Walks over some thousand pages rise by half of what a miss of the first TLB costs on an EPYC 9005, where its second
// one still has all of them.
TEST(MachineSearch, TakesNoSmallRiseForASecondTlb) {
    Geometry g = of_two_caches({.size = 128 << 10, .ways = 8, .ns = 1.5},
                               {.size = 1280 << 10, .ways = 20, .ns = 5});
    g.tlbs = {{.entries = 64, .ways = 64, .ns = 2}, {.entries = 1024, .ways = 8, .ns = 1}};
    SimulatedWalker walker(g, 11);
    const MeasuredHierarchy found = search(walker, 11);
    ASSERT_EQ(found.tlbs.size(), 1u) << text_of(found);
    ASSERT_TRUE(found.tlbs[0].entries);
    EXPECT_NEAR(static_cast<double>(*found.tlbs[0].entries), 64, 4);
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
