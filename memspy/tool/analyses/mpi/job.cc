// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/job.h"

#include <initializer_list>

#include "vg/vg.h"

namespace memspy::mpi {
namespace {

i64 number_in(const HChar* variable) {
    const HChar* value = VG_(getenv)(variable);
    return value == nullptr ? -1 : VG_(strtoll10)(value, nullptr);
}

// What all processes of one start have in common, and no others: the launcher's name for it, else the number
// of the launcher's process on this node.
Int launcher_process() {
    Int process = VG_(getppid)();
    for (Int at = process, level = 0; level < 8 && at > 1; ++level) {
        HChar name[48], text[256];
        VG_(snprintf)(name, sizeof name, "/proc/%d/stat", at);
        const SysRes file = VG_(open)(name, VKI_O_RDONLY, 0);
        if (sr_isError(file)) break;
        const Int read = VG_(read)(static_cast<Int>(sr_Res(file)), text, sizeof text - 1);
        VG_(close)(static_cast<Int>(sr_Res(file)));
        text[read > 0 ? read : 0] = '\0';
        for (const HChar* launcher : {"(hydra", "(mpiexec", "(mpirun", "(orted", "(prted", "(slurmstepd"})
            if (VG_(strstr)(text, launcher) != nullptr) return at;
        const HChar* end = VG_(strrchr)(text, ')');
        if (end == nullptr || VG_(strlen)(end) < 4) break;
        at = static_cast<Int>(VG_(strtoll10)(end + 4, nullptr));
    }
    return process;
}

void name_of_start(HChar* name, Int bytes) {
    const HChar* slurm = VG_(getenv)("SLURM_JOB_ID");
    const HChar* step = VG_(getenv)("SLURM_STEP_ID");
    for (const HChar* variable : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"})
        if (const HChar* value = VG_(getenv)(variable);
            value != nullptr && VG_(strchr)(value, '/') == nullptr) {
            VG_(snprintf)(name, bytes, "%s", value);
            return;
        }
    if (slurm != nullptr && step != nullptr)
        VG_(snprintf)(name, bytes, "%s.%s", slurm, step);
    else
        VG_(snprintf)(name, bytes, "%d", launcher_process());
}

// Slurm's list of tasks by node, "2(x3),1".
i64 slurm_tasks_here() {
    const HChar* at = VG_(getenv)("SLURM_STEP_TASKS_PER_NODE");
    i64 nodes_before = number_in("SLURM_NODEID");
    while (at != nullptr && nodes_before >= 0 && *at != '\0') {
        HChar* end = nullptr;
        const i64 tasks = VG_(strtoll10)(at, &end);
        i64 nodes = 1;
        if (end[0] == '(' && end[1] == 'x') {
            nodes = VG_(strtoll10)(end + 2, &end);
            if (*end == ')') ++end;
        }
        if (nodes_before < nodes) return tasks;
        nodes_before -= nodes;
        at = *end == ',' ? end + 1 : nullptr;
    }
    return -1;
}

}  // namespace

i64 processes_here() {
    for (const HChar* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
        if (const i64 size = number_in(name); size > 0) return size;
    return slurm_tasks_here();
}

void write_job_path(const char* folder, const char* what, char* path, usize bytes) {
    HChar name[128];
    name_of_start(name, sizeof name);
    VG_(snprintf)(path, static_cast<Int>(bytes), "%s/memspy-%s-%s-%d", folder, what, name, VG_(geteuid)());
}

void write_node_path(const char* folder, const char* what, char* path, usize bytes) {
    HChar name[128];
    name_of_start(name, sizeof name);
    VG_(snprintf)(path, static_cast<Int>(bytes), "%s/memspy-%s-%s-%d-%d", folder, what, name,
                  launcher_process(), VG_(geteuid)());
}

}  // namespace memspy::mpi
