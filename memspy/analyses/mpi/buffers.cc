// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/buffers.h"

namespace memspy::mpi {

void Buffers::add(PieceList& list, const Piece& piece) {
    if (list.count == kMostPieces) return;
    ++list.count;
    if (piece.begin < list.low) list.low = piece.begin;
    if (piece.begin + piece.bytes > list.high) list.high = piece.begin + piece.bytes;
    u32 number = free_;
    if (number != 0) {
        free_ = pieces_[number - 1].next;
    } else {
        pieces_.push_back({});
        number = static_cast<u32>(pieces_.size());
    }
    pieces_[number - 1] = piece;
    pieces_[number - 1].next = 0;
    if (list.empty())
        list.first = number;
    else
        pieces_[list.last - 1].next = number;
    list.last = number;
}

void Buffers::release(PieceList& list) {
    if (list.empty()) return;
    pieces_[list.last - 1].next = free_;
    free_ = list.first;
    list = {};
}

void Buffers::clear() {
    pieces_.clear();
    free_ = 0;
}

const Piece* Buffers::conflict(const PieceList& list, const Piece& other) {
    if (list.low >= other.begin + other.bytes || other.begin >= list.high) return nullptr;
    for (u32 at = list.first; at != 0; at = pieces_[at - 1].next) {
        const Piece& piece = pieces_[at - 1];
        if ((piece.writes || other.writes) && piece.begin < other.begin + other.bytes &&
            other.begin < piece.begin + piece.bytes)
            return &piece;
    }
    return nullptr;
}

// Four sums side by side, each FNV-1a by words, so that they do not wait for each other's multiplication.
u64 Buffers::checksum(const void* begin, usize bytes) {
    constexpr u64 kPrime = 0x100000001b3;
    const u8* at = static_cast<const u8*>(begin);
    u64 sums[4] = {0xcbf29ce484222325, 1, 2, 3};
    for (; bytes >= 32; bytes -= 32, at += 32)
        for (int i = 0; i < 4; ++i) {
            u64 word = 0;
            __builtin_memcpy(&word, at + 8 * i, 8);
            sums[i] = (sums[i] ^ word) * kPrime;
            sums[i] ^= sums[i] >> 29;
        }
    for (; bytes > 0; --bytes, ++at) sums[0] = (sums[0] ^ *at) * kPrime;
    return ((sums[0] * kPrime ^ sums[1]) * kPrime ^ sums[2]) * kPrime ^ sums[3];
}

}  // namespace memspy::mpi
