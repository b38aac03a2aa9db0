// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is wrong with calls, requests and objects, apart from their buffers.
#include "analyses/mpi/checks.h"
#include "analyses/mpi/output/wait_text.h"
#include "findings/findings.h"
#include "rt/global.h"
#include "vg/vg.h"

namespace memspy::mpi {

using findings::Finding;
using findings::FindingKind;

const char* Checks::kept_text(const char* text) {
    static rt::Global<rt::Vector<const char*>> kept;
    for (const char* each : *kept)
        if (VG_(strcmp)(each, text) == 0) return each;
    kept->push_back(VG_(strdup)("memspy.mpi_text", text));
    return kept->back();
}

namespace {

// A function as the library calls it: MPICH has "internal_Send" for MPI_Send. Null if it is none of MPI.
const char* public_name(const char* function) {
    constexpr usize kInternal = sizeof "internal_" - 1;
    HChar text[80];
    if (function != nullptr && VG_(strncmp)(function, "internal_", kInternal) == 0) {
        VG_(snprintf)(text, sizeof text, "MPI_%s", function + kInternal);
        function = text;
    } else if (function != nullptr && function[0] == 'P') {
        ++function;
    }
    return function != nullptr && VG_(strncmp)(function, "MPI_", 4) == 0 ? Checks::kept_text(function)
                                                                         : nullptr;
}

}  // namespace

bool Checks::is_in_library(u32 thread) {
    constexpr UInt kMostFrames = 32;
    Addr frames[kMostFrames];
    const UInt count = VG_(get_StackTrace)(thread, frames, kMostFrames, nullptr, nullptr, 0);
    const DiEpoch epoch = VG_(current_DiEpoch)();
    for (UInt i = 0; i < count; ++i) {
        const HChar* name = nullptr;
        if (VG_(get_objname)(epoch, frames[i], &name) && VG_(strstr)(name, "/libmpi") != nullptr) return true;
    }
    return false;
}

void Checks::report_request(u32 thread, u32 call, const char* sentence, const Pending& pending) {
    Finding finding;
    finding.kind = FindingKind::MpiRequest;
    finding.name = name_of(call);
    finding.sentence = sentence;
    finding.begun = all_.rows()[pending.row].context;
    findings::report(thread, finding);
}

// What such a request receives, and whether a persistent one has sent its buffer, nobody can find out any
// more. To free one that sends is common.
void Checks::frees_request(u32 thread, u64 request) {
    const Pending* pending = all_.find_pending(request);
    if (pending == nullptr || !pending->active || !(pending->receives || pending->persistent)) return;
    Finding finding;
    finding.kind = FindingKind::MpiRequest;
    finding.name = "MPI_Request_free";
    finding.sentence = "frees a request that has not completed";
    finding.begun = all_.rows()[pending->row].context;
    findings::report(thread, finding);
}

void Checks::frees_window(u32 thread, u64 window) {
    bool reported = false;
    all_.for_each_active([&](const Pending& pending) {
        if (reported || pending.window != window) return;
        reported = true;
        report_request(thread, all_.rows()[pending.row].call,
                       "used a window that was freed before it was synchronised", pending);
    });
}

void Checks::conflicts(u32 thread, u32 call, const RemoteAccess& earlier) {
    constexpr usize kMost = 256;
    HChar text[kMost], place[80] = "", other[120];
    const auto word = [](u32 of, const char* store, const char* load) {
        return of == RemoteAccesses::kStore ? store : of == RemoteAccesses::kLoad ? load : name_of(of);
    };
    if (earlier.place[0] != '\0') VG_(snprintf)(place, sizeof place, " (%s)", earlier.place);
    VG_(snprintf)(other, sizeof other, "%s%s", word(earlier.call, "a store", "a load"), place);
    // The first rank stands for all that conflict at that place.
    static rt::Global<rt::HashMap<const char*>> sentences;
    const char*& sentence = (*sentences)[reinterpret_cast<u64>(kept_text(other))];
    VG_(snprintf)(text, kMost, "uses bytes of a window that %s of rank %d uses, and nothing orders them",
                  other, earlier.rank);
    if (sentence == nullptr) sentence = kept_text(text);
    Finding finding;
    finding.kind = FindingKind::MpiRace;
    finding.name = word(call, "A store", "A load");
    finding.sentence = sentence;
    findings::report(thread, finding);
}

void Checks::message_race(u32 thread, const MessageRaces::MessageRace& race) {
    constexpr usize kMost = 256;
    HChar text[kMost], place[80] = "", where[96] = "";
    write_place(race.later.context, place, sizeof place);
    if (place[0] != '\0') VG_(snprintf)(where, sizeof where, " (%s)", place);
    if (race.is_unprobed)
        VG_(snprintf)(text, kMost,
                      "may get a message of rank %d instead, of another size than the probed one", race.from);
    else if (race.is_too_long && race.later.posted == race.receive.posted)
        VG_(snprintf)(text, kMost, "may get a message of rank %d instead, which is longer than its buffer",
                      race.from);
    else
        VG_(snprintf)(text, kMost, "may get a message of rank %d instead, and then %s%s %s", race.from,
                      name_of(race.later.call), where,
                      race.is_too_long ? "gets one that is longer than its buffer" : "waits for ever");
    Finding finding;
    finding.kind = FindingKind::MpiRace;
    finding.name = name_of(race.receive.call);
    finding.sentence = kept_text(text);
    finding.where = race.receive.context;
    findings::report(thread, finding);
}

void Checks::wrong_call(u32 thread, const char* name, const char* sentence) {
    Finding finding;
    finding.kind = FindingKind::MpiError;
    finding.name = name;
    finding.sentence = sentence;
    findings::report(thread, finding);
}

namespace {

const char* word_of(MpiObjectKind kind) {
    switch (kind) {
        case kMpiComm: return "communicator";
        case kMpiType: return "type";
        case kMpiGroup: return "group";
        case kMpiWindow: return "window";
        case kMpiInfo: return "info object";
        case kMpiFile: return "file";
        case kMpiOperation: return "operation";
        case kMpiErrorHandler: return "error handler";
        case kMpiKey: return "key";
        case kMpiMessage: return "message";
        case kMpiObjectKinds: break;
    }
    return "";
}

}  // namespace

void Checks::judge(u32 thread, const char* sentence) {
    InCall* const in = all_.in_call(thread);
    if (!in->is_judged) wrong_call(thread, name_of(in->call), sentence);
    in->is_judged = true;
}

// Some libraries send a short message at once, without a look at the buffer. What earlier messages hold of it is not
// known.
void Checks::check_send_buffer(u32 thread, u32 call, i32 peer, u64 sent) {
    const u32 plain = call % kMpiCalls;
    const bool is_buffered = plain == kMpi_Bsend || plain == kMpi_Ibsend || plain == kMpi_Bsend_init;
    if (!is_buffered || peer == kMpiNobody || sent <= all_.send_buffer()) return;
    HChar text[128];
    if (all_.send_buffer() == 0)
        VG_(snprintf)(text, sizeof text, "needs a buffer, and none is attached (MPI_Buffer_attach)");
    else
        VG_(snprintf)(text, sizeof text, "sends %lu bytes, and the attached buffer has only %lu", sent,
                      all_.send_buffer());
    judge(thread, kept_text(text));
}

void Checks::uses_freed(u32 thread, const char* name, const Objects::Freed& freed) {
    if (InCall* in = all_.in_call(thread)) in->is_judged = true;
    HChar text[160], place[80] = "", where[96] = "";
    write_place(freed.context, place, sizeof place);
    if (place[0] != '\0') VG_(snprintf)(where, sizeof where, " (%s)", place);
    VG_(snprintf)(text, sizeof text, "is given a %s of %s that was freed%s", word_of(freed.made.kind),
                  freed.made.maker, where);
    wrong_call(thread, name, kept_text(text));
}

void Checks::truncated(u32 thread) {
    const InCall* in = all_.in_call(thread);
    if (in == nullptr) return;
    Finding finding;
    finding.kind = FindingKind::MpiTruncation;
    finding.name = name_of(in->call);
    finding.sentence = "got a message that is longer than its buffer";
    findings::report(thread, finding);
}

void Checks::failed(u32 thread, const char* text, const char* function) {
    const InCall* in = all_.in_call(thread);
    if (in != nullptr && in->is_judged) return;
    const char* const name = in != nullptr ? name_of(in->call) : public_name(function);
    if (name == nullptr) return;
    Finding finding;
    finding.kind = FindingKind::MpiError;
    finding.name = name;
    finding.sentence = kept_text(text);
    findings::report(thread, finding);
}

void Checks::disagrees(u32 thread, Agreement::Disagreement difference,
                       const Agreement::OperationEntry& first) {
    const InCall* in = all_.in_call(thread);
    if (in == nullptr || difference == Agreement::Disagreement::None) return;
    const char* what = "meets";
    if (difference == Agreement::Disagreement::Root) what = "names another root than";
    if (difference == Agreement::Disagreement::Operation) what = "names another operation than";
    if (difference == Agreement::Disagreement::Elements)
        what = in->call == kMpi_Cart_create ? "makes another grid than"
                                            : "has other types or numbers of elements than";
    constexpr usize kMost = 256;
    HChar text[kMost];
    VG_(snprintf)(text, kMost, first.place[0] == '\0' ? "%s %s%s of rank %d" : "%s %s (%s) of rank %d", what,
                  name_of(first.call), first.place, first.rank);
    Finding finding;
    finding.kind = FindingKind::MpiCollective;
    finding.name = name_of(in->call);
    finding.sentence = kept_text(text);
    findings::report(thread, finding);
}

void Checks::wrong_types(u32 thread, u32 call, ContextId begun, const TypeMatching::CallLabel& sender) {
    HChar text[192];
    VG_(snprintf)(text, sizeof text,
                  is_collective(call) ? "takes other types or numbers of elements than %s gives"
                                      : "got a message of other types than %s sent",
                  sender.text);
    Finding finding;
    finding.kind = FindingKind::MpiTypes;
    finding.name = name_of(call);
    finding.sentence = kept_text(text);
    finding.begun = begun;
    findings::report(thread, finding);
}

void Checks::report_open(u32 thread) {
    all_.for_each_active([&](const Pending& pending) {
        if (pending.window != 0) return;
        const CallRow& row = all_.rows()[pending.row];
        Finding finding;
        finding.kind = FindingKind::MpiRequest;
        finding.name = name_of(row.call);
        finding.sentence = begins_split_access(row.call) ? "began a split access that was never ended"
                                                         : "began a request that was never completed";
        finding.begun = row.context;
        findings::report(thread, finding);
    });
}

namespace {

void report_leak(u32 thread, const char* name, const char* sentence, ContextId where) {
    Finding finding;
    finding.kind = FindingKind::MpiLeak;
    finding.name = name;
    finding.sentence = sentence;
    finding.where = where;
    findings::report(thread, finding);
}

const char* sentence_of(MpiObjectKind kind) {
    switch (kind) {
        case kMpiComm: return "made a communicator that was never freed";
        case kMpiType: return "made a type that was never freed";
        case kMpiGroup: return "made a group that was never freed";
        case kMpiWindow: return "made a window that was never freed";
        case kMpiInfo: return "made an info object that was never freed";
        case kMpiFile: return "opened a file that was never closed";
        case kMpiOperation: return "made an operation that was never freed";
        case kMpiErrorHandler: return "made an error handler that was never freed";
        case kMpiKey: return "made a key that was never freed";
        case kMpiMessage: return "found a message that was never received";
        case kMpiObjectKinds: break;
    }
    return "";
}

}  // namespace

void Checks::report_leaks(u32 thread, Objects& objects) {
    objects.for_each_place([thread](const Objects::Made& made) {
        report_leak(thread, made.maker, sentence_of(made.kind), made.context);
    });
    all_.for_each_idle([&](const Pending& pending) {
        const CallRow& row = all_.rows()[pending.row];
        report_leak(thread, name_of(row.call), "made a persistent request that was never freed", row.context);
    });
}

void Checks::unreceived(u32 thread, i32 source, i32 tag, const char* name, const char* sent_by) {
    HChar text[200];
    VG_(snprintf)(text, sizeof text, "finds a message of rank %d with tag %d that was never received%s%s",
                  source, tag, sent_by[0] == '\0' ? "" : ": ", sent_by);
    report_leak(thread, kept_text(name), kept_text(text), id_of(VG_(record_ExeContext)(thread, 0)));
}

void Checks::report_no_end(u32 thread, bool by_session, ContextId context) {
    if (by_session)
        report_leak(thread, "MPI_Session_init", "began what MPI_Session_finalize never ended", context);
    else
        report_leak(thread, "MPI_Init", "began what MPI_Finalize never ended", context);
}

}  // namespace memspy::mpi
