// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/locality.h"

#include <new>

#include "analyses/analysis.h"
#include "analyses/locality/names.h"
#include "analyses/locality/output/summary.h"
#include "analyses/locality/places.h"
#include "log/consumer.h"
#include "log/foreseen.h"
#include "options.h"
#include "rt/global.h"

namespace memspy::locality {
namespace {

using log::AccessUse;
using log::Record;
using log::Shape;

bool running = false;
Streams* all = nullptr;
rt::Global<Zones> all_zones;
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

// Objects of accesses that come later in the replay's order.
rt::Global<log::Foreseen> foreseen_objects;

// Calls f(use, its code, address) for each access of the program's instructions.
template <typename F>
void for_each_use(const u64* first, const u64* end, F f) {
    log::for_each_record(first, end, [&](const Record& record, const Shape& shape) {
        if (shape.instructions == 0) return;  // accesses of a system call
        const CodeName* code = codes_of(record.shape, shape);
        const AccessUse* uses = shape.uses.data();
        log::for_each_access(record, shape,
                             [&](const AccessUse& use, Address a) { f(use, code[&use - uses], a); });
    });
}

// The present object of an access that will be passed to the streams.
u32 look_up(u32 thread, const CodeName& code, const AccessUse& use, Address a) {
    const places::Extent& extent = extent_of(a);
    const u32 object = static_cast<u32>(extent.object);
    if (extent.object == places::ObjectId{}) return object;
    Zone& zone = all_zones->of(object, thread, code.function);
    const u64 offset = a - extent.start;
    if (use.loads) zone.read.add(offset, offset + use.bytes);
    if (use.stores) zone.written.add(offset, offset + use.bytes);
    return object;
}

// `object_of()` is asked for those accesses that are wanted.
template <typename F>
void tell(u32 thread, const CodeName& code, const AccessUse& use, Address a, F object_of) {
    Streams& to = *all;
    const Word last = (a + use.bytes - 1) / 8;
    for (u32 store = use.loads ? 0 : 1; store <= (use.stores ? 1u : 0u); ++store)
        for (Word word = a / 8; word <= last; ++word) {
            if (!to.wants(word)) [[likely]]
                continue;
            WordAccess access;
            access.word = word;
            access.thread = thread;
            access.object = object_of();
            access.function = code.function;
            access.line = code.line;
            access.stores = store != 0;
            to.access(access);
        }
}

void foreseen(threads::Thread t, const u64* first, const u64* end) {
    log::ForeseenQueue& objects = foreseen_objects->of(t);
    for_each_use(first, end, [&](const AccessUse& use, const CodeName& code, Address a) {
        objects.put(look_up(t.serial, code, use, a));
    });
}

void ordered(threads::Thread t, const u64* first, const u64* end) {
    if (!log::is_kept()) {
        for_each_use(first, end, [&](const AccessUse& use, const CodeName& code, Address a) {
            tell(t.serial, code, use, a, [&] { return look_up(t.serial, code, use, a); });
        });
        return;
    }
    log::ForeseenQueue& objects = foreseen_objects->of(t);
    for_each_use(first, end, [&](const AccessUse& use, const CodeName& code, Address a) {
        tell(t.serial, code, use, a, [object = objects.take()] { return object; });
    });
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
