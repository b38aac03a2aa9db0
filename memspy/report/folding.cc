// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/folding.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace memspy::report {
namespace {

// A module is told by its build-id, one that has none by where it is.
Text identity(const Module& module) { return module.build_id.empty() ? module.path : module.build_id; }

// Records of two lists, folded where their keys are equal (the n-th of a key with the n-th of it), by key.
template <typename R>
void fold_by_key(std::vector<R>& into, const std::vector<R>& from) {
    auto before = [](const R& left, const R& right) { return compare_fields(left, right) < 0; };
    std::vector<R> right = from;
    std::stable_sort(into.begin(), into.end(), before);
    std::stable_sort(right.begin(), right.end(), before);
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
            fold_fields(result.back(), *b++);
        }
    }
    into = std::move(result);
}

// What is good for one process but not for another is no advice for both.
void fold_advice(std::vector<Advice>& into, const std::vector<Advice>& from) {
    std::erase_if(into, [&](Advice& advice) {
        const auto same = std::find_if(from.begin(), from.end(), [&](const Advice& other) {
            return compare_fields(advice, other) == 0;
        });
        if (same == from.end()) return true;
        advice.text = std::min(advice.text, same->text);
        return false;
    });
    std::stable_sort(into.begin(), into.end(),
                     [](const Advice& a, const Advice& b) { return compare_fields(a, b) < 0; });
}

// Where two disagree on the stride, there is none for both, and no third brings it back.
void fold_stride(ZeroStride& into, const ZeroStride& from) {
    if (into.stride != from.stride) {
        into = {};
    } else {
        fold_fields(into, from);
    }
}

// What is zero in both.
void fold_columns(ZeroColumns& into, const ZeroColumns& from) {
    if (into.stride != from.stride) {
        into = {};
        return;
    }
    std::vector<ByteRange> both;
    for (const ByteRange& a : into.ranges) {
        for (const ByteRange& b : from.ranges) {
            const ByteRange common{std::max(a.first, b.first), std::min(a.last, b.last)};
            if (common.first <= common.last) both.push_back(common);
        }
    }
    std::sort(both.begin(), both.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.first < b.first; });
    into.ranges = std::move(both);
    if (into.ranges.empty()) into = {};
}

// The map with `factor` of its cells in one.
std::vector<MapCell> coarser(const std::vector<MapCell>& cells, u64 factor) {
    std::vector<MapCell> result;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i % factor == 0) result.emplace_back();
        result.back().accessed += cells[i].accessed;
        result.back().redundant += cells[i].redundant;
    }
    return result;
}

void fold_maps(ZeroMap& into, const ZeroMap& from) {
    if (from.cell == 0 || into.cell == 0) {
        into = {};
        return;
    }
    const u64 step = from.cell / std::gcd(into.cell, from.cell);
    if (into.cell > std::numeric_limits<u64>::max() / step)
        throw FoldError("its maps of zeros have no common cell");
    const u64 cell = into.cell * step;
    into.cells = coarser(into.cells, step);
    const std::vector<MapCell> other = coarser(from.cells, cell / from.cell);
    into.cells.resize(std::max(into.cells.size(), other.size()));
    for (std::size_t i = 0; i < other.size(); ++i) {
        into.cells[i].accessed += other[i].accessed;
        into.cells[i].redundant += other[i].redundant;
    }
    into.cell = cell;
}

// Parameters with which the figures were made: sums of different ones would mean nothing.
template <typename R>
void want_same(const R& into, const R& from) {
    for_each_field<R>([&](const auto& field) {
        if (field.role == Role::Key && into.*field.member != from.*field.member)
            throw FoldError("its " + std::string(field.name) + " is another than that of the files before");
    });
}

}  // namespace

u64 hash_of_key(const Module& module) { return hash_value(identity(module)); }
int compare_keys(const Module& left, const Module& right) {
    const int result = identity(left).compare(identity(right));
    return result != 0 ? result : compare_fields(left, right);
}

