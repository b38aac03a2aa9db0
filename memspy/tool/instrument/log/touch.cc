// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/touch.h"

#include <bit>

#include "instrument/core/policy.h"
#include "instrument/core/rare.h"
#include "instrument/log/log_policy.h"
#include "vg/compat.h"

namespace memspy::instrument {
namespace {

// Addresses wrap around in the array. A client's memory begins at the bottom of its address space and its
// first stack at the top, so they share nothing unless the client has 15 GiB.
constexpr unsigned kAddressBits = 34;
constexpr Address kWindow = Address{1} << kAddressBits, kOfStack = Address{1} << 30;
// By line. The array begins behind the page's first byte: what generated code stores is the lowest byte of
// this address, which is not zero then.
u8* marks = nullptr;

unsigned line_bits() { return static_cast<unsigned>(std::countr_zero(policy().line_bytes)); }
u64 line_of(Address a) { return (a & (kWindow - 1)) >> line_bits(); }
bool is_known(Address a) {
    constexpr Address kEnd = Address{1} << kClientAddressBits;
    return a < kWindow - kOfStack || (a < kEnd && a >= kEnd - kOfStack);
}

extern "C" void memspy_touch_rare(Addr low, UWord reach) {
    marks[line_of(low)] = 1;
    marks[line_of(low + reach)] = 1;
}

}  // namespace

bool initialise_touched() {
    auto* const memory = static_cast<u8*>(vg::map_zeroed_or_null((kWindow >> line_bits()) + 2));
    if (memory == nullptr) return false;
    marks = memory + 1;
    return true;
}

bool was_touched(Address a) { return marks != nullptr && is_known(a) && marks[line_of(a)] != 0; }

void touch(Address begin, usize bytes) {
    if (marks == nullptr || bytes == 0) return;
    if (!is_known(begin) || !is_known(begin + bytes - 1)) return;
    for (u64 line = begin >> line_bits(); line <= (begin + bytes - 1) >> line_bits(); ++line)
        marks[line_of(line << line_bits())] = 1;
}

void TouchWriter::begin(int begin, int end) {
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

// marks[address without its upper bits, >> line_bits] = the lowest byte of the array's address Programs may
// own memory beyond the array (mimalloc asks for addresses of terabytes), and arm64 ignores tags.
void TouchWriter::mark(IRExpr* address) {
    if (marks_ == nullptr) marks_ = emit_.assign(Emitter::pointer(marks));
    const unsigned unused = 64 - kAddressBits;
    auto shift = [](unsigned by) { return Emitter::u8c(static_cast<u8>(by)); };
    IRExpr* line =
        emit_.binop(Iop_Shr64, emit_.binop(Iop_Shl64, address, shift(unused)), shift(unused + line_bits()));
    emit_.store(emit_.indexed(marks_, line), emit_.unop(Iop_64to8, marks_));
}

void TouchWriter::access(int statement, const Access& access, const Origin&) {
    while (next_ < clusters_.size() && clusters_[next_].leader == statement) {
        const Cluster& cluster = clusters_[next_++];
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

extern const ObserverKind kTouchedLines;
constexpr ObserverKind kTouchedLines = {
    .is_on = [] { return log_policy().recording == AccessRecording::Touch && marks != nullptr; },
    .make = make_observer<TouchWriter>,
    .unmake = unmake_observer<TouchWriter>,
    .has_rare_form = [] { return true; }};

}  // namespace memspy::instrument
