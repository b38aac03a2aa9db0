// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the ranks of a node tell each other to compare their calls: collective operations, what each gives to
// and takes from others in them, and one-sided operations.
#pragma once

#include "analyses/mpi/agreement.h"
#include "analyses/mpi/remote_access.h"

namespace memspy::mpi {

class NodeChecks {
public:
    void attach(Communication& communication) { all_ = &communication; }  // first of all
    void begin(i32 size);                                                 // the rank is known
    void end();
    RemoteAccesses& windows() { return windows_; }

    // What a rank gives or takes in the thread's call, which is about to be checked.
    void compare_share(u32 thread, const MpiShare& share);
    // The thread's call is about to be made. Another rank may disagree, or conflict with it.
    void compare_operation(u32 thread);
    void follow_windows(u32 thread);
    void note_window(u32 thread, const MpiWindowFacts& window);
    // The program itself stores into a window, or loads from it: `call` as in RemoteAccesses.
    void used_in_window(u32 thread, u32 call, Address a);

private:
    void follow_access(u32 thread, const InCall& in, i32 target);
    // The communicator or window of the thread's outermost call; null if it is in none.
    const Communicator* group_of(const InCall* in, u64 handle) const;

    Communication* all_ = nullptr;
    Agreement agreement_;
    RemoteAccesses windows_;
    // What of a thread's shares does not agree, until its call is checked.
    struct ShareDifference {
        u32 thread;
        Agreement::Disagreement difference;
        Agreement::OperationEntry first;
    };
    ShareDifference share_difference_{};
};

}  // namespace memspy::mpi
