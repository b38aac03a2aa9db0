// SPDX-License-Identifier: GPL-2.0-or-later
//
// Input files of either kind. Errors in a file are printed to standard error and recorded; everything read
// before the error has been passed to the handlers and counts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/errors.h"
#include "report/model.h"
#include "report/string_pool.h"

namespace memspy::report {

enum class FileKind : u8 { Profile, Errors, Neither };

// Determines the kind by the first element. Throws InputError if the file cannot be read. Standard input
// (`-`) cannot be read twice, so it counts as a profile.
FileKind kind_of(const std::string& file);

class Arguments;
class BlockAccesses;
class SourceNames;

class Inputs {
public:
    // From now on stacks are completed from debug information, and errors that are findings of profiles read
    // before. `names` may be null, and belongs to the caller.
    void complete_with(SourceNames* names) { names_ = names; }

    // Returns false if the file is incomplete; the message says what was read. Throws InputError if it is not
    // a profile.
    bool read_profile(const std::string& file, ProfileHandler& handler);
    // Reads one profile unchanged, or several merged.
    bool read_profiles(const std::vector<std::string>& files, ProfileHandler& handler);
    bool read_errors(const std::string& file, ErrorFile& into);

    StringPool& strings() { return strings_; }
    const std::vector<std::string>& problems() const { return problems_; }

private:
    // A file that can be read only once gives none.
    void collect_accesses(const std::string& file, BlockAccesses& accesses);
    void problem(const std::string& what, const std::string& read);

    StringPool strings_;
    SourceNames* names_ = nullptr;
    std::vector<std::string> problems_;
};

// Made from the three options; null for --names=no. While it lives, the inputs' stacks are completed.
std::unique_ptr<SourceNames> make_source_names(const Arguments& arguments, Inputs& inputs);

}  // namespace memspy::report
