// SPDX-License-Identifier: GPL-2.0-or-later
//
// GzipWriter: bytes compressed to a gzip file (RFC 1951, 1952), streamed to a sink. Repetitions are searched
// in a block of 64 KiB, and the codes are the fixed ones: profiles are XML in which most of each line has
// stood above, so that better codes would save little, and cost time at the end of the run.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

class GzipWriter {
public:
    // Returns false if not all bytes could be written; it is not called again then.
    using Sink = bool (*)(const char* bytes, usize count, void* argument);
    GzipWriter(Sink sink, void* argument);
    GzipWriter(const GzipWriter&) = delete;
    GzipWriter& operator=(const GzipWriter&) = delete;
    ~GzipWriter();

    bool write(const char* bytes, usize count);
    // Call once, at the end. Returns true if everything was written.
    bool finish();

private:
    static constexpr usize kBlock = usize{64} << 10;
    static constexpr u32 kHashBits = 14;
    struct Work;

    void compress(bool last);
    u32 longest_match(u32 at, u32* distance) const;
    void put_bits(u32 bits, u32 count);
    void put_reversed(u32 code, u32 count);
    void put_literal(u32 symbol);
    void put_match(u32 length, u32 distance);
    void put_byte(u8 byte);
    void flush();

    Sink sink_;
    void* argument_;
    Work* work_;
    u32 used_ = 0;     // of the input block
    u32 written_ = 0;  // of the output buffer
    u64 bits_ = 0;
    u32 bit_count_ = 0;
    u32 crc_ = ~u32{0};
    u32 bytes_ = 0;  // modulo 2^32, as gzip has it
    bool failed_ = false;
};

}  // namespace memspy::rt
