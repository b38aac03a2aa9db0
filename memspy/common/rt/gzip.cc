// SPDX-License-Identifier: GPL-2.0-or-later
#include "rt/gzip.h"

#include <bit>
#include <new>

namespace memspy::rt {
namespace {

constexpr u32 kLeastMatch = 3, kLongestMatch = 258, kFarthest = 32768;
constexpr u32 kMostTries = 16;  // earlier places with the same hash that are looked at
constexpr u32 kEndOfBlock = 256;
constexpr usize kOutput = usize{64} << 10;

u32 hash_of(const u8* at, u32 bits) {
    const u32 three = at[0] | u32{at[1]} << 8 | u32{at[2]} << 16;
    return three * 0x9E37'79B1u >> (32 - bits);
}

// A symbol and further bits. Symbols come in groups of 2^group_bits; the first two groups have no further
// bits, and each of the others has one more than the group before.
struct GroupedCode {
    u32 symbol, extra, extra_bits;
};
GroupedCode grouped(u32 value, u32 group_bits) {
    if (value < u32{2} << group_bits) return {value, 0, 0};
    const u32 extra_bits = static_cast<u32>(std::bit_width(value)) - 1 - group_bits;
    return {(extra_bits << group_bits) + (value >> extra_bits), value & ((u32{1} << extra_bits) - 1),
            extra_bits};
}

u32 crc_of(u32 crc, u8 byte) {
    constexpr u32 kPolynomial = 0xEDB8'8320;
    static u32 table[256];
    if (table[1] == 0)
        for (u32 i = 0; i < 256; ++i) {
            u32 value = i;
            for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
            table[i] = value;
        }
    return crc >> 8 ^ table[(crc ^ byte) & 0xFF];
}

}  // namespace

struct GzipWriter::Work {
    u8 input[kBlock];
    u8 output[kOutput];
    u32 newest[1 << kHashBits];  // by hash: position + 1 in the block
    u32 older[kBlock];           // by position: the one before with the same hash + 1
};

GzipWriter::GzipWriter(Sink sink, void* argument)
    : sink_(sink), argument_(argument), work_(new (allocate(sizeof(Work), "memspy.gzip")) Work) {
    // Deflated, no name, no time, made on Unix.
    constexpr u8 kHeader[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    for (const u8 byte : kHeader) put_byte(byte);
}

GzipWriter::~GzipWriter() { release(work_); }

bool GzipWriter::write(const char* bytes, usize count) {
    for (usize i = 0; i < count; ++i) {
        if (used_ == kBlock) compress(false);
        const u8 byte = static_cast<u8>(bytes[i]);
        work_->input[used_++] = byte;
        crc_ = crc_of(crc_, byte);
    }
    bytes_ += static_cast<u32>(count);
    return !failed_;
}

bool GzipWriter::finish() {
    compress(true);
    if (bit_count_ > 0) put_bits(0, 8 - bit_count_);
    const u32 trailer[] = {~crc_, bytes_};
    for (const u32 word : trailer)
        for (u32 shift = 0; shift < 32; shift += 8) put_byte(static_cast<u8>(word >> shift));
    flush();
    return !failed_;
}

void GzipWriter::compress(bool last) {
    Work& work = *work_;
    put_bits(last ? 1 : 0, 1);
    put_bits(1, 2);  // fixed codes
    for (u32& place : work.newest) place = 0;
    for (u32 at = 0; at < used_;) {
        u32 distance = 0;
        u32 length = longest_match(at, &distance);
        if (length >= kLeastMatch) {
            put_match(length, distance);
        } else {
            length = 1;
            put_literal(work.input[at]);
        }
        for (const u32 end = at + length; at < end; ++at) {
            if (at + kLeastMatch > used_) continue;
            u32& newest = work.newest[hash_of(work.input + at, kHashBits)];
            work.older[at] = newest;
            newest = at + 1;
        }
    }
    put_literal(kEndOfBlock);
    used_ = 0;
}

u32 GzipWriter::longest_match(u32 at, u32* distance) const {
    const Work& work = *work_;
    if (at + kLeastMatch > used_) return 0;
    const u32 most = used_ - at < kLongestMatch ? used_ - at : kLongestMatch;
    u32 longest = 0;
    u32 place = work.newest[hash_of(work.input + at, kHashBits)];
    for (u32 tries = 0; place != 0 && tries < kMostTries && longest < most; ++tries) {
        const u32 from = place - 1;
        if (at - from > kFarthest) break;
        u32 length = 0;
        while (length < most && work.input[from + length] == work.input[at + length]) ++length;
        if (length > longest) {
            longest = length;
            *distance = at - from;
        }
        place = work.older[from];
    }
    return longest;
}

void GzipWriter::put_match(u32 length, u32 distance) {
    constexpr u32 kFirstLength = 257, kLongest = 285;
    if (length == kLongestMatch) {
        put_literal(kLongest);
    } else {
        const GroupedCode code = grouped(length - kLeastMatch, 2);
        put_literal(kFirstLength + code.symbol);
        put_bits(code.extra, code.extra_bits);
    }
    const GroupedCode code = grouped(distance - 1, 1);
    put_reversed(code.symbol, 5);
    put_bits(code.extra, code.extra_bits);
}

// A literal, the end of the block, or a length.
void GzipWriter::put_literal(u32 symbol) {
    if (symbol < 144)
        put_reversed(0x30 + symbol, 8);
    else if (symbol < 256)
        put_reversed(0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_reversed(symbol - 256, 7);
    else
        put_reversed(0xC0 + symbol - 280, 8);
}

// Codes begin with their highest bit, all else with the lowest.
void GzipWriter::put_reversed(u32 code, u32 count) {
    u32 reversed = 0;
    for (u32 bit = 0; bit < count; ++bit) reversed |= (code >> bit & 1) << (count - 1 - bit);
    put_bits(reversed, count);
}

void GzipWriter::put_bits(u32 bits, u32 count) {
    bits_ |= u64{bits} << bit_count_;
    bit_count_ += count;
    for (; bit_count_ >= 8; bit_count_ -= 8, bits_ >>= 8) put_byte(static_cast<u8>(bits_));
}

void GzipWriter::put_byte(u8 byte) {
    if (written_ == kOutput) flush();
    work_->output[written_++] = byte;
}

void GzipWriter::flush() {
    if (!failed_) failed_ = !sink_(reinterpret_cast<const char*>(work_->output), written_, argument_);
    written_ = 0;
}

}  // namespace memspy::rt
