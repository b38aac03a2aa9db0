// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>

#include "report/commands.h"
#include "report/error_facts.h"
#include "report/input.h"
#include "report/output.h"
#include "report/source_names.h"
#include "report/table.h"
#include "report/text_report.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"sort", "events|modelled|observed|misses|invalidations|false|accesses|name",
     "order of the rows [events]"},
    {"top", "N", "rows of each table [20]; 0: all"},
    {"object", "PATTERN", "only objects of this name"},
    {"function", "PATTERN", "only in this function, or below it"},
    {"file", "PATTERN", "only in this source file, or below it"},
    {"thread", "N", "only this thread"},
    {"gate", "SECTION,...",
     "error files: only what fails a nightly run: defects in the program's own code, and findings of these "
     "sections (contention, zeros, or none); no text if there is nothing"},
    kOwnOption,
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

// The program's own line, not that of the library's header where it allocates.
std::string where(const std::vector<ErrorFrame>& stack, const OwnCode& own) {
    const ErrorFrame* const frame = own_frame(stack, own);
    return frame == nullptr ? "" : label(*frame);
}

void print_errors_head(const ErrorFile& file, const OwnCode& own, std::ostream& out) {
    out << file.path << ": " << file.run.exe;
    for (const Text each : file.run.arguments) out << " " << each;
    out << " (process " << file.run.pid << ")\n";
    if (!file.finished) out << "not of a whole run\n";
    for (const FatalSignal& signal : file.signals)
        out << "ended by " << signal.name << " in thread " << signal.thread << " at "
            << where(signal.stack, own) << '\n';
    out << '\n' << file.errors.size() << " different errors\n";
    if (file.errors.empty()) return;
    std::map<Text, u64> kinds;
    for (const Error& error : file.errors) ++kinds[error.kind];
    for (const auto& [kind, count] : kinds) out << "  " << count << " " << kind << '\n';
    out << '\n';
}

void print_errors(const ErrorFile& file, const OwnCode& own, u64 top, TableFormat format, std::ostream& out) {
    if (format == TableFormat::Plain) {
        print_errors_head(file, own, out);
        if (file.errors.empty()) return;
    }
    Table table("errors", {{"times"}, {"kind", true}, {"what", true}, {"where", true}});
    for (std::size_t i = 0; i < file.errors.size() && i < top; ++i) {
        const Error& error = file.errors[i];
        table.add({number(file.counts[i]), std::string(error.kind), std::string(error.what),
                   where(error.parts.front().stack, own)});
    }
    table.print(out, format);
}

// What counts in a nightly run.
ErrorFile gated(ErrorFile file, std::string_view gate, const OwnCode& own) {
    const auto counts = [&](const Error& error) {
        const std::vector<ErrorFrame>& stack = error.parts.front().stack;
        switch (class_of(error)) {
            case ErrorClass::Object:
                if (gate.find("contention") == gate.npos) return false;
                break;
            case ErrorClass::Code:  // is the code's where it is, whoever called it
                return gate.find("zeros") != gate.npos && !stack.empty() &&
                       own.may_change(std::string(stack.front().object), source_file(stack.front()));
            case ErrorClass::Defect:
            case ErrorClass::Leak:
            case ErrorClass::Other: break;
        }
        return concerns(error, own);
    };
    std::vector<Error> errors;
    std::vector<u64> times;
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        if (!counts(file.errors[i])) continue;
        errors.push_back(std::move(file.errors[i]));
        times.push_back(file.counts[i]);
    }
    file.errors = std::move(errors);
    file.counts = std::move(times);
    return file;
}

int run(const Arguments& arguments) {
    TextOptions options;
    options.filter = {std::string(arguments.value("object")), std::string(arguments.value("function")),
                      std::string(arguments.value("file")), static_cast<u32>(arguments.number("thread", 0))};
    options.sort = arguments.value("sort", "events");
    options.top = arguments.number("top", options.top);
    if (options.top == 0) options.top = ~u64{0};
    options.own = words_of_list(arguments.value("own"));
    options.format = format_of(arguments);
    bool whole = true;
    bool first = true;
    Output output(arguments.value("output"));
    const auto separate = [&] {
        if (!first && options.format == TableFormat::Plain) output.stream() << "\n\n";
        first = false;
    };
    for (const std::string& file : arguments.some_files()) {
        Inputs inputs;
        const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
        if (kind_of(file) == FileKind::Errors) {
            ErrorFile errors;
            whole &= inputs.read_errors(file, errors);
            if (arguments.has("gate")) {
                errors = gated(std::move(errors), arguments.value("gate"), OwnCode(options.own));
                if (errors.errors.empty() && errors.signals.empty()) continue;
            }
            separate();
            print_errors(errors, OwnCode(options.own), options.top, options.format, output.stream());
        } else {
            separate();
            TextReport report(options, names.get());
            const bool read = inputs.read_profile(file, report);
            whole &= read;
            report.print(file, read, output.stream());
            if (names != nullptr && options.format == TableFormat::Plain)
                if (const std::string found = names->types_found(); !found.empty())
                    output.stream() << '\n' << found << '\n';
        }
    }
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kTextCommand{"text",
                           "FILE...",
                           "tables for a terminal, of profiles and error files",
                           "PATTERN is one of the shell's, such as '*queue*'.",
                           kOptions,
                           run};

}  // namespace memspy::report
