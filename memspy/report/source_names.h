// SPDX-License-Identifier: GPL-2.0-or-later
//
// What debug information adds to the records of a profile, for all commands: lines that the run did not know,
// variables and their parts. See names/names.h for where it is looked for and when it is believed.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "report/command_line.h"
#include "report/model.h"
#include "report/names/names.h"
#include "report/sections/contention/records.h"
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

class SourceNames {
public:
    // Texts of completed frames are put into `strings`.
    SourceNames(names::NameOptions options, StringPool& strings);

    // Of each module before what refers to it.
    void add(const Module& module);

    // "ok", or why there are no names of this module.
    std::string status(ModuleId id);
    // Parts of modules' debug information that were wanted and not there, as lines for people.
    std::vector<std::string> incomplete();

    // The same stack; frames without a source file have one, and what is inlined there, where it is known.
    Stack completed(const Stack& stack);

    // The same object; a heap block whose type is known has it for a name. Its stack must have been
    // completed.
    Object completed(const Object& object);

    // The same group; where it has one object, its words name fields rather than bytes.
    contention::Group completed(const contention::Group& group);

    // The variable at the start of a static object.
    std::optional<names::Variable> variable(const Object& object);
    // Of a static object, or a completed block of known type, the fields in `bytes` bytes from `offset` on,
    // each cut to them: `address` counts from the start of the object.
    std::vector<names::MemberPath> fields(const Object& object, u64 offset, u64 bytes);
    // The smallest part of such an object that holds these bytes: "" when it is not known.
    std::string part(const Object& object, u64 offset, u64 bytes);

private:
    std::string in_words(std::string text, const Object& object);
    const names::Module* find(ModuleId id) const;
    const std::vector<Frame>& frames_at(const Frame& frame);

    names::Names names_;
    StringPool& strings_;
    std::unordered_map<u32, names::Module> modules_;
    std::unordered_map<u64, std::vector<Frame>> frames_;  // by module and offset
    struct CallPlace {
        ModuleId module;
        u64 offset;
    };
    std::unordered_map<u32, std::vector<CallPlace>> calls_;  // by stack: its innermost functions
    std::unordered_map<u32, names::BlockType> block_types_;  // by object
    std::unordered_map<u32, Object> named_;                  // those whose fields are known
};

// The words between colons.
std::vector<std::string> words_of_list(std::string_view list);

// As the three options say; null for --names=no. The inputs' stacks are completed from now on, as long as it
// lives.
std::unique_ptr<SourceNames> make_source_names(const Arguments& arguments, Inputs& inputs);

}  // namespace memspy::report
