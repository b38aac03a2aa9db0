// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/cost.h"

#include <algorithm>

#include "analyses/analysis.h"
#include "analyses/cost/block_cache.h"
#include "analyses/cost/charging.h"
#include "analyses/cost/hierarchy.h"
#include "analyses/cost/owners.h"
#include "analyses/cost/rows.h"
#include "analyses/cost/thread_uses.h"
#include "analyses/simulated_machine.h"
#include "instrument/core/policy.h"
#include "log/consumer.h"
#include "log/foreseen.h"
#include "options.h"
#include "rt/global.h"
#include "rt/text.h"
#include "threads/call_tree.h"
#include "threads/frame_slots.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::cost {
namespace {

using threads::Thread;

bool running = false;
rt::Global<Hierarchy> hierarchy;
rt::Global<rt::Text> assumed;

// The machine

void say_assumptions() {
    rt::Text& text = *assumed;
    const machine::Description& d = simulated_machine().description;
    text.add(
        "loads of one thread do not overlap; system calls and instruction fetches are not modelled; threads "
        "run at the same speed");
    if (simulated_machine().assumed_tlb)
        text.add("; assumed: a TLB of ").add_number(d.tlbs[0].entries).add(" entries");
    if (!simulated_machine().system_described)
        text.add("; assumed: the whole machine, because the system does not describe this one's caches");
    bool any = false;
    const auto say = [&](const char* what, u64 value) {
        text.add(any ? ", " : "; assumed cycles: ").add(what).add(' ').add_number(value);
        any = true;
    };
    static constexpr const char* kLevels[] = {"level 1", "level 2", "level 3", "level 4"};
    for (u32 level = 0; level < d.cache_levels; ++level)
        if (d.caches[level].cycles == 0) say(kLevels[level], kAssumedCycles[level]);
    for (u32 i = 0; i < d.tlb_levels; ++i)
        if (d.tlbs[i].cycles == 0) say(i == 0 ? "TLB 1" : "TLB 2", kAssumedTlb[i]);
    const u64 memory = d.memory_cycles != 0 ? d.memory_cycles : kAssumedMemory;
    if (d.memory_cycles == 0) say("memory", memory);
    if (d.remote_cycles == 0 && options().numa_nodes > 1) say("remote memory", 2 * memory);
    if (d.transfer_cycles == 0) say("another thread's cache", memory);
}

// The replay's order

// The results of lookups for accesses that come later in the replay's order: numbers of objects, and of
// changes of memory that the thread made between them.
rt::Global<log::Foreseen> foreseen_objects;
constexpr u32 kChange = 1u << 31;
struct MemoryChange {
    enum class ChangeKind : u8 { Unmapped, RangePolicy, ThreadPolicy } kind;
    bool move;
    u32 thread;
    Address begin, end;
    NodePolicy policy;
};
rt::Global<rt::Vector<MemoryChange>> changes;
u32 changes_left = 0;  // to be made

void make(const MemoryChange& change) {
    switch (change.kind) {
        case MemoryChange::ChangeKind::Unmapped: return hierarchy->forget(change.begin, change.end);
        case MemoryChange::ChangeKind::RangePolicy:
            return hierarchy->bind(change.begin, change.end, change.policy, change.move);
        case MemoryChange::ChangeKind::ThreadPolicy: return hierarchy->bind(change.thread, change.policy);
    }
}

// Makes the change now, or when all earlier accesses of the thread have been passed on.
void make_in_turn(Thread t, const MemoryChange& change) {
    if (!log::is_kept() || !t) return make(change);
    foreseen_objects->of(t).put(kChange | static_cast<u32>(changes->size()));
    changes->push_back(change);
    ++changes_left;
}

u32 take_object(log::ForeseenQueue& from) {
    u32 number = from.take();
    for (; (number & kChange) != 0; number = from.take()) {
        make((*changes)[number & ~kChange]);
        if (--changes_left == 0) changes->resize(0);
    }
    return number;
}

void foreseen(Thread t, const u64* first, const u64* end) {
    look_at_frames();
    log::ForeseenQueue& queue = foreseen_objects->of(t);
    const log::Record* last = nullptr;
    log::for_each_record(first, end, [&](const log::Record& record, const log::Shape& shape) {
        thread_is_in(t.serial, record.path);
        read_until(t.serial, first, reinterpret_cast<const u64*>(&record));
        if (last == nullptr)
            follow_from_last(t.serial, record.path);
        else if (last->path != record.path)
            follow_call(t.serial, *last, record.path);
        last = &record;
        log::for_each_access(record, shape, [&](const log::AccessUse& use, Address a) {
            queue.put(owner_at(a, {t.serial, record.path, use.instruction, true}).object);
        });
    });
    read_until(t.serial, first, end);
    if (last != nullptr) keep_last(t.serial, *last);
}

void ordered(Thread t, const u64* first, const u64* end) {
    if (!log::is_kept()) return charge_records(t, first, end);
    log::ForeseenQueue& queue = foreseen_objects->of(t);
    AccessCharger charger(t);
    log::for_each_record(first, end, [&](const log::Record& record, const log::Shape& shape) {
        log::for_each_access(record, shape, [&](const log::AccessUse& use, Address a) {
            charger.charge(use, record.path, a, take_object(queue));
        });
    });
}

void unmapped(Address begin, usize bytes) {
    owners_changed_between(begin, begin + bytes);
    if (!running) return;
    MemoryChange change{};
    change.kind = MemoryChange::ChangeKind::Unmapped;
    change.begin = begin;
    change.end = begin + bytes;
    make_in_turn(threads::thread_of_guest(VG_(get_running_tid)()), change);
}

// mbind and set_mempolicy. If this machine has fewer nodes than the simulated one, or denies the call, they
// fail; the policy is used all the same, because it is the program's intention.
NodePolicy policy_of(u64 mode, Address mask, u64 bits) {
    constexpr u64 kFlags = 7u << 13;
    NodePolicy policy;
    const usize bytes = bits > 64 ? 8 : (bits + 7) / 8;
    if (mask != 0 && bytes != 0 && VG_(am_is_valid_for_client)(mask, bytes, VKI_PROT_READ))
        VG_(memcpy)(&policy.nodes, reinterpret_cast<const void*>(mask), bytes);
    switch (mode & ~kFlags) {
        case 1:  // preferred, one or many
        case 2:  // bind
        case 5: policy.mode = NodePolicy::PolicyMode::Bind; break;
        case 3:  // interleave, and with weights
        case 6: policy.mode = NodePolicy::PolicyMode::Interleave; break;
        default: break;
    }
    return policy;
}

void after_call(Thread t, u32, u32 number, const u64* arguments, i64) {
    if (!running) return;
    MemoryChange change{};
    if (number == __NR_mbind) {
        constexpr u64 kMove = 2 | 4;  // the process' pages, or all
        change.kind = MemoryChange::ChangeKind::RangePolicy;
        change.begin = arguments[0];
        change.end = arguments[0] + arguments[1];
        change.policy = policy_of(arguments[2], arguments[3], arguments[4]);
        change.move = (arguments[5] & kMove) != 0;
    } else if (number == __NR_set_mempolicy) {
        change.kind = MemoryChange::ChangeKind::ThreadPolicy;
        change.thread = t.serial - 1;
        change.policy = policy_of(arguments[0], arguments[1], arguments[2]);
    } else {
        return;
    }
    make_in_turn(t, change);
}

// The loader makes the first thread's storage in what was an anonymous mapping.
void find_first_tls(Thread, u32, u64) {
    static bool is_known = false;
    if (is_known || !places::first_thread_has_tls()) return;
    is_known = true;
    owners_changed();
}

void forget_all() {
    hierarchy->stop();
    forget_charges();
    foreseen_objects->clear();
    changes->clear();
    changes_left = 0;
}

void start() {
    if (!options().cost) return;
    running = true;
    say_assumptions();
    hierarchy->start(simulated_machine().description, {.nodes = static_cast<u32>(options().numa_nodes),
                                                       .in_blocks = options().numa_place == NumaPlace::Block,
                                                       .block = static_cast<u32>(options().numa_block)});
    threads::fold_recursion();
    start_owners(hierarchy->line_bits(),
                 [](Address begin, Address end) { hierarchy->clear_tags_of(begin, end); });
    places::follow_stacks();
    threads::keep_frame_slots();
    start_charging(*hierarchy);
    start_uses(static_cast<u32>(options().numa_nodes));
    threads::listen(
        {.created = [](Thread, Thread, u32) { owners_changed(); },
         .exited = [](Thread, u32) { owners_changed(); },
         .started = find_first_tls,
         .after_call = after_call,
         .mapped = [](Address begin, usize bytes) { owners_changed_between(begin, begin + bytes); },
         .unmapped = unmapped});
    log::attach({.from_start = true,
                 .forked = [](Thread) { forget_all(); },
                 .ordered = ordered,
                 .foreseen = foreseen});
}

// The end

rt::Global<Report> settled;
constexpr u32 kMostRows = 5000, kFirstThread = 1;

template <typename T>
void sort_by_cycles(rt::Vector<T>& items) {
    std::sort(items.begin(), items.end(),
              [](const T& a, const T& b) { return a.figures.cycles > b.figures.cycles; });
}

// Whether a programmer can choose the thread that touches it first.
bool is_placed_by_program(places::ObjectId id) {
    if (id == places::ObjectId::None) return false;
    const places::Object& object = places::object(id);
    return object.kind == places::Object::StorageKind::Heap ||
           (object.kind == places::Object::StorageKind::Static && !is_section(object));
}

// What the first thread did before there were others is the rest of an object's figures.
void settle_uses(Report& to) {
    rt::Vector<u32> users;  // by object
    rt::Vector<CostFigures> rest;
    users.resize(objects().size());
    rest.resize(objects().size());
    for (usize i = 0; i < objects().size(); ++i) rest[i] = objects()[i].figures;
    rt::Vector<ThreadUse> all;
    const auto user = [&](const ThreadUse& use) {
        ++users[use.object_number];
        all.push_back(use);
        all.back().object = objects()[use.object_number].object;
    };
    for (const ThreadUse& use : thread_uses()) {
        if (use.thread != kFirstThread) user(use);
        if (use.thread != kFirstThread) subtract(rest[use.object_number], use.figures);
    }
    for (u32 i = 0; i < objects().size(); ++i)
        if (rest[i].loads + rest[i].stores != 0)
            user({.object_number = i, .thread = kFirstThread, .object = {}, .figures = rest[i]});
    to.uses.clear();
    for (const ThreadUse& use : all)
        if (users[use.object_number] > 1) to.uses.push_back(use);
    sort_by_cycles(to.uses);
    while (to.uses.size() > kMostRows) to.uses.pop_back();
}

// What the threads that use each object would save at their first uses, if they had set it.
struct FirstSavings {
    i64 cycles = 0;  // less than 0: what others' caches give now is cheaper
    u64 remote = 0;
};
void save_at_first(rt::Vector<FirstSavings>& savings, u32 nodes) {
    rt::Vector<FirstUses> firsts;
    page_uses().first_uses(firsts);
    // Between the stores to an object and its first uses a thread comes by all that it uses.
    rt::Vector<u64> of_threads, of_nodes;  // lines, by serial and by node
    of_nodes.resize(nodes);
    for (const FirstUses& each : firsts) {
        while (of_threads.size() <= each.thread) of_threads.push_back(0);
        of_threads[each.thread] += each.lines;
        of_nodes[each.node] += each.lines;
    }
    for (const FirstUses& each : firsts) {
        FirstSavings& saved = savings[each.object];
        const u64 then = hierarchy->cost_after(each.lines, of_threads[each.thread], of_nodes[each.node]);
        saved.cycles += static_cast<i64>(each.cycles - then);
        saved.remote += each.remote;
    }
}

void settle_placements(Report& to) {
    to.placements.clear();
    const u32 nodes = static_cast<u32>(options().numa_nodes);
    if (nodes == 1) return;
    rt::Vector<PlacementStudy> studies;
    page_uses().study(studies, hierarchy->lines_of_page());
    const u64 extra = hierarchy->remote_extra();
    const auto saves = [&](u64 now, u64 then) { return now > then ? (now - then) * extra : 0; };
    rt::Vector<FirstSavings> first;
    first.resize(objects().size());
    save_at_first(first, nodes);
    for (usize i = 0; i < studies.size(); ++i) {
        const PlacementStudy& study = studies[i];
        if (!is_placed_by_program(objects()[i].object)) continue;
        const PlacementAdvice advice = advise(study, nodes);
        if (advice == PlacementAdvice::None) continue;
        const u64 later = saves(study.remote, first[i].remote + study.remote_touched);
        const i64 touched = first[i].cycles + static_cast<i64>(later);
        to.placements.push_back(
            {objects()[i].object, study, advice, touched > 0 ? static_cast<u64>(touched) : 0,
             saves(study.remote, study.remote_interleaved), saves(study.remote, study.copied)});
    }
    std::sort(
        to.placements.begin(), to.placements.end(),
        [](const ObjectPlacement& a, const ObjectPlacement& b) { return a.study.remote > b.study.remote; });
}

void settle_rows(Report& to) {
    rt::Vector<u32> numbers;
    for (u32 i = 0; i < rows().size(); ++i)
        if (!is_rest(rows()[i])) numbers.push_back(i);
    const usize most = numbers.size() < kMostRows ? numbers.size() : kMostRows;
    std::nth_element(numbers.begin(), numbers.begin() + most, numbers.end(),
                     [](u32 a, u32 b) { return rows()[a].figures.cycles > rows()[b].figures.cycles; });
    for (usize i = 0; i < most; ++i) to.rows.push_back(rows()[numbers[i]]);
    // All others are a rest of their object.
    rt::Vector<CostRow> rests;
    rests.resize(objects().size());
    const auto add_rest = [&](const CostRow& row) {
        CostRow& rest = rests[row.object_number];
        rest.object = row.object;
        add(rest.figures, row.figures);
    };
    for (usize i = most; i < numbers.size(); ++i) add_rest(rows()[numbers[i]]);
    for (const CostRow& row : rows())
        if (is_rest(row)) add_rest(row);
    for (const CostRow& rest : rests)
        if (rest.figures.loads + rest.figures.stores != 0) to.rows.push_back(rest);
    sort_by_cycles(to.rows);
    to.rows_left_out = numbers.size() - most + lost_places();
}

void settle() {
    if (!running) return;
    settle_blocks();
    Report& to = *settled;
    to.objects.clear();
    to.rows.clear();
    to.total = CostFigures{};
    for (ObjectCost& object : objects()) object.figures = CostFigures{};
    for (const CostRow& row : rows()) add(objects()[row.object_number].figures, row.figures);
    for (const ObjectCost& object : objects()) {
        if (object.figures.loads + object.figures.stores == 0) continue;
        to.objects.push_back(object);
        add(to.total, object.figures);
    }
    settle_uses(to);
    settle_placements(to);
    sort_by_cycles(to.objects);
    settle_rows(to);
}

void finish(End) {
    if (!running) return;
    log::settle();
    settle();
    print_summary(static_cast<u32>(options().top));
}

}  // namespace

const Report& report() { return *settled; }
const char* machine_name() { return simulated_machine().description.name; }
const char* assumptions() { return assumed->c_str(); }

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "cost",
                                .wanted = [] { return options().cost; },
                                .check_options =
                                    [](Options& chosen) {
                                        if (chosen.cost) log::request_replay_order();
                                    },
                                .start = start,
                                .checkpoint = settle,
                                .finish = finish,
                                .section = &kSection};

}  // namespace memspy::cost
