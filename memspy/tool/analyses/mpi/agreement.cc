// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/agreement.h"

namespace memspy::mpi {

struct Agreement::CallTable {
    static constexpr usize kEntries = 4096;
    u32 attached;  // processes
    u32 unused[15];
    OperationEntry entries[kEntries];
};

void Agreement::begin(i32 size) {
    if (size < 2 || table_ != nullptr) return;
    table_ = static_cast<CallTable*>(shared_.map("calls", sizeof(CallTable)));
}

namespace {

Agreement::Disagreement difference_of(const Agreement::OperationEntry& first,
                                      const Agreement::OperationEntry& mine) {
    using enum Agreement::Disagreement;
    if (first.call != mine.call) return Call;
    if (first.root != mine.root) return Root;
    if (first.op != 0 && mine.op != 0 && first.op != mine.op) return Operation;
    const bool are_known = first.elements_hash != 0 && mine.elements_hash != 0;
    if (are_known && (first.elements_hash != mine.elements_hash || first.elements != mine.elements))
        return Elements;
    return None;
}

}  // namespace

Agreement::Disagreement Agreement::compare(OperationEntry mine, OperationEntry& first) {
    if (table_ == nullptr) return Disagreement::None;
    OperationEntry& at = table_->entries[mine.key % CallTable::kEntries];
    const EntryLock lock(at.lock);
    if (!lock.held()) return Disagreement::None;
    const bool known = at.key == mine.key;
    mine.lock = at.lock;
    if (!known) at = mine;
    first = at;
    return known ? difference_of(first, mine) : Disagreement::None;
}

bool describe_operation(const Communicator& comm, const InCall& in, i32 rank,
                        Agreement::OperationEntry& entry) {
    if (in.operation == 0 || comm.size < 2) return false;
    constexpr u64 kOdd = 0x9E3779B97F4A7C15u;
    entry = {};
    entry.key = ((comm.group * kOdd + comm.ordinal) * kOdd + in.operation) * kOdd | 1;
    entry.rank = rank;
    entry.call = in.call % kMpiCalls;
    if (comm.is_between) return true;
    entry.root = in.facts.root;
    entry.op = in.facts.op;
    if (in.facts.agrees == 0) return true;
    const MpiTypes& types = in.facts.agreed;
    if (types.count > 0 && types.element.length == 0) return true;  // not understood
    const MpiSignature all = mpi_repeated(types.element, types.count > 0 ? static_cast<u64>(types.count) : 0);
    entry.elements_hash = all.hash | u64{1} << 63;
    entry.elements = all.length;
    return true;
}

}  // namespace memspy::mpi
