// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/quiet_checks.h"

#include <algorithm>
#include <cstddef>

#include "instrument/core/policy.h"
#include "instrument/core/registers.h"
#include "log/quiet_lines.h"

namespace memspy::instrument {

using log::QuietLines;

Int quiet_bit_offset() { return shadow_offset(static_cast<Int>(offsetof(VexGuestArchState, guest_NRADDR))); }

Int follow_until_offset() { return shadow_offset(spare_state_word()); }

void QuietChecks::begin() {
    new_.resize(0);
    runs_.resize(0);
    loads_ = stores_ = crossing_ = result_ = nullptr;
    keep_ = false;
}

void QuietChecks::add(const Access& access, const Origin& origin) {
    if (keep_) return;
    // The core's helpers for large parts of the state are rare.
    if (access.bytes > policy().line_bytes) return keep();
    Origin from = origin;
    if (from.kind == Origin::AddressRoot::Static) from.root = IRTemp_INVALID;
    // Unknown without a root: nothing else is off the same address.
    new_.push_back(Tested{from, access.address, static_cast<i64>(from.offset) + access.bytes - 1,
                          access.bytes, access.stores, access.guard != nullptr, access.in_one_line});
}

bool QuietChecks::is_tested(const Tested& access) const {
    for (const Run& run : runs_)
        if (run.root == access.origin.root && run.kind == access.origin.kind && run.stores >= access.stores &&
            run.first <= static_cast<i64>(access.origin.offset) && access.last <= run.last)
            return true;
    return false;
}

// all &= words[a's line]
IRExpr* QuietChecks::test_byte(const Tested& near, i64 at, bool stores) {
    const QuietLines& quiet = log::quiet_lines();
    auto shift = [](unsigned by) { return Emitter::u8c(static_cast<u8>(by)); };
    IRExpr* address = near.address;
    const i64 distance = at - static_cast<i64>(near.origin.offset);
    if (address->tag == Iex_Const) {
        const u64 a = address->Iex.Const.con->Ico.U64 + static_cast<u64>(distance);
        address = Emitter::pointer(quiet.words() + quiet.line_of(a));
    } else {
        if (distance != 0)
            address = emit_.binop(Iop_Add64, address, Emitter::u64c(static_cast<u64>(distance)));
        if (words_ == nullptr) words_ = emit_.assign(Emitter::pointer(quiet.words()));
        IRExpr* line = emit_.binop(Iop_And64, emit_.binop(Iop_Shr64, address, shift(quiet.line_bits())),
                                   Emitter::u64c(quiet.lines() - 1));
        address = emit_.binop(Iop_Add64, words_, emit_.binop(Iop_Shl64, line, shift(3)));
    }
    IRExpr* word = emit_.load(Ity_I64, address);
    emit_.gather(Iop_And64, stores ? stores_ : loads_, word);
    return word;
}

// The bytes of `low` and all that are up to `last`, in at most two lines. If both are not known to be one:
// crossing |= ((first + reach) ^ first) & word
void QuietChecks::test_in_two_lines(const Tested& low, i64 last, bool stores) {
    IRExpr* word = test_byte(low, static_cast<i64>(low.origin.offset), stores);
    const u64 reach = static_cast<u64>(last) - low.origin.offset;
    // A stack pointer is a multiple of eight.
    const bool aligned =
        low.origin.kind == Origin::AddressRoot::Stack && reach < 8 && low.origin.offset % 8 + reach < 8;
    if (reach == 0 || aligned || (low.in_one_line && last == low.last)) return;
    if (low.address->tag == Iex_Const) {
        if ((low.origin.offset ^ static_cast<u64>(last)) / policy().line_bytes != 0)
            test_byte(low, last, stores);
        return;
    }
    IRExpr* end = emit_.binop(Iop_Add64, low.address, Emitter::u64c(reach));
    IRExpr* crosses = emit_.binop(Iop_Xor64, end, low.address);
    emit_.gather(Iop_Or64, crossing_, emit_.binop(Iop_And64, crosses, word));
}

// The accesses [first, end) of new_ are off one base, in ascending order.
void QuietChecks::test_group(usize first, usize end) {
    const i64 line_bytes = policy().line_bytes;
    while (first != end) {
        const Tested& low = new_[first];
        const i64 begin = static_cast<i64>(low.origin.offset);
        i64 last = low.last;
        bool stores = low.stores;
        usize next = first + 1;
        while (next != end && static_cast<i64>(new_[next].origin.offset) - begin < line_bytes * 4 &&
               static_cast<i64>(new_[next].origin.offset) - last < line_bytes) {
            last = std::max(last, new_[next].last);
            stores |= new_[next].stores;
            ++next;
        }
        if (last - begin < line_bytes) {
            test_in_two_lines(low, last, stores);
        } else {
            for (i64 at = begin;;) {
                test_byte(low, at, stores);
                if (at == last) break;
                at = std::min(at + line_bytes, last);
            }
        }
        runs_.push_back(Run{low.origin.root, low.origin.kind, begin, last, stores});
        first = next;
    }
}

IRExpr* QuietChecks::test() {
    if (keep_) {
        new_.resize(0);
        return Emitter::u64c(1);
    }
    usize kept = 0;
    for (const Tested& access : new_)
        if (!is_tested(access)) new_[kept++] = access;
    new_.resize(kept);
    if (new_.empty() && result_ != nullptr) return result_;
    // Of a guarded access, and one whose address has no origin, nothing else is known.
    auto is_single = [](const Tested& a) {
        return a.alone || (a.origin.kind == Origin::AddressRoot::Unknown && a.origin.root == IRTemp_INVALID);
    };
    std::sort(new_.begin(), new_.end(), [](const Tested& a, const Tested& b) {
        if (a.alone != b.alone) return b.alone;
        if (a.origin.kind != b.origin.kind) return a.origin.kind < b.origin.kind;
        if (a.origin.root != b.origin.root) return a.origin.root < b.origin.root;
        return static_cast<i64>(a.origin.offset) < static_cast<i64>(b.origin.offset);
    });
    for (usize i = 0; i < new_.size();) {
        usize end = i + 1;
        while (end < new_.size() && !is_single(new_[i]) && !is_single(new_[end]) &&
               new_[end].origin.kind == new_[i].origin.kind && new_[end].origin.root == new_[i].origin.root)
            ++end;
        const usize runs = runs_.size();
        test_group(i, end);
        if (is_single(new_[i])) runs_.resize(runs);
        i = end;
    }
    new_.resize(0);

    if (loads_ == nullptr && stores_ == nullptr) return result_ = Emitter::u64c(0);
    // found = wanted & ~all
    IRExpr* const of_stores = Emitter::u64c(QuietLines::kStores);
    IRExpr* wanted = emit_.get(quiet_bit_offset(), Ity_I64);
    IRExpr* all = loads_;
    if (stores_ != nullptr) {
        wanted = emit_.binop(Iop_Or64, wanted, of_stores);
        all = loads_ == nullptr ? stores_
                                : emit_.binop(Iop_And64, emit_.binop(Iop_Or64, loads_, of_stores), stores_);
    }
    IRExpr* found = emit_.binop(Iop_Xor64, emit_.binop(Iop_And64, all, wanted), wanted);
    if (crossing_ != nullptr)
        found = emit_.binop(Iop_Or64, found,
                            emit_.binop(Iop_And64, crossing_, Emitter::u64c(policy().line_bytes)));
    return result_ = found;
}

}  // namespace memspy::instrument
