// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/faulting_access.h"

#include "instrument/core/access.h"
#include "instrument/core/known_bits.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::instrument {
namespace {

// Computes the temporaries of one instruction, as far as addresses are made of them.
class Evaluation {
public:
    Evaluation(const IRSB* block, u32 guest_id) : block_(block), guest_id_(guest_id) { values_->clear(); }

    KnownBits operator()(const IRExpr* e) const {
        switch (e->tag) {
            case Iex_RdTmp: {
                const KnownBits* found = values_->find(e->Iex.RdTmp.tmp);
                return found == nullptr ? KnownBits{} : *found;
            }
            case Iex_Const: return constant_bits(*e->Iex.Const.con);
            case Iex_Get: return read_register(e->Iex.Get.offset, sizeofIRType(e->Iex.Get.ty));
            case Iex_Load: return read_memory((*this)(e->Iex.Load.addr), sizeofIRType(e->Iex.Load.ty));
            case Iex_Unop: return unary_bits(e->Iex.Unop.op, (*this)(e->Iex.Unop.arg));
            case Iex_Binop:
                return binary_bits(e->Iex.Binop.op, (*this)(e->Iex.Binop.arg1), (*this)(e->Iex.Binop.arg2));
            case Iex_ITE: {
                const KnownBits condition = (*this)(e->Iex.ITE.cond);
                if (!condition.known) return {};
                return (*this)((condition.bits & 1) != 0 ? e->Iex.ITE.iftrue : e->Iex.ITE.iffalse);
            }
            default: return {};
        }
    }
    void note(const IRStmt* statement) {
        if (statement->tag == Ist_WrTmp)
            (*values_)[statement->Ist.WrTmp.tmp] = (*this)(statement->Ist.WrTmp.data);
    }

private:
    static constexpr u32 kWord = 8;

    KnownBits read_register(Int offset, Int bytes) const {
        u64 bits = 0;
        if (static_cast<u32>(bytes) > kWord) return {};
        VG_(get_shadow_regs_area)(guest_id_, reinterpret_cast<UChar*>(&bits), 0, offset,
                                  static_cast<SizeT>(bytes));
        return {true, bits};
    }
    static KnownBits read_memory(KnownBits at, Int bytes) {
        const auto count = static_cast<u32>(bytes);
        if (!at.known || count > kWord || !VG_(am_is_valid_for_client)(at.bits, count, VKI_PROT_READ))
            return {};
        u64 bits = 0;
        VG_(memcpy)(&bits, reinterpret_cast<const void*>(at.bits), count);
        return {true, bits};
    }
    const IRSB* block_;
    u32 guest_id_;
    static rt::Global<rt::HashMap<KnownBits>> values_;
};
constinit rt::Global<rt::HashMap<KnownBits>> Evaluation::values_;

vg::CodeFault asked;
FaultingAccess answer;

// amd64 says no address where the upper bits are not those of an address at all.
bool is_no_address(Address a) {
    constexpr unsigned kBits = 47;
    return a >> kBits != 0 && a >> kBits != ~Address{0} >> kBits;
}

void look(const IRSB* block) {
    Evaluation value(block, asked.guest_id);
    Address instruction = 0;
    for (int i = preamble_end(block); i < block->stmts_used; ++i) {
        const IRStmt* statement = block->stmts[i];
        if (statement->tag == Ist_IMark) {
            if (instruction != 0) return;
            instruction = instruction_address(statement);
        }
        if (const Access access = access_of(block, statement)) {
            const KnownBits at = value(access.address);
            const bool is_this =
                asked.knows_address ? asked.address - at.bits < access.bytes : is_no_address(at.bits);
            if (at.known && is_this) {
                answer = {at.bits, access.bytes, !access.loads};
                return;
            }
        }
        value.note(statement);
    }
}

}  // namespace

FaultingAccess faulting_access(const vg::CodeFault& fault) {
    asked = fault;
    answer = {};
    vg::look_at_code(fault.guest_id, VG_(get_IP)(fault.guest_id), look);
    return answer;
}

}  // namespace memspy::instrument
