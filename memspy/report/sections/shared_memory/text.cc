// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/shared_memory/text.h"

#include "report/profile_command.h"
#include "report/sections/shared_memory/sharing.h"
#include "report/text_part.h"

namespace memspy::report::shared_memory {
namespace {

constexpr std::size_t kUsersShown = 8;

std::string place_of(const SharedLineUser& user, const Catalog& catalog) {
    const Frame* const at = user.stacks.empty() ? nullptr : catalog.site(user.stacks.front());
    if (at == nullptr) return "";
    const std::string place = source_place(*at);
    return place.empty() ? catalog.label(*at) : place;
}

// "rank 0 stores 0-7 (count.c:12)"
std::string text_of(const SharedLineUser& user, const Catalog& catalog) {
    std::string text = text_of(user.process);
    if (user.stored != 0) text += " stores " + bytes_of(user.stored);
    const u64 only_loaded = user.loaded & ~user.stored;
    if (only_loaded != 0)
        text += std::string(user.stored != 0 ? ", " : " ") + "loads " + bytes_of(only_loaded);
    const std::string place = place_of(user, catalog);
    return place.empty() ? text : text + " (" + place + ")";
}

std::string users_of(const SharedLines& lines, const Catalog& catalog, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < lines.users.size() && i < most; ++i)
        text += (text.empty() ? "" : "; ") + text_of(lines.users[i], catalog);
    if (lines.users.size() > most) text += "; " + std::to_string(lines.users.size() - most) + " more";
    return text;
}

Table table_of(const std::vector<SharedLines>& rows, const Catalog& catalog, bool all_users) {
    Table table("shared-memory", {{"memory", true, "memory"},
                                  {"offset", false, "offset"},
                                  {"lines", false, "lines"},
                                  {"sharing", true, "sharing"},
                                  {"false, at most", false, "false_fetches"},
                                  {"true, at most", false, "true_fetches"},
                                  {"bytes of the first line", true, "users"},
                                  {"to do", true, "advice"}});
    for (const SharedLines& row : rows)
        table.add({name_of(row, catalog), number(row.offset), number(row.lines),
                   row.is_false() ? "false" : "true", number(row.false_fetches), number(row.true_fetches),
                   users_of(row, catalog, all_users ? row.users.size() : kUsersShown), advice_on(row)});
    return table;
}

constexpr const char* kMeaning =
    "At most so often a process had to fetch a line because another one had stored to it: the order between\n"
    "processes is not known.\n";

class SharedLinesTable : public TextPart {
public:
    explicit SharedLinesTable(const TextView& view) : view_(view) {}
    void record(const AnyRecord& record) override { sharing_.take(record); }
    void print(std::ostream& out) const override {
        std::vector<SharedLines> rows = sharing_.lines();
        if (rows.empty()) return;
        view_.cut(rows, "Lines that processes take from each other", out);
        if (view_.plain()) out << kMeaning;
        table_of(rows, view_, !view_.plain()).print(out, view_.options().format);
    }

private:
    const TextView& view_;
    Sharing sharing_;
};

class SharingReader : public Catalog {
public:
    void record(const AnyRecord& record) override { sharing_.take(record); }
    const Sharing& sharing() const { return sharing_; }

private:
    Sharing sharing_;
};

constexpr OptionSpec kOptions[] = {
    {"top", "N", "rows; 0: all"},
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    SharingReader reader;
    return show_profiles(arguments, reader, [&](std::ostream& out, SourceNames*) {
        const Sharing& sharing = reader.sharing();
        std::vector<SharedLines> rows = sharing.lines();
        const u64 most = most_rows(arguments);
        const bool plain = format == TableFormat::Plain;
        if (plain && rows.empty()) {
            out << (sharing.empty() ? "These processes share no memory that they store to.\n"
                                    : "No process took a line of shared memory from another one.\n");
            return;
        }
        if (rows.size() > most) rows.resize(most);
        if (plain) out << kMeaning;
        table_of(rows, reader, !plain).print(out, format);
        if (plain && sharing.left_out() != 0)
            out << with_commas(sharing.left_out())
                << " accesses and lines are left out: there were too many.\n";
    });
}

}  // namespace

std::unique_ptr<TextPart> text_part(const TextView& view) { return std::make_unique<SharedLinesTable>(view); }

const Command kSharedMemoryCommand{"shared-memory",
                                   "PROFILE...",
                                   "lines of shared memory that processes take from each other",
                                   "Give it the profiles of all processes of a host, or a merged one. A row "
                                   "for each line, or for lines side\n"
                                   "by side that are used equally; false sharing first.",
                                   kOptions,
                                   run};

}  // namespace memspy::report::shared_memory
