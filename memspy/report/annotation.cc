// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/annotation.h"

#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>

#include "report/section.h"
#include "report/table.h"

namespace memspy::report {
namespace {

namespace fs = std::filesystem;

// In the profile's format for the time of a run, so that texts can be compared as times.
std::string time_of_change(const fs::path& path) {
    std::error_code error;
    const auto changed = fs::last_write_time(path, error);
    if (error) return {};
    const std::time_t seconds =
        std::chrono::system_clock::to_time_t(std::chrono::file_clock::to_sys(changed));
    std::tm utc{};
    char text[32];
    gmtime_r(&seconds, &utc);
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc)};
}

// Calls f(section's columns, number of its first count) for each section that has columns; gives the number
// of all counts, errors excepted.
template <typename F>
std::size_t for_each_section(F f) {
    std::size_t first = 0;
    for (const Section* section : all_sections()) {
        if (section->line_columns == nullptr) continue;
        f(*section, first);
        first += section->line_columns->counts;
    }
    return first;
}
std::size_t error_count() {
    static const std::size_t all = for_each_section([](const Section&, std::size_t) {});
    return all;
}

void add(std::vector<u64>& to, const std::vector<u64>& counts) {
    to.resize(error_count() + 1);
    for (std::size_t i = 0; i < counts.size(); ++i) to[i] += counts[i];
}

}  // namespace

std::string_view Annotation::UsedColumn::title() const {
    return column == nullptr ? "errors" : column->title;
}

Cell Annotation::UsedColumn::text(const Counts& counts) const {
    const std::span<const u64> own = std::span(counts).subspan(first, size);
    return column == nullptr ? count_or_nothing<0>(own) : column->text(own);
}

// Charges the rows of one profile to lines.
class Annotation::Profile : public Catalog {
public:
    explicit Profile(Annotation& to) : to_(to) { set_own(OwnCode(to.options_.own)); }

    void run(const Run& record) override {
        Catalog::run(record);
        to_.latest_ = std::max(to_.latest_, std::string(record.start));
    }
    void record(const AnyRecord& record) override {
        const LineColumns* const columns = record.section.line_columns;
        if (columns == nullptr) return;
        Counts own(columns->counts);
        StackId stack{};
        if (!charge(*columns, record, *this, stack, own)) return;
        const Frame* frame = site(stack);
        if (frame == nullptr || frame->file.empty() || frame->line == 0) {
            to_.without_source_ += own[columns->amount];
            return;
        }
        Counts* const line = to_.at(frame->dir, frame->file, frame->line);
        if (line == nullptr) return;
        for_each_section([&](const Section& section, std::size_t first) {
            if (&section != &record.section) return;
            for (std::size_t i = 0; i < own.size(); ++i) (*line)[first + i] += own[i];
        });
    }

private:
    Annotation& to_;
};

Annotation::Counts* Annotation::at(std::string_view dir, std::string_view file, u64 line) {
    const std::string path = (dir.empty() ? "" : std::string(dir) + "/") + std::string(file);
    const std::string& pattern = options_.file;
    if (!pattern.empty() && fnmatch(pattern.c_str(), std::string(base_name(file)).c_str(), 0) != 0 &&
        fnmatch(pattern.c_str(), path.c_str(), 0) != 0)
        return nullptr;
    SourceText& source = sources_[{std::string(dir), std::string(file)}];
    source.dir = dir;
    source.file = file;
    Counts& counts = source.lines[line];
    counts.resize(error_count() + 1);
    return &counts;
}

bool Annotation::read_profile(Inputs& inputs, const std::string& file) {
    Profile profile(*this);
    return inputs.read_profile(file, profile);
}

void Annotation::add_errors(const ErrorFile& file) {
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        const std::vector<ErrorFrame>& stack = file.errors[i].parts.front().stack;
        const auto frame = std::find_if(stack.begin(), stack.end(), [](const ErrorFrame& each) {
            return !each.file.empty() && each.line != 0;
        });
        if (frame == stack.end())
            without_source_ += file.counts[i];
        else if (Counts* line = at(frame->dir, frame->file, frame->line))
            line->back() += file.counts[i];
    }
}

// Those in which some line has a value.
std::vector<Annotation::UsedColumn> Annotation::columns() const {
    Counts sum(error_count() + 1);
    for (const auto& [name, source] : sources_)
        for (const auto& [line, counts] : source.lines) add(sum, counts);
    std::vector<UsedColumn> used;
    auto use = [&](const UsedColumn& column) {
        if (!column.text(sum).shown.empty()) used.push_back(column);
    };
    for_each_section([&](const Section& section, std::size_t first) {
        for (const LineColumns::LineColumn& column : section.line_columns->columns)
            use({&column, first, section.line_columns->counts});
    });
    use({nullptr, error_count(), 1});
    return used;
}

