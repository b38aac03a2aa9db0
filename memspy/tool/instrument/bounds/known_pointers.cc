// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/bounds/known_pointers.h"

#include <cstddef>

namespace memspy::instrument {
namespace {

constexpr u64 kEntries = 4096;
constexpr u8 kEntryShift = 6;
alignas(64) KnownPointer table[kEntries];

// Pointers are eight bytes apart, arguments one.
constexpr u64 number_of(u64 place) { return (place ^ place >> 3) % kEntries; }

IRExpr* member(Emitter& emit, IRExpr* entry, usize offset) {
    return emit.binop(Iop_Add64, entry, Emitter::u64c(offset));
}

IRExpr* key_of(Emitter& emit, IRExpr* place, u64 owner) {
    return emit.binop(Iop_Or64, place, Emitter::u64c(owner << kOwnerShift));
}

}  // namespace

// &table[(place ^ place >> 3) % kEntries]
IRExpr* emit_entry(Emitter& emit, IRExpr* place) {
    IRExpr* mixed = emit.binop(Iop_Xor64, place, emit.binop(Iop_Shr64, place, Emitter::u8c(3)));
    IRExpr* number = emit.binop(Iop_And64, mixed, Emitter::u64c(kEntries - 1));
    return emit.binop(Iop_Add64, emit.binop(Iop_Shl64, number, Emitter::u8c(kEntryShift)),
                      Emitter::pointer(table));
}

// known = entry->key == key && entry->value == value
PointerCode emit_lookup(Emitter& emit, IRExpr* entry, IRExpr* place, u64 owner, IRExpr* value) {
    const auto load = [&](usize offset) { return emit.load(Ity_I64, member(emit, entry, offset)); };
    IRExpr* key = emit.load(Ity_I64, entry);
    IRExpr* differs = emit.binop(Iop_Or64, emit.binop(Iop_Xor64, key, key_of(emit, place, owner)),
                                 emit.binop(Iop_Xor64, load(offsetof(KnownPointer, value)), value));
    PointerCode found;
    found.known = emit.binop(Iop_CmpEQ64, differs, Emitter::u64c(0));
    found.begin = load(offsetof(KnownPointer, begin));
    found.bytes = load(offsetof(KnownPointer, bytes));
    found.variable = load(offsetof(KnownPointer, variable));
    return found;
}

// *entry = {known ? key : 0, value, begin, bytes, variable}
void emit_note(Emitter& emit, IRExpr* entry, IRExpr* place, u64 owner, IRExpr* value,
               const PointerCode& pointer) {
    IRExpr* key = key_of(emit, place, owner);
    if (pointer.known != nullptr) key = emit.ite(pointer.known, key, Emitter::u64c(0));
    emit.store(entry, key);
    emit.store(member(emit, entry, offsetof(KnownPointer, value)), value);
    emit.store(member(emit, entry, offsetof(KnownPointer, begin)), pointer.begin);
    emit.store(member(emit, entry, offsetof(KnownPointer, bytes)), pointer.bytes);
    emit.store(member(emit, entry, offsetof(KnownPointer, variable)), pointer.variable);
}

void emit_forget(Emitter& emit, IRExpr* entry) { emit.store(entry, Emitter::u64c(0)); }

const KnownPointer* known_argument(Address frame_end, u32 number, u64 value) {
    const u64 place = frame_end + kArgumentsAt + number;
    const KnownPointer& entry = table[number_of(place)];
    return entry.key == (place | kArgument << kOwnerShift) && entry.value == value ? &entry : nullptr;
}

}  // namespace memspy::instrument
