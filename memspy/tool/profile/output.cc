// SPDX-License-Identifier: GPL-2.0-or-later
#include "profile/output.h"

#include "options.h"
#include "profile/rank.h"
#include "vg/compat.h"
#include "vg/report_files.h"
#include "vg/vg.h"

namespace memspy {
namespace {

u64 started = 0;
HChar* last_path = nullptr;

// Ranks of a parallel program are distinguished by their numbers, all other processes by their ids.
constexpr char kRankFile[] = "memspy.out.%r.xml";

// The file name of --memspy-out-file for this process. The caller frees it.
HChar* expanded_path() {
    const bool by_rank = !was_given("memspy-out-file") && profile::rank().from_mpi;
    HChar* with_rank = profile::expand_rank(by_rank ? kRankFile : options().out_file);
    HChar* path = VG_(expand_file_name)("--memspy-out-file", with_rank);
    VG_(free)(with_rank);
    return path;
}

// Where a process may always write: one that has given up its rights, or whose folder is gone, keeps what was
// found.
HChar* fallback_path(const HChar* path) {
    const HChar* const slash = VG_(strrchr)(path, '/');
    const HChar* const name = slash == nullptr ? path : slash + 1;
    const HChar* const folder = VG_(tmpdir)();
    const SizeT size = VG_(strlen)(folder) + VG_(strlen)(name) + 2;
    HChar* fallback = static_cast<HChar*>(VG_(malloc)("memspy.profile_path", size));
    VG_(snprintf)(fallback, static_cast<Int>(size), "%s/%s", folder, name);
    return fallback;
}

}  // namespace

void note_start_of_run() { started = profile::wall_clock(); }

bool names_profile() { return VG_(strcmp)(options().out_file, "none") != 0; }

void check_profile_path() {
    if (!names_profile() || !profile::has_sections()) return;
    HChar* path = expanded_path();
    if (profile::can_write_profile(path)) {
        VG_(free)(path);
        return;
    }
    if (!was_given("memspy-out-file")) {
        if (VG_(clo_verbosity) > 0)
            VG_(umsg)("memspy: this folder cannot be written, so the profile will be in %s\n", VG_(tmpdir)());
        VG_(free)(path);
        return;
    }
    VG_(fmsg_bad_option)("--memspy-out-file",
                         "%s cannot be written: no such folder, or no right to write there.\n", path);
    VG_(exit)(1);
}

const char* write_profile(profile::MadeBy made_by, const char* path) {
    if (!profile::has_sections()) return nullptr;
    if (path == nullptr && !names_profile()) return nullptr;
    if (last_path != nullptr) VG_(free)(last_path);
    last_path = path != nullptr ? VG_(strdup)("memspy.profile_path", path) : expanded_path();
    profile::ProfileInfo info;
    info.tool_version = MEMSPY_VERSION;
    info.made_by = made_by;
    info.started = started;
    if (made_by == profile::MadeBy::Exec && vg::traces_children()) {
        // The next program has the same process id.
        HChar* numbered = vg::numbered_path(last_path);
        VG_(free)(last_path);
        last_path = numbered;
    }
    const bool finished = made_by == profile::MadeBy::Exit;
    bool written = profile::write_profile(last_path, info, finished);
    if (!written && path == nullptr) {
        HChar* fallback = fallback_path(last_path);
        VG_(free)(last_path);
        last_path = fallback;
        written = profile::write_profile(last_path, info, finished);
        if (written) VG_(umsg)("memspy: the profile is in %s instead\n", last_path);
    }
    return written ? last_path : nullptr;
}

}  // namespace memspy
