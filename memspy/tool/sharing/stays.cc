// SPDX-License-Identifier: GPL-2.0-or-later
#include "sharing/stays.h"

#include <algorithm>

namespace memspy::sharing {
namespace {

// A stay in the log: its line, its storer and number of users, its words.
constexpr u32 kHead = 2;

u32 words_of(u64 head) { return kHead + lines::line_words() + static_cast<u32>(head >> 32) * Stay::each(); }

}  // namespace

void StayLog::thin_out() {
    ++spacing_;
    u64* to = words_.begin();
    usize kept = 0;
    for (usize i = 0; i < windows_.size(); ++i) {
        if ((windows_[i].number & ((u64{1} << spacing_) - 1)) != 0) continue;
        const u32 begin = windows_[i].start;
        const u32 end = i + 1 < windows_.size() ? windows_[i + 1].start : static_cast<u32>(words_.size());
        windows_[kept++] = {windows_[i].number, static_cast<u32>(to - words_.begin())};
        to = std::copy(words_.begin() + begin, words_.begin() + end, to);
    }
    windows_.resize(kept);
    words_.resize(static_cast<usize>(to - words_.begin()));
}

void StayLog::note(u64 line, const lines::Ownership& state) {
    const u64 window = noted_++ / kWindow;
    if ((window & ((u64{1} << spacing_) - 1)) != 0) return;
    if (windows_.empty() || windows_.back().number != window) {
        windows_.push_back({window, static_cast<u32>(words_.size())});
        if (words_.size() >= kMostWords) {
            thin_out();
            if ((window & ((u64{1} << spacing_) - 1)) != 0) return;
        }
    }
    const usize head = words_.size();
    for (const u64 word : {line, u64{0}}) words_.push_back(word);
    for (u32 i = 0; i < lines::line_words(); ++i) words_.push_back(0);
    lines::LineStay stay{.used =
                             [](u32 serial, const u64* bytes, void* log) {
                                 rt::Vector<u64>& words = *static_cast<rt::Vector<u64>*>(log);
                                 words.push_back(serial);
                                 for (u32 i = 0; i < lines::line_words(); ++i) words.push_back(bytes[i]);
                             },
                         .argument = &words_};
    lines::read_stay(state, stay);
    std::copy_n(stay.written, lines::line_words(), words_.begin() + head + kHead);
    const usize users = (words_.size() - head - kHead - lines::line_words()) / Stay::each();
    words_[head + 1] = stay.storer | u64{users} << 32;
}

void StayLog::collect(rt::Vector<Stay>& stays) const {
    for (const u64* at = words_.begin(); at != words_.end(); at += words_of(at[1]))
        stays.push_back({at[0], static_cast<u32>(at[1]), static_cast<u32>(at[1] >> 32), at + kHead});
    std::sort(stays.begin(), stays.end(), [](const Stay& a, const Stay& b) {
        return a.line != b.line ? a.line < b.line : a.words < b.words;
    });
}

void StayLog::clear() {
    noted_ = spacing_ = 0;
    windows_.clear();
    words_.clear();
}

}  // namespace memspy::sharing
