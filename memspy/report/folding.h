// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decides when two records describe the same thing, and merges them: by the roles of their fields and of
// their parts (frames, extents…). A type that is merged in another way has functions of its own beside it:
// fold(R&, const R&), found by its namespace.
//
// Folding is associative and commutative. All texts must be from one StringPool.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "report/model.h"

namespace memspy::report {

// Two profiles that cannot be merged.
class FoldError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Keys

inline u64 mixed(u64 hash, u64 value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
}
inline u64 hash_value(u64 value) { return value; }
inline u64 hash_value(bool value) { return value; }
inline u64 hash_value(double value) { return static_cast<u64>(value); }
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

// Below, equal to or above zero as `left` comes before, with or after `right`.
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

template <typename R>
void sort_by_key(std::vector<R>& list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const R& a, const R& b) { return compare_fields(a, b) < 0; });
}
template <typename R>
std::vector<R> sorted(std::vector<R> list) {
    sort_by_key(list);
    return list;
}

// The general case: a record is identified by its key fields and by the lists that are part of the key.
template <typename R>
u64 hash_of_key(const R& record) {
    u64 hash = hash_of_fields(record);
    for_each_part<R>([&](const auto& part) {
        if constexpr (requires { part.role; }) {
            if (part.role == ListRole::Key)
                for (const auto& each : record.*part.member) hash = hash_of_fields(each, hash);
            if (part.role == ListRole::KeySet)
                for (const auto& each : sorted(record.*part.member)) hash = hash_of_fields(each, hash);
        }
    });
    return hash;
}
template <typename R>
int compare_keys(const R& left, const R& right) {
    int result = compare_fields(left, right);
    for_each_part<R>([&](const auto& part) {
        if constexpr (requires { part.role; }) {
            if (result != 0) return;
            if (part.role == ListRole::Key) result = compare_lists(left.*part.member, right.*part.member);
            if (part.role == ListRole::KeySet)
                result = compare_lists(sorted(left.*part.member), sorted(right.*part.member));
        }
    });
    return result;
}
template <typename R>
bool same_key(const R& left, const R& right) {
    return compare_keys(left, right) == 0;
}

u64 hash_of_key(const Module& module);
int compare_keys(const Module& left, const Module& right);
u64 hash_of_key(const Object& object);
int compare_keys(const Object& left, const Object& right);
u64 hash_of_key(const Thread& thread);
int compare_keys(const Thread& left, const Thread& right);

// Folding

