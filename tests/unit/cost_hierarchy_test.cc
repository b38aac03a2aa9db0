// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the cost analysis' hierarchy has the same counts as a plain simulator with lists, on random
// accesses, and the counts worked out by hand for strides, two arrays in one set, pages, first touch, policies
// of pages, and lines that threads take from each other; that other homes of pages are studied right; and that the parts
// of a record that are looked at together are those that its exits leave.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <vector>

#include "analyses/cost/hierarchy.h"
#include "analyses/cost/placement.h"
#include "analyses/cost/record_block.h"

namespace memspy::cost {
namespace {

machine::Description two_levels() {
    machine::Description d;
    d.caches[0] = {.size = 4096, .line = 64, .ways = 4, .cycles = 4};
    d.caches[1] = {.size = 32768, .line = 64, .ways = 8, .cycles = 14};
    d.cache_levels = 2;
    d.tlbs[0] = {.entries = 16, .ways = 0, .cycles = 7};
    d.tlb_levels = 1;
    d.memory_cycles = 200;
    d.remote_cycles = 300;
    return d;
}

struct Tested {
    explicit Tested(const machine::Description& d, const Placement& p = {}) { hierarchy.start(d, p); }
    ~Tested() { hierarchy.stop(); }
    Hierarchy hierarchy;
};

// A set-associative LRU cache as a list for each set.
struct Plain {
    u64 sets, ways;
    std::vector<std::list<u64>> lines{sets};
    bool access(u64 line) {
        auto& set = lines[line % sets];
        const auto at = std::find(set.begin(), set.end(), line);
        const bool hit = at != set.end();
        if (hit) set.erase(at);
        set.push_front(line);
        if (set.size() > ways) set.pop_back();
        return hit;
    }
};

TEST(CostHierarchy, CountsWhatAPlainSimulatorCounts) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20; ++round) {
        machine::Description d = two_levels();
        d.caches[0].ways = u64{1} << random() % 4;
        d.caches[1].ways = 1 + random() % 2 * 7;
        Tested tested(d);
        Plain first{d.caches[0].sets(), d.caches[0].ways}, second{d.caches[1].sets(), d.caches[1].ways},
            pages{1, 16};
        for (int i = 0; i < 20000; ++i) {
            const u64 address = random() % (1 << 17) & ~u64{7};
            const Outcome got = tested.hierarchy.access(0, address, 8, random() % 2 == 0);
            u64 cycles = 0;
            const bool page = pages.access(address / 4096);
            cycles += page ? 0 : 7;
            const bool l1 = first.access(address / 64);
            const bool l2 = l1 || second.access(address / 64);
            cycles += l1 ? 4 : l2 ? 14 : 200;
            ASSERT_EQ(got.tlb_misses, page ? 0u : 1u);
            ASSERT_EQ(got.l1_misses, l1 ? 0u : 1u);
            ASSERT_EQ(got.llc_misses, l2 ? 0u : 1u);
            ASSERT_EQ(got.cycles, cycles);
        }
    }
}

TEST(CostHierarchy, StridesAndSets) {
    Tested tested(two_levels());
    const auto misses = [&](u64 begin, u64 count, u64 stride) {
        u64 sum = 0;
        for (u64 i = 0; i < count; ++i)
            sum += tested.hierarchy.access(0, begin + i * stride, 8, false).l1_misses;
        return sum;
    };
    // 4096 bytes fit: one miss in eight words, then none.
    EXPECT_EQ(misses(0, 512, 8), 64u);
    EXPECT_EQ(misses(0, 512, 8), 0u);
    // Five lines of one set with four ways, in a cycle: each access misses.
    misses(1 << 20, 5, 1024);
    EXPECT_EQ(misses(1 << 20, 5, 1024), 5u);
    // Four fit.
    misses(2 << 20, 4, 1024);
    EXPECT_EQ(misses(2 << 20, 4, 1024), 0u);
}

TEST(CostHierarchy, AnAccessAcrossALineTouchesBoth) {
    Tested tested(two_levels());
    EXPECT_EQ(tested.hierarchy.access(0, 60, 8, false).l1_misses, 2u);
}

