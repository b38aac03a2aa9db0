// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <new>

#include "analyses/contention/sharing_draft.h"

namespace memspy::contention {
namespace {

// Bytes with fewer accesses take no part in a line's contention, unless no byte of the line has more.
constexpr u64 kFewAccesses = 8;
constexpr u64 kManyUses = 20;

// What lies between all blocks of the heap is no bystander: through it, blocks that never meet would be one
// group.
bool lies_everywhere(const Draft& d, u32 index) {
    const Object& owner = object(d.report.objects[index].id);
    return owner.kind == Object::StorageKind::Unknown && owner.start == 0;
}

// An object belongs to another object's group if a good part of its contention is false sharing with threads
// that mainly use the other object, in a line of both. So a bystander joins the object that hinders it. Two
// large arrays that meet in one line stay apart, and so do objects of one line that are used at different
// times.
class Linker {
public:
    explicit Linker(Draft& draft) : d(draft) {}

    void link_line(BusyLine& line);
    void settle();

private:
    struct LineUse {  // use of an object in the line by one thread
        u32 thread, object;
        u64 accesses, stores;
    };
    struct Link {
        u32 from, to;
        u64 weight;
    };
    // All uses of one object in the line.
    struct Victim {
        u32 object = 0;
        u64 accesses = 0;
        u32 users = 0;
        bool stores = false;
    };

    void collect_uses(BusyLine& line);
    Victim victim_of(u32 object, u64 line_events) const;
    void link_victim(const Victim& victim, u64 line_events);
    void add_link(u32 from, u32 to, u64 weight);
    bool is_shadowed(const Victim& victim, u32 by, const BusyLine& line, u64 line_events) const;
    void settle_link(const Link& link, u64 foreign);
    u64 peak(u32 index) const { return d.report.objects[index].figures.peak(); }

