// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of MPI's collective operations, blocking and non-blocking. `sent` is a rank's contribution: its
// send buffer; for a broadcast the root's buffer, each element once, however many ranks get it. `received` is
// the size of its receive buffer.
//
// Between groups (intercommunicators) a rank exchanges blocks with the ranks of the other group. Of a rooted
// operation the root is alone in its group: MPI_ROOT there, MPI_PROC_NULL in the ranks beside it.
#include "preload/mpi_wrap.h"

static int is_between_groups(W comm) {
    int between = 0;
    return library.comm_test_inter(comm, &between) == 0 && between != 0;
}
// The ranks that a rank exchanges blocks with.
static int partners_in(W comm) {
    int ranks = 0;
    if (!is_between_groups(comm)) return size_of(comm);
    return library.comm_remote_size(comm, &ranks) == 0 ? ranks : 0;
}
static int is_rank(W comm, int rank) {
    int mine = -1;
    return library.comm_rank(comm, &mine) == 0 && mine == rank;
}

// A rank's part in an operation with a root.
typedef struct {
    int is_root;    // it has the blocks of all
    int has_block;  // it has one of its own: the root within a group, too
} Part;
static Part part_in(W comm, W root) {
    if (is_between_groups(comm)) return (Part){(int)root == library.root, (int)root >= 0};
    return (Part){is_rank(comm, (int)root), 1};
}

static int root_as(Part part, W root) {
    return part.has_block ? (int)root : part.is_root ? kMpiRootHere : kMpiRootBeside;
}

// Only the root may have its block in place.
static void ask_in_place(const Call* call, Part part, W block) {
    if (call->checks && !part.is_root && part.has_block && block == library.in_place)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_USE, kMpiInPlaceBesideRoot, 0, 0, 0, 0);
}

static W sum_of(Numbers counts, int ranks) {
    W sum = 0;
    for (int i = 0; i < ranks; ++i)
        if (number_at(counts, i) > 0) sum += (W)number_at(counts, i);
    return sum;
}
static W bytes_of_all(const Call* call, W counts, W comm, W type) {
    return counts == 0 ? 0 : sum_of(numbers_of(call, counts), partners_in(comm)) * (W)size_of_type(type);
}
static W bytes_for_each(const Call* call, W count, W type, W comm) {
    return bytes_of(call, count, type) * (W)partners_in(comm);
}

// A block for each rank, one behind the other.
static void gives_each(const Call* call, W comm, W buffer, W count, W type) {
    if (call->checks)
        tell_buffer("sendbuf", kMpiReads, buffer, count_of(call, count) * partners_in(comm), type);
}
// In place (`out`) the blocks that are given are those of the receive buffer.
static int use_of_taken(W out) { return out == library.in_place ? kMpiWrites | kMpiReads : kMpiWrites; }
static void takes_each(const Call* call, W comm, W out, W buffer, W count, W type) {
    if (call->checks)
        tell_buffer("recvbuf", use_of_taken(out), buffer, count_of(call, count) * partners_in(comm), type);
}
static void gives_all(const Call* call, W comm, W buffer, W counts, W offsets, W type) {
    if (call->checks && buffer != library.in_place)
        tell_buffers("sendbuf", kMpiReads, buffer, numbers_of(call, counts), numbers_of(call, offsets),
                     partners_in(comm), type);
}
static void takes_all(const Call* call, W comm, W out, W buffer, W counts, W offsets, W type) {
    if (call->checks)
        tell_buffers("recvbuf", use_of_taken(out), buffer, numbers_of(call, counts),
                     numbers_of(call, offsets), partners_in(comm), type);
}
// `elements` are given and `results` taken; a reduction in place has all of its elements in the receive
// buffer, the results first.
static void reduces(const Call* call, W out, W in, long elements, long results, W type) {
    if (!call->checks) return;
    if (out != library.in_place) {
        tell_buffer("sendbuf", kMpiReads, out, elements, type);
        tell_buffer("recvbuf", kMpiWrites, in, results, type);
    } else if (results == elements) {
        tell_buffer("recvbuf", kMpiWrites | kMpiReads, in, elements, type);
    } else {
        tell_buffer("recvbuf", kMpiReads, in, elements, type);
    }
}

