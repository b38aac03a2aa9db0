// SPDX-License-Identifier: GPL-2.0-or-later
//
// The buffers of calls and of requests, as lists of pieces without the holes of their types. No Valgrind here.
//
// A list belongs to a call until the call ends, and then to the request that it began, if any. Pieces are in
// the order in which the elements of a message fill them. Addresses of a list that only reads have a checksum
// of their bytes, taken when the list began to be owned.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"

namespace memspy::mpi {

struct Piece {
    Address begin = 0;
    usize bytes = 0;
    const char* parameter = "";  // of the call: "buf"; static storage of the client's
    bool reads = false, writes = false;
    bool values = false;  // what is read must be defined
    bool summed = false;
    bool kept = false;  // its values belong to the library (client::keep_values)
    usize unset =
        0;  // bytes that were not defined when the program last left the library; 0: none, or not wanted
    u64 sum = 0;
    u32 next = 0;
};

// Piece numbers; 0: none.
struct PieceList {
    u32 first = 0, last = 0;
    u32 count = 0;
    Address low = ~Address{0}, high = 0;  // all pieces lie between
    bool empty() const { return first == 0; }
};

class Buffers {
public:
    // Pieces of one list; a type with more of them costs too much, and its further ones are not followed.
    static constexpr u32 kMostPieces = 1 << 16;

    void add(PieceList& list, const Piece& piece);
    void release(PieceList& list);
    void clear();

    // Calls f(piece) for each one.
    template <typename F>
    void for_each(const PieceList& list, F&& f) {
        for (u32 at = list.first; at != 0; at = pieces_[at - 1].next) f(pieces_[at - 1]);
    }

    // The first piece of `list` that shares bytes with `other`, where one of the two is written; null if none.
    const Piece* conflict(const PieceList& list, const Piece& other);

    static u64 checksum(const void* begin, usize bytes);

private:
    rt::Vector<Piece> pieces_;
    u32 free_ = 0;  // a list of unused ones
};

}  // namespace memspy::mpi
