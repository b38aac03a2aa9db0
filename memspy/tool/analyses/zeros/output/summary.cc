// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/output/summary.h"

#include <algorithm>

#include "analyses/zeros/advice.h"
#include "analyses/zeros/data.h"
#include "analyses/zeros/output/text.h"
#include "analyses/zeros/results.h"
#include "options.h"
#include "places/names.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::zeros {
namespace {

using advice::ZeroRemedy;
using rt::Text;

constexpr usize kFirst = 2, kAccessed = 14, kRedundant = 26, kShare = 34, kZero = 43, kType = 46, kName = 58;
constexpr usize kRedundantBytes = 38, kOfLoads = 49, kObject = 52;

void end(Text& line) {
    VG_(umsg)("%s\n", line.c_str());
    line.reset();
}

Text& right(Text& line, usize column, u64 number) {
    const usize start = line.size();
    return line.add_number(number).align_right(start, column);
}
Text& right_percent(Text& line, usize column, u64 part, u64 whole) {
    const usize start = line.size();
    return line.add_percent(part, whole).align_right(start, column);
}

void print_totals(Text& line, const char* kind, const LoadTotals& t) {
    if (t.loads == 0) return;
    line.add("  ")
        .add_number(t.loads)
        .add(" loads of ")
        .add(kind)
        .add(": ")
        .add_percent(t.redundant, t.cells);
    line.add(" of their cells redundant, ").add_percent(t.zero, t.elements).add(" of the values zero");
    if (t.unknown_loads != 0) line.add(", type unknown of ").add_percent(t.unknown_loads, t.loads);
    end(line);
}

Text& begin_advice(Text& line, ZeroRemedy remedy) { return line.pad_to(6).add(word(remedy)).add(": "); }
void print_advice(const ZeroAdvice& advice, void* argument) {
    Text& line = *static_cast<Text*>(argument);
    advice::add_sentence(begin_advice(line, advice.remedy), advice);
    end(line);
}

// The heading before the first line of a table of the summary.
void begin_table(Text& line, bool* any, const char* heading) {
    if (*any) return;
    *any = true;
    end(line);
    end(line.add(heading));
}

// What is advised at some of a line's instructions only.
struct AdvisedPlaces {
    u32 places = 0;
    u64 zero = 0, all = 0;

    void add(const LoadCounts& counts) {
        ++places;
        zero += counts.zero;
        all += counts.elements;
    }
};

// The findings of one source line that load the same type, as one: an expression has many loads, and a
// programmer improves lines.
struct LineOfRows {
    const char* where;
    LoadRow sum;
    u32 instructions;
    AdvisedPlaces constant, skip;
};
void note_advice(LineOfRows& line, const LoadRow& row) {
    bool advised[static_cast<usize>(ZeroRemedy::Count)] = {};
    advise(
        row,
        [](const ZeroAdvice& advice, void* argument) {
            static_cast<bool*>(argument)[static_cast<usize>(advice.remedy)] = true;
        },
        advised);
    if (advised[static_cast<usize>(ZeroRemedy::Constant)]) line.constant.add(row.counts);
    if (advised[static_cast<usize>(ZeroRemedy::Skip)]) line.skip.add(row.counts);
}
void sum_by_line(const CodeReport& report, rt::Vector<LineOfRows>& lines) {
    Text where;
    for (const LoadRow& row : report.rows) {
        if (!row.finding) continue;
        where.reset();
        places::describe_place(where, {row.instruction, row.path});
        const char* name = vg::intern(where.c_str());
        LineOfRows* same = std::find_if(lines.begin(), lines.end(), [&](const LineOfRows& known) {
            return known.where == name && known.sum.type.code() == row.type.code();
        });
        if (same == lines.end()) {
            lines.push_back({.where = name, .sum = row, .instructions = 1, .constant = {}, .skip = {}});
            note_advice(lines.back(), row);
            continue;
        }
        same->sum.counts.add(row.counts);
        same->sum.uses.add(row.uses);
        ++same->instructions;
        note_advice(*same, row);
    }
    std::sort(lines.begin(), lines.end(), [](const LineOfRows& a, const LineOfRows& b) {
        if (a.sum.counts.redundant != b.sum.counts.redundant)
            return a.sum.counts.redundant > b.sum.counts.redundant;
        return a.sum.instruction < b.sum.instruction;
    });
}

void print_places(Text& line, const LineOfRows& rows, ZeroRemedy remedy, const AdvisedPlaces& at) {
    if (at.places == 0) return;
    begin_advice(line, remedy);
    if (at.places < rows.instructions)
        line.add("at ").add_number(at.places).add(" of ").add_number(rows.instructions).add(" places ");
    advice::add_sentence(line, {.remedy = remedy, .zero = at.zero, .all = at.all});
    end(line);
}

void print_rows(Text& line, const CodeReport& report, u32 top) {
    const u64 all = all_redundant(report.totals);
    rt::Vector<LineOfRows> lines;
    sum_by_line(report, lines);
    bool any = false;
    u32 shown = 0;
    for (const LineOfRows& rows : lines) {
        if (shown++ == top) break;
        const LoadRow& row = rows.sum;
        begin_table(line, &any, "         loads   redundant of all     zero   type        instruction");
        line.repeat(' ', kFirst);
        right(line, kAccessed, row.loads());
        right_percent(line, kRedundant, row.counts.redundant, row.counts.elements * row.type.cells());
        right_percent(line, kShare, row.counts.redundant, all);
        right_percent(line, kZero, row.counts.zero, row.counts.elements);
        line.pad_to(kType).add(row.type.known() ? "" : "?").add(row.type.is_float() ? "float" : "int");
        line.add_number(row.type.bytes() * 8);
        if (row.type.lanes() > 1) line.add('x').add_number(row.type.lanes());
        line.pad_to(kName).add(rows.where);
        if (rows.instructions > 1) line.add(", ").add_number(rows.instructions).add(" instructions");
        end(line);
        print_places(line, rows, ZeroRemedy::Constant, rows.constant);
        print_places(line, rows, ZeroRemedy::Skip, rows.skip);
        advise(
            row,
            [](const ZeroAdvice& advice, void* argument) {
                if (advice.remedy == ZeroRemedy::Narrow) print_advice(advice, argument);
            },
            &line);
    }
}

// Objects worth showing: at least this many millionths of all.
bool is_worth(u64 redundant, u64 all, u32 threshold) {
    return redundant != 0 && static_cast<double>(redundant) * 1e6 >= static_cast<double>(all) * threshold;
}

// "since 6.2% of the run 95.0% of what is loaded from it is redundant, 3.1% before"
void print_change(Text& line, const LoadHistory& loads) {
    const u32 change = loads.change();
    if (change == 0) return;
    const LoadShare before = loads.sum(0, change), behind = loads.sum(change, LoadHistory::kSlots);
    constexpr u32 kWhole = 1000;
    line.pad_to(6).add("since ").add_percent(thousandths_before(change), kWhole).add(" of the run ");
    line.add_percent(behind.redundant, behind.loaded).add(" of what is loaded from it is redundant, ");
    end(line.add_percent(before.redundant, before.loaded).add(" before"));
}

struct ObjectLine {
    places::ObjectId id;
    const ObjectCounts* counts;

