// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/heap_events.h"

#include "rt/global.h"
#include "rt/vector.h"

namespace memspy::client {
namespace {

rt::Global<rt::Vector<HeapListener>> listeners;

}  // namespace

void listen(const HeapListener& listener) { listeners->push_back(listener); }

void tell_acquired(Address begin, usize bytes) {
    for (const HeapListener& listener : *listeners)
        if (listener.acquired != nullptr) listener.acquired(begin, bytes);
}

void tell_allocated(const heap::Block& block) {
    for (const HeapListener& listener : *listeners)
        if (listener.allocated != nullptr) listener.allocated(block);
}

void tell_released(const heap::Block& block) {
    for (const HeapListener& listener : *listeners)
        if (listener.released != nullptr) listener.released(block);
}

void tell_reused(const heap::Block& block) {
    for (const HeapListener& listener : *listeners)
        if (listener.reused != nullptr) listener.reused(block);
}

void tell_resized(const heap::Block& from, const heap::Block& to) {
    for (const HeapListener& listener : *listeners)
        if (listener.resized != nullptr) listener.resized(from, to);
}

}  // namespace memspy::client
