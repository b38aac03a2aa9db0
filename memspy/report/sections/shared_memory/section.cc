// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/shared_memory/records.h"
#include "report/sections/shared_memory/sharing.h"
#include "report/sections/shared_memory/text.h"

namespace memspy::report::shared_memory {
namespace {

constexpr const Command* kCommands[] = {&kSharedMemoryCommand};

// The lines that processes take from each other, and what each does to the first of a row.
class SharedLinesFound : public Conclusion {
public:
    void record(const AnyRecord& record) override { sharing_.take(record); }
    std::vector<ConclusionRow> rows(std::size_t list, const Catalog& catalog, SourceNames*) const override {
        std::vector<ConclusionRow> rows;
        u64 number = 0;
        for (const SharedLines& each : sharing_.lines()) {
            ++number;
            if (list == 0)
                rows.push_back({number, name_of(each, catalog), each.offset, each.lines,
                                std::string(each.is_false() ? "false" : "true"), each.false_fetches,
                                each.true_fetches, advice_on(each)});
            else
                for (const SharedLineUser& user : each.users)
                    rows.push_back({number, text_of(user.process), user.loads, user.stores,
                                    bytes_of(user.loaded), bytes_of(user.stored),
                                    static_cast<u64>(user.stacks.empty() ? StackId{} : user.stacks.front())});
        }
        return rows;
    }

private:
    Sharing sharing_;
};
constexpr ConclusionField kLineFields[] = {
    {"number", "number"}, {"memory", "text"},          {"offset", "number"},       {"lines", "number"},
    {"sharing", "text"},  {"false-fetches", "number"}, {"true-fetches", "number"}, {"advice", "text"}};
constexpr ConclusionField kUserFields[] = {{"number", "number"}, {"process", "text"}, {"loads", "number"},
                                           {"stores", "number"}, {"loaded", "text"},  {"stored", "text"},
                                           {"stack", "stack"}};
constexpr ConclusionList kLists[] = {{"lines", kLineFields}, {"users", kUserFields}};
constexpr ConclusionKind kFound{
    kLists, []() -> std::unique_ptr<Conclusion> { return std::make_unique<SharedLinesFound>(); }};

}  // namespace

#define MEMSPY_FIELDS "fields/shared_memory.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{
    .name = kName, .records = kRecords, .commands = kCommands, .conclusion = &kFound, .text = text_part};

}  // namespace memspy::report::shared_memory
