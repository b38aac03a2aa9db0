// SPDX-License-Identifier: GPL-2.0-or-later
//
// Communicators, groups, topologies, types, operations, infos, files, the beginning and the end.
#include "bugs.h"

#define NOT_FREED(name, type, MAKE, FREE)                                                                    \
    BUG(leaks_##name, "MpiLeak", 2) {                                                                        \
        type made;                                                                                           \
        MAKE;                                                                                                \
        if (!wrong) FREE(&made);                                                                             \
    }
NOT_FREED(Comm_dup, MPI_Comm, MPI_Comm_dup(world, &made), MPI_Comm_free)
NOT_FREED(Comm_split, MPI_Comm, MPI_Comm_split(world, rank, 0, &made), MPI_Comm_free)
static const int two[2] = {2, 1}, no_period[2] = {0, 0};
NOT_FREED(Cart_create, MPI_Comm, MPI_Cart_create(world, 2, two, no_period, 0, &made), MPI_Comm_free)
NOT_FREED(Comm_group, MPI_Group, MPI_Comm_group(world, &made), MPI_Group_free)
NOT_FREED(Type_contiguous, MPI_Datatype, MPI_Type_contiguous(2, MPI_INT, &made), MPI_Type_free)
NOT_FREED(Type_vector, MPI_Datatype, MPI_Type_vector(2, 1, 3, MPI_INT, &made);
          MPI_Type_commit(&made), MPI_Type_free)
static void nothing(void* from, void* to, int* count, MPI_Datatype* type) {
    (void)from, (void)to, (void)count, (void)type;
}
NOT_FREED(Op_create, MPI_Op, MPI_Op_create(nothing, 1, &made), MPI_Op_free)
NOT_FREED(Info_create, MPI_Info, MPI_Info_create(&made), MPI_Info_free)
NOT_FREED(Win_create, MPI_Win, MPI_Win_create(in, sizeof in, 4, MPI_INFO_NULL, world, &made), MPI_Win_free)
NOT_FREED(File_open, MPI_File,
          MPI_File_open(world, "bugs.file", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &made),
          MPI_File_close)
BUG(leaks_in_a_loop, "MpiLeak", 2) {
    for (int i = 0; i < 3; ++i) {
        MPI_Comm copy;
        MPI_Comm_dup(world, &copy);
        if (!wrong || i == 0) MPI_Comm_free(&copy);
    }
}
BUG(leaks_Ibcast_of_copy, "MpiLeak", 2) {
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_idup(world, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!wrong) MPI_Comm_free(&copy);
}

BUG(invalid_split_of_null, "MpiError", 2) {
    MPI_Comm made;
    MPI_Comm_split(wrong ? MPI_COMM_NULL : world, 0, 0, &made);
    MPI_Comm_free(&made);
}
BUG(invalid_dup_of_freed, "MpiError", 2) {
    MPI_Comm first, made;
    MPI_Comm_dup(world, &first);
    MPI_Comm again = first;
    if (wrong) MPI_Comm_free(&first);
    MPI_Comm_dup(again, &made);
    MPI_Comm_free(&made);
    if (!wrong) MPI_Comm_free(&first);
}
BUG(frees_world, "MpiError", 2) {
    MPI_Comm copy = world;
    if (wrong) MPI_Comm_free(&copy);
    MPI_Barrier(world);
}
BUG(frees_predefined_type, "MpiError", 2) {
    MPI_Datatype type = MPI_INT;
    if (wrong) MPI_Type_free(&type);
    MPI_Barrier(world);
}
BUG(frees_predefined_op, "MpiError", 2) {
    MPI_Op op = MPI_SUM;
    if (wrong) MPI_Op_free(&op);
    MPI_Barrier(world);
}
BUG(frees_twice, "MpiError", 2) {
    MPI_Datatype pair, again;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    again = pair;
    MPI_Type_free(&pair);
    if (wrong) MPI_Type_free(&again);
}
BUG(invalid_type_count, "MpiError", 2) {
    MPI_Datatype made;
    MPI_Type_contiguous(wrong ? -1 : 1, MPI_INT, &made);
    MPI_Type_free(&made);
}
BUG(invalid_type_of_null, "MpiError", 2) {
    MPI_Datatype made;
    MPI_Type_vector(1, 1, 1, wrong ? MPI_DATATYPE_NULL : MPI_INT, &made);
    MPI_Type_free(&made);
}
BUG(commits_null, "MpiError", 2) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (!wrong) MPI_Type_dup(MPI_INT, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&made);
}
BUG(invalid_grid, "MpiError", 2) {
    MPI_Comm made;
    const int sizes[2] = {wrong ? 5 : 2, wrong ? 5 : 1};
    MPI_Cart_create(world, 2, sizes, no_period, 0, &made);
    MPI_Comm_free(&made);
}
BUG(invalid_shift, "MpiError", 2) {
    MPI_Comm made;
    int before, next;
    MPI_Cart_create(world, 2, two, no_period, 0, &made);
    MPI_Cart_shift(wrong ? world : made, 0, 1, &before, &next);
    MPI_Comm_free(&made);
}
BUG(invalid_group_rank, "MpiError", 2) {
    MPI_Group all, some;
    const int chosen[1] = {wrong ? 7 : 0};
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, chosen, &some);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}
BUG(some_do_not_split, "MpiDeadlock|MpiCollective", 2) {
    MPI_Comm made = MPI_COMM_NULL;
    if (!wrong || rank == 0) MPI_Comm_split(world, 0, 0, &made);
    MPI_Barrier(world);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
}
BUG(split_against_dup, "MpiCollective|MpiDeadlock", 2) {
    MPI_Comm made;
    if (wrong && rank) MPI_Comm_dup(world, &made);
    else MPI_Comm_split(world, 0, rank, &made);
    MPI_Comm_free(&made);
}
BUG(other_grids, "MpiCollective|MpiError", 2) {
    MPI_Comm made;
    const int sizes[2] = {wrong && rank ? 1 : 2, wrong && rank ? 2 : 1};
    MPI_Cart_create(world, 2, sizes, no_period, 0, &made);
    MPI_Comm_free(&made);
}
BUG(no_finalize, "MpiLeak", 2) {
    MPI_Barrier(world);
    if (wrong) exit(0);
}
BUG(after_finalize, "MpiError|MpiLeak", 2) {
    if (wrong) {
        MPI_Finalize();
        MPI_Barrier(world);
        exit(0);
    }
    MPI_Barrier(world);
}
BUG(finalize_twice, "MpiError", 2) {
    if (wrong) MPI_Finalize();
}
BUG(one_ends_early, "MpiDeadlock|MpiLeak", 2) {
    if (wrong && rank) exit(0);
    MPI_Barrier(world);
}
