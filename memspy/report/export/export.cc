// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/export.h"

#include <algorithm>
#include <filesystem>

#include "report/commands.h"
#include "report/export/contexts.h"
#include "report/export/json.h"
#include "report/export/profile_findings.h"
#include "report/output.h"
#include "report/section.h"

namespace memspy::report {
namespace {

constexpr ExportFormat kFormats[] = {
    {"callgrind", "profiles, for KCachegrind and callgrind_annotate", export_callgrind},
    {"codequality", "errors and findings, for GitLab's merge requests", export_codequality},
    {"folded", "profiles, one metric, for flame graphs", export_folded},
    {"helgrind4", "sharing findings as Valgrind's XML, protocol 4, of helgrind", export_helgrind4},
    {"json", "everything; docs/report-json.md", export_json},
    {"junit", "errors and findings, for CI servers", export_junit},
    {"lines", "errors and findings, a line each: file:line:column: kind: text, for vim, Emacs and others",
     export_lines},
    {"memcheck4", "defects as Valgrind's XML, protocol 4, of memcheck, for Qt Creator", export_memcheck4},
    {"otf2", "calls of MPI, or waits of threads, as a trace: the folder of an archive", export_otf2, true},
    {"sarif", "errors and findings, SARIF 2.1.0, for code hosts and editors", export_sarif},
    {"speedscope", "profiles, for speedscope", export_speedscope},
};

// By name, with those that a section makes of its records.
std::vector<ExportFormat> all_formats() {
    std::vector<ExportFormat> formats(std::begin(kFormats), std::end(kFormats));
    for (const Section* section : all_sections())
        formats.insert(formats.end(), section->exports.begin(), section->exports.end());
    std::ranges::sort(formats, {}, &ExportFormat::name);
    return formats;
}

constexpr OptionSpec kOptions[] = {
    {"to",
     "callgrind|codequality|dhat|folded|helgrind4|json|junit|lines|massif|memcheck4|otf2|pprof|sarif|"
     "speedscope",
     "the format"},
    {"metric", "NAME", "the count of folded stacks [modelled]"},
    {"source-root", "DIR", "write paths of sources in DIR relative to it (codequality, lines, sarif)"},
    kOwnOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

// The folder as it is written in paths of sources; empty: none.
std::string whole_root(std::string_view given) {
    if (given.empty()) return {};
    std::string root = std::filesystem::absolute(given).lexically_normal();
    while (root.size() > 1 && root.ends_with('/')) root.pop_back();
    return root;
}

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
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
    const std::vector<ExportFormat> formats = all_formats();
    const auto format = std::ranges::find(formats, wanted, &ExportFormat::name);
    const bool writes_folder = format != formats.end() && format->writes_folder;
    Output output(writes_folder ? std::string_view() : arguments.value("output"));
    ExportJob job{inputs,
                  names.get(),
                  profiles,
                  errors,
                  output.stream(),
                  whole_root(arguments.value("source-root")),
                  arguments.value("metric", "modelled"),
                  OwnCode(words_of_list(arguments.value("own"))),
                  std::string(arguments.value("output"))};
    if (format != formats.end()) format->write(job);
    output.commit();
    return job.whole ? kDone : kPartial;
}

std::string formats_and_metrics() {
    std::string text = "Formats:\n";
    for (const ExportFormat& format : all_formats()) text += list_row(format.name, format.what);
    text += "Metrics:\n";
    for (const auto& metric : all_metrics()) text += list_row(metric.name, metric.title);
    return text;
}

}  // namespace

const Command kExportCommand{"export",
                             "FILE...",
                             "writes formats of other programs",
                             "FILE is a profile or an error file; several profiles are merged first.",
                             kOptions,
                             run,
                             formats_and_metrics};

std::vector<ErrorFile> read_errors(ExportJob& job) {
    if (job.errors.empty()) return {findings_of_profiles(job)};
    if (!job.profiles_read && !job.profiles.empty()) {
        ProfileHandler names_only;
        read_profiles(job, names_only);
    }
    std::vector<ErrorFile> files(job.errors.size());
    for (std::size_t i = 0; i < files.size(); ++i)
        job.whole &= job.inputs.read_errors(job.errors[i], files[i]);
    return files;
}

void export_json(ExportJob& job) {
    JsonExport json(job.out, job.names);
    json.set_own(job.own);
    if (!job.profiles.empty()) read_profiles(job, json);
    std::vector<ErrorFile> errors;
    if (!job.errors.empty()) errors = read_errors(job);
    json.finish(errors, job.inputs.problems());
}

}  // namespace memspy::report
