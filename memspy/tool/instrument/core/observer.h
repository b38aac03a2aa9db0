// SPDX-License-Identifier: GPL-2.0-or-later
//
// An observer emits code of its own beside the client's: counts, marks, records of the log. Both translators
// tell it of the code that they emit, in the order of that code (observers.h). It lives for one translation.
//
// A new kind of observer is a folder here, one ObserverKind, and one line in observers.def.
#pragma once

#include <new>

#include "instrument/core/access.h"

namespace memspy::instrument {

class Observer {
public:
    // Before the first instruction. The statements [begin, end) of the superblock are translated.
    virtual void begin(int /*begin*/, int /*end*/) {}
    virtual void instruction(const IRStmt* /*mark*/) {}  // its IMark has been emitted
    virtual void met(const IRStmt* /*statement*/) {}     // any other one is about to be emitted
    virtual void before_exit(const IRStmt* /*exit*/) {}  // of the client's code
    virtual void passed_exit(const IRStmt* /*exit*/) {}
    // The statement is a store, no atomic one; all checks before it have been emitted, and it comes next.
    virtual void before_store(int /*statement*/, const Access&) {}
    // The statement loads values, or accesses memory; it has been emitted with all checks before it. loaded()
    // first.
    virtual void loaded(int /*statement*/) {}
    virtual void access(int /*statement*/, const Access&, const Origin&) {}
    virtual void end_of_instruction() {}  // all its statements have been emitted
    // Around a call that VEX followed into the callee: code from statement `next` on has another call path.
    virtual void before_call() {}
    virtual void behind_call(int /*next*/) {}
    virtual void end(IRJumpKind /*jump*/) {}  // before the end of the superblock

protected:
    ~Observer() = default;
};

struct ObserverKind {
    // What an observer emits before a side exit of the client's code cannot be repeated: so no check of the
    // instruction may come behind the exit.
    enum class AtExit : u8 { Nothing, OfLoads, Always };

    bool (*is_on)();  // whether translations have such an observer
    // The object for a translation of `in`, in VEX's memory; unmake() is its destructor.
    Observer* (*make)(Emitter& emit, const IRSB* in);
    void (*unmake)(Observer* observer);
    // The others may be left out.
    AtExit (*at_exit)() = nullptr;
    // What it emits behind an access cannot be repeated: so no check of the instruction may come behind that.
    bool tells_at_once = false;
    bool (*has_rare_form)() = nullptr;  // helpers can do its work where code runs a few times (rare.h)
    // Whether a translation must begin at the instruction `code`. `before`: the end of the one executed
    // before it.
    bool (*must_begin)(Address code, Address before) = nullptr;
    // A check of `instruction` tripped, which will begin again. `state`: the running thread's.
    void (*tripped)(u8* state, Address instruction) = nullptr;
    void (*full)(u8* state) = nullptr;  // the running thread has come to full_site()
};

// make and unmake of an observer's class.
template <typename T>
Observer* make_observer(Emitter& emit, const IRSB* in) {
    return new (TranslationMemory::allocate(sizeof(T))) T(emit, in);
}
template <typename T>
void unmake_observer(Observer* observer) {
    static_cast<T*>(observer)->~T();
}

}  // namespace memspy::instrument
