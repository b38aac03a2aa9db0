// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/mpi.h"

#include "analyses/analysis.h"
#include "analyses/mpi/checks.h"
#include "analyses/mpi/hang.h"
#include "analyses/mpi/node_checks.h"
#include "analyses/mpi/output/wait_text.h"
#include "client/guards.h"
#include "findings/findings.h"
#include "instrument/core/rare.h"
#include "memspy.h"
#include "options.h"
#include "profile/rank.h"
#include "rt/global.h"
#include "shadow/shadow_map.h"
#include "threads/registry.h"
#include "vg/clock.h"
#include "vg/late_lines.h"
#include "vg/process_end.h"
#include "vg/source_info.h"
#include "vg/vg.h"

namespace memspy::mpi {

extern const profile::ProfileSection kSection;

namespace {

rt::Global<Communication> current;
rt::Global<RankWaits> waits;
rt::Global<Hang> hang;
rt::Global<Objects> objects;
rt::Global<NodeChecks> node;
ContextId began_at = ContextId::None;          // MPI_Init, or the last MPI_Session_init: `by_session`
bool aborts = false;                           // an error or MPI_Abort ends the program
bool initialised = false, by_session = false;  // `initialised`: MPI_Init has returned
u32 instances = 0;                             // the world and sessions that have begun and not ended
bool ended = false;                            // all have
bool has_ended = false;                        // MPI_Finalize has returned
u32 initialising = 0;                          // the thread that is in it
u32 main_thread = 0;                           // that called it
u64 thread_level = kMpiThreadsMultiple;

// MPI libraries leave many blocks allocated at the end. The deepest entries have twelve lines, and the
// core reads no entry that is longer than its stacks.
void read_suppressions() {
    constexpr Int kLines = 12;
    static bool read = false;
    if (read || VG_(clo_backtrace_size) < kLines) return;
    read = true;
    findings::read_suppressions("mpi.supp");
}

bool helper_ran = false;  // since the program left the library
// Returns whether the call comes before MPI_Init.
bool judge_time(u32 thread, const char* name) {
    const bool is_early = began_at == ContextId::None;
    if (is_early && options().mpi && options().mpi_checks)
        Checks(*current).wrong_call(thread, name, "is called before MPI_Init");
    return is_early;
}

// The thread has entered a call from outside.
void judge_thread(u32 thread, const char* name) {
    const bool is_alone = current->threads_inside() == 1;
    const char* sentence = nullptr;
    if (thread_level == kMpiThreadsSingle && thread != main_thread)
        sentence = "is called by another thread than MPI_Init, which gave MPI_THREAD_SINGLE";
    else if (thread_level == kMpiThreadsFunneled && thread != main_thread)
        sentence = "is called by another thread than MPI_Init_thread, which gave MPI_THREAD_FUNNELED";
    else if (thread_level == kMpiThreadsSerialized && !is_alone)
        sentence = "is called while another thread is in MPI, and MPI_Init_thread gave MPI_THREAD_SERIALIZED";
    if (sentence != nullptr && !threads::is_helper(threads::thread_of_guest(thread)))
        Checks(*current).wrong_call(thread, name, sentence);
}

u64 enter(u32 thread, const u64* arguments) {
    const u32 call = static_cast<u32>(arguments[1]);
    judge_time(thread, name_of(call));
    if (has_ended && options().mpi && options().mpi_checks)
        Checks(*current).wrong_call(thread, name_of(call), "is called after MPI_Finalize");
    if (!options().mpi || !initialised || ended) return 0;
    if (options().mpi_checks && current->threads_inside() == 0)
        Checks(*current).entering(thread, !helper_ran);
    const auto context = [thread] { return id_of(VG_(record_ExeContext)(thread, 0)); };
    if (current->threads_inside() == 0) current->ceases_work(vg::processor_microseconds());
    if (!current->enter(thread, call, vg::wall_microseconds(), context)) return 0;
    if (options().mpi_checks) judge_thread(thread, name_of(call));
    // A communicator or a window. The library must not be asked about a freed one.
    const Objects::Freed* const freed = options().mpi_checks ? objects->find_freed(arguments[2]) : nullptr;
    if (freed != nullptr) {
        Checks(*current).uses_freed(thread, name_of(call), *freed);
        return u64{kMpiCounts};
    }
    return u64{kMpiCounts} | (current->knows(arguments[2]) ? 0 : u64{kMpiUnknownComm}) |
           (options().mpi_checks ? u64{kMpiChecks} : 0) | (options().mpi_types ? u64{kMpiTypes} : 0) |
           (options().mpi_buffering == MpiBuffering::None ? u64{kMpiUnbuffered} : 0);
}

void complete(u32 thread, const MpiCompletion& completion) {
    Pending was = current->complete(thread, completion, vg::wall_microseconds());
    const u64 bytes = was.partitions != 0 ? was.received : completion.received;
    if (options().mpi_checks) Checks(*current).completed(thread, was, bytes);
    if (options().mpi_checks) node->note_end(thread, was, completion);
    if (!was.persistent) current->buffers().release(was.buffers);
}

void give_back(MpiAwaited awaited, bool failed) {
    if (failed)
        if (const Pending* pending = current->find_awaited(awaited))
            Checks(*current).return_values(pending->buffers);
    current->give_back(awaited, failed);
}

// Returns the letter's size, and copies it if there is a place for it.
u64 letter_to(const MpiLetter& to) {
    static rt::Global<rt::Vector<u8>> letter;
    rt::Vector<TypeMatching::CallLabel> places;
    for (const CallRow& row : current->rows()) places.push_back(label_of(row.call, row.context));
    current->types().write_letter(to.rank, places, *letter);
    if (to.address != 0) {
        VG_(memcpy)(reinterpret_cast<void*>(to.address), letter->data(), letter->size());
        shadow::define_range(to.address, letter->size());
    }
    return letter->size();
}

void letter_from(u32 thread, const MpiLetter& from) {
    rt::Vector<TypeMatching::Mismatch> found;
    current->types().compare(from.rank, reinterpret_cast<const u8*>(from.address), from.bytes, found);
    for (const TypeMatching::Mismatch& mismatch : found) {
        const CallRow& row = current->rows()[mismatch.row];
        Checks(*current).wrong_types(thread, row.call, row.context, mismatch.sender);
    }
}

void forked(threads::Thread, u32) {
    client::lift_guards();
    current->forked();
    objects->clear();
    node->clear();
    profile::set_rank(-1, -1);
    initialised = false;
    instances = 0;
}

// The library's threads for progress, for asynchronous files, ...
bool is_inside(u32 thread) { return thread == initialising || current->in_call(thread) != nullptr; }

void started(threads::Thread t, u32, u64) {
    helper_ran |= threads::is_helper(t);
    if (initialised) hang->look();
}
void stopped(threads::Thread, u32 thread) {
    if (initialised) hang->ran(thread);
}

void finish(End end) {
    if (!initialised || end != End::Exit) return;
    if (!vg::ends_by_signal()) {
        if (options().mpi && options().mpi_checks && !ended && !aborts && hang->last().call == nullptr)
            Checks(*current).report_no_end(VG_(get_running_tid)(), by_session, began_at);
        return;
    }
    node->end();
    // Who waits for a rank that ends the program is not stuck.
    if (!node->agreement().has_aborted()) hang->told_to_end();
}

void register_with_core() {
    waits->attach(*current);
    node->attach(*current);
    hang->attach(*current, *waits, *node);
    vg::call_last([] { hang->wait_for_others(); });
    threads::listen({.started = started, .stopped = stopped, .forked = forked});
    threads::find_helpers(is_inside);
    client::use_guards({.stores =
                            [](u32 thread, Address a, u32 number) {
                                if (number == RemoteAccesses::kOwner)
                                    node->used_in_window(thread, RemoteAccesses::kStore, a);
                                else
                                    Checks(*current).stored(thread, a, number);
                            },
                        .loads = [](Address a, u32 number) -> client::LoadVerdict {
                            const u32 thread = VG_(get_running_tid)();
                            if (number != RemoteAccesses::kOwner)
                                return Checks(*current).loaded(thread, a, number);
                            node->used_in_window(thread, RemoteAccesses::kLoad, a);
                            return node->windows().is_used_often() ? client::LoadVerdict::Often
                                                                   : client::LoadVerdict::Fine;
                        },
                        .top_of_stack = []() -> Address {
                            const ThreadId thread = VG_(get_running_tid)();
                            return thread == VG_INVALID_THREADID ? 0 : VG_(get_SP)(thread);
                        }});
}

// Libraries make and free objects in their own functions, too. The wrappers of calls that are followed tell
// what the calls themselves have made.
void note_object(u32 thread, const MpiObject& object) {
    const InCall* in = current->in_call(thread);
    const bool by_call = object.kind == kMpiComm || object.kind == kMpiWindow || object.kind == kMpiFile ||
                         object.kind == kMpiMessage;
    const bool is_own = in == nullptr || (by_call && in->depth == 1);
    if (!initialised || ended || !is_own || !options().mpi || !options().mpi_checks) return;
    if (object.maker == nullptr)
        objects->gone(object, id_of(VG_(record_ExeContext)(thread, 0)));
    else if (object.maker[0] == '\0')
        objects->found_again(object);
    else
        objects->made(object, id_of(VG_(record_ExeContext)(thread, 0)));
}

// A call is about to give the library a handle or a count. `name`: of one that is not followed.
u64 judge_use(u32 thread, u32 kind, u64 handle, const char* name) {
    if (name != nullptr && judge_time(thread, name)) return kMpiUsable;
    InCall* const in = current->in_call(thread);
    // Libraries and wrappers use objects of their own, too.
    const bool is_own = in == nullptr || (in->depth == 1 && name == nullptr);
    if (!initialised || ended || !options().mpi_checks || !is_own) return kMpiUsable;
    if (kind == kMpiNegativeCount || kind == kMpiInPlaceBesideRoot) {
        if (in != nullptr)
            in->wrong = kind == kMpiNegativeCount ? "is given a negative count"
                                                  : "is given MPI_IN_PLACE by a rank that is not the root";
        return kMpiUnusable;
    }
    const Objects::Freed* const freed = objects->find_freed(handle);
    if (freed == nullptr || freed->made.kind != static_cast<MpiObjectKind>(kind)) return kMpiUsable;
    if (in != nullptr)
        in->freed = handle;
    else if (name != nullptr)
        Checks(*current).uses_freed(thread, name, *freed);
    return kMpiUnusable;
}

// What judge_use() has found, when the wrapper is the innermost function.
void check_uses(u32 thread) {
    const InCall* in = current->in_call(thread);
    if (in == nullptr || in->depth != 1) return;
    const Objects::Freed* const freed = in->freed != 0 ? objects->find_freed(in->freed) : nullptr;
    if (freed != nullptr)
        Checks(*current).uses_freed(thread, name_of(in->call), *freed);
    else if (in->wrong != nullptr)
        Checks(*current).judge(thread, in->wrong);
}

void begin(i32 rank, i32 size, Address end_program, u64 level) {
    main_thread = initialising;
    thread_level = level;
    initialising = 0;
    instrument::expect_rare_code(false);
    current->world(rank, size);
    profile::set_rank(rank, size);
    current->moved(vg::wall_microseconds());
    // A launcher that ends a job grants its ranks little time for their last words.
    vg::read_no_later();
    if (options().mpi) hang->begin(end_program);
    if (options().mpi && options().mpi_checks) node->begin(rank, size);
    if (options().mpi_types) current->match_types();
    if (options().mpi) profile::want_section(kSection);
    initialised = true;
    current->begins_work(vg::processor_microseconds());
    ++instances;
    ended = false;
}

bool handle_client_request(u32 thread, u64* arguments, u64* result) {
    *result = 0;
    switch (arguments[0]) {
        case MEMSPY_REQ_MPI_STARTS:
            initialising = thread, by_session = arguments[1] != 0;
            began_at = id_of(VG_(record_ExeContext)(thread, 0));
            instrument::expect_rare_code(true);
            read_suppressions();
            return true;
        case MEMSPY_REQ_MPI_WORLD:
            begin(static_cast<i32>(arguments[1]), static_cast<i32>(arguments[2]), arguments[3], arguments[4]);
            return true;
        case MEMSPY_REQ_MPI_ENTER: *result = enter(thread, arguments); return true;
        case MEMSPY_REQ_MPI_LEAVE:
            if (initialised) {
                const auto& facts = *reinterpret_cast<const MpiCallFacts*>(arguments[1]);
                const InCall* in = current->in_call(thread);
                if (in != nullptr && in->depth == 1 && facts.failed != 0)
                    Checks(*current).return_values(in->buffers);
                else if (in != nullptr && in->depth == 1 && begins_file_read(in->call))
                    Checks(*current).began_file_read(thread);
                else if (in != nullptr && in->depth == 1 && facts.window != 0 && facts.received != 0)
                    Checks(*current).began_fetch(thread);
                const u64 now = vg::wall_microseconds();
                if (in != nullptr && in->depth == 1 && facts.failed == 0) {
                    if (pattern_of(in->call) == Pattern::OneSided && facts.in_vain == 0)
                        node->windows().synchronised(*in);
                    else if (options().mpi_checks)
                        node->note_end(*in, facts);
                }
                if (facts.in_vain != 0) waits->asked_in_vain(thread, now);
                current->leave(thread, facts, now);
                if (current->threads_inside() == 0) current->begins_work(vg::processor_microseconds());
                if (options().mpi_checks && current->threads_inside() == 0) {
                    Checks(*current).left();
                    node->windows().left();
                    helper_ran = false;
                }
            }
            return true;
        case MEMSPY_REQ_MPI_COMM:
            current->describe(*reinterpret_cast<const MpiCommFacts*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_COMM_MADE: *result = initialised && !current->knows(arguments[1]); return true;
        case MEMSPY_REQ_MPI_COMM_NAME:
            current->rename(arguments[1], reinterpret_cast<const char*>(arguments[2]));
            return true;
        case MEMSPY_REQ_MPI_MATCHED: current->matched(arguments[1], arguments[2]); return true;
        case MEMSPY_REQ_MPI_MATCHED_COMM: *result = current->comm_of_matched(arguments[1]); return true;
        case MEMSPY_REQ_MPI_COMM_GONE:
            if (options().mpi_checks) Checks(*current).frees_window(thread, arguments[1]);
            if (const char* wrong = node->windows().why_not_free(arguments[1]);
                wrong != nullptr && options().mpi_checks)
                Checks(*current).wrong_call(thread, "MPI_Win_free", wrong);
            node->windows().window_gone(arguments[1]);
            current->forget(arguments[1]);
            return true;
        case MEMSPY_REQ_MPI_WINDOW:
            node->note_window(thread, *reinterpret_cast<const MpiWindowFacts*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_SHARED_PART: node->note_shared_part(thread, arguments); return true;
        case MEMSPY_REQ_MPI_PARTNERS:
            node->note_partners(arguments[1], thread, reinterpret_cast<const i32*>(arguments[2]),
                                static_cast<i32>(arguments[3]));
            return true;
        case MEMSPY_REQ_MPI_AWAIT:
            for (u64 i = 0; i < arguments[2]; ++i)
                reinterpret_cast<MpiAwaited*>(arguments[3])[i] =
                    current->await(reinterpret_cast<const u64*>(arguments[1])[i]);
            current->waits_for(thread, reinterpret_cast<MpiAwaited*>(arguments[3]),
                               static_cast<u32>(arguments[2]));
            return true;
        case MEMSPY_REQ_MPI_GIVE_BACK:
            for (u64 i = 0; i < arguments[2]; ++i)
                give_back(reinterpret_cast<const MpiAwaited*>(arguments[1])[i], arguments[3] != 0);
            return true;
        case MEMSPY_REQ_MPI_COMPLETE:
            complete(thread, *reinterpret_cast<const MpiCompletion*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_SYNCHRONISED:
            current->synchronise(arguments[1], static_cast<i32>(arguments[2]), [thread](const Pending& was) {
                Checks(*current).completed(thread, was, 0);
            });
            return true;
        case MEMSPY_REQ_MPI_FORGET:
            if (arguments[2] != 0 && options().mpi_checks)
                Checks(*current).frees_request(thread, arguments[1]);
            if (const Pending* pending = current->find_pending(arguments[1]))
                Checks(*current).return_values(pending->buffers);
            current->forget_request(arguments[1]);
            return true;
        case MEMSPY_REQ_MPI_PIECE:
            Checks(*current).add_piece(thread, *reinterpret_cast<const MpiPiece*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_SHARE:
            current->share(thread, *reinterpret_cast<const MpiShare*>(arguments[1]));
            if (!options().mpi_types)
                node->compare_share(thread, *reinterpret_cast<const MpiShare*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_GIVES:
            current->gives(thread, *reinterpret_cast<const MpiGift*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_READY:
            Checks(*current).ready(thread, arguments[1], static_cast<i32>(arguments[2]),
                                   static_cast<i32>(arguments[3]));
            return true;
        case MEMSPY_REQ_MPI_PART_ARRIVED:
            Checks(*current).partition_arrived(arguments[1], static_cast<i32>(arguments[2]));
            return true;
        case MEMSPY_REQ_MPI_FOUND_COMPLETE:
            Checks(*current).found_complete(static_cast<MpiAwaited>(arguments[1]), arguments[2]);
            return true;
        case MEMSPY_REQ_MPI_SEND_BUFFER: current->attach_buffer(arguments[1]); return true;
        case MEMSPY_REQ_MPI_CHECK:
            current->about_to(thread, *reinterpret_cast<const MpiCallFacts*>(arguments[2]));
            if (!options().mpi_checks) return true;
            check_uses(thread);
            node->compare_operation(thread);
            node->note_sending(thread, arguments[1]);
            node->follow_windows(thread);
            Checks(*current).check_call(thread, arguments[1]);
            return true;
        case MEMSPY_REQ_MPI_ARRIVED: Checks(*current).arrived(thread, arguments[1]); return true;
        case MEMSPY_REQ_MPI_KEEP_STATUSES:
            if (InCall* in = current->in_call(thread); in != nullptr)
                in->statuses = *reinterpret_cast<const MpiStatuses*>(arguments[1]);
            return true;
        case MEMSPY_REQ_MPI_STATUSES:
            if (const InCall* in = current->in_call(thread); in != nullptr)
                *reinterpret_cast<MpiStatuses*>(arguments[1]) = in->statuses;
            return true;
        case MEMSPY_REQ_MPI_OBJECT:
            note_object(thread, *reinterpret_cast<const MpiObject*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_USE:
            *result = judge_use(thread, static_cast<u32>(arguments[1]), arguments[2],
                                reinterpret_cast<const char*>(arguments[3]));
            return true;
        case MEMSPY_REQ_MPI_UNRECEIVED:
            if (options().mpi && options().mpi_checks)
                node->never_received(thread, arguments[4], static_cast<i32>(arguments[1]),
                                     static_cast<i32>(arguments[2]),
                                     reinterpret_cast<const char*>(arguments[3]));
            return true;
        case MEMSPY_REQ_MPI_OWN_QUESTION: {
            const InCall* in = current->in_call(thread);
            *result = in != nullptr && in->depth == 1 && !in->is_told;
            return true;
        }
        case MEMSPY_REQ_MPI_ERROR:
            if (arguments[1] == 0 || arguments[3] != 0) {
                aborts = true;
                node->agreement().note_abort();
            }
            if (arguments[1] == 0) return true;
            if (options().mpi && options().mpi_checks)
                Checks(*current).failed(thread, reinterpret_cast<const char*>(arguments[1]),
                                        reinterpret_cast<const char*>(arguments[2]));
            return true;
        case MEMSPY_REQ_MPI_TRUNCATED:
            current->types().lost_one();
            Checks(*current).truncated(thread);
            return true;
        case MEMSPY_REQ_MPI_ENDS:
            if (has_ended && options().mpi && options().mpi_checks)
                Checks(*current).wrong_call(thread, "MPI_Finalize", "is called again");
            if (instances > 1) {
                --instances;
                return true;
            }
            instances = 0;
            ended = true;
            current->moved(vg::wall_microseconds());
            waits->begin_end(thread, id_of(VG_(record_ExeContext)(thread, 0)));
            client::lift_guards();
            instrument::expect_rare_code(true);
            if (options().mpi && options().mpi_checks) {
                Checks(*current).report_open(thread);
                Checks(*current).report_leaks(thread, *objects);
                node->report_message_races(thread);
            }
            *result = options().mpi && options().mpi_types && initialised;
            return true;
        case MEMSPY_REQ_MPI_LETTER_TO:
            *result = letter_to(*reinterpret_cast<const MpiLetter*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_LETTER_FROM:
            letter_from(thread, *reinterpret_cast<const MpiLetter*>(arguments[1]));
            return true;
        case MEMSPY_REQ_MPI_NO_LETTERS:
            VG_(umsg)("The types of messages were not compared: %s.\n",
                      arguments[1] != 0 ? "the program ended without MPI_Finalize, by sessions"
                                        : "some ranks run without --mpi-types=yes");
            return true;
        case MEMSPY_REQ_MPI_MAY_END: *result = hang->may_end(); return true;
        case MEMSPY_REQ_MPI_HAS_ENDED:
            waits->begin_end(thread, ContextId::None);
            hang->ended();
            node->end();
            has_ended = true;
            return true;
        case MEMSPY_REQ_MPI_CLOCK: *result = vg::wall_microseconds(); return true;
        default: return false;
    }
}

}  // namespace

const Communication& communication() { return *current; }
const RankWait& reported_wait() { return hang->last(); }
const rt::Vector<LeftMessage>& left_messages() { return node->left(); }
const rt::Vector<MessageRaces::OpenReceives>& open_receives() { return node->open_receives(); }

// A program is known to use MPI only when it calls it; the section of the profile is wanted from then on.
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "mpi",
                                .wanted = [] { return false; },
                                .register_with_core = register_with_core,
                                .start =
                                    [] {
                                        if (options().mpi) vg::read_lines_of_system();
                                    },
                                .finish = finish,
                                .client_request = handle_client_request,
                                .print_status =
                                    [] {
                                        if (initialised) hang->show();
                                    },
                                .section = &kSection,
                                .comes_later = true,
                                .has_results = [] { return initialised; }};

}  // namespace memspy::mpi
