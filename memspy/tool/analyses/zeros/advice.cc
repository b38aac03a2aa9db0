// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/advice.h"

#include "fields/narrow_types.h"

namespace memspy::zeros {

using advice::ZeroPart;
using advice::ZeroRemedy;

namespace {

// Smaller objects are not worth advice.
constexpr u64 kLeastBytes = 64;

bool at_least_half(u64 part, u64 whole) { return whole != 0 && part >= whole - part; }

class Adviser {
public:
    Adviser(AdviceSink f, void* argument) : f_(f), argument_(argument) {}
    void give(const ZeroAdvice& advice) { f_(advice, argument_); }

    void narrow_integer(u32 bytes, u32 needed) {
        give({.remedy = ZeroRemedy::Narrow, .type = profile::unsigned_type(needed).name, .bytes = bytes});
    }
    void narrow_float() { give({.remedy = ZeroRemedy::Narrow, .type = "float", .bytes = 8}); }

private:
    AdviceSink f_;
    void* argument_;
};

// The number of significant bytes at the low end of each element [0, stride), if all bytes above are always
// redundant; 0 if the columns are not of that form.
u32 significant_low_bytes(const Columns& columns) {
    u32 bytes = 0;
    while (bytes < columns.stride && !columns.is_redundant(bytes)) ++bytes;
    for (u32 i = bytes; i < columns.stride; ++i)
        if (!columns.is_redundant(i)) return 0;
    return bytes;
}

// Only the low end is zero, and at least the bytes that a float does not have.
bool has_low_zeros_only(const Columns& columns) {
    u32 low = 0;
    while (low < columns.stride && columns.is_redundant(low)) ++low;
    for (u32 i = low; i < columns.stride; ++i)
        if (columns.is_redundant(i)) return false;
    return low >= profile::kLowBytesOfFloat;
}

void advise_columns(Adviser& adviser, const Columns& columns) {
    if (columns.stride == 2 || columns.stride == 4 || columns.stride == 8) {
        const u32 needed = significant_low_bytes(columns);
        if (needed != 0 && profile::unsigned_type(needed).bytes < columns.stride)
            return adviser.narrow_integer(columns.stride, needed);
        if (columns.stride == 8 && has_low_zeros_only(columns)) return adviser.narrow_float();
    }
    rt::Text list;
    add_columns(list, columns);
    adviser.give({.remedy = ZeroRemedy::Narrow,
                  .part = ZeroPart::Columns,
                  .bytes = columns.stride,
                  .columns = list.c_str()});
}

// "[.][j][.]", in Fortran "(:,j,:)".
void add_indices(rt::Text& text, const PlanePattern& planes) {
    constexpr char kLetters[] = "ijklmno";
    for (u32 i = 0; i < planes.dimensions; ++i) {
        const char letter = i == planes.dimension ? kLetters[i] : planes.first_fastest ? ':' : '.';
        if (planes.first_fastest)
            text.add(i == 0 ? '(' : ',').add(letter);
        else
            text.add('[').add(letter).add(']');
    }
    if (planes.first_fastest) text.add(')');
}

// The coarsest pattern in which half of the object is zero.
void advise_sparse(Adviser& adviser, const ObjectCounts& object) {
    auto say = [&](const ZeroShare& share, u64 bytes, ZeroPart part) {
        adviser.give({.remedy = ZeroRemedy::Sparse,
                      .part = part,
                      .bytes = bytes,
                      .zero = share.zero,
                      .all = share.accessed});
    };
    // In the array's own dimensions, where a stride in bytes would name something else.
    const PlanePattern& planes = object.planes;
    if (planes.dimensions != 0 && at_least_half(planes.share.zero, planes.share.accessed)) {
        rt::Text indices;
        add_indices(indices, planes);
        return adviser.give({.remedy = ZeroRemedy::Sparse,
                             .part = planes.dimensions == 2 ? ZeroPart::Stripes : ZeroPart::Planes,
                             .zero = planes.share.zero,
                             .all = planes.share.accessed,
                             .columns = indices.c_str()});
    }
    const RowPattern rows = object.zero_rows();
    if (rows.stride != 0 && at_least_half(rows.share.zero, rows.share.accessed))
        return say(rows.share, rows.stride, ZeroPart::Rows);
    for (u32 i = kZeroBlockKinds; i-- > 0;)
        if (object.largest >= 4 * kZeroBlockSizes[i] &&
            at_least_half(object.zero_blocks[i].zero, object.zero_blocks[i].accessed))
            return say(object.zero_blocks[i], kZeroBlockSizes[i], ZeroPart::Blocks);
}

bool loads_addresses(const LoadRow& row) {
    return row.type.bytes() == sizeof(Address) && (row.uses.address || !row.counts.numbers);
}

}  // namespace

void add_columns(rt::Text& text, const Columns& columns) {
    const char* between = "";
    for (u32 i = 0; i < columns.stride; ++i) {
        if (!columns.is_redundant(i)) continue;
        const u32 first = i;
        while (i + 1 < columns.stride && columns.is_redundant(i + 1)) ++i;
        text.add(between).add_number(first).add('-').add_number(i);
        between = " ";
    }
}

void advise(const LoadRow& row, AdviceSink f, void* argument) {
    Adviser adviser(f, argument);
    const LoadCounts& counts = row.counts;
    if (counts.elements == 0 || row.uses.constant) return;
    if (counts.zero == counts.elements)
        return adviser.give({.remedy = ZeroRemedy::Constant, .zero = counts.zero, .all = counts.elements});
    // Floats are made for arithmetic, though the code that does it may not be seen.
    if ((row.uses.arithmetic || row.type.is_float()) && at_least_half(counts.zero, counts.elements))
        adviser.give({.remedy = ZeroRemedy::Skip, .zero = counts.zero, .all = counts.elements});
    const ValueType type = row.type;
    if (!type.is_float()) {
        u32 needed = type.bytes();
        while (needed > 1 && counts.cells[needed - 1] == counts.elements) --needed;
        if (profile::unsigned_type(needed).bytes < type.bytes() && !loads_addresses(row))
            adviser.narrow_integer(type.bytes(), needed);
    } else if (type.bytes() == 8) {
        bool fits = true;
        for (u32 i = 0; i < profile::kLowBytesOfFloat; ++i) fits = fits && counts.cells[i] == counts.elements;
        if (fits) adviser.narrow_float();
    }
}

void advise(const ObjectCounts& object, AdviceSink f, void* argument) {
    Adviser adviser(f, argument);
    if (object.accessed < kLeastBytes || object.redundant == 0) return;
    // Nothing is said that the share of loads beside it denies.
    const LoadShare loads = object.loads.all();
    if (object.redundant == object.cells && loads.redundant == loads.loaded)
        return adviser.give({.remedy = ZeroRemedy::Constant, .part = ZeroPart::Object});
    advise_sparse(adviser, object);
    // Columns over several elements are the planes once more.
    const bool are_planes = object.planes.dimensions != 0 && object.columns.stride > object.planes.element;
    if (object.columns.stride != 0 && !are_planes) advise_columns(adviser, object.columns);
}

}  // namespace memspy::zeros
