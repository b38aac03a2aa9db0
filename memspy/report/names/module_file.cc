// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/module_file.h"

#include <gelf.h>

#include <cstdlib>
#include <filesystem>

#include "report/names/dwarf_file.h"

namespace memspy::report::names {
namespace {

namespace fs = std::filesystem;

std::string hexadecimal(const unsigned char* bytes, int count) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (int i = 0; i < count; ++i) {
        text.push_back(kDigits[bytes[i] >> 4]);
        text.push_back(kDigits[bytes[i] & 15]);
    }
    return text;
}

std::string build_id_of(Dwfl_Module* module) {
    GElf_Addr bias;
    if (dwfl_module_getelf(module, &bias) == nullptr) return {};
    const unsigned char* bytes = nullptr;
    GElf_Addr where;
    const int count = dwfl_module_build_id(module, &bytes, &where);
    return count > 0 ? hexadecimal(bytes, count) : std::string();
}

}  // namespace

ModuleFile::ModuleFile(const Module& module, const NameOptions& options) {
    // The library asks servers if this is set. It reads the variable at the first question.
    if (!options.debuginfod) ::unsetenv("DEBUGINFOD_URLS");

    search_path_ = ":.debug:/usr/lib/debug";
    for (const std::string& dir : options.debug_dirs) search_path_ += ":" + fs::absolute(dir).string();
    search_path_text_ = search_path_.data();
    callbacks_.find_elf = dwfl_build_id_find_elf;
    callbacks_.find_debuginfo = dwfl_standard_find_debuginfo;
    callbacks_.section_address = dwfl_offline_section_address;
    callbacks_.debuginfo_path = &search_path_text_;

    std::error_code error;
    bool opened = false;
    if (module.path.empty() || !fs::exists(module.path, error)) {
        status_.problem = "there is no file " + module.path;
    } else {
        opened = open(module.path, module);
    }
    if (!opened && module.build_id.size() > 2) {
        // The program may have been replaced, or never been on this machine, while its debug file is here.
        const DebugInfoStatus before = status_;
        std::vector<std::string> trees = options.debug_dirs;
        trees.insert(trees.begin(), "/usr/lib/debug");
        for (const std::string& tree : trees) {
            const fs::path path = fs::path(tree) / ".build-id" / module.build_id.substr(0, 2) /
                                  (module.build_id.substr(2) + ".debug");
            if (!fs::exists(path, error)) continue;
            opened = open(path.string(), module);
            if (opened) break;
        }
        if (!opened) status_ = before;
    }
    if (opened) find_debug_information(module);
}

ModuleFile::~ModuleFile() { close(); }

void ModuleFile::close() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
    dwfl_ = nullptr;
    module_ = nullptr;
    dwarf_ = nullptr;
}

// Each module has a session of its own at its link-time addresses, because modules' addresses overlap.
bool ModuleFile::open(const std::string& path, const Module& module) {
    close();
    status_ = {};
    path_ = path;
    dwfl_ = dwfl_begin(&callbacks_);
    if (dwfl_ == nullptr) return false;
    dwfl_report_begin(dwfl_);
    module_ = dwfl_report_elf(dwfl_, "", path.c_str(), -1, 0, true);
    if (module_ == nullptr || dwfl_report_end(dwfl_, nullptr, nullptr) != 0) {
        status_.state = DebugInfoState::Unreadable;
        status_.problem = path + " cannot be read: " + dwfl_errmsg(-1);
        module_ = nullptr;
        return false;
    }
    const std::string build_id = build_id_of(module_);
    if (build_id != module.build_id && !module.build_id.empty()) {
        status_.state = DebugInfoState::Changed;
        status_.problem = path + " is not the file that ran: its build-id is " +
                          (build_id.empty() ? "not there" : build_id) + ", the program's " + module.build_id;
        return false;
    }
    return true;
}

void ModuleFile::find_debug_information(const Module& module) {
    Dwarf_Addr bias = 0;
    dwarf_ = dwfl_module_getdwarf(module_, &bias);
    const char* debug_file = nullptr;
    dwfl_module_info(module_, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &debug_file);
    // A file may have debug sections only for call frames or macros.
    Dwarf_CU* unit = nullptr;
    if (dwarf_ != nullptr && dwarf_get_units(dwarf_, nullptr, &unit, nullptr, nullptr, nullptr, nullptr) != 0)
        dwarf_ = nullptr;
    if (dwarf_ == nullptr) {
        status_.state = DebugInfoState::NoDebug;
        status_.problem = path_ + " has no debug information";
        return;
    }
    status_.debug_file = debug_file == nullptr ? path_ : debug_file;
    if (module.build_id.empty()) {
        status_.state = DebugInfoState::Unverified;
        status_.problem = path_ + " has no build-id: names are right if it has not changed since the run";
    } else {
        status_.state = DebugInfoState::Good;
    }
    if (!section_bytes(dwarf_getelf(dwarf_), ".gnu_debugaltlink").empty() && dwarf_getalt(dwarf_) == nullptr)
        status_.incomplete.push_back("the file that dwz moved common parts of " + status_.debug_file +
                                     " to is not there");
}

std::vector<std::string> ModuleFile::binaries() const {
    std::vector<std::string> paths{path_};
    if (status_.debug_file != path_) paths.push_back(status_.debug_file);
    return paths;
}

std::string ModuleFile::function_symbol(u64 address) const {
    if (module_ == nullptr || status_.state == DebugInfoState::Changed) return {};
    GElf_Off offset;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
    // The library also returns the nearest symbol below if that has size zero.
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || offset >= symbol.st_size) return {};
    return name;
}

u64 ModuleFile::object_size(u64 address) const {
    if (module_ == nullptr) return 0;
    GElf_Off offset;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset != 0) return 0;
    return symbol.st_size;
}

}  // namespace memspy::report::names
