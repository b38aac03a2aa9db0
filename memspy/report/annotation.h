// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts by source line, from profiles and error files, and source files printed with these counts.
//
// A count is charged to one line: that of the innermost frame with a source file. So the counts of a file add
// up to its own events, without those of the functions that it calls.
#pragma once

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "report/catalog.h"
#include "report/code_figures.h"
#include "report/input.h"

namespace memspy::report {

struct AnnotateOptions {
    std::string file;  // a pattern of the shell's for the base name or the path; empty: all
    u64 context = 3;   // lines shown around a line with counts
    u64 top = 0;       // files; 0: all
    bool tsv = false;  // only lines with counts, in one table
    std::vector<std::string> source_dirs;  // other folders with the sources
    std::vector<std::string> own;          // the same as for Catalog::set_own
};

class Annotation {
public:
    explicit Annotation(AnnotateOptions options) : options_(std::move(options)) {}

    bool read_profile(Inputs& inputs, const std::string& file);
    void add_errors(const ErrorFile& file);
    void print(std::ostream& out) const;

private:
    // Of a line: those of each section that has any, in the order of sections, and the errors last.
    using Counts = std::vector<u64>;
    struct UsedColumn {
        const LineColumns::LineColumn* column;  // null: errors
        std::size_t first, size;                // its section's counts
        std::string_view title() const;
        Cell text(const Counts& counts) const;
    };
    struct SourceText {
        std::string dir, file;
        std::map<u64, Counts> lines;
    };
    class Profile;

    // Null where the line is not known or not wanted.
    Counts* at(std::string_view dir, std::string_view file, u64 line);
    std::vector<const SourceText*> in_order() const;
    std::vector<UsedColumn> columns() const;
    std::filesystem::path find(const SourceText& source) const;
    void print_tsv(const std::vector<UsedColumn>& columns, std::ostream& out) const;
    void print(const SourceText& source, const std::vector<UsedColumn>& columns, std::ostream& out) const;

    AnnotateOptions options_;
    std::map<std::pair<std::string, std::string>, SourceText> sources_;
    u64 without_source_ = 0;  // events, loads and errors in code without known lines
    std::string latest_;      // start of the last run, in UTC
};

}  // namespace memspy::report
