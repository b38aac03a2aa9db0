// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/mpi/command.h"
#include "report/sections/mpi/comparison.h"
#include "report/sections/mpi/waiting.h"
#include "report/sections/mpi/waits.h"

namespace memspy::report::mpi {

void fold(Sends&, const Sends&) {}
void fold(Receives&, const Receives&) {}
void fold(Collectives&, const Collectives&) {}

namespace {
void findings(const AnyRecord& record, FindingSink& sink) {
    if (const auto* call = record.as<Call>())
        sink.finding(
            {.kind = call->name, .unit = "microseconds", .stack = call->stack, .value = call->microseconds});
}

constexpr const Command* kCommands[] = {&kMpiCommand};

// The time that each call waited for its partners; and when ranks waited longest.
class MpiWaiting : public Conclusion {
public:
    void record(const AnyRecord& record) override { events_.take(record); }
    std::vector<ConclusionRow> rows(std::size_t list, const Catalog&, SourceNames*) const override {
        std::vector<ConclusionRow> rows;
        if (list == 1) {
            for (const LongWait& wait : longest_waits(events_.ranks(), kMostWaits))
                rows.push_back({wait.call.rank, wait.call.number, wait.begin, wait.waited, wait.whom});
            return rows;
        }
        for (const auto& [call, waited] : waiting(events_.ranks()))
            rows.push_back({call.rank, call.number, waited.all, waited.late_sender, waited.late_receiver,
                            waited.imbalance});
        return rows;
    }

private:
    static constexpr std::size_t kMostWaits = 400;  // of a rank: a screen has hardly more places

    MpiEvents events_;
};
constexpr ConclusionField kWaitingFields[] = {{"rank", "number"},          {"number", "number"},
                                              {"microseconds", "number"},  {"late-sender", "number"},
                                              {"late-receiver", "number"}, {"imbalance", "number"}};
constexpr ConclusionField kLongestFields[] = {
    {"rank", "number"}, {"number", "number"}, {"begin", "number"}, {"waited", "number"}, {"whom", "number"}};
constexpr ConclusionList kLists[] = {{"waiting", kWaitingFields}, {"longest-waits", kLongestFields}};
constexpr ConclusionKind kWaiting{
    kLists, []() -> std::unique_ptr<Conclusion> { return std::make_unique<MpiWaiting>(); }};
}  // namespace

#define MEMSPY_FIELDS "fields/mpi.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = kCommands,
                       .conclusion = &kWaiting,
                       .comparison = comparison,
                       .text = text_part,
                       .comes_first = true,
                       .findings = findings};

}  // namespace memspy::report::mpi
