// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report cost: memory cost by object, or as a tree of objects and calls.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "report/catalog.h"
#include "report/context_tree.h"
#include "report/profile_command.h"
#include "report/section.h"
#include "report/sections/cost/command.h"
#include "report/sections/cost/records.h"
#include "report/table.h"

namespace memspy::report::cost {
namespace {

constexpr OptionSpec kOptions[] = {
    {"top", "N", "rows [20, in TSV all]; 0: all"},
    {"by", "object|thread",
     "thread: a row for each object and thread, of objects that several threads use [object]"},
    {"tree", "data|code",
     "data: object, where it was allocated, where it is accessed; code: calls, and the objects that they "
     "access"},
    {"least", "PERCENT", "branches of the tree with less of all cycles are left out [1, in TSV 0]"},
    kFormatOption,
    kNamesOption,
    kOwnOption,
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
        if (const auto* row = record.as<Row>()) rows_.push_back(*row);
        if (const auto* use = record.as<Use>()) uses_.push_back(*use);
        if (const auto* placement = record.as<Placement>()) placements_.push_back(*placement);
    }
    // The objects with the highest cost first.
    void rank() {
        std::ranges::stable_sort(objects_, std::ranges::greater{}, &ObjectCost::cycles);
        std::ranges::stable_sort(uses_, std::ranges::greater{}, &Use::cycles);
        std::ranges::stable_sort(placements_, std::ranges::greater{}, &Placement::remote);
    }

    const Model& model() const { return model_; }
    const std::vector<ObjectCost>& objects() const { return objects_; }

    const std::vector<Row>& rows() const { return rows_; }
    const std::vector<Use>& uses() const { return uses_; }
    const std::vector<Placement>& placements() const { return placements_; }

