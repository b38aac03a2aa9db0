// SPDX-License-Identifier: GPL-2.0-or-later
//
// What two runs differ in: errors, or the figures of each section.
#include <charconv>
#include <memory>

#include "report/commands.h"
#include "report/comparison.h"
#include "report/error_facts.h"
#include "report/input.h"
#include "report/output.h"
#include "report/section.h"
#include "report/source_names.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"fail-on", "new,regress:PCT", "exit code 1 for new records, or for those more than PCT percent worse"},
    {"metric", "modelled|observed|false|accesses", "the counts of a profile to compare [modelled]"},
    {"floor", "N", "profiles: ignore smaller counts on both sides [1000]"},
    {"percent", "PCT", "profiles: ignore smaller changes [10]"},
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

// A profile's figures, as its sections give them.
class ProfileFigures : public Catalog {
public:
    ProfileFigures(std::string_view metric, const OwnCode& own) {
        set_own(own);
        for (const Section* section : all_sections())
            if (section->comparison != nullptr) comparisons_.push_back(section->comparison(metric));
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
Figures figures_of(const ErrorFile& file, bool leaks) {
    Figures figures{
        leaks ? "Leaks, by bytes" : "Errors, by how often they happened", leaks ? "leaks" : "errors", {}};
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        const Error& error = file.errors[i];
        if ((class_of(error) == ErrorClass::Leak) != leaks) continue;
        const ErrorFrame* frame = own_frame(error);
        // One error may have several texts, with other sizes. The last one stands for all.
        FigureValue& figure = figures.by_name[identity(error)];
        figure.value += leaks ? error.leaked_bytes : file.counts[i];
        figure.labels = {{std::string(error.kind) + ": " + (leaks ? "" : std::string(error.what)) +
                              (frame == nullptr ? "" : (leaks ? "" : "  at ") + label(*frame)),
                          1}};
    }
    return figures;
}

// The tables of both, of which each has something in one of them.
bool print_all(const std::vector<Figures>& before, const std::vector<Figures>& after,
               const DiffOptions& options, std::ostream& out) {
    bool fails = false, first = true;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].by_name.empty() && after[i].by_name.empty()) continue;
        if (!first && options.format == TableFormat::Plain) out << '\n';
        first = false;
        fails |= print_differences(before[i], after[i], options, out);
    }
    if (first && options.format == TableFormat::Plain)
        out << "nothing to compare: neither file has any figures\n";
    return fails;
}

int run(const Arguments& arguments) {
    const std::vector<std::string>& files = arguments.files();
    if (files.size() != 2) throw UsageError("diff compares two files: the one before and the one after");
    const FileKind kind = kind_of(files[0]);
    if (kind == FileKind::Neither || kind != kind_of(files[1]))
        throw UsageError("diff compares two profiles or two error files");
    DiffOptions options;
    options.format = format_of(arguments);
    set_fail_on(options, arguments.value("fail-on"));
    Inputs inputs;
    Output output(arguments.value("output"));
    std::ostream& out = output.stream();
    bool whole = true, fails = false;
    if (kind == FileKind::Errors) {
        ErrorFile before, after;
        whole &= inputs.read_errors(files[0], before);
        whole &= inputs.read_errors(files[1], after);
        fails |= print_all({figures_of(before, false), figures_of(before, true)},
                           {figures_of(after, false), figures_of(after, true)}, options, out);
    } else {
        options.floor = arguments.number("floor", 1000);
        options.percent = arguments.number("percent", 10);
        const std::string_view metric = arguments.value("metric", "modelled");
        const OwnCode own(words_of_list(arguments.value("own")));
        ProfileFigures before(metric, own), after(metric, own);
        // Each run has modules and blocks of its own.
        for (auto* const figures : {&before, &after}) {
            const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
            whole &= inputs.read_profile(files[figures == &before ? 0 : 1], *figures);
            inputs.complete_with(nullptr);
        }
        fails |= print_all(before.all(), after.all(), options, out);
    }
    output.commit();
    return fails ? kFound : whole ? kDone : kPartial;
}

}  // namespace

const Command kDiffCommand{
    "diff",
    "BEFORE AFTER",
    "new, gone and changed records of two profiles, or of two error files",
    "Errors are matched by kind and by the functions and files of their stacks; objects by name,\n"
    "or by the functions that allocated them. Line numbers and addresses may change.\n"
    "Exit code 1 only with --fail-on.",
    kOptions,
    run};

}  // namespace memspy::report
