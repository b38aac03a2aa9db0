// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/mappings.h"

#include "analyses/defects/requested_origins.h"
#include "instrument/core/unchecked.h"
#include "shadow/shadow_map.h"
#include "threads/registry.h"
#include "vg/client_arena.h"

// Declared by the core for itself only: the program's break.
extern "C" Addr VG_(brk_limit);

namespace memspy::defects {
namespace {

using shadow::State;

void mapped(Address begin, usize bytes) {
    forget_requested_origins(begin, bytes);
    shadow::set_range(begin, bytes, vg::has_client_memory(begin) ? State::Fine : State::Unaddressable);
    const Address limit = VG_(brk_limit);
    if (limit >= begin && limit < begin + bytes)
        shadow::set_range(limit, begin + bytes - limit, State::Unaddressable);
}

void unmapped(Address begin, usize bytes) {
    forget_requested_origins(begin, bytes);
    shadow::set_range(begin, bytes, State::Unaddressable);
}

}  // namespace

void follow_mappings() {
    shadow::set_range(0, instrument::kNullBytes, State::Unaddressable);
    threads::listen({.mapped = mapped, .unmapped = unmapped});
}

bool is_unmapped(Address a) {
    if (!vg::has_client_memory(a)) return true;
    const Address limit = VG_(brk_limit);
    return a >= limit && a < VG_PGROUNDUP(limit);
}

}  // namespace memspy::defects
