// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/latent/latent.h"

#include <algorithm>
#include <iterator>

#include "remedies/sharing_report.h"
#include "rt/disjoint_sets.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::contention {
namespace {

// What is compared, and with which layout. Allocators align blocks to 16 bytes.
struct Compared {
    OtherLayout layout;
    u32 with;
};
constexpr u32 kAsItIs = 0, kAlone = 2;
constexpr Compared kLayouts[] = {
    {{.line_bytes = 64}, kAsItIs},
    {{.line_bytes = 128}, kAsItIs},
    {{.line_bytes = 64, .alone = true}, kAlone},
    {{.line_bytes = 64, .moved = 16, .alone = true}, kAlone},
    {{.line_bytes = 64, .moved = 32, .alone = true}, kAlone},
    {{.line_bytes = 64, .moved = 48, .alone = true}, kAlone},
};
constexpr u32 kCount = std::size(kLayouts);
// Fewer in all samples together may be chance, and tell nothing of a rate.
constexpr u64 kLeastSeen = 32;

struct LatentSum {
    LatentCounts estimate;
    u64 seen = 0;  // repeated events in the samples
};

struct LatentState {
    rt::HashMap<LatentSum> sums[kCount];  // by object and other
    lines::Time sampled = 0;              // the time that samples stand for
};
rt::Global<LatentState> g_state;

u64 repeated(const rt::Vector<LatentPair>& pairs) {
    u64 events = 0;
    for (const LatentPair& pair : pairs) events += pair.counts.repeated();
    return events;
}

// Whether the accesses meet in any layout more often than they do. Owners are not asked for, which takes long.
bool is_of_interest(const rt::Vector<OwnedAccess>& accesses) {
    rt::Vector<LatentPair> pairs;
    replay(accesses, kLayouts[kAsItIs].layout, pairs);
    const u64 now = repeated(pairs);
    for (const Compared& each : kLayouts) {
        if (&each == kLayouts) continue;
        OtherLayout layout = each.layout;
        layout.alone = false;
        pairs.resize(0);
        replay(accesses, layout, pairs);
        if (repeated(pairs) > now + now / 16 + 2) return true;
    }
    return false;
}

void find_owners(rt::Vector<OwnedAccess>& accesses, const LatentOwners& owners) {
    rt::HashMap<Extent> by_word;  // the extent of the first byte of eight
    rt::HashMap<u8> movable;      // 1: no, 2: yes
    for (OwnedAccess& owned : accesses) {
        const Address a = owned.access.begin;
        Extent& extent = by_word[a / 8];
        if (a < extent.begin || a >= extent.end) extent = owners.owner(a);
        owned.object = static_cast<u32>(extent.object);
        u8& can_move = movable[owned.object];
        if (can_move == 0) can_move = owners.can_move(extent.object) ? 2 : 1;
        owned.can_move = can_move == 2;
    }
}

// Objects that meet in a layout.
struct LatentGroup {
    u32 root;
    LatentCounts layout, before;
    u64 seen = 0, seen_before = 0;
    u64 events() const {
        const u64 more = layout.repeated() - std::min(layout.repeated(), before.repeated());
        return std::min(more, layout.repeated_falsely());
    }
};

class LatentSearch {
public:
    LatentSearch(const LatentRules& rules, u32 number) : rules_(rules), number_(number) {}

    void run(rt::Vector<LatentFinding>& findings, rt::Vector<ObjectId>& members) {
        // Those that meet once in a while are not together.
        auto& sums = g_state->sums[number_];
        sums.for_each([&](u64 key, const LatentSum& sum) {
            const u32 object = static_cast<u32>(key >> 32), other = static_cast<u32>(key);
            of_object_[other] += 0;
            of_object_[object] += sum.seen;
        });
        sums.for_each([&](u64 key, const LatentSum& sum) {
            const u32 object = static_cast<u32>(key >> 32), other = static_cast<u32>(key);
            if (sum.seen * 10 >= of_object_[object] && sum.seen != 0) sets_.join(object, other);
        });
        collect(number_, false);
        collect(kLayouts[number_].with, true);
        for (const LatentGroup& group : groups_) tell(group, findings, members);
    }

private:
    void collect(u32 layout, bool before);
    void tell(const LatentGroup& group, rt::Vector<LatentFinding>& findings, rt::Vector<ObjectId>& members);

