// SPDX-License-Identifier: GPL-2.0-or-later
//
// The few functions of MPI that measuring a network needs, of a library that is loaded when the program runs:
// one binary for all clusters, and no compiler on their nodes. The two families of libraries have the same
// functions with handles of different types: MPICH and its kin have numbers, Open MPI has addresses of
// variables. Either fits a register, and calls are made that way.
#pragma once

#include <cstdint>
#include <string>

namespace memspy::machine {

using MpiHandle = std::uintptr_t;

class MpiLibrary {
public:
    // Loads the library that `file` names or, where it is empty, that of the launcher which started this
    // process; and initialises MPI. Throws std::runtime_error.
    explicit MpiLibrary(const std::string& file);
    ~MpiLibrary();
    MpiLibrary(const MpiLibrary&) = delete;
    MpiLibrary& operator=(const MpiLibrary&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    std::string version() const;
    std::string processor() const;  // this process' node

    void send(const void* data, int bytes, int to) const;
    void receive(void* data, int bytes, int from) const;
    void barrier() const;
    void broadcast(void* data, int bytes) const;                // rank 0's
    void gather(const void* data, void* all, int bytes) const;  // `bytes` of each rank, to rank 0
    void all_reduce(const void* data, void* sum, int doubles) const;
    void all_to_all(const void* data, void* got, int bytes) const;  // `bytes` for each rank

private:
    template <typename Function>
    Function* find(const char* name) const;

    void* library_ = nullptr;
    MpiHandle world_ = 0, byte_ = 0, double_ = 0, sum_ = 0;
    int rank_ = 0, size_ = 1;
    int (*send_)(const void*, int, MpiHandle, int, int, MpiHandle) = nullptr;
    int (*receive_)(void*, int, MpiHandle, int, int, MpiHandle, void*) = nullptr;
    int (*barrier_)(MpiHandle) = nullptr;
    int (*broadcast_)(void*, int, MpiHandle, int, MpiHandle) = nullptr;
    int (*gather_)(const void*, int, MpiHandle, void*, int, MpiHandle, int, MpiHandle) = nullptr;
    int (*all_reduce_)(const void*, void*, int, MpiHandle, MpiHandle, MpiHandle) = nullptr;
    int (*all_to_all_)(const void*, int, MpiHandle, void*, int, MpiHandle, MpiHandle) = nullptr;
    int (*finalize_)() = nullptr;
};

}  // namespace memspy::machine
