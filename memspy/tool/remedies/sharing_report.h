// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tally's data on sharing, ordered for people: the objects whose lines go back and forth between threads,
// the findings among them, and the advice on each.
//
// *Contended* events are those that repeat: coherence misses and invalidations. A thread's first touch of a
// line is counted in all figures. But a thread has to fetch data once, so first touches neither make a
// finding nor give a rank.
//
// Threads that work together exchange data, which is not a defect. So a finding needs events that *harm*:
//   1. An invalidation without a later miss never repeats (workers write data that main has set), so
//      invalidations count only up to the number of coherence misses. Nor does a miss repeat on data left by
//      a thread that has had the line only once (thousands of threads, one after another, each work on the
//      data of the one before).
//   2. All false sharing harms, whatever the number of lines.
//   3. True sharing harms only on *hot* lines, which have a tenth of the floor each: a counter, a lock, the
//      head of a queue. Buffers that are handed over have few events on each line.
//   4. Accesses by the C library and OpenMP's libraries to their own words (barriers, pools, stdio's locks,
//      the creation of threads) do not count, nor do accesses at a pthread barrier, where threads are meant
//      to meet. Their other accesses to the program's words (a mutex) are true sharing even where the bytes
//      differ, because no layout of a mutex helps; unless nearly all of it is false sharing: then several
//      locks lie in one line.
// The number of these events must reach the floor, and a share of the accesses. (The share is over-estimated
// for a line that was one thread's own for long, because its accesses were not counted then.) There must also
// be enough to be felt: half a floor for each million instructions of all threads, where true sharing counts
// a quarter. (Or false sharing makes the run longer by a twentieth in virtual time.) Without this last
// condition, any program would reach the floor by running for long. In units of the threshold pigz, xz, pipelines,
// stencils and python3 with threads have 0.01 to 0.25; an atomic counter that four threads use every 200
// instructions 5, without a pause 160; four counters in a line, changed every 500 instructions, 8; an array
// dealt out element by element 80.
//
// Objects are put together in *groups*: objects that hinder each other by lying in one line are one finding.
// An object that shares lines with no other makes a group of its own. Every rank is by the larger of the
// modelled and the observed figure. No Valgrind here.
#pragma once

#include "advice/sentence.h"
#include "dwarf/types.h"
#include "findings/findings.h"
#include "order/recorder.h"
#include "places/names.h"
#include "places/objects.h"
#include "rt/hash_map.h"
#include "rt/text.h"
#include "rt/vector.h"
#include "sharing/tally.h"
#include "sharing/under_locks.h"

namespace memspy::remedies {

using namespace sharing;

using places::add_object_name;
using places::Extent;
using places::is_variable;
using places::Object;
using places::object;
using places::object_before;

struct ReportSettings {
    u32 line_bytes = 64;
    bool sharing = true;     // false: true and false sharing are not distinguished
    u64 threshold = 10'000;  // contended events for each million accesses that make a finding
    u64 floor = 1'000;       // their least number; see above
    u32 detailed = 64;       // groups with lines, rows, pairs, names and advice; no more are reported
    order::VirtualEnd end{};
    u32 (*suspect_of)(ObjectId) = nullptr;  // null: no group has a gain
    UnderLocks* under_locks = nullptr;      // null: nothing is known of locks
    const replay::Waits* waits = nullptr;
    const u64* (*turns_of_lock)(Address) = nullptr;  // see WhatIf::turns_of
    // Texts: where an access is made; of an object where it is declared or allocated, and its fields
    // (places/variables.h).
    void (*describe_place)(rt::Text&, const Place&) = nullptr;
    dwarf::Language (*language_of)(Address code) = nullptr;
    bool (*add_owner)(rt::Text&,
                      ContextId allocated) = nullptr;  // the variable that a block is allocated for
    void (*add_origin)(rt::Text&, ObjectId, Address code, u64 offset) = nullptr;
    bool (*name_element)(places::ElementName&, ObjectId, Address code, u64 offset, u64 bytes) = nullptr;
    bool (*find_elements)(places::ArrayElements&, ObjectId, Address code, u64 offset, u64 other) = nullptr;
    bool (*add_fields)(rt::Text&, ObjectId, Address code, u64 offset, u64 bytes) = nullptr;
    Place (*own_place)(const Place&) = nullptr;  // the place in the program that called a library
    bool (*is_bit_code)(Address) = nullptr;
};

inline u64 contended(const CoherenceCounts& counts) { return counts.coherence_misses + counts.invalidations; }
// The events that are part of a line's going back and forth.
inline u64 repeated(const CoherenceCounts& counts) {
    const u64 misses = counts.coherence_misses - counts.handed_over, invalidations = counts.invalidations;
    return misses + (misses < invalidations ? misses : invalidations);
}

// count * part / whole, for counts of any size.
inline u64 scaled(u64 count, u64 part, u64 whole) {
    return count / whole * part + count % whole * part / whole;
}

// The figure of the view that has more.
inline u64 peak_of(const u64* views) { return views[0] > views[1] ? views[0] : views[1]; }
inline u64 peak_of(const CoherenceCounts* views) {
    const u64 events[] = {contended(views[0]), contended(views[1])};
    return peak_of(events);
}

struct SharingFigures {
    AccessCounts accesses{};  // to shared lines
    // Events of accesses that were not counted, because a line was only handed over from the program's first
    // thread to another. If there are many, `accesses` means nothing.
    u64 uncounted = 0;
    CoherenceCounts counts[kViews] = {};

