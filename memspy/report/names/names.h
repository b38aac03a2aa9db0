// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names from debug information: what stands at a link-time address of a module. Static variables with their
// members and array indices, the functions inlined at a code address, and the types of heap blocks.
//
// Reads DWARF 4 and 5 as gcc and clang write it: in the module, in a separate file (found by build-id, else
// by .gnu_debuglink), compressed, in .dwo files or a .dwp file, with what dwz moved to a common file. Nothing
// is guessed: a module that is not there, or is another build than the one that ran, gives no name, and its
// status says so. Nothing is fetched from the network unless Options::debuginfod is set.
//
// Not for several threads. Answers are kept, so that asking again is cheap.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memspy::report::names {

using u64 = std::uint64_t;

struct NameOptions {
    // Searched besides the module's own folder, its .debug and /usr/lib/debug: as trees with .build-id, and
    // for .dwo files.
    std::vector<std::string> debug_dirs;
    bool debuginfod = false;
};

// A module as the profile names it; `build_id` is hexadecimal, "" when it has none.
struct Module {
    std::string path;
    std::string build_id;
    bool operator==(const Module&) const = default;
};

enum class DebugInfoState {
    Good,        // the build that ran, with debug information
    Unverified,  // debug information is there, but no build-id shows whether it belongs to the file that ran
    NoDebug,     // the build that ran; nothing but symbols is known
    Missing,     // no such file
    Changed,     // a file is there, of another build: not used
    Unreadable,  // a file is there, but not a readable ELF file
};
const char* name_of(DebugInfoState state);

struct DebugInfoStatus {
    DebugInfoState state = DebugInfoState::Missing;
    std::string problem;     // for people, "" when all is well
    std::string debug_file;  // where debug information was read from, "" when there is none
    std::vector<std::string>
        incomplete;  // parts (.dwo, .dwp, dwz files) that are missing; grows as they are wanted
};

struct SourceLine {
    std::string dir, file;  // file is "" when not known; dir has no / at its end
    unsigned line = 0;      // 0 when not known
    bool operator==(const SourceLine&) const = default;
    std::string path() const { return dir.empty() ? file : dir + "/" + file; }
};

struct SourceFrame {
    std::string function;  // readable, "" when not known
    SourceLine source;
    bool inlined = false;  // into the function of the next frame
};

struct Variable {
    std::string name;  // with namespaces, classes and the function that it is static in
    std::string type;
    u64 address = 0;  // link-time
    u64 size = 0;     // 0 when the type is declared only
    SourceLine declared;
};

// A member, an array's element or the like that has no parts of its own.
struct MemberPath {
    u64 address = 0;             // link-time, of its first byte
    u64 size = 0;                // bytes that it has a part in
    unsigned bit = 0, bits = 0;  // of a bit-field: from the lowest bit of the first byte; else 0
    std::string path;            // such as stats.slot[3].count
    std::string type;
};

// The smallest part of a variable that holds all the bytes asked for.
struct VariablePart {
    std::string path, type;
    u64 address = 0, size = 0;
    bool padding = false;           // the bytes are in no member of `path`
    std::vector<std::string> also;  // other members of a union, or bit-fields, that the bytes belong to
};

// Code of a module; of a call its last byte.
struct CodePlace {
    Module module;
    u64 address = 0;
};

// What is known of a heap block, to find its type.
struct BlockQuestion {
    std::vector<CodePlace> allocation;  // innermost first, one for each function that is not inlined
    u64 bytes = 0;
    bool array = false;  // made by new[]
};

// The type that a heap block was made for.
struct BlockType {
    std::string name;
    u64 size = 0;   // of one of them
    u64 first = 0;  // where in the block they start
    u64 count = 0;  // how many there are
    std::size_t handle = 0;
};

class Names {
public:
    explicit Names(NameOptions options = {});
    ~Names();
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;

    const DebugInfoStatus& status(const Module& module);

    // Innermost first: the functions inlined at `address` and the one that holds the code. Empty when nothing
    // is known of it.
    std::vector<SourceFrame> frames(const Module& module, u64 address);

    std::optional<Variable> variable(const Module& module, u64 address);

    std::optional<VariablePart> part(const Module& module, u64 address, u64 bytes);

    // All fields that have a byte in [begin, end), in order of their addresses; of a union all members. At
    // most `limit` of them.
    std::vector<MemberPath> fields(const Module& module, u64 begin, u64 end, std::size_t limit = 4096);

    // From what becomes of the allocation's result: none where that cannot be followed or contradicts itself.
    std::optional<BlockType> block_type(const BlockQuestion& question);
    // As above, of a block of this type; addresses count from its start. Elements are [0].member, [1].member.
    std::vector<MemberPath> block_fields(const BlockType& type, u64 begin, u64 end, std::size_t limit = 4096);

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace memspy::report::names
