// SPDX-License-Identifier: GPL-2.0-or-later
//
// FileBytes of a file that cannot be trusted, and a reader that never leaves them. Reads behind the end
// return 0 and set failed().
#pragma once

#include "rt/base.h"

namespace memspy::dwarf {

struct FileBytes {
    const u8* data = nullptr;
    usize size = 0;
    bool empty() const { return size == 0; }
    // At most `most` bytes from `offset` on; empty if there are none.
    FileBytes from(u64 offset, u64 most = ~u64{0}) const {
        if (offset >= size) return {};
        const u64 rest = size - offset;
        return {data + offset, static_cast<usize>(rest < most ? rest : most)};
    }
};

class Cursor {
public:
    explicit Cursor(FileBytes bytes, u64 at = 0) : bytes_(bytes), at_(at) {}
    u64 at() const { return at_; }
    bool failed() const { return failed_; }
    bool at_end() const { return failed_ || at_ >= bytes_.size; }

    u64 number(unsigned width) {
        if (!has(width)) return 0;
        u64 value = 0;
        for (unsigned i = 0; i < width; ++i) value |= u64{bytes_.data[at_ + i]} << (8 * i);
        at_ += width;
        return value;
    }
    u64 uleb() { return leb(nullptr); }
    i64 sleb() {
        unsigned bits = 0;
        u64 value = leb(&bits);
        if (bits < 64 && bits > 0 && (value >> (bits - 1) & 1) != 0) value |= ~u64{0} << bits;
        return static_cast<i64>(value);
    }
    FileBytes block(u64 size) {
        if (!has(size)) return {};
        const FileBytes found{bytes_.data + at_, static_cast<usize>(size)};
        at_ += size;
        return found;
    }
    // Zero-terminated inside the bytes, or null.
    const char* text() {
        const u64 start = at_;
        while (number(1) != 0) {
        }
        return failed_ ? nullptr : reinterpret_cast<const char*>(bytes_.data + start);
    }

private:
    bool has(u64 size) {
        if (at_ <= bytes_.size && bytes_.size - at_ >= size) return true;
        failed_ = true;
        return false;
    }
    u64 leb(unsigned* bits) {
        u64 value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const u64 byte = number(1);
            if (shift < 64) value |= (byte & 0x7F) << shift;
            if ((byte & 0x80) != 0) continue;
            if (bits != nullptr) *bits = shift + 7;
            return value;
        }
    }

    FileBytes bytes_;
    u64 at_;
    bool failed_ = false;
};

}  // namespace memspy::dwarf
