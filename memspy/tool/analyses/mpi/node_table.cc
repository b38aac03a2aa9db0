// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/node_table.h"

#include "analyses/mpi/job.h"
#include "vg/thread_life.h"
#include "vg/vg.h"

// Declared by the core's own headers only.
extern "C" {
SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt protection, Int file, Off64T offset);
}

namespace memspy::mpi {

void* NodeTable::map(const char* what, usize bytes) {
    write_node_path(VG_(tmpdir)(), what, path_, sizeof path_);
    const SysRes opened = VG_(open)(path_, VKI_O_CREAT | VKI_O_RDWR, VKI_S_IRUSR | VKI_S_IWUSR);
    if (sr_isError(opened)) return nullptr;
    const Int file = static_cast<Int>(sr_Res(opened));
    const u8 last = 0;  // the byte behind the table is never used
    void* table = nullptr;
    if (VG_(lseek)(file, static_cast<Off64T>(bytes), VKI_SEEK_SET) == static_cast<Off64T>(bytes) &&
        VG_(write)(file, &last, 1) == 1) {
        const SysRes mapped =
            VG_(am_shared_mmap_file_float_valgrind)(bytes, VKI_PROT_READ | VKI_PROT_WRITE, file, 0);
        if (!sr_isError(mapped)) table = reinterpret_cast<void*>(sr_Res(mapped));
    }
    VG_(close)(file);
    if (table == nullptr) return nullptr;
    const u32 attached = __atomic_add_fetch(static_cast<u32*>(table), 1, __ATOMIC_ACQ_REL);
    if (static_cast<i64>(attached) == processes_here()) forget();  // all have it, and need its name no more
    return table;
}

void NodeTable::forget() {
    if (path_[0] != '\0') VG_(unlink)(path_);
    path_[0] = '\0';
}

EntryLock::EntryLock(u32& word) : word_(word) {
    // Who has it may have lost its processor; who died with it never gives it back.
    constexpr u32 kSpins = 100, kTries = 500, kPause = 500;  // microseconds
    for (u32 i = 0; i < kTries && !held_; ++i) {
        if (i >= kSpins) vg::sleep(kPause);
        u32 is_free = 0;
        held_ = __atomic_compare_exchange_n(&word_, &is_free, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
}

EntryLock::~EntryLock() {
    if (held_) __atomic_store_n(&word_, 0, __ATOMIC_RELEASE);
}

}  // namespace memspy::mpi
