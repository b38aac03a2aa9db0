// SPDX-License-Identifier: GPL-2.0-or-later
//
// What two runs differ in: errors, or the figures of each section.
#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "report/commands.h"
#include "report/comparison.h"
#include "report/error_facts.h"
#include "report/input.h"
#include "report/output.h"
#include "report/regressions.h"
#include "report/section.h"
#include "report/source_names.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"fail-on", "new,regress:PCT", "exit code 1 for new records, or for those more than PCT percent worse"},
    {"metric", "modelled|observed|false|accesses", "the counts of a profile to compare [modelled]"},
    {"floor", "N", "profiles: ignore smaller counts on both sides [1000]"},
    {"percent", "PCT", "profiles: ignore smaller changes [10]"},
    {"only", "SECTION,...", "profiles: compare these sections, such as contention, and no others"},
    {"failures", "FILE", "write what meets --fail-on as an error file, which export reads"},
    kOwnOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kFormatOption,
    kOutputOption,
    kHelpOption,
};

u64 number_of(std::string_view text, const std::string& what) {
    u64 value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw UsageError(what + " needs a number, not " + std::string(text));
    return value;
}

void set_fail_on(DiffOptions& options, std::string_view words) {
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(','), words.size());
        const std::string_view word = words.substr(0, end);
        if (word == "new") {
            options.fail_on_new = true;
        } else if (word.starts_with("regress:")) {
            options.fail_on_regress = true;
            options.regress_percent = number_of(word.substr(8), "--fail-on=regress:");
        } else {
            throw UsageError("--fail-on is a list of new and regress:PCT, not " + std::string(word));
        }
        words.remove_prefix(std::min(end + 1, words.size()));
    }
}

std::set<std::string> sections_of(std::string_view words) {
    std::set<std::string> sections;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(','), words.size());
        const std::string name(words.substr(0, end));
        const Section* const section = find_section(name);
        if (section == nullptr || section->comparison == nullptr)
            throw UsageError("--only: there is nothing to compare in a section " + name);
        sections.insert(name);
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return sections;
}

// A profile's figures, as its sections give them.
class ProfileFigures : public Catalog {
public:
    ProfileFigures(std::string_view metric, const OwnCode& own, const std::set<std::string>& only) {
        set_own(own);
        for (const Section* section : all_sections())
            if (section->comparison != nullptr && (only.empty() || only.contains(std::string(section->name))))
                comparisons_.push_back(section->comparison(metric));
    }

    void record(const AnyRecord& record) override {
        for (const auto& comparison : comparisons_) comparison->record(record, *this);
    }
    std::vector<Figures> all() const {
        std::vector<Figures> all;
        for (const auto& comparison : comparisons_)
            for (Figures& figures : comparison->figures()) all.push_back(std::move(figures));
        return all;
    }

private:
    std::vector<std::unique_ptr<Comparison>> comparisons_;
};

// How often each error happened, or how many bytes leaked.
Figures figures_of(const ErrorFile& file, bool leaks, const OwnCode& own) {
    Figures figures{
        leaks ? "Leaks, by bytes" : "Errors, by how often they happened", leaks ? "leaks" : "errors", {}};
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        const Error& error = file.errors[i];
        if ((class_of(error) == ErrorClass::Leak) != leaks) continue;
        // One error may have several texts, with other sizes. The last one stands for all.
        FigureValue& figure = figures.by_name[identity(error)];
        figure.value += leaks ? error.leaked_bytes : file.counts[i];
        figure.own = concerns(error, own);
        std::string text = std::string(error.kind) + ": " + (leaks ? "" : std::string(error.what));
        if (const ErrorFrame* const frame = own_frame(error, own)) {
            ErrorFrame bare = *frame;
            const std::string function = bare_function(frame->fn);
            bare.fn = function;
            text += (leaks ? "" : "  at ") + label(bare);
            figure.place = {std::string(frame->object), std::string(frame->fn), std::string(frame->dir),
                            std::string(frame->file), frame->line};
        }
        figure.labels = {{text, 1}};
    }
    return figures;
}

// One finding may be on other objects in another run: `a and b` is the one before, on `a`.
void match_objects(const ErrorFile& before, const ErrorFile& after, Figures& figures, const Figures& others) {
    for (const Error& error : before.errors) {
        const std::string name = identity(error);
        if (class_of(error) != ErrorClass::Object || others.by_name.contains(name)) continue;
        const std::set<std::string> objects = objects_of(error);
        for (const Error& other : after.errors) {
            const std::string new_name = identity(other);
            if (other.kind != error.kind || figures.by_name.contains(new_name)) continue;
            const std::set<std::string> new_objects = objects_of(other);
            if (std::none_of(objects.begin(), objects.end(),
                             [&](const std::string& each) { return new_objects.contains(each); }))
                continue;
            if (auto node = figures.by_name.extract(name)) {
                node.key() = new_name;
                figures.by_name.insert(std::move(node));
            }
            break;
        }
    }
}