TEST(CostHierarchy, FirstTouchMakesHome) {
    Tested tested(two_levels(), {.nodes = 2});
    const auto walk = [&](u32 thread, u64 begin) {
        Outcome sum;
        for (u64 i = 0; i < 4096; ++i) {
            const Outcome o = tested.hierarchy.access(thread, begin + i * 64, 8, false);
            sum.local += o.local;
            sum.remote += o.remote;
        }
        return sum;
    };
    EXPECT_EQ(walk(0, 0).local, 4096u);
    const Outcome other = walk(1, 0);
    EXPECT_EQ(other.local, 0u);
    EXPECT_EQ(other.remote, 4096u);
    const Outcome own = walk(1, 1 << 20);
    EXPECT_EQ(own.local, 4096u);
    EXPECT_EQ(own.remote, 0u);
}

// Thread 1 is on the other node. A line from the other node's cache is as remote as one from its memory.
TEST(CostHierarchy, LinesFromTheOtherNodesCachesAreRemote) {
    machine::Description d = two_levels();
    d.transfer_cycles = 100;
    Tested tested(d, {.nodes = 2});
    tested.hierarchy.access(0, 0, 8, true);
    tested.hierarchy.access(2, 64, 8, true);
    const Outcome other = tested.hierarchy.access(1, 0, 8, false);
    EXPECT_EQ(other.transfers, 1u);
    EXPECT_EQ(other.remote, 1u);
    EXPECT_EQ(other.local, 0u);
    EXPECT_EQ(other.cycles, 300u + 7u);
    const Outcome same = tested.hierarchy.access(0, 64, 8, false);
    EXPECT_EQ(same.transfers, 1u);
    EXPECT_EQ(same.local, 1u);
    EXPECT_EQ(same.cycles, 100u) << "the page is in thread 0's TLB";
}

TEST(CostHierarchy, AStoreTakesTheLineFromOthers) {
    Tested tested(two_levels());
    tested.hierarchy.access(0, 0, 8, true);
    tested.hierarchy.access(1, 4096, 8, true);
    tested.hierarchy.access(0, 0, 8, true);
    // Now there are two threads, and thread 0 stored last: each store of the other is a transfer.
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(tested.hierarchy.access(1, 8, 8, true).transfers, 1u);
        EXPECT_EQ(tested.hierarchy.access(0, 0, 8, true).transfers, 1u);
    }
}

// Thread 0 stores to 256 lines: the first level holds 64 of them, the second all.
TEST(CostHierarchy, AStoredLineIsInTheOthersFurtherLevels) {
    Tested tested(two_levels());
    tested.hierarchy.access(1, 1 << 20, 8, false);
    for (u64 line = 0; line < 256; ++line) tested.hierarchy.access(0, line * 64, 8, true);
    for (u64 line = 0; line < 256; ++line) {
        EXPECT_EQ(tested.hierarchy.access(1, line * 64, 8, false).transfers, 1u) << line;
        EXPECT_EQ(tested.hierarchy.access(1, line * 64, 8, false).transfers, 0u) << line;
    }
    // Thread 0 has them still, but no longer for itself.
    EXPECT_EQ(tested.hierarchy.access(0, 0, 8, false).llc_misses, 0u);
    EXPECT_EQ(tested.hierarchy.access(0, 0, 8, true).transfers, 0u);
    EXPECT_EQ(tested.hierarchy.access(1, 0, 8, false).transfers, 1u);
}

// A list for each set, the line used last first, with its mark and tag.
struct ListedLine {
    u64 line;
    bool marked;
    u32 tag;
};

