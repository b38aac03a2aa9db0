// SPDX-License-Identifier: GPL-2.0-or-later
//
// Valgrind's error XML for older tools: protocol 4, with the name and kinds of a tool that they know. Defects
// and leaks are written in memcheck's dialect, sharing and contention in helgrind's, as its kind for other
// errors.
#include <iostream>

#include "report/error_facts.h"
#include "report/error_writer.h"
#include "report/export/export.h"

namespace memspy::report {
namespace {

// `kind_of` returns an error's kind in the dialect, empty if it has none.
template <typename F>
void write_document(ExportJob& job, const char* tool, F&& kind_of) {
    const std::vector<ErrorFile> files = read_errors(job);
    if (files.size() != 1) throw UsageError("this format holds one run: give one error file");
    ErrorFile file = files.front();
    std::vector<Error> errors;
    std::vector<u64> counts;
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        Error error = file.errors[i];
        const Text kind = kind_of(error);
        if (kind.empty()) continue;
        error.kind = kind;
        errors.push_back(std::move(error));
        counts.push_back(file.counts[i]);
    }
    const std::size_t left_out = file.errors.size() - errors.size();
    file.errors = std::move(errors);
    file.counts = std::move(counts);
    write_error_file(job.out, file, tool, "4");
    if (left_out != 0)
        std::cerr << "memspy-report: " << left_out << " of " << file.errors.size() + left_out
                  << " errors have no kind in " << tool << "'s dialect and are left out\n";
}

}  // namespace

void export_memcheck4(ExportJob& job) {
    if (job.errors.empty()) throw UsageError("profiles have no defects: give an error file (--xml=yes)");
    write_document(job, "memcheck", [](const Error& error) -> Text {
        // This kind is younger than the protocol.
        if (error.kind == "ReallocSizeZero") return "FishyValue";
        const ErrorClass what = class_of(error);
        return what == ErrorClass::Defect || what == ErrorClass::Leak ? error.kind : Text{};
    });
}

void export_helgrind4(ExportJob& job) {
    write_document(job, "helgrind", [](const Error& error) -> Text {
        return class_of(error) == ErrorClass::Object ? "Misc" : "";
    });
}

}  // namespace memspy::report
