// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/calls.h"

#include <string_view>

namespace memspy::mpi {
namespace {

struct CallKind {
    std::string_view name;  // ends with a zero
    Pattern pattern;
};
constexpr CallKind kKinds[] = {
#define MPI_CALL(name, pattern) {"MPI_" #name, Pattern::pattern},
#include "requests/mpi_calls.def"
#define MPI_CALL(name, pattern) {"MPI_" #name "_c", Pattern::pattern},
#include "requests/mpi_calls.def"
};

bool is_among_neighbours(u32 call) {
    const u32 plain = call % kMpiCalls;
    return plain >= kMpi_Neighbor_alltoall && plain <= kMpi_Neighbor_allgatherv_init;
}

}  // namespace

bool is_receive(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Irecv:
        case kMpi_Imrecv:
        case kMpi_Recv_init:
        case kMpi_Precv_init:
        case kMpi_Isendrecv:
        case kMpi_Isendrecv_replace: return true;
        default: return begins_file_read(call);
    }
}
bool is_blocking_collective(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Comm_create_group:
        case kMpi_Comm_create_from_group:
        case kMpi_Intercomm_create:
        case kMpi_Intercomm_create_from_groups:
        case kMpi_Comm_idup:
        case kMpi_Comm_idup_with_info:
        case kMpi_Comm_free:
        case kMpi_Comm_disconnect: return false;
        default:
            return is_collective(call) && !is_among_neighbours(call) && !is_persistent_collective(call) &&
                   name_of(call)[4] != 'I';
    }
}

bool is_collective(u32 call) {
    const Pattern pattern = pattern_of(call);
    return pattern == Pattern::OneToAll || pattern == Pattern::AllToOne || pattern == Pattern::AllToAll;
}
bool is_nonblocking_collective(u32 call) {
    const u32 plain = call % kMpiCalls;
    return is_collective(call) && name_of(call)[4] == 'I' && plain != kMpi_Intercomm_create &&
           plain != kMpi_Intercomm_create_from_groups && plain != kMpi_Intercomm_merge;
}

bool makes_persistent(u32 call) {
    constexpr std::string_view kInit = "_init";
    return kKinds[call % kMpiCalls].name.ends_with(kInit);
}
bool is_persistent_collective(u32 call) { return is_collective(call) && makes_persistent(call); }

bool begins_split_access(u32 call) {
    constexpr std::string_view kBegin = "_begin";
    return kKinds[call % kMpiCalls].name.ends_with(kBegin);
}
bool begins_file_read(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_File_iread:
        case kMpi_File_iread_all:
        case kMpi_File_iread_shared:
        case kMpi_File_iread_at:
        case kMpi_File_iread_at_all:
        case kMpi_File_read_all_begin:
        case kMpi_File_read_ordered_begin:
        case kMpi_File_read_at_all_begin: return true;
        default: return false;
    }
}

bool marks_ready(u32 call) { return call >= kMpi_Pready && call <= kMpi_Pready_list; }

Pattern pattern_of(u32 call) { return kKinds[call].pattern; }
const char* name_of(u32 call) { return kKinds[call].name.data(); }
const char* word_of(Pattern pattern) {
    switch (pattern) {
        case Pattern::PointToPoint: return "point to point";
        case Pattern::OneToAll: return "one to all";
        case Pattern::AllToOne: return "all to one";
        case Pattern::AllToAll: return "all to all";
        case Pattern::OneSided: return "RMA";
        case Pattern::FileAccess: return "I/O";
        case Pattern::Local: return "local";
    }
    return "";
}

bool is_of_all_in_file(u32 call) {
    const u32 plain = call % kMpiCalls;
    return plain >= kMpi_File_close && plain <= kMpi_File_write_at_all_end;
}

bool is_in_order(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Comm_create_group:
        case kMpi_Comm_create_from_group:
        case kMpi_Intercomm_create:
        case kMpi_Intercomm_create_from_groups:
        case kMpi_Comm_accept:
        case kMpi_Comm_connect: return false;
        case kMpi_Win_fence:
        case kMpi_Win_create:
        case kMpi_Win_allocate:
        case kMpi_Win_allocate_shared:
        case kMpi_Win_create_dynamic:
        case kMpi_File_open: return true;
        default: return is_collective(call) || is_of_all_in_file(call);
    }
}

bool asks_only(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Test:
        case kMpi_Testany:
        case kMpi_Testsome:
        case kMpi_Testall:
        case kMpi_Iprobe:
        case kMpi_Improbe:
        case kMpi_Parrived:
        case kMpi_Request_get_status:
        case kMpi_Win_test: return true;
        default: return false;
    }
}

bool waits_for_one(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Waitany:
        case kMpi_Waitsome:
        case kMpi_Testany:
        case kMpi_Testsome: return true;
        default: return false;
    }
}

bool meets_strangers(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Comm_spawn:
        case kMpi_Comm_spawn_multiple:
        case kMpi_Comm_accept:
        case kMpi_Comm_connect: return true;
        default: return false;
    }
}

}  // namespace memspy::mpi