// A cache with a true order of use, in whatever form it is kept, has the lines, marks and tags that lists have, and gives up
// the same lines; hints find no other line, and removed lines leave their ways to the next ones.
TEST(CostHierarchy, CachesAreListsOfLines) {
    struct Geometry {
        u64 sets, ways;
        bool hinted;
    };
    constexpr Geometry kGeometries[] = {{64, 8, true}, {3, 5, true},   {1, 64, true},  {16, 16, false}, {5, 9, false},
                                        {8, 1, false}, {4, 20, false}, {2, 2, false}, {128, 1, true}};
    std::mt19937_64 random(5);
    for (const Geometry& geometry : kGeometries) {
        SetCache cache;
        cache.start(geometry.sets, geometry.ways, false, geometry.hinted);
        std::vector<std::list<ListedLine>> sets(geometry.sets);
        for (int i = 0; i < 30000; ++i) {
            const u64 line = random() % (geometry.sets * geometry.ways * 2) * (random() % 2 == 0 ? 1 : 1 << 11);
            auto& set = sets[line % geometry.sets];
            const auto at = std::find_if(set.begin(), set.end(), [&](const ListedLine& l) { return l.line == line; });
            const bool held = at != set.end();
            ASSERT_EQ(cache.holds(line), held);
            ASSERT_EQ(cache.entry_of(line) != SetCache::kNoEntry, held);
            ASSERT_EQ(cache.marked(line), held && at->marked);
            ASSERT_EQ(cache.tag(line), held ? at->tag : 0);
            ASSERT_EQ(cache.is_latest(line, false), held && at == set.begin());
            switch (random() % 16) {
                case 0:
                    ASSERT_EQ(cache.remove(line), held);
                    if (held) set.erase(at);
                    continue;
                case 1:
                    ASSERT_EQ(cache.take_mark(line), held && at->marked);
                    if (held) at->marked = false;
                    continue;
                case 2:
                    cache.set_tag(line, 7);
                    if (held) at->tag = 7;
                    continue;
                case 3:
                    cache.clear_tags_between(line, line + 3);
                    for (auto& each : sets)
                        for (ListedLine& l : each)
                            if (l.line >= line && l.line < line + 3) l.tag = 0;
                    continue;
                case 4:
                    cache.set_mark(line, true);
                    if (held) at->marked = true;
                    continue;
                default: break;
            }
            if (geometry.hinted) {
                const u32 hinted = cache.quick_lines().entry_of(line, false);
                ASSERT_TRUE(hinted == SetCache::kNoEntry || hinted == cache.entry_of(line));
            }
            const SetCache::TouchedLine touched = cache.touch_or_insert(line);
            ASSERT_EQ(touched.hit, held);
            ASSERT_EQ(cache.tag_of(touched.entry), held ? at->tag : 0);
            if (held) {
                set.splice(set.begin(), set, at);
                continue;
            }
            const bool full = set.size() == geometry.ways;
            ASSERT_EQ(touched.gone.word != 0, full);
            if (full) {
                ASSERT_EQ(touched.gone.line(), set.back().line);
                ASSERT_EQ(touched.gone.marked(), set.back().marked);
                set.pop_back();
            }
            set.push_front({line, false, 0});
        }
        cache.stop();
    }
}

// An access that is said to change nothing but orders is a hit of the first level, and nothing more; and there are such.
TEST(CostHierarchy, AccessesThatHintsFindAreHits) {
    std::mt19937_64 random(2);
    Tested tested(two_levels());
    u32 repeated = 0;
    for (int i = 0; i < 20000; ++i) {
        const u32 thread = static_cast<u32>(random() % 2);
        const u64 address = random() % 4 * 4096 + random() % 256;
        const u32 bytes = 1u << random() % 4;
        const bool stores = random() % 4 == 0;
        const bool quick = tested.hierarchy.quick_view(thread).entries_of(address, bytes - 1, stores).found();
        const Outcome got = tested.hierarchy.access(thread, address, bytes, stores);
        if (!quick) continue;
        ++repeated;
        ASSERT_EQ(got.cycles, 4u);
        ASSERT_EQ(got.l1_misses + got.tlb_misses + got.transfers, 0u);
    }
    EXPECT_GT(repeated, 500u);
}

