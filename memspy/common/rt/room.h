// SPDX-License-Identifier: GPL-2.0-or-later
//
// Room: memory for many small objects that are never freed, taken from large pieces. A block of the core's
// arenas has 32 bytes more.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

class Room {
public:
    constexpr Room() = default;
    // Aligned to 16 bytes.
    void* take(usize bytes, const char* what) {
        bytes = (bytes + 15) / 16 * 16;
        if (bytes > left_) {
            if (bytes > kPiece) return allocate(bytes, what);
            at_ = static_cast<char*>(allocate(kPiece, what));
            left_ = kPiece;
        }
        char* const taken = at_;
        at_ += bytes;
        left_ -= bytes;
        return taken;
    }

private:
    static constexpr usize kPiece = 256 << 10;
    char* at_ = nullptr;
    usize left_ = 0;
};

}  // namespace memspy::rt
