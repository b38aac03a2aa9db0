// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/kernel_writes.h"

#include <algorithm>

#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::client {
namespace {

// The answer to a request that the core does not know, and that does not say how long it is, is looked for in
// so many bytes.
constexpr usize kMostUnknown = 64;

struct MadeCall {
    u32 number = ~u32{0};
    u64 arguments[6] = {};
    Address name = 0;    // where a socket's address goes,
    u32 room = 0;        // and how much the program has for it
    usize compared = 0;  // bytes of `before`; 0 if the core knows the request
    u8 before[kMostUnknown] = {};
};
rt::Global<rt::HashMap<MadeCall>> calls;  // by thread

bool is_mapped(Address begin, usize bytes) {
    return VG_(am_is_valid_for_client)(begin, bytes, VKI_PROT_READ);
}

void note_room(MadeCall& call, u32 name, u32 length) {
    if (!is_mapped(call.arguments[length], sizeof(u32))) return;
    call.name = call.arguments[name];
    call.room = *reinterpret_cast<const u32*>(call.arguments[length]);
}

// Requests before Linux 2.4 have no size in their number.
bool says_its_size(u64 request) { return (request >> _VKI_IOC_SIZESHIFT & _VKI_IOC_SIZEMASK) != 0; }

void note_memory(MadeCall& call) {
    const Address at = call.arguments[2];
    if (says_its_size(call.arguments[1]) || !is_mapped(at, 1)) return;
    call.compared = kMostUnknown;
    if (!is_mapped(at, kMostUnknown)) call.compared = VKI_PAGE_SIZE - at % VKI_PAGE_SIZE;
    VG_(memcpy)(call.before, reinterpret_cast<const void*>(at), call.compared);
}

// A word that is as before may have been written, too: at least one is taken for the answer.
void tell_changed_words(const MadeCall& call, void (*define)(Address, usize)) {
    const Address at = call.arguments[2];
    if (call.compared == 0 || !is_mapped(at, call.compared)) return;
    const auto* now = reinterpret_cast<const u8*>(at);
    usize end = sizeof(u32);
    for (usize i = 0; i < call.compared; ++i)
        if (now[i] != call.before[i]) end = (i / sizeof(u32) + 1) * sizeof(u32);
    if (end > call.compared) end = call.compared;
    define(at, end);
}

void tell_prctl(const MadeCall& call, i64 result, void (*define)(Address, usize)) {
    switch (call.arguments[0]) {
        case 0x41555856:  // PR_GET_AUXV, whose result is the length of all
            define(call.arguments[1], std::min<usize>(static_cast<usize>(result), call.arguments[2]));
            return;
        case VKI_PR_GET_TSC:
        case 37:  // PR_GET_CHILD_SUBREAPER
            define(call.arguments[1], sizeof(Int));
            return;
        case 40:  // PR_GET_TID_ADDRESS
            define(call.arguments[1], sizeof(Addr));
            return;
        default: return;
    }
}

// Versions 2 and 3 of the capabilities have two sets of 12 bytes.
void tell_capabilities(const MadeCall& call, void (*define)(Address, usize)) {
    constexpr u32 kFirstVersion = 0x19980330;
    if (call.arguments[1] == 0 || !is_mapped(call.arguments[0], sizeof(u32))) return;
    define(call.arguments[1],
           *reinterpret_cast<const u32*>(call.arguments[0]) == kFirstVersion ? usize{12} : usize{24});
}

// A file's extents stand behind the request, which has their number.
void tell_extents(const MadeCall& call, void (*define)(Address, usize)) {
    constexpr u64 kFileExtents = 0xC020660B;  // FS_IOC_FIEMAP
    constexpr usize kHead = 32, kCount = 20, kExtent = 56;
    const Address at = call.arguments[2];
    if (call.arguments[1] != kFileExtents || !is_mapped(at, kHead)) return;
    define(at + kHead, usize{*reinterpret_cast<const u32*>(at + kCount)} * kExtent);
}

// A program may so write its own memory.
void tell_written_memory(const MadeCall& call, i64 result, void (*define)(Address, usize)) {
    if (call.arguments[0] != static_cast<u64>(VG_(getpid)())) return;
    const auto* pieces = reinterpret_cast<const vki_iovec*>(call.arguments[3]);
    for (auto left = static_cast<usize>(result); left != 0; ++pieces) {
        const usize bytes = std::min(left, usize{pieces->iov_len});
        define(reinterpret_cast<Address>(pieces->iov_base), bytes);
        left -= bytes;
    }
}

// Some requests say in their number more than they write.
usize bytes_of_answer(u64 request, usize said) {
    switch (request) {
        case 0x80086601:  // FS_IOC_GETFLAGS
        case 0x80087601:  // FS_IOC_GETVERSION
            return sizeof(u32);
        default: return said;
    }
}

}  // namespace

