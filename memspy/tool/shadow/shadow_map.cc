// SPDX-License-Identifier: GPL-2.0-or-later
#include "shadow/shadow_map.h"

#include <bit>

#include "rt/global.h"
#include "rt/vector.h"
#include "shadow/byte_masks.h"

namespace memspy::shadow {
namespace {

// A leaf and its pad; a multiple of 16, so that all leaves of a slab are aligned for vector stores.
constexpr usize kStride = kLeafBytes + kLeafPad;
constexpr usize kLeafClient = usize{1} << kLeafBits;
constexpr usize kLeavesPerSlab = 64;  // about 1 MiB of address space, touched leaf by leaf
constexpr u64 kOnes = ~u64{0};
constexpr u64 kLowBits = 0x5555555555555555u;

static_assert(kStride % 16 == 0);
static_assert(kLeafPad >= 9, "get_bits reads up to nine bytes from the leaf's last one");

// The shared leaves are adjacent, in the order of State, so that the distance in a table entry shows both
// that a leaf is shared (it is less than kSharedLeaves * kStride) and its true state. The fifth is Fine, and
// its pad is revealed.
constexpr u64 kSharedLeaves = 5, kFineBeyond = 4 * kStride;
alignas(64) u8 shared_leaves[kSharedLeaves * kStride];
alignas(64) u64 table[kIndexMask + 2];  // the last entry is not used

u8* free_leaves = nullptr;  // linked through their first eight bytes
u8* slab = nullptr;
usize slab_left = 0;
usize leaves_in_use = 0;

using Unaligned64 [[gnu::aligned(1), gnu::may_alias]] = u64;
using Unaligned32 [[gnu::aligned(1), gnu::may_alias]] = u32;
using Unaligned16 [[gnu::aligned(1), gnu::may_alias]] = u16;

u64 load64(const u8* p) { return *reinterpret_cast<const Unaligned64*>(p); }
void store64(u8* p, u64 value) { *reinterpret_cast<Unaligned64*>(p) = value; }

constexpr u64 pattern_of(State state) { return kLowBits * static_cast<u8>(state); }
constexpr u64 low_bits(unsigned bits) { return bits >= 64 ? kOnes : (u64{1} << bits) - 1; }

u64& entry_of(Address a) { return table[(a >> kLeafBits) & kIndexMask]; }
constexpr bool is_shared(u64 distance) { return distance < kSharedLeaves * kStride; }
constexpr State shared_state(u64 distance) { return static_cast<State>(distance / kStride % 4); }
constexpr u64 shared_distance(State state) { return static_cast<u8>(state) * kStride; }
u8* leaf_at(u64 distance) { return reinterpret_cast<u8*>(reinterpret_cast<u64>(shared_leaves) + distance); }
u64 distance_of(const u8* leaf) { return reinterpret_cast<u64>(leaf) - reinterpret_cast<u64>(shared_leaves); }

// Fills `count` bytes. Not memset: the host's may be a byte loop, and most counts are tiny. Stores may
// overlap but never leave the range.
void fill(u8* p, usize count, u64 pattern) {
    if (count >= 8) {
        u8* last = p + count - 8;
        for (; p < last; p += 8) store64(p, pattern);
        store64(last, pattern);
    } else if (count >= 4) {
        *reinterpret_cast<Unaligned32*>(p) = static_cast<u32>(pattern);
        *reinterpret_cast<Unaligned32*>(p + count - 4) = static_cast<u32>(pattern);
    } else if (count >= 2) {
        *reinterpret_cast<Unaligned16*>(p) = static_cast<u16>(pattern);
        *reinterpret_cast<Unaligned16*>(p + count - 2) = static_cast<u16>(pattern);
    } else if (count == 1) {
        *p = static_cast<u8>(pattern);
    }
}

rt::Global<rt::Vector<Area>> all_areas;

// The place of the entry's leaf in an area, or null.
u8* place_in_area(const u64& entry) {
    if (all_areas->empty()) [[likely]]
        return nullptr;
    const Address a = static_cast<Address>(&entry - table) << kLeafBits;
    const Area* area = area_at(a);
    return area == nullptr ? nullptr : reinterpret_cast<u8*>(area->bias + (a >> 2));
}

// The entry's future leaf, whose kLeafBytes the caller fills unless `*zero` says that they are zeros.
u8* take_leaf(u64& entry, bool* zero) {
    ++leaves_in_use;
    if (u8* place = place_in_area(entry)) {
        *zero = false;
        // While the next leaf is not in use, its place is the pad of this one.
        if (is_shared(*(&entry + 1)) || leaf_at(*(&entry + 1)) != place + kLeafBytes)
            fill(place + kLeafBytes, kLeafPad, kOnes);
        return place;
    }
    if (free_leaves != nullptr) {
        u8* leaf = free_leaves;
        free_leaves = reinterpret_cast<u8*>(load64(leaf));
        *zero = false;
        return leaf;
    }
    if (slab_left == 0) {
        slab = static_cast<u8*>(rt::map_zeroed(kLeavesPerSlab * kStride, "memspy.shadow"));
        slab_left = kLeavesPerSlab;
    }
    u8* leaf = slab;
    slab += kStride;
    --slab_left;
    fill(leaf + kLeafBytes, kLeafPad, kOnes);
    *zero = true;
    return leaf;
}

// The leaf's pad is not that of an area's, which is the next leaf.
void hide_beyond(u8* leaf) { store64(leaf + kLeafBytes, kOnes); }

// The entry's first states may become worse.
void hide(u64& entry) {
    if (&entry == table) return;
    u64& before = *(&entry - 1);
    if (before == kFineBeyond) before = shared_distance(State::Fine);
    if (is_shared(before)) return;
    u8* const leaf = leaf_at(before);
    if (load64(leaf + kLeafBytes) != kOnes && leaf != place_in_area(before)) hide_beyond(leaf);
}
bool is_at_beginning(usize offset) { return offset < 4 * kRevealedBytes; }

void free_leaf(u8* leaf) {
    hide_beyond(leaf);
    store64(leaf, reinterpret_cast<u64>(free_leaves));
    free_leaves = leaf;
    --leaves_in_use;
}

void give_back(u64& entry, State state) {
    if (!is_shared(entry)) {
        u8* leaf = leaf_at(entry);
        if (leaf == place_in_area(entry)) {
            fill(leaf, kLeafBytes, pattern_of(state));
            return;
        }
        free_leaf(leaf);
    }
    entry = shared_distance(state);
}

// The entry's leaf for writing; a shared one is replaced by a copy of its own.
u8* own_leaf(u64& entry) {
    if (!is_shared(entry)) [[likely]]
        return leaf_at(entry);
    State state = shared_state(entry);
    bool zero;
    u8* leaf = take_leaf(entry, &zero);
    if (!zero || state != State::Fine) fill(leaf, kLeafBytes, pattern_of(state));
    entry = distance_of(leaf);
    return leaf;
}

// Sets states [first, first + count) of a leaf, count > 0.
void fill_states(u8* leaf, usize first, usize count, u64 pattern) {
    usize end = first + count;
    u8* p = leaf + (first >> 2);
    u8* last = leaf + (end >> 2);
    unsigned head = 2 * (first & 3), tail = 2 * (end & 3);
    u8 byte = static_cast<u8>(pattern);
    if (p == last) {
        u8 mask = static_cast<u8>(low_bits(tail) & ~low_bits(head));
        *p = static_cast<u8>((*p & ~mask) | (byte & mask));
        return;
    }
    if (head != 0) {
        u8 mask = static_cast<u8>(~low_bits(head));
        *p = static_cast<u8>((*p & ~mask) | (byte & mask));
        ++p;
    }
    fill(p, static_cast<usize>(last - p), pattern);
    if (tail != 0) {
        u8 mask = static_cast<u8>(low_bits(tail));
        *last = static_cast<u8>((*last & ~mask) | (byte & mask));
    }
}

// The states of [offset, offset + count) of a leaf, count <= 32, within the leaf.
u64 leaf_bits(const u8* leaf, usize offset, unsigned count) {
    const u8* p = leaf + (offset >> 2);
    unsigned shift = 2 * (offset & 3);
    u64 bits = load64(p) >> shift;
    if (shift != 0) bits |= u64{p[8]} << (64 - shift);
    return bits & low_bits(2 * count);
}

void set_leaf_bits(u8* leaf, usize offset, unsigned count, u64 states) {
    // Goes byte by byte at the ends, so that nothing beyond the range is written, not even with its own
    // value: the pad would allow that, but a neighbouring leaf would not.
    while (count > 0) {
        unsigned shift = 2 * (offset & 3);
        if (shift == 0 && count == 32) {
            store64(leaf + (offset >> 2), states);
            return;
        }
        unsigned now = 4 - static_cast<unsigned>(offset & 3);
        if (now > count) now = count;
        u8 mask = static_cast<u8>(low_bits(2 * now) << shift);
        u8& byte = leaf[offset >> 2];
        byte = static_cast<u8>((byte & ~mask) | ((states << shift) & mask));
        states >>= 2 * now;
        offset += now;
        count -= now;
    }
}

usize room_in_leaf(Address a) { return kLeafClient - (a & kLeafMask); }

}  // namespace

void initialise() {
    fill(shared_leaves + kLeafBytes, kLeafPad, kOnes);
    fill(shared_leaves + kStride, 3 * kStride, kOnes);
    fill(shared_leaves + kFineBeyond + kLeafBytes + kRevealedBytes, kLeafPad - kRevealedBytes, kOnes);
}

u64* primary_table() { return table; }
u8* shared_leaf() { return shared_leaves; }

State get(Address a) {
    u64 distance = entry_of(a);
    if (is_shared(distance)) return shared_state(distance);
    return static_cast<State>((leaf_at(distance)[(a & kLeafMask) >> 2] >> 2 * (a & 3)) & 3);
}

void set(Address a, State state) {
    u64& entry = entry_of(a);
    if (is_shared(entry) && shared_state(entry) == state) return;
    if (is_at_beginning(a & kLeafMask) && state != State::Fine) hide(entry);
    u8& byte = own_leaf(entry)[(a & kLeafMask) >> 2];
    unsigned shift = 2 * (a & 3);
    byte = static_cast<u8>((byte & ~(3u << shift)) | (static_cast<unsigned>(state) << shift));
}

u64 get_bits(Address a, unsigned count) {
    DCHECK_LE(count, 32u);
    usize room = room_in_leaf(a);
    if (count > room) [[unlikely]] {
        unsigned first = static_cast<unsigned>(room);
        return get_bits(a, first) | get_bits(a + first, count - first) << (2 * first);
    }
    u64 distance = entry_of(a);
    if (is_shared(distance)) return pattern_of(shared_state(distance)) & low_bits(2 * count);
    return leaf_bits(leaf_at(distance), a & kLeafMask, count);
}

void set_bits(Address a, unsigned count, u64 states) {
    DCHECK_LE(count, 32u);
    states &= low_bits(2 * count);
    while (count > 0) {
        usize room = room_in_leaf(a);
        unsigned now = count < room ? count : static_cast<unsigned>(room);
        u64 mask = low_bits(2 * now);
        u64& entry = entry_of(a);
        if (is_at_beginning(a & kLeafMask) && (states & mask) != 0) hide(entry);
        if (!is_shared(entry) || ((pattern_of(shared_state(entry)) ^ states) & mask) != 0)
            set_leaf_bits(own_leaf(entry), a & kLeafMask, now, states & mask);
        if (now == count) return;
        states >>= 2 * now;
        a += now;
        count -= now;
    }
}

void set_range(Address begin, usize bytes, State state) {
    u64 pattern = pattern_of(state);
    bool lazy = bytes >= kLazyBytes || state != State::Uninitialised;
    while (bytes > 0) {
        usize offset = begin & kLeafMask;
        usize now = bytes < kLeafClient - offset ? bytes : kLeafClient - offset;
        u64& entry = entry_of(begin);
        if (is_at_beginning(offset) && state != State::Fine) hide(entry);
        if (!is_shared(entry)) [[likely]] {
            if (now == kLeafClient && lazy)
                give_back(entry, state);
            else
                fill_states(leaf_at(entry), offset, now, pattern);
        } else if (now == kLeafClient && lazy) {
            entry = shared_distance(state);
        } else if (now == kLeafClient) {
            bool zero;
            u8* leaf = take_leaf(entry, &zero);
            fill(leaf, kLeafBytes, pattern);
            entry = distance_of(leaf);
        } else if (shared_state(entry) != state) {
            fill_states(own_leaf(entry), offset, now, pattern);
        }
        begin += now;
        bytes -= now;
    }
}

void define_range(Address begin, usize bytes) {
    if (find_first(begin, bytes, kInvalidBit) == bytes) {
        set_range(begin, bytes, State::Fine);
        return;
    }
    for (usize i = 0; i < bytes; ++i)
        if (get(begin + i) == State::Uninitialised) set(begin + i, State::Fine);
}

void define_all() {
    for (u64& entry : table) {
        if (is_shared(entry)) {
            if (shared_state(entry) == State::Uninitialised) entry = shared_distance(State::Fine);
            continue;
        }
        u8* const leaf = leaf_at(entry);
        for (u8* p = leaf; p < leaf + kLeafBytes; p += 8) {
            const u64 states = load64(p);
            const u64 invalid = (states >> 1) & kLowBits;
            store64(p, states & ~(kLowBits & ~invalid));
        }
    }
}

void copy_range(Address to, Address from, usize bytes) {
    if (to == from) return;
    // Like memmove: states that are still to be read must not be overwritten.
    bool forward = to < from;
    while (bytes > 0) {
        Address source = forward ? from : from + bytes - 1;  // a byte of the next piece
        usize room = forward ? room_in_leaf(source) : (source & kLeafMask) + 1;
        usize now = bytes < room ? bytes : room;
        u64 distance = entry_of(source);
        bool shared = is_shared(distance);
        if (shared) {
            // Copies all neighbours with the same shared leaf together, so that a long uniform range stays
            // one at the destination.
            while (now < bytes && entry_of(forward ? from + now : source - now) == distance)
                now = bytes - now < kLeafClient ? bytes : now + kLeafClient;
        } else if (now > 32) {
            now = 32;
        }
        Address piece_to = forward ? to : to + bytes - now;
        Address piece_from = forward ? from : from + bytes - now;
        if (shared)
            set_range(piece_to, now, shared_state(distance));
        else
            set_bits(piece_to, static_cast<unsigned>(now), get_bits(piece_from, static_cast<unsigned>(now)));
        if (forward) {
            to += now;
            from += now;
        }
        bytes -= now;
    }
}

usize find_first(Address begin, usize bytes, u8 mask) {
    u64 wanted = kLowBits * (mask & 3u);
    usize done = 0;
    while (done < bytes) {
        Address a = begin + done;
        usize room = room_in_leaf(a);
        usize end = bytes - done < room ? bytes : done + room;
        u64 distance = entry_of(a);
        if (is_shared(distance)) {
            if ((static_cast<u8>(shared_state(distance)) & mask) != 0) return done;
            done = end;
            continue;
        }
        const u8* leaf = leaf_at(distance);
        while (done < end) {
            unsigned now = end - done < 32 ? static_cast<unsigned>(end - done) : 32;
            u64 hits = leaf_bits(leaf, (begin + done) & kLeafMask, now) & wanted;
            if (hits != 0) return done + static_cast<usize>(std::countr_zero(hits)) / 2;
            done += now;
        }
    }
    return bytes;
}

usize count_uninitialised(Address begin, usize bytes) {
    usize found = 0;
    for (usize done = 0; done < bytes;) {
        const Address a = begin + done;
        const usize room = room_in_leaf(a);
        const usize end = bytes - done < room ? bytes : done + room;
        const u64 distance = entry_of(a);
        if (is_shared(distance)) {
            if (shared_state(distance) == State::Uninitialised) found += end - done;
            done = end;
            continue;
        }
        const u8* leaf = leaf_at(distance);
        while (done < end) {
            const unsigned now = end - done < 32 ? static_cast<unsigned>(end - done) : 32;
            const u64 states = leaf_bits(leaf, (begin + done) & kLeafMask, now);
            found += static_cast<usize>(std::popcount(states & ~(states >> 1) & kLowBits));
            done += now;
        }
    }
    return found;
}

bool is_wholly(Address a, State state) {
    const u64 distance = entry_of(a);
    return is_shared(distance) && shared_state(distance) == state;
}

bool materialise(Address begin, usize bytes) {
    bool any = false;
    while (bytes > 0) {
        u64& entry = entry_of(begin);
        if (is_shared(entry) && shared_state(entry) != State::Fine) {
            own_leaf(entry);
            any = true;
        }
        usize room = room_in_leaf(begin);
        if (bytes <= room) break;
        begin += room;
        bytes -= room;
    }
    return any;
}

bool reveal_beyond(Address a) {
    constexpr usize kWidestCheck = 32;
    u64& entry = entry_of(a);
    u64& next = *(&entry + 1);
    if (room_in_leaf(a) >= kWidestCheck || &entry == &table[kIndexMask]) return false;
    // Generated code makes states in areas worse.
    if (place_in_area(entry) != nullptr || place_in_area(next) != nullptr) return false;
    u64 hidden = is_shared(next) ? pattern_of(shared_state(next)) : load64(leaf_at(next));
    if (is_shared(entry)) {
        if (entry != shared_distance(State::Fine) || hidden != 0) return false;
        entry = kFineBeyond;
        return true;
    }
    u8* const pad = leaf_at(entry) + kLeafBytes;
    hidden = nonzero_bytes(hidden);
    if (load64(pad) == hidden) return false;
    store64(pad, hidden);
    return true;
}

Area make_area(Address begin, Address end) {
    CHECK_EQ((begin | end) & kLeafMask, 0u);
    CHECK_LE(end, Address{1} << kAddressBits);
    const usize bytes = (end - begin) >> 2;
    auto* place = static_cast<u8*>(rt::map_zeroed(bytes + kLeafPad, "memspy.shadow_area"));
    Area area{.begin = begin, .end = end, .bias = reinterpret_cast<u64>(place) - (begin >> 2)};
    hide(entry_of(begin));
    all_areas->push_back(area);
    // Moves the leaves in use to the area.
    for (Address a = begin; a < end; a += kLeafClient) {
        u64& entry = entry_of(a);
        if (is_shared(entry)) continue;
        u8* const old = leaf_at(entry);
        bool zero;
        u8* const leaf = take_leaf(entry, &zero);
        __builtin_memcpy(leaf, old, kLeafBytes);
        entry = distance_of(leaf);
        free_leaf(old);
    }
    return area;
}

const rt::Vector<Area>& areas() { return *all_areas; }

const Area* area_at(Address a) {
    for (const Area& area : *all_areas)
        if (a - area.begin < area.end - area.begin) return &area;
    return nullptr;
}

void own_leaves(Address begin, Address end) {
    for (Address a = begin & ~kLeafMask; a < end; a += kLeafClient) own_leaf(entry_of(a));
}

usize leaf_count() { return leaves_in_use; }

void reset() {
    for (const Area& area : *all_areas)
        for (Address a = area.begin; a < area.end; a += kLeafClient)
            if (u64& entry = entry_of(a); !is_shared(entry)) {
                entry = 0;
                --leaves_in_use;
            }
    all_areas->clear();
    for (u64& entry : table)
        if (entry != 0) give_back(entry, State::Fine);
}

}  // namespace memspy::shadow
