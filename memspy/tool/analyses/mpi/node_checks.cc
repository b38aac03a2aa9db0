// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/node_checks.h"

#include "analyses/mpi/checks.h"
#include "analyses/mpi/output/wait_text.h"
#include "vg/vg.h"

namespace memspy::mpi {

void NodeChecks::begin(i32 size) {
    agreement_.begin(size);
    windows_.begin(size);
}

void NodeChecks::end() {
    agreement_.end();
    windows_.end();
}

const Communicator* NodeChecks::group_of(const InCall* in, u64 handle) const {
    const auto comm = in == nullptr || in->depth != 1 ? CommId::None : all_->comm_of(handle);
    return comm == CommId::None ? nullptr : &all_->communicators()[static_cast<usize>(comm) - 1];
}

void NodeChecks::compare_share(u32 thread, const MpiShare& share) {
    using Disagreement = Agreement::Disagreement;
    const InCall* in = all_->in_call(thread);
    const Communicator* const comm = group_of(in, share.comm);
    Agreement::OperationEntry mine;
    if (comm == nullptr || share_difference_.thread == thread) return;
    const i32 other = all_->world_rank(all_->comm_of(share.comm), share.peer);
    if (!describe_share(*comm, *in, share, all_->rank(), other, mine)) return;
    write_place(in->context, mine.place, sizeof mine.place);
    ShareDifference found{thread, Disagreement::None, {}};
    found.difference = agreement_.compare(mine, found.first);
    if (found.difference == Disagreement::Elements) share_difference_ = found;
}

void NodeChecks::compare_operation(u32 thread) {
    const ShareDifference found = share_difference_;
    if (found.thread == thread) share_difference_ = {};
    const InCall* in = all_->in_call(thread);
    const Communicator* const comm = in == nullptr ? nullptr : group_of(in, in->facts.comm);
    Agreement::OperationEntry mine, first;
    if (comm == nullptr || !describe_operation(*comm, *in, all_->rank(), mine)) return;
    write_place(in->context, mine.place, sizeof mine.place);
    const Agreement::Disagreement difference = agreement_.compare(mine, first);
    if (difference == Agreement::Disagreement::None && found.thread == thread)
        Checks(*all_).disagrees(thread, found.difference, found.first);
    else
        Checks(*all_).disagrees(thread, difference, first);
}

void NodeChecks::follow_access(u32 thread, const InCall& in, i32 target) {
    RemoteAccess earlier;
    const u64 bytes = in.facts.sent > in.facts.received ? in.facts.sent : in.facts.received;
    const char* wrong = nullptr;
    if (bytes != in.facts.target_bytes && bytes != 0 && in.facts.target_bytes != 0)
        wrong = "has another size at its origin than at its target";
    else if (!windows_.has_access(in, target))
        wrong = "is called without access to its target, by MPI_Win_fence, MPI_Win_start or MPI_Win_lock";
    else if (windows_.is_behind(in, target, all_->buffers()))
        wrong = "uses bytes behind its target's part of the window";
    if (wrong != nullptr)
        Checks(*all_).judge(thread, wrong);
    else if (windows_.compare(in, all_->world_rank(all_->comm_of(in.facts.comm), target), all_->rank(),
                              all_->buffers(), earlier))
        Checks(*all_).conflicts(thread, in.call, earlier);
}

void NodeChecks::follow_windows(u32 thread) {
    const InCall* in = all_->in_call(thread);
    const Communicator* const comm = in == nullptr ? nullptr : group_of(in, in->facts.comm);
    if (comm == nullptr) return;
    if (in->operation != 0)
        windows_.collective(*in, *comm, all_->size());
    else if (!in->at_target.empty())
        follow_access(thread, *in, in->facts.peer >= 0 ? in->facts.peer : in->facts.source);
}

void NodeChecks::note_window(u32 thread, const MpiWindowFacts& window) {
    const InCall* in = all_->in_call(thread);
    const Communicator* const comm = in == nullptr ? nullptr : group_of(in, in->facts.comm);
    if (comm != nullptr) windows_.window_made(window, *in, *comm);
}

void NodeChecks::used_in_window(u32 thread, u32 call, Address a) {
    RemoteAccess earlier;
    const ContextId context = id_of(VG_(record_ExeContext)(thread, 0));
    if (!Checks::is_in_library(thread) && windows_.used_here(call, a, all_->rank(), context, earlier))
        Checks(*all_).conflicts(thread, call, earlier);
}

}  // namespace memspy::mpi
