// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/line_table.h"

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

LineHeader read_line_header(Cursor& cursor) {
    LineHeader header;
    const u64 length = cursor.number(4);
    header.end = cursor.at() + length;
    const u64 version = cursor.number(2);
    // The 64-bit format is for files of more than 4 GB.
    if (length >= 0xFFFF'FFF0 || version < 2 || version > 5) return {};
    if (version >= 5) cursor.number(2);  // sizes of addresses and selectors
    const u64 rest = cursor.number(4);
    header.program = cursor.at() + rest;
    header.least_instruction = cursor.number(1);
    cursor.block(version >= 4 ? 3 : 2);  // operations of an instruction, is-a-statement, line base
    header.line_range = cursor.number(1);
    header.first_special = cursor.number(1);
    header.operands = cursor.block(header.first_special == 0 ? 0 : header.first_special - 1);
    if (!cursor.failed()) header.version = version;
    return header;
}

u64 column_at(const Sections& sections, u64 table, u64 pc) {
    Cursor start(sections.line, table);
    const LineHeader header = read_line_header(start);
    if (header.version == 0 || header.line_range == 0 || header.end > sections.line.size) return 0;

    Row now, last;
    bool in_sequence = false;  // `last` is a row of it
    const auto advance = [&](u64 special) {
        now.address += (special - header.first_special) / header.line_range * header.least_instruction;
    };
    // Whether `last` is the row of `pc`, because the next one begins behind it.
    const auto append = [&] {
        const bool found = in_sequence && pc >= last.address && pc < now.address;
        if (!found) last = now;
        in_sequence = true;
        return found;
    };
    for (Cursor cursor(sections.line.from(0, header.end), header.program); !cursor.at_end();) {
        const u64 operation = cursor.number(1);
        if (operation >= header.first_special) {
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
            case kAdvancePc: now.address += cursor.uleb() * header.least_instruction; break;
            case kSetColumn: now.column = cursor.uleb(); break;
            case kConstAddPc: advance(255); break;
            case kFixedAdvancePc: now.address += cursor.number(2); break;
            default:
                for (u8 i = 0; i < header.operands.data[operation - 1]; ++i) cursor.uleb();
        }
    }
    return 0;
}

}  // namespace memspy::dwarf
