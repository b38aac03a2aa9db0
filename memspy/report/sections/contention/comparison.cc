// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/contention/comparison.h"

#include "report/comparison.h"
#include "report/sections/contention/records.h"

namespace memspy::report::contention {
namespace {

class ContentionComparison : public Comparison {
public:
    explicit ContentionComparison(std::string_view metric) : metric_(metric) {}

    void record(const AnyRecord& record, const Catalog& catalog) override {
        const auto* const row = record.as<Row>();
        if (row == nullptr) return;
        const LastingName name = lasting_name(catalog, row->object);
        const LastingName at = lasting_name(catalog, row->stack);
        const FigurePlace place = place_of(catalog, row->stack);
        // What the C library's own locks and heaps cost is not the user's to mend.
        const bool own = catalog.may_change(row->object) && catalog.may_change(row->stack);
        objects_.add(name, value_of(*row), own, place);
        places_.add({name.key + "  at " + at.key, name.label + "  at " + at.label}, value_of(*row), own,
                    place);
    }
    std::vector<Figures> figures() const override { return {objects_, places_}; }

private:
    u64 value_of(const Row& row) const {
        if (metric_ == "observed") return events(row.observed);
        if (metric_ == "false") return false_events(row.modelled);
        if (metric_ == "accesses") return row.loads + row.stores;
        return events(row.modelled);
    }

    std::string_view metric_;
    Figures objects_{"Objects", "objects", {}}, places_{"Objects and code", "objects-and-code", {}};
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view metric) {
    return std::make_unique<ContentionComparison>(metric);
}

}  // namespace memspy::report::contention
