// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/line_reader.h"

#include "dwarf/forms.h"
#include "dwarf/inlined_calls.h"
#include "dwarf/line_table.h"
#include "rt/vector.h"
#include "vg/compat.h"
#include "vg/mapped_file.h"

extern "C" {
using memspy::vg::FilePart;
void __real_vgModuleLocal_read_debuginfo_dwarf3(_DebugInfo*, FilePart, FilePart, FilePart, FilePart, FilePart,
                                                FilePart, FilePart);
void* __real_vgModuleLocal_img_from_local_file(const HChar*);
void __real_vgModuleLocal_img_done(void*);
UInt vgModuleLocal_addFnDn(_DebugInfo*, const HChar* file, const HChar* folder);
const HChar* vgModuleLocal_addStr(_DebugInfo*, const HChar*, Int length);
void vgModuleLocal_addInlInfo(_DebugInfo*, Addr begin, Addr end, const HChar* function, UInt file, Int line,
                              UShort level);
void vgModuleLocal_img_get(void* into, const void* image, ULong offset, SizeT bytes);
}

namespace memspy::vg {
namespace {

using dwarf::Cursor;
using dwarf::FileBytes;

constexpr bool kKnowsAll = __VALGRIND_MINOR__ >= 22;
constexpr u64 kLongFormat = 0xFFFF'FFFF;  // a length of 64 bits follows (-gdwarf64)

// The first `Most` bytes of a part from `at` on, or what there is.
template <usize Most>
struct LoadedBytes {
    u8 bytes[Most];
    usize size = 0;
    LoadedBytes(const FilePart& part, u64 at) {
        if (part.image == nullptr || at >= part.bytes) return;
        size = part.bytes - at < Most ? part.bytes - at : Most;
        vgModuleLocal_img_get(bytes, part.image, part.offset + at, size);
    }
    Cursor cursor() const { return Cursor(FileBytes{bytes, size}); }
};

bool is_number_of_something(u64 form) {
    return form == dwarf::kStrx || form == dwarf::kAddrx || form == dwarf::kLoclistx ||
           form == dwarf::kRnglistx || (form >= dwarf::kStrx1 && form <= dwarf::kAddrx4);
}
// What is declared at `at` in .debug_abbrev.
bool has_numbers(const FilePart& abbrev, u64 at) {
    const LoadedBytes<128> declaration(abbrev, at);
    Cursor cursor = declaration.cursor();
    cursor.uleb();     // its number
    cursor.uleb();     // tag
    cursor.number(1);  // whether there are children
    while (!cursor.failed()) {
        const u64 name = cursor.uleb(), form = cursor.uleb();
        if (name == 0) return false;
        if (is_number_of_something(form)) return true;
        if (form == dwarf::kImplicitConst) cursor.sleb();
    }
    return false;
}

bool core_knows_units(const LineParts& parts) {
    constexpr u64 kSkeleton = 4;  // of split debug information
    if (kKnowsAll) return true;
    for (u64 at = 0; at < parts.info.bytes;) {
        const LoadedBytes<12> header(parts.info, at);
        Cursor cursor = header.cursor();
        const u64 length = cursor.number(4), version = cursor.number(2), kind = cursor.number(1);
        if (cursor.failed()) return true;
        if (length == kLongFormat) return false;
        cursor.number(1);  // the size of addresses
        const u64 abbreviations = cursor.number(4);
        if (version == 5 && (kind == kSkeleton || has_numbers(parts.abbrev, abbreviations))) return false;
        at += 4 + length;
    }
    return true;
}

// --- the units that the core reads instead

// The first one is a unit without children: its line table, by the offset, and its folder.
constexpr u64 kUnitTag = 0x11, kStatementList = 0x10, kFolder = 0x1b;
constexpr u8 kAbbreviations[] = {1, kUnitTag, 0, kStatementList, dwarf::kSecOffset, kFolder, dwarf::kString,
                                 0, 0,        0};

void add_number(rt::Vector<u8>& bytes, u64 value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) bytes.push_back(static_cast<u8>(value >> (8 * i)));
}
void add_text(rt::Vector<u8>& bytes, const char* text) {
    do bytes.push_back(static_cast<u8>(*text));
    while (*text++ != '\0');
}

// Of a line table's first folder, the one that the unit was compiled in; before DWARF 5 it is not there.
void add_folder(rt::Vector<u8>& info, u64 version, Cursor tables, const FilePart& line_str) {
    constexpr u64 kPath = 1;
    const u64 formats = version >= 5 ? tables.number(1) : 0;
    const u64 content = tables.uleb(), form = tables.uleb();
    for (u64 i = 1; i < formats; ++i) tables.uleb(), tables.uleb();
    const u64 folders = tables.uleb();
    if (formats == 0 || folders == 0 || content != kPath) return add_text(info, "");
    const char* text = nullptr;
    if (form == dwarf::kString) {
        text = tables.text();
        return add_text(info, text != nullptr ? text : "");
    }
    const LoadedBytes<512> folder(line_str, form == dwarf::kLineStrp ? tables.number(4) : line_str.bytes);
    text = folder.cursor().text();
    add_text(info, text != nullptr ? text : "");
}

void add_unit(rt::Vector<u8>& info, u64 table, u64 version, Cursor tables, const FilePart& line_str) {
    const usize start = info.size();
    add_number(info, 0, 4);
    add_number(info, 4, 2);  // DWARF 4
    add_number(info, 0, 4);  // kAbbreviations
    add_number(info, 8, 1);
    add_number(info, 1, 1);
    add_number(info, table, 4);
    add_folder(info, version, tables, line_str);
    const u64 length = info.size() - start - 4;
    for (unsigned i = 0; i < 4; ++i) info[start + i] = static_cast<u8>(length >> (8 * i));
}

// A unit for each line table.
void make_units(const LineParts& parts, rt::Vector<u8>& info) {
    for (u64 at = 0; at < parts.line.bytes;) {
        const LoadedBytes<1024> loaded(parts.line, at);
        Cursor cursor = loaded.cursor();
        const dwarf::LineHeader header = dwarf::read_line_header(cursor);
        Cursor start = loaded.cursor();
        const bool is_long = start.number(4) == kLongFormat;
        if (header.version == 0 && !is_long) return;
        // The core does not read those of the long format.
        if (!is_long) add_unit(info, at, header.version, cursor, parts.line_str);
        at += is_long ? 12 + start.number(8) : header.end;
    }
}

// Null if there is no memory for it.
void* image_of(const rt::Vector<u8>& bytes) {
    const SysRes made = system_call(__NR_memfd_create, reinterpret_cast<UWord>("memspy.units"), 0);
    if (sr_isError(made)) return nullptr;
    const Int file = static_cast<Int>(sr_Res(made));
    const Int size = static_cast<Int>(bytes.size());
    HChar path[32];
    VG_(sprintf)(path, "/proc/self/fd/%d", file);
    void* const image = VG_(write)(file, bytes.data(), size) == size
                            ? __real_vgModuleLocal_img_from_local_file(path)
                            : nullptr;
    VG_(close)(file);
    return image;
}

void read_as_they_are(_DebugInfo* module, const LineParts& parts) {
    __real_vgModuleLocal_read_debuginfo_dwarf3(module, parts.info, parts.types, parts.abbrev, parts.line,
                                               parts.str, parts.other_str, parts.line_str);
}

}  // namespace

