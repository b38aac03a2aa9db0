// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/thread_life.h"

#include "rt/global.h"
#include "rt/vector.h"
#include "vg/compat.h"

namespace memspy::vg {
namespace {

struct RobustList {  // the kernel's layout
    Address next;
    Long futex_offset;
    Address pending;
};

template <typename T>
T* client(Address a, UInt protection) {
    return VG_(am_is_valid_for_client)(a, sizeof(T), protection) ? reinterpret_cast<T*>(a) : nullptr;
}

bool has_robust_mutexes() {
    Address head = 0;
    SizeT bytes = 0;
    const SysRes result =
        system_call(__NR_get_robust_list, 0, reinterpret_cast<UWord>(&head), reinterpret_cast<UWord>(&bytes));
    if (sr_isError(result)) return true;
    if (head == 0) return false;
    const auto* list = client<RobustList>(head, VKI_PROT_READ);
    return list == nullptr || list->next != head || list->pending != 0;
}

// The state as in ps; 0 if this process has no such thread.
HChar state_of(Int kernel_id) {
    HChar name[48];
    VG_(sprintf)(name, "/proc/self/task/%d/stat", kernel_id);
    const SysRes file = VG_(open)(name, VKI_O_RDONLY, 0);
    if (sr_isError(file)) return 0;
    HChar text[64];  // "ID (NAME) S ...", the name has 15 letters at most
    const Int read = VG_(read)(static_cast<Int>(sr_Res(file)), text, sizeof text - 1);
    VG_(close)(static_cast<Int>(sr_Res(file)));
    text[read > 0 ? read : 0] = 0;
    const HChar* end = VG_(strrchr)(text, ')');
    return end == nullptr || end[1] == 0 ? 0 : end[2];
}

// Kernel's ids of threads that end.
rt::Global<rt::Vector<Int>> ending;

// The first thread stays as a zombie while there are others.
bool has_ended(Int kernel_id) {
    const HChar state = state_of(kernel_id);
    return state == 0 || state == 'Z' || state == 'X';
}

void forget_ended() {
    usize kept = 0;
    for (const Int each : *ending)
        if (!has_ended(each)) (*ending)[kept++] = each;
    ending->resize(kept);
}

constexpr u32 kTries = 20'000;  // some seconds

}  // namespace

Int kernel_id() { return static_cast<Int>(sr_Res(system_call(__NR_gettid))); }

void sleep(u32 microseconds) {
    struct vki_timespec pause = {0, static_cast<Long>(microseconds) * 1000};
    system_call(__NR_nanosleep, reinterpret_cast<UWord>(&pause));
}

void await_sleep(Int kernel_id) {
    for (u32 i = 0; i < kTries; ++i) {
        const HChar state = state_of(kernel_id);
        if (state != 'R' && state != 'D') return;  // it runs, or waits for one of its pages
        sleep(20);
    }
}

void end_thread(Address word) {
    constexpr usize kMany = 64;
    if (ending->size() == kMany) forget_ended();
    ending->push_back(kernel_id());
    Int* cleared = word == 0 ? nullptr : client<Int>(word, VKI_PROT_READ | VKI_PROT_WRITE);
    if (cleared == nullptr || has_robust_mutexes()) return;
    // The memory may have another owner when the kernel gets there.
    system_call(__NR_set_robust_list, 0, sizeof(RobustList));
    system_call(__NR_set_tid_address, 0);
    *cleared = 0;
    system_call(__NR_futex, word, kFutexWake, 1);
}

void await_ends() {
    u32 tries = kTries;
    for (const Int each : *ending)
        for (; tries > 0 && !has_ended(each); --tries) sleep(20);
    ending->clear();
}

}  // namespace memspy::vg
