// SPDX-License-Identifier: GPL-2.0-or-later
//
// Charging: each access goes through the hierarchy, and what it costs there to a row. Call forget_charges()
// in a forked child.
//
// Nearly all records are of a shape and calls that came before, their accesses go to the objects that they
// went to before, and to lines and pages used lately. So each (shape, calls) that comes twice gets a *block*
// (record_block.h), which has the objects and rows of the last time, and a count of the records that were
// like it. Only accesses that are not like that go through the hierarchy.
#pragma once

#include "analyses/cost/hierarchy.h"
#include "log/consumer.h"

namespace memspy::cost {

// Both live as long as the run.
void start_charging(Hierarchy& hierarchy);
// In the order of the run: objects are those of now.
void charge_records(threads::Thread t, const u64* first, const u64* end);
// A thread's accesses one by one, in the replay's order: also notes who uses which object, and which pages of
// it (thread_uses.h). Valid until another thread's accesses are charged.
class AccessCharger {
public:
    explicit AccessCharger(threads::Thread t);
    void charge(const log::AccessUse& use, threads::CallPath path, Address a, u32 object);

private:
    threads::Thread thread_;
    QuickView view_;
};
void forget_charges();

}  // namespace memspy::cost
