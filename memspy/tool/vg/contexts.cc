// SPDX-License-Identifier: GPL-2.0-or-later
#include "rt/global.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy {
namespace {

// By the quarter of their number, because the core counts in fours.
rt::Global<rt::Vector<ExeContext*>> contexts;

}  // namespace

ContextId id_of(ExeContext* context) {
    if (context == nullptr) return ContextId::None;
    const UInt number = VG_(get_ECU_from_ExeContext)(context);
    const usize index = number / 4;
    while (contexts->size() <= index) contexts->push_back(nullptr);
    (*contexts)[index] = context;
    return static_cast<ContextId>(number);
}

ExeContext* context_of(ContextId id) {
    if (id == ContextId::None) return nullptr;
    const UInt number = static_cast<UInt>(id);
    const usize index = number / 4;
    if (index < contexts->size() && (*contexts)[index] != nullptr) return (*contexts)[index];
    return VG_(get_ExeContext_from_ECU)(number);
}

}  // namespace memspy
