// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of the functions that make and free types, groups, information and operations. They are local, so
// nothing but the objects is followed. One that is made inside another such function is the library's.
#include "preload/mpi_wrap.h"

static int inside = 0; /* such functions; a thread that meets another one's loses an object */

#define MAKER(kind, name, words, parameters, arguments)                                                      \
    W WRAPPER(name) parameters;                                                                              \
    W WRAPPER(name) parameters {                                                                             \
        OrigFn original;                                                                                     \
        W result;                                                                                            \
        VALGRIND_GET_ORIG_FN(original);                                                                      \
        find_library();                                                                                      \
        ++inside;                                                                                            \
        WRAP_CALL_##words(arguments);                                                                        \
        if (--inside == 0 && (int)result == 0 && library.found == 1) note_made(kind, made, "MPI_" #name);    \
        return result;                                                                                       \
    }
#define FREER(kind, name)                                                                                    \
    W WRAPPER(name)(W object);                                                                               \
    W WRAPPER(name)(W object) {                                                                              \
        OrigFn original;                                                                                     \
        W result;                                                                                            \
        VALGRIND_GET_ORIG_FN(original);                                                                      \
        if (inside == 0) note_freed(kind, object);                                                           \
        CALL_FN_W_W(result, original, object);                                                               \
        return result;                                                                                       \
    }

MAKER(kMpiType, Type_contiguous, WWW, (W count, W type, W made), (count, type, made))
MAKER(kMpiType, Type_vector, 5W, (W count, W length, W stride, W type, W made),
      (count, length, stride, type, made))
MAKER(kMpiType, Type_hvector, 5W, (W count, W length, W stride, W type, W made),
      (count, length, stride, type, made))
MAKER(kMpiType, Type_create_hvector, 5W, (W count, W length, W stride, W type, W made),
      (count, length, stride, type, made))
MAKER(kMpiType, Type_indexed, 5W, (W count, W lengths, W offsets, W type, W made),
      (count, lengths, offsets, type, made))
MAKER(kMpiType, Type_hindexed, 5W, (W count, W lengths, W offsets, W type, W made),
      (count, lengths, offsets, type, made))
MAKER(kMpiType, Type_create_hindexed, 5W, (W count, W lengths, W offsets, W type, W made),
      (count, lengths, offsets, type, made))
MAKER(kMpiType, Type_create_indexed_block, 5W, (W count, W length, W offsets, W type, W made),
      (count, length, offsets, type, made))
MAKER(kMpiType, Type_create_hindexed_block, 5W, (W count, W length, W offsets, W type, W made),
      (count, length, offsets, type, made))
MAKER(kMpiType, Type_struct, 5W, (W count, W lengths, W offsets, W types, W made),
      (count, lengths, offsets, types, made))
MAKER(kMpiType, Type_create_struct, 5W, (W count, W lengths, W offsets, W types, W made),
      (count, lengths, offsets, types, made))
MAKER(kMpiType, Type_create_subarray, 7W, (W dimensions, W sizes, W parts, W starts, W order, W type, W made),
      (dimensions, sizes, parts, starts, order, type, made))
MAKER(kMpiType, Type_create_darray, 10W,
      (W size, W rank, W dimensions, W sizes, W distributions, W arguments_of, W processes, W order, W type,
       W made),
      (size, rank, dimensions, sizes, distributions, arguments_of, processes, order, type, made))
MAKER(kMpiType, Type_create_resized, WWWW, (W type, W low, W extent, W made), (type, low, extent, made))
MAKER(kMpiType, Type_dup, WW, (W type, W made), (type, made))
MAKER(kMpiGroup, Comm_group, WW, (W comm, W made), (comm, made))
MAKER(kMpiGroup, Group_incl, WWWW, (W group, W count, W ranks, W made), (group, count, ranks, made))
MAKER(kMpiGroup, Group_excl, WWWW, (W group, W count, W ranks, W made), (group, count, ranks, made))
MAKER(kMpiGroup, Group_union, WWW, (W group, W other, W made), (group, other, made))
MAKER(kMpiGroup, Group_intersection, WWW, (W group, W other, W made), (group, other, made))
MAKER(kMpiGroup, Group_difference, WWW, (W group, W other, W made), (group, other, made))
MAKER(kMpiGroup, Group_range_incl, WWWW, (W group, W count, W ranges, W made), (group, count, ranges, made))
MAKER(kMpiGroup, Group_range_excl, WWWW, (W group, W count, W ranges, W made), (group, count, ranges, made))
MAKER(kMpiGroup, Win_get_group, WW, (W win, W made), (win, made))
MAKER(kMpiInfo, Info_create, W, (W made), (made))
MAKER(kMpiInfo, Info_dup, WW, (W info, W made), (info, made))
MAKER(kMpiOperation, Op_create, WWW, (W function, W commutes, W made), (function, commutes, made))

FREER(kMpiType, Type_free)
FREER(kMpiGroup, Group_free)
FREER(kMpiInfo, Info_free)
FREER(kMpiOperation, Op_free)
