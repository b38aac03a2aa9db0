// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/quiet_ranges.h"

#include "analyses/defects/value_options.h"
#include "rt/global.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

struct QuietRange {
    Address first, last;
};
rt::Global<rt::Vector<QuietRange>> ranges;  // none overlaps another

void cut_out(Address first, Address last) {
    for (usize i = ranges->size(); i-- > 0;) {
        const QuietRange old = (*ranges)[i];
        if (old.last < first || last < old.first) continue;
        (*ranges)[i] = ranges->back();
        ranges->pop_back();
        if (old.first < first) ranges->push_back({old.first, first - 1});
        if (last < old.last) ranges->push_back({last + 1, old.last});
    }
}

}  // namespace

bool disable_reports(Address begin, usize bytes) {
    if (!enable_reports(begin, bytes)) return false;
    ranges->push_back({begin, begin + bytes - 1});
    return true;
}

bool enable_reports(Address begin, usize bytes) {
    if (bytes == 0) return false;
    cut_out(begin, begin + bytes - 1);
    return true;
}

bool is_quiet(Address a) {
    if (is_ignored(a)) return true;
    for (const QuietRange& range : *ranges)
        if (range.first <= a && a <= range.last) return true;
    return false;
}

void warn_of_quiet_ranges() {
    if (ranges->empty()) return;
    VG_(umsg)(
        "WARNING: exiting program has the following client-requested\n"
        "WARNING: address error disablement range(s) still in force,\n"
        "WARNING: possibly as a result of some mistake in the use of the\n"
        "WARNING: VALGRIND_{DISABLE,ENABLE}_ERROR_REPORTING_IN_RANGE macros.\n");
    for (usize i = 0; i < ranges->size(); ++i)
        VG_(umsg)("   [%lu]  0x%016lx-0x%016lx\n", i, (*ranges)[i].first, (*ranges)[i].last);
}

}  // namespace memspy::defects
