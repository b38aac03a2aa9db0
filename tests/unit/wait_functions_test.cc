// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that functions of libraries are known for what they do by the names that symbol tables and the demangler give.
#include "sync/wait_functions.h"

#include <gtest/gtest.h>

namespace memspy::sync {
namespace {

TEST(FunctionNames, Locks) {
    for (const char* name :
         {"pthread_mutex_lock", "__pthread_mutex_lock", "___pthread_mutex_lock", "__GI___pthread_mutex_lock",
          "pthread_mutex_lock@@GLIBC_2.2.5", "__lll_lock_wait", "__lll_lock_wait_private",
          "__lll_timedlock_wait", "pthread_rwlock_wrlock", "__pthread_rwlock_rdlock_full64", "mtx_lock",
          "gomp_mutex_lock_slow", "__kmp_acquire_queuing_lock", "__kmp_acquire_ticket_lock",
          "__kmpc_critical", "std::mutex::lock()", "_ZNSt5mutex4lockEv", "__pthread_mutex_cond_lock",
          "absl::Mutex::Lock()", "pthread_mutex_unlock", "__GI___pthread_mutex_unlock_usercnt",
          "pthread_mutex_trylock@@GLIBC_2.2.5", "__kmp_release_queuing_lock", "gomp_mutex_unlock_slow", "mtx_unlock",
          "GOMP_critical_end", "pthread_rwlock_unlock", "omp_test_nest_lock"})
        EXPECT_TRUE(works_on_lock(name)) << name;
    for (const char* name :
         {"pthread_cond_wait", "pthread_join", "sem_wait", "sem_post", "unlock_all",
          "gomp_team_barrier_wait_end", "futex_wait", "__futex_abstimed_wait_common", "main", "", "lock_all",
          "pthread_barrier_wait", "unlock", "std::condition_variable::wait(std::unique_lock<std::mutex>&)"})
        EXPECT_FALSE(works_on_lock(name)) << name;
}

TEST(FunctionNames, Waits) {
    for (const char* name :
         {"pthread_cond_wait@@GLIBC_2.3.2", "___pthread_cond_wait", "__pthread_barrier_wait", "gomp_team_barrier_wait_end", "cnd_wait"})
        EXPECT_TRUE(is_wait_function(name)) << name;
    for (const char* name : {"pthread_mutex_lock", "__lll_lock_wait", "main", ""})
        EXPECT_FALSE(is_wait_function(name)) << name;
    for (const char* name : {"pthread_cond_wait@@GLIBC_2.3.2", "__pthread_cond_timedwait", "cnd_wait"})
        EXPECT_TRUE(is_condition_function(name)) << name;
    for (const char* name : {"pthread_barrier_wait", "sem_wait", "pthread_join", "main"})
        EXPECT_FALSE(is_condition_function(name)) << name;
}

TEST(FunctionNames, WaitersAndWakers) {
    for (const char* name : {"pthread_cond_wait@@GLIBC_2.3.2", "pthread_cond_signal", "__pthread_cond_broadcast",
                             "__condvar_dec_grefs", "sem_post@@GLIBC_2.34", "__new_sem_wait_slow64",
                             "pthread_barrier_wait", "gomp_team_barrier_wait_end"})
        EXPECT_TRUE(waits_or_wakes(name)) << name;
    for (const char* name : {"pthread_mutex_lock", "wait", "main", ""}) EXPECT_FALSE(waits_or_wakes(name)) << name;
}

TEST(FunctionNames, BarriersOfLibomp) {
    for (const char* name :
         {"__kmpc_barrier", "__kmpc_fork_call@@VERSION", "__kmp_fork_call", "__kmp_release_64",
          "__kmp_hyper_barrier_gather(barrier_type, kmp_info*, int, int, void (*)(void*, void*))",
          "kmp_flag_64<false, true>::release()", "__kmpc_cancel_barrier", "GOMP_parallel"})
        EXPECT_TRUE(is_omp_barrier_function(name)) << name;
    // Functions that take a lock or distribute work change words of eight bytes, too.
    for (const char* name : {"__kmpc_critical", "__kmpc_dispatch_next_8", "__kmpc_reduce", "__kmpc_omp_task",
                             "__kmp_acquire_forkjoin_lock", "GOMP_parallel_loop_dynamic_start", "main", ""})
        EXPECT_FALSE(is_omp_barrier_function(name)) << name;
}

}  // namespace
}  // namespace memspy::sync