// What one thread alone does costs the same, and leaves the same, as if there were another one that does nothing: each
// line that the other then loads comes from the same place.
TEST(CostHierarchy, AThreadAloneIsAsOneBesideAnother) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 10; ++round) {
        machine::Description d = two_levels();
        d.caches[0].ways = u64{1} << random() % 4;
        d.caches[2] = {.size = 1 << 17, .line = 64, .ways = 4, .cycles = 40, .shared = random() % 2};
        d.cache_levels = 2 + random() % 2;
        Tested alone(d), beside(d);
        constexpr u64 kFar = u64{1} << 30, kMemory = 1 << 18;
        beside.hierarchy.access(1, kFar, 8, false);
        for (int i = 0; i < 20000; ++i) {
            const u64 address = random() % kMemory;
            const bool stores = random() % 3 == 0;
            const Outcome one = alone.hierarchy.access(0, address, 8, stores);
            const Outcome two = beside.hierarchy.access(0, address, 8, stores);
            ASSERT_EQ(one.cycles, two.cycles);
            ASSERT_EQ(one.l1_misses, two.l1_misses);
            ASSERT_EQ(one.l2_misses, two.l2_misses);
            ASSERT_EQ(one.llc_misses, two.llc_misses);
        }
        for (Tested* each : {&alone, &beside}) each->hierarchy.access(1, 2 * kFar, 8, false);
        for (u64 line = 0; line < kMemory; line += 64) {
            const Outcome one = alone.hierarchy.access(1, line, 8, false);
            const Outcome two = beside.hierarchy.access(1, line, 8, false);
            ASSERT_EQ(one.transfers, two.transfers);
            ASSERT_EQ(one.cycles, two.cycles);
        }
    }
}

// A line with a tag is in the first level, its page is in the TLB, and its note is the page's entry there: an access to it is
// a hit. A page that goes takes the tags of its lines with it. Small pages, and large ones whose lines share bits.
TEST(CostHierarchy, LinesWithTagsAreOfPagesInTheTlb) {
    for (const u64 page : {u64{4096}, u64{1} << 16}) {
        std::mt19937_64 random(4);
        machine::Description d = two_levels();
        d.page = page;
        Tested tested(d);
        const QuickView view = tested.hierarchy.quick_view(0);
        ASSERT_TRUE(view.has_tags);
        u32 known = 0, with_tags = 0;
        for (int i = 0; i < 40000; ++i) {
            // More pages than the TLB has, some of them often.
            const u64 address = (random() % 4 == 0 ? random() % 24 : random() % 3) * page + random() % 320;
            const u64 line = address / 64;
            const u32 bytes = 1u << random() % 4;
            const bool stores = random() % 4 == 0, one_line = (address + bytes - 1) / 64 == line;
            const u32 entry = view.lines.entry_of(line, stores), tag = view.nearest->tag(line);
            const bool is_known = entry != SetCache::kNoEntry && tag != 0 && one_line;
            if (tag != 0) {
                ++with_tags;
                ASSERT_EQ(view.tlb->entry_of(address / page), view.lines.notes[view.nearest->entry_of(line)]);
            }
            const Outcome got = tested.hierarchy.access(0, address, bytes, stores);
            if (is_known) {
                ++known;
                ASSERT_EQ(got.cycles, 4u);
            }
            ASSERT_TRUE(view.nearest->tag(line) == line + 1 || view.nearest->tag(line) == 0);
            const u32 held = view.nearest->entry_of(line), page_entry = view.tlb->entry_of(address / page);
            if (random() % 2 == 0 && held != SetCache::kNoEntry && page_entry != Tlb::kNone)
                tested.hierarchy.set_tag(view, line, held, page_entry, static_cast<u32>(line + 1));
            if (random() % 500 == 0) tested.hierarchy.clear_tags();
            if (random() % 100 == 0) {
                tested.hierarchy.clear_tags_of(page, page + 100);
                ASSERT_EQ(view.nearest->tag(page / 64), 0u);
            }
            if (random() % 400 == 0) tested.hierarchy.forget(page, 2 * page);
        }
        EXPECT_GT(known, 500u);
        EXPECT_GT(with_tags, 500u);
    }
}

// Two threads that share a first level have TLBs of their own, so that a line's note would be of one of them.
TEST(CostHierarchy, FirstLevelsOfSeveralThreadsHaveNoTags) {
    machine::Description d = two_levels();
    d.caches[0].shared = 2;
    Tested tested(d);
    const QuickView alone = tested.hierarchy.quick_view(0);
    EXPECT_TRUE(alone.has_tags);
    tested.hierarchy.access(0, 0, 8, false);
    tested.hierarchy.set_tag(alone, 0, alone.nearest->entry_of(0), alone.tlb->entry_of(0), 1);
    EXPECT_EQ(alone.nearest->tag(0), 1u);
    tested.hierarchy.access(1, 1 << 20, 8, false);
    EXPECT_FALSE(tested.hierarchy.quick_view(0).has_tags);
    EXPECT_EQ(tested.hierarchy.quick_view(0).nearest->tag(0), 0u);
}