// One side of an operation: block i has counts[i] elements, or `count`, offsets[i] units from the buffer.
typedef struct {
    W buffer;
    Numbers counts, offsets;
    long count, unit;
    const void* types;  // by block, or null
    W type;
} Side;

static W type_of_block(const Side* side, int block) {
    return side->types == 0 ? side->type : handle_at(side->types, block);
}
static long count_of_block(const Side* side, int block) {
    return side->counts.at == 0 ? side->count : number_at(side->counts, block);
}
static W bytes_of_block(const Side* side, int block) {
    const long count = count_of_block(side, block);
    return count <= 0 ? 0 : (W)(count * size_of_type(type_of_block(side, block)));
}

static Side side_of_blocks(const Call* call, W buffer, W count, W type) {
    long low = 0, extent = 0;
    library.type_extent(type, &low, &extent);
    const long elements = count_of(call, count);
    return (Side){.buffer = buffer, .count = elements, .unit = elements * extent, .type = type};
}
static Side side_of_same(const Call* call, W buffer, W count, W type) {
    return (Side){.buffer = buffer, .count = count_of(call, count), .unit = 0, .type = type};
}
// Without the places.
static Side side_of_counts(const Call* call, W buffer, W counts, W type) {
    return (Side){.buffer = buffer, .counts = numbers_of(call, counts), .type = type};
}
static Side side_of_parts(const Call* call, W buffer, W counts, W offsets, W type) {
    long low = 0, extent = 0;
    library.type_extent(type, &low, &extent);
    return (Side){.buffer = buffer,
                  .counts = numbers_of(call, counts),
                  .offsets = numbers_of(call, offsets),
                  .unit = extent,
                  .type = type};
}
static Side side_of_types(const Call* call, W buffer, W counts, Numbers offsets, W types) {
    return (Side){.buffer = buffer,
                  .counts = numbers_of(call, counts),
                  .offsets = offsets,
                  .unit = 1,
                  .types = (const void*)types};
}

// --- types: what each rank gives must be what others take. With --mpi-types=yes of all operations; else of those
// in which ranks have counts of their own, in communicators of few ranks, or among few neighbours.

static void share(W comm, int peer, int is_taken, const Side* side, int block) {
    const MpiTypes types = types_of((W)count_of_block(side, block), type_of_block(side, block));
    const MpiShare told = {handle(comm), peer, is_taken, types};
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_SHARE, &told, 0, 0, 0, 0);
}
// `rank` is this one's among the ranks that it exchanges blocks with; between groups it is none of them.
static int shares_types(const Call* call, W comm, int* rank) {
    enum { kMostRanks = 16 };
    *rank = -1;
    const int wanted =
        call->types || (call->checks && !call->facts.agrees && partners_in(comm) <= kMostRanks);
    return wanted && (is_between_groups(comm) || library.comm_rank(comm, rank) == 0);
}
// Between the root and each rank; with itself unless `of_each` is in place there.
static void share_with_root(const Call* call, W comm, W root, int root_gives, Side of_root, Side of_each) {
    int rank = 0;
    if (!shares_types(call, comm, &rank)) return;
    const Part part = part_in(comm, root);
    const int has_both = part.is_root && part.has_block && of_each.buffer != library.in_place;
    for (int i = 0; part.is_root && i < partners_in(comm); ++i)
        if (i != rank || has_both) share(comm, i, !root_gives, &of_root, i);
    if (part.has_block && (!part.is_root || has_both)) share(comm, (int)root, root_gives, &of_each, 0);
}
static void share_with_each(const Call* call, W comm, Side given, Side taken) {
    int rank = 0;
    if (!shares_types(call, comm, &rank)) return;
    const int in_place = given.buffer == library.in_place;
    for (int i = 0; i < partners_in(comm); ++i) {
        if (in_place && i == rank) continue;
        share(comm, i, 0, in_place ? &taken : &given, i);
        share(comm, i, 1, &taken, i);
    }
}
// All ranks give the same and take the same: so it is enough to compare each one with the next.
static void share_around(const Call* call, W comm, Side given, Side taken) {
    int rank = 0;
    if (!shares_types(call, comm, &rank)) return;
    if (rank < 0) return share_with_each(call, comm, given, taken);
    const int ranks = size_of(comm);
    share(comm, (rank + 1) % ranks, 0, given.buffer == library.in_place ? &taken : &given, 0);
    share(comm, (rank + ranks - 1) % ranks, 1, &taken, 0);
}
static void share_alike(const Call* call, W comm, long count, W type) {
    const Side side = {.count = count, .type = type};
    share_around(call, comm, side, side);
}

