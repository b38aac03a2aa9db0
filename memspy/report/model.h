// SPDX-License-Identifier: GPL-2.0-or-later
//
// The profile file as records, in the order of docs/profile.rng, which explains each. A reader passes them one
// by one to a ProfileHandler; nothing here keeps a whole file.
//
// All text is a std::string_view into the StringPool given to the reader, so records are cheap to copy and
// stay valid as long as the pool.
#pragma once

#include <span>
#include <vector>

#include "report/fields.h"
#include "report/record_type.h"

namespace memspy::report {

inline constexpr u64 kOldestProfileFormat = 1, kProfileFormat = 2;

enum class ObjectKind : u8 { Heap, Static, Frames, Unknown };

// A thread or rank that is not known.
inline constexpr u64 kNobody = ~u64{0};

#define MEMSPY_FIELDS "fields/common.def"
#include "report/records_from.h"

inline std::vector<Text> texts_of(const std::vector<Argument>& arguments) {
    std::vector<Text> texts;
    for (const Argument& each : arguments) texts.push_back(each.text);
    return texts;
}

// Called in the order of the file. A record only refers to records before it.
class ProfileHandler {
public:
    virtual ~ProfileHandler() = default;
    virtual void header(const Header&) {}
    virtual void run(const Run&) {}
    virtual void module(const Module&) {}
    virtual void stack(const Stack&) {}
    virtual void object(const Object&) {}
    virtual void thread(const Thread&) {}
    virtual void record(const AnyRecord&) {}  // a record of a section; see record_type.h
};

}  // namespace memspy::report
