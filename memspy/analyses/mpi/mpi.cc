// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/mpi.h"

#include "analyses/analysis.h"
#include "analyses/mpi/checks.h"
#include "findings/findings.h"
#include "memspy.h"
#include "options.h"
#include "profile/rank.h"
#include "rt/global.h"
#include "threads/registry.h"
#include "vg/clock.h"
#include "vg/vg.h"

namespace memspy::mpi {

extern const profile::ProfileSection kSection;

namespace {

rt::Global<Communication> current;
bool initialised = false;  // MPI_Init has returned

// MPI libraries leave many blocks allocated at the end. The deepest entries have twelve lines, and the
// core reads no entry that is longer than its stacks.
void read_suppressions() {
    constexpr Int kLines = 12;
    static bool read = false;
    if (read || VG_(clo_backtrace_size) < kLines) return;
    read = true;
    findings::read_suppressions("mpi.supp");
}

u64 enter(u32 thread, const u64* arguments) {
    if (!options().mpi || !initialised) return 0;
    const auto context = [thread] { return id_of(VG_(record_ExeContext)(thread, 0)); };
    if (!current->enter(thread, static_cast<u32>(arguments[1]), vg::wall_microseconds(), context)) return 0;
    return u64{kMpiCounts} | (current->knows(arguments[2]) ? 0 : u64{kMpiUnknownComm}) |
           (options().mpi_checks ? u64{kMpiChecks} : 0);
}

void complete(u32 thread, const MpiCompletion& completion) {
    Pending was = current->complete(thread, completion, vg::wall_microseconds());
    if (options().mpi_checks) Checks(*current).completed(thread, was, completion.received);
    if (!was.persistent) current->buffers().release(was.buffers);
}

void forked(threads::Thread, u32) {
    current->forked();
    profile::set_rank(-1, -1);
    initialised = false;
}

void register_with_core() { threads::listen({.forked = forked}); }

void begin(i32 rank, i32 size) {
    current->world(rank, size);
    profile::set_rank(rank, size);
    static bool listed = false;
    if (!listed && options().mpi) profile::add_section(kSection);
    listed = initialised = true;
}

bool handle_client_request(u32 thread, u64* arguments, u64* result) {
    *result = 0;
    switch (arguments[0]) {
        case MEMSPY_REQ_MPI_STARTS: read_suppressions(); return true;
        case MEMSPY_REQ_MPI_WORLD:
            begin(static_cast<i32>(arguments[1]), static_cast<i32>(arguments[2]));
            return true;
        case MEMSPY_REQ_MPI_ENTER: *result = enter(thread, arguments); return true;
        case MEMSPY_REQ_MPI_LEAVE:
            if (initialised)
                current->leave(thread, *reinterpret_cast<const MpiCallFacts*>(arguments[1]),
                               vg::wall_microseconds());
            return true;
        case MEMSPY_REQ_MPI_COMM:
            current->describe(*reinterpret_cast<const MpiCommFacts*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_COMM_GONE: current->forget(arguments[1]); return true;
        case MEMSPY_REQ_MPI_RECEIVES: *result = current->is_open_receive(arguments[1]); return true;
        case MEMSPY_REQ_MPI_COMPLETE:
            complete(thread, *reinterpret_cast<const MpiCompletion*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_FORGET: current->forget_request(arguments[1]); return true;
        case MEMSPY_REQ_MPI_PIECE:
            Checks(*current).add_piece(thread, *reinterpret_cast<const MpiPiece*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_CHECK: Checks(*current).check_call(thread, arguments[1]); return true;
        case MEMSPY_REQ_MPI_ARRIVED: Checks(*current).arrived(thread, arguments[1]); return true;
        case MEMSPY_REQ_MPI_KEEP_STATUSES:
            if (Communication::InCall* in = current->in_call(thread); in != nullptr)
                in->statuses = *reinterpret_cast<const MpiStatuses*>(arguments[1]);
            return true;
        case MEMSPY_REQ_MPI_STATUSES:
            if (const Communication::InCall* in = current->in_call(thread); in != nullptr)
                *reinterpret_cast<MpiStatuses*>(arguments[1]) = in->statuses;
            return true;
        case MEMSPY_REQ_MPI_TRUNCATED: Checks(*current).truncated(thread); return true;
        case MEMSPY_REQ_MPI_ENDS:
            if (options().mpi && options().mpi_checks) Checks(*current).report_open(thread);
            return true;
        default: return false;
    }
}

}  // namespace

const Communication& communication() { return *current; }

// A program is known to use MPI only when it calls it. So the analysis is not in the list of wanted ones, and
// its section of the profile is added at that time.
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "mpi",
                                .wanted = [] { return false; },
                                .register_with_core = register_with_core,
                                .client_request = handle_client_request,
                                .has_results = [] { return initialised; }};

}  // namespace memspy::mpi
