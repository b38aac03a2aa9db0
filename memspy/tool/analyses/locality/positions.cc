// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/positions.h"

#include <algorithm>
#include <new>

#include "rt/global.h"
#include "threads/frame_slots.h"

namespace memspy::locality {
namespace {

rt::Global<rt::Vector<ThreadPosition*>> positions;

}  // namespace

void ThreadPosition::note(const log::Record& record, const log::Shape& shape) {
    if (shape.uses.empty()) return;
    code = shape.uses[0].instruction;
    pushed = log::last_store(record, shape);
}

void ThreadPosition::change(threads::CallPath next) {
    while (!frames.empty() && !threads::is_below(next, frames.back().path)) frames.pop_back();
    if (threads::parent_of(next) == path && pushed.is_call_to(next) &&
        (frames.empty() || frames.back().path != next))
        frames.push_back({next, pushed.at});
    path = next;
}

void follow_frames() {
    threads::keep_frame_slots();
    grown_parts().start();
}

ThreadPosition& position_of(u32 thread) {
    if (positions->size() <= thread) positions->resize(thread + 1);
    ThreadPosition*& position = (*positions)[thread];
    if (position == nullptr) [[unlikely]]
        position = new (rt::allocate(sizeof(ThreadPosition), "memspy.positions")) ThreadPosition;
    return *position;
}

Address slot_of_frame(u32 thread, threads::CallPath path) {
    const rt::Vector<ThreadPosition::KnownSlot>& frames = position_of(thread).frames;
    const auto* const found = std::lower_bound(
        frames.begin(), frames.end(), path,
        [](const ThreadPosition::KnownSlot& each, threads::CallPath wanted) { return each.path < wanted; });
    return found != frames.end() && found->path == path ? found->slot : threads::slot_of(thread, path);
}

places::GrownPartsOfLog& grown_parts() {
    static rt::Global<places::GrownPartsOfLog> parts;
    return *parts;
}

}  // namespace memspy::locality
