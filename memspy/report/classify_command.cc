// SPDX-License-Identifier: GPL-2.0-or-later
//
// Says which known class of numerical programs a program is most like.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "report/catalog.h"
#include "report/classes.h"
#include "report/commands.h"
#include "report/input.h"
#include "report/output.h"
#include "report/table.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"classes", "FILE", "another table of classes [the installed one]"},
    {"vector", "", "the program's characteristics, as a line of such a table has them"},
    kFormatOption,
    kOutputOption,
    kHelpOption,
};

class ProgramReader : public Catalog {
public:
    explicit ProgramReader(const ClassTable& table) : sums_(table) {}
    void record(const AnyRecord& record) override { sums_.record(record); }
    ProgramVector vector() const { return sums_.vector(); }

private:
    CharacteristicSums sums_;
};

ClassTable table_of(const Arguments& arguments) {
    const std::string file(arguments.value("classes"));
    if (file.empty()) return ClassTable::installed();
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    if (!in) throw UsageError("--classes: cannot read " + file);
    try {
        return ClassTable::read(text.str(), file);
    } catch (const std::runtime_error& problem) {
        throw UsageError(problem.what());
    }
}

std::string decimal(double value, int places) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", places, value);
    return text;
}
std::string said(const std::optional<double>& value, int places = 4) {
    return value ? decimal(*value, places) : "-";
}

// What sets the program apart from the class: the two largest differences, if they are as large as the
// spread.
std::string differences(const ClassTable& table, const ClassDistance& found) {
    std::string text;
    std::vector<bool> told(found.parts.size());
    for (int turn = 0; turn < 2; ++turn) {
        std::size_t most = found.parts.size();
        for (std::size_t i = 0; i < found.parts.size(); ++i)
            if (!told[i] && found.parts[i] && std::abs(*found.parts[i]) >= 1 &&
                (most == found.parts.size() || std::abs(*found.parts[i]) > std::abs(*found.parts[most])))
                most = i;
        if (most == found.parts.size()) break;
        told[most] = true;
        text += (text.empty() ? "" : ", ") + std::string(*found.parts[most] > 0 ? "more " : "less ") +
                table.characteristics[most].name;
    }
    return text;
}

void print_advice(const ClassTable& table, const ProgramVector& program,
                  const std::vector<ClassDistance>& found, std::ostream& out) {
    std::string missing;
    for (std::size_t i = 0; i < program.size(); ++i)
        if (!program[i]) missing += (missing.empty() ? "" : ", ") + table.characteristics[i].name;
    if (!missing.empty()) out << "Not in the profile, and left out: " << missing << ".\n";
    // Kernels of one class are nearer to each other than that.
    constexpr double kFar = 1;
    if (found.front().distance > kFar)
        out << "No class is near: the program is like none of them, or like several. A part of it may be "
               "like one:\n"
               "--locality-from=FUNCTION.\n\n";
    else
        out << "Look first at: " << found.front().program_class->advice << "\n\n";
}

int run(const Arguments& arguments) {
    const ClassTable known = table_of(arguments);
    Inputs inputs;
    ProgramReader reader(known);
    const bool whole = inputs.read_profiles(arguments.some_files(), reader);
    const ProgramVector program = reader.vector();
    Output output(arguments.value("output"));
    std::ostream& out = output.stream();
    if (arguments.has("vector")) {
        for (std::size_t i = 0; i < program.size(); ++i) out << (i == 0 ? "" : "\t") << said(program[i]);
        out << '\n';
        output.commit();
        return whole ? kDone : kPartial;
    }
    const std::vector<ClassDistance> found = nearest_classes(known, program);
    const TableFormat format = format_of(arguments);
    if (format == TableFormat::Plain) {
        if (found.empty())
            out << "no characteristics in this profile; run with --mix=yes --locality=yes\n";
        else
            print_advice(known, program, found, out);
    }
    if (!found.empty() || format != TableFormat::Plain) {
        Table table("classify", {{"class", true, "class"},
                                 {"distance", false, "distance"},
                                 {"nearest kernel", true, "kernel"},
                                 {"the program has", true, "differences"}});
        for (const ClassDistance& each : found)
            table.add(
                {each.program_class->name, decimal(each.distance, 3), each.kernel, differences(known, each)});
        table.print(out, format);
    }
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kClassifyCommand{
    "classify",
    "PROFILE...",
    "the known class of numerical programs that this one is most like",
    "Of runs with --mix=yes --locality=yes; several profiles are merged. Distances are in spreads of each\n"
    "characteristic over all known kernels.",
    kOptions,
    run};

}  // namespace memspy::report