    const LatentRules& rules_;
    const u32 number_;
    rt::DisjointSets sets_;       // of objects that meet
    rt::HashMap<u64> of_object_;  // how often each met others
    rt::Vector<LatentGroup> groups_;
};

void LatentSearch::collect(u32 layout, bool before) {
    g_state->sums[layout].for_each([&](u64 key, const LatentSum& sum) {
        const u32 object = static_cast<u32>(key >> 32);
        if (of_object_.find(object) == nullptr) return;
        const u32 root = sets_.root_of(object);
        LatentGroup* group = std::find_if(groups_.begin(), groups_.end(),
                                          [=](const LatentGroup& each) { return each.root == root; });
        if (group == groups_.end()) {
            groups_.push_back({.root = root, .layout = {}, .before = {}});
            group = &groups_.back();
        }
        (before ? group->before : group->layout).add(sum.estimate, 1, 1);
        (before ? group->seen_before : group->seen) += sum.seen;
    });
}

void LatentSearch::tell(const LatentGroup& group, rt::Vector<LatentFinding>& findings,
                        rt::Vector<ObjectId>& members) {
    LatentFinding found{.line_bytes = kLayouts[number_].layout.line_bytes,
                        .moved = kLayouts[number_].layout.moved};
    // The samples' part of the run is known: the rest of it is like them.
    const u64 whole = std::max(rules_.length, g_state->sampled);
    found.events = scaled(group.events(), whole, g_state->sampled);
    found.accesses = scaled(group.layout.accesses, whole, g_state->sampled);
    if (group.seen < group.seen_before + kLeastSeen || found.events < rules_.floor / 10 ||
        found.events < scaled(found.accesses, rules_.threshold, 1'000'000) ||
        4 * found.events < scaled(rules_.instructions, rules_.floor, 500'000) ||
        2 * group.layout.repeated_falsely() < group.layout.repeated())
        return;
    struct MemberEvents {
        u32 object;
        u64 events;
    };
    rt::Vector<MemberEvents> objects;
    bool any = false;
    of_object_.for_each([&](u64 number, u64 events) {
        const u32 object = static_cast<u32>(number);
        if (object == 0 || events == 0 || sets_.root_of(object) != group.root) return;
        any = any || rules_.is_told(ObjectId{object}, rules_.argument);
        objects.push_back({object, events});
    });
    if (!any) return;
    std::sort(objects.begin(), objects.end(), [](const MemberEvents& a, const MemberEvents& b) {
        return a.events != b.events ? a.events > b.events : a.object < b.object;
    });
    found.first_member = static_cast<u32>(members.size());
    found.members = static_cast<u32>(objects.size());
    for (const MemberEvents& each : objects) members.push_back(ObjectId{each.object});
    findings.push_back(found);
}

// Of the moves of the same objects the worst one is enough.
void keep_worst_moves(rt::Vector<LatentFinding>& findings, const rt::Vector<ObjectId>& members) {
    const auto worst_before = [&](const LatentFinding& one) {
        for (const LatentFinding& other : findings) {
            if (&other == &one) return false;
            if (one.moved != 0 && other.moved != 0 &&
                members[one.first_member] == members[other.first_member])
                return true;
        }
        return false;
    };
    usize kept = 0;
    for (usize i = 0; i < findings.size(); ++i)
        if (!worst_before(findings[i])) findings[kept++] = findings[i];
    findings.resize(kept);
}

}  // namespace

bool note_sample(const lines::LineSample& sample, const LatentOwners& owners) {
    g_state->sampled += sample.stands_for;
    rt::Vector<OwnedAccess> accesses;
    accesses.reserve(sample.accesses.size());
    for (const lines::SampledAccess& access : sample.accesses) accesses.push_back({.access = access});
    if (accesses.empty() || !is_of_interest(accesses)) return false;
    find_owners(accesses, owners);
    rt::Vector<LatentPair> pairs;
    for (u32 i = 0; i < kCount; ++i) {
        pairs.resize(0);
        replay(accesses, kLayouts[i].layout, pairs);
        for (const LatentPair& pair : pairs) {
            LatentSum& sum = g_state->sums[i][u64{pair.object} << 32 | pair.other];
            sum.estimate.add(pair.counts, sample.stands_for * sample.one_of, sample.length);
            sum.seen += pair.counts.repeated();
        }
    }
    return true;
}

void forget_samples() {
    for (rt::HashMap<LatentSum>& sums : g_state->sums) sums.clear();
    g_state->sampled = 0;
}

void find_latent(const LatentRules& rules, rt::Vector<LatentFinding>& findings,
                 rt::Vector<ObjectId>& members) {
    if (g_state->sampled == 0) return;
    for (u32 i = 0; i < kCount; ++i)
        if (kLayouts[i].with != i) LatentSearch(rules, i).run(findings, members);
    std::sort(findings.begin(), findings.end(), [](const LatentFinding& a, const LatentFinding& b) {
        if (a.events != b.events) return a.events > b.events;
        return a.moved != b.moved ? a.moved < b.moved : a.line_bytes < b.line_bytes;
    });
    keep_worst_moves(findings, members);
}

}  // namespace memspy::contention
