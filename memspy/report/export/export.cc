// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/export.h"

#include "report/commands.h"
#include "report/export/json.h"
#include "report/output.h"

namespace memspy::report {
namespace {

constexpr ExportFormat kFormats[] = {
    {"json", "all there is, as docs/report-json.md describes it", export_json},
};

constexpr OptionSpec kOptions[] = {
    {"to", "json", "the format"},
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

int run(const Arguments& arguments) {
    const std::string_view wanted = arguments.value("to");
    if (wanted.empty()) throw UsageError("export needs --to=FORMAT; memspy-report export --help lists them");
    std::vector<std::string> profiles, errors;
    for (const std::string& file : arguments.some_files()) {
        switch (kind_of(file)) {
            case FileKind::Profile: profiles.push_back(file); break;
            case FileKind::Errors: errors.push_back(file); break;
            case FileKind::Neither:
                throw UsageError(file + " is neither a profile nor an error file of memspy");
        }
    }
    if (profiles.size() > 1) throw UsageError("merge the profiles first: memspy-report merge");
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs.strings());
    inputs.complete_with(names.get());
    Output output(arguments.value("output"));
    ExportJob job{inputs, names.get(), profiles, errors, output.stream()};
    for (const ExportFormat& format : kFormats)
        if (format.name == wanted) format.write(job);
    output.commit();
    return job.whole ? kDone : kPartial;
}

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

const Command kExportCommand{
    "export", "FILE...", "writes what other programs read", "FILE is a profile, error files, or both.",
    kOptions, run};

void export_json(ExportJob& job) {
    JsonExport json(job.out, job.names);
    for (const std::string& file : job.profiles) job.whole &= job.inputs.read_profile(file, json);
    std::vector<ErrorFile> errors(job.errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i)
        job.whole &= job.inputs.read_errors(job.errors[i], errors[i]);
    json.finish(errors, job.inputs.problems());
}

}  // namespace memspy::report
