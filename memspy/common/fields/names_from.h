// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names of one section for whoever writes it, from its table of fields:
//
//     namespace memspy::fields::zeros {
//     #define MEMSPY_FIELDS "fields/zeros.def"
//     #include "fields/names_from.h"
//     }
//
// makes `Row::loads` the attribute "loads", `Row::advice` the child element "advice", `kRow` the element
// "row" where it stands directly in the section. Of what stands ahead of the sections (common.h), `kModules`
// is the element that holds each `kModule`, and `Object::kKinds` are the elements of a record of several
// kinds.
#define ELEMENT(record, form) struct record {
#define FIELD(type, member, name, role, presence) static constexpr char member[] = name;
#define FIELD_OR(type, member, name, role, absent) static constexpr char member[] = name;
#define PROCESSES()
#define KINDS(type, member, ...) static constexpr const char* kKinds[] = {__VA_ARGS__};
#define PART(type, member, name, presence) static constexpr char member[] = name;
#define LIST(type, member, name, json, role) static constexpr char member[] = name;
#define WORDS(member, name) static constexpr char member[] = name;
#define TEXT(member, json)
#define NUMBERS(member, json)
#define PAIRS(member, json, between)
#define WRITTEN(member, name) static constexpr char member[] = name;
#define END(record)                                                                                          \
    }                                                                                                        \
    ;
#define SECTION(name) inline constexpr char kSection[] = name;
#define RECORD(type, element, many, json) inline constexpr char k##type[] = element;
#define END_SECTION()
#define DOCUMENT(type, element) inline constexpr char k##type[] = element;
#define HELD(type, container, element)                                                                       \
    inline constexpr char k##type##s[] = container;                                                          \
    inline constexpr char k##type[] = element;
#include MEMSPY_FIELDS
#include "fields/undefine.h"