u64 hash_of_key(const Stack& stack) {
    u64 hash = 0;
    for (const Frame& frame : stack.frames) hash = hash_of_fields(frame, hash);
    return hash;
}
int compare_keys(const Stack& left, const Stack& right) { return compare_lists(left.frames, right.frames); }

u64 hash_of_key(const Object& object) { return hash_of_fields(object, static_cast<u64>(object.kind)); }
int compare_keys(const Object& left, const Object& right) {
    if (left.kind != right.kind) return left.kind < right.kind ? -1 : 1;
    return compare_fields(left, right);
}

// Threads are numbered in the order of their creation, which means the same in every process.
u64 hash_of_key(const Thread& thread) { return hash_value(thread.id); }
int compare_keys(const Thread& left, const Thread& right) {
    return left.id < right.id ? -1 : right.id < left.id ? 1 : 0;
}

u64 hash_of_key(const Line& line) {
    u64 hash = 0;
    for (const Extent& extent : line.extents) hash = hash_of_fields(extent, hash);
    return hash;
}
int compare_keys(const Line& left, const Line& right) { return compare_lists(left.extents, right.extents); }

// The members are a set, whose order tells which is worst.
std::vector<Member> sorted(std::vector<Member> members) {
    std::sort(members.begin(), members.end(),
              [](const Member& a, const Member& b) { return a.object < b.object; });
    return members;
}

u64 hash_of_key(const Group& group) {
    u64 hash = hash_of_fields(group);
    for (const Member& member : sorted(group.members)) hash = hash_of_fields(member, hash);
    return hash;
}
int compare_keys(const Group& left, const Group& right) {
    const int result = compare_fields(left, right);
    return result != 0 ? result : compare_lists(sorted(left.members), sorted(right.members));
}

void fold(Stack& into, const Stack& from) {
    fold_fields(into, from);
    for (std::size_t i = 0; i < into.frames.size(); ++i) fold_fields(into.frames[i], from.frames[i]);
}

void fold(Line& into, const Line& from) {
    fold_fields(into, from);
    fold_views(into.views, from.views);
    for (std::size_t i = 0; i < into.extents.size(); ++i) fold_fields(into.extents[i], from.extents[i]);
    fold_by_key(into.ranges, from.ranges);
}

// Figures and advice are words, which cannot be added: those of one of the two stand for both. Sides are
// examples: all are kept, in an order that is made when they have their final numbers.
void fold(Group& into, const Group& from) {
    fold_fields(into, from);
    into.sides.insert(into.sides.end(), from.sides.begin(), from.sides.end());
    auto words = [](auto& group) { return std::tie(group.what, group.figures, group.advice); };
    if (words(into) < words(from)) words(into) = words(from);
}

void fold(ContentionModel& into, const ContentionModel& from) {
    want_same(into, from);
    fold_fields(into, from);
    into.assumptions = std::min(into.assumptions, from.assumptions);
}

void fold(ZerosModel& into, const ZerosModel& from) { want_same(into, from); }

void fold(ZeroTotal& into, const ZeroTotal& from) {
    fold_fields(into, from);
    fold_fields(into.integer, from.integer);
    fold_fields(into.floating, from.floating);
}

void fold(ZeroRow& into, const ZeroRow& from) {
    fold_fields(into, from);
    into.redmap.resize(std::max(into.redmap.size(), from.redmap.size()));
    for (std::size_t i = 0; i < from.redmap.size(); ++i) into.redmap[i] += from.redmap[i];
    fold_advice(into.advice, from.advice);
}

void fold(ZeroObject& into, const ZeroObject& from) {
    fold_fields(into, from);
    fold_by_key(into.zero_blocks, from.zero_blocks);
    fold_stride(into.rows, from.rows);
    fold_columns(into.columns, from.columns);
    fold_maps(into.map, from.map);
    fold_advice(into.advice, from.advice);
}

}  // namespace memspy::report
