// SPDX-License-Identifier: GPL-2.0-or-later
//
// Input files of either kind. Defects in one go to standard error and are remembered; what was read
// of it before that has gone to the handlers and counts.
#pragma once

#include <string>
#include <vector>

#include "report/errors.h"
#include "report/model.h"
#include "report/string_pool.h"

namespace memspy::report {

enum class FileKind : u8 { Profile, Errors, Neither };

// By its first element. A file that cannot be read is an InputError; standard input (`-`) cannot be looked at
// beforehand and is taken for a profile.
FileKind kind_of(const std::string& file);

// All of an error XML file.
struct ErrorFile {
    std::string path;
    ErrorRun run;
    bool finished = false;
    std::vector<Error> errors;
    std::vector<u64> counts;  // how often each happened; 1 for what is not counted (leaks)
    struct Suppressed {
        Text name;
        u64 count = 0;
    };
    std::vector<Suppressed> suppressed;
    std::vector<FatalSignal> signals;
};

class SourceNames;

class Inputs {
public:
    // Stacks that are read from now on come with what is found in debug information. `names` may be null, and
    // stays the caller's.
    void complete_with(SourceNames* names) { names_ = names; }

    // False where the file is not whole; the message says what was read. An InputError where it is nothing of
    // the kind.
    bool read_profile(const std::string& file, ProfileHandler& handler);
    // One profile as it is, several merged.
    bool read_profiles(const std::vector<std::string>& files, ProfileHandler& handler);
    bool read_errors(const std::string& file, ErrorFile& into);

    StringPool& strings() { return strings_; }
    const std::vector<std::string>& problems() const { return problems_; }

private:
    void problem(const std::string& what, const std::string& read);

    StringPool strings_;
    SourceNames* names_ = nullptr;
    std::vector<std::string> problems_;
};

}  // namespace memspy::report
