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

static int size_of_group(W group) {
    int size = 0;
    return library.group_size(group, &size) == 0 ? size : 0;
}
// The ranks in `world` of a group's ranks.
static int find_ranks(W group, W world, int size, int* found) {
    int ranks[size];
    for (int i = 0; i < size; ++i) ranks[i] = i;
    return library.translate(group, size, ranks, world, found) == 0;
}

// The group whose ranks the calls on a communicator, window or file name; for an intercommunicator that is the
// remote group. MPICH's groups are ints, so only the lower half of a W is written.
void describe(unsigned call, W comm) {
    char name[kMostName] = "";
    int length = 0, between = 0;
    W group = 0, own = 0, world = 0;
    const int is_file = names_file(call), is_window = is_one_sided(call);
    if (is_file || is_window) {
        if ((is_file ? library.file_group : library.win_group)(comm, &group) != 0) return;
    } else {
        library.comm_name(comm, name, &length);
        library.comm_test_inter(comm, &between);
        if ((between ? library.comm_remote_group : library.comm_group)(comm, &group) != 0) return;
    }
    if (between) library.comm_group(comm, &own);
    const int size = size_of_group(group), own_size = between ? size_of_group(own) : 0;
    if (library.session_world != 0)
        world = library.session_world;
    else if (library.comm_group(library.comm_world, &world) != 0)
        world = 0;
    if (world != 0 && size > 0) {
        const int is_listed = size <= kMostRanks && own_size <= kMostRanks;
        int ranks[is_listed ? size : 1], own_ranks[is_listed ? own_size + 1 : 1];
        MpiCommFacts facts = {is_file ? file_handle(comm) : handle(comm), name, 0, size, 0, own_size,
                              is_file ? 2 : is_window};
        if (is_listed && find_ranks(group, world, size, ranks) &&
            (!between || find_ranks(own, world, own_size, own_ranks))) {
            facts.world_ranks = ranks;
            facts.own_ranks = own_ranks;
        }
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMM, &facts, 0, 0, 0, 0);
    }
    if (world != 0 && world != library.session_world) library.group_free(&world);
    if (own != 0) library.group_free(&own);
    library.group_free(&group);
}

void tell_partners(W window, W group) {
    const int size = size_of_group(group);
    W world = library.session_world;
    if (size <= 0 || size > kMostRanks || (world == 0 && library.comm_group(library.comm_world, &world) != 0))
        return;
    int ranks[size];
    if (find_ranks(group, world, size, ranks))
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_PARTNERS, handle(window), ranks, size, 0, 0);
    if (world != library.session_world) library.group_free(&world);
}

// In both families MPI_TAG follows MPI_SOURCE.
MpiCompletion read_status(MpiAwaited request, const char* status) {
    MpiCompletion done = {request, 0, kMpiNobody, 0};
    long count = 0;
    const int* source = (const int*)(status + library.source_in_status);
    if (library.get_count(status, library.byte_type, &count) != 0 || count < 0) return done;
    done.received = (W)count;
    done.source = peer_of((W)source[0]);
    done.tag = source[1];
    return done;
}
