// SPDX-License-Identifier: GPL-2.0-or-later
//
// The record types of one section, from its table of fields:
//
//     namespace memspy::report::zeros {
//     #define MEMSPY_FIELDS "fields/zeros.def"
//     #include "report/records_from.h"
//     }
//
// makes a struct for each ELEMENT, with fields() and parts() (fields.h), and kRecords, the section's
// RecordTypes (record_type.h). It may be included many times; common/fields/README.md has the macros.
// NOLINTBEGIN(bugprone-macro-parentheses)

#define FIELD(type, member, name, role, presence) FIELD_##presence(type, member, name, role)
#define PROCESSES() FIELD_OR(u64, processes, "processes", Count, 1)

// The structs.
#define ELEMENT(record, form)                                                                                \
    struct record {                                                                                          \
        static constexpr JsonForm kForm = JsonForm::form;                                                    \
        bool operator==(const record&) const = default;
#define FIELD_Always(type, member, name, role) type member{};
#define FIELD_Optional(type, member, name, role) type member{};
#define FIELD_OR(type, member, name, role, absent) type member = absent;
#define KINDS(type, member, ...)                                                                             \
    type member{};                                                                                           \
    static constexpr const char* kKinds[] = {__VA_ARGS__};
#define PART(type, member, name, presence) type member{};
#define LIST(type, member, name, json, role) std::vector<type> member;
#define WORDS(member, name) Text member;
#define TEXT(member, json) Text member;
#define NUMBERS(member, json) std::vector<u64> member;
#define PAIRS(member, json, between) std::vector<NumberPair> member;
#define WRITTEN(member, name)
#define END(record)                                                                                          \
    static constexpr auto fields();                                                                          \
    static constexpr auto parts();                                                                           \
    }                                                                                                        \
    ;
#define SECTION(name)
#define RECORD(type, element, many, json)
#define END_SECTION()
#define DOCUMENT(type, element)
#define HELD(type, container, element)
#include MEMSPY_FIELDS
#include "fields/undefine_elements.h"

// Their fields.
#define ELEMENT(record, form)                                                                                \
    constexpr auto record::fields() {                                                                        \
        using R = record;                                                                                    \
        return std::tuple_cat(
#define FIELD_Always(type, member, name, role)                                                               \
    std::tuple{Field<R, type>{name, &R::member, Role::role, true, {}}},
#define FIELD_Optional(type, member, name, role)                                                             \
    std::tuple{Field<R, type>{name, &R::member, Role::role, false, {}}},
#define FIELD_OR(type, member, name, role, absent)                                                           \
    std::tuple{Field<R, type>{name, &R::member, Role::role, false, absent}},
#define KINDS(type, member, ...)
#define PART(type, member, name, presence)
#define LIST(type, member, name, json, role)
#define WORDS(member, name)
#define TEXT(member, json)
#define NUMBERS(member, json)
#define PAIRS(member, json, between)
#define WRITTEN(member, name)
#define END(record)                                                                                          \
    std::tuple<>{});                                                                                         \
    static_assert(std::is_aggregate_v<R>);                                                                   \
    }
#include MEMSPY_FIELDS
#include "fields/undefine_elements.h"

// Their parts, and the section.
#define ELEMENT(record, form)                                                                                \
    constexpr auto record::parts() {                                                                         \
        using R = record;                                                                                    \
        return std::tuple_cat(
#define FIELD_Always(type, member, name, role)
#define FIELD_Optional(type, member, name, role)
#define FIELD_OR(type, member, name, role, absent)
#define KINDS(type, member, ...)
#define PART(type, member, name, presence)                                                                   \
    std::tuple{Part<R, type>{name, &R::member, std::string_view(#presence) == "Always"}},
#define LIST(type, member, name, json, role)                                                                 \
    std::tuple{List<R, type>{name, json, &R::member, ListRole::role}},
#define WORDS(member, name) std::tuple{Words<R>{name, &R::member}},
#define TEXT(member, json) std::tuple{OwnText<R>{json, &R::member}},
#define NUMBERS(member, json) std::tuple{OwnNumbers<R>{json, &R::member}},
#define PAIRS(member, json, between) std::tuple{OwnPairs<R>{json, between, &R::member}},
#define WRITTEN(member, name)
#define END(record)                                                                                          \
    std::tuple<>{});                                                                                         \
    static_assert(std::is_aggregate_v<R>);                                                                   \
    }
#undef SECTION
#undef RECORD
#undef END_SECTION
#define SECTION(name)                                                                                        \
    inline constexpr std::string_view kName = name;                                                          \
    extern const std::span<const RecordType> kRecords;
#define RECORD(type, element, many, json)
#define END_SECTION()
#include MEMSPY_FIELDS
#include "fields/undefine.h"
// NOLINTEND(bugprone-macro-parentheses)
