// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/checks.h"

#include <bit>

#include "client/guards.h"
#include "client/parameters.h"
#include "findings/block_owner.h"
#include "rt/global.h"
#include "shadow/shadow_map.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::mpi {
namespace {

using findings::Finding;
using findings::FindingKind;

// "MPI_Send(buf)".
class CallParameter {
public:
    CallParameter(u32 call, const char* parameter) {
        VG_(snprintf)(text_, sizeof text_, "%s(%s)", name_of(call), parameter);
    }
    const char* text() const { return text_; }

private:
    HChar text_[96];
};

bool only_makes_a_request(u32 call) {
    const u32 plain = call % kMpiCalls;
    return (plain >= kMpi_Send_init && plain <= kMpi_Precv_init) || is_persistent_collective(call);
}

// What a request receives may come at any time until it completes, in the call that begins it at the earliest.
bool owns_values(u32 call) {
    switch (call % kMpiCalls) {
        case kMpi_Irecv:
        case kMpi_Imrecv:
        case kMpi_Recv_init:
        case kMpi_Precv_init:
        case kMpi_Isendrecv:
        case kMpi_Rget:
        case kMpi_Rget_accumulate: return true;
        default: return is_nonblocking_collective(call) || is_persistent_collective(call);
    }
}

// To look at a buffer takes time in proportion to its size. A request is looked at in the first stretches of
// the program between calls of MPI, and in fewer and fewer later ones, of which there may be millions
// (MPI_Test).
bool is_watched(u32 stretch) { return stretch <= 64 || std::has_single_bit(stretch); }

// Programs may read what they send, while it is sent. A load from guarded memory takes a microsecond or more.
constexpr u32 kMostLoads = 10'000;  // of the requests of one call and context

bool is_readable(const Piece& piece) {
    return VG_(am_is_valid_for_client)(piece.begin, piece.bytes, VKI_PROT_READ);
}
u64 sum_of(const Piece& piece) {
    return Buffers::checksum(reinterpret_cast<const void*>(piece.begin), piece.bytes);
}

// Where the program wrote, if no byte was defined before; else where the piece begins.
Address written_in(const Piece& piece) {
    Address at = piece.begin;
    if (piece.unset == piece.bytes)
        while (at < piece.begin + piece.bytes && shadow::get(at) != shadow::State::Fine) ++at;
    return at;
}

// What reports say of the buffers of `pending`.
struct Sentences {
    const char *taken, *written, *changed, *freed;
};
#define UNTIL(end) "was written to before " end, "was changed before " end, "was freed before " end
constexpr Sentences kOfRequest = {"is the buffer of a request that has not completed",
                                  UNTIL("the request completed")};
constexpr Sentences kOfWindow = {"is the buffer of a call whose window was not synchronised",
                                 UNTIL("the window was synchronised")};
constexpr Sentences kOfSplitAccess = {"is the buffer of a split access that has not ended",
                                      UNTIL("the split access ended")};
#undef UNTIL
const Sentences& sentences_of(const Pending& pending, const CallRow& row) {
    if (pending.window != 0) return kOfWindow;
    return begins_split_access(row.call) ? kOfSplitAccess : kOfRequest;
}

// One-sided operations of an epoch conflict with what happens in it.
FindingKind kind_of_use(const Pending& pending) {
    return pending.window != 0 || pending.buffers_window != 0 ? FindingKind::MpiRace
                                                              : FindingKind::MpiBufferInUse;
}

void report_in_use(u32 thread, FindingKind kind, const char* name, const char* sentence, Address at,
                   ContextId begun) {
    Finding finding;
    finding.kind = kind;
    finding.name = name;
    finding.sentence = sentence;
    finding.address = at;
    finding.begun = begun;
    if (const heap::Block* block = heap::find_near(at); block != nullptr)
        finding.place = findings::owner_in(*block, at);
    findings::report(thread, finding);
}

}  // namespace

