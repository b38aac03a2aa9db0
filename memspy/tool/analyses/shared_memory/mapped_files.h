// SPDX-License-Identifier: GPL-2.0-or-later
//
// MappedFiles: which addresses hold which places of memory that other processes may have. A file may be mapped several
// times, in parts, at any address; its number here is an index of files(), which only grows. For generated code a
// table says of which leaves some byte belongs to one.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"

namespace memspy::shared_memory {

inline constexpr u32 kLeafBits = 16;

// The same in all processes that have the memory.
struct FileIdentity {
    // A device of files has another number.
    static constexpr u64 kAnonymous = 0, kSystemV = 1;
    u64 device = kAnonymous, inode = 0;
    bool operator==(const FileIdentity&) const = default;
};

struct SharedFile {
    FileIdentity identity;
    ContextId stack = ContextId::None;  // that mapped it first
    const char* path = "";              // "" if it has none; lives on
    u64 bytes = 0;                      // up to the greatest end of a mapping
};

class MappedFiles {
public:
    // Replaces what was there. `file` is that of a known one's number if the identities are equal.
    void map(Address begin, usize bytes, u64 offset, const SharedFile& file);
    void unmap(Address begin, usize bytes);

    struct FilePlace {
        u32 file = 0;
        u64 offset = 0;  // of the address in the file
        u64 room = 0;    // bytes from there to the end of the mapping
    };
    // Returns false if the address is in no such mapping.
    bool find(Address a, FilePlace& place) {
        if (a - last_.begin >= last_.bytes && !look_up(a)) return false;
        place = {last_.file, last_.offset + (a - last_.begin), last_.bytes - (a - last_.begin)};
        return true;
    }
    bool empty() const { return mappings_.empty(); }
    const rt::Vector<SharedFile>& files() const { return files_; }
    // Not moved once something has been mapped; null before.
    const void* const* leaves() const { return reinterpret_cast<const void* const*>(leaves_); }

private:
    struct SharedMapping {
        Address begin = 0;
        usize bytes = 0;
        u64 offset = 0;
        u32 file = 0;
    };
    bool look_up(Address a);
    void mark_leaves(u64 value);  // of all mappings

    rt::Vector<SharedMapping> mappings_;  // in no order: a program has few
    rt::Vector<SharedFile> files_;
    SharedMapping last_;
    u64* leaves_ = nullptr;  // 1 where a mapping has bytes
};

}  // namespace memspy::shared_memory
