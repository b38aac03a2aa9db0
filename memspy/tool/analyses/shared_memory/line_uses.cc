// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/shared_memory/line_uses.h"

#include <algorithm>

namespace memspy::shared_memory {

SharedUse* LineUses::find(u32 file, u32 site, u64 line) {
    if (line >> kLineBits != 0 || file >> kFileBits != 0) return nullptr;
    const u64 key = u64{file} << (kLineBits + kSiteBits) | line << kSiteBits | site;
    KeyedUse*& recent = recent_[(line * 7 + site) % kRecent];
    if (recent != nullptr && recent->key == key) return &recent->use;
    if (const u32* known = indices_.find(key); known != nullptr) {
        recent = &uses_[*known];
        return &recent->use;
    }
    if (uses_.size() == kMostUses) return nullptr;
    const u32 index = uses_.push_back({key, {}});
    indices_[key] = index;
    recent = &uses_[index];
    return &recent->use;
}

void LineUses::add(u32 file, u32 site, u64 offset, u64 bytes, bool loads, bool stores) {
    for (const u64 end = offset + bytes; offset < end;) {
        const u32 first = static_cast<u32>(offset % kLineBytes);
        const u64 here = std::min<u64>(kLineBytes - first, end - offset);
        const u64 mask = (here == kLineBytes ? ~u64{0} : (u64{1} << here) - 1) << first;
        if (SharedUse* use = find(file, site, offset / kLineBytes); use != nullptr) {
            use->loads += loads;
            use->stores += stores;
            if (loads) use->loaded |= mask;
            if (stores) use->stored |= mask;
        } else {
            ++left_out_;
        }
        offset += here;
    }
}

void LineUses::stretches(rt::Vector<LineStretch>& to) {
    rt::Vector<KeyedUse> sorted;
    for (u32 i = 0; i < uses_.size(); ++i)
        if (uses_[i].use.loads + uses_[i].use.stores != 0) sorted.push_back(uses_[i]);
    // By file, site and line.
    constexpr u64 kSites = (u64{1} << kSiteBits) - 1, kLines = (u64{1} << kLineBits) - 1;
    const auto line_of = [](u64 key) { return key >> kSiteBits & kLines; };
    const auto file_of = [](u64 key) { return key >> (kLineBits + kSiteBits); };
    std::sort(sorted.begin(), sorted.end(), [&](const KeyedUse& a, const KeyedUse& b) {
        if (file_of(a.key) != file_of(b.key)) return file_of(a.key) < file_of(b.key);
        if ((a.key & kSites) != (b.key & kSites)) return (a.key & kSites) < (b.key & kSites);
        return a.key < b.key;
    });
    to.resize(0);
    for (const KeyedUse& each : sorted) {
        const LineStretch next{static_cast<u32>(file_of(each.key)), static_cast<u32>(each.key & kSites),
                               line_of(each.key), 1, each.use};
        if (!to.empty()) {
            LineStretch& last = to[to.size() - 1];
            if (last.file == next.file && last.site == next.site && last.line + last.lines == next.line &&
                last.use == next.use) {
                ++last.lines;
                continue;
            }
        }
        to.push_back(next);
    }
    if (to.size() > kMostStretches) {
        std::sort(to.begin(), to.end(), [](const LineStretch& a, const LineStretch& b) {
            return a.accesses_of_each() > b.accesses_of_each();
        });
        left_out_ += to.size() - kMostStretches;
        to.resize(kMostStretches);
    }
    std::sort(to.begin(), to.end(), [](const LineStretch& a, const LineStretch& b) {
        if (a.file != b.file) return a.file < b.file;
        return a.line != b.line ? a.line < b.line : a.site < b.site;
    });
}

void LineUses::clear() {
    for (u32 i = 0; i < uses_.size(); ++i) uses_[i].use = {};
    left_out_ = 0;
}

}  // namespace memspy::shared_memory
