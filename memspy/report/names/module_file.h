// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds a module and its debug information, checks that they belong to the program that ran, and opens them.
#pragma once

#include <elfutils/libdwfl.h>

#include <string>
#include <vector>

#include "report/names/answers.h"

namespace memspy::report::names {

class ModuleFile {
public:
    ModuleFile(const Module& module, const NameOptions& options);
    ModuleFile(const ModuleFile&) = delete;
    ModuleFile& operator=(const ModuleFile&) = delete;
    ~ModuleFile();

    DebugInfoStatus& status() { return status_; }
    // Null unless the module is the right one and has debug information.
    Dwarf* dwarf() const { return dwarf_; }
    // Null if the module is not the right one.
    Dwfl_Module* module() const { return module_; }
    // The module, and the file with its debug information.
    std::vector<std::string> binaries() const;

    // From the symbol table: the function that holds `address`, mangled, or "".
    std::string function_symbol(u64 address) const;
    // The size of the object that starts at `address`, or 0.
    u64 object_size(u64 address) const;

private:
    // Opens `path`. If it is not the module, sets state and problem and returns false.
    bool open(const std::string& path, const Module& module);
    void close();
    void find_debug_information(const Module& module);

    std::string search_path_;
    char* search_path_text_;
    Dwfl_Callbacks callbacks_{};
    Dwfl* dwfl_ = nullptr;
    Dwfl_Module* module_ = nullptr;
    Dwarf* dwarf_ = nullptr;
    std::string path_;
    DebugInfoStatus status_;
};

}  // namespace memspy::report::names