void note_call(u32 thread, u32 number, const u64* arguments) {
    MadeCall& call = (*calls)[thread];
    call.number = number;
    for (u32 i = 0; i < 6; ++i) call.arguments[i] = arguments[i];
    call.name = 0;
    call.compared = 0;
    switch (number) {
        case __NR_accept:
        case __NR_accept4:
        case __NR_getsockname:
        case __NR_getpeername: note_room(call, 1, 2); return;
        case __NR_recvfrom: note_room(call, 4, 5); return;
        case __NR_ioctl: note_memory(call); return;
        default: return;
    }
}

usize bytes_read(u32 thread, const HChar* parameter, usize bytes) {
    const MadeCall* call = calls->find(thread);
    if (call == nullptr) return bytes;
    if (call->number == __NR_sched_getattr) return 0;
    if (call->number != __NR_ioctl) return bytes;
    // A request that the core does not know, and that has an answer: which part is the question nobody knows.
    constexpr u64 kBothWays = (u64{_VKI_IOC_READ} | _VKI_IOC_WRITE) << _VKI_IOC_DIRSHIFT;
    if (VG_(strcmp)(parameter, "ioctl(generic)") == 0)
        return (call->arguments[1] & kBothWays) == kBothWays ? 0 : bytes;
    if (VG_(strcmp)(parameter, "ioctl(SIOCATMARK)") == 0) return 0;
    // The device's name and a pointer, which are followed by room for other requests' data.
    constexpr usize kNameAndPointer = 24;
    return VG_(strcmp)(parameter, "ioctl(SIOCETHTOOL,ir)") == 0 ? kNameAndPointer : bytes;
}

usize room_for(u32 thread, usize bytes) {
    const MadeCall* call = calls->find(thread);
    return call != nullptr && call->number == __NR_sched_getattr ? call->arguments[2] : bytes;
}

usize bytes_written(u32 thread, Address begin, usize bytes) {
    MadeCall* call = calls->find(thread);
    if (call == nullptr) return bytes;
    if (call->name == begin && begin != 0) return std::min<usize>(bytes, call->room);
    if (call->number == __NR_sched_getaffinity && begin == call->arguments[2]) return 0;  // see below
    if (call->number == __NR_ioctl && begin == call->arguments[2]) {
        call->compared = 0;
        return bytes_of_answer(call->arguments[1], bytes);
    }
    constexpr usize kToStatus = 28;
    if (call->number == __NR_waitid && begin == call->arguments[2] && bytes > kToStatus) return kToStatus;
    return bytes;
}

void tell_further_writes(u32 thread, i64 result, void (*define)(Address begin, usize bytes)) {
    MadeCall* call = calls->find(thread);
    if (call == nullptr) return;
    if (result >= 0) switch (call->number) {
            case __NR_sched_getaffinity: define(call->arguments[2], static_cast<usize>(result)); break;
            case __NR_prctl: tell_prctl(*call, result, define); break;
            case __NR_capget: tell_capabilities(*call, define); break;
            case __NR_msgctl:
                if ((call->arguments[1] & 0xff) == VKI_IPC_STAT)
                    define(call->arguments[2], sizeof(vki_msqid64_ds));
                break;
            case __NR_ioctl:
                tell_changed_words(*call, define);
                tell_extents(*call, define);
                break;
            case __NR_ptrace:
                if (call->arguments[0] == 0x420A)  // PTRACE_GETSIGMASK
                    define(call->arguments[3], call->arguments[2]);
                break;
            case __NR_process_vm_writev: tell_written_memory(*call, result, define); break;
            default: break;
        }
    call->number = ~u32{0};
    call->name = 0;
}

}  // namespace memspy::client
