// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the code of entries is, and which of a list of locations holds there.
#include "dwarf/forms.h"
#include "dwarf/unit.h"

namespace memspy::dwarf {

bool InfoUnit::has_code(const Entry& entry) const {
    return entry[AttributeName::HighPc].is_there() || entry[AttributeName::Ranges].is_there();
}

u64 InfoUnit::entry_point(const Entry& entry) const {
    if (entry[AttributeName::LowPc].is_there()) return address(entry[AttributeName::LowPc]);
    u64 first = 0;
    for_each_range(entry[AttributeName::Ranges], [&](u64 begin, u64) {
        first = begin;
        return false;
    });
    return first;
}

bool InfoUnit::extent(const Entry& entry, u64* begin, u64* end) const {
    const Attribute& high = entry[AttributeName::HighPc];
    if (!high.is_there()) return false;
    *begin = address(entry[AttributeName::LowPc]);
    *end = constant(high, -1) < 0 ? address(high) : *begin + high.number;
    return true;
}

bool InfoUnit::is_list(const Attribute& location) {
    return is_one_of(location.form, {kSecOffset, kData4, kData8, kLoclistx});
}

bool InfoUnit::covers(const Entry& entry, u64 pc) const {
    if (u64 begin = 0, end = 0; extent(entry, &begin, &end)) return pc >= begin && pc < end;
    bool found = false;
    for_each_range(entry[AttributeName::Ranges], [&](u64 begin, u64 end) {
        found = pc >= begin && pc < end;
        return !found;
    });
    return found;
}

InfoUnit::ListEntry InfoUnit::next_range(Cursor& cursor, u64 kind, u64& from, PcRange& range) const {
    switch (kind) {
        case 1: from = indexed_address(cursor.uleb()); return ListEntry::Base;
        case 2:
            range.begin = indexed_address(cursor.uleb());
            range.end = indexed_address(cursor.uleb());
            return ListEntry::Range;
        case 3:
            range.begin = indexed_address(cursor.uleb());
            range.end = range.begin + cursor.uleb();
            return ListEntry::Range;
        case 4:
            range.begin = from + cursor.uleb();
            range.end = from + cursor.uleb();
            return ListEntry::Range;
        case 5: from = cursor.number(8); return ListEntry::Base;
        case 6:
            range.begin = cursor.number(8);
            range.end = cursor.number(8);
            return ListEntry::Range;
        case 7:
            range.begin = cursor.number(8);
            range.end = range.begin + cursor.uleb();
            return ListEntry::Range;
        default: return ListEntry::End;
    }
}

// Calls f(begin, end) until it returns false.
template <typename F>
void InfoUnit::for_each_range(const Attribute& ranges, F f) const {
    if (!ranges.is_there()) return;
    u64 from = base();
    if (version_ < 5) {
        for (Cursor cursor(sections_.ranges, ranges.number); !cursor.at_end();) {
            const u64 begin = cursor.number(8), end = cursor.number(8);
            if (cursor.failed() || (begin == 0 && end == 0)) return;
            if (begin == ~u64{0})
                from = end;
            else if (!f(from + begin, from + end))
                return;
        }
        return;
    }
    u64 offset = ranges.number;
    if (ranges.form == kRnglistx) {
        const u64 table = root_[AttributeName::RnglistsBase].number;
        offset = table + Cursor(sections_.rnglists, table + 4 * ranges.number).number(4);
    }
    for (Cursor cursor(sections_.rnglists, offset); !cursor.at_end();) {
        PcRange range;
        switch (next_range(cursor, cursor.number(1), from, range)) {
            case ListEntry::Base: continue;
            case ListEntry::End: return;
            case ListEntry::Range: break;
        }
        if (cursor.failed() || !f(range.begin, range.end)) return;
    }
}

void InfoUnit::for_each_piece(const Entry& entry, void (*f)(u64 begin, u64 end, void*),
                              void* argument) const {
    if (u64 begin = 0, end = 0; extent(entry, &begin, &end)) return f(begin, end, argument);
    for_each_range(entry[AttributeName::Ranges], [&](u64 begin, u64 end) {
        f(begin, end, argument);
        return true;
    });
}

FileBytes InfoUnit::location(const Attribute& attribute, u64 pc) const {
    struct Wanted {
        u64 pc;
        FileBytes found;
    } wanted{pc, {}};
    for_each_location(
        attribute,
        [](u64 begin, u64 end, FileBytes expression, void* argument) {
            auto& to = *static_cast<Wanted*>(argument);
            const bool is_there = to.pc >= begin && to.pc < end;
            if (is_there) to.found = expression;
            return !is_there;
        },
        &wanted);
    return wanted.found;
}

void InfoUnit::for_each_location(const Attribute& attribute, bool (*f)(u64 begin, u64 end, FileBytes, void*),
                                 void* argument) const {
    if (is_one_of(attribute.form, {kExprloc, kBlock1, kBlock2, kBlock4, kBlock})) {
        f(0, ~u64{0}, attribute.block, argument);
        return;
    }
    if (!is_list(attribute)) return;
    u64 from = base();
    if (version_ < 5) {
        for (Cursor cursor(sections_.loc, attribute.number); !cursor.at_end();) {
            const u64 begin = cursor.number(8), end = cursor.number(8);
            if (cursor.failed() || (begin == 0 && end == 0)) return;
            if (begin == ~u64{0}) {
                from = end;
                continue;
            }
            const FileBytes expression = cursor.block(cursor.number(2));
            if (!f(from + begin, from + end, expression, argument)) return;
        }
        return;
    }
    u64 offset = attribute.number;
    if (attribute.form == kLoclistx) {
        const u64 table = root_[AttributeName::LoclistsBase].number;
        offset = table + Cursor(sections_.loclists, table + 4 * attribute.number).number(4);
    }
    for (Cursor cursor(sections_.loclists, offset); !cursor.at_end();) {
        // The kinds of location lists are those of range lists with one between: for places without any other
        // entry, which no compiler here writes.
        constexpr u64 kDefault = 5;
        const u64 kind = cursor.number(1);
        PcRange range;
        if (kind != kDefault) {
            const ListEntry entry = next_range(cursor, kind > kDefault ? kind - 1 : kind, from, range);
            if (entry == ListEntry::Base) continue;
            if (entry == ListEntry::End) return;
        }
        const FileBytes expression = cursor.block(cursor.uleb());
        if (cursor.failed() || !f(range.begin, range.end, expression, argument)) return;
    }
}

void InfoUnit::cut_at_code(const Entry& entry, u64 pc, u64* begin, u64* end) const {
    if (const Attribute& high = entry[AttributeName::HighPc]; high.is_there()) {
        const u64 first = address(entry[AttributeName::LowPc]);
        const u64 last = constant(high, -1) < 0 ? address(high) : first + high.number;
        return cut_range(pc, first, last, begin, end);
    }
    for_each_range(entry[AttributeName::Ranges], [&](u64 first, u64 last) {
        cut_range(pc, first, last, begin, end);
        return true;
    });
}

}  // namespace memspy::dwarf