TEST(CostHierarchy, PoliciesChooseHomes) {
    using Mode = NodePolicy::PolicyMode;
    PageHomes homes;
    homes.start(2);
    homes.set_policy(100, 200, {Mode::Bind, 2}, false);
    homes.set_policy(150, 160, {Mode::Interleave, 3}, false);
    homes.set_policy(1, {Mode::Interleave, 3});
    const auto home = [&](u64 page, u32 thread, u32 node) {
        homes.touch(page, thread, node);
        return u32{*homes.find(page)};
    };
    EXPECT_EQ(home(120, 0, 0), 1u);
    EXPECT_EQ(home(150, 0, 0) + home(151, 0, 0), 1u);
    EXPECT_EQ(home(170, 0, 0), 1u);
    EXPECT_EQ(home(300, 0, 0), 0u);
    EXPECT_EQ(home(301, 1, 0) + home(302, 1, 0), 1u);
    EXPECT_EQ(home(120, 0, 0), 1u) << "the first touch decides";
    homes.set_policy(120, 121, {Mode::Bind, 1}, true);
    EXPECT_EQ(home(120, 0, 1), 0u) << "it was moved";
    // Memory that is given back has neither home nor policy.
    homes.forget(100, 200);
    EXPECT_EQ(home(170, 0, 0), 0u);
    // A node that the machine does not have.
    homes.set_policy(400, 500, {Mode::Bind, 8}, false);
    EXPECT_EQ(home(400, 0, 1), 1u);
}

// Page 8 of object 3: node 0 fetched 10 lines of it, node 1 fetched 30; page 9: 5 and 5. Both are on node 0.
TEST(CostHierarchy, StudiesOtherHomes) {
    PageUses uses;
    uses.start(2);
    const auto fetch = [&](u64 page, u32 node, u32 times) {
        for (u32 i = 0; i < times; ++i) uses.fetched(uses.accessed(3, page, node, false), node, 0, false);
    };
    fetch(8, 0, 10);
    fetch(8, 1, 30);
    fetch(9, 0, 5);
    fetch(9, 1, 5);
    rt::Vector<PlacementStudy> studies;
    uses.study(studies, 64);
    ASSERT_EQ(studies.size(), 4u);
    const PlacementStudy& s = studies[3];
    EXPECT_EQ(s.lines, 50u);
    EXPECT_EQ(s.remote, 35u);
    EXPECT_EQ(s.remote_touched, 15u);
    EXPECT_EQ(s.remote_interleaved, 30u + 5u) << "page 8 stays on node 0, page 9 goes to node 1";
    EXPECT_EQ(s.copied, 128u);
    EXPECT_EQ(s.busiest, 50u);
    EXPECT_EQ(s.busiest_interleaved, 40u);
    EXPECT_EQ(s.late_stores, 0u);
    EXPECT_EQ(advise(s, 2), PlacementAdvice::TouchByUsers);
    uses.accessed(3, 8, 0, true);
    // Both nodes use page 8: lines that they take from each other's caches have no better home.
    uses.fetched(uses.accessed(3, 8, 1, false), 1, 0, true);
    // Node 0 has not used page 10 since the first thread filled it.
    uses.fetched(uses.accessed(3, 10, 1, false), 1, 0, true);
    uses.study(studies, 64);
    EXPECT_EQ(studies[3].late_stores, 1u);
    EXPECT_EQ(studies[3].lines, 51u);
    EXPECT_EQ(studies[3].remote, 36u);
    EXPECT_EQ(studies[3].taken, 1u);
    EXPECT_EQ(studies[3].taken_remote, 1u);
    EXPECT_EQ(advise(studies[3], 2), PlacementAdvice::TouchByUsers);
    // Nearly all lines go from cache to cache: another home of the page helps no one.
    for (int i = 0; i < 800; ++i) uses.fetched(uses.accessed(3, 8, 1, true), 1, 0, true);
    uses.study(studies, 64);
    EXPECT_EQ(studies[3].remote, 36u);
    EXPECT_EQ(advise(studies[3], 2), PlacementAdvice::None);
    EXPECT_EQ(studies[3].remote_touched, 15u);
}