// The blocking form, the non-blocking one, and the persistent one of MPI 4.
#define COLLECTIVE(name, i_name, words, parameters, arguments, BEFORE)                                       \
    WRAP_COUNTS(name, words, parameters, arguments, comm, BEFORE,                                            \
                if ((int)result == 0) arrived(&call, kAllBytes))                                             \
    WRAP_COUNTS(i_name, ONE_MORE(words), (WRAP_OPEN parameters, W request), (WRAP_OPEN arguments, request),  \
                comm, BEFORE, set_request(&call, result, request))                                           \
    WRAP_COUNTS(name##_init, TWO_MORE(words), (WRAP_OPEN parameters, W info, W request),                     \
                (WRAP_OPEN arguments, info, request), comm, BEFORE, call.facts.persistent = 1;               \
                set_request(&call, result, request))

#define SET_BOTH(given, taken)                                                                               \
    call.facts.sent = (given);                                                                               \
    call.facts.received = (taken)

#define BCAST_BYTES                                                                                          \
    const W bytes = bytes_of(&call, count, type);                                                            \
    const Part part = part_in(comm, root);                                                                   \
    call.facts.root = root_as(part, root);                                                                   \
    set_agreed(&call, count, type);                                                                          \
    const int takes_it = part.has_block && !part.is_root;                                                    \
    SET_BOTH(part.is_root ? bytes : 0, takes_it ? bytes : 0);                                                \
    if (part.is_root) gives(&call, "buffer", buffer, count, type);                                           \
    if (takes_it) takes(&call, "buffer", buffer, count, type);                                               \
    share_with_root(&call, comm, root, 1, side_of_same(&call, buffer, count, type),                          \
                    side_of_same(&call, part.is_root ? library.in_place : buffer, count, type))
COLLECTIVE(Bcast, Ibcast, 5W, (W buffer, W count, W type, W root, W comm), (buffer, count, type, root, comm),
           BCAST_BYTES)

#define ROOTED_PARAMETERS W out, W count, W type, W in, W in_count, W in_type, W root, W comm
#define ROOTED_ARGUMENTS out, count, type, in, in_count, in_type, root, comm
COLLECTIVE(Scatter, Iscatter, 8W, (ROOTED_PARAMETERS), (ROOTED_ARGUMENTS),
           const Part part = part_in(comm, root);
           call.facts.root = root_as(part, root); ask_in_place(&call, part, in);
           set_agreed(&call, part.is_root ? count : in_count, part.is_root ? type : in_type);
           SET_BOTH(part.is_root ? bytes_for_each(&call, count, type, comm) : 0,
                    part.has_block ? bytes_of(&call, in_count, in_type) : 0);
           if (part.is_root) gives_each(&call, comm, out, count, type);
           if (part.has_block) takes(&call, "recvbuf", in, in_count, in_type);
           share_with_root(&call, comm, root, 1, side_of_same(&call, out, count, type),
                           side_of_same(&call, in, in_count, in_type)))
COLLECTIVE(Gather, Igather, 8W, (ROOTED_PARAMETERS), (ROOTED_ARGUMENTS),
           const Part part = part_in(comm, root);
           call.facts.root = root_as(part, root); ask_in_place(&call, part, out);
           set_agreed(&call, part.is_root ? in_count : count, part.is_root ? in_type : type);
           SET_BOTH(part.has_block ? bytes_of(&call, count, type) : 0,
                    part.is_root ? bytes_for_each(&call, in_count, in_type, comm) : 0);
           if (part.has_block) gives(&call, "sendbuf", out, count, type);
           if (part.is_root && out != library.in_place) takes_each(&call, comm, out, in, in_count, in_type);
           share_with_root(&call, comm, root, 0, side_of_same(&call, in, in_count, in_type),
                           side_of_same(&call, out, count, type)))