    // Cells: by those that are redundant at every load, or by the share of all loads if that is larger.
    u64 weight() const {
        const LoadShare loads = counts->loads.all();
        const double share =
            loads.loaded == 0 ? 0 : static_cast<double>(loads.redundant) / static_cast<double>(loads.loaded);
        return std::max(counts->redundant, static_cast<u64>(share * static_cast<double>(counts->cells)));
    }
};

void print_objects(Text& line, u32 top, u32 threshold) {
    rt::Vector<ObjectLine> objects;
    for_each_object(
        [](places::ObjectId id, const ObjectCounts& counts, void* argument) {
            static_cast<rt::Vector<ObjectLine>*>(argument)->push_back({id, &counts});
        },
        &objects);
    std::sort(objects.begin(), objects.end(), [](const ObjectLine& a, const ObjectLine& b) {
        const bool first = places::is_own_variable(places::object(a.id));
        if (first != places::is_own_variable(places::object(b.id))) return first;
        return a.weight() != b.weight() ? a.weight() > b.weight() : a.id < b.id;
    });
    u64 all = 0;
    for (const ObjectLine& o : objects) all += o.weight();
    bool any = false;
    u32 shown = 0;
    for (const ObjectLine& o : objects) {
        if (!is_worth(o.weight(), all, threshold)) continue;
        if (shown++ == top) break;
        begin_table(line, &any, "         bytes    accessed   redundant   of loads   object");
        line.repeat(' ', kFirst);
        right(line, kAccessed, o.counts->bytes);
        right(line, kRedundant, o.counts->accessed);
        right_percent(line, kRedundantBytes, o.counts->redundant, o.counts->cells);
        const LoadShare loads = o.counts->loads.all();
        right_percent(line, kOfLoads, loads.redundant, loads.loaded);
        line.pad_to(kObject);
        const places::Object& object = places::object(o.id);
        if (object.kind == places::Object::StorageKind::Heap) {
            places::describe_blocks(line.add_number(o.counts->blocks).add(' '), object.allocated,
                                    o.counts->blocks > 1);
        } else if (object.kind == places::Object::StorageKind::Stack && object.name == nullptr) {
            line.add("stack of thread ").add_number(object.thread);
        } else {
            places::add_object_name(line, object);
        }
        end(line);
        print_change(line, o.counts->loads);
        if (!is_section(object) && !places::is_library_data(object)) advise(*o.counts, print_advice, &line);
    }
}

}  // namespace

static bool has_rows() {
    const CodeReport* code = code_report();
    return code != nullptr &&
           std::any_of(code->rows.begin(), code->rows.end(), [](const LoadRow& row) { return row.finding; });
}

bool has_findings() { return data_is_on() || has_rows() || (counts_code() && was_given("zeros")); }

void print_zeros_summary(u32 top, u32 threshold) {
    if (VG_(clo_verbosity) == 0 || VG_(clo_xml) || !has_findings()) return;
    const CodeReport* code = code_report();
    Text line;
    end(line.add("Redundant zeros"));
    if (code != nullptr) {
        print_totals(line, "integers", code->totals.integer);
        print_totals(line, "floats", code->totals.floating);
        print_rows(line, *code, top);
    }
    if (data_is_on() && top != 0) print_objects(line, top, threshold);
    end(line);
}

}  // namespace memspy::zeros
