// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/unit.h"

#include "dwarf/forms.h"
#include "dwarf/line_table.h"

namespace memspy::dwarf {
namespace {

AttributeName name_of(u64 attribute) {
    switch (attribute) {
        case 0x01: return AttributeName::Sibling;
        case 0x02: return AttributeName::Location;
        case 0x03: return AttributeName::Name;
        case 0x0b: return AttributeName::ByteSize;
        case 0x0d: return AttributeName::BitSize;
        case 0x10: return AttributeName::StatementList;
        case 0x11: return AttributeName::LowPc;
        case 0x12: return AttributeName::HighPc;
        case 0x13: return AttributeName::Language;
        case 0x22: return AttributeName::LowerBound;
        case 0x25: return AttributeName::Producer;
        case 0x2f: return AttributeName::UpperBound;
        case 0x31: return AttributeName::AbstractOrigin;
        case 0x32: return AttributeName::Accessibility;
        case 0x37: return AttributeName::Count;
        case 0x38: return AttributeName::DataMemberLocation;
        case 0x39: return AttributeName::DeclaredColumn;
        case 0x3a: return AttributeName::DeclaredFile;
        case 0x3b: return AttributeName::DeclaredLine;
        case 0x3c: return AttributeName::Declaration;
        case 0x40: return AttributeName::FrameBase;
        case 0x47: return AttributeName::Specification;
        case 0x49: return AttributeName::Type;
        case 0x50: return AttributeName::DataLocation;
        case 0x55: return AttributeName::Ranges;
        case 0x57: return AttributeName::CallColumn;
        case 0x58: return AttributeName::CallFile;
        case 0x59: return AttributeName::CallLine;
        case 0x6b: return AttributeName::DataBitOffset;
        case 0x72: return AttributeName::StrOffsetsBase;
        case 0x73: return AttributeName::AddrBase;
        case 0x74: return AttributeName::RnglistsBase;
        case 0x8c: return AttributeName::LoclistsBase;
        default: return AttributeName::End;
    }
}

constexpr u64 kMostAbbreviations = 1 << 20;

}  // namespace

InfoUnit::InfoUnit(const Sections& sections, u64 offset) : sections_(sections), start_(offset) {
    Cursor cursor(sections.info, offset);
    const u64 length = cursor.number(4);
    // The 64-bit format is for files of more than 4 GB.
    if (cursor.failed() || length >= 0xFFFF'FFF0) return;
    end_ = cursor.at() + length;
    version_ = static_cast<u16>(cursor.number(2));
    if (version_ < 2 || version_ > 5) return;
    constexpr u64 kCompileUnit = 1;
    u64 abbreviations;
    if (version_ == 5) {
        if (cursor.number(1) != kCompileUnit || cursor.number(1) != 8) return;
        abbreviations = cursor.number(4);
    } else {
        abbreviations = cursor.number(4);
        if (cursor.number(1) != 8) return;
    }
    if (cursor.failed()) return;
    read_abbreviations(abbreviations);
    readable_ = read(cursor.at(), &root_) && root_.tag != 0;
}

void InfoUnit::read_abbreviations(u64 offset) {
    Cursor cursor(sections_.abbrev, offset);
    while (abbreviations_.size() < kMostAbbreviations) {
        const u64 code = cursor.uleb();
        if (code == 0 || cursor.failed()) return;
        abbreviations_.push_back({code, cursor.at()});
        cursor.uleb();
        cursor.number(1);
        for (;;) {
            const u64 name = cursor.uleb(), form = cursor.uleb();
            if (form == kImplicitConst) cursor.sleb();
            if ((name == 0 && form == 0) || cursor.failed()) break;
        }
    }
}

const InfoUnit::Abbreviation* InfoUnit::find(u64 code) const {
    // Compilers number abbreviations from 1 on.
    if (code - 1 < abbreviations_.size() && abbreviations_[code - 1].code == code)
        return &abbreviations_[code - 1];
    for (const Abbreviation& abbreviation : abbreviations_)
        if (abbreviation.code == code) return &abbreviation;
    return nullptr;
}

bool InfoUnit::read_value(Cursor& cursor, u16 form, i64 implicit, Attribute* value) const {
    if (form == kIndirect) form = static_cast<u16>(cursor.uleb());
    value->form = form;
    switch (form) {
        case kFlagPresent: value->number = 1; break;
        case kImplicitConst: value->number = static_cast<u64>(implicit); break;
        case kData1:
        case kFlag:
        case kRef1:
        case kStrx1:
        case kAddrx1: value->number = cursor.number(1); break;
        case kData2:
        case kRef2:
        case kStrx2:
        case kAddrx2: value->number = cursor.number(2); break;
        case kStrx3:
        case kAddrx3: value->number = cursor.number(3); break;
        case kData4:
        case kRef4:
        case kStrx4:
        case kAddrx4:
        case kStrp:
        case kLineStrp:
        case kSecOffset:
        case kRefSup4:
        case kStrpSup:
        case kGnuRefAlt:
        case kGnuStrpAlt: value->number = cursor.number(4); break;
        case kRefAddr: value->number = cursor.number(version_ == 2 ? 8 : 4); break;
        case kAddr:
        case kData8:
        case kRef8:
        case kRefSig8:
        case kRefSup8: value->number = cursor.number(8); break;
        case kData16: cursor.block(16); break;
        case kSdata: value->number = static_cast<u64>(cursor.sleb()); break;
        case kUdata:
        case kRefUdata:
        case kStrx:
        case kAddrx:
        case kLoclistx:
        case kRnglistx: value->number = cursor.uleb(); break;
        case kBlock1: value->block = cursor.block(cursor.number(1)); break;
        case kBlock2: value->block = cursor.block(cursor.number(2)); break;
        case kBlock4: value->block = cursor.block(cursor.number(4)); break;
        case kBlock:
        case kExprloc: value->block = cursor.block(cursor.uleb()); break;
        case kString:
            value->block = {sections_.info.data + cursor.at(), 0};
            cursor.text();
            break;
        default: return false;
    }
    return !cursor.failed();
}

bool InfoUnit::read(u64 offset, Entry* entry) const {
    if (offset < start_ || offset >= end_) return false;
    *entry = Entry{};
    entry->offset = offset;
    Cursor cursor(sections_.info.from(0, end_), offset);
    const u64 code = cursor.uleb();
    entry->next = cursor.at();
    if (code == 0) return !cursor.failed();
    const Abbreviation* abbreviation = find(code);
    if (abbreviation == nullptr) return false;
    Cursor description(sections_.abbrev, abbreviation->at);
    entry->tag = static_cast<u16>(description.uleb());
    entry->has_children = description.number(1) != 0;
    for (;;) {
        const u64 attribute = description.uleb(), form = description.uleb();
        const i64 implicit = form == kImplicitConst ? description.sleb() : 0;
        if (description.failed()) return false;
        if (attribute == 0 && form == 0) break;
        Attribute value;
        if (!read_value(cursor, static_cast<u16>(form), implicit, &value)) return false;
        if (const AttributeName name = name_of(attribute); name != AttributeName::End)
            entry->attributes[static_cast<usize>(name)] = value;
    }
    entry->next = cursor.at();
    return true;
}

u64 InfoUnit::after(const Entry& entry) const {
    if (!entry.has_children) return entry.next;
    if (const u64 sibling = reference(entry[AttributeName::Sibling]); sibling > entry.offset) return sibling;
    Entry child;
    u64 at = entry.next;
    for (u64 depth = 1; depth > 0; at = child.next) {
        if (!read(at, &child)) return end_;
        if (child.tag == 0) {
            --depth;
        } else if (child.has_children) {
            if (const u64 sibling = reference(child[AttributeName::Sibling]); sibling > child.offset)
                child.next = sibling;
            else
                ++depth;
        }
    }
    return at;
}

const char* InfoUnit::text(const Attribute& attribute) const {
    switch (attribute.form) {
        case kString: return reinterpret_cast<const char*>(attribute.block.data);
        case kStrp: return Cursor(sections_.str, attribute.number).text();
        case kLineStrp: return Cursor(sections_.line_str, attribute.number).text();
        case kStrx:
        case kStrx1:
        case kStrx2:
        case kStrx3:
        case kStrx4: {
            Cursor cursor(sections_.str_offsets,
                          root_[AttributeName::StrOffsetsBase].number + 4 * attribute.number);
            const u64 offset = cursor.number(4);
            return cursor.failed() ? nullptr : Cursor(sections_.str, offset).text();
        }
        default: return nullptr;
    }
}

u64 InfoUnit::reference(const Attribute& attribute) const {
    u64 offset = attribute.number;
    if (is_one_of(attribute.form, {kRef1, kRef2, kRef4, kRef8, kRefUdata}))
        offset += start_;
    else if (attribute.form != kRefAddr)
        return 0;
    return offset > start_ && offset < end_ ? offset : 0;
}

i64 InfoUnit::constant(const Attribute& attribute, i64 otherwise) const {
    if (is_one_of(attribute.form, {kData1, kData2, kData4, kData8, kSdata, kUdata, kImplicitConst}))
        return static_cast<i64>(attribute.number);
    // DWARF 2: DW_OP_plus_uconst.
    if (attribute.block.size > 1 && attribute.block.data[0] == 0x23)
        return static_cast<i64>(Cursor(attribute.block, 1).uleb());
    return otherwise;
}

u64 InfoUnit::indexed_address(u64 index) const {
    return Cursor(sections_.addr, root_[AttributeName::AddrBase].number + 8 * index).number(8);
}

u64 InfoUnit::address(const Attribute& attribute) const {
    if (is_one_of(attribute.form, {kAddrx, kAddrx1, kAddrx2, kAddrx3, kAddrx4}))
        return indexed_address(attribute.number);
    return attribute.form == kAddr ? attribute.number : 0;
}

u64 InfoUnit::constant_address(const Attribute& attribute) const {
    constexpr u64 kAddress = 0x03, kPlus = 0x23, kIndexedAddress = 0xa1;
    const FileBytes expression = location(attribute, 0);
    Cursor cursor(expression);
    const u64 operation = cursor.number(1);
    u64 address = 0;
    if (operation == kAddress)
        address = cursor.number(8);
    else if (operation == kIndexedAddress)
        address = indexed_address(cursor.uleb());
    else
        return 0;
    if (!cursor.at_end() && cursor.number(1) == kPlus) address += cursor.uleb();
    return cursor.failed() || cursor.at() != expression.size ? 0 : address;
}

bool InfoUnit::thread_offset(const Attribute& attribute, u64* offset) const {
    constexpr u64 kConstant4 = 0x0c, kConstant8 = 0x0e, kOfThread = 0x9b, kOfThreadGnu = 0xe0, kPlus = 0x23;
    const FileBytes expression = location(attribute, 0);
    Cursor cursor(expression);
    const u64 operation = cursor.number(1);
    if (operation != kConstant4 && operation != kConstant8) return false;
    *offset = cursor.number(operation == kConstant4 ? 4 : 8);
    const u64 place = cursor.number(1);
    if (place != kOfThread && place != kOfThreadGnu) return false;
    // A member of a COMMON block.
    if (!cursor.at_end() && cursor.number(1) == kPlus) *offset += cursor.uleb();
    return !cursor.failed() && cursor.at_end();
}

void InfoUnit::add_file(rt::Text& text, u64 number, rt::Text* folder) const {
    const Attribute& statements = root_[AttributeName::StatementList];
    if (!statements.is_there()) return;
    Cursor cursor(sections_.line, statements.number);
    const u64 version = read_line_header(cursor).version;
    const char* name = nullptr;
    rt::Vector<const char*> folders;  // null: not known
    u64 in_folder = 0;
    if (version >= 5) {
        constexpr u64 kPath = 1, kFolder = 2;
        // Folders, then files: a description of an entry's fields, the number of entries, these.
        for (const bool files : {false, true}) {
            Cursor fields = cursor;
            const u64 count = cursor.number(1);
            for (u64 i = 0; i < 2 * count; ++i) cursor.uleb();
            const u64 entries = cursor.uleb();
            for (u64 entry = 0; entry < entries && !cursor.failed() && (!files || entry <= number); ++entry) {
                Cursor field = fields;
                field.number(1);
                for (u64 i = 0; i < count; ++i) {
                    const u64 content = field.uleb(), form = field.uleb();
                    Attribute value;
                    if (form == kString) {
                        value.form = kString;
                        value.block.data = sections_.line.data + cursor.at();
                        cursor.text();
                    } else if (!read_value(cursor, static_cast<u16>(form), 0, &value)) {
                        return;
                    }
                    if (content == kPath && !files) folders.push_back(this->text(value));
                    if (content == kPath && files && entry == number) name = this->text(value);
                    if (content == kFolder && files && entry == number) in_folder = value.number;
                }
            }
        }
    } else if (version != 0 && number > 0) {
        folders.push_back(nullptr);  // the unit's own
        while (const char* each = cursor.text()) {
            if (each[0] == '\0') break;
            folders.push_back(each);
        }
        for (u64 i = 1; i <= number && !cursor.failed(); ++i) {
            name = cursor.text();
            if (name == nullptr || name[0] == '\0') return;
            in_folder = cursor.uleb();
            for (int skipped = 0; skipped < 2; ++skipped) cursor.uleb();
        }
    }
    if (name == nullptr || cursor.failed()) return;
    const char* base = name;
    for (const char* at = name; *at != '\0'; ++at)
        if (*at == '/') base = at + 1;
    text.add(base);
    if (folder == nullptr) return;
    if (name[0] != '/' && in_folder < folders.size() && folders[in_folder] != nullptr)
        folder->add(folders[in_folder]).add('/');
    for (const char* at = name; at != base; ++at) folder->add(*at);
}

u64 InfoUnit::column(u64 pc) const {
    const Attribute& statements = root_[AttributeName::StatementList];
    return statements.is_there() ? column_at(sections_, statements.number, pc) : 0;
}

u64 unit_by_aranges(const Sections& sections, u64 pc) {
    for (Cursor cursor(sections.aranges); !cursor.at_end();) {
        const u64 length = cursor.number(4);
        if (length >= 0xFFFF'FFF0) return 0;
        const u64 start = cursor.at();
        Cursor table(sections.aranges.from(0, start + length), start);
        table.number(2);
        const u64 unit = table.number(4);
        table.number(2);
        table.block((start + 8 - (start - 4) + 15) / 16 * 16 - (start + 8 - (start - 4)));
        while (!table.at_end()) {
            const u64 begin = table.number(8), size = table.number(8);
            if (table.failed() || (begin == 0 && size == 0)) break;
            if (pc - begin < size) return unit;
        }
        cursor.block(length);
    }
    return 0;
}

}  // namespace memspy::dwarf
