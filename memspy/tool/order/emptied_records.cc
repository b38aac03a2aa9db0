// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/emptied_records.h"

namespace memspy::order {

u32 empty_shape(u32 number) {
    static u32 numbers[log::kMostWords + log::kRecordHead + 1];
    const u32 words = log::record_words(number);
    if (numbers[words] == 0) {
        Shape empty;
        empty.words = words - log::kRecordHead;
        empty.segments.push_back(log::Segment{kNoWord, 0});
        numbers[words] = log::number_of_shape(empty);
    }
    return numbers[words];
}

u32 shape_of_use(u32 number, usize use) {
    static rt::Global<rt::HashMap<u32>> known;
    u32& found = (*known)[u64{number} << 32 | use];
    if (found != 0) return found;
    Shape only;
    only.words = log::shape(number).words;
    only.updates = true;
    AccessUse access = log::shape(number).uses[use];
    access.ordinal = 0;
    access.proof = kNoWord;
    log::add_use(only, access, recording->options.line_bytes);
    only.segments.push_back(log::Segment{kNoWord, 1});
    found = log::number_of_shape(only);
    return found;
}

void make_empty(u64* from, const u64* end, Time at) {
    while (from != end) {
        auto& record = *reinterpret_cast<Record*>(from);
        from += log::record_words(record.shape);
        record.shape = empty_shape(record.shape);
        if (at != kNever) record.time = at;
    }
}

}  // namespace memspy::order