    Draft& d;
    rt::Vector<Link> links_;
    // Objects that threads always access right after the other one of the line: these find the line there, so
    // they have no events, but would have them if the other lay elsewhere.
    rt::Vector<Link> shadowed_;
    rt::HashMap<u32> link_index_;
    rt::Vector<LineUse> uses_;
    rt::Vector<ReportRange> ranges_;  // of one line: those of all lines would take much memory
};

// By object, then thread.
void Linker::collect_uses(BusyLine& line) {
    uses_.resize(0);
    ranges_.resize(0);
    read_ranges(d, line.line, ranges_);
    for (const ReportRange& range : ranges_) {
        line.accesses.add(range.accesses);
        const u32 index = d.index_of(range.object);
        LineUse* use = std::find_if(uses_.begin(), uses_.end(), [&](const LineUse& known) {
            return known.thread == range.thread && known.object == index;
        });
        if (use == uses_.end()) {
            uses_.push_back({range.thread, index, 0, 0});
            use = &uses_.back();
        }
        use->accesses += range.accesses.all();
        use->stores += range.accesses.stores;
    }
    std::sort(uses_.begin(), uses_.end(), [](const LineUse& x, const LineUse& y) {
        return x.object != y.object ? x.object < y.object : x.thread < y.thread;
    });
}

Linker::Victim Linker::victim_of(u32 index, u64 line_events) const {
    Victim victim{.object = index};
    for (const LineUse& use : uses_) {
        if (use.object != index) continue;
        victim.accesses += use.accesses;
        if (use.accesses * kManyUses < line_events) continue;
        ++victim.users;
        victim.stores |= use.stores * kManyUses >= line_events;
    }
    return victim;
}

bool Linker::is_shadowed(const Victim& victim, u32 by, const BusyLine& line, u64 line_events) const {
    return victim.users > 1 && victim.stores && !lies_everywhere(d, victim.object) &&
           line_events * 4 > line.peak * 3 && peak(victim.object) * 100 < peak(by) && !lies_everywhere(d, by);
}

void Linker::add_link(u32 from, u32 to, u64 weight) {
    u32& number = link_index_[(u64{from} << 32) | to];
    if (number == 0) {
        links_.push_back({from, to, 0});
        number = static_cast<u32>(links_.size());
    }
    links_[number - 1].weight += weight;
}

void Linker::link_victim(const Victim& victim, u64 line_events) {
    if (lies_everywhere(d, victim.object)) return;
    // Nobody suffers from what is only read here, however often that is.
    const auto weight = [&](const LineUse& use) { return victim.stores ? use.accesses : use.stores; };
    const ObjectPairs& pairs = d.object_pairs[victim.object];
    for (u32 i = 0; i < pairs.count; ++i) {
        const ObjectPairs::ThreadPair& pair = pairs.most[i];
        const LineUse* most = nullptr;  // the object that the other thread uses most in this line
        u64 own = 0;
        for (const LineUse& use : uses_) {
            if (use.thread != pair.other) continue;
            if (use.object == victim.object)
                own = weight(use);
            else if (most == nullptr || weight(use) > weight(*most))
                most = &use;
        }
        if (most != nullptr && weight(*most) >= own && !lies_everywhere(d, most->object))
            add_link(victim.object, most->object, std::min(pair.events, line_events));
    }
}

void Linker::link_line(BusyLine& line) {
    collect_uses(line);
    u64 line_events = 0;
    const SharingFigures figures = figures_of(line);
    for (const CoherenceCounts& counts : figures.counts)
        line_events =
            std::max(line_events, d.report.settings.sharing ? counts.false_events() : contended(counts));
    const LineUse* most_events = nullptr;
    for (const LineUse& use : uses_)
        if (most_events == nullptr || peak(use.object) > peak(most_events->object)) most_events = &use;
    u32 previous = ~u32{0};
    for (const LineUse& use : uses_) {
        if (use.object == previous) continue;
        previous = use.object;
        const Victim victim = victim_of(use.object, line_events);
        if (is_shadowed(victim, most_events->object, line, line_events))
            shadowed_.push_back({victim.object, most_events->object, 0});
        if (victim.accesses >= kFewAccesses || victim.accesses * 100 >= line.accesses.all()) {
            ++d.report.objects[victim.object].lines;
            d.line_users.push_back({static_cast<u32>(&line - d.lines.data()), victim.object});
        }
        link_victim(victim, line_events);
    }
}

// `foreign`: those of its events that other objects explain.
void Linker::settle_link(const Link& link, u64 foreign) {
    const u64 events = peak(link.from), others = peak(link.to);
    if (events == 0 || others < link.weight / 100) return;
    // Only some pairs are kept; their shares stand for all.
    u64 kept = 0;
    const ObjectPairs& pairs = d.object_pairs[link.from];
    for (u32 i = 0; i < pairs.count; ++i) kept += pairs.most[i].events;
    const u64 estimate = kept == 0 ? 0 : foreign * (pairs.all / kept);
    if (estimate < events / 4 || link.weight < events / 100) return;
    // An object that has next to no events would only clutter the other one's finding. It is none of its own
    // if that one's threads have to be parted anyway.
    if (events >= others / 100) return d.groups.join(link.from, link.to);
    const SharingFigures& figures = d.report.objects[link.to].figures;
    const bool parted = figures.in(figures.leading()).false_events() >= others / 2;
    if (estimate < events / 2) return;
    d.bystanders[link.from] |= parted ? 1 : 0;
    d.report.objects[link.from].beside = d.report.objects[link.to].id;
}

void Linker::settle() {
    const usize objects = d.report.objects.size();
    d.bystanders.resize(objects);
    for (const Link& link : shadowed_) d.groups.join(link.from, link.to);
    rt::Vector<u64> foreign;  // by object
    foreign.resize(objects);
    for (const Link& link : links_) foreign[link.from] += link.weight;
    for (const Link& link : links_) settle_link(link, foreign[link.from]);
}

// Blocks of one size that one line of the program allocates are one thing, whatever calls led there.
void link_allocations(Draft& d) {
    if (d.report.settings.add_origin == nullptr) return;
    struct AllocationLine {
        rt::Text* name;
        u32 object;
    };
    u64 most = 0;
    for (const ReportObject& each : d.report.objects) most = std::max(most, each.figures.peak());
    rt::Vector<AllocationLine> known;
    for (u32 i = 0; i < d.report.objects.size(); ++i) {
        const Object& owner = object(d.report.objects[i].id);
        // Names are slow, and those of the others are not shown.
        if (owner.kind != Object::StorageKind::Heap || d.report.objects[i].figures.peak() <= most / 1000)
            continue;
        auto* name = new (rt::allocate(sizeof(rt::Text), "memspy.contention.report")) rt::Text;
        d.report.settings.add_origin(*name, d.report.objects[i].id, 0, 0);
        const AllocationLine* same =
            std::find_if(known.begin(), known.end(), [&](const AllocationLine& line) {
                return !name->empty() && line.name->equals(*name) &&
                       object(d.report.objects[line.object].id).size == owner.size;
            });
        if (same != known.end()) d.groups.join(i, same->object);
        known.push_back({name, i});
    }
    for (const AllocationLine& line : known) {
        line.name->~Text();
        rt::release(line.name);
    }
}

}  // namespace

void link(Draft& d) {
    Linker linker(d);
    for (BusyLine& line : d.lines) linker.link_line(line);
    linker.settle();
    link_allocations(d);
}

}  // namespace memspy::contention
