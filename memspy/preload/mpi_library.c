// SPDX-License-Identifier: GPL-2.0-or-later
#include "preload/mpi_library.h"

Library library;

enum { kLoadNoMore = 4, kLoadLazily = 1 };

extern void* dlsym(void*, const char*) __attribute__((weak));
extern void* dlopen(const char*, int) __attribute__((weak));

// Programs linked with MPI have its symbols in the global scope. Interpreters load the library privately, so
// it is looked up by its usual names.
static void* find_symbol(const char* name) {
    static const char* const kNames[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12", "libmpi.so"};
    void* found = dlsym(0, name);
    for (unsigned i = 0; found == 0 && i < sizeof kNames / sizeof *kNames; ++i) {
        void* handle = dlopen(kNames[i], kLoadLazily | kLoadNoMore);
        if (handle != 0) found = dlsym(handle, name);
    }
    return found;
}

// A program that is not position independent has copies of them. So they are found by their symbols, as the
// program finds them: two ranks' addresses, or distances, say nothing.
static void find_operations(void) {
    static const char* const kNames[kPredefinedOperations] = {"max",    "min",    "sum",     "prod", "land",
                                                              "band",   "lor",    "bor",     "lxor", "bxor",
                                                              "maxloc", "minloc", "replace", "no_op"};
    char name[32] = "ompi_mpi_op_";
    enum { kPrefix = 12 };
    for (int i = 0; i < kPredefinedOperations; ++i) {
        const char* from = kNames[i];
        char* to = name + kPrefix;
        while ((*to++ = *from++) != '\0') {
        }
        library.operations[i] = (W)find_symbol(name);
    }
}

void find_library(void) {
    if (library.found != 0 || dlsym == 0 || dlopen == 0) return;
    library.found = 1;
    void* world = find_symbol("ompi_mpi_comm_world");
    library.is_ompi = world != 0;
    if (library.is_ompi) {
        library.comm_world = (W)world;
        library.comm_self = (W)find_symbol("ompi_mpi_comm_self");
        library.null_comm = (W)find_symbol("ompi_mpi_comm_null");
        library.byte_type = (W)find_symbol("ompi_mpi_byte");
        library.null_request = (W)find_symbol("ompi_request_null");
        library.ignore_status = library.ignore_statuses = 0;
        library.in_place = 1;
        find_operations();
        library.no_op = library.operations[kPredefinedOperations - 1];
        library.no_process = -2;
        library.errors_fatal = (W)find_symbol("ompi_mpi_errors_are_fatal");
        library.errors_abort = (W)find_symbol("ompi_mpi_errors_abort");
        library.any_source = library.any_tag = -1;
        library.root = -4;
        library.error_truncate = 15;
        library.error_in_status = 18;
        library.error_request = 7;
        library.error_class_mask = ~0;
        library.first_combiner = 0;
        library.order_c = 0;
        library.lock_exclusive = 1;
        library.cyclic = 1;
        library.not_distributed = 2;
        library.default_block = -1;
        library.cart = 1;
        library.graph = 2;
        library.status_bytes = 24;
        library.source_in_status = 0;
    } else {
        library.comm_world = 0x44000000;
        library.comm_self = 0x44000001;
        library.null_comm = 0x04000000;
        library.byte_type = 0x4c00010d;
        library.null_request = 0x2c000000;
        library.ignore_status = library.ignore_statuses = 1;
        library.in_place = ~(W)0;
        library.no_op = 0x5800000e;
        library.no_process = -1;
        library.errors_fatal = 0x54000000;
        library.errors_abort = 0x54000003;
        library.any_source = -2;
        library.any_tag = -1;
        library.root = -3;
        library.error_truncate = 14;
        library.error_in_status = 17;
        library.error_request = 19;
        library.error_class_mask = 0x7f;
        library.first_combiner = 1;
        library.order_c = 56;
        library.lock_exclusive = 234;
        library.cyclic = 122;
        library.not_distributed = 123;
        library.default_block = -49767;
        library.cart = 2;
        library.graph = 1;
        library.status_bytes = 20;
        library.source_in_status = 8;
    }
    library.dist_graph = 3;
    *(void**)&library.group_from_session = find_symbol("PMPI_Group_from_session_pset");
    *(void**)&library.type_envelope_large = find_symbol("PMPI_Type_get_envelope_c");
    static const char* const kUnbuffered[][2] = {{"PMPI_Ssend", "PMPI_Ssend_c"},
                                                 {"PMPI_Issend", "PMPI_Issend_c"},
                                                 {"PMPI_Ssend_init", "PMPI_Ssend_init_c"}};
    for (int i = 0; i < 2; ++i) {
        library.ssend[i] = find_symbol(kUnbuffered[0][i]);
        library.issend[i] = find_symbol(kUnbuffered[1][i]);
        library.ssend_init[i] = find_symbol(kUnbuffered[2][i]);
    }
#define FIND(member, name)                                                                                   \
    if ((*(void**)& library.member = find_symbol(name)) == 0) library.found = -1
    FIND(type_size, "PMPI_Type_size_x");
    FIND(type_extent, "PMPI_Type_get_extent");
    FIND(type_envelope, "PMPI_Type_get_envelope");
    FIND(type_contents, "PMPI_Type_get_contents");
    FIND(type_free, "PMPI_Type_free");
    FIND(type_name, "PMPI_Type_get_name");
    FIND(get_count, "PMPI_Get_elements_x");
    FIND(query_thread, "PMPI_Query_thread");
    FIND(comm_size, "PMPI_Comm_size");
    FIND(group_size, "PMPI_Group_size");
    FIND(group_rank, "PMPI_Group_rank");
    FIND(comm_rank, "PMPI_Comm_rank");
    FIND(comm_group, "PMPI_Comm_group");
    FIND(comm_remote_group, "PMPI_Comm_remote_group");
    FIND(comm_test_inter, "PMPI_Comm_test_inter");
    FIND(comm_remote_size, "PMPI_Comm_remote_size");
    FIND(comm_name, "PMPI_Comm_get_name");
    FIND(group_free, "PMPI_Group_free");
    FIND(translate, "PMPI_Group_translate_ranks");
    FIND(win_group, "PMPI_Win_get_group");
    FIND(file_group, "PMPI_File_get_group");
    FIND(win_shared, "PMPI_Win_shared_query");
    FIND(ialltoall, "PMPI_Ialltoall");
    FIND(ialltoallv, "PMPI_Ialltoallv");
    FIND(test, "PMPI_Test");
    FIND(iprobe, "PMPI_Iprobe");
    FIND(error_string, "PMPI_Error_string");
    FIND(comm_errhandler, "PMPI_Comm_get_errhandler");
    FIND(win_errhandler, "PMPI_Win_get_errhandler");
    FIND(topology, "PMPI_Topo_test");
    FIND(cart_dimensions, "PMPI_Cartdim_get");
    FIND(cart_shift, "PMPI_Cart_shift");
    FIND(graph_degree, "PMPI_Graph_neighbors_count");
    FIND(dist_graph_degrees, "PMPI_Dist_graph_neighbors_count");
    FIND(graph_neighbours, "PMPI_Graph_neighbors");
    FIND(dist_graph_neighbours, "PMPI_Dist_graph_neighbors");
#undef FIND
}
