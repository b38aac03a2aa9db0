// SPDX-License-Identifier: GPL-2.0-or-later
//
// The interface of generic code to a record of a section: how it is read, merged and taken apart, whatever
// its type. Each RecordType is made by record_type<R>() from R's fields and parts, so a new record needs no
// hand-written code.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "report/fields.h"

namespace memspy::report {

class MergedRecords;
class StringPool;
struct XmlAttribute;

// An attribute's value, for code that does not depend on the record's type.
struct Value {
    enum class Kind : u8 { Number, Real, YesNo, Hexadecimal, String, Module, Stack, Object, Thread };
    Kind kind = Kind::Number;
    u64 number = 0;  // of all kinds except Real and Text
    double real = 0;
    Text text;
};

// Takes a record apart, in the order of the file: attributes first.
class RecordVisitor {
public:
    virtual ~RecordVisitor() = default;
    // `present`: false if it has the value that is left out.
    virtual void value(std::string_view name, Role role, const Value& value, bool present) = 0;
    // A child element, with its own values and parts until end_part(). `present` as above.
    virtual void begin_part(std::string_view element, JsonForm form, bool present) = 0;
    virtual void end_part() = 0;
    virtual void begin_list(std::string_view json) = 0;
    virtual void begin_item(std::string_view element, JsonForm form) = 0;
    virtual void end_item() = 0;
    virtual void end_list() = 0;
    virtual void words(std::string_view element, Text text) = 0;
    virtual void text(std::string_view json, Text text) = 0;
    virtual void numbers(std::string_view json, std::span<const u64> numbers) = 0;
    virtual void pairs(std::string_view json, char between, std::span<const NumberPair> pairs) = 0;
};

// For readers: an element that is being read. A null `element` is unknown to the format.
struct ElementReader;
struct OpenElement {
    const ElementReader* element = nullptr;
    void* record = nullptr;
};
struct ElementReader {
    // Throws BadElement.
    void (*attributes)(void* record, std::string_view element, std::span<const XmlAttribute> attributes,
                       StringPool& strings);
    OpenElement (*child)(void* record, std::string_view element);
    void (*text)(void* record, std::string_view text, StringPool& strings);
};

enum class Multiplicity : u8 {
    Own,  // the attributes of the section's own element; always first
    One,  // one such element
    Many
};

struct RecordType {
    std::string_view element, json;
    Multiplicity multiplicity;
    const void* tag;  // its address identifies the type
    const ElementReader* reader;
    std::shared_ptr<void> (*make)();
    void (*clear)(void* record);
    void (*visit)(const void* record, RecordVisitor& visitor);
    // Calls `check(kind, number, argument)` for each reference that is not 0.
    void (*references)(const void* record, void (*check)(Value::Kind, u32, void*), void* argument);
    std::unique_ptr<MergedRecords> (*merged)(const RecordType& type);
};

template <typename R>
inline constexpr char kTypeTag = 0;

struct Section;

// A record on its way to a ProfileHandler; valid during the call.
struct AnyRecord {
    const Section& section;
    const RecordType& type;
    const void* data;

    // Null if the record has another type.
    template <typename R>
    const R* as() const {
        return type.tag == &kTypeTag<R> ? static_cast<const R*>(data) : nullptr;
    }
    void visit(RecordVisitor& visitor) const { type.visit(data, visitor); }
};

}  // namespace memspy::report
