// SPDX-License-Identifier: GPL-2.0-or-later
//
// Types of variables in one compilation unit: their sizes, and the member or element at an offset.
#pragma once

#include "dwarf/unit.h"
#include "rt/text.h"

namespace memspy::dwarf {

enum Tag : u16 {
    kArray = 0x01,
    kClass = 0x02,
    kEnumeration = 0x04,
    kParameter = 0x05,
    kLexicalBlock = 0x0b,
    kMember = 0x0d,
    kPointer = 0x0f,
    kReference = 0x10,
    kStructure = 0x13,
    kTypedef = 0x16,
    kUnion = 0x17,
    kInheritance = 0x1c,
    kInlined = 0x1d,
    kModule = 0x1e,
    kSubrange = 0x21,
    kCommonBlock = 0x1a,
    kCatch = 0x25,
    kConst = 0x26,
    kSubprogram = 0x2e,
    kTry = 0x32,
    kVariable = 0x34,
    kVolatile = 0x35,
    kRestrict = 0x37,
    kNamespace = 0x39,
    kRvalueReference = 0x42,
    kAtomic = 0x47
};

// Limits steps through scopes, types and abstract origins, which may be cyclic in a damaged file.
inline constexpr unsigned kMostSteps = 64;

struct PartExtent {
    u64 bytes = 0;   // of the part; 0: not known
    u64 inside = 0;  // offset in it
};

// The dimensions of an array in the order in which the source declares them, those of its elements behind its
// own.
struct DeclaredDimensions {
    static constexpr u32 kMost = 7;
    u32 count = 0;            // 0: no array, or its lengths are not constant
    u64 lengths[kMost] = {};  // all 0: they stand in the descriptor
    u64 element = 0;          // bytes
    bool first_fastest = false;
    bool pointers = false;  // the elements are; count may be 0: one pointer
};

// An array on the way to a part: with elements of a size that is looked for, or in which another byte is in
// another element.
struct ElementPart {
    u64 bytes = 0;   // of an element; 0 in a search for the second kind
    i64 apart = 0;   // the other byte's distance from the part
    u64 inside = 0;  // second kind: the part's offset in its element
    rt::Text array;  // such as stats.counts; empty: there is none
    rt::Text type;   // of its elements: "struct Stats", "long"; empty: not known
    rt::Text file;   // where the type is declared, without its folder; empty: not known, or built in
    u64 line = 0;
    DeclaredDimensions shape;   // of what is pointed to, if it is an array
    rt::Text folder;            // of the file; empty: not known
    bool placed = false;        // of a variable declared where a block is allocated: its column is known
    bool container = false;     // the variable is an object of a class
    u64 unit = 0, type_at = 0;  // where the type is described, for find_in_type() (statics.h); 0: not known
};

// As far as it matters to us.
enum class Language : u8 { Other, C, Fortran, Rust };
// What the code at a link-time address is compiled from.
Language language_of(const Sections& sections, u64 pc);

class TypeReader {
public:
    explicit TypeReader(const InfoUnit& unit) : unit_(unit) {}

    // The attribute of the entry, or of the entry that it is an instance of.
    Attribute inherited(const Entry& entry, AttributeName name) const;
    // The type of a variable or member, without typedefs and qualifiers.
    bool type_of(const Entry& entry, Entry* type) const;
    u64 size_of(const Entry& type, unsigned depth = 0) const;  // 0: not known
    // Of the elements of an array that follow each other: those of its only dimension, or of the one whose
    // index is the fastest.
    u64 row_of(const Entry& array) const;
    // The distance between elements whose slowest index differs by one.
    u64 stride_of(const Entry& array) const;
    // Whether the variable or member is declared _Atomic, volatile or std::atomic.
    bool is_atomic(const Entry& entry) const;
    // Whether the last add_part() came by such a member.
    bool passed_atomic() const { return passed_atomic_; }
    // One of Fortran's arrays whose memory is elsewhere: the variable is its descriptor, as gfortran lays it out.
    bool is_descriptor(const Entry& type) const;
    bool is_pointer(const Entry& type) const { return type.tag == kPointer || is_descriptor(type); }
    // An array whose first dimension is not constant.
    bool is_variable_length(const Entry& type) const;

    // Appends the member or element that holds the `bytes` bytes at `offset`, down to the smallest part.
    // Returns false if the offset is in none of a structure's members. `part` gets the part's type.
    bool add_part(rt::Text& path, Entry type, u64 offset, u64 bytes, PartExtent* extent = nullptr,
                  ElementPart* element = nullptr, Entry* part = nullptr) const;
    DeclaredDimensions shape_of(Entry type) const;
    // Describes the type that a pointer or an array has elements of.
    void describe_element(const Entry& array, ElementPart* element) const;
    // The same with its size, of a descriptor too.
    void describe_target(const Entry& pointer, ElementPart* target) const;

private:
    template <typename F>
    void for_each_dimension(const Entry& array, F f) const;
    bool descend(rt::Text& path, Entry* type, u64* offset, u64 bytes, ElementPart* element) const;
    enum class PartFound : u8 { Yes, Padding, Unclear };
    bool is_hidden(const Entry& structure, const Entry& member, const Entry& type) const;
    PartFound find_part(const Entry& structure, u64 offset, u64 bytes, Entry* part, Entry* type) const;
    // Fortran's: arrays begin with 1, and their first index is the fastest.
    bool is_fortran() const;

    const InfoUnit& unit_;
    mutable bool passed_atomic_ = false;
};

}  // namespace memspy::dwarf
