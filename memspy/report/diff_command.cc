// SPDX-License-Identifier: GPL-2.0-or-later
//
// The differences of two runs. Things are identified by the names of functions, files and variables, because
// line numbers, addresses and build-ids change from build to build.
#include <charconv>

#include "report/catalog.h"
#include "report/commands.h"
#include "report/differences.h"
#include "report/error_facts.h"
#include "report/input.h"
#include "report/output.h"
#include "report/sections/contention/records.h"
#include "report/sections/locality/records.h"
#include "report/sections/zeros/records.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"fail-on", "new,regress:PCT", "exit code 1 for new records, or for those more than PCT percent worse"},
    {"metric", "modelled|observed|false|accesses", "the counts of a profile to compare [modelled]"},
    {"floor", "N", "profiles: ignore smaller counts on both sides [1000]"},
    {"percent", "PCT", "profiles: ignore smaller changes [10]"},
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

// Sums of a profile's rows by names that are stable across builds.
class NamedSums : public Catalog {
public:
    explicit NamedSums(std::string_view metric) : metric_(metric) {}

    void record(const AnyRecord& record) override {
        if (const auto* row = record.as<contention::Row>()) {
            const Object* object = find_object(row->object);
            const std::string name = object == nullptr ? "(not known)" : lasting_name(*object);
            const u64 value = value_of(*row);
            add(objects_, name, value);
            add(places_, name + "  at " + code_of(row->stack), value);
        } else if (const auto* zeros = record.as<zeros::Row>()) {
            add(zeros_, code_of(zeros->stack), zeros->redundant);
        } else if (const auto* stream = record.as<locality::Stream>()) {
            if (stream->kind == "function" && locality::has_scores(*stream))
                add(locality_, std::string(stream->function), distant(stream->reuses));
        }
    }

    const Figures& objects() const { return objects_; }
    const Figures& places() const { return places_; }
    const Figures& zeros() const { return zeros_; }
    const Figures& locality() const { return locality_; }

private:
    u64 value_of(const contention::Row& row) const {
        if (metric_ == "observed") return events(row.observed);
        if (metric_ == "false") return false_events(row.modelled);
        if (metric_ == "accesses") return row.loads + row.stores;
        return events(row.modelled);
    }
    // Accesses to words that are new, or that were last used more than 2^16 other words ago.
    static u64 distant(const locality::Reuses& reuses) {
        u64 sum = reuses.far;
        for (std::size_t i = 17; i < reuses.buckets.size(); ++i) sum += reuses.buckets[i];
        return sum;
    }
    std::string code_of(StackId stack) const {
        const auto frames = frames_of(stack);
        return frames.empty() ? "(not known)" : lasting_name(frame(own_frame(stack)));
    }
    static std::string lasting_name(const Frame& frame) {
        const std::string file = frame.file.empty() ? "" : " (" + std::string(base_name(frame.file)) + ")";
        return (frame.fn.empty() ? "(no name)" : std::string(frame.fn)) + file;
    }
    std::string lasting_name(const Object& object) const {
        switch (object.kind) {
            case ObjectKind::Heap: {
                const Frame* at = site(object.stack);
                return std::string(object.by) + " block" +
                       (at != nullptr ? " from " + lasting_name(*at) : "");
            }
            case ObjectKind::Static: return std::string(object.name);
            case ObjectKind::Frames:
                return "stack" + (object.name.empty() ? "" : " in " + std::string(object.name));
            case ObjectKind::Unknown: break;
        }
        // `thread-local storage of thread 4`: the number may change, so it is left out.
        return std::string(object.name.substr(0, object.name.find(" of thread ")));
    }
    static void add(Figures& to, const std::string& name, u64 value) {
        FigureValue& figure = to.by_name[name];
        figure.value += value;
        figure.shown = name;
    }

    std::string_view metric_;
    Figures objects_{"Objects", "objects", {}}, places_{"Objects and code", "objects-and-code", {}},
        zeros_{"Redundant zeros, by code", "zeros-by-code", {}},
        locality_{"Accesses to new or long unused words, by function", "locality-by-function", {}};
};

// How often each error happened, or how many bytes leaked.
Figures figures_of(const ErrorFile& file, bool leaks) {
    Figures figures{
        leaks ? "Leaks, by bytes" : "Errors, by how often they happened", leaks ? "leaks" : "errors", {}};
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        const Error& error = file.errors[i];
        if ((class_of(error) == ErrorClass::Leak) != leaks) continue;
        FigureValue& figure = figures.by_name[identity(error)];
        figure.value += leaks ? error.leaked_bytes : file.counts[i];
        const ErrorFrame* frame = own_frame(error);
        figure.shown = std::string(error.kind) + ": " + (leaks ? "" : std::string(error.what)) +
                       (frame == nullptr ? "" : (leaks ? "" : "  at ") + label(*frame));
    }
    return figures;
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
        fails |= print_differences(figures_of(before, false), figures_of(after, false), options, out);
        if (options.format == TableFormat::Plain) out << '\n';
        fails |= print_differences(figures_of(before, true), figures_of(after, true), options, out);
    } else {
        options.floor = arguments.number("floor", 1000);
        options.percent = arguments.number("percent", 10);
        const std::string_view metric = arguments.value("metric", "modelled");
        NamedSums before(metric), after(metric);
        whole &= inputs.read_profile(files[0], before);
        whole &= inputs.read_profile(files[1], after);
        fails |= print_differences(before.objects(), after.objects(), options, out);
        if (options.format == TableFormat::Plain) out << '\n';
        fails |= print_differences(before.places(), after.places(), options, out);
        auto print_if_any = [&](const Figures& old_figures, const Figures& new_figures) {
            if (old_figures.by_name.empty() && new_figures.by_name.empty()) return;
            if (options.format == TableFormat::Plain) out << '\n';
            fails |= print_differences(old_figures, new_figures, options, out);
        };
        print_if_any(before.zeros(), after.zeros());
        print_if_any(before.locality(), after.locality());
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
