// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/locality.h"

#include <new>

#include "analyses/analysis.h"
#include "analyses/locality/names.h"
#include "analyses/locality/output/summary.h"
#include "analyses/locality/places.h"
#include "analyses/locality/region.h"
#include "log/consumer.h"
#include "log/foreseen.h"
#include "options.h"
#include "rt/global.h"
#include "vg/caches.h"

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
// While one thread runs: the instructions up to the record that is read. Later times are the replay's, from then on.
u64 now = 0, time_before = 0;
bool began_to_keep = false;
// The code of each use of each shape, by the shape's index; null: not looked up yet.
rt::Global<rt::Vector<CodeName*>> codes;

const CodeName* codes_of(u32 number, const Shape& shape) {
    const u32 index = number >> log::kLengthBits;
    if (codes->size() <= index) codes->resize(log::shape_count());
    CodeName*& of_uses = (*codes)[index];
    if (of_uses == nullptr) {
        of_uses =
            static_cast<CodeName*>(rt::allocate((shape.uses.size() + 1) * sizeof(CodeName), "memspy.codes"));
        for (usize i = 0; i < shape.uses.size(); ++i) of_uses[i] = code_at(shape.uses[i].instruction);
    }
    return of_uses;
}

// The object of each access that comes later in the replay's order, and the offset in it.
rt::Global<log::Foreseen> foreseen_objects;

// Data caches; an instruction's walk is not followed from one burst to the next.
void find_caches() {
    vg::SystemCache told[vg::kMostSystemCaches];
    for (u32 i = 0, found = vg::system_caches(told); i < found; ++i)
        if (told[i].size != 0) all_caches->push_back(told[i].size);
    if (all_caches->empty()) all_caches->push_back(32 << 10);
}

// Calls f(use, its code, address, record) for each access of the program's instructions in the region. `end_record`
// is called behind each record.
template <typename F, typename End>
void for_each_use(const u64* first, const u64* end, F f, End end_record) {
    log::for_each_record(first, end, [&](const Record& record, const Shape& shape) {
        if (shape.instructions != 0) {  // else accesses of a system call
            const CodeName* code = codes_of(record.shape, shape);
            const AccessUse* uses = shape.uses.data();
            log::for_each_access(record, shape, [&](const AccessUse& use, Address a) {
                const CodeName& of_use = code[&use - uses];
                if (is_in_region(record.path, of_use)) f(use, of_use, a, record);
            });
        }
        end_record(record, shape);
    });
}
void nothing(const Record&, const Shape&) {}

// An access, and what it is of. Offsets above 4 GB are told modulo that.
struct PlacedAccess {
    u32 object = 0, offset = 0;
};

// The present object of an access that will be passed to the streams.
PlacedAccess look_up(u32 thread, const CodeName& code, const AccessUse& use, Address a) {
    const places::Extent& extent = extent_of(a);
    PlacedAccess place;
    place.object = static_cast<u32>(extent.object);
    if (extent.object == places::ObjectId{}) return place;
    Zone& zone = all_zones->of(place.object, thread, code.function);
    const u64 offset = a - extent.start;
    if (use.loads) zone.read.add(offset, offset + use.bytes);
    if (use.stores) zone.written.add(offset, offset + use.bytes);
    place.offset = static_cast<u32>(offset);
    return place;
}

void follow(u32 thread, const CodeName& code, const AccessUse& use, Address a, const PlacedAccess& place) {
    WalkAccess access;
    access.address = a;
    access.instruction = use.instruction;
    access.offset = place.offset;
    access.function = code.function;
    access.line = code.line;
    access.object = place.object;
    access.thread = thread;
    access.bytes = use.bytes;
    access.burst = all->burst();
    all_walks->access(access);
}

