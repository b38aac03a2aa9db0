// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether the ranks of a node agree on their collective operations. They share a table in a file that is
// mapped by all: the first that comes to an operation leaves what it calls there, the others compare. The
// table is small, so a rank that comes much later than the others may find nothing.
#pragma once

#include "analyses/mpi/communication.h"
#include "analyses/mpi/node_table.h"

namespace memspy::mpi {

class Agreement {
public:
    struct OperationEntry {
        u64 key;  // communicator and number of the operation
        u32 lock;
        i32 rank;
        u32 call;
        i32 root;                     // between groups in MPI_COMM_WORLD, kMpiNobody if not known
        u64 root_group;               // only between groups: the one that has the root; 0: there is none
        u64 beside;                   // bits of the first 64 ranks: those in that group that are not the root
        u64 op;                       // 0: not known, or there is none
        u64 elements_hash, elements;  // of the part that is the same in all ranks; 0: not known
        char place[72];
    };
    enum class Disagreement : u8 { None, Call, Root, Operation, Elements };

    void begin(i32 size);  // the rank is known
    void end() { shared_.forget(); }
    // A rank of the node is about to end the program, so a launcher ends all others.
    void note_abort();
    bool has_aborted() const;
    // This rank comes to the operation; `first` is what the first one left.
    Disagreement compare(OperationEntry mine, OperationEntry& first);

private:
    struct CallTable;
    CallTable* table_ = nullptr;
    NodeTable shared_;
};

// What this rank gives to another one in the operation that it is about to call, or takes from it. It is compared
// with what that one says.
bool describe_share(const Communicator& comm, const InCall& in, const MpiShare& share, i32 rank, i32 other,
                    Agreement::OperationEntry& entry);
// What this rank calls. False: it is not compared.
// `root`: the one that it names, in MPI_COMM_WORLD.
bool describe_operation(const Communicator& comm, const InCall& in, i32 rank, i32 root,
                        Agreement::OperationEntry& entry);

}  // namespace memspy::mpi
