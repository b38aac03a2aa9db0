// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names from debug information for link-time addresses of a module: static variables with their members and
// array indices, the functions inlined at a code address, and the types of heap blocks.
//
// Reads DWARF 4 and 5 as written by gcc and clang: in the module, in a separate file (found by build-id, else
// by .gnu_debuglink), compressed, in .dwo files or a .dwp file, with parts moved to a common file by dwz.
// Nothing is guessed: a module that is missing, or of another build than the one that ran, gives no name, and
// its status says so. Nothing is fetched from the network unless Options::debuginfod is set.
//
// Not thread-safe. Answers are cached, so repeated questions are cheap.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/names/answers.h"

namespace memspy::report::names {

class Names {
public:
    explicit Names(NameOptions options = {});
    ~Names();
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;

    const DebugInfoStatus& status(const Module& module);

    // Innermost first: the functions inlined at `address` and the function that holds the code. Empty if
    // nothing is known.
    std::vector<SourceFrame> frames(const Module& module, u64 address);

    std::optional<Variable> variable(const Module& module, u64 address);

    std::optional<VariablePart> part(const Module& module, u64 address, u64 bytes);

    // All fields with a byte in [begin, end), at most `limit`, in the order of their addresses; for a union
    // all members.
    std::vector<MemberPath> fields(const Module& module, u64 begin, u64 end, std::size_t limit = 4096);

    // From the use of the allocation's result; if that cannot be followed, from the pointers in the operands
    // of the accesses. None if either is contradictory.
    std::optional<BlockType> block_type(const BlockQuestion& question);
    // The variable of the function that begins at `function`, or of one that is inlined there: by its name
    // and the line of its declaration.
    std::optional<FrameVariable> frame_variable(const Module& module, u64 function, const std::string& name,
                                                u64 line);
    // The fields of a block of this type; addresses count from its start. Elements are [0].member,
    // [1].member; those of a variable on a stack begin with its name.
    std::vector<MemberPath> block_fields(const BlockType& type, u64 begin, u64 end, std::size_t limit = 4096);

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace memspy::report::names
