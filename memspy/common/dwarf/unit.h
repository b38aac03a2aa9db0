// SPDX-License-Identifier: GPL-2.0-or-later
//
// One compilation unit of .debug_info (DWARF 2 to 5, 32-bit format, not split): its entries in order, and the
// values of their attributes. Only the attributes that variables of a frame need are kept.
#pragma once

#include "dwarf/sections.h"
#include "rt/text.h"
#include "rt/vector.h"

namespace memspy::dwarf {

enum class AttributeName : u8 {
    Sibling,
    Location,
    Name,
    ByteSize,
    LowPc,
    HighPc,
    AbstractOrigin,
    UpperBound,
    LowerBound,
    Count,
    DataMemberLocation,
    Declaration,
    FrameBase,
    Specification,
    Type,
    DataLocation,
    Ranges,
    Language,
    StatementList,
    DeclaredFile,
    DeclaredLine,
    DeclaredColumn,
    CallFile,
    CallLine,
    CallColumn,
    BitSize,
    DataBitOffset,
    StrOffsetsBase,
    AddrBase,
    RnglistsBase,
    LoclistsBase,
    Producer,
    Accessibility,
    End
};

struct Attribute {
    u16 form = 0;  // 0: the entry has no such attribute
    u64 number = 0;
    FileBytes block;  // or a zero-terminated text
    bool is_there() const { return form != 0; }
};

struct Entry {
    u64 offset = 0, next = 0;  // in .debug_info; next: behind the attributes
    u16 tag = 0;               // 0: the end of a list of children
    bool has_children = false;
    Attribute attributes[static_cast<usize>(AttributeName::End)];
    const Attribute& operator[](AttributeName name) const { return attributes[static_cast<usize>(name)]; }
};

// Leaves the part of [*begin, *end) with `pc` that lies inside [first, last), or outside.
inline void cut_range(u64 pc, u64 first, u64 last, u64* begin, u64* end) {
    const bool is_inside = pc >= first && pc < last;
    const u64 low = is_inside ? first : last, high = is_inside ? last : first;
    if (low <= pc && low > *begin) *begin = low;
    if (high > pc && high < *end) *end = high;
}

class InfoUnit {
public:
    // The unit whose header is at `offset`; `end` is the start of the next one, 0 if nothing can be read.
    InfoUnit(const Sections& sections, u64 offset);
    u64 start() const { return start_; }
    u64 end() const { return end_; }
    bool is_readable() const { return readable_; }
    const Entry& root() const { return root_; }

    bool read(u64 offset, Entry* entry) const;
    // The offset behind the entry and its children.
    u64 after(const Entry& entry) const;

    const char* text(const Attribute& attribute) const;  // null: none
    u64 reference(const Attribute& attribute) const;     // 0: none, or in another unit
    i64 constant(const Attribute& attribute, i64 otherwise) const;
    bool covers(const Entry& entry, u64 pc) const;  // the code of the entry
    u64 address(const Attribute& attribute) const;  // 0: none
    u64 indexed_address(u64 index) const;
    bool has_code(const Entry& entry) const;
    u64 entry_point(const Entry& entry) const;  // 0: not known
    // The code of an entry that is in one piece; false: it is in several, or has none.
    bool extent(const Entry& entry, u64* begin, u64* end) const;
    // f(begin, end) for each piece of the entry's code.
    void for_each_piece(const Entry& entry, void (*f)(u64 begin, u64 end, void*), void* argument) const;
    // The attribute is a list of places, each for a part of the code.
    static bool is_list(const Attribute& location);
    // Appends the name of the source file with that number, without its folder, which goes into `folder` if
    // that is wanted and known; nothing if it is not known.
    void add_file(rt::Text& text, u64 number, rt::Text* folder = nullptr) const;
    // The column of the code at `pc`; 0: not known.
    u64 column(u64 pc) const;
    // The expression that is valid at `pc`; empty if there is none.
    FileBytes location(const Attribute& attribute, u64 pc) const;
    // f(begin, end, expression) for each part of the code with an expression of its own, until it returns
    // false. One that is valid everywhere has the part 0 to ~0.
    void for_each_location(const Attribute& attribute, bool (*f)(u64 begin, u64 end, FileBytes, void*),
                           void* argument) const;
    // Cuts [*begin, *end), which holds `pc`, so that the entry's code holds all or none of it.
    void cut_at_code(const Entry& entry, u64 pc, u64* begin, u64* end) const;
    // The constant address that a location is; 0: it is another one.
    u64 constant_address(const Attribute& location) const;
    // Whether it is one in a thread's storage of the module: its offset there.
    bool thread_offset(const Attribute& location, u64* offset) const;

private:
    struct Abbreviation {
        u64 code, at;
    };
    bool read_value(Cursor& cursor, u16 form, i64 implicit, Attribute* value) const;
    void read_abbreviations(u64 offset);
    const Abbreviation* find(u64 code) const;
    u64 base() const { return address(root_[AttributeName::LowPc]); }
    template <typename F>
    void for_each_range(const Attribute& ranges, F f) const;
    struct PcRange {
        u64 begin = 0, end = 0;
    };
    enum class ListEntry : u8 { End, Base, Range };
    // Reads the rest of an entry of this kind in a list of DWARF 5: a range, or a new `from`.
    ListEntry next_range(Cursor& cursor, u64 kind, u64& from, PcRange& range) const;

    const Sections& sections_;
    u64 start_ = 0, end_ = 0;
    u16 version_ = 0;
    bool readable_ = false;
    rt::Vector<Abbreviation> abbreviations_;
    Entry root_;
};

// The unit's offset by .debug_aranges, which GCC writes. 0: not there (the unit at offset 0 is found by
// searching all units).
u64 unit_by_aranges(const Sections& sections, u64 pc);

// f(unit) for each unit that can be read, until it returns true; whether it did.
template <typename F>
bool any_unit(const Sections& sections, F f) {
    for (u64 offset = 0; offset < sections.info.size;) {
        const InfoUnit unit(sections, offset);
        if (unit.end() <= offset) return false;
        if (unit.is_readable() && f(unit)) return true;
        offset = unit.end();
    }
    return false;
}

// f(unit) for the unit of the code at `pc`; false if there is none.
template <typename F>
bool with_unit_of(const Sections& sections, u64 pc, F f) {
    if (const u64 offset = unit_by_aranges(sections, pc); offset != 0) {
        const InfoUnit unit(sections, offset);
        return unit.is_readable() && f(unit);
    }
    bool answer = false;
    any_unit(sections, [&](const InfoUnit& unit) {
        if (!unit.covers(unit.root(), pc)) return false;
        answer = f(unit);
        return true;
    });
    return answer;
}

}  // namespace memspy::dwarf
