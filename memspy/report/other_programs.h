// SPDX-License-Identifier: GPL-2.0-or-later
//
// For commands that run other programs.
#pragma once

#include <filesystem>
#include <string>

namespace memspy::report {

// 'TEXT' for the shell.
inline std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// The folder that this program stands in, wherever it was moved to. Empty if that is not known.
inline std::filesystem::path folder_of_this_program() {
    std::error_code none;
    return std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
}

}  // namespace memspy::report
