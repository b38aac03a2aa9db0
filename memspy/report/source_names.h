// SPDX-License-Identifier: GPL-2.0-or-later
//
// Additions from debug information to the records of a profile, for all commands: lines that the run did not
// have, variables and their parts. names/names.h describes where debug information is found and when it is
// used.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/block_accesses.h"
#include "report/command_line.h"
#include "report/errors.h"
#include "report/model.h"
#include "report/names/names.h"
#include "report/string_pool.h"

namespace memspy::report {

inline constexpr OptionSpec kNamesOption{
    "names", "yes|no", "read the programs' debug information: members of variables, missing lines [yes]"};
inline constexpr OptionSpec kOwnOption{
    "own", "GLOB[:GLOB...]",
    "modules and source files of the program's own code; !GLOB: of others [all but the system's]"};
inline constexpr OptionSpec kDebugDirOption{"debug-dir", "DIR[:DIR...]",
                                            "also look there for debug files by build-id and for .dwo files"};
inline constexpr OptionSpec kDebuginfodOption{
    "debuginfod", "", "ask the servers in DEBUGINFOD_URLS; otherwise no network is used"};

class Inputs;

struct BlockName {
    Text label;     // "JobQueue", "double[100]"
    Text variable;  // that the only block is allocated for; may be empty
    std::string_view element;
    u64 element_size = 0;
    bool several = false;
    u64 first = 0;  // offset of the first element in the block
};

// A finding of a profile, with what tells its error from others.
struct KnownFinding {
    Text kind;
    std::vector<StackId> sides, allocations;
    Text what, advice;  // its texts, with the names that are known now
    std::vector<ErrorRemedy> remedies;
};

class SourceNames {
public:
    // Texts of completed frames are stored in `strings`.
    SourceNames(names::NameOptions options, StringPool& strings);

    // Instructions that access blocks, which tell the types of some. To be filled before the first object.
    BlockAccesses& accesses() { return accesses_; }

    // Call for each module before the records that refer to it.
    void add(const Module& module);

    // "ok", or the reason why the module has no names.
    std::string status(ModuleId id);
    // Parts of modules' debug information that were needed and are missing, one line each.
    std::vector<std::string> incomplete();

    // The same stack. Frames without a source file get one if it is known, with the functions inlined there;
    // so do lines of the system's headers, of which the run did not see what they are inlined in.
    Stack completed(const Stack& stack);

    // The same object. A heap block of known type gets the type as its name. Its stack must have been
    // completed before.
    Object completed(const Object& object);

    // How a completed block's type was found: "allocation" or "accesses"; "" if it is not known.
    Text type_from(const Object& object) const;
    // The same for all blocks of the profile, as a sentence; "" if no block has a type.
    std::string types_found() const;

    // Where a completed block was allocated; none for other objects.
    StackId allocation(ObjectId object) const;
    // The name of a completed block of known type.
    std::optional<BlockName> block_name(ObjectId object) const;
    // The fields in these bytes: "queue->stats_.completed and queue->stats_.bytes", or "stats_.completed and
    // stats_.bytes of JobQueue" where no variable is known; "" if they are not known, or too many.
    std::string field_words(ObjectId object, u64 first, u64 bytes);
    // A place such as "make (heap.cc:31)" of the object's allocation; the program's own, if that one is in
    // the C++ library.
    Text moved(ObjectId object, Text place);

    // A text that lives as long as the records, for a record that is passed on.
    Text interned(const std::string& text) { return strings_.intern(text); }

    void note_finding(KnownFinding finding);
    // The same error. That of a finding noted before has its words.
    Error completed(const Error& error);

    // The variable at the start of a static object; that of a stack if the object was completed before.
    std::optional<names::Variable> variable(const Object& object);
    // For a static object, or a completed block of known type or variable on a stack: the fields in `bytes`
    // bytes from `offset` on, cut to this range. `address` counts from the start of the object.
    std::vector<names::MemberPath> fields(const Object& object, u64 offset, u64 bytes);
    // The same for an object that was completed before.
    std::vector<names::MemberPath> fields(ObjectId object, u64 offset, u64 bytes);
    // The smallest part of such an object that holds these bytes; "" if it is not known.
    std::string part(const Object& object, u64 offset, u64 bytes);

private:
    const names::Module* find(ModuleId id) const;
    const names::BlockType* type_of(const Object& object) const;
    const std::vector<Frame>& frames_at(const Frame& frame);

    names::Names names_;
    StringPool& strings_;
    BlockAccesses accesses_;
    std::unordered_map<u32, names::Module> modules_;
    std::unordered_map<u64, std::vector<Frame>> frames_;  // by module and offset
    struct CallPlace {
        ModuleId module;
        u64 offset;
    };
    std::unordered_map<u32, std::vector<CallPlace>> calls_;  // by stack: its innermost functions
    // By stack: places that its texts have in the C++ library, and the program's own that they were inlined
    // into.
    std::unordered_map<u32, std::vector<std::pair<std::string, std::string>>> moved_;
    std::unordered_map<u32, names::BlockType> block_types_;          // by object
    std::unordered_map<u32, names::FrameVariable> frame_variables_;  // by object
    std::unordered_map<u32, Object> named_;                          // objects whose fields are known
    std::unordered_map<u32, std::vector<u64>> stack_calls_;          // by stack
    std::unordered_map<u32, StackId> allocations_;                   // of blocks
    std::vector<KnownFinding> findings_;
};

// The words of a list separated by colons.
std::vector<std::string> words_of_list(std::string_view list);

}  // namespace memspy::report