// `place_of()` is asked for those accesses that are wanted.
template <typename F>
void tell(u32 thread, const CodeName& code, const AccessUse& use, Address a, u64 time, F place_of) {
    Streams& to = *all;
    if (to.in_burst())
        if (const PlacedAccess place = place_of(); place.object != 0) follow(thread, code, use, a, place);
    const Word last = (a + use.bytes - 1) / 8;
    for (u32 store = use.loads ? 0 : 1; store <= (use.stores ? 1u : 0u); ++store)
        for (Word word = a / 8; word <= last; ++word) {
            if (!to.wants(word)) [[likely]]
                continue;
            const PlacedAccess place = place_of();
            WordAccess access;
            access.word = word;
            access.thread = thread;
            access.object = place.object;
            access.function = code.function;
            access.line = code.line;
            access.stores = store != 0;
            if (place.object != 0) {
                const u64 begin = word * 8 > a ? word * 8 : a;
                const u64 end = word * 8 + 8 < a + use.bytes ? word * 8 + 8 : a + use.bytes;
                MapAccess touch;
                touch.object = place.object;
                touch.layer = all_zones->of(place.object, thread, code.function).number;
                touch.begin = place.offset + (begin - a);
                touch.end = place.offset + (end - a);
                touch.time = time;
                touch.weight = to.weight(word);
                touch.stores = access.stores;
                all_maps->add(touch);
            }
            to.access(access);
        }
}

void foreseen(threads::Thread t, const u64* first, const u64* end) {
    log::ForeseenQueue& places = foreseen_objects->of(t);
    for_each_use(
        first, end,
        [&](const AccessUse& use, const CodeName& code, Address a, const Record&) {
            const PlacedAccess place = look_up(t.serial, code, use, a);
            places.put(place.object);
            places.put(place.offset);
        },
        nothing);
}

void ordered(threads::Thread t, const u64* first, const u64* end) {
    if (!log::is_kept()) {
        for_each_use(
            first, end,
            [&](const AccessUse& use, const CodeName& code, Address a, const Record& record) {
                tell(t.serial, code, use, a, now + record.time + use.ordinal,
                     [&] { return look_up(t.serial, code, use, a); });
            },
            [](const Record& record, const Shape& shape) { now += record.time + record.executed(shape); });
        return;
    }
    // From here on records have the replay's time.
    if (!began_to_keep && first != end) {
        began_to_keep = true;
        const u64 time = reinterpret_cast<const Record*>(first)->time;
        time_before = now > time ? now - time : 0;
    }
    log::ForeseenQueue& places = foreseen_objects->of(t);
    for_each_use(
        first, end,
        [&](const AccessUse& use, const CodeName& code, Address a, const Record& record) {
            PlacedAccess place;
            place.object = places.take();
            place.offset = places.take();
            tell(t.serial, code, use, a, time_before + record.time + use.ordinal, [&] { return place; });
        },
        nothing);
}

void begin_anew() {
    if (all != nullptr) {
        all->~Streams();
        rt::release(all);
    }
    all = new (rt::allocate(sizeof(Streams), "memspy.streams")) Streams;
    StreamOptions wanted;
    wanted.exact = options().locality == LocalityMode::Exact;
    wanted.followers = static_cast<u32>(options().locality_streams);
    all->configure(wanted);
}

bool is_wanted() { return options().locality != LocalityMode::No; }

void start() {
    running = is_wanted();
    if (!running) return;
    all_maps = new (rt::allocate(sizeof(Maps), "memspy.maps")) Maps;
    all_walks = new (rt::allocate(sizeof(Walks), "memspy.walks")) Walks;
    find_caches();
    set_region(options().locality_from);
    begin_anew();
    start_places();
    log::Consumer consumer;
    consumer.from_start = true;
    consumer.ordered = ordered;
    consumer.foreseen = foreseen;
    consumer.forked = [](threads::Thread) {
        foreseen_objects->clear();
        begin_anew();
    };
    log::attach(consumer);
}

void finish(End) {
    if (!running) return;
    log::settle();
    print_summary();
}

}  // namespace

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

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "locality",
                                .wanted = is_wanted,
                                .check_options =
                                    [](Options& chosen) {
                                        if (chosen.locality != LocalityMode::No) log::request_replay_order();
                                    },
                                .start = start,
                                .finish = finish,
                                .section = &kSection};

}  // namespace memspy::locality
