// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is asked of debug information, and what it answers: plain data. names.h says who answers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memspy::report::names {

using u64 = std::uint64_t;

struct NameOptions {
    // Folders to search besides the module's own folder, its .debug and /usr/lib/debug: as trees with
    // .build-id, and for .dwo files.
    std::vector<std::string> debug_dirs;
    bool debuginfod = false;
};

// A module as in the profile; `build_id` is hexadecimal, "" if it has none.
struct Module {
    std::string path;
    std::string build_id;
    bool operator==(const Module&) const = default;
};

enum class DebugInfoState {
    Good,        // the build that ran, with debug information
    Unverified,  // has debug information, but no build-id shows whether it is the build that ran
    NoDebug,     // the build that ran; has only symbols
    Missing,     // no such file
    Changed,     // a file of another build: not used
    Unreadable,  // not a readable ELF file
};
const char* name_of(DebugInfoState state);

struct DebugInfoStatus {
    DebugInfoState state = DebugInfoState::Missing;
    std::string problem;     // for people, "" if there is none
    std::string debug_file;  // the file that debug information was read from, "" if there is none
    std::vector<std::string> incomplete;  // missing parts (.dwo, .dwp, dwz files); grows as they are needed
};

struct SourceLine {
    std::string dir, file;  // file is "" if not known; dir has no / at its end
    unsigned line = 0;      // 0 if not known
    bool operator==(const SourceLine&) const = default;
    std::string path() const { return dir.empty() ? file : dir + "/" + file; }
};

struct SourceFrame {
    std::string function;  // readable, "" if not known
    SourceLine source;
    bool inlined = false;  // inlined into the function of the next frame
    unsigned column = 0;   // in its line, 0 if not known
};

struct Variable {
    std::string name;  // with namespaces, classes and, for a static variable, its function
    std::string type;
    u64 address = 0;  // link-time
    u64 size = 0;     // 0 if the type is only declared
    SourceLine declared;
};

// What a value's bytes mean. An enumeration is an integer.
enum class ValueForm { Integer, Float, Pointer, Other };

// A member, an array's element or the like without parts of its own.
struct MemberPath {
    u64 address = 0;             // link-time, of its first byte
    u64 size = 0;                // bytes; for a bit-field all bytes that it touches
    unsigned bit = 0, bits = 0;  // for a bit-field: from the lowest bit of the first byte; else 0
    std::string path;            // such as stats.slot[3].count
    std::string type;
    SourceLine declared;  // of the innermost member in the path; of a variable without members: not known
    ValueForm form = ValueForm::Other;
    // "nodes[].name[]" for "nodes[3].name[12]": all elements are one.
    std::string path_of_all() const {
        std::string all;
        bool in_index = false;
        for (const char c : path) {
            if (c == ']') in_index = false;
            if (!in_index) all += c;
            if (c == '[') in_index = true;
        }
        return all;
    }
};

// The smallest part of a variable that holds all the requested bytes.
struct VariablePart {
    std::string path, type;
    u64 address = 0, size = 0;
    bool padding = false;           // the bytes are in no member of `path`
    std::vector<std::string> also;  // other members of a union, or bit-fields, that the bytes belong to
};

// Code of a module; for a call its last byte.
struct CodePlace {
    Module module;
    u64 address = 0;
};

// The facts about a heap block from which its type is found.
struct BlockQuestion {
    std::vector<CodePlace> allocation;  // innermost first, one for each function that is not inlined
    u64 bytes = 0;
    bool array = false;  // made by new[]
    // Instructions that access it, and how often. Asked only if the allocation says nothing.
    struct BlockAccess {
        CodePlace place;
        u64 times = 0;
    };
    std::vector<BlockAccess> accesses;
};

// The type that a heap block was made for.
struct BlockType {
    std::string name;
    bool by_accesses = false;  // not from the use of the allocation's result
    u64 size = 0;              // of one element
    u64 first = 0;             // offset of the first element in the block
    u64 count = 0;             // number of elements
    std::string variable{};    // the one variable that gets the block's address; "": none, or several
    std::size_t handle = 0;
};

// A variable on a stack, as the one element of its block.
struct FrameVariable : BlockType {
    SourceLine declared;
};

}  // namespace memspy::report::names