bool read_lines(_DebugInfo* module, const LineParts& parts) {
    if (core_knows_units(parts)) {
        read_as_they_are(module, parts);
        return true;
    }
    rt::Vector<u8> bytes;
    for (const u8 byte : kAbbreviations) bytes.push_back(byte);
    make_units(parts, bytes);
    if (void* const image = image_of(bytes)) {
        LineParts plain = parts;
        plain.types = {};
        plain.abbrev = {image, 0, sizeof kAbbreviations};
        plain.info = {image, sizeof kAbbreviations, bytes.size() - sizeof kAbbreviations};
        read_as_they_are(module, plain);
        __real_vgModuleLocal_img_done(image);
    }
    return false;
}

void read_inlined_calls_ourselves(_DebugInfo* module) {
    const MappedFile file(VG_(DebugInfo_get_filename)(module));
    const dwarf::Sections sections(dwarf::FileBytes{file.data(), file.size()});
    const auto add = [](const dwarf::InlinedPiece& piece, void* to) {
        auto* const into = static_cast<_DebugInfo*>(to);
        const Addr bias = static_cast<Addr>(VG_(DebugInfo_get_text_bias)(into));
        const char* const function = piece.function != nullptr ? piece.function : "UnknownInlinedFun";
        vgModuleLocal_addInlInfo(into, piece.begin + bias, piece.end + bias,
                                 vgModuleLocal_addStr(into, function, -1),
                                 vgModuleLocal_addFnDn(into, piece.file, piece.folder),
                                 static_cast<Int>(piece.line), static_cast<UShort>(piece.level));
    };
    dwarf::list_inlined_calls(sections, add, module);
}

}  // namespace memspy::vg
