// SPDX-License-Identifier: GPL-2.0-or-later
//
// A whole file as memory while the object lives; only pages that are accessed are read. Empty if there is no
// such file.
#pragma once

#include "vg/vg.h"

// Only the core's own headers declare this.
extern "C" SysRes VG_(am_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);

namespace memspy::vg {

class MappedFile {
public:
    explicit MappedFile(const char* path) {
        const Int descriptor = VG_(fd_open)(path, VKI_O_RDONLY, 0);
        if (descriptor < 0) return;
        struct vg_stat file;
        if (VG_(fstat)(descriptor, &file) == 0 && file.size > 0) {
            const auto bytes = static_cast<SizeT>(file.size);
            const SysRes mapped = VG_(am_mmap_file_float_valgrind)(bytes, VKI_PROT_READ, descriptor, 0);
            if (!sr_isError(mapped)) {
                data_ = reinterpret_cast<const u8*>(sr_Res(mapped));
                size_ = bytes;
            }
        }
        VG_(close)(descriptor);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile() {
        if (data_ != nullptr) VG_(am_munmap_valgrind)(reinterpret_cast<Addr>(data_), size_);
    }
    const u8* data() const { return data_; }
    usize size() const { return size_; }

private:
    const u8* data_ = nullptr;
    usize size_ = 0;
};

}  // namespace memspy::vg
