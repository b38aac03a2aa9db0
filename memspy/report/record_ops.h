// SPDX-License-Identifier: GPL-2.0-or-later
//
// record_type<R>(): implements RecordType with R's fields and parts.
#pragma once

#include "report/merged_records.h"
#include "report/parse.h"
#include "report/record_type.h"

namespace memspy::report {

inline Value value_of(u64 value) { return {Value::Kind::Number, value, 0, {}}; }
inline Value value_of(double value) { return {Value::Kind::Real, 0, value, {}}; }
inline Value value_of(bool value) { return {Value::Kind::YesNo, value ? 1u : 0u, 0, {}}; }
inline Value value_of(Address value) { return {Value::Kind::Hexadecimal, value.value, 0, {}}; }
inline Value value_of(Text value) { return {Value::Kind::String, 0, 0, value}; }
inline Value value_of(ModuleId value) { return {Value::Kind::Module, static_cast<u64>(value), 0, {}}; }
inline Value value_of(StackId value) { return {Value::Kind::Stack, static_cast<u64>(value), 0, {}}; }
inline Value value_of(ObjectId value) { return {Value::Kind::Object, static_cast<u64>(value), 0, {}}; }
inline Value value_of(ThreadId value) { return {Value::Kind::Thread, static_cast<u64>(value), 0, {}}; }

template <typename R>
void visit_fields(const R& record, RecordVisitor& visitor) {
    for_each_field<R>([&](const auto& field) {
        const auto& value = record.*field.member;
        visitor.value(field.name, field.role, value_of(value), field.required || value != field.absent);
    });
}

template <typename R>
void visit_record(const R& record, RecordVisitor& visitor) {
    visit_fields(record, visitor);
    for_each_part<R>([&](const auto& part) {
        const auto& held = record.*part.member;
        if constexpr (requires { part.role; }) {
            visitor.begin_list(part.json);
            for (const auto& each : held) {
                visitor.begin_item(part.element, each.kForm);
                visit_record(each, visitor);
                visitor.end_item();
            }
            visitor.end_list();
        } else if constexpr (requires { part.required; }) {
            visitor.begin_part(part.element, held.kForm,
                               part.required || held != std::remove_cvref_t<decltype(held)>{});
            visit_record(held, visitor);
            visitor.end_part();
        } else if constexpr (requires { part.between; }) {
            visitor.pairs(part.json, part.between, held);
        } else if constexpr (requires { part.element; }) {
            visitor.words(part.element, held);
        } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, Text>) {
            visitor.text(part.json, held);
        } else {
            visitor.numbers(part.json, held);
        }
    });
}

// An element that is only a text.
inline constexpr ElementReader kTextReader{
    [](void*, std::string_view, std::span<const XmlAttribute>, StringPool&) {},
    [](void*, std::string_view) { return OpenElement{}; },
    [](void* text, std::string_view content, StringPool& strings) {
        *static_cast<Text*>(text) = strings.intern(content);
    }};

template <typename R>
struct ReaderOf {
    static void attributes(void* record, std::string_view element, std::span<const XmlAttribute> attributes,
                           StringPool& strings) {
        read_attributes(*static_cast<R*>(record), element, attributes, strings);
    }
    static OpenElement child(void* parent, std::string_view element) {
        R& record = *static_cast<R*>(parent);
        OpenElement found;
        for_each_part<R>([&](const auto& part) {
            if constexpr (requires { part.element; }) {
                if (part.element != element) return;
                auto& held = record.*part.member;
                if constexpr (requires { part.role; }) {
                    using Element = typename std::remove_cvref_t<decltype(held)>::value_type;
                    found = {&ReaderOf<Element>::kReader, &held.emplace_back()};
                } else if constexpr (requires { part.required; }) {
                    found = {&ReaderOf<std::remove_cvref_t<decltype(held)>>::kReader, &held};
                } else {
                    found = {&kTextReader, &held};
                }
            }
        });
        return found;
    }
    static void text(void* parent, std::string_view content, StringPool& strings) {
        R& record = *static_cast<R*>(parent);
        for_each_part<R>([&](const auto& part) {
            if constexpr (!requires { part.element; }) {
                auto& held = record.*part.member;
                if constexpr (requires { part.between; })
                    held = parse_pairs(content, part.between);
                else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, Text>)
                    held = strings.intern(content);
                else
                    held = parse_numbers(content);
            }
        });
    }
    static constexpr ElementReader kReader{attributes, child, text};
};

template <typename R>
constexpr RecordType record_type(std::string_view element, Multiplicity multiplicity, std::string_view json) {
    return {element,
            json,
            multiplicity,
            &kTypeTag<R>,
            &ReaderOf<R>::kReader,
            []() -> std::shared_ptr<void> { return std::make_shared<R>(); },
            [](void* record) { *static_cast<R*>(record) = R{}; },
            [](const void* record, RecordVisitor& visitor) {
                visit_record(*static_cast<const R*>(record), visitor);
            },
            [](const void* record, void (*check)(Value::Kind, u32, void*), void* argument) {
                for_each_reference(*static_cast<const R*>(record), [&](const auto& id) {
                    if (static_cast<u32>(id) != 0) check(value_of(id).kind, static_cast<u32>(id), argument);
                });
            },
            [](const RecordType& type) -> std::unique_ptr<MergedRecords> {
                return std::make_unique<MergedRecordsOf<R>>(type.multiplicity);
            }};
}

}  // namespace memspy::report