    std::string name_of(ObjectId id) const { return id == ObjectId{} ? "small blocks" : label(id); }
    const char* kind_of(ObjectId id) const {
        const Object* const object = find_object(id);
        if (object == nullptr) return id == ObjectId{} ? "heap" : "unknown";
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
    std::vector<Row> rows_;
    std::vector<Use> uses_;
    std::vector<Placement> placements_;
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
        table.add({report.name_of(o.object), report.kind_of(o.object), number(o.loads), number(o.stores),
                   number(o.cycles), number(o.l1_misses), number(o.l2_misses), number(o.llc_misses),
                   number(o.tlb_misses), number(o.local), number(o.remote), report.first_touch(o)});
    }
    return table;
}

Table table_of_uses(const CostReport& report, u64 top) {
    Table table("cost.uses", {{"object", true, "object"},
                              {"kind", true, "kind"},
                              {"thread", true, "thread"},
                              {"loads", false, "loads"},
                              {"stores", false, "stores"},
                              {"cycles", false, "cycles"},
                              {"local", false, "local"},
                              {"remote", false, "remote"},
                              {"transfers", false, "transfers"}});
    for (std::size_t i = 0; i < report.uses().size() && i < top; ++i) {
        const Use& use = report.uses()[i];
        table.add({report.name_of(use.object), report.kind_of(use.object),
                   std::to_string(static_cast<u32>(use.thread)), number(use.loads), number(use.stores),
                   number(use.cycles), number(use.local), number(use.remote), number(use.transfers)});
    }
    return table;
}

// What other homes of the pages would change.
void print_placements(std::ostream& out, const CostReport& report) {
    if (report.placements().empty()) return;
    out << "\nplacement of pages: lines from another node's memory, and the cycles saved, if\n\n";
    Table table("cost.placements", {{"object", true, "object"},
                                    {"lines", false, "lines"},
                                    {"remote", false, "remote"},
                                    {"users touch first", false, "remote_touched"},
                                    {"saves", false, "touched_saves"},
                                    {"interleaved", false, "remote_interleaved"},
                                    {"saves", false, "interleaved_saves"},
                                    {"replicated saves", false, "replicated_saves"},
                                    {"busiest node", false, "busiest"},
                                    {"interleaved", false, "busiest_interleaved"},
                                    {"advice", true, "advice"}});
    for (const Placement& p : report.placements())
        table.add({report.name_of(p.object), number(p.lines), number(p.remote), number(p.remote_touched),
                   number(p.touched_saves), number(p.remote_interleaved), number(p.interleaved_saves),
                   p.late_stores == 0 ? number(p.replicated_saves) : "stored to", number(p.busiest),
                   number(p.busiest_interleaved), p.advice});
    table.print(out, TableFormat::Plain);
}

// The outermost call first. Without a stack: places that are not in the profile.
ContextTree::NodeIndex add_path(ContextTree& tree, ContextTree::NodeIndex node, std::string_view kind,
                                std::string_view lead, const Catalog& catalog, StackId stack) {
    const std::span<const FrameIndex> frames = catalog.frames_of(stack);
    if (frames.empty()) return tree.child(node, kind, lead, "other places");
    std::vector<std::size_t> shown = catalog.program_frames(stack);
    for (; !shown.empty(); shown.pop_back(), lead = {})
        node = tree.child(node, kind, lead, catalog.label(catalog.frame(frames[shown.back()])));
    return node;
}

// By object: where it was allocated, then the calls that access it. By code: calls, then the objects.
ContextTree tree_of(const CostReport& report, bool by_object) {
    ContextTree tree({{"cycles", false, "cycles"},
                      {"L1 misses", false, "l1_misses"},
                      {"last level", false, "llc_misses"},
                      {"remote", false, "remote"}});
    for (const Row& row : report.rows()) {
        ContextTree::NodeIndex node = ContextTree::kRoot;
        const std::string name = report.name_of(row.object);
        if (by_object) {
            node = tree.child(node, "object", "", name);
            const Object* const object = report.find_object(row.object);
            if (object != nullptr && object->kind == ObjectKind::Heap)
                node = add_path(tree, node, "allocation", "allocated in ", report, object->stack);
            node = add_path(tree, node, "access", "accessed in ", report, row.stack);
        } else {
            node = add_path(tree, node, "call", "", report, row.stack);
            node = tree.child(node, "object", "accesses ", name);
        }
        tree.add(node, std::array{row.cycles, row.l1_misses, row.llc_misses, row.remote});
    }
    return tree;
}

double percent_of(const Arguments& arguments, double otherwise) {
    const std::string text(arguments.value("least"));
    if (text.empty()) return otherwise;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != 0 || !(value >= 0 && value <= 100))
        throw UsageError("--least=" + text + ": needs a share in percent, from 0 to 100");
    return value;
}

void print_head(const CostReport& report, std::ostream& out) {
    u64 cycles = 0;
    for (const ObjectCost& o : report.objects()) cycles += o.cycles;
    out << "memory cost on " << report.model().machine << ", " << report.model().nodes
        << (report.model().nodes == 1 ? " node: " : " nodes: ") << with_commas(cycles) << " cycles\n("
        << report.model().assumptions << ")\n\n";
}

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    const bool plain = format == TableFormat::Plain;
    const u64 top = most_rows(arguments);
    const double least = percent_of(arguments, plain ? 1 : 0);
    CostReport report;
    report.set_own(OwnCode(words_of_list(arguments.value("own"))));
    return show_profiles(arguments, report, [&](std::ostream& out, SourceNames*) {
        report.rank();
        if (plain && report.objects().empty()) {
            out << "no memory cost in this profile; run with --cost=yes\n";
            return;
        }
        if (plain) print_head(report, out);
        const std::string_view tree = arguments.value("tree");
        const Table table = !tree.empty() ? tree_of(report, tree == "data").table("cost.tree", least, format)
                            : arguments.value("by") == "thread" ? table_of_uses(report, top)
                                                                : table_of(report, top);
        table.print(out, format);
        if (tree.empty() && plain) print_placements(out, report);
    });
}

}  // namespace

const Command kCostCommand{"cost",
                           "PROFILE...",
                           "memory cost by object, or as a tree (--cost=yes)",
                           "Cycles are those of the simulated machine, which the profile names.",
                           kOptions,
                           run};

}  // namespace memspy::report::cost