void Checks::add_piece(u32 thread, const MpiPiece& piece) {
    InCall* in = all_.in_call(thread);
    if (in == nullptr || piece.bytes == 0) return;
    const bool is_remote = (piece.use & kMpiAtTarget) != 0;
    all_.buffers().add(is_remote ? in->at_target : in->buffers, {.begin = piece.address,
                                                                 .bytes = piece.bytes,
                                                                 .parameter = piece.parameter,
                                                                 .reads = (piece.use & kMpiReads) != 0,
                                                                 .writes = (piece.use & kMpiWrites) != 0,
                                                                 .values = (piece.use & kMpiNoValues) == 0,
                                                                 .partition = piece.partition});
}

void Checks::check_call(u32 thread, u64 started) {
    const InCall* in = all_.in_call(thread);
    if (in == nullptr) return;
    if (started == 0) check_overlaps(thread, in->call, in->buffers);
    if (only_makes_a_request(in->call)) return;
    if (started == 0) {
        check_send_buffer(thread, in->call, in->facts.peer, in->facts.sent);
        check_pieces(thread, in->call, in->buffers, nullptr);
    } else if (const Pending* own = all_.find_pending(started); own != nullptr && own->persistent) {
        if (own->active) report_request(thread, in->call, "starts a request that has not completed", *own);
        check_send_buffer(thread, all_.rows()[own->row].call, own->peer, own->sent);
        check_pieces(thread, all_.rows()[own->row].call, own->buffers, own);
    }
}

// What a call writes must be no other part of its buffers.
void Checks::check_overlaps(u32 thread, u32 call, const PieceList& list) {
    if (list.count < 2) return;
    static rt::Global<rt::Vector<Piece>> sorted;
    sorted->clear();
    all_.buffers().for_each(list, [](const Piece& piece) { sorted->push_back(piece); });
    VG_(ssort)(sorted->data(), sorted->size(), sizeof(Piece), [](const void* a, const void* b) -> Int {
        const Address left = static_cast<const Piece*>(a)->begin, right = static_cast<const Piece*>(b)->begin;
        return left < right ? -1 : left > right;
    });
    // The one that reaches farthest of all before, of those that are written, and of those that are read.
    const Piece *written = nullptr, *read = nullptr;
    for (const Piece& piece : *sorted) {
        const auto meets = [&piece](const Piece* other) {
            return other != nullptr && other->begin + other->bytes > piece.begin;
        };
        const bool overlaps = meets(written) || (piece.writes && meets(read));
        if (overlaps) {
            const Piece& other = meets(written) ? *written : *read;
            const Piece& taken = piece.writes ? piece : other;
            Finding finding;
            finding.kind = FindingKind::MpiOverlap;
            const CallParameter name(call, taken.parameter);
            finding.name = name.text();
            finding.sentence = piece.parameter == other.parameter
                                   ? "has a part that is written twice by one call"
                                   : "overlaps another buffer of the same call";
            finding.address = piece.begin;
            return findings::report(thread, finding);
        }
        const Piece*& farthest = piece.writes ? written : read;
        if (farthest == nullptr || farthest->begin + farthest->bytes < piece.begin + piece.bytes)
            farthest = &piece;
    }
}

void Checks::check_pieces(u32 thread, u32 call, const PieceList& list, const Pending* own) {
    const char* reported = nullptr;
    all_.buffers().for_each(list, [&](Piece& piece) {
        // What a partitioned message sends is the program's until it is ready.
        piece.owned = own == nullptr || own->partitions == 0 || own->receives;
        piece.summed = false;
        if (piece.owned) check_use(thread, call, piece, own, &reported);
    });
}

// One report is enough for the pieces of one parameter.
void Checks::check_use(u32 thread, u32 call, Piece& piece, const Pending* own, const char** reported) {
    // What a request receives has no values until it completes: that is no second mistake.
    const bool in_use = check_conflicts(thread, call, piece, own);
    if (piece.parameter != *reported &&
        client::tell_parameter(thread, {.name = CallParameter(call, piece.parameter).text(),
                                        .begin = piece.begin,
                                        .bytes = piece.bytes,
                                        .values = piece.reads && piece.values && !in_use}))
        *reported = piece.parameter;
    piece.kept = owns_values(call) && piece.writes && !piece.reads &&
                 client::keep_values(thread, piece.begin, piece.bytes);
    piece.summed = piece.reads && !piece.writes && is_readable(piece);
    if (piece.summed) piece.sum = sum_of(piece);
}

