// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of the functions that make and free types, groups, information and operations. They are local, so
// nothing but the objects is followed. One that is made inside another such function is the library's.
//
// MAKER_OF is for functions that are given other objects: USES names them, because they may have been freed.
#include "preload/mpi_wrap.h"

static int inside = 0; /* such functions; a thread that meets another one's loses an object */

// The group without members is predefined.
static int is_predefined(MpiObjectKind kind, W made) {
    int members = 0;
    return kind == kMpiGroup && library.group_size(handle_at((const void*)made, 0), &members) == 0 &&
           members == 0;
}
INLINE void uses(MpiObjectKind kind, W object, const char* name) {
    if (inside == 1) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_USE, kind, handle(object), name, 0, 0);
}
#define USES(kind, object) uses(kind, object, maker)

#define MAKER(kind, name, words, parameters, arguments)                                                      \
    MAKER_OF(kind, name, words, parameters, arguments, NOTHING)

INLINE void begins_making(void) {
    find_library();
    ++inside;
}
INLINE void ends_making(MpiObjectKind kind, W result, W made, const char* name) {
    if (--inside == 0 && (int)result == 0 && library.found == 1 && !is_predefined(kind, made))
        note_made(kind, made, name);
}
#define MAKER_OF(kind, name, words, parameters, arguments, USES_OTHERS)                                      \
    WRAP_PLAIN(name, words, parameters, arguments, const char* const maker = "MPI_" #name; begins_making();  \
               if (library.found == 1) { USES_OTHERS; }, ends_making(kind, result, made, maker))

