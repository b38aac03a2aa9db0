// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report races: pairs of accesses that nothing orders, and locks that are taken in different orders.
#include "report/sections/races/command.h"

#include <algorithm>

#include "report/catalog.h"
#include "report/profile_command.h"
#include "report/sections/races/records.h"
#include "report/table.h"

namespace memspy::report::races {
namespace {

constexpr OptionSpec kOptions[] = {
    {"locks", "", "locks that threads take in different orders"},
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

class RacesReader : public Catalog {
public:
    void record(const AnyRecord& record) override {
        if (const auto* race = record.as<Race>()) races_.push_back(*race);
        if (const auto* cycle = record.as<LockCycle>()) cycles_.push_back(*cycle);
    }
    bool empty() const { return races_.empty() && cycles_.empty(); }
    bool were_looked_for() const {
        return std::ranges::any_of(runs(), [](const Run& run) {
            return std::ranges::count(texts_of(run.options.arguments), "--races=yes") != 0;
        });
    }

    Table races(SourceNames* names) const {
        Table table("races", {{"variable", true, "variable"},
                              {"line", true, "line"},
                              {"other line", true, "other_line"},
                              {"thread", false, "thread"},
                              {"other thread", false, "other_thread"},
                              {"access", true, "access"},
                              {"other access", true, "other_access"},
                              {"times", false, "times"},
                              {"last wait", true, "last_wait"}});
        for (const Race& race : races_)
            table.add({variable_of(race, names), place_of(race.stack), place_of(race.other_stack),
                       number_of(race.thread), number_of(race.other_thread), std::string(race.access),
                       std::string(race.other_access), number(race.times), std::string(race.last)});
        return table;
    }

    Table locks() const {
        Table table("races.locks", {{"line", true, "line"},
                                    {"other line", true, "other_line"},
                                    {"thread", false, "thread"},
                                    {"other thread", false, "other_thread"},
                                    {"locks", false, "locks"}});
        for (const LockCycle& cycle : cycles_)
            table.add({place_of(cycle.stack), place_of(cycle.other_stack), number_of(cycle.thread),
                       number_of(cycle.other_thread), number(cycle.locks)});
        return table;
    }

private:
    static std::string number_of(ThreadId thread) { return std::to_string(static_cast<u64>(thread)); }

    std::string place_of(StackId stack) const {
        const Frame* const at = site(stack);
        if (at == nullptr) return "";
        const std::string place = source_place(*at);
        return place.empty() ? label(*at) : place;
    }

    std::string variable_of(const Race& race, SourceNames* names) const {
        const Object* const object = find_object(race.object);
        if (object == nullptr) return "";
        const bool heap = object->kind == ObjectKind::Heap;
        const std::string variable(race.variable);
        if (!variable.empty() && !heap) return variable;
        if (names != nullptr)
            if (std::string part = names->part(*object, race.offset, race.bytes); !part.empty())
                return part[0] == '[' ? variable + part
                                      : part;  // of a block whose type is known, not its variable
        return variable.empty() ? label(*object) : variable;
    }

    std::vector<Race> races_;
    std::vector<LockCycle> cycles_;
};

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    RacesReader reader;
    return show_profiles(arguments, reader, [&](std::ostream& out, SourceNames* names) {
        if (format == TableFormat::Plain && reader.empty())
            out << (reader.were_looked_for() ? "no races and no circles of locks were found\n"
                                             : "no races in this profile (--races=yes looks for them)\n");
        else if (arguments.has("locks"))
            reader.locks().print(out, format);
        else
            reader.races(names).print(out, format);
    });
}

}  // namespace

const Command kRacesCommand{"races",
                            "PROFILE...",
                            "accesses of two threads that nothing orders (--races=yes)",
                            "A row for each pair of source lines and variable; the later access first.",
                            kOptions,
                            run};

}  // namespace memspy::report::races
