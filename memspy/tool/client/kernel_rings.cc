// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/kernel_rings.h"

#include "rt/global.h"
#include "rt/vector.h"

namespace memspy::client {
namespace {

using Define = void (*)(Address begin, usize bytes);

// As the kernel lays them out (linux/io_uring.h).
struct Request {
    u8 operation, flags;
    u16 priority;
    i32 file;
    u64 second;  // offset, or another address
    u64 address;
    u32 bytes;
    u32 operation_flags;
    u64 more[4];
};
static_assert(sizeof(Request) == 64);
enum RingOperation : u8 {
    kReadVector = 1,
    kReadFixed = 4,
    kReceiveMessage = 10,
    kAccept = 13,
    kStatus = 21,
    kRead = 22,
    kReceive = 27,
    kProvideBuffers = 31,
    kAttributeOfFile = 43,
    kAttribute = 44
};
struct Setup {
    u32 entries, completions, flags, unused[7];
    struct {
        u32 head, tail, mask, entries, flags, dropped, array;
    } offsets;
};
constexpr u32 kWideRequests = 1 << 10, kNoArray = 1 << 16;
constexpr u64 kRingOffset = 0, kRequestsOffset = 0x1000'0000;

struct ProvidedBuffer {
    u64 address;
    u32 bytes;
    u16 number, tail;  // `tail`: of the ring, in its first entry
};

// The places are 0 until they are mapped.
struct Ring {
    u64 file = 0;
    Setup setup{};
    Address ring = 0, requests = 0;
    u32 seen = 0;  // requests before this one were looked at
};
struct BufferRing {
    Address entries = 0;
    u32 count = 0;
    u16 seen = 0;
};
rt::Global<rt::Vector<Ring>> rings;
rt::Global<rt::Vector<BufferRing>> buffer_rings;

bool is_readable(Address begin, usize bytes) {
    return VG_(am_is_valid_for_client)(begin, bytes, VKI_PROT_READ);
}
template <typename T>
bool read(Address from, T* to) {
    if (!is_readable(from, sizeof(T))) return false;
    *to = *reinterpret_cast<const T*>(from);
    return true;
}

void hand_over(Address begin, u64 bytes, Define define) {
    if (begin != 0 && bytes != 0 && VG_(am_is_valid_for_client)(begin, bytes, VKI_PROT_WRITE))
        define(begin, bytes);
}
void hand_over_vector(Address begin, u64 count, Define define) {
    for (u64 i = 0; i < count; ++i) {
        vki_iovec piece;
        if (!read(begin + i * sizeof piece, &piece)) return;
        hand_over(reinterpret_cast<Address>(piece.iov_base), piece.iov_len, define);
    }
}
void hand_over_message(Address at, Define define) {
    vki_msghdr message;
    if (!read(at, &message)) return;
    hand_over(at, sizeof message, define);
    hand_over(reinterpret_cast<Address>(message.msg_name), static_cast<u32>(message.msg_namelen), define);
    hand_over(reinterpret_cast<Address>(message.msg_control), message.msg_controllen, define);
    hand_over_vector(reinterpret_cast<Address>(message.msg_iov), message.msg_iovlen, define);
}

void hand_over(const Request& request, Define define) {
    constexpr u64 kStatusBytes = 256;
    switch (request.operation) {
        case kReadVector: hand_over_vector(request.address, request.bytes, define); return;
        case kReadFixed:
        case kRead:
        case kReceive: hand_over(request.address, request.bytes, define); return;
        case kReceiveMessage: hand_over_message(request.address, define); return;
        case kAccept: {
            u32 room = 0;
            if (!read(request.second, &room)) return;
            hand_over(request.address, room, define);
            hand_over(request.second, sizeof room, define);
            return;
        }
        case kStatus: hand_over(request.second, kStatusBytes, define); return;
        case kAttributeOfFile:
        case kAttribute: hand_over(request.second, request.bytes, define); return;
        case kProvideBuffers:
            hand_over(request.address, u64{request.bytes} * static_cast<u32>(request.file), define);
            return;
        default: return;
    }
}

void look_at(Ring& ring, Define define) {
    const auto& offsets = ring.setup.offsets;
    u32 tail = 0;
    if (ring.ring == 0 || ring.requests == 0 || !read(ring.ring + offsets.tail, &tail)) return;
    if (tail - ring.seen > ring.setup.entries) ring.seen = tail - ring.setup.entries;
    const usize each = sizeof(Request) << ((ring.setup.flags & kWideRequests) != 0);
    for (; ring.seen != tail; ++ring.seen) {
        u32 number = ring.seen & (ring.setup.entries - 1);
        if ((ring.setup.flags & kNoArray) == 0 && !read(ring.ring + offsets.array + 4 * number, &number))
            return;
        Request request;
        if (number < ring.setup.entries && read(ring.requests + each * number, &request))
            hand_over(request, define);
    }
}

void look_at(BufferRing& ring, Define define) {
    ProvidedBuffer entry;
    if (!read(ring.entries, &entry)) return;
    const u16 tail = entry.tail;
    for (; ring.seen != tail; ++ring.seen)
        if (read(ring.entries + (ring.seen & (ring.count - 1)) * sizeof entry, &entry))
            hand_over(entry.address, entry.bytes, define);
}

Ring* ring_of(u64 file) {
    for (Ring& ring : *rings)
        if (ring.file == file) return &ring;
    return nullptr;
}

void note_setup(u64 file, Address setup) {
    Ring* ring = ring_of(file);
    if (ring == nullptr) {
        rings->push_back({});
        ring = &(*rings)[rings->size() - 1];
    }
    *ring = {.file = file};
    read(setup, &ring->setup);
}

void note_mapping(u64 file, u64 offset, Address place) {
    Ring* ring = ring_of(file);
    if (ring == nullptr) return;
    if (offset == kRingOffset) ring->ring = place;
    if (offset == kRequestsOffset) ring->requests = place;
}

void note_unmapping(Address begin, usize bytes) {
    for (Ring& ring : *rings) {
        if (ring.ring - begin < bytes) ring.ring = 0;
        if (ring.requests - begin < bytes) ring.requests = 0;
    }
}

void note_buffer_ring(Address at) {
    struct {
        u64 entries;
        u32 count;
    } given;
    if (!read(at, &given)) return;
    for (BufferRing& ring : *buffer_rings)
        if (ring.entries == given.entries) {
            ring = {given.entries, given.count};
            return;
        }
    buffer_rings->push_back({given.entries, given.count});
}

}  // namespace

void note_ring_call(u32 number, const u64* arguments, u64 result) {
    constexpr u64 kRegisterBufferRing = 22;
    switch (number) {
        case __NR_io_uring_setup: note_setup(result, arguments[1]); return;
        case __NR_mmap: note_mapping(arguments[4], arguments[5], result); return;
        case __NR_munmap: note_unmapping(arguments[0], arguments[1]); return;
        case __NR_io_uring_register:
            if (arguments[1] == kRegisterBufferRing) note_buffer_ring(arguments[2]);
            return;
        default: return;
    }
}

void tell_submitted(Define define) {
    for (Ring& ring : *rings) look_at(ring, define);
    for (BufferRing& ring : *buffer_rings) look_at(ring, define);
}

}  // namespace memspy::client
