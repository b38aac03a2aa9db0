// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/own_code.h"

#include <fnmatch.h>

#include "rt/system_paths.h"

namespace memspy::report {

bool is_of_system(const std::string& path) { return rt::is_system_path(path.c_str()); }

std::optional<bool> OwnCode::told(const std::string& module, const std::string& file) const {
    for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
        const bool out = pattern->starts_with('!');
        const char* const glob = pattern->c_str() + (out ? 1 : 0);
        if (fnmatch(glob, module.c_str(), 0) == 0 || fnmatch(glob, file.c_str(), 0) == 0) return !out;
    }
    return std::nullopt;
}

bool OwnCode::has(const std::string& module, const std::string& file) const {
    const bool has_source = !file.empty() && !file.ends_with('/');
    return told(module, file).value_or(has_source && may_change(module, file));
}

bool OwnCode::may_change(const std::string& module, const std::string& file) const {
    return told(module, file)
        .value_or(module.find("vgpreload_") == module.npos && !is_of_system(module) && !is_of_system(file));
}

}  // namespace memspy::report
