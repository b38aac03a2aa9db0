// SPDX-License-Identifier: GPL-2.0-or-later
//
// The buffers of calls and of requests, as lists of pieces without the holes of their types. No Valgrind
// here.
//
// A list belongs to a call until the call ends, and then to the request that it began, if any. Pieces are in
// the order in which the elements of a message fill them. Addresses of a list that only reads have a checksum
// of their bytes, taken when the list began to be owned.
#pragma once

#include "analyses/mpi/lists.h"
#include "rt/base.h"

namespace memspy::mpi {

struct Piece {
    Address begin = 0;
    usize bytes = 0;
    const char* parameter = "";  // of the call: "buf"; static storage of the client's
    bool reads = false, writes = false;
    bool values = false;  // what is read must be defined
    bool summed = false;
    bool kept = false;  // its values belong to the library (client::keep_values)
    // The library may use it: of a partitioned message what is sent from Pready on, what is received until
    // Parrived.
    bool owned = true;
    i32 partition = 0;
    usize unset =
        0;  // bytes that were not defined when the program last left the library; 0: none, or not wanted
    u64 sum = 0;
    u32 next = 0;
};

struct PieceList : ItemList {
    Address low = ~Address{0}, high = 0;  // all pieces lie between
};

class Buffers {
public:
    // Pieces of one list; a type with more of them costs too much, and its further ones are not followed.
    static constexpr u32 kMostPieces = 1 << 16;

    void add(PieceList& list, const Piece& piece);
    void release(PieceList& list) {
        pieces_.release(list);
        list = {};
    }
    void clear() { pieces_.clear(); }

    // Calls f(piece) for each one.
    template <typename F>
    void for_each(const PieceList& list, F&& f) {
        pieces_.for_each(list, f);
    }

    // The first owned piece of `list` that shares bytes with `other`, where one of the two is written; null
    // if none.
    const Piece* conflict(const PieceList& list, const Piece& other);

    static u64 checksum(const void* begin, usize bytes);

private:
    Lists<Piece> pieces_;
};

}  // namespace memspy::mpi
