// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/agreement.h"

#include "analyses/mpi/job.h"
#include "vg/vg.h"

// Declared by the core's own headers only.
extern "C" {
SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt protection, Int file, Off64T offset);
}

namespace memspy::mpi {

// An entry belongs to who sets its state from Free or Set to Taken; what it says is complete when it is Set.
struct Agreement::CallTable {
    static constexpr usize kEntries = 4096;
    enum : u32 { kFree, kTaken, kSet };
    u32 attached;  // processes
    u32 unused[15];
    OperationEntry entries[kEntries];
};

void Agreement::begin(i32 size) {
    if (size < 2 || table_ != nullptr) return;
    write_node_path(VG_(tmpdir)(), "calls", path_, sizeof path_);
    const SysRes opened = VG_(open)(path_, VKI_O_CREAT | VKI_O_RDWR, VKI_S_IRUSR | VKI_S_IWUSR);
    if (sr_isError(opened)) return;
    const Int file = static_cast<Int>(sr_Res(opened));
    // It is all zeros at first; the byte behind the table is never used.
    const u8 last = 0;
    if (VG_(lseek)(file, sizeof(CallTable), VKI_SEEK_SET) == static_cast<Off64T>(sizeof(CallTable)) &&
        VG_(write)(file, &last, 1) == 1) {
        const SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)(
            sizeof(CallTable), VKI_PROT_READ | VKI_PROT_WRITE, file, 0);
        if (!sr_isError(mapped)) table_ = reinterpret_cast<CallTable*>(sr_Res(mapped));
    }
    VG_(close)(file);
    if (table_ == nullptr) return;
    const u32 attached = __atomic_add_fetch(&table_->attached, 1, __ATOMIC_ACQ_REL);
    if (static_cast<i64>(attached) == processes_here()) end();  // all have it, and need its name no more
}

void Agreement::end() {
    if (path_[0] != '\0') VG_(unlink)(path_);
    path_[0] = '\0';
}

Agreement::Disagreement Agreement::compare(OperationEntry mine, OperationEntry& first) {
    if (table_ == nullptr) return Disagreement::None;
    OperationEntry& at = table_->entries[mine.key % CallTable::kEntries];
    constexpr u32 kTries = 1000;
    for (u32 i = 0; i < kTries; ++i) {
        u32 state = __atomic_load_n(&at.state, __ATOMIC_ACQUIRE);
        if (state == CallTable::kTaken) continue;
        if (!__atomic_compare_exchange_n(&at.state, &state, CallTable::kTaken, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        const bool known = state == CallTable::kSet && at.key == mine.key;
        mine.state = CallTable::kTaken;
        if (!known) at = mine;
        first = at;
        __atomic_store_n(&at.state, CallTable::kSet, __ATOMIC_RELEASE);
        if (!known) return Disagreement::None;
        if (first.call != mine.call) return Disagreement::Call;
        if (first.root != mine.root) return Disagreement::Root;
        if (first.op != 0 && mine.op != 0 && first.op != mine.op) return Disagreement::Operation;
        if (first.elements_hash != 0 && mine.elements_hash != 0 &&
            (first.elements_hash != mine.elements_hash || first.elements != mine.elements))
            return Disagreement::Elements;
        return Disagreement::None;
    }
    return Disagreement::None;
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
