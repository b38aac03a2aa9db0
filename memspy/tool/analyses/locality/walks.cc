// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/walks.h"

#include <new>

namespace memspy::locality {

const Runs& ObjectWalk::commonest() const {
    const Runs* most = runs;
    for (const Runs& each : runs)
        if (each.accesses > most->accesses) most = &each;
    return *most;
}

Walks::~Walks() {
    for (LiveWalk* walk : walks_) {
        walk->~LiveWalk();
        rt::release(walk);
    }
}

Walks::LiveWalk& Walks::of(const WalkAccess& access) {
    const auto is_it = [&](const LiveWalk& walk) {
        return walk.instruction == access.instruction && walk.object == access.object &&
               walk.thread == access.thread;
    };
    u32& head = heads_[(access.instruction * 31 + access.object) * 31 + access.thread];
    for (u32 i = head; i != 0; i = walks_[i - 1]->next)
        if (is_it(*walks_[i - 1])) return *walks_[i - 1];
    auto* walk = new (rt::allocate(sizeof(LiveWalk), "memspy.walk")) LiveWalk;
    walk->instruction = access.instruction;
    walk->function = access.function;
    walk->line = access.line;
    walk->object = access.object;
    walk->thread = access.thread;
    walk->began = access.time;
    walk->next = head;
    walks_.push_back(walk);
    head = static_cast<u32>(walks_.size());
    return *walk;
}

void Walks::begin_run(LiveWalk& walk, const WalkAccess& access) {
    walk.first = walk.last = access.address;
    walk.first_offset = access.offset;
    walk.length = 1;
    walk.burst = access.burst;
    if (access.bytes > walk.bytes) walk.bytes = access.bytes;
    walk.loads |= access.loads;
    walk.stores |= access.stores;
}

// Those of its step; the ones with fewest accesses make room for it. Null when all others have more.
Runs* Walks::runs_of(ObjectWalk& walk, i64 step) {
    Runs* least = walk.runs;
    for (Runs& each : walk.runs) {
        if (each.accesses != 0 && each.step == step) return &each;
        if (each.accesses < least->accesses) least = &each;
    }
    if (least->accesses > kShortest) {
        // They grow old: what was common once does not hold its place for ever.
        least->accesses -= kShortest;
        return nullptr;
    }
    *least = Runs{};
    least->step = step;
    return least;
}

void Walks::forget_run(LiveWalk& walk) {
    if (walk.length == 0) return;
    walk.reached(walk.first < walk.last ? walk.first : walk.last,
                 walk.first < walk.last ? walk.last : walk.first);
    if (walk.length == 2 && is_far(walk.step)) ++walk.jumps;
    if (walk.length >= 2 && walk.step == 1 && walk.bytes == 1 && walk.text == ObjectWalk::kNowhere)
        walk.text = walk.first_offset;
    if (walk.length < kShortest) return;
    if (Runs* runs = runs_of(walk, walk.step)) {
        if (runs->runs == 0) runs->offset = walk.first_offset;
        runs->accesses += walk.length;
        ++runs->runs;
    }
}

void Walks::end_run(LiveWalk& walk, Address next) {
    forget_run(walk);
    if (walk.length < kShortest || !walk.whole) return;
    Runs* runs = runs_of(walk, walk.step);
    if (runs == nullptr) return;
    const auto shift = static_cast<i64>(next - walk.first);
    ++runs->shifted;
    if (runs->step != 0 && shift % runs->step == 0) ++runs->in_column;
    if (runs->votes == 0) runs->shift = shift;
    if (runs->shift == shift)
        ++runs->votes;
    else
        --runs->votes;
}

void Walks::collect(rt::Vector<ObjectWalk>& walks) const {
    rt::HashMap<u32> known;  // by instruction and object: index + 1
    for (LiveWalk* live : walks_) {
        forget_run(*live);
        live->length = 0;
        u32& index = known[live->instruction * 31 + live->object];
        if (index != 0 &&
            (walks[index - 1].instruction != live->instruction || walks[index - 1].object != live->object))
            continue;  // the same hash: rare enough to go without
        if (index == 0) {
            walks.push_back(*live);
            index = static_cast<u32>(walks.size());
            continue;
        }
        ObjectWalk& into = walks[index - 1];
        into.accesses += live->accesses;
        into.stands_for += live->stands_for;
        into.jumps += live->jumps;
        into.loads |= live->loads;
        into.stores |= live->stores;
        if (live->began < into.began) into.began = live->began;
        into.reached(live->lowest, live->highest);
        if (into.text == ObjectWalk::kNowhere) into.text = live->text;
        for (const Runs& each : live->runs) {
            if (each.accesses == 0) continue;
            Runs* runs = runs_of(into, each.step);
            if (runs == nullptr) continue;
            if (runs->runs == 0) runs->offset = each.offset;
            runs->accesses += each.accesses;
            runs->runs += each.runs;
            runs->shifted += each.shifted;
            runs->in_column += each.in_column;
            if (runs->shift == each.shift || runs->votes == 0) {
                runs->shift = each.shift;
                runs->votes += each.votes;
            } else if (runs->votes >= each.votes) {
                runs->votes -= each.votes;
            } else {
                runs->shift = each.shift;
                runs->votes = each.votes - runs->votes;
            }
        }
    }
}

}  // namespace memspy::locality
