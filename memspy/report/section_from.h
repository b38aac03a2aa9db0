// SPDX-License-Identifier: GPL-2.0-or-later
//
// Included once in a section's own source file, behind its records.h: defines kRecords of the namespace.
//
//     #define MEMSPY_FIELDS "fields/zeros.def"
//     #include "report/section_from.h"
#define ELEMENT(record, form)
#define FIELD(type, member, name, role, presence)
#define FIELD_OR(type, member, name, role, absent)
#define PROCESSES()
#define PART(type, member, name, presence)
#define LIST(type, member, name, json, role)
#define WORDS(member, name)
#define TEXT(member, json)
#define NUMBERS(member, json)
#define PAIRS(member, json, between)
#define WRITTEN(member, name)
#define END(record)
#define SECTION(name) static constexpr RecordType kRecordTable[] = {
#define RECORD(type, element, many, json) record_type<type>(element, Multiplicity::many, json),
#define END_SECTION()                                                                                        \
    }                                                                                                        \
    ;
#include MEMSPY_FIELDS
constexpr std::span<const RecordType> kRecords{kRecordTable};
#include "fields/undefine.h"
