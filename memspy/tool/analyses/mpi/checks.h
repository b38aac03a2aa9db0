// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is wrong with a call's buffers and requests (--mpi-checks=yes), as findings.
//
// A buffer that a request sends from must not change until the request is complete. Where a guard
// (client/guards.h) does not find the store, a sum of its bytes tells that they changed. A buffer that a
// request receives into belongs to it alone: another call that names it is a finding.
#pragma once

#include "analyses/mpi/agreement.h"
#include "analyses/mpi/message_races.h"
#include "analyses/mpi/objects.h"
#include "analyses/mpi/remote_access.h"
#include "client/guards.h"

namespace memspy::mpi {

class Checks {
public:
    explicit Checks(Communication& communication) : all_(communication) {}

    // Reports keep their sentences: equal ones are one.
    static const char* kept_text(const char* text);
    // The thread executes a function of MPI.
    static bool is_in_library(u32 thread);

    // The next piece of the thread's call.
    void add_piece(u32 thread, const MpiPiece& piece);
    // The call's pieces are complete, and it is about to be made. For a call that starts a persistent
    // request: those of the request.
    void check_call(u32 thread, u64 started);
    // The partitions `low` to `high` of a message are about to be marked as ready; one of a message has
    // arrived.
    void ready(u32 thread, u64 request, i32 low, i32 high);
    void partition_arrived(u64 request, i32 partition);
    // The program has asked, and been told that the request is complete: it may use the buffers before it frees
    // the request. `bytes`: of what is received.
    void found_complete(MpiAwaited request, u64 bytes);
    // The program has left the library, in which no thread is; and it is about to enter it. In between it
    // must not store into the buffers of requests: most of them are guarded, so that the store itself is
    // found. Of others that the library receives into the bytes that are not defined are counted (`counts`
    // unless a thread of the library's own may have stored there), since what the program stores is defined.
    void left();
    void entering(u32 thread, bool counts);
    // The thread stores to `a`, which a request owns.
    void stored(u32 thread, Address a, u32 number);
    // It loads from there. A one-sided operation's value is not there yet; requests' values are judged where they
    // are used. Buffers that are read often are not guarded.
    client::LoadVerdict loaded(u32 thread, Address a, u32 number);
    // A message of `bytes` bytes is in the buffer of the thread's receiving call.
    void arrived(u32 thread, u64 bytes);
    // The thread's call has begun to read from a file. Some libraries read it all at once, others later: to
    // use a value before the request completes is a mistake with all of them.
    void began_file_read(u32 thread);
    // The same for a one-sided operation, until its window is synchronised.
    void began_fetch(u32 thread);
    // The buffers belong to the program again.
    void return_values(const PieceList& list);
    // A request is complete; `was` as Communication::complete gave it.
    void completed(u32 thread, const Pending& was, u64 bytes);
    void truncated(u32 thread);
    // The library found an error in the thread's call, which ends the program. `function`: the library's name of
    // the call, for those that are not followed.
    void failed(u32 thread, const char* text, const char* function);
    // The program frees a request, or a window.
    void frees_request(u32 thread, u64 request);
    void frees_window(u32 thread, u64 window);
    // The thread's one-sided operation `call`, or its own access to a window, conflicts with another one.
    void conflicts(u32 thread, u32 call, const RemoteAccess& earlier);
    void message_race(u32 thread, const MessageRaces::MessageRace& race);
    // The thread's call is wrong, whatever the library says: what that finds is not reported, too.
    void judge(u32 thread, const char* sentence);
    // A call is given an object that the program has freed.
    void uses_freed(u32 thread, const char* name, const Objects::Freed& freed);
    // A call before MPI_Init or after MPI_Finalize, or one that is wrong in another way.
    void wrong_call(u32 thread, const char* name, const char* sentence);
    // The thread's collective operation differs from that of the rank that came first.
    void disagrees(u32 thread, Agreement::Disagreement difference, const Agreement::OperationEntry& first);
    // What `call` received has other types than `sender` sent; its request began at `begun`.
    void wrong_types(u32 thread, u32 call, ContextId begun, const TypeMatching::CallLabel& sender);
    // MPI ends.
    void report_open(u32 thread);
    void report_leaks(u32 thread, Objects& objects);
    // A message of rank `source` with that tag has come, and the call `name` makes sure that nobody will
    // receive it any more. `sent_by`: the call that sent it, "" if that is not known.
    void unreceived(u32 thread, i32 source, i32 tag, const char* name, const char* sent_by);
    // The program ends without MPI_Finalize; it began MPI at `context`.
    void report_no_end(u32 thread, bool by_session, ContextId context);

private:
    void report_request(u32 thread, u32 call, const char* sentence, const Pending& pending);
    void check_send_buffer(u32 thread, u32 call, i32 peer, u64 sent);
    void check_overlaps(u32 thread, u32 call, const PieceList& list);
    void check_pieces(u32 thread, u32 call, const PieceList& list, const Pending* own);
    void check_use(u32 thread, u32 call, Piece& piece, const Pending* own, const char** reported);
    // Returns whether another request owns the piece.
    bool check_conflicts(u32 thread, u32 call, const Piece& piece, const Pending* own);
    void report_stored(u32 thread, Pending& pending, const Piece& piece, Address at);
    void define(const PieceList& list, u64 bytes);

    Communication& all_;
};

}  // namespace memspy::mpi
