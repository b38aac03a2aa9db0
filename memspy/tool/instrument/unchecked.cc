// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/unchecked.h"

#include "rt/global.h"
#include "rt/vector.h"
#include "threads/registry.h"
#include "vg/compat.h"

namespace memspy::instrument {
namespace {

rt::Global<rt::Vector<Address>> blocks;
bool discards = false;

}  // namespace

void note_unchecked(Address first) { blocks->push_back(first); }

void initialise_unchecked() {
    threads::listen({.stopped = [](threads::Thread, u32) {
        if (!discards) return;
        discards = false;
        for (const Address first : *blocks) vg::discard_translation(first);
        blocks->clear();
    }});
}

void discard_unchecked() { discards = true; }

}  // namespace memspy::instrument
