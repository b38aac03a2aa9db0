// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/shape_facts.h"

#include "analyses/races/source_atomics.h"

namespace memspy::races {
namespace {

bool is_plain(const log::Shape& shape, const UseFacts* uses) {
    if (shape.event != log::LockEvent::None || shape.updates) return false;
    for (usize i = 0; i < shape.uses.size(); ++i)
        if (const CodeRole role = uses[i].role; shape.uses[i].atomic || uses[i].publishes ||
                                                role == CodeRole::Atomic || role == CodeRole::Threading ||
                                                role == CodeRole::OpenMp)
            return false;
    for (const log::Span& span : shape.spans)
        if (span.bytes > kLineBytes) return false;
    return true;
}

bool only_sums(const log::Shape& shape, usize load) {
    const log::AccessUse& of = shape.uses[load];
    if (!of.loads) return false;
    for (usize i = load; i < shape.uses.size(); ++i) {
        const log::AccessUse& use = shape.uses[i];
        if (use.stores && use.word == of.word && use.offset == of.offset && use.bytes == of.bytes)
            return use.sum == log::SumKind::Adds;
    }
    return false;
}

bool may_poll(const log::Shape& shape) {
    constexpr usize kMostUses = 8;
    if (shape.uses.size() > kMostUses || shape.updates) return false;
    for (const log::AccessUse& use : shape.uses)
        if (use.sum != log::SumKind::None) return false;
    return true;
}

CodeRole role_of_use(const log::AccessUse& use) {
    const CodeRole role = role_of(use.instruction);
    const bool is_data =
        role == CodeRole::Atomic && !use.atomic && is_of_operand(use.instruction, use.stores);
    return is_data ? CodeRole::Own : role;
}

}  // namespace

ShapeFacts ShapeFactTable::find(const log::Shape& shape) {
    UseFacts* uses = nullptr;
    if (const usize count = shape.uses.size(); count != 0) {
        uses = static_cast<UseFacts*>(HistoryMemory::allocate(count * sizeof(UseFacts)));
        for (usize i = 0; i < count; ++i) {
            const log::AccessUse& use = shape.uses[i];
            uses[i] = {.role = role_of_use(use),
                       .has_place = false,
                       .publishes = false,
                       .only_sums = only_sums(shape, i),
                       .place = {},
                       .path = {}};
            if (use.atomic) note_atomic(use.instruction);
            if (use.stores && !use.loads && !use.atomic && uses[i].role == CodeRole::Own)
                uses[i].publishes = is_atomic_in_source(use.instruction, true);
        }
    }
    return {.is_known = true,
            .is_plain = is_plain(shape, uses),
            .stores = shape.stores != 0,
            .may_poll = may_poll(shape),
            .uses = uses};
}

}  // namespace memspy::races