void Checks::ready(u32 thread, u64 request, i32 low, i32 high) {
    const Pending* own = all_.find_pending(request);
    if (own == nullptr || own->partitions == 0 || own->shared || !own->active) return;
    const CallRow& row = all_.rows()[own->row];
    const char* reported = nullptr;
    bool again = false;
    all_.buffers().for_each(own->buffers, [&](Piece& piece) {
        if (piece.partition < low || piece.partition > high) return;
        again |= piece.owned;
        if (piece.owned) return;
        piece.owned = true;
        check_use(thread, row.call, piece, own, &reported);
    });
    const InCall* in = all_.in_call(thread);
    if (!again || in == nullptr) return;
    Finding finding;
    finding.kind = FindingKind::MpiRequest;
    finding.name = name_of(in->call);
    finding.sentence = "marks a partition that is ready already";
    finding.begun = row.context;
    findings::report(thread, finding);
}

void Checks::partition_arrived(u64 request, i32 partition) {
    const Pending* own = all_.find_pending(request);
    if (own == nullptr || !own->receives || own->shared || !own->active) return;
    all_.buffers().for_each(own->buffers, [&](Piece& piece) {
        if (piece.partition != partition || !piece.owned) return;
        if (piece.kept) client::return_values(piece.begin, piece.bytes);
        shadow::define_range(piece.begin, piece.bytes);
        piece.kept = piece.owned = false;
    });
}

void Checks::found_complete(MpiAwaited request, u64 bytes) {
    const Pending* own = all_.find_awaited(request);
    if (own == nullptr || own->shared || !own->active) return;
    return_values(own->buffers);
    define(own->buffers, own->receives ? bytes : ~u64{0});
    all_.buffers().for_each(own->buffers, [](Piece& piece) { piece.owned = false; });
}

bool Checks::check_conflicts(u32 thread, u32 call, const Piece& piece, const Pending* own) {
    const Pending* owner = nullptr;
    all_.for_each_active([&](const Pending& other) {
        if (owner == nullptr && &other != own && !other.shared &&
            all_.buffers().conflict(other.buffers, piece) != nullptr)
            owner = &other;
    });
    if (owner != nullptr) {
        const CallRow& row = all_.rows()[owner->row];
        report_in_use(thread, kind_of_use(*owner), CallParameter(call, piece.parameter).text(),
                      sentences_of(*owner, row).taken, piece.begin, row.context);
    }
    return owner != nullptr;
}

void Checks::define(const PieceList& list, u64 bytes) {
    all_.buffers().for_each(list, [&](const Piece& piece) {
        if (!piece.writes || bytes == 0) return;
        const u64 part = bytes < piece.bytes ? bytes : piece.bytes;
        if (piece.owned) shadow::define_range(piece.begin, part);
        bytes -= part;
    });
}

void Checks::return_values(const PieceList& list) {
    all_.buffers().for_each(list, [](Piece& piece) {
        if (piece.kept) client::return_values(piece.begin, piece.bytes);
        piece.kept = false;
    });
}

void Checks::began_fetch(u32 thread) {
    const InCall& in = *all_.in_call(thread);
    const char* parameter = "";
    all_.buffers().for_each(in.buffers, [&](Piece& piece) {
        if (!piece.writes || piece.reads) return;
        piece.kept = client::keep_values(thread, piece.begin, piece.bytes);
        parameter = piece.parameter;
    });
    if (parameter[0] == '\0') return;
    findings::note_early_use(id_of(VG_(record_ExeContext)(thread, 0)),
                             {.kind = FindingKind::MpiRace,
                              .name = kept_text(CallParameter(in.call, parameter).text()),
                              .sentence = "was read before the window was synchronised"});
}

void Checks::began_file_read(u32 thread) {
    all_.buffers().for_each(all_.in_call(thread)->buffers, [thread](Piece& piece) {
        piece.kept = client::keep_values(thread, piece.begin, piece.bytes);
    });
}

void Checks::left() {
    all_.for_each_active([&](Pending& pending) {
        if (pending.buffers.empty() || pending.shared || pending.reported) return;
        const bool watched = is_watched(++pending.stretches);
        const bool guarded = watched && all_.rows()[pending.row].loads <= kMostLoads;
        all_.buffers().for_each(pending.buffers, [&](Piece& piece) {
            piece.unset = 0;
            if (!watched || !piece.owned ||
                (guarded && client::raise_guard(piece.begin, piece.bytes, all_.number_of(pending))))
                return;
            if (piece.writes && !piece.reads)
                piece.unset = shadow::count_uninitialised(piece.begin, piece.bytes);
        });
    });
}

