// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/touch.h"

#include <bit>

#include "instrument/instrument.h"
#include "instrument/rare.h"

namespace memspy::instrument {
namespace {

constexpr unsigned kAddressBits = 37;
constexpr unsigned kSlotBits = 30;
constexpr u32 kSlots = u32{1} << (kAddressBits - kSlotBits);
// The beginning of each slot's bytes, minus the number of its first line: indexed by lines counted from
// address 0.
u64 slots[kSlots];
u64 nobody = 0;  // the shared slot

unsigned line_bits() { return static_cast<unsigned>(std::countr_zero(policy().line_bytes)); }
usize slot_bytes() { return usize{1} << (kSlotBits - line_bits()); }
u64 to_entry(u64 bytes, u32 slot) { return bytes - u64{slot} * slot_bytes(); }

void touch_line(u64 line) { *reinterpret_cast<u8*>(slots[line >> (kSlotBits - line_bits())] + line) = 1; }

extern "C" void memspy_touch_rare(Addr low, UWord reach) {
    constexpr Address kMask = (Address{1} << kAddressBits) - 1;
    touch_line((low & kMask) >> line_bits());
    touch_line(((low + reach) & kMask) >> line_bits());
}

}  // namespace

void initialise_touched() {
    nobody = reinterpret_cast<u64>(rt::map_zeroed(slot_bytes(), "memspy.touched"));
    for (u32 slot = 0; slot < kSlots; ++slot) slots[slot] = to_entry(nobody, slot);
    // Addresses of programs, libraries, heap and the first stack.
    make_touchable(0, 1);
    make_touchable((Address{1} << kAddressBits) - 1, 1);
}

void make_touchable(Address begin, usize bytes) {
    if (nobody == 0 || bytes == 0) return;
    for (Address slot = begin >> kSlotBits; slot <= (begin + bytes - 1) >> kSlotBits && slot < kSlots; ++slot)
        if (const u32 i = static_cast<u32>(slot); slots[i] == to_entry(nobody, i))
            slots[i] = to_entry(reinterpret_cast<u64>(rt::map_zeroed(slot_bytes(), "memspy.touched")), i);
}

bool was_touched(Address a) {
    const u64 slot = a >> kSlotBits;
    if (nobody == 0 || slot >= kSlots || slots[slot] == to_entry(nobody, static_cast<u32>(slot)))
        return false;
    return *reinterpret_cast<const u8*>(slots[slot] + (a >> line_bits())) != 0;
}

void touch(Address begin, usize bytes) {
    for (u64 line = begin >> line_bits(); line <= (begin + bytes - 1) >> line_bits(); ++line) {
        const u64 slot = line >> (kSlotBits - line_bits());
        if (slot < kSlots) *reinterpret_cast<u8*>(slots[slot] + line) = 1;
    }
}

void TouchWriter::begin(int begin, int end) {
    if (policy().recording != AccessRecording::Touch) return;
    Addresses addresses(in_);
    int segment = 0;
    for (int i = begin; i < end; ++i) {
        const IRStmt* s = in_->stmts[i];
        addresses.note(s);
        if (s->tag == Ist_Exit) ++segment;
        if (Access access = access_of(in_, s)) plan(i, access, addresses.origin(access.address), segment);
    }
}

void TouchWriter::plan(int statement, const Access& access, const Origin& origin, int segment) {
    // A long access touches lines behind its start.
    const i64 reach = access.bytes <= 32 ? 0 : static_cast<i64>(access.bytes) - 1;
    if (access.guard == nullptr)
        for (Cluster& cluster : clusters_) {
            if (cluster.segment != segment || cluster.origin.kind != origin.kind) continue;
            if (origin.kind != Origin::AddressRoot::Static && cluster.origin.root != origin.root) continue;
            const i64 at = static_cast<i64>(origin.offset - cluster.origin.offset);
            const i64 low = at < cluster.low ? at : cluster.low;
            const i64 high = at + reach > cluster.high ? at + reach : cluster.high;
            if (high - low >= policy().line_bytes) continue;
            cluster.low = low;
            cluster.high = high;
            return;
        }
    // An unguarded access must not rely on the mark of a guarded one, so a guarded one has a segment of its
    // own.
    clusters_.push_back(Cluster{statement, access.guard == nullptr ? segment : -1, origin, 0, reach});
}

// line = address without its upper bits, >> line_bits;  ((u8*)slots[line >> …])[line] = 1
void TouchWriter::mark(IRExpr* address) {
    const unsigned bits = line_bits(), unused = 64 - kAddressBits;
    auto shift = [](unsigned by) { return Emitter::u8c(static_cast<u8>(by)); };
    IRExpr* line =
        emit_.binop(Iop_Shr64, emit_.binop(Iop_Shl64, address, shift(unused)), shift(unused + bits));
    IRExpr* slot = emit_.binop(Iop_Shr64, line, shift(kSlotBits - bits));
    IRExpr* entry = emit_.binop(Iop_Add64, emit_.binop(Iop_Shl64, slot, shift(3)), Emitter::pointer(slots));
    emit_.store(emit_.binop(Iop_Add64, emit_.load(Ity_I64, entry), line), Emitter::u8c(1));
}

void TouchWriter::emitted(int statement) {
    while (next_ < clusters_.size() && clusters_[next_].leader == statement) {
        const Cluster& cluster = clusters_[next_++];
        const Access access = access_of(in_, in_->stmts[statement]);
        IRExpr* address = access.address;
        if (access.guard != nullptr) address = emit_.ite(access.guard, address, Emitter::u64c(0));
        auto at = [&](i64 distance) {
            return distance == 0 ? address
                                 : emit_.binop(Iop_Add64, address, Emitter::u64c(static_cast<u64>(distance)));
        };
        if (is_rare()) {
            emit_.add(IRStmt_Dirty(unsafeIRDirty_0_N(
                0, "memspy_touch_rare", VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&memspy_touch_rare)),
                mkIRExprVec_2(at(cluster.low),
                              Emitter::u64c(static_cast<u64>(cluster.high - cluster.low))))));
            continue;
        }
        mark(at(cluster.low));
        if (cluster.high != cluster.low) mark(at(cluster.high));
    }
}

}  // namespace memspy::instrument