TEST(CostHierarchy, AdviceFollowsTheStudy) {
    const PlacementStudy local{.lines = 1000, .remote = 40, .busiest = 1000, .busiest_interleaved = 500};
    EXPECT_EQ(advise(local, 2), PlacementAdvice::None) << "less than a twentieth is remote";
    PlacementStudy shared{.lines = 1000,
                          .remote = 500,
                          .remote_touched = 500,
                          .remote_interleaved = 500,
                          .copied = 100,
                          .busiest = 1000,
                          .busiest_interleaved = 500};
    EXPECT_EQ(advise(shared, 2), PlacementAdvice::Replicate);
    shared.late_stores = 1;
    EXPECT_EQ(advise(shared, 2), PlacementAdvice::Interleave);
    shared.busiest = 510;
    EXPECT_EQ(advise(shared, 2), PlacementAdvice::None) << "both nodes give as much";
}

// Uses off word 0 at 0, 8, 200 and 16, behind an exit one off word 0 at 24, and two variables beside each other.
TEST(CostHierarchy, UsesBehindEachOtherInALinesLengthAreOneStep) {
    log::Shape shape;
    shape.words = 2;
    const auto use = [&](i64 offset, u8 word, u8 proof, bool stores) {
        log::AccessUse each{};
        each.offset = offset;
        each.bytes = 8;
        each.word = word;
        each.proof = proof;
        each.loads = !stores;
        each.stores = stores;
        log::add_use(shape, each, 64);
    };
    use(8, 0, log::kNoWord, true);
    use(0, 0, log::kNoWord, false);
    use(200, 0, log::kNoWord, false);
    use(16, 0, log::kNoWord, false);
    use(24, 0, 1, false);
    use(0x1000, log::kNoWord, 1, false);
    use(0x1008, log::kNoWord, 1, false);
    shape.segments.push_back({log::kNoWord, 4});
    shape.segments.push_back({1, 7});
    const ShapeSteps* const made = ShapeSteps::make(shape);
    ASSERT_NE(made, nullptr);
    ASSERT_EQ(made->steps().size(), 6u);
    EXPECT_EQ(made->steps()[0].low, 0);
    EXPECT_EQ(made->steps()[0].reach, 15u);
    EXPECT_TRUE(made->steps()[0].stores);
    EXPECT_TRUE(made->steps()[0].is_cut(4));
    EXPECT_FALSE(made->steps()[0].is_cut(8)) << "a line may begin between the two uses";
    EXPECT_FALSE(made->steps()[0].stores_before(8)) << "the load";
    EXPECT_TRUE(made->steps()[0].stores_behind(8));
    EXPECT_EQ(made->steps()[1].use, 2u);
    EXPECT_FALSE(made->steps()[2].stores) << "to and fro: a step of its own";
    EXPECT_EQ(made->steps()[3].use, 4u) << "behind the exit";
    ASSERT_EQ(made->parts().size(), 2u);
    EXPECT_EQ(made->parts()[0].place, 3u);
    EXPECT_EQ(made->parts()[0].uses, 7u);
    EXPECT_EQ(made->parts()[0].steps, 6u);
    EXPECT_EQ(made->parts()[1].place, 0u);
    EXPECT_EQ(made->parts()[1].uses, 4u);
    EXPECT_EQ(made->parts()[1].steps, 3u);
    shape.always = false;
    EXPECT_EQ(ShapeSteps::make(shape), nullptr);
}

TEST(CostHierarchy, PseudoLruKeepsWhatFits) {
    machine::Description d = two_levels();
    d.caches[0].pseudo_lru = true;
    Tested tested(d);
    for (int round = 0; round < 3; ++round) {
        for (u64 i = 0; i < 4; ++i) {
            const u32 misses = tested.hierarchy.access(0, i * 1024, 8, false).l1_misses;
            EXPECT_EQ(misses, round == 0 ? 1u : 0u);
        }
    }
}

}  // namespace
}  // namespace memspy::cost