    const CoherenceCounts& in(View view) const { return counts[static_cast<u32>(view)]; }
    // An order that really happened is worse than that of the model: reports mark that, were it by one event.
    bool observed_more() const { return contended(in(View::Observed)) > contended(in(View::Modelled)); }
    // What reports tell first, and rank by: the observed view if it has more contended events by more than a
    // twentieth, otherwise the modelled one. The order in which threads happen to run moves single events, and
    // neither words nor ranks must depend on these.
    View leading() const {
        const u64 modelled = contended(in(View::Modelled));
        return contended(in(View::Observed)) > modelled + modelled / 20 ? View::Observed : View::Modelled;
    }
    u64 peak() const { return contended(in(leading())); }
    void add(const SharingFigures& other);
};
// Otherwise its lines went from thread to thread once, as what main sets and workers use does.
inline bool goes_back_and_forth(const SharingFigures& figures) {
    return repeated(figures.in(View::Observed)) + repeated(figures.in(View::Modelled)) != 0;
}

// A range of indices into one of the report's vectors.
struct Slice {
    u32 begin = 0, end = 0;
    u32 size() const { return end - begin; }
};

struct ReportRange {
    u32 thread = 0;            // serial
    u16 first = 0, bytes = 0;  // in the line
    AccessCounts accesses;
    bool stored_first = false;  // these three: see RangeRow
    AccessCounts sums{};
    bool sums_told = false;
    ObjectId object{};
    u32 group = 0;      // of the object
    Address start = 0;  // of the block or symbol
    u64 offset = 0;     // of the first byte in it
};

struct ReportLine {
    u64 line = 0;        // address / line size
    u64 stands_for = 1;  // lines of its group with about as many events
    SharingFigures figures;
    Slice ranges;  // of lines that belong to groups; by first byte, then thread
};

struct ReportObject {
    ObjectId id{};
    u32 group = 0;
    SharingFigures figures{};
    u64 hindered = 0;   // false sharing with the program's own code, in its group's leading view
    ObjectId beside{};  // of another group: what hinders it most
    u32 lines = 0;      // contended ones
    // The lowest byte that threads touch in its most contended line; 0 if no line is known.
    Address address = 0;
    Address start = 0;  // of the block or symbol that it is in
};

// See lock_array.h.
struct LockArray {
    ObjectId object{};
    u64 offset = 0;  // of a lock in the block or variable
    u64 stride = 0;  // bytes from lock to lock; 0: there is no such array
    // About how many events of the group, in its leading view, go if each element has lines of its own.
    u64 removable = 0;
    bool any() const { return stride != 0; }
};

// What protects nearly all that threads do with a group's objects.
struct GroupGuard {
    bool any = false, one = false;  // one: not several locks, each for some of the objects or elements
    GuardLock lock{};
};

struct ReportGroup {
    Slice objects;  // by peak
    Slice lines;    // by peak: the worst, and some that stand for the others
    Slice rows;     // the most contended ones
    Slice pairs;
    u32 all_lines = 0;
    SharingFigures figures;  // of the objects
    SharingFigures contended_lines;
    findings::FindingKind kind = findings::FindingKind::Contention;
    bool finding = false;
    // Events that harm, in the leading view.
    u64 harm_false = 0, harm_true = 0;
    LockArray lock_array;  // its locks can be parted
    GroupGuard guard;
    bool synchronises = false;  // most contention is by libraries that work on locks, barriers... that cannot
    // The two rows that a finding shows: the leading place, and the place that it collides with; ~0 if there
    // is none.
    u32 sides[2] = {~u32{0}, ~u32{0}};
    u64 removable = 0;  // events (leading view) that following the advice removes
    // The run's end in virtual time with the advised change, or, if none is known to help, without the false
    // sharing of its objects; 0: not computed. And without any event of them.
    lines::Time end_without = 0, end_without_any = 0;
    bool has_gain = false;  // its advice has one, though it is no false sharing
    u64 varies = 0;         // thousandths, see replay/event_parts.h; 0 below a twentieth
    // What is told of it; see advice.h. `items` of the report that name its objects; if it is `hindered`, the
    // next one is what lies beside them.
    Slice named;
    bool more_named = false, hindered = false;
    advice::Encounter meeting{};
    Slice remedies;
    const char* title = "";   // the objects' names
    const char* advice = "";  // `remedies` as a sentence
};

// Small blocks that one thread allocated in one place and that different threads have to themselves: memspy's heap
// parts them, where the program's allocator would put neighbours in one line.
struct PartedBlocks {
    ContextId allocated{};
    u32 first_owner = 0;  // serial
    u64 others = 0;       // blocks that other threads than the first owner have to themselves
};

// False sharing that another layout would bring.
struct LatentFinding {
    u32 line_bytes = 64;
    u32 moved = 0;
    u32 first_member = 0, members = 0;  // objects, most events first
    u64 events = 0, accesses = 0;       // estimates for the whole run
};

// What threads waited for, at one place; see awaited.h.
struct Awaited {
    replay::WaitKind kind{};
    ObjectId object{};
    u64 offset = 0;          // of the first word
    Place place, own_place;  // where they waited longest, and the place in the program that called it
    const char* name = "";   // "queue.filled of main": the variable or member, if known
    replay::WaitFigures figures;
};
bool is_of_one_name(const Awaited& a, const Awaited& b);

// When a thread waited; `row`: index in the report's `waits`.
struct ThreadWait {
    u32 thread = 0;
    replay::WaitSpan span;
};

// The whole report. Strings belong to it or to the objects.
struct SharingReport {
    SharingReport() = default;
    SharingReport(const SharingReport&) = delete;
    SharingReport& operator=(const SharingReport&) = delete;
    ~SharingReport();