#define V_PARAMETERS W out, W counts, W offsets, W type, W in, W in_count, W in_type, W root, W comm
#define V_ARGUMENTS out, counts, offsets, type, in, in_count, in_type, root, comm
COLLECTIVE(Scatterv, Iscatterv, 9W, (V_PARAMETERS), (V_ARGUMENTS), const Part part = part_in(comm, root);
           call.facts.root = root_as(part, root); ask_in_place(&call, part, in);
           SET_BOTH(part.is_root ? bytes_of_all(&call, counts, comm, type) : 0,
                    part.has_block ? bytes_of(&call, in_count, in_type) : 0);
           if (part.is_root && in != library.in_place) gives_all(&call, comm, out, counts, offsets, type);
           if (part.has_block) takes(&call, "recvbuf", in, in_count, in_type);
           share_with_root(&call, comm, root, 1, side_of_counts(&call, out, counts, type),
                           side_of_same(&call, in, in_count, in_type)))
#define GATHERV_PARAMETERS W out, W count, W type, W in, W counts, W offsets, W in_type, W root, W comm
#define GATHERV_ARGUMENTS out, count, type, in, counts, offsets, in_type, root, comm
COLLECTIVE(Gatherv, Igatherv, 9W, (GATHERV_PARAMETERS), (GATHERV_ARGUMENTS),
           const Part part = part_in(comm, root);
           call.facts.root = root_as(part, root); ask_in_place(&call, part, out);
           SET_BOTH(part.has_block ? bytes_of(&call, count, type) : 0,
                    part.is_root ? bytes_of_all(&call, counts, comm, in_type) : 0);
           if (part.has_block) gives(&call, "sendbuf", out, count, type);
           if (part.is_root && out != library.in_place)
               takes_all(&call, comm, out, in, counts, offsets, in_type);
           share_with_root(&call, comm, root, 0, side_of_counts(&call, in, counts, in_type),
                           side_of_same(&call, out, count, type)))

COLLECTIVE(Reduce, Ireduce, 7W, (W out, W in, W count, W type, W op, W root, W comm),
           (out, in, count, type, op, root, comm), const W bytes = bytes_of(&call, count, type);
           const Part part = part_in(comm, root); call.facts.root = root_as(part, root);
           ask_in_place(&call, part, out); set_agreed(&call, count, type); set_op(&call, op);
           SET_BOTH(part.has_block ? bytes : 0, part.is_root ? bytes : 0);
           reduces(&call, out, in, part.has_block ? count_of(&call, count) : 0,
                   part.is_root ? count_of(&call, count) : 0, type);
           share_with_root(&call, comm, root, 0, side_of_same(&call, in, count, type),
                           side_of_same(&call, part.is_root ? library.in_place : out, count, type)))
#define REDUCES_TO_ALL(name, i_name, gets_result)                                                            \
    COLLECTIVE(name, i_name, 6W, (W out, W in, W count, W type, W op, W comm),                               \
               (out, in, count, type, op, comm), const W bytes = bytes_of(&call, count, type);               \
               SET_BOTH(bytes, bytes); set_agreed(&call, count, type); set_op(&call, op); reduces(           \
                   &call, out, in, count_of(&call, count), gets_result ? count_of(&call, count) : 0, type);  \
               share_alike(&call, comm, count_of(&call, count), type))
REDUCES_TO_ALL(Allreduce, Iallreduce, 1)
REDUCES_TO_ALL(Scan, Iscan, 1)
REDUCES_TO_ALL(Exscan, Iexscan, !is_rank(comm, 0))

#define ALL_PARAMETERS W out, W count, W type, W in, W in_count, W in_type, W comm
#define ALL_ARGUMENTS out, count, type, in, in_count, in_type, comm
COLLECTIVE(Alltoall, Ialltoall, 7W, (ALL_PARAMETERS), (ALL_ARGUMENTS),
           const W received = bytes_for_each(&call, in_count, in_type, comm);
           set_agreed(&call, in_count, in_type);
           SET_BOTH(out == library.in_place ? received : bytes_for_each(&call, count, type, comm), received);
           gives_each(&call, comm, out, count, type); takes_each(&call, comm, out, in, in_count, in_type);
           share_around(&call, comm, side_of_same(&call, out, count, type),
                        side_of_same(&call, in, in_count, in_type)))
