// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/locality.h"

#include <new>

#include "analyses/analysis.h"
#include "analyses/locality/names.h"
#include "analyses/locality/output/summary.h"
#include "analyses/locality/places.h"
#include "log/consumer.h"
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

void tell(u32 thread, const CodeName& code, Address a, u32 bytes, bool loads, bool stores) {
    Streams& to = *all;
    const Word last = (a + bytes - 1) / 8;
    for (u32 store = loads ? 0 : 1; store <= (stores ? 1u : 0u); ++store)
        for (Word word = a / 8; word <= last; ++word) {
            if (!to.wants(word)) [[likely]]
                continue;
            const places::Extent& extent = extent_of(a);
            WordAccess access;
            access.word = word;
            access.thread = thread;
            access.object = static_cast<u32>(extent.object);
            access.function = code.function;
            access.line = code.line;
            access.stores = store != 0;
            if (extent.object != places::ObjectId{}) {
                Zone& zone = all_zones->of(access.object, thread, code.function);
                const u64 offset = a - extent.start;
                (access.stores ? zone.written : zone.read).add(offset, offset + bytes);
            }
            to.access(access);
        }
}

void records(threads::Thread t, const u64* first, const u64* end) {
    log::for_each_record(first, end, [&](const Record& record, const Shape& shape) {
        if (shape.instructions == 0) return;  // accesses of a system call
        const CodeName* code = codes_of(record.shape, shape);
        const AccessUse* uses = shape.uses.data();
        log::for_each_access(record, shape, [&](const AccessUse& use, Address a) {
            tell(t.serial, code[&use - uses], a, use.bytes, use.loads, use.stores);
        });
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

void start() {
    running = options().locality != LocalityMode::No;
    if (!running) return;
    begin_anew();
    start_places();
    log::Consumer consumer;
    consumer.from_start = true;
    consumer.records = records;
    consumer.forked = [](threads::Thread) { begin_anew(); };
    log::attach(consumer);
}

void finish(End) {
    if (running) print_summary();
}

}  // namespace

bool is_on() { return running; }
Streams& streams() { return *all; }
const Zones& zones() { return *all_zones; }

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "locality",
                                .wanted = [] { return options().locality != LocalityMode::No; },
                                .start = start,
                                .finish = finish,
                                .section = &kSection};

}  // namespace memspy::locality