// The file with most errors first, then by the sections' counts, in their order.
std::vector<const Annotation::SourceText*> Annotation::in_order() const {
    std::vector<std::pair<Counts, const SourceText*>> files;
    for (const auto& [name, source] : sources_) {
        Counts sum;
        for (const auto& [line, counts] : source.lines) add(sum, counts);
        Counts rank{sum.back()};
        for_each_section([&](const Section& section, std::size_t first) {
            rank.push_back(sum[first + section.line_columns->rank]);
        });
        files.emplace_back(std::move(rank), &source);
    }
    std::stable_sort(files.begin(), files.end(),
                     [](const auto& one, const auto& other) { return one.first > other.first; });
    std::vector<const SourceText*> order;
    for (const auto& [sum, source] : files) order.push_back(source);
    if (options_.top != 0 && order.size() > options_.top) order.resize(options_.top);
    return order;
}

fs::path Annotation::find(const SourceText& source) const {
    std::vector<fs::path> places{fs::path(source.dir) / source.file};
    for (const std::string& dir : options_.source_dirs) {
        places.push_back(fs::path(dir) / (fs::path(source.dir) / source.file).relative_path());
        places.push_back(fs::path(dir) / source.file);
        places.push_back(fs::path(dir) / fs::path(source.file).filename());
    }
    std::error_code error;
    for (const fs::path& place : places)
        if (fs::is_regular_file(place, error)) return place;
    return {};
}

void Annotation::print(const SourceText& source, const std::vector<UsedColumn>& columns,
                       std::ostream& out) const {
    const fs::path path = find(source);
    const std::string name = (fs::path(source.dir) / source.file).string();
    out << name;
    if (!path.empty() && path != fs::path(name)) out << " (read from " << path.string() << ")";
    out << '\n';
    std::vector<std::string> text;
    if (path.empty()) {
        out << "This source is not here; name folders to look in with --source-dir.\n";
    } else {
        std::ifstream in(path);
        for (std::string line; std::getline(in, line);) text.push_back(std::move(line));
        if (!latest_.empty() && time_of_change(path) > latest_.substr(0, 19))
            out << "It was changed after the run started: counts may stand beside the wrong lines.\n";
        if (!source.lines.empty() && source.lines.rbegin()->first > text.size())
            out << "It ends with line " << text.size() << ": it is not the source of this program.\n";
    }
    out << '\n';

    std::vector<Table::Column> titles;
    for (const UsedColumn& column : columns) titles.push_back({std::string(column.title())});
    titles.push_back({"line"});
    titles.push_back({"", true});
    Table table("annotate", titles);
    u64 shown = 0;
    auto show = [&](u64 number, const Counts* counts) {
        std::vector<Cell> cells;
        for (const UsedColumn& column : columns)
            cells.push_back(counts == nullptr ? Cell("") : column.text(*counts));
        cells.push_back(std::to_string(number));
        cells.push_back(number <= text.size() ? text[number - 1] : "");
        table.add(std::move(cells));
        shown = number;
    };
    for (auto line = source.lines.begin(); line != source.lines.end(); ++line) {
        const u64 number = line->first;
        // Context is only printed if there is source text.
        const u64 before = number > text.size() ? 0 : std::min(options_.context, number - 1);
        u64 from = std::max(number - before, shown + 1);
        // A line of dots would take as much space as the line itself.
        if (shown != 0 && from == shown + 2 && from <= text.size()) --from;
        if (shown != 0 && from > shown + 1) table.add(std::vector<Cell>(columns.size() + 2, "..."));
        for (u64 each = from; each < number; ++each) show(each, nullptr);
        show(number, &line->second);
        const auto next = std::next(line);
        u64 to = std::min<u64>(number + options_.context, text.size());
        if (next != source.lines.end()) to = std::min(to, next->first - 1);
        for (u64 each = number + 1; each <= to; ++each) show(each, nullptr);
    }
    table.print(out);
}

void Annotation::print_tsv(const std::vector<UsedColumn>& used, std::ostream& out) const {
    std::vector<Table::Column> titles = {{"file", true}, {"line"}};
    for (const UsedColumn& column : used) titles.push_back({std::string(column.title())});
    Table table("annotate", titles);
    for (const SourceText* source : in_order()) {
        for (const auto& [line, counts] : source->lines) {
            std::vector<Cell> cells = {(fs::path(source->dir) / source->file).string(), std::to_string(line)};
            for (const UsedColumn& column : used) cells.push_back(column.text(counts));
            table.add(std::move(cells));
        }
    }
    table.print(out, TableFormat::Tsv);
}

void Annotation::print(std::ostream& out) const {
    const std::vector<UsedColumn> used = columns();
    if (options_.tsv) return print_tsv(used, out);
    bool first = true;
    for (const SourceText* source : in_order()) {
        if (!first) out << '\n';
        first = false;
        print(*source, used, out);
    }
    if (without_source_ != 0) {
        if (!first) out << '\n';
        out << with_commas(without_source_)
            << " events, loads and errors are in code whose lines are not known.\n";
    } else if (first) {
        out << "Nothing happened in these files.\n";
    }
}

}  // namespace memspy::report