COLLECTIVE(Allgather, Iallgather, 7W, (ALL_PARAMETERS), (ALL_ARGUMENTS), set_agreed(&call, in_count, in_type);
           SET_BOTH(out == library.in_place ? bytes_of(&call, in_count, in_type)
                                            : bytes_of(&call, count, type),
                    bytes_for_each(&call, in_count, in_type, comm));
           gives(&call, "sendbuf", out, count, type);
           if (out != library.in_place) takes_each(&call, comm, out, in, in_count, in_type);
           share_around(&call, comm, side_of_same(&call, out, count, type),
                        side_of_same(&call, in, in_count, in_type)))
#define ALLTOALLV_PARAMETERS                                                                                 \
    W out, W counts, W offsets, W type, W in, W in_counts, W in_offsets, W in_type, W comm
#define ALLTOALLV_ARGUMENTS out, counts, offsets, type, in, in_counts, in_offsets, in_type, comm
COLLECTIVE(Alltoallv, Ialltoallv, 9W, (ALLTOALLV_PARAMETERS), (ALLTOALLV_ARGUMENTS),
           SET_BOTH(out == library.in_place ? 0 : bytes_of_all(&call, counts, comm, type),
                    bytes_of_all(&call, in_counts, comm, in_type));
           gives_all(&call, comm, out, counts, offsets, type);
           takes_all(&call, comm, out, in, in_counts, in_offsets, in_type);
           share_with_each(&call, comm, side_of_counts(&call, out, counts, type),
                           side_of_counts(&call, in, in_counts, in_type)))
static long count_for(const Call* call, W counts, W comm) {
    int rank = 0;
    return library.comm_rank(comm, &rank) == 0 ? number_at(numbers_of(call, counts), rank) : 0;
}
#define ALLGATHERV_PARAMETERS W out, W count, W type, W in, W counts, W offsets, W in_type, W comm
#define ALLGATHERV_ARGUMENTS out, count, type, in, counts, offsets, in_type, comm
COLLECTIVE(Allgatherv, Iallgatherv, 8W, (ALLGATHERV_PARAMETERS), (ALLGATHERV_ARGUMENTS),
           const int in_place = out == library.in_place;
           const long mine = in_place ? count_for(&call, counts, comm) : count_of(&call, count);
           const W my_type = in_place ? in_type : type;
           SET_BOTH(bytes_of(&call, (W)mine, my_type), bytes_of_all(&call, counts, comm, in_type));
           gives(&call, "sendbuf", out, count, type);
           if (!in_place) takes_all(&call, comm, out, in, counts, offsets, in_type);
           share_with_each(&call, comm, (Side){.count = mine, .type = my_type},
                           side_of_counts(&call, in, counts, in_type)))
WRAP(Barrier, W, (W comm), (comm), comm, NOTHING, NOTHING)
WRAP(Ibarrier, WW, (W comm, W request), (comm, request), comm, NOTHING, set_request(&call, result, request))
WRAP(Barrier_init, WWW, (W comm, W info, W request), (comm, info, request), comm, NOTHING,
     call.facts.persistent = 1;
     set_request(&call, result, request))

COLLECTIVE(Reduce_scatter, Ireduce_scatter, 6W, (W out, W in, W counts, W type, W op, W comm),
           (out, in, counts, type, op, comm), const long mine = count_for(&call, counts, comm);
           const long all = (long)sum_of(numbers_of(&call, counts), size_of(comm));
           SET_BOTH((W)(all * size_of_type(type)), (W)(mine* size_of_type(type)));
           reduces(&call, out, in, all, mine, type); share_alike(&call, comm, all, type))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, 6W, (W out, W in, W count, W type, W op, W comm),
           (out, in, count, type, op, comm), const long mine = count_of(&call, count);
           set_agreed(&call, count, type); set_op(&call, op);
           SET_BOTH(bytes_of(&call, count, type) * (W)size_of(comm), bytes_of(&call, count, type));
           reduces(&call, out, in, mine* size_of(comm), mine, type);
           share_alike(&call, comm, mine* size_of(comm), type))

