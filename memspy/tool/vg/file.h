// SPDX-License-Identifier: GPL-2.0-or-later
//
// A file read at given offsets; the destructor closes it.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

class File {
public:
    explicit File(const char* path) : descriptor_(VG_(fd_open)(path, VKI_O_RDONLY, 0)) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (descriptor_ >= 0) VG_(close)(descriptor_);
    }
    // Returns false if there are fewer bytes.
    bool read(u64 offset, void* buffer, usize bytes) const {
        if (descriptor_ < 0) return false;
        if (VG_(lseek)(descriptor_, static_cast<Off64T>(offset), VKI_SEEK_SET) < 0) return false;
        for (usize done = 0; done < bytes;) {
            const auto got =
                VG_(read)(descriptor_, static_cast<char*>(buffer) + done, static_cast<Int>(bytes - done));
            if (got <= 0) return false;
            done += static_cast<usize>(got);
        }
        return true;
    }

private:
    Int descriptor_;
};

}  // namespace memspy::vg
