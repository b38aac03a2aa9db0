// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/buffers.h"

namespace memspy::mpi {

void Buffers::add(PieceList& list, const Piece& piece) {
    if (list.count == kMostPieces) return;
    if (piece.begin < list.low) list.low = piece.begin;
    if (piece.begin + piece.bytes > list.high) list.high = piece.begin + piece.bytes;
    pieces_.add(list, piece);
}

const Piece* Buffers::conflict(const PieceList& list, const Piece& other) {
    if (list.low >= other.begin + other.bytes || other.begin >= list.high) return nullptr;
    for (const Piece* piece = pieces_.first(list); piece != nullptr; piece = pieces_.behind(*piece))
        if (piece->owned && (piece->writes || other.writes) && piece->begin < other.begin + other.bytes &&
            other.begin < piece->begin + piece->bytes)
            return piece;
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