// --- with a type for each rank, and with neighbours only

// The ranks that a rank's blocks go to and come from: all of the group, or its neighbours in a topology.
typedef struct {
    W comm;
    int topology;
    int out, in;                      // blocks
    const int *out_ranks, *in_ranks;  // of neighbours; at a border there is none, and the block is not used
} Partners;

static Partners everyone(W comm) { return (Partners){comm, 0, partners_in(comm), partners_in(comm), 0, 0}; }

static Partners count_neighbours(W comm) {
    Partners found = {comm, 0, 0, 0, 0, 0};
    int dimensions = 0, rank = 0, weighted = 0;
    if (library.topology(comm, &found.topology) != 0) return found;
    const int topology = found.topology;
    if (topology == library.cart && library.cart_dimensions(comm, &dimensions) == 0) {
        found.out = found.in = 2 * dimensions;
    } else if (topology == library.graph && library.comm_rank(comm, &rank) == 0) {
        library.graph_degree(comm, rank, &found.out);
        found.in = found.out;
    } else if (topology == library.dist_graph) {
        library.dist_graph_degrees(comm, &found.in, &found.out, &weighted);
    }
    return found;
}
// `ranks` and `weights` have room for all blocks.
static void find_neighbours(Partners* of, int* ranks, int* weights) {
    const int topology = of->topology, blocks = of->out + of->in;
    int rank = 0;
    for (int i = 0; i < blocks; ++i) ranks[i] = library.no_process;
    of->out_ranks = ranks;
    of->in_ranks = topology == library.dist_graph ? ranks + of->out : ranks;
    if (blocks == 0) return;
    if (topology == library.cart) {
        // Of each dimension first the neighbour before, then the one behind.
        for (int i = 0; 2 * i < of->out; ++i)
            library.cart_shift(of->comm, i, 1, &ranks[2 * i], &ranks[2 * i + 1]);
    } else if (topology == library.graph && library.comm_rank(of->comm, &rank) == 0) {
        library.graph_neighbours(of->comm, rank, of->out, ranks);
    } else if (topology == library.dist_graph) {
        library.dist_graph_neighbours(of->comm, of->in, ranks + of->out, weights + of->out, of->out, ranks,
                                      weights);
    }
}
// (No commas: it stands in a macro's argument.)
#define NEIGHBOURS(near)                                                                                     \
    Partners near = count_neighbours(comm);                                                                  \
    int ranks[near.out + near.in + 1];                                                                       \
    int weights[near.out + near.in + 1];                                                                     \
    find_neighbours(&near, ranks, weights)

static int is_partner(const int* ranks, int block) {
    return ranks == 0 || ranks[block] != library.no_process;
}

// Several blocks may go to one neighbour (a ring of two). Libraries differ in which of them arrives where, so
// they are compared only if all are `alike`.
static int is_only_one(const int* ranks, int blocks, int block) {
    for (int i = 0; i < blocks; ++i)
        if (i != block && ranks[i] == ranks[block]) return 0;
    return 1;
}
static void share_with_neighbours(const Call* call, const Partners* near, int alike, Side given, Side taken) {
    enum { kMostBlocks = 32 };
    if (!call->types && !(call->checks && near->out + near->in <= kMostBlocks)) return;
    for (int i = 0; i < near->out; ++i)
        if (is_partner(near->out_ranks, i) && (alike || is_only_one(near->out_ranks, near->out, i)))
            share(near->comm, near->out_ranks[i], 0, &given, i);
    for (int i = 0; i < near->in; ++i)
        if (is_partner(near->in_ranks, i) && (alike || is_only_one(near->in_ranks, near->in, i)))
            share(near->comm, near->in_ranks[i], 1, &taken, i);
}

