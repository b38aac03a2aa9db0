// SPDX-License-Identifier: GPL-2.0-or-later
//
// When two records are about the same thing, and what they are together: by their fields' roles, and for the
// parts of a record that are no fields (frames, extents…) by functions of their own.
//
// Folding is associative and commutative. Texts are of one StringPool.
#pragma once

#include <stdexcept>

#include "report/model.h"

namespace memspy::report {

// Two profiles that cannot be merged.
class FoldError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Keys.

inline u64 mixed(u64 hash, u64 value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
}
inline u64 hash_value(u64 value) { return value; }
inline u64 hash_value(bool value) { return value; }
inline u64 hash_value(Address value) { return value.value; }
inline u64 hash_value(Text value) { return reinterpret_cast<u64>(value.data()); }
template <Reference T>
u64 hash_value(T value) {
    return static_cast<u64>(value);
}

template <typename R>
u64 hash_of_fields(const R& record, u64 hash = 0) {
    for_each_field<R>([&](const auto& field) {
        if (field.role == Role::Key) hash = mixed(hash, hash_value(record.*field.member));
    });
    return hash;
}

// Below, equal and above zero as `left` comes before, with and after `right`.
template <typename R>
int compare_fields(const R& left, const R& right, Role role = Role::Key) {
    int result = 0;
    for_each_field<R>([&](const auto& field) {
        if (field.role != role || result != 0) return;
        const auto &a = left.*field.member, &b = right.*field.member;
        result = a < b ? -1 : b < a ? 1 : 0;
    });
    return result;
}

template <typename R>
int compare_lists(const std::vector<R>& left, const std::vector<R>& right) {
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i)
        if (const int result = compare_fields(left[i], right[i]); result != 0) return result;
    return left.size() < right.size() ? -1 : left.size() > right.size() ? 1 : 0;
}

// The general case: a record is what its key fields say.
template <typename R>
u64 hash_of_key(const R& record) {
    return hash_of_fields(record);
}
template <typename R>
int compare_keys(const R& left, const R& right) {
    return compare_fields(left, right);
}
template <typename R>
bool same_key(const R& left, const R& right) {
    return compare_keys(left, right) == 0;
}

u64 hash_of_key(const Module& module);
int compare_keys(const Module& left, const Module& right);
u64 hash_of_key(const Stack& stack);
int compare_keys(const Stack& left, const Stack& right);
u64 hash_of_key(const Object& object);
int compare_keys(const Object& left, const Object& right);
u64 hash_of_key(const Thread& thread);
int compare_keys(const Thread& left, const Thread& right);
u64 hash_of_key(const Group& group);
int compare_keys(const Group& left, const Group& right);
u64 hash_of_key(const Line& line);
int compare_keys(const Line& left, const Line& right);

// Folding.

// All but keys. Fields that depend on where something was go together: those of the smaller stand for both.
template <typename R>
void fold_fields(R& into, const R& from) {
    const bool less = compare_fields(from, into, Role::Least) < 0;
    for_each_field<R>([&](const auto& field) {
        auto& to = into.*field.member;
        const auto& value = from.*field.member;
        using T = std::remove_cvref_t<decltype(to)>;
        switch (field.role) {
            case Role::Name:
            case Role::Key: break;
            case Role::Least:
                if (less) to = value;
                break;
            case Role::Most:
                if (to < value) to = value;
                break;
            case Role::Count:
                if constexpr (std::is_same_v<T, u64>) to += value;
                break;
            case Role::All:
                if constexpr (std::is_same_v<T, bool>) to = to && value;
                break;
            case Role::Any:
                if constexpr (std::is_same_v<T, bool>) to = to || value;
                break;
        }
    });
}

template <typename C>
void fold_views(Views<C>& into, const Views<C>& from) {
    fold_fields(into.observed, from.observed);
    fold_fields(into.modelled, from.modelled);
}

template <typename R>
void fold(R& into, const R& from) {
    fold_fields(into, from);
    if constexpr (requires { into.views; }) fold_views(into.views, from.views);
}

void fold(Stack& into, const Stack& from);
void fold(Line& into, const Line& from);
void fold(Group& into, const Group& from);
void fold(ContentionModel& into, const ContentionModel& from);
void fold(ZerosModel& into, const ZerosModel& from);
void fold(ZeroTotal& into, const ZeroTotal& from);
void fold(ZeroRow& into, const ZeroRow& from);
void fold(ZeroObject& into, const ZeroObject& from);

}  // namespace memspy::report
