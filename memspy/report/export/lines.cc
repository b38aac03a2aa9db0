// SPDX-License-Identifier: GPL-2.0-or-later
//
// A line for each error as compilers print them, `file:line:column: kind: text`, for the lists of editors;
// and a note for each further part: at its own place, such as that of the block's allocation, else at the
// error's, such as advice. Columns are not known: 1.
#include "report/error_facts.h"
#include "report/export/export.h"

namespace memspy::report {
namespace {

// False where the frame has no source line: editors could not go there.
bool write_place(const ErrorFrame* frame, ExportJob& job) {
    if (frame == nullptr || frame->line == 0) return false;
    const std::string path = source_path(*frame, job.root);
    if (path.empty()) return false;
    job.out << path << ':' << frame->line << ":1: ";
    return true;
}

}  // namespace

void export_lines(ExportJob& job) {
    for (const ErrorFile& file : read_errors(job)) {
        for (const Error& error : file.errors) {
            // An error without a place is still told; editors show such lines as text.
            const ErrorFrame* const place = own_frame(error, job.own);
            if (!write_place(place, job)) job.out << file.run.exe << ": ";
            job.out << error.kind << ": " << error.what << '\n';
            for (std::size_t i = 1; i < error.parts.size(); ++i) {
                const ErrorPart& part = error.parts[i];
                if (write_place(own_frame(part.stack, job.own), job) || write_place(place, job))
                    job.out << "note: " << part.text << '\n';
            }
        }
    }
}

}  // namespace memspy::report
