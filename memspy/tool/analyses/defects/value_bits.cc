// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/value_bits.h"

#include "analyses/defects/accesses.h"
#include "shadow/shadow_map.h"

namespace memspy::defects {
namespace {

bool may_access(Address a, usize bytes) { return first_unaddressable(a, bytes) == bytes; }

}  // namespace

BitsAnswer get_value_bits(Address a, Address bits, usize bytes) {
    if (!may_access(a, bytes) || !may_access(bits, bytes)) return BitsAnswer::Unaddressable;
    for (usize i = 0; i < bytes; ++i) reinterpret_cast<u8*>(bits)[i] = undefined_bits(a + i);
    shadow::define_range(bits, bytes);
    return BitsAnswer::Done;
}

BitsAnswer set_value_bits(Address a, Address bits, usize bytes) {
    if (!may_access(a, bytes) || !may_access(bits, bytes)) return BitsAnswer::Unaddressable;
    set_undefined_bits(a, reinterpret_cast<const u8*>(bits), bytes);
    return BitsAnswer::Done;
}

}  // namespace memspy::defects
