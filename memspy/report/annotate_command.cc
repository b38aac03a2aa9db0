// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/annotation.h"
#include "report/commands.h"
#include "report/output.h"
#include "report/section.h"
#include "report/source_names.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"file", "PATTERN", "only source files of this name, or path"},
    {"context", "N", "lines shown around each one with counts [3]"},
    {"top", "N", "number of files [0: all]"},
    {"source-dir", "DIR[:DIR...]", "also look there for sources that have moved since they were compiled"},
    kOwnOption,
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

int run(const Arguments& arguments) {
    AnnotateOptions options;
    options.file = arguments.value("file");
    options.context = arguments.number("context", options.context);
    options.top = arguments.number("top", options.top);
    options.tsv = format_of(arguments) == TableFormat::Tsv;
    options.source_dirs = words_of_list(arguments.value("source-dir"));
    options.own = words_of_list(arguments.value("own"));
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
    Annotation annotation(options);
    bool whole = true;
    for (const std::string& file : arguments.some_files()) {
        if (kind_of(file) == FileKind::Errors) {
            ErrorFile errors;
            whole &= inputs.read_errors(file, errors);
            annotation.add_errors(errors);
        } else {
            whole &= annotation.read_profile(inputs, file);
        }
    }
    Output output(arguments.value("output"));
    annotation.print(output.stream());
    output.commit();
    return whole ? kDone : kPartial;
}

std::string list_of_columns() {
    std::string text;
    for (const Section* section : all_sections()) {
        if (section->line_columns == nullptr) continue;
        for (const LineColumns::LineColumn& column : section->line_columns->columns)
            text += list_row(column.title, column.help);
    }
    return text + list_row("errors", "occurrences of errors");
}

}  // namespace

const Command kAnnotateCommand{
    "annotate",
    "FILE...",
    "source files with counts beside their lines",
    "FILE is a profile or an error file; counts of all files are added. A count stands beside its innermost\n"
    "known line:",
    kOptions,
    run,
    list_of_columns};

}  // namespace memspy::report
