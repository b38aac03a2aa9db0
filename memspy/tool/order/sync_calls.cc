// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/sync_calls.h"

namespace memspy::order {

namespace {

enum class SystemCall : u8 {
    Plain,  // does not concern the clocks
    Futex,
    FutexWaitv,
    Yield,
    SetTidAddress,
    Clone,
    Clone3,
    FileLock,  // fcntl: blocks for some commands
    Blocks     // may block
};

struct Number {
    u16 amd64, arm64;  // kNone if the machine has no such call
    SystemCall call;
};
constexpr u16 kNone = 0xFFFF;

constexpr Number kNumbers[] = {
    {202, 98, SystemCall::Futex},         {449, 449, SystemCall::FutexWaitv}, {24, 124, SystemCall::Yield},
    {218, 96, SystemCall::SetTidAddress}, {56, 220, SystemCall::Clone},       {435, 435, SystemCall::Clone3},
    {72, 25, SystemCall::FileLock},

    {0, 63, SystemCall::Blocks},       // read
    {1, 64, SystemCall::Blocks},       // write
    {17, 67, SystemCall::Blocks},      // pread64
    {18, 68, SystemCall::Blocks},      // pwrite64
    {19, 65, SystemCall::Blocks},      // readv
    {20, 66, SystemCall::Blocks},      // writev
    {295, 69, SystemCall::Blocks},     // preadv
    {296, 70, SystemCall::Blocks},     // pwritev
    {327, 286, SystemCall::Blocks},    // preadv2
    {328, 287, SystemCall::Blocks},    // pwritev2
    {40, 71, SystemCall::Blocks},      // sendfile
    {275, 76, SystemCall::Blocks},     // splice
    {276, 77, SystemCall::Blocks},     // tee
    {278, 75, SystemCall::Blocks},     // vmsplice
    {326, 285, SystemCall::Blocks},    // copy_file_range
    {2, kNone, SystemCall::Blocks},    // open
    {257, 56, SystemCall::Blocks},     // openat
    {437, 437, SystemCall::Blocks},    // openat2
    {3, 57, SystemCall::Blocks},       // close
    {16, 29, SystemCall::Blocks},      // ioctl
    {26, 227, SystemCall::Blocks},     // msync
    {74, 82, SystemCall::Blocks},      // fsync
    {75, 83, SystemCall::Blocks},      // fdatasync
    {162, 81, SystemCall::Blocks},     // sync
    {306, 267, SystemCall::Blocks},    // syncfs
    {277, 84, SystemCall::Blocks},     // sync_file_range
    {318, 278, SystemCall::Blocks},    // getrandom
    {7, kNone, SystemCall::Blocks},    // poll
    {271, 73, SystemCall::Blocks},     // ppoll
    {23, kNone, SystemCall::Blocks},   // select
    {270, 72, SystemCall::Blocks},     // pselect6
    {232, kNone, SystemCall::Blocks},  // epoll_wait
    {281, 22, SystemCall::Blocks},     // epoll_pwait
    {441, 441, SystemCall::Blocks},    // epoll_pwait2
    {35, 101, SystemCall::Blocks},     // nanosleep
    {230, 115, SystemCall::Blocks},    // clock_nanosleep
    {43, 202, SystemCall::Blocks},     // accept
    {288, 242, SystemCall::Blocks},    // accept4
    {42, 203, SystemCall::Blocks},     // connect
    {45, 207, SystemCall::Blocks},     // recvfrom
    {47, 212, SystemCall::Blocks},     // recvmsg
    {299, 243, SystemCall::Blocks},    // recvmmsg
    {44, 206, SystemCall::Blocks},     // sendto
    {46, 211, SystemCall::Blocks},     // sendmsg
    {307, 269, SystemCall::Blocks},    // sendmmsg
    {61, 260, SystemCall::Blocks},     // wait4
    {247, 95, SystemCall::Blocks},     // waitid
    {34, kNone, SystemCall::Blocks},   // pause
    {128, 137, SystemCall::Blocks},    // rt_sigtimedwait
    {130, 133, SystemCall::Blocks},    // rt_sigsuspend
    {73, 32, SystemCall::Blocks},      // flock
    {70, 188, SystemCall::Blocks},     // msgrcv
    {69, 189, SystemCall::Blocks},     // msgsnd
    {65, 193, SystemCall::Blocks},     // semop
    {220, 192, SystemCall::Blocks},    // semtimedop
    {242, 182, SystemCall::Blocks},    // mq_timedsend
    {243, 183, SystemCall::Blocks},    // mq_timedreceive
    {208, 4, SystemCall::Blocks},      // io_getevents
    {333, 292, SystemCall::Blocks},    // io_pgetevents
    {426, 426, SystemCall::Blocks},    // io_uring_enter
};

constexpr u32 kMostNumbers = 512;
struct Calls {
    SystemCall of[kMostNumbers];
};
constexpr Calls calls_of(Architecture architecture) {
    Calls calls{};
    for (const Number& each : kNumbers) {
        u16 number = architecture == Architecture::Amd64 ? each.amd64 : each.arm64;
        if (number != kNone) calls.of[number] = each.call;
    }
    return calls;
}
constexpr Calls kCalls[] = {calls_of(Architecture::Amd64), calls_of(Architecture::Arm64)};

SystemCall call_of(Architecture architecture, u32 number) {
    return number < kMostNumbers ? kCalls[static_cast<u32>(architecture)].of[number] : SystemCall::Plain;
}

// The operation of a futex call, without the flags for "private" and "real-time clock".
enum FutexOperation : u32 {
    kWait = 0,
    kWake = 1,
    kRequeue = 3,
    kCompareRequeue = 4,
    kWakeOperation = 5,
    kLockPi = 6,
    kWaitBitset = 9,
    kWakeBitset = 10,
    kWaitRequeuePi = 11,
    kCompareRequeuePi = 12,
    kLockPi2 = 13
};
constexpr u64 kFutexOperationMask = 0x7F;

constexpr u64 kCloneChildClearTid = 0x200000;
// Offsets in clone3's structure.
constexpr usize kClone3Flags = 0, kClone3ChildTid = 16;

constexpr u64 kSetLockWait = 7, kSetOpenFileLockWait = 38;  // of fcntl

// One element of futex_waitv's array.
struct WaitvElement {
    u64 value, word;
    u32 flags, reserved;
};
constexpr u64 kMostWaitv = 128;

// The kernel takes the count as a signed int, and wakes one thread even if it is not positive.
u64 wake_count(u64 argument) {
    auto count = static_cast<i32>(static_cast<u32>(argument));
    return count < 1 ? 1 : static_cast<u64>(count);
}
u64 requeue_count(u64 argument) {
    auto count = static_cast<i32>(static_cast<u32>(argument));
    return count < 0 ? 0 : static_cast<u64>(count);
}

}  // namespace

void SyncCalls::configure(Clocks* clocks, const Host& host, Architecture architecture) {
    clocks_ = clocks;
    host_ = host;
    architecture_ = architecture;
}

SyncCalls::ThreadCalls& SyncCalls::state(Thread t) {
    if (t.slot >= states_.size()) states_.resize(t.slot + 1);
    return states_[t.slot];
}

void SyncCalls::created(Thread parent, Thread child) {
    clocks_->create(parent, child);
    Address cleared = 0;
    if (parent) cleared = state(parent).child_cleared;
    ThreadCalls& s = state(child);
    s = ThreadCalls{};
    s.cleared = cleared;
}

Address SyncCalls::exited(Thread t) {
    const Address cleared = state(t).cleared;
    clocks_->exit(t, cleared);
    state(t) = ThreadCalls{};
    return cleared;
}

// A wait returns at once if the word has another value. The value cannot change in between, because the
// caller still has the processor.
bool SyncCalls::futex_is(Address word, u64 value) const {
    u32 found = 0;
    return host_.read(word, &found, sizeof found) && found == static_cast<u32>(value);
}

// `encoded`: operation (4 bits), comparison (4), operand of the operation (12), of the comparison (12,
// signed).
bool SyncCalls::wakes_second(Address word, u32 encoded) const {
    i32 old = 0;
    if (!host_.read(word, &old, sizeof old)) return false;
    i32 operand = static_cast<i32>(encoded << 20) >> 20;
    switch ((encoded >> 24) & 0xF) {
        case 0: return old == operand;
        case 1: return old != operand;
        case 2: return old < operand;
        case 3: return old <= operand;
        case 4: return old > operand;
        case 5: return old >= operand;
        default: return false;
    }
}

void SyncCalls::before_call(Thread t, u32 number, const u64 arguments[6]) {
    switch (call_of(architecture_, number)) {
        case SystemCall::Plain: return;
        case SystemCall::Futex: return futex(t, arguments);
        case SystemCall::FutexWaitv: return futex_waitv(t, arguments);
        case SystemCall::Yield: return host_.yields(t);
        case SystemCall::SetTidAddress: state(t).cleared = arguments[0]; return;
        case SystemCall::Clone: {
            u64 child_tid = architecture_ == Architecture::Amd64 ? arguments[3] : arguments[4];
            state(t).child_cleared = (arguments[0] & kCloneChildClearTid) != 0 ? child_tid : 0;
            return;
        }
        case SystemCall::Clone3: {
            u64 flags = 0, child_tid = 0;
            bool known = host_.read(arguments[0] + kClone3Flags, &flags, sizeof flags) &&
                         host_.read(arguments[0] + kClone3ChildTid, &child_tid, sizeof child_tid);
            state(t).child_cleared = known && (flags & kCloneChildClearTid) != 0 ? child_tid : 0;
            return;
        }
        case SystemCall::FileLock:
            if (arguments[1] == kSetLockWait || arguments[1] == kSetOpenFileLockWait)
                clocks_->wait(t, WaitFor::Other, 0);
            return;
        case SystemCall::Blocks: return clocks_->wait(t, WaitFor::Other, 0);
    }
}

void SyncCalls::after_call(Thread t, u32 number, const u64* arguments, i64 result) {
    SystemCall call = call_of(architecture_, number);
    if (const u64 operation = arguments[1] & kFutexOperationMask;
        call == SystemCall::Futex && result == 0 && (operation == kWake || operation == kWakeBitset))
        clocks_->woke_nobody(arguments[0]);
    if (call == SystemCall::Clone || call == SystemCall::Clone3) state(t).child_cleared = 0;
    // A woken wait returns 0, futex_waitv the index of the word; an interrupted or timed-out wait returns an
    // error.
    clocks_->resume(t, result >= 0);
}

// A word that the thread loaded before may be the one it waits for, unless the call is known.
void SyncCalls::wait(Thread t, Address word) {
    const FutexUse use = host_.futex_use(t);
    if (use == FutexUse::Lock || clocks_->is_held_as_lock(word))
        return clocks_->wait(t, WaitFor::Mutex, word);
    clocks_->wait(t, use == FutexUse::Token ? WaitFor::Token : WaitFor::Word, word);
    if (use == FutexUse::Other) host_.yields(t);
}

void SyncCalls::futex(Thread t, const u64 arguments[6]) {
    Address word = arguments[0], other = arguments[4];
    u64 value = arguments[2];
    switch (arguments[1] & kFutexOperationMask) {
        case kWait:
        case kWaitBitset:
        case kWaitRequeuePi:  // a condition variable with a priority-inheriting mutex
            if (futex_is(word, value)) wait(t, word);
            return;
        case kLockPi:
        case kLockPi2: return clocks_->wait(t, WaitFor::Mutex, word);
        case kWake:
        case kWakeBitset: return clocks_->wake(t, word, wake_count(value));
        case kCompareRequeue:
            if (!futex_is(word, arguments[5])) return;
            [[fallthrough]];
        case kRequeue: {
            // Unlike a wake, a requeue may wake no thread at all.
            u64 count = requeue_count(value);
            return clocks_->wake(t, word, count, other, requeue_count(arguments[3]));
        }
        case kCompareRequeuePi:
            // Threads moved to the mutex only wait for the mutex, which takes no time.
            if (!futex_is(word, arguments[5])) return;
            return clocks_->wake(t, word, requeue_count(value) + requeue_count(arguments[3]));
        case kWakeOperation: {
            // Changes the second word, and wakes its waiters too if the old value satisfies the comparison.
            bool both = wakes_second(other, static_cast<u32>(arguments[5]));
            clocks_->store(t, other, 4, true);
            clocks_->wake(t, word, wake_count(value));
            if (both) clocks_->wake(t, other, wake_count(arguments[3]));
            return;
        }
        default: return;  // unlock, try-lock: no thread sleeps
    }
}

void SyncCalls::futex_waitv(Thread t, const u64 arguments[6]) {
    u64 count = arguments[1] < kMostWaitv ? arguments[1] : kMostWaitv;
    WaitvElement element{};
    Address at = arguments[0];
    for (u64 i = 0; i < count; ++i, at += sizeof element) {
        if (!host_.read(at, &element, sizeof element) || !futex_is(element.word, element.value)) return;
    }
    if (count == 1) return wait(t, element.word);
    at = arguments[0];
    for (u64 i = 0; i < count; ++i, at += sizeof element)
        if (host_.read(at, &element, sizeof element)) clocks_->watch(element.word);
    clocks_->wait(t, WaitFor::Other, 0);
}

}  // namespace memspy::order
