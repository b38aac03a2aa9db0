// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/rank_states.h"

#include "analyses/mpi/job.h"

#include "vg/file.h"
#include "vg/vg.h"

namespace memspy::mpi {
void RankStates::begin(i32 rank, i32 size) {
    rank_ = rank;
    const bool on_one_node = processes_here() == size || processes_here() < 0;
    write_job_path(on_one_node ? VG_(tmpdir)() : VG_(get_startup_wd)(), "ranks", prefix_, sizeof prefix_);
    published_ = true;
    remove();
}

void RankStates::path_of(i32 rank, const char* ending, char* path, usize bytes) const {
    VG_(snprintf)(path, static_cast<Int>(bytes), "%s.%d%s", prefix_, rank, ending);
}

// Renamed when it is complete, so that nobody reads a part.
void RankStates::publish(const RankState& state) {
    if (prefix_[0] == '\0') return;
    HChar path[600], part[600];
    path_of(rank_, "", path, sizeof path);
    path_of(rank_, ".part", part, sizeof part);
    const SysRes file = VG_(open)(part, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, VKI_S_IRUSR | VKI_S_IWUSR);
    if (sr_isError(file)) return;
    const Int written = VG_(write)(static_cast<Int>(sr_Res(file)), &state, sizeof state);
    VG_(close)(static_cast<Int>(sr_Res(file)));
    if (written == static_cast<Int>(sizeof state)) published_ |= VG_(rename)(part, path) == 0;
}

bool RankStates::read(i32 rank, RankState& state) const {
    HChar path[600];
    path_of(rank, "", path, sizeof path);
    const vg::File file(path);
    return file.read(0, &state, sizeof state) && state.magic == RankState::kMagic && state.rank == rank;
}

void RankStates::remove() {
    if (prefix_[0] == '\0' || !published_) return;
    remove(rank_);
    published_ = false;
}

void RankStates::remove(i32 rank) const {
    HChar path[600];
    path_of(rank, "", path, sizeof path);
    VG_(unlink)(path);
}

}  // namespace memspy::mpi
