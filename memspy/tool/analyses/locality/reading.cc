// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/reading.h"

#include <new>

#include "analyses/locality/access_sites.h"
#include "analyses/locality/foreseen_stretches.h"
#include "analyses/locality/names.h"
#include "analyses/locality/places.h"
#include "analyses/locality/positions.h"
#include "analyses/locality/region.h"
#include "analyses/locality/thread_samples.h"
#include "log/consumer.h"
#include "options.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "threads/call_tree.h"
#include "threads/registry.h"
#include "vg/caches.h"
#include "vg/source_info.h"

namespace memspy::locality {
namespace {

using log::AccessUse;
using log::Record;
using log::Shape;

bool running = false;
Streams* all = nullptr;
rt::Global<Zones> all_zones;
Maps* all_maps = nullptr;
Walks* all_walks = nullptr;
rt::Global<rt::Vector<u64>> all_caches;
// While one thread runs: the instructions up to the record that is read. Later times are the replay's, from
// then on.
u64 now = 0, time_before = 0;
bool began_to_keep = false;
constexpr u64 kSlack = 512;                            // instructions
rt::Global<rt::Vector<ForeseenStretches*>> stretches;  // by slot of the thread

ForeseenStretches& stretches_of(threads::Thread t) {
    while (stretches->size() <= t.slot)
        stretches->push_back(new (rt::allocate(sizeof(ForeseenStretches), "memspy.foreseen"))
                                 ForeseenStretches);
    return *(*stretches)[t.slot];
}

// Of a sampled log with several threads, by slot of the thread.
struct SampledThread {
    ThreadSample sample;
    bool has_all = true;  // what is written now
};
rt::Global<rt::Vector<SampledThread*>> sampled_threads;

SampledThread& sampled_thread(threads::Thread t) {
    while (sampled_threads->size() <= t.slot) sampled_threads->push_back(nullptr);
    SampledThread*& known = (*sampled_threads)[t.slot];
    if (known != nullptr && known->sample.serial() == t.serial) return *known;
    if (known != nullptr) {
        known->~SampledThread();
        rt::release(known);
    }
    return *(known = new (rt::allocate(sizeof(SampledThread), "memspy.sampled_thread"))
                 SampledThread{ThreadSample(t.serial)});
}

void forget_sampled_threads() {
    for (SampledThread* each : *sampled_threads) {
        if (each == nullptr) continue;
        each->~SampledThread();
        rt::release(each);
    }
    sampled_threads->clear();
}

u64 oldest_pending() {
    u64 oldest = ~u64{0};
    for (const ForeseenStretches* each : *stretches)
        if (each->oldest() < oldest) oldest = each->oldest();
    return oldest;
}

// Data caches; an instruction's walk is not followed from one burst to the next.
void find_caches() {
    vg::SystemCache caches[vg::kMostSystemCaches];
    for (u32 i = 0, found = vg::system_caches(caches); i < found; ++i)
        if (caches[i].size != 0) all_caches->push_back(caches[i].size);
    if (all_caches->empty()) all_caches->push_back(32 << 10);
}

// A record of accesses by the program's instructions.
struct Reading {
    const Record& record;
    const Shape& shape;
    u32 thread;
    u64 time, epoch;
};

[[gnu::always_inline]] inline bool is_in_extent(const AccessSite& site, Address a, u64 epoch) {
    if (a < site.extent.begin || a >= site.extent.end || site.epoch != epoch) return false;
    if (site.stack_of == 0) return true;
    if (site.grown_age != grown_parts().age()) return false;
    const threads::CallPath path = position_of(site.stack_of).path;
    return path == site.below || threads::is_below(path, site.below);
}

void find_extent(AccessSite& site, const AccessUse& use, Address a, const Reading& from) {
    site.extent = extent_of(a, from.epoch);
    site.epoch = is_lasting(site.extent) ? from.epoch : ~u64{0};
    site.stack_of = 0;
    if (site.extent.object == places::ObjectId::None) return;
    const places::Object& object = places::object(site.extent.object);
    if (object.kind != places::Object::StorageKind::Stack) return;
    site.stack_of = object.thread;
    site.grown_age = grown_parts().age();
    const ThreadPosition& position = position_of(object.thread);
    places::StackPart part;
    const Address code = object.thread == from.thread ? use.instruction : position.code;
    places::find_stack_part(site.extent, {position.path, code, slot_of_frame, &grown_parts().parts()}, a,
                            &part);
    site.extent = part.extent;
    site.below = part.below;
}

// What the access is of; found again only where it differs from the site's last.
void look_up(const Reading& from, AccessSite& site, const AccessUse& use, Address a) {
    const auto before = site.extent.object;
    if (!is_in_extent(site, a, from.epoch)) find_extent(site, use, a, from);
    if (site.extent.object == before && site.thread == from.thread) [[likely]]
        return;
    find_object(site);
    site.thread = from.thread;
    site.set = nullptr;
    site.map = MapCursor{};
    site.noted = ZoneRange{};
    site.zone = site.object == 0 ? nullptr : &all_zones->of(site.object, from.thread, site.code.function);
    site.walk = nullptr;
}

void note_zone(AccessSite& site, const AccessUse& use, Address a) {
    const u64 offset = a - site.extent.start;
    if (offset >= site.noted.begin && offset + use.bytes <= site.noted.end) return;
    if (use.loads) site.zone->read.add(offset, offset + use.bytes);
    if (use.stores) site.zone->written.add(offset, offset + use.bytes);
    // The noted bytes are those of one range, unless the access is both.
    if (use.loads != use.stores) site.noted = (use.loads ? site.zone->read : site.zone->written).last();
}

[[gnu::always_inline]] inline void follow_walk(const Reading& from, AccessSite& site, const AccessUse& use,
                                               Address a) {
    WalkAccess access;
    access.address = a;
    access.instruction = use.instruction;
    access.offset = a - site.extent.start;
    access.function = site.code.function;
    access.line = site.code.line;
    access.object = site.zone->object;
    access.thread = site.thread;
    access.bytes = use.bytes;
    access.burst = all->burst();
    access.weight = all->burst_weight();
    access.time = from.time + use.ordinal;
    access.loads = use.loads;
    access.stores = use.stores;
    if (site.walk == nullptr) site.walk = &all_walks->of(access);
    Walks::follow(*site.walk, access);
}

// In the object's map, and the streams that it is in.
[[gnu::always_inline]] inline StreamSet& find_streams(const Reading& from, AccessSite& site,
                                                      const AccessUse& use, Address a, Word word, bool stores,
                                                      u32 weight) {
    if (site.zone != nullptr) {
        const u64 begin = word * 8 > a ? word * 8 : a;
        const u64 end = word * 8 + 8 < a + use.bytes ? word * 8 + 8 : a + use.bytes;
        MapAccess touch;
        touch.object = site.object;
        touch.layer = site.zone->number;
        touch.begin = begin - site.extent.start;
        touch.end = end - site.extent.start;
        touch.time = from.time + use.ordinal;
        touch.weight = weight;
        touch.stores = stores;
        all_maps->add(touch, site.map);
    }
    if (site.set == nullptr)
        site.set = &all->set_of({.word = word,
                                 .thread = from.thread,
                                 .object = site.object,
                                 .function = site.code.function,
                                 .line = site.code.line,
                                 .block = site.block,
                                 .of_variable = site.of_variable});
    return *site.set;
}

void tell(const Reading& from, AccessSite& site, const AccessUse& use, Address a) {
    if (!is_in_region(from.record.path, site.code)) return;
    bool found = false;
    const auto find = [&] {
        if (found) return;
        found = true;
        look_up(from, site, use, a);
        if (site.zone != nullptr) note_zone(site, use, a);
    };
    if (all->in_burst()) {
        find();
        if (site.zone != nullptr) follow_walk(from, site, use, a);
    }
    // Of an access across a border the last word comes in addition to what a record tells.
    const Word last = (a + use.bytes - 1) / 8, border = a / 8 + (use.bytes + 7u) / 8;
    u64 counted = 0;
    for (u32 store = use.loads ? 0 : 1; store <= (use.stores ? 1u : 0u); ++store)
        for (Word word = a / 8; word <= last; ++word) {
            if (word == border) all->let_stand_for(counted);
            counted = all->stands_for();
            if (all->wants(word)) {
                find();
                const bool stores = store != 0;
                all->access(find_streams(from, site, use, a, word, stores, all->weight(word)), word, stores);
            }
            if (word == border) all->correct(1);
            if (word == last || word + 1 != border) all->advance(1);
        }
}

// While all accesses are followed, and each counts for itself. Returns for how many it counts in a record.
u32 take(const Reading& from, AccessSite& site, const AccessUse& use, Address a) {
    look_up(from, site, use, a);
    if (site.zone != nullptr) {
        note_zone(site, use, a);
        follow_walk(from, site, use, a);
    }
    const Word first = a / 8, last = (a + use.bytes - 1) / 8;
    for (u32 store = use.loads ? 0 : 1; store <= (use.stores ? 1u : 0u); ++store)
        for (Word word = first; word <= last; ++word)
            all->take(find_streams(from, site, use, a, word, store != 0, 1), word, store != 0);
    const u32 words = use.word_accesses();
    const auto crossing = static_cast<i64>((last - first + 1) * (use.loads + use.stores) - words);
    if (crossing != 0) all->correct(crossing);
    return words;
}

void take_all(const Reading& from) {
    position_of(from.thread).note(from.record, from.shape);
    AccessSites& sites = sites_of(from.record.shape, from.thread);
    const AccessUse* uses = from.shape.uses.data();
    u32 words = 0;
    log::for_each_access(from.record, from.shape, [&](const AccessUse& use, Address a) {
        words += take(from, sites[static_cast<usize>(&use - uses)], use, a);
    });
    all->pass(words);
}

void tell_all(const Reading& from) {
    position_of(from.thread).note(from.record, from.shape);
    AccessSites& sites = sites_of(from.record.shape, from.thread);
    const AccessUse* uses = from.shape.uses.data();
    log::for_each_access(from.record, from.shape, [&](const AccessUse& use, Address a) {
        tell(from, sites[static_cast<usize>(&use - uses)], use, a);
    });
}

// Returns the number of instructions executed.
u32 read(const Record& record, u32 thread, u64 time, u64 epoch) {
    const RecordDigest& digest = digest_of(record.shape);
    const RecordDigest::ExecutedPart& executed = digest.executed(record);
    if (executed.instructions == 0) return 0;  // accesses of a system call
    position_of(thread).go_to(record.path);
    if (digest.is_plain() && all->may_pass(executed.words) && is_all_measured() &&
        !digest.may_concern(record, *all)) [[likely]]
        all->pass(executed.words);
    else if (all->may_take(executed.words) && is_all_measured())
        take_all({record, log::shape(record.shape), thread, time, epoch});
    else
        tell_all({record, log::shape(record.shape), thread, time, epoch});
    return executed.instructions;
}

// Calls f(record) for each.
template <typename F>
void for_each(threads::Thread t, const u64* first, const u64* end, F f) {
    for (const u64* at = first; at != end;) {
        const auto& record = *reinterpret_cast<const Record*>(at);
        grown_parts().advance(t.serial, first, at);
        f(record);
        at += log::record_words(record.shape);
    }
    grown_parts().advance(t.serial, first, end);
}

// A sampled log: what the writer's counter of accesses was when its records had been read up to here.
u64 counter = 0;
void take_passed(u64 time) {
    if (time == 0) return;
    now += log::WordSample::instructions_of(time);
    all->advance(log::WordSample::accesses_of(time) - counter);
    counter = log::WordSample::accesses_of(time);
}
void read_sample(threads::Thread t, const u64* first, const u64* end) {
    for_each(t, first, end, [&](const Record& record) {
        const log::QuickExit& own = log::quick_shape(record.shape).whole;
        if (own.instructions != 0) {  // 0: accesses of a system call
            take_passed(record.time);
            counter += own.word_accesses;
        }
        const u64 before = all->told();
        now += read(record, t.serial, now, present_epoch());
        // Accesses behind a condition that did not hold are in the counter.
        const u64 missing = own.word_accesses - (all->told() - before);
        if (missing == 0 || own.instructions == 0) return;
        all->advance(missing);
        all->correct(-static_cast<i64>(missing));
    });
    take_passed(end[1]);
}
// The slots of bursts around a thread's time.
struct BurstAhead {
    u64 slot = ~u64{0}, change = 0;
    u32 stage = 0;
    bool in_burst = false;
};
BurstAhead burst_ahead(u64 time, u32 stage) {
    static BurstAhead known;
    const u64 slot = BurstSlots::slot_of(time);
    if (known.slot == slot && known.stage == stage) return known;
    return known = {slot, time + BurstSlots::until_change(time, stage), stage,
                    BurstSlots::is_chosen(slot, stage)};
}

// Before an access that is to be counted some are logged, so that it is any of a record.
constexpr u64 kLead = 64;
log::WordSample wanted_sample_by_time(threads::Thread t, u64 time) {
    using log::WordSample;
    if (!all->is_by_time()) all->go_by_time();
    SampledThread& thread = sampled_thread(t);
    WordSample wanted;
    if (const u32 stage = all->burst_stage(); stage != 0) {
        // A burst is logged from some instructions before it on.
        constexpr u64 kBefore = 128;
        const BurstAhead ahead = burst_ahead(time, stage);
        const u64 until_change = ahead.change - time;
        if (ahead.in_burst || until_change <= kBefore) {
            wanted.instructions = until_change;
        } else {
            wanted.instructions = until_change - kBefore;
            const u64 to_count = thread.sample.before_count() + 1;
            const bool near = to_count <= kLead;
            wanted.mask_now = near ? 0 : all->mask();
            // And some behind it: the last poll of a reading is kept where others are not, and would be
            // counted for them.
            wanted.counter = WordSample::kDue - (near ? to_count + kLead : to_count - kLead);
        }
    }
    thread.sample.begin(wanted);
    thread.has_all = wanted.mask_now == 0;
    return wanted;
}
log::WordSample wanted_sample(threads::Thread t, u64 time) {
    using log::WordSample;
    if (log::is_kept()) return wanted_sample_by_time(t, time);
    const u64 to_count = all->before_count();
    const bool near = to_count <= kLead;
    u64 until = near ? to_count : to_count - kLead;
    if (all->before_turn() < until) until = all->before_turn();
    if (until == 0) until = 1;
    counter = until < WordSample::kDue ? WordSample::kDue - until : 0;
    return {.mask_now = all->in_burst() || near ? 0 : all->mask(), .counter = counter};
}

void read_written(threads::Thread t, const u64* first, const u64* end) {
    if (!log::is_kept() || !log::is_sampled()) return;
    all->advance(sampled_thread(t).sample.read(first, end));
}

void read_sample_in_order(threads::Thread t, ForeseenStretches& seen, const u64* first, const u64* end) {
    ThreadSample& sample = sampled_thread(t).sample;
    for_each(t, first, end, [&](const Record& record) {
        const auto* at = reinterpret_cast<const u64*>(&record);
        const ForeseenStretch& stretch = seen.around(at);
        all->begin_record(record.time, stretch.has_all);
        if (const ThreadSample::CountedAccess counted = sample.take_counted(at); counted.stands_for != 0)
            all->count_access(counted.access, counted.stands_for);
        read(record, t.serial, time_before + record.time, stretch.epoch);
        all->end_record();
    });
}

void foreseen(threads::Thread t, const u64* first, const u64* end) {
    const bool has_all = !log::is_sampled() || sampled_thread(t).has_all;
    if (first != end) stretches_of(t).put(first, end, has_all);
}

void ordered(threads::Thread t, const u64* first, const u64* end) {
    const bool is_sampled = log::is_sampled();
    if (is_sampled && !log::is_kept()) return read_sample(t, first, end);
    if (first == end) return;
    if (!log::is_kept()) {
        for_each(t, first, end, [&](const Record& record) {
            now += record.time;
            now += read(record, t.serial, now, present_epoch());
        });
        return;
    }
    // From here on records have the replay's time.
    if (!began_to_keep) {
        began_to_keep = true;
        const u64 time = reinterpret_cast<const Record*>(first)->time;
        time_before = now > time ? now - time : 0;
    }
    ForeseenStretches& seen = stretches_of(t);
    if (is_sampled)
        read_sample_in_order(t, seen, first, end);
    else
        for_each(t, first, end, [&](const Record& record) {
            const u64 epoch = seen.around(reinterpret_cast<const u64*>(&record)).epoch;
            read(record, t.serial, time_before + record.time, epoch);
        });
    seen.done(end);
}

void restart() {
    if (all != nullptr) {
        all->~Streams();
        rt::release(all);
        forget_streams();
    }
    all = new (rt::allocate(sizeof(Streams), "memspy.streams")) Streams;
    StreamOptions wanted;
    wanted.exact = options().locality == LocalityMode::Exact;
    wanted.followers = static_cast<u32>(options().locality_streams);
    all->configure(wanted);
}

}  // namespace

void start_reading() {
    running = true;
    vg::read_lines_of_system();
    all_maps = new (rt::allocate(sizeof(Maps), "memspy.maps")) Maps;
    all_walks = new (rt::allocate(sizeof(Walks), "memspy.walks")) Walks;
    find_caches();
    set_region(options().locality_from);
    // A region asks for all functions of a chain.
    if (!VG_STREQ(options().locality_from, "*")) threads::keep_recursion();
    restart();
    start_places(oldest_pending);
    follow_frames();
    threads::listen({.unmapped = [](Address begin, usize bytes) {
        if (log::is_kept()) name_sites(begin, bytes);
    }});
    log::Consumer consumer;
    consumer.from_start = true;
    consumer.records = read_written;
    consumer.ordered = ordered;
    consumer.foreseen = foreseen;
    // Distances of followed words are long, so that a few hundred accesses earlier or later make no
    // difference.
    consumer.slack = [] { return all->before_burst() > 16 * kSlack ? kSlack : 0; };
    consumer.forked = [](threads::Thread) {
        for (ForeseenStretches* each : *stretches) each->clear();
        forget_sampled_threads();
        grown_parts().advance_to_end();
        restart();
    };
    if (options().locality == LocalityMode::Yes && is_all_measured()) consumer.sample = wanted_sample;
    log::attach(consumer);
}

bool is_on() { return running; }
Streams& streams() { return *all; }
const Zones& zones() { return *all_zones; }
const Maps& maps() { return *all_maps; }
const Walks& walks() { return *all_walks; }
const rt::Vector<u64>& caches() { return *all_caches; }

void find_advice(rt::Vector<LocalityAdvice>& advice) {
    rt::Vector<ObjectWalk> collected;
    all_walks->collect(collected);
    rt::Vector<ObjectReuse> objects;
    all->for_each([&](const Stream& stream) {
        if (stream.kind != StreamKind::Object || stream.first == 0) return;
        const StreamFigures figures = all->figures(stream);
        objects.push_back(ObjectReuse{stream.first, figures.accesses, figures.reuses});
    });
    find_advice(AdviceInput{&collected, &objects, &caches()}, advice);
}

}  // namespace memspy::locality
