// SPDX-License-Identifier: GPL-2.0-or-later
//
// The wrappers' own questions to the library (sizes of types, ranks of groups) are local calls, which do not
// communicate.
#include "preload/mpi_wrap.h"

enum {
    kMostName = 256,
    kMostRanks = 4096  // of a group that is described rank by rank: a thread's stack may be small
};

static int is_one_sided(unsigned call) {
    const unsigned plain = call % kMpiCalls;
    return plain >= kMpi_Put && plain <= kMpi_Win_flush;
}

// The group whose ranks the calls on a communicator or window name; for an intercommunicator that is the
// remote group. MPICH's groups are ints, so only the lower half of a W is written.
void describe(unsigned call, W comm) {
    char name[kMostName] = "";
    int length = 0, inter = 0, size = 0;
    W group = 0, world = 0;
    if (is_one_sided(call)) {
        if (library.win_group(comm, &group) != 0) return;
    } else {
        library.comm_name(comm, name, &length);
        library.comm_test_inter(comm, &inter);
        if ((inter != 0 ? library.comm_remote_group : library.comm_group)(comm, &group) != 0) return;
    }
    if (library.comm_group(library.comm_world, &world) == 0 && library.group_size(group, &size) == 0 &&
        size > 0) {
        const int listed = size <= kMostRanks ? size : 1;
        int ranks[listed], world_ranks[listed];
        for (int i = 0; i < listed; ++i) ranks[i] = i;
        MpiCommFacts facts = {handle(comm), name, 0, size};
        if (listed == size && library.translate(group, size, ranks, world, world_ranks) == 0)
            facts.world_ranks = world_ranks;
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMM, &facts, 0, 0, 0, 0);
    }
    if (world != 0) library.group_free(&world);
    library.group_free(&group);
}

// In both families MPI_TAG follows MPI_SOURCE.
MpiCompletion read_status(W request, const char* status) {
    MpiCompletion done = {request, 0, kMpiNobody, 0};
    long count = 0;
    const int* source = (const int*)(status + library.source_in_status);
    if (library.get_count(status, library.byte_type, &count) != 0 || count < 0) return done;
    done.received = (W)count;
    done.source = peer_of((W)source[0]);
    done.tag = source[1];
    return done;
}
