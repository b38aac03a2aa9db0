// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/lock_functions.h"

namespace memspy::sync {
namespace {

using log::LockEvent;

struct KnownFunction {
    const char* name;  // without leading underscores
    LockEvent event;
    u8 argument;
    u8 number = 0;
};

constexpr KnownFunction kKnown[] = {
    // C library. A function that may give up counts as an attempt.
    {"pthread_mutex_lock", LockEvent::Acquire, 1},
    {"pthread_mutex_trylock", LockEvent::Try, 1},
    {"pthread_mutex_timedlock", LockEvent::Try, 1},
    {"pthread_mutex_clocklock", LockEvent::Try, 1},
    {"pthread_mutex_unlock", LockEvent::Release, 1},
    {"pthread_spin_lock", LockEvent::Acquire, 1},
    {"pthread_spin_trylock", LockEvent::Try, 1},
    {"pthread_spin_unlock", LockEvent::Release, 1},
    {"pthread_rwlock_rdlock", LockEvent::AcquireShared, 1},
    {"pthread_rwlock_tryrdlock", LockEvent::TryShared, 1},
    {"pthread_rwlock_timedrdlock", LockEvent::TryShared, 1},
    {"pthread_rwlock_clockrdlock", LockEvent::TryShared, 1},
    {"pthread_rwlock_wrlock", LockEvent::Acquire, 1},
    {"pthread_rwlock_trywrlock", LockEvent::Try, 1},
    {"pthread_rwlock_timedwrlock", LockEvent::Try, 1},
    {"pthread_rwlock_clockwrlock", LockEvent::Try, 1},
    {"pthread_rwlock_unlock", LockEvent::Release, 1},
    {"pthread_cond_wait", LockEvent::Wait, 2},
    {"pthread_cond_timedwait", LockEvent::Wait, 2},
    {"pthread_cond_clockwait", LockEvent::Wait, 2},
    {"mtx_lock", LockEvent::Acquire, 1},
    {"mtx_trylock", LockEvent::Try, 1},
    {"mtx_timedlock", LockEvent::Try, 1},
    {"mtx_unlock", LockEvent::Release, 1},
    {"cnd_wait", LockEvent::Wait, 2},
    {"cnd_timedwait", LockEvent::Wait, 2},
    {"pthread_join", LockEvent::Join, 1},
    {"pthread_timedjoin_np", LockEvent::Join, 1},
    {"pthread_clockjoin_np", LockEvent::Join, 1},
    {"thrd_join", LockEvent::Join, 1},
    {"pthread_barrier_wait", LockEvent::Meet, 1},
    {"sem_post", LockEvent::Post, 1},
    {"new_sem_post", LockEvent::Post, 1},
    {"sem_wait", LockEvent::Take, 1},
    {"new_sem_wait", LockEvent::Take, 1},
    {"sem_trywait", LockEvent::TryTake, 1},
    {"new_sem_trywait", LockEvent::TryTake, 1},
    {"sem_timedwait", LockEvent::TryTake, 1},
    {"sem_clockwait", LockEvent::TryTake, 1},
    // The loader, where its symbols are known.
    {"dl_fixup", LockEvent::Resolve, 0, 3},
    // libgomp, and the names defined by OpenMP
    {"GOMP_critical_start", LockEvent::Acquire, 0, 1},
    {"GOMP_critical_end", LockEvent::Release, 0, 1},
    {"GOMP_critical_name_start", LockEvent::Acquire, 1},
    {"GOMP_critical_name_end", LockEvent::Release, 1},
    {"GOMP_atomic_start", LockEvent::Acquire, 0, 2},
    {"GOMP_atomic_end", LockEvent::Release, 0, 2},
    {"omp_set_lock", LockEvent::Acquire, 1},
    {"omp_test_lock", LockEvent::Try, 1},
    {"omp_unset_lock", LockEvent::Release, 1},
    {"omp_set_nest_lock", LockEvent::Acquire, 1},
    {"omp_unset_nest_lock", LockEvent::Release, 1},
    // libomp: (place, thread, lock)
    {"kmpc_critical", LockEvent::Acquire, 3},
    {"kmpc_critical_with_hint", LockEvent::Acquire, 3},
    {"kmpc_end_critical", LockEvent::Release, 3},
    {"kmpc_set_lock", LockEvent::Acquire, 3},
    {"kmpc_test_lock", LockEvent::Try, 3},
    {"kmpc_unset_lock", LockEvent::Release, 3},
    {"kmpc_set_nest_lock", LockEvent::Acquire, 3},
    {"kmpc_unset_nest_lock", LockEvent::Release, 3},
};

// Whether `symbol` without its version is `name`.
bool is(const char* symbol, const char* name) {
    for (; *name != 0; ++name, ++symbol)
        if (*symbol != *name) return false;
    return *symbol == 0 || *symbol == '@';
}

}  // namespace

log::LockCall lock_call(const char* name) {
    while (*name == '_') ++name;
    for (const KnownFunction& known : kKnown)
        if (is(name, known.name)) return {known.event, known.argument, known.number};
    return {};
}

}  // namespace memspy::sync
