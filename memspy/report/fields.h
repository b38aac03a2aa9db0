// SPDX-License-Identifier: GPL-2.0-or-later
//
// The description of a record's content. A record type has fields(), its attributes, and parts(), the rest of
// its content; reader, writers and merge use these. Both are made from profile/fields/*.def (records_from.h),
// so a new attribute is added in one place. The type of a member determines how it is written (an Address in
// hexadecimal, a bool as yes or no), its role how it is merged.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace memspy::report {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Address {
    u64 value = 0;
    auto operator<=>(const Address&) const = default;
};
inline constexpr Address kNoAddress{~u64{0}};

using Text = std::string_view;

// A pair in a text such as `8/7 8/8`.
struct NumberPair {
    u64 first = 0, second = 0;
    bool operator==(const NumberPair&) const = default;
};

// Ids of things within one file; 0 is none.
enum class ModuleId : u32 {};
enum class StackId : u32 {};
enum class ObjectId : u32 {};
enum class ThreadId : u32 {};

template <typename T>
concept Reference = std::is_same_v<T, ModuleId> || std::is_same_v<T, StackId> ||
    std::is_same_v<T, ObjectId> || std::is_same_v<T, ThreadId>;

enum class Role : u8 {
    Name,    // the record's own id in its file; a merged file has new ones
    Key,     // records that are equal in these describe the same thing
    Count,   // summed; absent: zero
    Least,   // depends on where and when the process ran: the smallest is taken
    Most,    // the largest is taken
    All,     // yes if all are yes
    Any,     // yes if one is yes
    Derived  // computed from the others by the type's own fold()
};

template <typename R, typename T>
struct Field {
    std::string_view name;
    T R::*member;
    Role role;
    bool required;  // always written; others are left out if they have the value `absent`
    T absent{};
};

// Calls f(field) for each field of R, in the order of writing.
template <typename R, typename F>
constexpr void for_each_field(F&& f) {
    std::apply([&](const auto&... each) { (f(each), ...); }, R::fields());
}

// The content of a record other than attributes, in the order of the file.

// How the elements of a list are merged:
enum class ListRole : u8 {
    Key,       // are part of the record's identity, in their order
    KeySet,    // the same, but their order has no meaning
    Folded,    // are merged if their keys are equal
    Gathered,  // are all kept, equal ones once
    Common,    // are kept if both records have them
    OneRun,    // belong to one run: a merged profile has none
    Told       // say what the record's texts say: those of the same record are taken
};

template <typename R, typename C>
struct Part {  // one child element
    std::string_view element;
    C R::*member;
    bool required;  // always written; others are left out if they are equal to C{}
};
template <typename R, typename C>
struct List {  // any number of child elements
    std::string_view element, json;
    std::vector<C> R::*member;
    ListRole role;
};
template <typename R>
struct Words {  // a child element with only a text; left out if the text is empty
    std::string_view element;
    Text R::*member;
};
template <typename R>
struct OwnText {  // the element's own text
    std::string_view json;
    Text R::*member;
};
template <typename R>
struct OwnNumbers {  // the element's own text is a list of numbers
    std::string_view json;
    std::vector<u64> R::*member;
};
template <typename R>
struct OwnPairs {
    std::string_view json;
    char between;
    std::vector<NumberPair> R::*member;
};

enum class JsonForm : u8 {
    Object,
    Bare  // the only value that the record has
};

template <typename R>
concept HasParts = requires {
    R::parts();
};

// Calls f(part) for each part.
template <typename R, typename F>
constexpr void for_each_part(F&& f) {
    if constexpr (HasParts<R>) std::apply([&](const auto&... each) { (f(each), ...); }, R::parts());
}

}  // namespace memspy::report
