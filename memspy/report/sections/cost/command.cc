// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report cost: memory cost by object.
#include <algorithm>

#include "report/catalog.h"
#include "report/commands.h"
#include "report/input.h"
#include "report/output.h"
#include "report/section.h"
#include "report/sections/cost/command.h"
#include "report/sections/cost/records.h"
#include "report/source_names.h"
#include "report/table.h"

namespace memspy::report::cost {
namespace {

constexpr OptionSpec kOptions[] = {
    {"top", "N", "rows [20, in TSV all]; 0: all"},
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

class CostReport : public Catalog {
public:
    void record(const AnyRecord& record) override {
        if (const auto* model = record.as<Model>()) model_ = *model;
        if (const auto* object = record.as<ObjectCost>()) objects_.push_back(*object);
    }
    // The objects with the highest cost first.
    void rank() { std::ranges::stable_sort(objects_, std::ranges::greater{}, &ObjectCost::cycles); }

    const Model& model() const { return model_; }
    const std::vector<ObjectCost>& objects() const { return objects_; }

    std::string name_of(const ObjectCost& cost) const {
        return cost.object == ObjectId{} ? "small blocks" : label(cost.object);
    }
    const char* kind_of(const ObjectCost& cost) const {
        const Object* const object = find_object(cost.object);
        if (object == nullptr) return cost.object == ObjectId{} ? "heap" : "unknown";
        switch (object->kind) {
            case ObjectKind::Heap: return "heap";
            case ObjectKind::Static: return "static";
            case ObjectKind::Frames: return "stack";
            case ObjectKind::Unknown: break;
        }
        return "unknown";
    }
    // `main (init.c:12)`.
    std::string first_touch(const ObjectCost& cost) const {
        const Frame* const frame = site(cost.first_touch);
        return frame == nullptr ? "" : label(*frame);
    }

private:
    Model model_;
    std::vector<ObjectCost> objects_;
};

Table table_of(const CostReport& report, u64 top) {
    Table table("cost", {{"object", true, "object"},
                         {"kind", true, "kind"},
                         {"loads", false, "loads"},
                         {"stores", false, "stores"},
                         {"cycles", false, "cycles"},
                         {"L1 misses", false, "l1_misses"},
                         {"L2 misses", false, "l2_misses"},
                         {"last level", false, "llc_misses"},
                         {"TLB", false, "tlb_misses"},
                         {"local", false, "local"},
                         {"remote", false, "remote"},
                         {"first touch", true, "first_touch"}});
    for (std::size_t i = 0; i < report.objects().size() && i < top; ++i) {
        const ObjectCost& o = report.objects()[i];
        table.add({report.name_of(o), report.kind_of(o), number(o.loads), number(o.stores), number(o.cycles),
                   number(o.l1_misses), number(o.l2_misses), number(o.llc_misses), number(o.tlb_misses),
                   number(o.local), number(o.remote), report.first_touch(o)});
    }
    return table;
}

int run(const Arguments& arguments) {
    const std::vector<std::string>& files = arguments.some_files();
    const TableFormat format = format_of(arguments);
    const u64 asked = arguments.number("top", format == TableFormat::Tsv ? 0 : 20);
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
    CostReport report;
    const bool whole = inputs.read_profiles(files, report);
    report.rank();
    Output output(arguments.value("output"));
    if (format == TableFormat::Plain) {
        if (report.objects().empty()) {
            output.stream() << "no memory cost in this profile; run with --cost=yes\n";
            output.commit();
            return whole ? kDone : kPartial;
        }
        u64 cycles = 0;
        for (const ObjectCost& o : report.objects()) cycles += o.cycles;
        output.stream() << "memory cost on " << report.model().machine << ", " << report.model().nodes
                        << " nodes: " << with_commas(cycles) << " cycles\n(" << report.model().assumptions
                        << ")\n\n";
    }
    table_of(report, asked == 0 ? ~u64{0} : asked).print(output.stream(), format);
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kCostCommand{"cost",
                           "PROFILE...",
                           "memory cost by object (--cost=yes)",
                           "Cycles are those of the simulated machine, which the profile names.",
                           kOptions,
                           run};

}  // namespace memspy::report::cost