    ReportSettings settings;
    CoherenceCounts totals[kViews];
    AccessCounts accesses;
    u32 findings = 0;        // the findings are the first of the groups
    u64 lines_left_out = 0;  // contended lines beyond the limit, which were not looked at
    PartedBlocks parted;     // of the place with the most
    u32 parted_places = 0;

    rt::Vector<ReportGroup> groups;    // findings first, then by peak
    rt::Vector<ReportObject> objects;  // in the order of groups
    rt::Vector<ReportLine> lines;
    rt::Vector<ReportRange> ranges;
    rt::Vector<Stay> stays;
    rt::Vector<SharingRow> rows;
    rt::Vector<PairRow> pairs;
    rt::Vector<ThreadRow> threads;  // ascending serials
    rt::Vector<advice::Advice> remedies;
    rt::Vector<advice::AdviceItem> items;  // of these, and names of groups
    rt::Vector<Awaited> waits;
    rt::Vector<replay::WaitPart> wait_parts;  // `row`: index in `waits`
    rt::Vector<ThreadWait> thread_waits;      // ascending by thread, then by time
    lines::Time waited = 0;                   // by all threads, what is left out with it
    rt::Vector<LatentFinding> latent;
    rt::Vector<ObjectId> latent_members;
    u32 thread_count = 0;  // with those of which there is only a sum

    rt::HashMap<u32> object_numbers;  // ObjectId -> index in `objects` + 1
    // The group of an object, once groups are ordered; ~0 if the report does not have the object.
    u32 group_of(ObjectId id);

    const char* keep(rt::Text& text);

private:
    rt::Vector<char*> strings_;
};

// The counts of the leading view that tell true from false sharing. They are the objects' own, unless many of
// those are first touches, which are not what the group is about: then they are those of its contended lines.
const CoherenceCounts& kinds_counted(const ReportGroup& group);

// Whether a change by which the run ends at `without` instead of at `full` is worth telling: at least a hundredth.
inline bool is_gain(lines::Time full, lines::Time without) { return full - without >= full / 100; }
// "1.8 x on these 4 threads": what the group's false sharing costs. False if that is no gain.
bool add_gain(rt::Text& text, const SharingReport& report, const ReportGroup& group);

}  // namespace memspy::remedies
