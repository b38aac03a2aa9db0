// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code is the program's own: not that of the system's modules and headers, unless patterns say
// otherwise (--own).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace memspy::report {

// Of modules and source files: the C library, compilers' headers and libraries.
bool is_of_system(const std::string& path);

// The path of a frame's source file.
template <typename F>
std::string source_file(const F& frame) {
    return frame.file.starts_with('/') ? std::string(frame.file)
                                       : std::string(frame.dir) + "/" + std::string(frame.file);
}

class OwnCode {
public:
    OwnCode() = default;
    // Paths of modules and source files that are the program's own or, with ! before them, are not. The last
    // match counts.
    explicit OwnCode(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}
    // Without a source file only a pattern makes code the program's own.
    bool has(const std::string& module, const std::string& file) const;
    // Whether advice on this code, or on a variable of the module (`file` is ""), is for the user: it is not
    // the system's.
    bool may_change(const std::string& module, const std::string& file) const;

private:
    // What the patterns say.
    std::optional<bool> told(const std::string& module, const std::string& file) const;

    std::vector<std::string> patterns_;
};

}  // namespace memspy::report
