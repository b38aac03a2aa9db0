// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/line_table.h"

#include "dwarf/cursor.h"

namespace memspy::dwarf {
namespace {

enum StandardOperation : u8 {
    kExtended = 0,
    kCopy = 1,
    kAdvancePc = 2,
    kSetColumn = 5,
    kConstAddPc = 8,
    kFixedAdvancePc = 9
};
constexpr u64 kEndSequence = 1, kSetAddress = 2;

struct Row {
    u64 address = 0, column = 0;
};

}  // namespace

u64 column_at(const Sections& sections, u64 table, u64 pc) {
    Cursor header(sections.line, table);
    const u64 length = header.number(4);
    if (length >= 0xFFFF'FFF0) return 0;
    const u64 end = header.at() + length;
    const u64 version = header.number(2);
    if (version < 2 || version > 5) return 0;
    if (version >= 5) header.number(2);
    const u64 header_length = header.number(4), program = header.at() + header_length;
    const u64 least_instruction = header.number(1);
    header.block(version >= 4 ? 3 : 2);  // operations of an instruction, is-a-statement, line base
    const u64 line_range = header.number(1), first_special = header.number(1);
    u8 operands[256] = {};
    for (u64 i = 1; i < first_special; ++i) operands[i] = static_cast<u8>(header.number(1));
    if (header.failed() || line_range == 0 || end > sections.line.size) return 0;

    Row now, last;
    bool in_sequence = false;  // `last` is a row of it
    const auto advance = [&](u64 special) {
        now.address += (special - first_special) / line_range * least_instruction;
    };
    // Whether `last` is the row of `pc`, because the next one begins behind it.
    const auto append = [&] {
        const bool found = in_sequence && pc >= last.address && pc < now.address;
        if (!found) last = now;
        in_sequence = true;
        return found;
    };
    for (Cursor cursor(sections.line.from(0, end), program); !cursor.at_end();) {
        const u64 operation = cursor.number(1);
        if (operation >= first_special) {
            advance(operation);
            if (append()) return last.column;
            continue;
        }
        switch (operation) {
            case kExtended: {
                const u64 bytes = cursor.uleb();
                Cursor extended(cursor.block(bytes));
                const u64 kind = extended.number(1);
                if (kind == kSetAddress) now.address = extended.number(8);
                if (kind != kEndSequence) break;
                if (append()) return last.column;
                now = {};
                in_sequence = false;
                break;
            }
            case kCopy:
                if (append()) return last.column;
                break;
            case kAdvancePc: now.address += cursor.uleb() * least_instruction; break;
            case kSetColumn: now.column = cursor.uleb(); break;
            case kConstAddPc: advance(255); break;
            case kFixedAdvancePc: now.address += cursor.number(2); break;
            default:
                for (u8 i = 0; i < operands[operation]; ++i) cursor.uleb();
        }
    }
    return 0;
}

}  // namespace memspy::dwarf
