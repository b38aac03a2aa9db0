// SPDX-License-Identifier: GPL-2.0-or-later
#include "profile_output.h"

#include "options.h"
#include "vg/compat.h"
#include "vg/vg.h"

namespace memspy {
namespace {

u64 started = 0;
HChar* last_path = nullptr;

constexpr char kAssumptions[] =
    "one core and one private, infinite cache per thread; one unit of time per instruction; accesses of all "
    "threads ordered by virtual time; mutexes carry no time; a load that misses brings the line for a store "
    "that follows it";

}  // namespace

void note_start_of_run() { started = findings::wall_clock(); }

const char* write_profile(findings::MadeBy made_by, const char* path) {
    const Options& chosen = options();
    if (!chosen.contention && chosen.zeros == ZerosMode::No) return nullptr;
    if (path == nullptr && chosen.out_file == nullptr) return nullptr;
    if (last_path != nullptr) VG_(free)(last_path);
    last_path = path != nullptr ? VG_(strdup)("memspy.profile_path", path)
                                : VG_(expand_file_name)("--memspy-out-file", chosen.out_file);
    findings::ProfileInfo info;
    info.tool_version = MEMSPY_VERSION;
    info.made_by = made_by;
    info.started = started;
    info.sharing = chosen.sharing;
    info.line_bytes = static_cast<u32>(chosen.line_size);
    info.coherence_latency = static_cast<u64>(chosen.coherence_latency);
    info.interleave = static_cast<u64>(chosen.interleave);
    info.access_log_bytes = static_cast<u64>(chosen.access_log_size) * 1'000'000;
    info.assumptions = kAssumptions;
    if (made_by == findings::MadeBy::Exec && vg::traces_children()) {
        // The program that comes now has the same process id.
        HChar* longer = static_cast<HChar*>(VG_(malloc)("memspy.profile_path", VG_(strlen)(last_path) + 6));
        VG_(sprintf)(longer, "%s.exec", last_path);
        VG_(free)(last_path);
        last_path = longer;
    }
    const bool written = findings::write_profile(last_path, info, made_by == findings::MadeBy::Exit);
    return written ? last_path : nullptr;
}

}  // namespace memspy
