// SPDX-License-Identifier: GPL-2.0-or-later
//
// The observers of one translation (core/observer.h), of all kinds in observers.def that are on. Both
// translators report the code that they emit here. Behind the observers stands the shadow stack of calls, if
// it is kept.
#pragma once

#include "instrument/core/call_tracking.h"
#include "instrument/core/observer.h"

namespace memspy::instrument {

class Observers {
public:
    Observers(Emitter& emit, const IRSB* in);
    ~Observers();
    Observers(const Observers&) = delete;
    Observers& operator=(const Observers&) = delete;

    // The events of Observer.
    void begin(int begin, int end) { tell(&Observer::begin, begin, end); }
    void instruction(const IRStmt* mark);
    void met(const IRStmt* statement);
    void before_store(int statement, const Access& access) {
        tell(&Observer::before_store, statement, access);
    }
    void before_exit(const IRStmt* exit) { tell(&Observer::before_exit, exit); }
    void passed_exit(const IRStmt* exit) { tell(&Observer::passed_exit, exit); }
    void loaded(int statement) { tell(&Observer::loaded, statement); }
    void access(int statement, const Access& access, const Origin& origin) {
        tell(&Observer::access, statement, access, origin);
    }
    // Call after all statements before `next` have been emitted. Handles a call that VEX followed into the
    // callee.
    void end_of_instruction(int next);
    void end(IRJumpKind jump);

private:
    template <typename... Parameters, typename... Arguments>
    void tell(void (Observer::*event)(Parameters...), const Arguments&... arguments) {
        for (const Running& each : running_) (each.observer->*event)(arguments...);
    }

    struct Running {
        const ObserverKind* kind;
        Observer* observer;
    };
    Emitter& emit_;
    const IRSB* in_;
    CallFinder calls_;
    Scratch<Running> running_;
};

// What the kinds that are on say together; see ObserverKind.
bool observes_anything();
ObserverKind::AtExit observers_at_exit();
bool tell_observers_at_once();
bool have_observers_rare_form();
bool must_begin(Address code, Address before);
void tell_tripped(u8* state, Address instruction);
void tell_full(u8* state);

}  // namespace memspy::instrument
