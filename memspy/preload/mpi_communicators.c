// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of the functions that make, name and free communicators.
#include "preload/mpi_wrap.h"

// Communicators are known from the moment at which they are made, which has the same order in all of their
// ranks.
INLINE void made(W comm, const char* maker) {
    const W known = handle_at((const void*)comm, 0);
    if (known == library.null_comm) return;
    note_made(kMpiComm, comm, maker);
    if (VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_COMM_MADE, known, 0, 0, 0, 0) != 0)
        describe(kMpi_Barrier, known);
}
#define MAKES(name, words, parameters, arguments) MAKES_OF(name, words, parameters, arguments, NOTHING)
#define MAKES_OF(name, words, parameters, arguments, USES_OTHERS)                                            \
    WRAP(name, words, parameters, arguments, comm, USES_OTHERS,                                              \
         if ((int)result == 0) made(new_comm, "MPI_" #name))
MAKES(Comm_dup, WW, (W comm, W new_comm), (comm, new_comm))
MAKES(Comm_dup_with_info, WWW, (W comm, W info, W new_comm), (comm, info, new_comm))
MAKES(Comm_split, WWWW, (W comm, W colour, W key, W new_comm), (comm, colour, key, new_comm))
MAKES(Comm_split_type, 5W, (W comm, W kind, W key, W info, W new_comm), (comm, kind, key, info, new_comm))
MAKES_OF(Comm_create, WWW, (W comm, W group, W new_comm), (comm, group, new_comm),
         uses_object(kMpiGroup, group))
MAKES_OF(Comm_create_group, WWWW, (W comm, W group, W tag, W new_comm), (comm, group, tag, new_comm),
         uses_object(kMpiGroup, group))
// All ranks must name the same grid.
static void set_grid(Call* call, int dimensions, const int* sizes, const int* periods) {
    unsigned long hash = (unsigned long)dimensions;
    if (!call->checks || dimensions < 0) return;
    for (int i = 0; i < dimensions; ++i)
        hash = (hash * 31 + (unsigned)sizes[i]) * 31 + (unsigned long)(periods[i] != 0);
    call->facts.agrees = 1;
    call->facts.agreed = (MpiTypes){{hash, 1}, 1, 1};
}
MAKES_OF(Cart_create, 6W, (W comm, W dimensions, W sizes, W periods, W reorder, W new_comm),
         (comm, dimensions, sizes, periods, reorder, new_comm),
         set_grid(&call, (int)dimensions, (const int*)sizes, (const int*)periods))
MAKES(Cart_sub, WWW, (W comm, W remain, W new_comm), (comm, remain, new_comm))
MAKES(Graph_create, 6W, (W comm, W nodes, W index, W edges, W reorder, W new_comm),
      (comm, nodes, index, edges, reorder, new_comm))
MAKES(Dist_graph_create, 9W,
      (W comm, W count, W sources, W degrees, W targets, W weights, W info, W reorder, W new_comm),
      (comm, count, sources, degrees, targets, weights, info, reorder, new_comm))
MAKES(Dist_graph_create_adjacent, 10W,
      (W comm, W in, W sources, W in_weights, W out, W targets, W out_weights, W info, W reorder, W new_comm),
      (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, new_comm))
MAKES(Intercomm_create, 6W, (W comm, W leader, W peers, W remote, W tag, W new_comm),
      (comm, leader, peers, remote, tag, new_comm))
MAKES(Comm_spawn, 8W, (W command, W words, W processes, W info, W root, W comm, W new_comm, W errors),
      (command, words, processes, info, root, comm, new_comm, errors))
MAKES(Comm_spawn_multiple, 9W,
      (W count, W commands, W words, W processes, W infos, W root, W comm, W new_comm, W errors),
      (count, commands, words, processes, infos, root, comm, new_comm, errors))
MAKES(Comm_accept, 5W, (W port, W info, W root, W comm, W new_comm), (port, info, root, comm, new_comm))
MAKES(Comm_connect, 5W, (W port, W info, W root, W comm, W new_comm), (port, info, root, comm, new_comm))
// The new one cannot be asked before the request is complete.
INLINE void begins_to_make(W result, W new_comm, const char* maker) {
    if ((int)result == 0 && handle_at((const void*)new_comm, 0) != library.null_comm)
        note_made(kMpiComm, new_comm, maker);
}
WRAP(Comm_idup, WWW, (W comm, W new_comm, W request), (comm, new_comm, request), comm, NOTHING,
     begins_to_make(result, new_comm, "MPI_Comm_idup"))
WRAP(Comm_idup_with_info, WWWW, (W comm, W info, W new_comm, W request), (comm, info, new_comm, request),
     comm, NOTHING, begins_to_make(result, new_comm, "MPI_Comm_idup_with_info"))
#define MAKES_OF_GROUPS(name, words, parameters, arguments)                                                  \
    WRAP(name, words, parameters, arguments, 0, NOTHING, if ((int)result == 0) made(new_comm, "MPI_" #name))
MAKES_OF_GROUPS(Comm_create_from_group, 5W, (W group, W tag, W info, W handler, W new_comm),
                (group, tag, info, handler, new_comm))
MAKES_OF_GROUPS(Intercomm_create_from_groups, 8W,
                (W own, W leader, W remote, W remote_leader, W tag, W info, W handler, W new_comm),
                (own, leader, remote, remote_leader, tag, info, handler, new_comm))
MAKES(Intercomm_merge, WWW, (W comm, W high, W new_comm), (comm, high, new_comm))
INLINE void names(W comm, W name) {
    find_library();
    if (library.found == 1)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMM_NAME, handle(comm), name, 0, 0, 0);
}
WRAP_PLAIN(Comm_set_name, WW, (W comm, W name), (comm, name), names(comm, name), NOTHING)

// The handle may be used again for another one. Messages that nobody has received by now are lost.
#define GOES(name)                                                                                           \
    WRAP_AS(name, kMpi_##name, NOTHING, W, (W object), (object), 0, going(&call, object, "MPI_" #name),      \
            NOTHING)
INLINE void going(const Call* call, W object, const char* function) {
    const W comm = handle_at((const void*)object, 0);
    if (call->checks && uses_object(kMpiComm, comm) == kMpiUsable && comm != library.null_comm)
        look_for_messages(comm, function);
    gone(object);
    note_freed(kMpiComm, object);
}
GOES(Comm_free)
GOES(Comm_disconnect)
