// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/objects.h"

#include "instrument/zeros/byte_marks.h"

namespace memspy::zeros {

using instrument::kLoadedBits;
using instrument::marks_at;
using instrument::next_after;
using instrument::next_marked;
namespace {

constexpr u32 kWord = 8;
constexpr u32 kLowBits = static_cast<u32>(kLoadedBits & 0xFFFF);

// Number of bits set at even places, of sixteen places.
u32 count(u32 bits) {
    bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
    bits = (bits + (bits >> 4)) & 0x0F0F;
    return (bits + (bits >> 8)) & 0xFF;
}

HeatCell* new_map(u32 cells) {
    auto* map = static_cast<HeatCell*>(rt::allocate(cells * sizeof(HeatCell), "memspy.heat_map"));
    for (u32 i = 0; i < cells; ++i) map[i] = HeatCell{};
    return map;
}

void add(HeatCell& to, const HeatCell& from) {
    to.accessed += from.accessed;
    to.redundant += from.redundant;
}

// Extends the map to `bytes`. Cells become wider if there would be too many.
void extend_map(ObjectCounts& object, u64 bytes) {
    if (u64{object.map_cells} * object.cell_bytes >= bytes) return;
    u32 width = object.cell_bytes;
    while (bytes > u64{width} * ObjectCounts::kMostCells) width *= 2;
    u32 cells = 16;
    while (u64{cells} * width < bytes) cells *= 2;
    HeatCell* const map = new_map(cells);
    for (u32 i = 0; i < object.map_cells; ++i) add(map[u64{i} * object.cell_bytes / width], object.map[i]);
    forget_map(object);
    object.map = map;
    object.map_cells = cells;
    object.cell_bytes = width;
}

// Adds eight bytes, from `offset` in the block on, to the map.
void heat(ObjectCounts& object, u64 offset, u32 loaded, u32 redundant) {
    const u64 width = object.cell_bytes;
    const u64 cell = offset / width;
    if (width >= kWord) return add(object.map[cell], HeatCell{count(loaded), count(redundant)});
    for (u32 i = 0; i < kWord; ++i)
        if (loaded >> 2 * i & 1) add(object.map[(offset + i) / width], HeatCell{1, redundant >> 2 * i & 1});
}

// Cuts the object into pieces of one size, from its start on.
struct Cutter {
    u64 bytes;
    ZeroShare* share;
    u64 end = 0;
    bool significant = false;

    void add(u64 offset, bool is_significant) {
        if (offset >= end) {
            finish();
            end = offset - offset % bytes + bytes;
        }
        significant = significant || is_significant;
    }
    void finish() {
        if (end != 0) {
            ++share->accessed;
            if (!significant) ++share->zero;
        }
        significant = false;
    }
};

}  // namespace

void forget_map(ObjectCounts& object) {
    if (object.map != nullptr) rt::release(object.map);
    object.map = nullptr;
    object.map_cells = 0;
}

ObjectCounts copy_of(const ObjectCounts& object) {
    ObjectCounts copy = object;
    if (object.map == nullptr) return copy;
    copy.map = new_map(object.map_cells);
    for (u32 i = 0; i < object.map_cells; ++i) copy.map[i] = object.map[i];
    return copy;
}

void take_tallies(ObjectCounts& object, Address begin, Address end, u32 slot) {
    using instrument::kTallyBytes;
    // What others have loaded at the edges would outweigh what is certain.
    const bool has_whole = begin + 2 * kTallyBytes <= end;
    for (Address a = next_marked(begin, end); a < end; a = next_marked(a, end)) {
        const Address cell = a - a % kTallyBytes, next = cell + kTallyBytes;
        u32 part = 1, whole = 1;
        if (cell < begin || next > end) {
            part = whole = 0;
            for (Address word = cell; word < next; word += kWord)
                for (u32 i = 0; i < kWord; ++i) {
                    const u32 loaded = marks_at(word) >> 2 * i & 1;
                    whole += loaded;
                    if (word + i >= begin && word + i < end) part += loaded;
                }
        }
        if (part > 0) {
            const u64 tally = instrument::take_tally(cell, part, whole);
            if (part == whole || !has_whole)
                object.loads.slots[slot].add({.loaded = tally & 0xFFFF'FFFF, .redundant = tally >> 32});
        }
        a = next;
    }
}

RowPattern ObjectCounts::zero_rows() const {
    if (block_bytes == 0 || whole_blocks.zero == 0 || whole_blocks.accessed < 4) return rows;
    if (rows.stride != 0 &&
        rows.share.zero * whole_blocks.accessed >= whole_blocks.zero * rows.share.accessed)
        return rows;
    return {block_bytes, whole_blocks};
}

void fold(ObjectCounts& object, Address begin, Address end, Address start) {
    object.bytes += end - begin;
    if (begin == start) {
        if (object.blocks++ == 0)
            object.block_bytes = end - begin;
        else if (object.block_bytes != end - begin)
            object.block_bytes = 0;
    }
    Address a = next_marked(begin, end);
    if (a == end) return;

    extend_map(object, end - start);
    if (object.reach < end - start) object.reach = end - start;
    const u64 redundant_before = object.redundant;
    bool is_zero = true;
    Cutter cutters[] = {{kZeroBlockSizes[0], &object.zero_blocks[0]},
                        {kZeroBlockSizes[1], &object.zero_blocks[1]},
                        {kZeroBlockSizes[2], &object.zero_blocks[2]}};
    for (; a < end; a = next_after(a, end)) {
        // Whole words from the object's start on; this part may have only a piece of one.
        a -= (a - start) % kWord;
        u32 marks = marks_at(a);
        if (a < begin) marks &= ~0u << 2 * (begin - a);
        if (end - a < kWord) marks &= (1u << 2 * (end - a)) - 1;
        const u32 loaded = marks & kLowBits;
        if (loaded != 0) {
            const u32 redundant = loaded & ~(marks >> 1);
            object.accessed += count(loaded);
            for (Cutter& cutter : cutters) cutter.add(a - start, redundant != loaded);
            is_zero = is_zero && redundant == loaded;
            heat(object, a - start, loaded, redundant);
        }
    }
    for (Cutter& cutter : cutters) cutter.finish();
    const instrument::CellCounts cells = instrument::cells_between(begin, end);
    object.cells += cells.loaded;
    object.redundant += cells.redundant;

    if (begin != start) return;
    ++object.whole_blocks.accessed;
    if (is_zero) ++object.whole_blocks.zero;
    if (end - begin <= object.largest) return;
    object.largest = end - begin;
    object.rows = RowPattern{};
    object.columns = Columns{};
    object.planes = PlanePattern{};
    if (object.redundant == redundant_before) return;
    object.rows = find_rows(begin, end);
    object.columns = find_columns(begin, end);
}

}  // namespace memspy::zeros
