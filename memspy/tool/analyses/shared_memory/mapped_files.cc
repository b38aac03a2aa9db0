// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/shared_memory/mapped_files.h"

namespace memspy::shared_memory {
namespace {

constexpr u64 kLeaves = u64{1} << (kClientAddressBits - kLeafBits);

u64 leaf_of(Address a) { return (a >> kLeafBits) & (kLeaves - 1); }

}  // namespace

void MappedFiles::map(Address begin, usize bytes, u64 offset, const SharedFile& file) {
    if (leaves_ == nullptr)
        leaves_ = static_cast<u64*>(rt::map_zeroed(kLeaves * sizeof(u64), "memspy.shared_leaves"));
    unmap(begin, bytes);
    u32 number = 0;
    while (number < files_.size() && !(files_[number].identity == file.identity)) ++number;
    if (number == files_.size()) files_.push_back(file);
    if (offset + bytes > files_[number].bytes) files_[number].bytes = offset + bytes;
    mappings_.push_back({begin, bytes, offset, number});
    mark_leaves(1);
}

void MappedFiles::unmap(Address begin, usize bytes) {
    if (mappings_.empty()) return;
    const Address end = begin + bytes;
    rt::Vector<SharedMapping> kept;
    bool changed = false;
    for (const SharedMapping& each : mappings_) {
        const Address each_end = each.begin + each.bytes;
        if (each_end <= begin || end <= each.begin) {
            kept.push_back(each);
            continue;
        }
        changed = true;
        if (each.begin < begin) kept.push_back({each.begin, begin - each.begin, each.offset, each.file});
        if (end < each_end)
            kept.push_back({end, each_end - end, each.offset + (end - each.begin), each.file});
    }
    if (!changed) return;
    mark_leaves(0);
    mappings_.resize(0);
    for (const SharedMapping& each : kept) mappings_.push_back(each);
    last_ = {};
    mark_leaves(1);
}

bool MappedFiles::look_up(Address a) {
    for (const SharedMapping& each : mappings_) {
        if (a - each.begin >= each.bytes) continue;
        last_ = each;
        return true;
    }
    return false;
}

void MappedFiles::mark_leaves(u64 value) {
    for (const SharedMapping& each : mappings_)
        for (u64 leaf = leaf_of(each.begin); leaf <= leaf_of(each.begin + each.bytes - 1); ++leaf)
            leaves_[leaf] = value;
}

}  // namespace memspy::shared_memory
