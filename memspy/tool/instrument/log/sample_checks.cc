// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/sample_checks.h"

#include "instrument/log/log_policy.h"
#include "log/watched_lines.h"
#include "log/word_sample.h"

namespace memspy::instrument {
namespace {

using log::WatchedLines;
using log::WordSample;

u64 sample_mask = 0;

}  // namespace

void set_sample_mask(u64 mask) { sample_mask = mask; }

void SampleChecks::begin() {
    tested_.resize(0);
    watch_tested_.resize(0);
    mask_ = found_ = crossing_ = watched_ = nullptr;
    keep_ = false;
}

// found |= (hash of address's word & mask) - 1
void SampleChecks::test_word(IRExpr* address) {
    if (mask_ == nullptr) mask_ = emit_.load(Ity_I64, Emitter::pointer(&sample_mask));
    IRExpr* hash;
    if (address->tag == Iex_Const) {
        hash = Emitter::u64c(WordSample::hash_of(address->Iex.Const.con->Ico.U64 / 8));
    } else {
        IRExpr* word = emit_.binop(Iop_Shr64, address, Emitter::u8c(3));
        IRExpr* stratum = emit_.binop(Iop_Shr64, address, Emitter::u8c(3 + WordSample::kStrata));
        IRExpr* product = emit_.binop(Iop_Mul64, stratum, Emitter::u64c(WordSample::kFactor));
        IRExpr* shifted = emit_.binop(
            Iop_Xor64, word, emit_.binop(Iop_Shr64, product, Emitter::u8c(WordSample::kProductShift)));
        hash =
            emit_.binop(Iop_Xor64, shifted, emit_.binop(Iop_Shr64, shifted, Emitter::u8c(WordSample::kFold)));
    }
    emit_.gather(Iop_Or64, found_,
                 emit_.binop(Iop_Sub64, emit_.binop(Iop_And64, mask_, hash), Emitter::u64c(1)));
}

// crossing |= (address & 7) + bytes - 1
void SampleChecks::test_border(IRExpr* address, u32 bytes) {
    IRExpr* place = emit_.binop(Iop_And64, address, Emitter::u64c(7));
    emit_.gather(Iop_Or64, crossing_, emit_.binop(Iop_Add64, place, Emitter::u64c(bytes - 1)));
}

// watched |= slots[(address >> kLineBits) & …]
void SampleChecks::test_watched(IRExpr* address, const Origin& origin, i64 at) {
    constexpr i64 kLine = i64{1} << WatchedLines::kLineBits;
    if (origin.root != IRTemp_INVALID && origin.kind != Origin::AddressRoot::Static) {
        bool below = false, above = false;
        for (const WatchTest& each : watch_tested_) {
            if (each.origin.root != origin.root || each.origin.kind != origin.kind) continue;
            below = below || (each.at <= at && at - each.at < kLine / 2);
            above = above || (each.at >= at && each.at - at < kLine / 2);
        }
        if (below && above) return;
        watch_tested_.push_back({origin, at});
    }
    const u8* const slots = log::watched_lines().slots();
    IRExpr* slot;
    if (address->tag == Iex_Const) {
        slot = Emitter::pointer(slots + WatchedLines::slot_of(address->Iex.Const.con->Ico.U64));
    } else {
        IRExpr* line = emit_.binop(Iop_Shr64, address, Emitter::u8c(WatchedLines::kLineBits));
        IRExpr* index = emit_.binop(Iop_And64, line, Emitter::u64c((u64{1} << WatchedLines::kSlotBits) - 1));
        slot = emit_.binop(Iop_Add64, index, Emitter::pointer(slots));
    }
    emit_.gather(Iop_Or64, watched_, emit_.unop(Iop_8Uto64, emit_.load(Ity_I8, slot)));
}

void SampleChecks::add(const Access& access, const Origin& origin) {
    if (keep_) return;
    if (const IRExpr* guard = access.guard; guard != nullptr) {
        if (guard->tag != Iex_Const) keep_ = true;
        if (guard->tag != Iex_Const || !guard->Iex.Const.con->Ico.U1) return;
    }
    constexpr u32 kMostBytes = 64;  // more at once are rare
    if (access.bytes > kMostBytes) {
        keep_ = true;
        return;
    }
    const auto begin = static_cast<i64>(origin.offset);
    for (u32 done = 0; done < access.bytes; done += 8) {
        const u32 bytes = access.bytes - done < 8 ? access.bytes - done : 8;
        WordTest piece{origin, begin + done, begin + done + bytes - 1};
        bool border = bytes != 1 && access.address->tag != Iex_Const;
        // A stack pointer is a multiple of eight.
        if (origin.kind == Origin::AddressRoot::Stack && piece.first >> 3 == piece.last >> 3) {
            piece.first &= ~i64{7};
            piece.last = piece.first + 7;
            border = false;
        }
        bool known = false;
        const bool has_root = origin.kind != Origin::AddressRoot::Static && origin.root != IRTemp_INVALID;
        for (const WordTest& each : tested_)
            known =
                known || (has_root && each.origin.root == origin.root && each.origin.kind == origin.kind &&
                          each.first <= piece.first && piece.last <= each.last);
        if (known) continue;
        IRExpr* address = access.address;
        if (address->tag == Iex_Const) {
            const u64 a = address->Iex.Const.con->Ico.U64 + done;
            if (a % 8 + bytes > 8) keep_ = true;
            address = Emitter::u64c(a);
        } else if (done != 0) {
            address = emit_.binop(Iop_Add64, address, Emitter::u64c(done));
        }
        test_word(address);
        if (log_policy().follow_order) test_watched(address, origin, begin + done);
        if (border) test_border(address, bytes);
        tested_.push_back(piece);
    }
}

// The conditions are bits of value 2^63. The counter of instructions has it already.
IRExpr* SampleChecks::test(IRExpr* pause) {
    if (keep_) return Emitter::u64c(1);
    IRExpr* due = emit_.binop(Iop_Shl64, pause, Emitter::u8c(63 - WordSample::kDueBit));
    if (log_policy().follow_order) due = emit_.binop(Iop_Or64, due, pause);
    if (watched_ != nullptr)
        due = emit_.binop(Iop_Or64, due, emit_.binop(Iop_Shl64, watched_, Emitter::u8c(56)));
    if (found_ != nullptr) due = emit_.binop(Iop_Or64, due, found_);
    if (crossing_ != nullptr)
        due = emit_.binop(Iop_Or64, due, emit_.binop(Iop_Shl64, crossing_, Emitter::u8c(60)));
    return emit_.binop(Iop_Shr64, due, Emitter::u8c(63));
}

}  // namespace memspy::instrument
