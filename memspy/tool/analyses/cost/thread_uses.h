// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who uses what: the figures of each (object, thread), and the placement of pages (placement.h), while there
// are several threads.
#pragma once

#include "analyses/cost/figures.h"
#include "analyses/cost/hierarchy.h"
#include "analyses/cost/placement.h"
#include "log/records.h"

namespace memspy::cost {

void start_uses(u32 nodes);
void note_use(threads::Thread t, const log::AccessUse& use, Address a, u32 object, const Outcome& outcome,
              const Hierarchy& hierarchy);
void forget_uses();

rt::Vector<ThreadUse>& thread_uses();
PageUses& page_uses();

}  // namespace memspy::cost