// Folds everything except keys. Fields of role Least belong together: those of the smaller record are taken.
template <typename R>
void fold_fields(R& into, const R& from) {
    const bool less = compare_fields(from, into, Role::Least) < 0;
    for_each_field<R>([&](const auto& field) {
        auto& to = into.*field.member;
        const auto& value = from.*field.member;
        using T = std::remove_cvref_t<decltype(to)>;
        switch (field.role) {
            case Role::Name:
            case Role::Key:
            case Role::Derived: break;
            case Role::Least:
                if (less) to = value;
                break;
            case Role::Most:
                if (to < value) to = value;
                break;
            case Role::Count:
                if constexpr (std::is_same_v<T, u64> || std::is_same_v<T, double>) to += value;
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

template <typename R>
void fold(R& into, const R& from);

// Folds the records of two lists with equal keys (the n-th of a key with the n-th of the other list), sorted
// by key.
template <typename R>
void fold_by_key(std::vector<R>& into, const std::vector<R>& from) {
    auto before = [](const R& left, const R& right) { return compare_fields(left, right) < 0; };
    sort_by_key(into);
    const std::vector<R> right = sorted(from);
    std::vector<R> result;
    result.reserve(std::max(into.size(), right.size()));
    auto a = into.cbegin();
    auto b = right.cbegin();
    while (a != into.cend() || b != right.cend()) {
        if (b == right.cend() || (a != into.cend() && before(*a, *b))) {
            result.push_back(*a++);
        } else if (a == into.cend() || before(*b, *a)) {
            result.push_back(*b++);
        } else {
            result.push_back(*a++);
            fold(result.back(), *b++);
        }
    }
    into = std::move(result);
}

// Keeps the elements that both lists have.
template <typename R>
void fold_common(std::vector<R>& into, const std::vector<R>& from) {
    std::erase_if(into, [&](R& each) {
        const auto same = std::find_if(from.begin(), from.end(),
                                       [&](const R& other) { return compare_fields(each, other) == 0; });
        if (same == from.end()) return true;
        fold(each, *same);
        return false;
    });
    sort_by_key(into);
}

template <typename R>
void fold_list(std::vector<R>& into, const std::vector<R>& from, ListRole role) {
    switch (role) {
        case ListRole::Key:
        case ListRole::KeySet:
            for (std::size_t i = 0; i < into.size() && i < from.size(); ++i) fold_fields(into[i], from[i]);
            break;
        case ListRole::Folded: fold_by_key(into, from); break;
        case ListRole::Gathered: into.insert(into.end(), from.begin(), from.end()); break;
        case ListRole::Common: fold_common(into, from); break;
        case ListRole::OneRun: break;  // settle_lists()
        case ListRole::Told: break;    // fold_words()
    }
}

// Texts cannot be added, so those of one of the two records are taken, all from the same one.
template <typename R>
void fold_words(R& into, const R& from) {
    int order = 0;
    for_each_part<R>([&](const auto& part) {
        if constexpr (std::is_same_v<decltype(part), const Words<R>&>) {
            if (order == 0) order = (from.*part.member).compare(into.*part.member);
        } else if constexpr (std::is_same_v<decltype(part), const OwnText<R>&>) {
            into.*part.member = std::min(into.*part.member, from.*part.member);
        }
    });
    if (order <= 0) return;
    for_each_part<R>([&](const auto& part) {
        if constexpr (std::is_same_v<decltype(part), const Words<R>&>) into.*part.member = from.*part.member;
        if constexpr (requires { part.role; }) {
            if (part.role == ListRole::Told) into.*part.member = from.*part.member;
        }
    });
}

template <typename R>
void fold(R& into, const R& from) {
    fold_fields(into, from);
    fold_words(into, from);
    for_each_part<R>([&](const auto& part) {
        auto& to = into.*part.member;
        const auto& other = from.*part.member;
        if constexpr (requires { part.role; }) {
            fold_list(to, other, part.role);
        } else if constexpr (requires { part.required; }) {
            fold(to, other);
        } else if constexpr (requires { to.resize(1); }) {
            to.resize(std::max(to.size(), other.size()));
            for (std::size_t i = 0; i < other.size(); ++i) {
                if constexpr (requires { part.between; }) {
                    to[i].first += other[i].first;
                    to[i].second += other[i].second;
                } else {
                    to[i] += other[i];
                }
            }
        }
    });
}

// For records that a file has once: figures measured with other parameters must not be added.
template <typename R>
void fold_single(R& into, const R& from, std::string_view section) {
    for_each_field<R>([&](const auto& field) {
        if (field.role == Role::Key && into.*field.member != from.*field.member)
            throw FoldError("<" + std::string(section) + "> was measured with another " +
                            std::string(field.name) + " than in the files before");
    });
    fold(into, from);
}

// Calls f(reference) for each reference of a record and its parts, except its own id.
template <typename R, typename F>
void for_each_reference(R& record, F&& f) {
    using Plain = std::remove_const_t<R>;
    for_each_field<Plain>([&](const auto& field) {
        if constexpr (Reference<std::remove_cvref_t<decltype(record.*field.member)>>)
            if (field.role != Role::Name) f(record.*field.member);
    });
    for_each_part<Plain>([&](const auto& part) {
        if constexpr (requires { part.role; }) {
            for (auto& each : record.*part.member) for_each_reference(each, f);
        } else if constexpr (requires { part.required; }) {
            for_each_reference(record.*part.member, f);
        }
    });
}

// Of a record of a merged profile: sorts lists whose order has no meaning, once the records have their final ids.
template <typename R>
void settle_lists(R& record) {
    for_each_part<R>([&](const auto& part) {
        if constexpr (requires { part.role; }) {
            auto& list = record.*part.member;
            if (part.role == ListRole::OneRun) list.clear();
            if (part.role == ListRole::KeySet || part.role == ListRole::Gathered) sort_by_key(list);
            if (part.role == ListRole::Gathered)
                list.erase(
                    std::unique(list.begin(), list.end(),
                                [](const auto& a, const auto& b) { return compare_fields(a, b) == 0; }),
                    list.end());
        }
    });
}

}  // namespace memspy::report
