// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/input.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <unordered_map>
#include <utility>

#include "report/error_reader.h"
#include "report/merge.h"
#include "report/profile_reader.h"
#include "report/section.h"
#include "report/source_names.h"

namespace memspy::report {
namespace {

// Stops at the first element.
class RootOnly : public XmlSink {
public:
    struct Found {
        FileKind kind;
    };
    void start(std::string_view name, std::span<const XmlAttribute>) override {
        throw Found{name == "memspy-profile"   ? FileKind::Profile
                    : name == "valgrindoutput" ? FileKind::Errors
                                               : FileKind::Neither};
    }
    void end(std::string_view) override {}
    void text(std::string_view) override {}
};

// Passes everything on, stacks with names, and counts, so that a message can say what was read of a damaged
// file.
class CountingHandler : public ProfileHandler {
public:
    CountingHandler(ProfileHandler& to, SourceNames* names) : to_(to), names_(names) {}
    void header(const Header& record) override {
        begun_ = true;
        to_.header(record);
    }
    void run(const Run& record) override { to_.run(record); }
    void module(const Module& record) override {
        if (names_ != nullptr) names_->add(record);
        to_.module(record);
    }
    void stack(const Stack& record) override {
        if (names_ != nullptr)
            pass(stacks_, &ProfileHandler::stack, names_->completed(record));
        else
            pass(stacks_, &ProfileHandler::stack, record);
    }
    void object(const Object& record) override {
        pass(objects_, &ProfileHandler::object, names_ != nullptr ? names_->completed(record) : record);
    }
    void thread(const Thread& record) override { pass(threads_, &ProfileHandler::thread, record); }
    void record(const AnyRecord& record) override {
        if (names_ != nullptr && record.section.pass_with_names != nullptr)
            record.section.pass_with_names(record, *names_, to_);
        else
            to_.record(record);
        ++records_[&record.type];
    }

    bool begun() const { return begun_; }

    std::string summary() const {
        auto some = [](u64 count, const char* what) { return std::to_string(count) + " " + what; };
        std::string all = some(stacks_, "stacks, ") + some(objects_, "objects, ") + some(threads_, "threads");
        for (const Section* section : all_sections())
            for (const RecordType& type : section->records)
                if (const auto at = records_.find(&type);
                    at != records_.end() && type.multiplicity == Multiplicity::Many)
                    all += ", " + std::to_string(at->second) + " " + std::string(type.json) + " of " +
                           std::string(section->name);
        return all;
    }

private:
    template <typename R>
    void pass(u64& count, void (ProfileHandler::*take)(const R&), const R& record) {
        (to_.*take)(record);
        ++count;
    }

    ProfileHandler& to_;
    SourceNames* names_;
    bool begun_ = false;
    u64 stacks_ = 0, objects_ = 0, threads_ = 0;
    std::map<const RecordType*, u64> records_;
};

class Collector : public ErrorHandler {
public:
    explicit Collector(ErrorFile& into) : into_(into) {}
    void run(const ErrorRun& run) override { into_.run = run; }
    void error(const Error& error) override {
        by_unique_.emplace(error.unique, into_.errors.size());
        into_.errors.push_back(error);
        into_.counts.push_back(1);
    }
    void finished() override { into_.finished = true; }
    void error_count(Text unique, u64 count) override {
        // The last count includes all earlier ones.
        if (const auto at = by_unique_.find(unique); at != by_unique_.end()) into_.counts[at->second] = count;
    }
    void suppression_count(Text name, u64 count) override { into_.suppressed.push_back({name, count}); }
    void fatal_signal(const FatalSignal& signal) override { into_.signals.push_back(signal); }

private:
    ErrorFile& into_;
    std::unordered_map<Text, std::size_t> by_unique_;
};

}  // namespace

FileKind kind_of(const std::string& file) {
    if (file == "-") return FileKind::Profile;
    RootOnly sink;
    try {
        read_xml(file, sink);
    } catch (const RootOnly::Found& found) {
        return found.kind;
    }
    return FileKind::Neither;
}

void Inputs::problem(const std::string& what, const std::string& read) {
    problems_.push_back(what + " (read until there: " + read + ")");
    std::cerr << "memspy-report: " << problems_.back() << '\n';
}

void Inputs::collect_accesses(const std::string& file, BlockAccesses& accesses) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return;
    ProfileReader reader(accesses, strings_);
    accesses.begin_file();
    try {
        read_xml(file, reader);
    } catch (const std::runtime_error&) {
        // The second reading says what is wrong.
    }
}

bool Inputs::read_profile(const std::string& file, ProfileHandler& handler) {
    if (names_ != nullptr) collect_accesses(file, names_->accesses());
    CountingHandler counting(handler, names_);
    ProfileReader reader(counting, strings_);
    try {
        read_xml(file, reader);
    } catch (const InputError& error) {
        if (!counting.begun()) throw;
        problem(error.what(), counting.summary());
        return false;
    } catch (const FoldError& error) {
        throw InputError(file, 0, error.what());
    }
    for (const std::string& element : reader.skipped())
        std::cerr << "memspy-report: " << file << ": <" << element << "> is not known here and left out\n";
    return true;
}

bool Inputs::read_profiles(const std::vector<std::string>& files, ProfileHandler& handler) {
    if (files.size() == 1) return read_profile(files.front(), handler);
    // Modules have their final ids only after the merge, so names are looked up then.
    SourceNames* const names = std::exchange(names_, nullptr);
    Merger merger(strings_);
    bool whole = true;
    for (const std::string& file : files) {
        if (names != nullptr) collect_accesses(file, names->accesses());
        merger.begin_file();
        whole &= read_profile(file, merger);
    }
    names_ = names;
    if (!whole) merger.cut_short();
    CountingHandler completing(handler, names_);
    merger.emit(completing);
    return whole;
}

bool Inputs::read_errors(const std::string& file, ErrorFile& into) {
    into.path = file;
    Collector collector(into);
    ErrorReader reader(collector, strings_);
    try {
        read_xml(file, reader);
    } catch (const InputError& error) {
        problem(error.what(), std::to_string(into.errors.size()) + " errors");
        return false;
    }
    if (names_ != nullptr)
        for (Error& error : into.errors) error = names_->completed(error);
    return true;
}

std::unique_ptr<SourceNames> make_source_names(const Arguments& arguments, Inputs& inputs) {
    if (arguments.value("names") == "no") return nullptr;
    names::NameOptions options;
    options.debuginfod = arguments.has("debuginfod");
    options.debug_dirs = words_of_list(arguments.value("debug-dir"));
    auto names = std::make_unique<SourceNames>(std::move(options), inputs.strings());
    inputs.complete_with(names.get());
    return names;
}

}  // namespace memspy::report
