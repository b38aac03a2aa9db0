// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/output/wait_text.h"

#include "vg/vg.h"

namespace memspy::mpi {
namespace {

constexpr usize kMostNamed = 16;

void add_ranks(rt::Text& text, const rt::Vector<i32>& ranks) {
    for (usize i = 0; i < ranks.size() && i < kMostNamed; ++i)
        text.add(i == 0 ? "" : ", ").add_plain(static_cast<u64>(ranks[i]));
    if (ranks.size() > kMostNamed) text.add(" and ").add_number(ranks.size() - kMostNamed).add(" more");
}

}  // namespace

void add_wait(rt::Text& text, const Communication& all, const RankWait& wait, const rt::Vector<i32>& behind,
              const LeftMessage& left, const rt::Vector<i32>& cycle) {
    if (behind.empty())
        text.add(wait.for_strangers ? "for a process of another MPI_COMM_WORLD"
                                    : "for what no other rank gives it");
    if (!behind.empty())
        text.add(behind.size() == 1 ? "for rank " : wait.any ? "for one of the ranks " : "for ranks ");
    add_ranks(text, behind);
    if (wait.for_part && !behind.empty() && wait.ranks.size() == 1 && behind[0] != wait.ranks[0])
        text.add(", which locked the part of rank ").add_plain(static_cast<u64>(wait.ranks[0]));
    const usize number = static_cast<usize>(wait.comm);
    const char* const name = number == 0 ? "" : all.communicators()[number - 1].name;
    if (wait.has_tag && wait.tag >= 0) text.add(" (tag ").add_plain(static_cast<u64>(wait.tag));
    if (wait.has_tag && wait.tag < 0) text.add(" (any tag");
    if (wait.has_tag) text.add(name[0] != '\0' ? " of " : "").add(name).add(")");
    if (!wait.has_tag && name[0] != '\0') text.add(" (").add(name).add(")");
    if (left.from >= 0) {
        text.add("; not received: tag ").add_plain(static_cast<u64>(left.tag));
        if (left.comm != wait.comm) {
            const usize other = static_cast<usize>(left.comm);
            const char* const called = other == 0 ? "" : all.communicators()[other - 1].name;
            text.add(" of ").add(called[0] != '\0' ? called : "another communicator");
        }
        text.add(" from rank ").add_plain(static_cast<u64>(left.from));
        text.add(", ").add(left.sent_by.text);
        if (left.taker.text[0] != '\0')
            text.add("; ")
                .add(left.taker.text)
                .add(" of any rank took what this call waits for, as messages came");
    }
    if (cycle.empty()) return;
    text.add("; a deadlock of ranks ");
    for (const i32 rank : cycle) text.add_plain(static_cast<u64>(rank)).add(" -> ");
    text.add_plain(static_cast<u64>(cycle[0]));
}

void write_place(ContextId context, char* text, usize bytes, Innermost frame) {
    struct PlaceSearch {
        char* text;
        usize bytes;
        UInt first;
    } search{text, bytes, frame == Innermost::IsWrapper ? 1u : 0u};
    text[0] = '\0';
    const auto look = [](UInt n, DiEpoch epoch, Addr ip, void* opaque) {
        const auto& s = *static_cast<PlaceSearch*>(opaque);
        const HChar* file = nullptr;
        UInt line = 0;
        if (n < s.first || s.text[0] != '\0' || !VG_(get_filename_linenum)(epoch, ip, &file, nullptr, &line))
            return;
        VG_(snprintf)(s.text, static_cast<Int>(s.bytes), "%s:%u", file, line);
    };
    if (context != ContextId::None) VG_(apply_ExeContext)(look, &search, context_of(context));
}

TypeMatching::CallLabel label_of(u32 call, ContextId context) {
    TypeMatching::CallLabel label{};
    HChar place[64];
    write_place(context, place, sizeof place);
    VG_(snprintf)(label.text, sizeof label.text, place[0] == '\0' ? "%s" : "%s (%s)", name_of(call), place);
    return label;
}

}  // namespace memspy::mpi
