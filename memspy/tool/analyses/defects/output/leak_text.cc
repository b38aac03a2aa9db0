// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/output/leak_text.h"

#include "vg/vg.h"

namespace memspy::defects {

namespace {

const char* kind_text(Reach reach) {
    switch (reach) {
        case Reach::Reachable: return "still reachable";
        case Reach::Possible: return "possibly lost";
        case Reach::Indirect: return "indirectly lost";
        case Reach::Definite: return "definitely lost";
    }
    return "";
}

// " (+n)" or " (-n)" if amounts are compared with an earlier search, else nothing.
class LossChange {
public:
    LossChange(u64 now, u64 old, bool compared) {
        text_[0] = '\0';
        if (!compared) return;
        bool less = now < old;
        VG_(snprintf)(text_, sizeof text_, " (%c%'llu)", less ? '-' : '+',
                      static_cast<ULong>(less ? old - now : now - old));
    }
    const char* text() const { return text_; }

private:
    HChar text_[40];
};

void print_amount(const char* what, const LeakAmount& now, const LeakAmount& old, LeakDelta delta) {
    bool compared = delta != LeakDelta::Any;
    VG_(umsg)("%s: %'llu%s bytes in %'llu%s blocks\n", what, static_cast<ULong>(now.bytes),
              LossChange(now.bytes, old.bytes, compared).text(), static_cast<ULong>(now.blocks),
              LossChange(now.blocks, old.blocks, compared).text());
}

}  // namespace

bool text_output() { return VG_(clo_verbosity) >= 1 && !VG_(clo_xml); }

const char* heuristic_name(Heuristic heuristic) {
    switch (heuristic) {
        case Heuristic::StdString: return "stdstring";
        case Heuristic::Length64: return "length64";
        case Heuristic::NewArray: return "newarray";
        case Heuristic::MultipleInheritance: return "multipleinheritance";
        case Heuristic::ThreadVector: return "dtv";
        case Heuristic::None: break;
    }
    return "none";
}

void print_summary(const LeakRequest& request, const LeakAmounts& now, const LeakAmounts& before) {
    const LeakCounts& counts = now.counts;
    const LeakCounts& old = before.counts;
    VG_(umsg)("LEAK SUMMARY:\n");
    print_amount("   definitely lost", counts.definite, old.definite, request.delta);
    print_amount("   indirectly lost", counts.indirect, old.indirect, request.delta);
    print_amount("     possibly lost", counts.possible, old.possible, request.delta);
    print_amount("   still reachable", counts.reachable, old.reachable, request.delta);
    bool headed = false;
    for (unsigned h = 1; h < kHeuristics; ++h) {
        if (now.saved_by[h].blocks == 0 && before.saved_by[h].blocks == 0) continue;
        if (!headed) VG_(umsg)("                      of which reachable via heuristic:\n");
        headed = true;
        HChar what[64];
        VG_(snprintf)(what, sizeof what, "                        %-19s",
                      heuristic_name(static_cast<Heuristic>(h)));
        print_amount(what, now.saved_by[h], before.saved_by[h], request.delta);
    }
    print_amount("        suppressed", counts.suppressed, old.suppressed, request.delta);

    bool full = request.mode == LeakCheck::Full;
    u64 blocks =
        counts.definite.blocks + counts.indirect.blocks + counts.possible.blocks + counts.reachable.blocks;
    if (!full && blocks > 0) {
        if (request.from_monitor)
            VG_(umsg)("To see details of leaked memory, give 'full' arg to leak_check\n");
        else
            VG_(umsg)("Rerun with --leak-check=full to see details of leaked memory\n");
    }
    if (full && counts.reachable.blocks > 0 && (request.show_kinds & kReachable) == 0) {
        VG_(umsg)("Reachable blocks (those to which a pointer was found) are not shown.\n");
        if (request.from_monitor)
            VG_(umsg)("To see them, add 'reachable any' args to leak_check\n");
        else
            VG_(umsg)("To see them, rerun with: --leak-check=full --show-leak-kinds=all\n");
    }
    VG_(umsg)("\n");
}

void print_record(const LossRecord& record, usize number, usize total, bool compared) {
    if (record.indirect_bytes > 0)
        VG_(umsg)(
            "%'llu%s (%'llu%s direct, %'llu%s indirect) bytes in %'llu%s blocks are %s in loss record "
            "%'lu of %'lu\n",
            static_cast<ULong>(record.total()),
            LossChange(record.total(), record.old_total(), compared).text(), static_cast<ULong>(record.bytes),
            LossChange(record.bytes, record.old_bytes, compared).text(),
            static_cast<ULong>(record.indirect_bytes),
            LossChange(record.indirect_bytes, record.old_indirect_bytes, compared).text(),
            static_cast<ULong>(record.blocks), LossChange(record.blocks, record.old_blocks, compared).text(),
            kind_text(record.reach), number, total);
    else
        VG_(umsg)(
            "%'llu%s bytes in %'llu%s blocks are %s in loss record %'lu of %'lu\n",
            static_cast<ULong>(record.bytes), LossChange(record.bytes, record.old_bytes, compared).text(),
            static_cast<ULong>(record.blocks), LossChange(record.blocks, record.old_blocks, compared).text(),
            kind_text(record.reach), number, total);
    if (record.allocated != ContextId::None) VG_(pp_ExeContext)(context_of(record.allocated));
}

}  // namespace memspy::defects
