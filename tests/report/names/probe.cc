// SPDX-License-Identifier: GPL-2.0-or-later
//
// Asks memspy::report::names about one module: questions on stdin, an answer of lines with tabs for each,
// ended by an empty line.
//     status | frames ADDRESS | variable ADDRESS | part ADDRESS BYTES | fields BEGIN END
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "report/names/names.h"

namespace names = memspy::report::names;

namespace {

void answer(names::Names& all, const names::Module& module, const std::string& question) {
    std::istringstream words(question);
    std::string what;
    names::u64 first = 0, second = 0;
    words >> what >> std::hex >> first >> second;
    if (what == "status") {
        const names::DebugInfoStatus& status = all.status(module);
        std::cout << names::name_of(status.state) << '\t' << status.problem << '\t' << status.debug_file
                  << '\n';
        for (const std::string& part : status.incomplete) std::cout << part << '\n';
    } else if (what == "frames") {
        for (const names::SourceFrame& frame : all.frames(module, first))
            std::cout << frame.function << '\t' << frame.source.path() << '\t' << frame.source.line << '\t'
                      << frame.inlined << '\n';
    } else if (what == "variable") {
        if (auto variable = all.variable(module, first))
            std::cout << variable->name << '\t' << variable->type << '\t' << variable->declared.path() << '\t'
                      << variable->declared.line << '\t' << std::hex << variable->address << std::dec << '\t'
                      << variable->size << '\n';
    } else if (what == "part") {
        if (auto part = all.part(module, first, second)) {
            std::cout << part->path << '\t' << part->type << '\t' << std::hex << part->address << std::dec
                      << '\t' << part->size << '\t' << part->padding;
            for (const std::string& other : part->also) std::cout << '\t' << other;
            std::cout << '\n';
        }
    } else if (what == "fields") {
        for (const names::MemberPath& field : all.fields(module, first, second))
            std::cout << field.path << '\t' << field.type << '\t' << std::hex << field.address << std::dec
                      << '\t' << field.size << '\t' << field.bit << '\t' << field.bits << '\n';
    }
    std::cout << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
    names::NameOptions options;
    names::Module module;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.starts_with("--debug-dir="))
            options.debug_dirs.push_back(argument.substr(12));
        else if (argument == "--debuginfod")
            options.debuginfod = true;
        else if (module.path.empty())
            module.path = argument;
        else
            module.build_id = argument;
    }
    names::Names all(options);
    for (std::string line; std::getline(std::cin, line);) answer(all, module, line);
    return 0;
}
