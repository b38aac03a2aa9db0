// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/planes.h"

#include "instrument/zeros/byte_marks.h"
#include "rt/vector.h"

namespace memspy::zeros {

using instrument::kLoadedBits;
using instrument::marks_at;
using instrument::next_marked;
namespace {

constexpr u64 kWord = 8;
// An array with more indices in one dimension is looked at along the others.
constexpr u64 kMostPlanes = 1 << 20;

enum PlaneContent : u8 { kTouched = 1, kSignificant = 2, kStored = 4 };

}  // namespace

PlanePattern find_planes(Address begin, const ArrayDimensions& array, bool readable) {
    PlanePattern found;
    const Address end = begin + array.bytes();
    if (array.count < 2 || array.element == 0 || array.bytes() == 0) return found;
    rt::Vector<u8> planes[ArrayDimensions::kMost];
    for (u32 i = 0; i < array.count; ++i)
        if (array.lengths[i] <= kMostPlanes) planes[i].resize(array.lengths[i]);
    const auto note = [&](u64 element, u8 content) {
        for (u32 i = array.count; i-- > 0; element /= array.lengths[i])
            if (!planes[i].empty()) planes[i][element % array.lengths[i]] |= content;
    };
    for (Address a = begin; (a = next_marked(a, end)) < end;) {
        a -= (a - begin) % kWord;
        u32 marks = marks_at(a);
        if (end - a < kWord) marks &= (1u << 2 * (end - a)) - 1;
        // A word has several elements, or an element several words.
        const u64 step = array.element < kWord ? array.element : kWord;
        for (u64 i = 0; i < kWord && marks >> 2 * i != 0; i += step) {
            const u32 own = marks >> 2 * i & static_cast<u32>((u64{1} << 2 * step) - 1);
            if (own == 0) continue;
            const bool is_significant = (own & (kLoadedBits << 1)) != 0;
            note((a + i - begin) / array.element, is_significant ? kTouched | kSignificant : kTouched);
        }
        a += kWord;
    }
    for (Address a = begin; readable && a < end; ++a)
        if (*reinterpret_cast<const u8*>(a) != 0) {
            const u64 element = (a - begin) / array.element;
            note(element, kStored);
            a = begin + (element + 1) * array.element - 1;
        }
    for (u32 i = 0; i < array.count; ++i) {
        ZeroShare share;
        for (const u8 content : planes[i]) {
            const bool is_touched = (content & kTouched) != 0;
            share.accessed += is_touched || readable;
            share.zero += is_touched ? (content & kSignificant) == 0 : readable && content == 0;
        }
        const bool is_better =
            found.dimensions == 0 || share.zero * found.share.accessed > found.share.zero * share.accessed;
        if (share.zero == 0 || share.zero == share.accessed || !is_better) continue;
        found.dimensions = array.count;
        found.dimension = array.first_fastest ? array.count - 1 - i : i;
        found.first_fastest = array.first_fastest;
        found.element = array.element;
        found.share = share;
    }
    return found;
}

}  // namespace memspy::zeros