INLINE void frees(MpiObjectKind kind, W object, const char* name) {
    find_library();
    library.frees_types |= kind == kMpiType;
    library.frees_operations |= kind == kMpiOperation;
    if (inside == 0 && library.found == 1 && kind != kMpiKey)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_USE, kind, handle_at((const void*)object, 0), name, 0, 0);
    if (inside == 0) note_freed(kind, object);
}
#define FREER(kind, name)                                                                                    \
    WRAP_PLAIN(name, W, (W object), (object), frees(kind, object, "MPI_" #name), NOTHING)

// With large counts, too.
#define TYPE_MAKER(name, words, parameters, arguments, USES_OTHERS)                                          \
    MAKER_OF(kMpiType, name, words, parameters, arguments, USES_OTHERS)                                      \
    MAKER_OF(kMpiType, name##_c, words, parameters, arguments, USES_OTHERS)
TYPE_MAKER(Type_contiguous, WWW, (W count, W type, W made), (count, type, made), USES(kMpiType, type))
TYPE_MAKER(Type_vector, 5W, (W count, W length, W stride, W type, W made),
           (count, length, stride, type, made), USES(kMpiType, type))
MAKER_OF(kMpiType, Type_hvector, 5W, (W count, W length, W stride, W type, W made),
         (count, length, stride, type, made), USES(kMpiType, type))
TYPE_MAKER(Type_create_hvector, 5W, (W count, W length, W stride, W type, W made),
           (count, length, stride, type, made), USES(kMpiType, type))
TYPE_MAKER(Type_indexed, 5W, (W count, W lengths, W offsets, W type, W made),
           (count, lengths, offsets, type, made), USES(kMpiType, type))
MAKER_OF(kMpiType, Type_hindexed, 5W, (W count, W lengths, W offsets, W type, W made),
         (count, lengths, offsets, type, made), USES(kMpiType, type))
TYPE_MAKER(Type_create_hindexed, 5W, (W count, W lengths, W offsets, W type, W made),
           (count, lengths, offsets, type, made), USES(kMpiType, type))
TYPE_MAKER(Type_create_indexed_block, 5W, (W count, W length, W offsets, W type, W made),
           (count, length, offsets, type, made), USES(kMpiType, type))
TYPE_MAKER(Type_create_hindexed_block, 5W, (W count, W length, W offsets, W type, W made),
           (count, length, offsets, type, made), USES(kMpiType, type))
MAKER_OF(kMpiType, Type_struct, 5W, (W count, W lengths, W offsets, W types, W made),
         (count, lengths, offsets, types, made),
         for (int i = 0; i < (int)count; ++i) USES(kMpiType, handle_at((const void*)types, i)))
TYPE_MAKER(Type_create_struct, 5W, (W count, W lengths, W offsets, W types, W made),
           (count, lengths, offsets, types, made),
           for (int i = 0; i < (int)count; ++i) USES(kMpiType, handle_at((const void*)types, i)))
TYPE_MAKER(Type_create_subarray, 7W, (W dimensions, W sizes, W parts, W starts, W order, W type, W made),
           (dimensions, sizes, parts, starts, order, type, made), USES(kMpiType, type))
TYPE_MAKER(Type_create_darray, 10W,
           (W size, W rank, W dimensions, W sizes, W distributions, W arguments_of, W processes, W order,
            W type, W made),
           (size, rank, dimensions, sizes, distributions, arguments_of, processes, order, type, made),
           USES(kMpiType, type))
TYPE_MAKER(Type_create_resized, WWWW, (W type, W low, W extent, W made), (type, low, extent, made),
           USES(kMpiType, type))
MAKER_OF(kMpiType, Type_dup, WW, (W type, W made), (type, made), USES(kMpiType, type))
MAKER_OF(kMpiGroup, Comm_group, WW, (W comm, W made), (comm, made), USES(kMpiComm, comm))
MAKER_OF(kMpiGroup, Group_incl, WWWW, (W group, W count, W ranks, W made), (group, count, ranks, made),
         USES(kMpiGroup, group))
MAKER_OF(kMpiGroup, Group_excl, WWWW, (W group, W count, W ranks, W made), (group, count, ranks, made),
         USES(kMpiGroup, group))
MAKER_OF(kMpiGroup, Group_union, WWW, (W group, W other, W made), (group, other, made),
         USES(kMpiGroup, group);
         USES(kMpiGroup, other))
MAKER_OF(kMpiGroup, Group_intersection, WWW, (W group, W other, W made), (group, other, made),
         USES(kMpiGroup, group);
         USES(kMpiGroup, other))
MAKER_OF(kMpiGroup, Group_difference, WWW, (W group, W other, W made), (group, other, made),
         USES(kMpiGroup, group);
         USES(kMpiGroup, other))
MAKER_OF(kMpiGroup, Group_range_incl, WWWW, (W group, W count, W ranges, W made),
         (group, count, ranges, made), USES(kMpiGroup, group))
MAKER_OF(kMpiGroup, Group_range_excl, WWWW, (W group, W count, W ranges, W made),
         (group, count, ranges, made), USES(kMpiGroup, group))
MAKER(kMpiGroup, Win_get_group, WW, (W win, W made), (win, made))
MAKER(kMpiInfo, Info_create, W, (W made), (made))
MAKER(kMpiInfo, Info_dup, WW, (W info, W made), (info, made))
MAKER(kMpiOperation, Op_create, WWW, (W function, W commutes, W made), (function, commutes, made))
MAKER(kMpiOperation, Op_create_c, WWW, (W function, W commutes, W made), (function, commutes, made))
MAKER_OF(kMpiGroup, Comm_remote_group, WW, (W comm, W made), (comm, made), USES(kMpiComm, comm))
MAKER(kMpiGroup, File_get_group, WW, (W file, W made), (file, made))
MAKER(kMpiGroup, Group_from_session_pset, WWW, (W session, W name, W made), (session, name, made))
MAKER(kMpiErrorHandler, Comm_create_errhandler, WW, (W function, W made), (function, made))
MAKER(kMpiErrorHandler, Win_create_errhandler, WW, (W function, W made), (function, made))
MAKER(kMpiErrorHandler, File_create_errhandler, WW, (W function, W made), (function, made))
MAKER(kMpiErrorHandler, Session_create_errhandler, WW, (W function, W made), (function, made))
MAKER(kMpiErrorHandler, Errhandler_create, WW, (W function, W made), (function, made))
#define MAKER_OF_KEY(name)                                                                                   \
    MAKER(kMpiKey, name, WWWW, (W copies, W deletes, W made, W state), (copies, deletes, made, state))
MAKER_OF_KEY(Comm_create_keyval)
MAKER_OF_KEY(Type_create_keyval)
MAKER_OF_KEY(Win_create_keyval)
MAKER_OF_KEY(Keyval_create)

// What most programs call first, of what is not followed.
INLINE void asks(W comm, const char* name) {
    find_library();
    if (inside == 0 && library.found == 1)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_USE, kMpiComm, handle(comm), name, 0, 0);
}
#define ASKER(name)                                                                                          \
    WRAP_PLAIN(name, WW, (W comm, W answer), (comm, answer), asks(comm, "MPI_" #name), NOTHING)
ASKER(Comm_rank)
ASKER(Comm_size)

// An attribute of MPI_COMM_SELF has a function called in MPI_Finalize, which may free its key and more: so programs
// tidy up.
INLINE void sets_attribute(W comm, W key) {
    const unsigned number = (unsigned)key;
    find_library();
    if (inside == 0 && library.found == 1 && handle(comm) == library.comm_self)
        note_freed(kMpiKey, (W)&number);
}
#define SETS_ATTRIBUTE(name)                                                                                 \
    WRAP_PLAIN(name, WWW, (W comm, W key, W value), (comm, key, value), sets_attribute(comm, key), NOTHING)
SETS_ATTRIBUTE(Comm_set_attr)
SETS_ATTRIBUTE(Attr_put)

// Types that the program gets without making them; it need not free them, but their handles may be those of
// freed ones.
INLINE void gives_types(W result, W given, long count) {
    for (long i = 0; library.found == 1 && inside == 0 && (int)result == 0 && i < count; ++i)
        note_made(kMpiType, given + (W)i * (library.is_ompi ? sizeof(W) : sizeof(int)), "");
}
#define GIVER(name, words, parameters, arguments, count)                                                     \
    WRAP_PLAIN(name, words, parameters, arguments, find_library(), gives_types(result, given, (long)(count)))
GIVER(Type_get_contents, 7W, (W type, W ints, W addresses, W types, W all_ints, W all_addresses, W given),
      (type, ints, addresses, types, all_ints, all_addresses, given), (int)types)
GIVER(Type_get_contents_c, 9W,
      (W type, W ints, W addresses, W counts, W types, W all_ints, W all_addresses, W all_counts, W given),
      (type, ints, addresses, counts, types, all_ints, all_addresses, all_counts, given), types)
GIVER(Type_create_f90_real, WWW, (W digits, W range, W given), (digits, range, given), 1)
GIVER(Type_create_f90_complex, WWW, (W digits, W range, W given), (digits, range, given), 1)
GIVER(Type_create_f90_integer, WW, (W range, W given), (range, given), 1)

FREER(kMpiType, Type_free)
FREER(kMpiGroup, Group_free)
FREER(kMpiInfo, Info_free)
FREER(kMpiOperation, Op_free)
FREER(kMpiErrorHandler, Errhandler_free)
FREER(kMpiKey, Comm_free_keyval)
FREER(kMpiKey, Type_free_keyval)
FREER(kMpiKey, Win_free_keyval)
FREER(kMpiKey, Keyval_free)
