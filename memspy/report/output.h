// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a result goes: standard output, or a file that has its name only once it is complete.
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace memspy::report {

class Output {
public:
    explicit Output(std::string_view file);  // empty or `-`: standard output
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output();

    std::ostream& stream();
    // What was written is complete. Throws std::runtime_error where it could not all be written.
    void commit();

private:
    std::string file_, part_;
    std::ofstream stream_;
};

}  // namespace memspy::report
