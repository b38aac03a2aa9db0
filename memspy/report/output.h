// SPDX-License-Identifier: GPL-2.0-or-later
//
// The destination of a result: standard output, or a file that gets its name only when it is complete.
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
    // The output is complete. Throws std::runtime_error if not everything could be written.
    void commit();

private:
    std::string file_, part_;
    std::ofstream stream_;
};

}  // namespace memspy::report
