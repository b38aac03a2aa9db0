// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stores each text once, because profiles repeat the same few thousand names. Returned texts are valid as
// long as the pool, and zero-terminated. Two texts are equal if they begin at the same address.
#pragma once

#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace memspy::report {

class StringPool {
public:
    StringPool() = default;
    StringPool(const StringPool&) = delete;
    StringPool& operator=(const StringPool&) = delete;

    std::string_view intern(std::string_view text) {
        if (text.empty()) return {};
        if (const auto found = known_.find(text); found != known_.end()) return *found;
        char* copy = room(text.size() + 1);
        std::memcpy(copy, text.data(), text.size());
        copy[text.size()] = '\0';
        return *known_.emplace(copy, text.size()).first;
    }

private:
    // Large enough that few bytes are lost at the end of a block; a longer text gets a block of its own.
    static constexpr std::size_t kBlock = 64 * 1024;

    char* room(std::size_t bytes) {
        if (bytes > kBlock / 4) return blocks_.emplace_back(std::make_unique<char[]>(bytes)).get();
        if (bytes > left_) {
            next_ = blocks_.emplace_back(std::make_unique<char[]>(kBlock)).get();
            left_ = kBlock;
        }
        char* const result = next_;
        next_ += bytes;
        left_ -= bytes;
        return result;
    }

    std::unordered_set<std::string_view> known_;
    std::vector<std::unique_ptr<char[]>> blocks_;
    char* next_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace memspy::report
