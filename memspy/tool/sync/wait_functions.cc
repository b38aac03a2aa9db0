// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/wait_functions.h"

#include "rt/prefix.h"
#include "sync/lock_functions.h"

namespace memspy::sync {
namespace {

using rt::starts_with;
using rt::starts_with_one_of;

// Whether `text` up to a symbol version or parameters is `name`.
bool is_name(const char* text, const char* name) {
    for (; *name != 0; ++name, ++text)
        if (*text != *name) return false;
    return *text == 0 || *text == '@' || *text == '(' || *text == '[';
}

// glibc has several names for one function: pthread_x, __pthread_x, ___pthread_x, __GI___pthread_x.
const char* without_prefixes(const char* name) {
    if (starts_with(name, "__GI_")) name += 5;
    while (*name == '_') ++name;
    return name;
}

template <usize n>
bool is_one_of(const char* text, const char* const (&names)[n]) {
    for (const char* name : names)
        if (is_name(text, name)) return true;
    return false;
}

// What functions of the table in lock_functions.cc call, and those that are not in it; without leading
// underscores.
constexpr const char* kLockNames[] = {"pthread_mutex_clocklock_common",
                                      "pthread_mutex_cond_lock",
                                      "pthread_mutex_cond_lock_full",
                                      "pthread_mutex_cond_lock_adjust",
                                      "pthread_rwlock_rdlock_full64",
                                      "pthread_rwlock_wrlock_full64",
                                      "flockfile",
                                      "lock",
                                      "lockfile",
                                      "gomp_mutex_lock_slow",
                                      "gomp_mutex_lock",
                                      "gomp_set_lock_30",
                                      "gomp_set_nest_lock_30",
                                      "gomp_set_nest_lock_25",
                                      "gomp_set_lock_25",
                                      "g_mutex_lock",
                                      "g_mutex_lock_slowpath",
                                      "g_rec_mutex_lock",
                                      "g_rw_lock_reader_lock",
                                      "g_rw_lock_writer_lock",
                                      "malloc_mutex_lock_slow",
                                      "je_malloc_mutex_lock_slow",
                                      "pthread_mutex_unlock_full",
                                      "pthread_mutex_unlock_usercnt",
                                      "funlockfile",
                                      "gomp_mutex_unlock_slow",
                                      "gomp_mutex_unlock",
                                      "omp_test_nest_lock"};
constexpr const char* kLockStarts[] = {
    "lll_lock",         "lll_timedlock", "lll_clocklock",      "lll_timed_lock",     "lll_robust",
    "lll_mutex_lock",   "kmp_acquire_",  "kmp_timed_acquire_", "pthread_mutex_lock", "lll_unlock",
    "lll_mutex_unlock", "kmp_release_",  "kmp_test_"};
// Names of C++ and Rust, demangled and mangled.
constexpr const char* kQualifiedLockNames[] = {"std::mutex::lock",
                                               "std::timed_mutex::lock",
                                               "std::recursive_mutex::lock",
                                               "std::recursive_timed_mutex::lock",
                                               "std::shared_mutex::lock",
                                               "std::shared_mutex::lock_shared",
                                               "std::shared_timed_mutex::lock",
                                               "std::shared_timed_mutex::lock_shared",
                                               "std::__shared_mutex_pthread::lock",
                                               "std::__shared_mutex_pthread::lock_shared",
                                               "std::__1::mutex::lock",
                                               "std::__1::recursive_mutex::lock",
                                               "std::__1::timed_mutex::lock",
                                               "std::__1::shared_mutex::lock",
                                               "absl::Mutex::Lock",
                                               "absl::Mutex::LockSlow",
                                               "absl::Mutex::ReaderLock",
                                               "absl::Mutex::WriterLock",
                                               "std::sys::sync::mutex::futex::Mutex::lock_contended",
                                               "std::sys::sync::rwlock::futex::RwLock::read_contended",
                                               "std::sys::sync::rwlock::futex::RwLock::write_contended",
                                               "std::sys::unix::locks::futex_mutex::Mutex::lock_contended",
                                               "parking_lot::raw_mutex::RawMutex::lock_slow",
                                               "parking_lot::raw_rwlock::RawRwLock::lock_shared_slow",
                                               "parking_lot::raw_rwlock::RawRwLock::lock_exclusive_slow"};
constexpr const char* kMangledLockNames[] = {"_ZNSt5mutex4lockEv",
                                             "_ZNSt11timed_mutex4lockEv",
                                             "_ZNSt15recursive_mutex4lockEv",
                                             "_ZNSt12shared_mutex4lockEv",
                                             "_ZNSt12shared_mutex11lock_sharedEv",
                                             "_ZNSt22__shared_mutex_pthread4lockEv",
                                             "_ZNSt22__shared_mutex_pthread11lock_sharedEv",
                                             "_ZNSt3__15mutex4lockEv",
                                             "_ZNSt3__115recursive_mutex4lockEv"};

// Parts of function names. Flags have several widths; those of barriers have 64 bits.
constexpr const char* kOmpBarrierParts[] = {"barrier",    "fork",    "join",         "copyprivate",
                                            "release_64", "flag_64", "GOMP_parallel"};

// What functions of the table in lock_functions.cc call to sleep, and those that are not in it.
constexpr const char* kConditionParts[] = {"pthread_cond_wait_common"};
constexpr const char* kWakeNames[] = {"pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal",
                                      "cnd_broadcast"};
constexpr const char* kWaitOrWakeStarts[] = {"condvar_", "new_sem_wait_"};
constexpr const char* kCallParts[] = {"pthread_timedjoin_ex",        "pthread_clockjoin_ex",
                                      "pthread_tryjoin_np",          "pthread_once",
                                      "pthread_once_slow",           "call_once",
                                      "cxa_guard_acquire",           "gomp_barrier_wait_end",
                                      "gomp_team_barrier_wait_end",  "gomp_team_barrier_wait_cancel_end",
                                      "gomp_sem_wait_slow",          "gomp_ptrlock_get_slow",
                                      "gomp_barrier_wait",           "gomp_team_barrier_wait",
                                      "gomp_team_barrier_wait_final"};

}  // namespace

bool works_on_lock(const char* name) {
    const char* const plain = without_prefixes(name);
    switch (lock_call(plain).event) {
        case log::LockEvent::Acquire:
        case log::LockEvent::AcquireShared:
        case log::LockEvent::Try:
        case log::LockEvent::TryShared:
        case log::LockEvent::Release: return true;
        default:
            return is_one_of(plain, kLockNames) || starts_with_one_of(plain, kLockStarts) ||
                   is_one_of(name, kQualifiedLockNames) || is_one_of(name, kMangledLockNames);
    }
}

bool is_omp_barrier_function(const char* name) {
    // A reduction has barriers, but may take a lock instead. A loop distributes its iterations.
    bool found = false;
    for (; *name != 0; ++name) {
        if (starts_with(name, "lock") || starts_with(name, "reduce") || starts_with(name, "loop"))
            return false;
        found |= starts_with_one_of(name, kOmpBarrierParts);
    }
    return found;
}

bool is_condition_function(const char* name) {
    const char* const plain = without_prefixes(name);
    return lock_call(plain).event == log::LockEvent::Wait || is_one_of(plain, kConditionParts);
}

bool is_wait_function(const char* name) {
    const char* const plain = without_prefixes(name);
    switch (lock_call(plain).event) {
        case log::LockEvent::Join:
        case log::LockEvent::Meet: return true;
        default: return is_condition_function(name) || is_one_of(plain, kCallParts);
    }
}

bool is_wake_function(const char* name) { return is_one_of(without_prefixes(name), kWakeNames); }

bool waits_or_wakes(const char* name) {
    const char* const plain = without_prefixes(name);
    switch (lock_call(plain).event) {
        case log::LockEvent::Post:
        case log::LockEvent::Take:
        case log::LockEvent::TryTake: return true;
        default:
            return is_wait_function(name) || is_wake_function(name) ||
                   starts_with_one_of(plain, kWaitOrWakeStarts);
    }
}

}  // namespace memspy::sync
