// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/mpi/comparison.h"

#include "report/comparison.h"
#include "report/sections/mpi/records.h"

namespace memspy::report::mpi {
namespace {

class MpiComparison : public Comparison {
public:
    void record(const AnyRecord& record, const Catalog& catalog) override {
        if (const auto* call = record.as<Call>()) {
            const std::string at = std::string(call->name) + "  at ";
            const LastingName place = lasting_name(catalog, call->stack);
            const LastingName name{at + place.key, at + place.label};
            calls_.add(name, call->calls);
            bytes_.add(name, call->sent + call->received);
        }
    }
    std::vector<Figures> figures() const override { return {calls_, bytes_}; }

private:
    Figures calls_{"Calls of MPI", "mpi-calls", {}},
        bytes_{"Bytes sent and received by MPI", "mpi-bytes", {}};
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view) { return std::make_unique<MpiComparison>(); }

}  // namespace memspy::report::mpi