using AllFigures = std::vector<Figures>;

// The tables of all, of which each has something in one of them.
std::vector<Regression> print_all(const std::vector<AllFigures>& before, const AllFigures& after,
                                  const DiffOptions& options, std::ostream& out) {
    bool first = true;
    std::vector<Regression> regressions;
    for (std::size_t i = 0; i < after.size(); ++i) {
        std::vector<Figures> runs;
        for (const AllFigures& run : before) runs.push_back(run[i]);
        const Figures interval = interval_of(runs);
        if (interval.by_name.empty() && after[i].by_name.empty()) continue;
        if (!first && options.format == TableFormat::Plain) out << '\n';
        first = false;
        for (Regression& each : print_differences(interval, after[i], options, out))
            regressions.push_back(std::move(each));
    }
    if (first && options.format == TableFormat::Plain)
        out << "nothing to compare: neither file has any figures\n";
    return regressions;
}

struct Comparands {
    std::vector<AllFigures> before;
    AllFigures after;
    ErrorRun run;  // of the last one
};

Comparands read_all_errors(const std::vector<std::string>& files, const OwnCode& own, Inputs& inputs,
                           bool& whole) {
    Comparands all;
    ErrorFile after;
    whole &= inputs.read_errors(files.back(), after);
    all.after = {figures_of(after, false, own), figures_of(after, true, own)};
    all.run = after.run;
    for (std::size_t i = 0; i + 1 < files.size(); ++i) {
        ErrorFile before;
        whole &= inputs.read_errors(files[i], before);
        AllFigures figures{figures_of(before, false, own), figures_of(before, true, own)};
        match_objects(before, after, figures.front(), all.after.front());
        all.before.push_back(std::move(figures));
    }
    return all;
}

Comparands read_all_profiles(const std::vector<std::string>& files, const OwnCode& own,
                             const Arguments& arguments, Inputs& inputs, bool& whole) {
    const std::string_view metric = arguments.value("metric", "modelled");
    const std::set<std::string> only = sections_of(arguments.value("only"));
    Comparands all;
    for (const std::string& file : files) {
        // Each run has modules and blocks of its own.
        ProfileFigures figures(metric, own, only);
        const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
        whole &= inputs.read_profile(file, figures);
        inputs.complete_with(nullptr);
        if (&file != &files.back()) {
            all.before.push_back(figures.all());
            continue;
        }
        all.after = figures.all();
        if (figures.runs().empty()) continue;
        const Run& run = figures.runs().front();
        all.run.pid = run.pid;
        all.run.ppid = run.ppid;
        all.run.exe = run.command.exe;
    }
    return all;
}

int run(const Arguments& arguments) {
    const std::vector<std::string>& files = arguments.files();
    if (files.size() < 2) throw UsageError("diff compares files: those before, and last the one after");
    const FileKind kind = kind_of(files[0]);
    for (const std::string& file : files)
        if (kind == FileKind::Neither || kind != kind_of(file))
            throw UsageError("diff compares profiles, or error files");
    DiffOptions options;
    options.format = format_of(arguments);
    set_fail_on(options, arguments.value("fail-on"));
    Inputs inputs;
    Output output(arguments.value("output"));
    bool whole = true;
    const OwnCode own(words_of_list(arguments.value("own")));
    if (kind == FileKind::Profile) {
        options.floor = arguments.number("floor", 1000);
        options.percent = arguments.number("percent", 10);
    }
    const Comparands all = kind == FileKind::Errors ? read_all_errors(files, own, inputs, whole)
                                                    : read_all_profiles(files, own, arguments, inputs, whole);
    const std::vector<Regression> regressions = print_all(all.before, all.after, options, output.stream());
    output.commit();
    if (arguments.has("failures")) {
        Output failures(arguments.value("failures"));
        write_regressions(regressions, all.run, failures.stream());
        failures.commit();
    }
    return !regressions.empty() ? kFound : whole ? kDone : kPartial;
}

}  // namespace

const Command kDiffCommand{
    "diff",
    "BEFORE... AFTER",
    "new, gone and changed records of profiles, or of error files",
    "Errors are matched by kind and by the functions and files of their stacks; objects by name,\n"
    "or by the functions that allocated them. Line numbers and addresses may change.\n"
    "With several BEFORE a count differs if it is outside the interval of theirs.\n"
    "What is the system's alone is shown and is no failure.\n"
    "Exit code 1 only with --fail-on.",
    kOptions,
    run};

}  // namespace memspy::report
