// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/polled_lines.h"

#include "order/line_life.h"

namespace memspy::order {

void PolledLines::begin(Thread t, u64 line, Address word, Time trip, Time now, const Place& place) {
    looks_.push_back({line, word, t, trip, now + trip, place});
}

void PolledLines::end(Thread t) {
    usize kept = 0;
    for (const PolledWord& each : looks_)
        if (each.thread.serial != t.serial) looks_[kept++] = each;
    looks_.resize(kept);
}

void PolledLines::store(SharedLine& shared, Thread by, Time now) {
    Ownership*& order = shared.order[static_cast<u32>(View::Modelled)];
    for (PolledWord& each : looks_) {
        if (each.line != shared.line || each.thread.serial == by.serial) continue;
        if (!holds(*order, each.thread)) {
            if (now < each.next) continue;
            look(shared, each);
        }
        each.next = now + each.trip;
    }
}

void PolledLines::look(SharedLine& shared, const PolledWord& polled) {
    constexpr u16 kBytes = 4;
    LineAccess look;
    look.first = static_cast<u8>(polled.word - line_begin(polled.line));
    look.bytes = kBytes;
    look.loads = true;
    const Events events = apply(shared.order[static_cast<u32>(View::Modelled)], polled.thread, look);
    if (!events.any()) return;
    const ObjectId object = object_at(shared, polled.word, recording->clocks.now(polled.thread));
    recording->options.observer.had_events(View::Modelled, shared.notes, polled.thread, object, polled.place,
                                           events);
    if (shared.notes != nullptr) recording->options.observer.looked(shared.notes, polled.thread, look);
    recording->counts.events += events.count();
}

}  // namespace memspy::order
