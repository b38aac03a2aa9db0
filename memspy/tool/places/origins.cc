// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/origins.h"

#include <initializer_list>

#include "places/debug_sections.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "vg/modules.h"

namespace memspy::places {
namespace {

struct FrameOrigin {
    Address function;
    dwarf::FrameByte byte;
    bool looked_up;
    const char* variable;
};
rt::Global<rt::Vector<FrameOrigin>> frames;
rt::Global<rt::HashMap<u32>> numbers;  // of frames, by a hash of their content

ContextId id_at(usize index) { return static_cast<ContextId>(index << 2 | 1); }
FrameOrigin& frame_at(ContextId origin) { return (*frames)[static_cast<u32>(origin) >> 2]; }

const char* find_variable(const FrameOrigin& frame) {
    const vg::ModuleId id = vg::module_of_code(frame.byte.pc);
    if (id == vg::ModuleId::None) return nullptr;
    const vg::Module& module = vg::module(id);
    dwarf::FrameByte byte = frame.byte;
    byte.pc -= module.bias;
    rt::Text text;
    const bool found = with_debug_sections(
        module, [&](const dwarf::Sections& sections) { return dwarf::add_variable(text, sections, byte); });
    return found ? vg::intern(text.c_str()) : nullptr;
}

}  // namespace

ContextId frame_origin(Address function, const dwarf::FrameByte& byte) {
    u64 key = byte.pc + byte.bytes;
    for (const i64 distance : {byte.from_end, byte.from_stack_pointer, byte.from_frame_pointer,
                               static_cast<i64>(byte.end), static_cast<i64>(byte.pointers.beyond_slots)})
        key = (key ^ static_cast<u64>(distance)) * 0x9E37'79B9'7F4A'7C15u;
    for (;; ++key) {
        const u32* known = numbers->find(key);
        if (known == nullptr) break;
        if ((*frames)[*known].function == function && (*frames)[*known].byte == byte) return id_at(*known);
    }
    (*numbers)[key] = static_cast<u32>(frames->size());
    frames->push_back({.function = function, .byte = byte, .looked_up = false, .variable = nullptr});
    return id_at(frames->size() - 1);
}

bool is_frame(ContextId origin) { return (static_cast<u32>(origin) & 1) != 0; }

bool has_returned(ContextId origin) {
    return is_frame(origin) && frame_at(origin).byte.from_stack_pointer == dwarf::FrameByte::kUnknownSize;
}

ContextId without_variable(ContextId origin) {
    return is_frame(origin) ? frame_origin(frame_at(origin).function, {}) : origin;
}

ExeContext* origin_stack(ContextId origin) {
    return is_frame(origin) ? VG_(make_depth_1_ExeContext_from_Addr)(frame_at(origin).function)
                            : context_of(origin);
}

const char* origin_variable(ContextId origin) {
    if (!is_frame(origin)) return nullptr;
    FrameOrigin& frame = frame_at(origin);
    if (!frame.looked_up) frame.variable = find_variable(frame);
    frame.looked_up = true;
    return frame.variable;
}

}  // namespace memspy::places
