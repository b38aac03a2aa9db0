// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/openmp_functions.h"

#include "rt/prefix.h"

namespace memspy::races {
namespace {

struct KnownName {
    const char* name;
    OmpFunction function;
};

constexpr KnownName kExact[] = {
    {"GOMP_parallel_end", OmpFunction::ParallelEnd},
    {"GOMP_barrier", OmpFunction::Barrier},
    {"GOMP_barrier_cancel", OmpFunction::Barrier},
    {"GOMP_loop_end", OmpFunction::Barrier},
    {"GOMP_loop_end_cancel", OmpFunction::Barrier},
    {"GOMP_sections_end", OmpFunction::Barrier},
    {"GOMP_sections_end_cancel", OmpFunction::Barrier},
    {"GOMP_workshare_task_reduction_unregister", OmpFunction::Barrier},
    {"GOMP_single_copy_start", OmpFunction::CopyStart},
    {"GOMP_single_copy_end", OmpFunction::CopyEnd},
    {"GOMP_ordered_start", OmpFunction::OrderedStart},
    {"GOMP_ordered_end", OmpFunction::OrderedEnd},
    {"GOMP_task", OmpFunction::Task},
    {"GOMP_taskloop", OmpFunction::TaskLoop},
    {"GOMP_taskloop_ull", OmpFunction::TaskLoop},
    {"GOMP_taskwait", OmpFunction::TaskWait},
    {"GOMP_taskwait_depend", OmpFunction::WaitFor},
    {"GOMP_taskgroup_start", OmpFunction::GroupStart},
    {"GOMP_taskgroup_end", OmpFunction::GroupEnd},
    {"GOMP_teams_reg", OmpFunction::Parallel},
    {"GOMP_target", OmpFunction::Target},
    {"GOMP_target_ext", OmpFunction::TargetTask},
    {"GOMP_teams4", OmpFunction::TargetTeam},
    {"GOMP_single_start", OmpFunction::DealOut},
    {"GOMP_critical_start", OmpFunction::DealOut},
    {"GOMP_critical_name_start", OmpFunction::DealOut},
    {"GOMP_atomic_start", OmpFunction::DealOut},
    {"omp_get_thread_num", OmpFunction::ThreadNumber},
    {"omp_set_lock", OmpFunction::DealOut},
    {"omp_set_nest_lock", OmpFunction::DealOut},
    {"sem_init", OmpFunction::MakeSemaphore},
    {"__new_sem_init", OmpFunction::MakeSemaphore},
    {"GOMP_task_reduction_remap", OmpFunction::ThreadNumber},
    {"__kmpc_task_reduction_get_th_data", OmpFunction::ThreadNumber},
    {"__kmpc_fork_call", OmpFunction::Fork},
    {"__kmpc_fork_teams", OmpFunction::Fork},
    {"__kmpc_barrier", OmpFunction::Barrier},
    {"__kmpc_cancel_barrier", OmpFunction::Barrier},
    {"__kmpc_ordered", OmpFunction::OrderedStart},
    {"__kmpc_end_ordered", OmpFunction::OrderedEnd},
    {"__kmpc_omp_task_alloc", OmpFunction::AllocateTask},
    {"__kmpc_omp_target_task_alloc", OmpFunction::AllocateTask},
    {"__kmpc_omp_task", OmpFunction::DeferTask},
    {"__kmpc_omp_task_with_deps", OmpFunction::DeferWithDepend},
    {"__kmpc_omp_task_begin_if0", OmpFunction::BeginTask},
    {"__kmpc_taskloop", OmpFunction::DeferLoop},
    {"__kmpc_taskloop_5", OmpFunction::DeferLoop},
    {"__kmpc_omp_wait_deps", OmpFunction::WaitForSome},
    {"__kmpc_task_allow_completion_event", OmpFunction::AllowEvent},
    {"omp_fulfill_event", OmpFunction::TellEvent},
    {"__kmpc_omp_taskwait", OmpFunction::TaskWait},
    {"__kmpc_taskgroup", OmpFunction::GroupStart},
    {"__kmpc_end_taskgroup", OmpFunction::GroupEnd},
    {"__kmpc_reduce", OmpFunction::Reduce},
    {"__kmpc_reduce_nowait", OmpFunction::Reduce},
    {"__kmpc_end_reduce", OmpFunction::ReduceEnd},
    {"__kmpc_end_reduce_nowait", OmpFunction::ReduceEnd},
    {"__kmpc_copyprivate", OmpFunction::CopyPrivate},
    {"__kmpc_single", OmpFunction::DealOut},
    {"__kmpc_critical", OmpFunction::DealOut},
    {"__kmpc_critical_with_hint", OmpFunction::DealOut},
};

constexpr const char* kParallel[] = {"GOMP_parallel_loop_", "GOMP_parallel_sections",
                                     "GOMP_parallel_reductions", "GOMP_parallel"};
constexpr const char* kDealOut[] = {"GOMP_loop_", "GOMP_sections_", "GOMP_sections2_",
                                    "__kmpc_dispatch_next"};

bool ends_with(const char* name, const char* end) {
    const char* at = name;
    while (*at != '\0' && *at != '@') ++at;
    const char* last = end;
    while (*last != '\0') ++last;
    while (last != end)
        if (at == name || *--at != *--last) return false;
    return true;
}

// Whether `symbol` without its version is `name`.
bool is(const char* symbol, const char* name) {
    for (; *name != 0; ++name, ++symbol)
        if (*symbol != *name) return false;
    return *symbol == 0 || *symbol == '@';
}

}  // namespace

OmpFunction omp_function(const char* name) {
    constexpr const char* kAll[] = {"GOMP_",    "__kmpc_",  "omp_get_thread_num", "omp_fulfill_event",
                                    "omp_set_", "sem_init", "__new_sem_init"};
    if (!rt::starts_with_one_of(name, kAll)) return OmpFunction::None;
    for (const KnownName& known : kExact)
        if (is(name, known.name)) return known.function;
    if (rt::starts_with_one_of(name, kParallel))
        return ends_with(name, "_start") ? OmpFunction::ParallelStart : OmpFunction::Parallel;
    if (rt::starts_with_one_of(name, kDealOut) && !rt::contains(name, "_end")) return OmpFunction::DealOut;
    return OmpFunction::None;
}

bool is_doacross(const char* name) { return rt::contains(name, "doacross"); }

}  // namespace memspy::races
