// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/agreement.h"

namespace memspy::mpi {

struct Agreement::CallTable {
    static constexpr usize kEntries = 4096;
    u32 attached;  // processes
    u32 aborts;
    u32 unused[14];
    OperationEntry entries[kEntries];
};

void Agreement::begin(i32 size) {
    if (size < 2 || table_ != nullptr) return;
    table_ = static_cast<CallTable*>(shared_.map("calls", sizeof(CallTable)));
}

namespace {

u64 bit_of(i32 rank) { return rank >= 0 && rank < 64 ? u64{1} << rank : 0; }

// Between groups a rank beside the root does not name it. But it says that it is not the root.
bool is_same_root(const Agreement::OperationEntry& first, const Agreement::OperationEntry& mine) {
    if (first.root_group == 0 || (first.root >= 0 && mine.root >= 0)) return first.root == mine.root;
    return (first.root < 0 || first.root != mine.rank) && (bit_of(mine.root) & first.beside) == 0;
}

Agreement::Disagreement difference_of(const Agreement::OperationEntry& first,
                                      const Agreement::OperationEntry& mine) {
    using enum Agreement::Disagreement;
    if (first.call != mine.call) return Call;
    if (first.root_group != mine.root_group || !is_same_root(first, mine)) return Root;
    if (first.op != 0 && mine.op != 0 && first.op != mine.op) return Operation;
    const bool are_known = first.elements_hash != 0 && mine.elements_hash != 0;
    if (are_known && (first.elements_hash != mine.elements_hash || first.elements != mine.elements))
        return Elements;
    return None;
}

}  // namespace

void Agreement::note_abort() {
    if (table_ != nullptr) __atomic_store_n(&table_->aborts, 1, __ATOMIC_RELEASE);
}

bool Agreement::has_aborted() const {
    return table_ != nullptr && __atomic_load_n(&table_->aborts, __ATOMIC_ACQUIRE) != 0;
}

Agreement::Disagreement Agreement::compare(OperationEntry mine, OperationEntry& first) {
    if (table_ == nullptr) return Disagreement::None;
    OperationEntry& at = table_->entries[mine.key % CallTable::kEntries];
    const EntryLock lock(at.lock);
    if (!lock.held()) return Disagreement::None;
    const bool known = at.key == mine.key;
    mine.lock = at.lock;
    first = known ? at : mine;
    const Disagreement difference = difference_of(first, mine);
    if (first.rank != mine.root && (bit_of(mine.root) & first.beside) != 0) {
        first.rank = mine.root;  // it is not the one that left the entry
        first.place[0] = '\0';
    }
    mine.beside |= first.beside;
    const bool names_root = first.root < 0 && mine.root >= 0;
    if (!known || (names_root && difference == Disagreement::None)) at = mine;
    at.beside = mine.beside;
    return difference;
}

namespace {

constexpr u64 kOdd = 0x9E3779B97F4A7C15u;

u64 key_of(const Communicator& comm, u64 operation) {
    return ((comm.group * kOdd + comm.ordinal) * kOdd + operation) * kOdd | 1;
}
// False: they are not understood.
bool describe_elements(const MpiTypes& types, Agreement::OperationEntry& entry) {
    if (types.count > 0 && types.element.length == 0) return false;
    const MpiSignature all = mpi_repeated(types.element, types.count > 0 ? static_cast<u64>(types.count) : 0);
    entry.elements_hash = all.hash | u64{1} << 63;
    entry.elements = all.length;
    return true;
}

}  // namespace

bool describe_share(const Communicator& comm, const InCall& in, const MpiShare& share, i32 rank, i32 other,
                    Agreement::OperationEntry& entry) {
    if (comm.size < 2 || rank < 0 || other < 0 || rank == other) return false;
    const i32 giver = share.is_taken != 0 ? other : rank, taker = share.is_taken != 0 ? rank : other;
    entry = {};
    // The operation will be the next one.
    entry.key = (key_of(comm, comm.operations + 1) * kOdd + static_cast<u32>(giver)) * kOdd;
    entry.key = (entry.key + static_cast<u32>(taker)) * kOdd | 1;
    entry.rank = rank;
    entry.call = in.call % kMpiCalls;
    return describe_elements(share.types, entry);
}

bool describe_operation(const Communicator& comm, const InCall& in, i32 rank, i32 root,
                        Agreement::OperationEntry& entry) {
    if (in.operation == 0 || (comm.size < 2 && !comm.is_between)) return false;
    entry = {};
    entry.key = key_of(comm, in.operation);
    entry.rank = rank;
    entry.call = in.call % kMpiCalls;
    entry.root = in.facts.root;
    if (comm.is_between) {
        if (entry.root != kMpiNobody) entry.root_group = entry.root >= 0 ? comm.group - comm.own : comm.own;
        entry.root = entry.root >= 0 ? root : entry.root == kMpiRootHere ? rank : kMpiNobody;
        if (entry.root < 0 && entry.root_group != 0) entry.beside = bit_of(rank);
        return true;
    }
    entry.op = in.facts.op;
    if (in.facts.agrees == 0) return true;
    describe_elements(in.facts.agreed, entry);
    return true;
}

}  // namespace memspy::mpi