void Checks::report_stored(u32 thread, Pending& pending, const Piece& piece, Address at) {
    pending.reported = true;
    const CallRow& row = all_.rows()[pending.row];
    report_in_use(thread, kind_of_use(pending), CallParameter(row.call, piece.parameter).text(),
                  sentences_of(pending, row).written, at, row.context);
}

void Checks::entering(u32 thread, bool counts) {
    client::lift_guards();
    if (!counts) return;
    all_.for_each_active([&](Pending& pending) {
        if (pending.shared) return;
        all_.buffers().for_each(pending.buffers, [&](Piece& piece) {
            if (pending.reported || piece.unset == 0 || !piece.owned ||
                shadow::count_uninitialised(piece.begin, piece.bytes) >= piece.unset ||
                shadow::find_first(piece.begin, piece.bytes, shadow::kInvalidBit) < piece.bytes)
                return;
            report_stored(thread, pending, piece, written_in(piece));
        });
    });
}

void Checks::stored(u32 thread, Address a, u32 number) {
    Pending& pending = all_.pending_at(number);
    // The library may use buffers in functions that are not followed.
    if (pending.reported || is_in_library(thread)) return;
    all_.buffers().for_each(pending.buffers, [&](const Piece& piece) {
        if (!pending.reported && piece.begin <= a && a < piece.begin + piece.bytes)
            report_stored(thread, pending, piece, a);
    });
}

client::LoadVerdict Checks::loaded(u32 thread, Address a, u32 number) {
    Pending& pending = all_.pending_at(number);
    CallRow& row = all_.row_at(pending.row);
    if (++row.loads > kMostLoads) return client::LoadVerdict::Often;
    if (pending.window == 0 && !owns_values(row.call)) return client::LoadVerdict::Fine;
    if (pending.reported || is_in_library(thread) || threads::is_helper(threads::thread_of_guest(thread)))
        return client::LoadVerdict::Fine;
    bool is_unset = false;
    all_.buffers().for_each(pending.buffers, [&](const Piece& piece) {
        if (pending.reported || !piece.writes || a < piece.begin || a >= piece.begin + piece.bytes) return;
        if (pending.window == 0) {
            is_unset = !piece.reads;
            return;
        }
        pending.reported = true;
        report_in_use(thread, kind_of_use(pending), CallParameter(row.call, piece.parameter).text(),
                      "was read before the window was synchronised", a, row.context);
    });
    if (is_unset) return client::LoadVerdict::Unset;
    return pending.reported ? client::LoadVerdict::Told : client::LoadVerdict::Fine;
}

void Checks::arrived(u32 thread, u64 bytes) {
    if (const InCall* in = all_.in_call(thread)) define(in->buffers, bytes);
}

void Checks::completed(u32 thread, const Pending& was, u64 bytes) {
    if (!was.used || !was.active) return;
    return_values(was.buffers);
    if (was.shared) return;
    define(was.buffers, was.receives ? bytes : ~u64{0});
    const CallRow& row = all_.rows()[was.row];
    bool reported = false;
    all_.buffers().for_each(was.buffers, [&](const Piece& piece) {
        if (reported || !piece.owned) return;
        const usize bad = shadow::find_first(piece.begin, piece.bytes, shadow::kInvalidBit);
        const heap::Block* block = bad < piece.bytes ? heap::find_near(piece.begin + bad) : nullptr;
        const char* sentence = nullptr;
        if (block != nullptr && block->is_freed())
            sentence = sentences_of(was, row).freed;
        else if (!was.reported && piece.summed && is_readable(piece) && sum_of(piece) != piece.sum)
            sentence = sentences_of(was, row).changed;
        if (sentence == nullptr) return;
        reported = true;
        report_in_use(thread, kind_of_use(was), CallParameter(row.call, piece.parameter).text(), sentence,
                      piece.begin, row.context);
    });
}

}  // namespace memspy::mpi
