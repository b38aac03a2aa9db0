// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/mix/loaded_addresses.h"

#include "instrument/core/registers.h"

namespace memspy::instrument {
namespace {

constexpr usize kWord = 8;

bool is_on_stack(const Origin& origin) {
    return origin.kind == Origin::AddressRoot::Stack || origin.kind == Origin::AddressRoot::Frame ||
           origin.from_stack;
}

}  // namespace

bool LoadedAddresses::is_loaded(const IRExpr* value) const {
    return value->tag == Iex_RdTmp && of_temp_[value->Iex.RdTmp.tmp] != 0;
}

bool LoadedAddresses::computes_from_loaded(const IRExpr* data) const {
    switch (data->tag) {
        case Iex_RdTmp: return is_loaded(data);
        case Iex_Get: {
            const usize word = static_cast<usize>(data->Iex.Get.offset) / kWord;
            return word < of_register_.size() && of_register_[word] != 0;
        }
        case Iex_Unop: return is_loaded(data->Iex.Unop.arg);
        case Iex_Binop: return is_loaded(data->Iex.Binop.arg1) || is_loaded(data->Iex.Binop.arg2);
        case Iex_ITE: return is_loaded(data->Iex.ITE.iftrue) || is_loaded(data->Iex.ITE.iffalse);
        default: return false;
    }
}

LoadedAddresses::LoadedAddresses(const IRSB* block) {
    const auto count = [](Int number) { return static_cast<usize>(number); };
    of_temp_.resize(count(block->tyenv->types_used));
    of_register_.resize(count(guest_layout().state_bytes) / kWord + 1);
    found_.resize(count(block->stmts_used));
    Addresses addresses(block);
    for (Int i = 0; i < block->stmts_used; ++i) {
        const IRStmt* const s = block->stmts[i];
        addresses.note(s);
        const Access access = access_of(block, s);
        const bool on_stack = access && is_on_stack(addresses.origin(access.address));
        if (access && !on_stack) found_[count(i)] = is_loaded(access.address);
        const bool is_load = access.loads && !on_stack && !loads_vector(block, i);
        if (s->tag == Ist_WrTmp)
            of_temp_[s->Ist.WrTmp.tmp] =
                s->Ist.WrTmp.data->tag == Iex_Load ? is_load : computes_from_loaded(s->Ist.WrTmp.data);
        else if (s->tag == Ist_LoadG)
            of_temp_[s->Ist.LoadG.details->dst] = is_load;
        else if (s->tag == Ist_Put && count(s->Ist.Put.offset) / kWord < of_register_.size())
            of_register_[count(s->Ist.Put.offset) / kWord] = computes_from_loaded(s->Ist.Put.data);
    }
}

}  // namespace memspy::instrument