// Tells the pieces of all blocks; returns their bytes. `same`: the blocks are one.
static W use_side(const Call* call, const char* parameter, int use, const int* ranks, int blocks,
                  const Side* side, int same) {
    W bytes = 0;
    if (side->buffer == library.in_place) return 0;
    for (int i = 0, told = 0; i < blocks; ++i) {
        if (!is_partner(ranks, i)) continue;
        const long count = count_of_block(side, i);
        const long offset = side->offsets.at == 0 ? i : number_at(side->offsets, i);
        if (count <= 0) continue;
        bytes += bytes_of_block(side, i);
        if (call->checks && !(same && told))
            tell_buffer(parameter, use, side->buffer + (W)(offset * side->unit), count,
                        type_of_block(side, i));
        told = 1;
    }
    return bytes;
}
// The neighbours' ranks are known, so bytes to them stand in the matrix.
static void give_to_each(const Partners* partners, const Side* side) {
    for (int i = 0; partners->out_ranks != 0 && i < partners->out; ++i) {
        const W bytes = is_partner(partners->out_ranks, i) ? bytes_of_block(side, i) : 0;
        const MpiGift gift = {handle(partners->comm), partners->out_ranks[i], bytes};
        if (bytes != 0) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_GIVES, &gift, 0, 0, 0, 0);
    }
}
static void use_sides(Call* call, const Partners* partners, Side out, int same, Side in) {
    give_to_each(partners, &out);
    call->facts.sent = use_side(call, "sendbuf", kMpiReads, partners->out_ranks, partners->out, &out, same);
    call->facts.received =
        use_side(call, "recvbuf", use_of_taken(out.buffer), partners->in_ranks, partners->in, &in, 0);
}

#define W_PARAMETERS W out, W counts, W offsets, W types, W in, W in_counts, W in_offsets, W in_types, W comm
#define W_ARGUMENTS out, counts, offsets, types, in, in_counts, in_offsets, in_types, comm
COLLECTIVE(Alltoallw, Ialltoallw, 9W, (W_PARAMETERS), (W_ARGUMENTS), const Partners all = everyone(comm);
           use_sides(&call, &all, side_of_types(&call, out, counts, numbers_of(&call, offsets), types), 0,
                     side_of_types(&call, in, in_counts, numbers_of(&call, in_offsets), in_types));
           share_with_each(&call, comm, side_of_types(&call, out, counts, numbers_of(&call, offsets), types),
                           side_of_types(&call, in, in_counts, numbers_of(&call, in_offsets), in_types)))

#define AMONG_NEIGHBOURS(name, words, parameters, arguments, same, alike, given, taken)                      \
    COLLECTIVE(Neighbor_##name, Ineighbor_##name, words, parameters, arguments, NEIGHBOURS(near);            \
               const Side out_side = given; const Side in_side = taken;                                      \
               use_sides(&call, &near, out_side, same, in_side);                                             \
               share_with_neighbours(&call, &near, alike, out_side, in_side))
AMONG_NEIGHBOURS(alltoall, 7W, (ALL_PARAMETERS), (ALL_ARGUMENTS), 0, 1,
                 side_of_blocks(&call, out, count, type), side_of_blocks(&call, in, in_count, in_type))
AMONG_NEIGHBOURS(allgather, 7W, (ALL_PARAMETERS), (ALL_ARGUMENTS), 1, 1,
                 side_of_same(&call, out, count, type), side_of_blocks(&call, in, in_count, in_type))
AMONG_NEIGHBOURS(alltoallv, 9W, (ALLTOALLV_PARAMETERS), (ALLTOALLV_ARGUMENTS), 0, 0,
                 side_of_parts(&call, out, counts, offsets, type),
                 side_of_parts(&call, in, in_counts, in_offsets, in_type))
AMONG_NEIGHBOURS(allgatherv, 8W, (ALLGATHERV_PARAMETERS), (ALLGATHERV_ARGUMENTS), 1, 0,
                 side_of_same(&call, out, count, type), side_of_parts(&call, in, counts, offsets, in_type))
AMONG_NEIGHBOURS(alltoallw, 9W, (W_PARAMETERS), (W_ARGUMENTS), 0, 0,
                 side_of_types(&call, out, counts, ((Numbers){(const void*)offsets, 1}), types),
                 side_of_types(&call, in, in_counts, ((Numbers){(const void*)in_offsets, 1}), in_types))
