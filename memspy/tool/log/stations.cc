// SPDX-License-Identifier: GPL-2.0-or-later
#include "log/stations.h"

#include "log/keeper.h"
#include "log/quiet_lines.h"
#include "rt/global.h"
#include "rt/vector.h"

namespace memspy::log {
namespace {

using threads::Thread;

// The log of a living thread; indexed by guest thread id.
struct Station {
    Thread thread;           // none: the id is not in use
    Chunk* chunk = nullptr;  // null if the keeper gives the memory
    u64* passed = nullptr;   // end of the records passed on; null: has not run since its logging began
    u32 call = 0;            // the number of its last system call
    // Of a sampled log with several threads: the instructions up to the last record, as counted in records;
    // and whether all accesses are wanted until the end of the slice or chunk.
    u64 counted = 0;
    bool follows = false;
};

rt::Global<rt::Vector<Station>> stations;
rt::Global<rt::Vector<Consumer>> consumers;  // but for the keeper
rt::Global<Keeper> attached_keeper;
bool has_keeper = false;
Writer writer;
bool writing = false;
bool several = false;  // the second thread has been created
bool order_wanted = false;
bool stores_watched = false;

Station& station_of(u32 guest_id) {
    if (stations->size() <= guest_id) stations->resize(guest_id + 1);
    return (*stations)[guest_id];
}

u32 living() {
    u32 count = 0;
    for (const Station& station : *stations) count += station.thread ? 1 : 0;
    return count;
}

bool is_active(const Consumer& consumer) { return several || consumer.from_start; }

// The keeper once it is in charge; else null.
const Keeper* keeper() { return several && has_keeper ? &*attached_keeper : nullptr; }

// Calls f(consumer) for all active consumers, the keeper last.
template <typename F>
void for_each_active(F f) {
    for (const Consumer& consumer : *consumers)
        if (is_active(consumer)) f(consumer);
    if (const Keeper* const keeps = keeper()) f(keeps->told);
}

void drop_chunk(Station& station) {
    if (station.chunk != nullptr) give_back(station.chunk);
    station.chunk = nullptr;
    station.passed = nullptr;
}

u64* room_of(Station& station) {
    if (const Keeper* keeps = keeper()) return keeps->room(station.thread);
    if (station.chunk == nullptr) {
        limit_chunks(~u32{0});
        station.chunk = take_chunk();
    }
    return station.chunk->begin;
}

u64 quiet_bit(const Station& station) {
    const Keeper* keeps = keeper();
    return keeps == nullptr || keeps->quiet_bit == nullptr ? QuietLines::kNobody
                                                           : keeps->quiet_bit(station.thread);
}

bool is_full(const u64* at) { return (reinterpret_cast<u64>(at) & kFullBit) != 0; }

// All records of the full chunk have been read. A chunk of the log's own is empty then.
u64* renewed_room(Station& station) {
    keeper()->renew(station.thread);
    return room_of(station);
}

// The instructions before the record at `at`, or at the end, since the record before.
u64 instructions_before(Station& station, u64* at) {
    const u64 now = WordSample::instructions_of(at[1]);
    if (now == 0) return 0;
    const u64 passed = now - station.counted;
    station.counted = now;
    return passed;
}
// Records of a sampled log get the times of any other.
void put_pauses(Station& station, u64* at, u64* end) {
    while (at != end) {
        auto& record = *reinterpret_cast<Record*>(at);
        record.time = instructions_before(station, at);
        station.counted += quick_shape(record.shape).whole.instructions;
        at += record_words(record.shape);
    }
    end[1] = instructions_before(station, end);
}

void tell(Station& station, u64* end) {
    u64* const first = station.passed;
    const Keeper* const keeps = keeper();
    for_each_active([&](const Consumer& consumer) {
        if (keeps != nullptr && &consumer == &keeps->told && is_sampled()) put_pauses(station, first, end);
        if (consumer.records != nullptr) consumer.records(station.thread, first, end);
    });
    if (!several && has_keeper && attached_keeper->alone != nullptr)
        attached_keeper->alone(station.thread, first, end);
    if (!is_kept())
        tell_in_order(station.thread, first, end);
    else
        for_each_active([&](const Consumer& consumer) {
            if (consumer.foreseen != nullptr) consumer.foreseen(station.thread, first, end);
        });
    station.passed = end;
    if (station.chunk == nullptr) return;
    set_to_zero(station.chunk->begin, end + kRecordHead);
    station.passed = station.chunk->begin;
}

void begin_for(const Consumer& consumer, const Station& station) {
    if (consumer.begin != nullptr) consumer.begin(station.thread);
}

void switch_writing(bool on) {
    if (writing == on) return;
    writing = on;
    writer.write(on);
}

// `begins`: a slice or a chunk.
WordSample sample(Station& station, bool begins) {
    const Keeper* const keeps = keeper();
    const u64 now = keeps == nullptr ? 0 : keeps->time(station.thread);
    if (keeps != nullptr && begins) station.follows = keeps->follows(station.thread);
    for (const Consumer& consumer : *consumers) {
        if (consumer.sample == nullptr) continue;
        WordSample wanted = consumer.sample(station.thread, now);
        if (station.follows) wanted.mask_now = 0;
        station.counted = WordSample::instructions_of(wanted.begin());
        return wanted;
    }
    return {};
}

// From now on all consumers get records. `child` has not run yet.
void second_thread(const Station& child) {
    const bool was_sampled = is_sampled();
    several = true;
    if (was_sampled) writer.follow_several();
    for (Station& station : *stations) {
        if (!station.thread || station.thread == child.thread) continue;
        if (keeper() != nullptr) drop_chunk(station);
        for (const Consumer& consumer : *consumers)
            if (!consumer.from_start) begin_for(consumer, station);
        if (has_keeper) begin_for(attached_keeper->told, station);
    }
    if (has_keeper || !consumers->empty()) switch_writing(true);
}

void created(Thread, Thread child, u32 guest_id) {
    Station& station = station_of(guest_id);
    station = Station{.thread = child};
    const bool helps = writer.is_helper != nullptr && writer.is_helper(child);
    if (!several && !helps && living() > 1) second_thread(station);
    for_each_active([&](const Consumer& consumer) { begin_for(consumer, station); });
}

void exited(Thread t, u32 guest_id) {
    Station& station = station_of(guest_id);
    if (writing)
        for_each_active([&](const Consumer& consumer) {
            if (consumer.thread_gone != nullptr) consumer.thread_gone(t);
        });
    // The tool's final code, after the last thread's end, has no place to write to.
    const bool last = living() == 1;
    drop_chunk(station);
    station = Station{};
    if (last) switch_writing(false);
}

void started(Thread, u32 guest_id, u64) {
    if (!writing) return;
    Station& station = station_of(guest_id);
    if (writer.set_quiet_bit != nullptr)
        writer.set_quiet_bit(guest_id, quiet_bit(station), station.passed == nullptr);
    station.passed = room_of(station);
    if (is_full(station.passed)) station.passed = renewed_room(station);
    if (is_sampled()) writer.set_sample(guest_id, sample(station, true));
    writer.set_cursor(guest_id, station.passed);
}

void stopped(Thread, u32 guest_id) {
    if (!writing) return;
    Station& station = station_of(guest_id);
    if (station.passed == nullptr) return;
    if (writer.settle != nullptr) writer.settle(guest_id);
    tell(station, writer.cursor(guest_id));
}

void before_call(Thread, u32 guest_id, u32 number, const u64*) { station_of(guest_id).call = number; }

// The accesses are written to the log like any other, as a record of one access; long ranges as several.
void call_accessed(Thread, u32 guest_id, Address begin, usize bytes, bool stores) {
    if (!writing || !writer.is_enabled()) return;
    Station& station = station_of(guest_id);
    if (station.passed == nullptr || (stores && station.call == writer.futex)) return;
    const places::Place place = writer.place(guest_id);
    constexpr usize kMost = 32 * 1024;
    while (bytes != 0) {
        const usize part = bytes < kMost ? bytes : kMost;
        Shape shape;
        shape.words = 1;
        AccessUse use{};
        use.instruction = place.instruction;
        use.bytes = static_cast<u16>(part);
        use.proof = kNoWord;
        use.loads = !stores;
        use.stores = stores;
        add_use(shape, use, writer.line_bytes);
        shape.segments.push_back(Segment{kNoWord, 0});
        u64* at = room_of(station);
        if (is_full(at)) at = renewed_room(station);
        station.passed = at;
        at[1] = at[shape.record_words() + 1] = 0;
        auto& record = *reinterpret_cast<Record*>(at);
        record.shape = number_of_shape(shape);
        record.path = place.path;
        at[kRecordHead] = begin;
        tell(station, at + shape.record_words());
        begin += part;
        bytes -= part;
    }
}

void forked(Thread t, u32 guest_id) {
    for (u32 other = 0; other < stations->size(); ++other) {
        if (other == guest_id) continue;
        drop_chunk((*stations)[other]);
        (*stations)[other] = Station{};
    }
    if (!writing) return;
    for_each_active([&](const Consumer& consumer) {
        if (consumer.forked != nullptr) consumer.forked(t);
    });
}

}  // namespace

void attach(const Consumer& consumer) { consumers->push_back(consumer); }
void attach(const Keeper& keeper) {
    CHECK(!has_keeper);
    *attached_keeper = keeper;
    has_keeper = true;
}

void request_replay_order() { order_wanted = true; }
bool is_replay_order_wanted() { return order_wanted; }
bool is_quiet_passed() {
    if (consumers->empty() && !has_keeper) return false;
    for (const Consumer& consumer : *consumers)
        if (!consumer.passes_quiet) return false;
    return !has_keeper || attached_keeper->told.passes_quiet;
}
namespace {

// Whether the log is a sample, of one thread or of several.
bool is_sample_enough(bool threads) {
    if (has_keeper && (threads ? !attached_keeper->only_orders : attached_keeper->alone != nullptr))
        return false;
    u32 content = 0;
    for (const Consumer& consumer : *consumers) {
        if (!threads && !consumer.from_start) continue;
        if (consumer.sample == nullptr) return false;
        ++content;
    }
    return content == 1;
}

}  // namespace

bool is_sampled() { return is_sample_enough(several); }
bool is_sampled_by_threads() { return is_sample_enough(true); }
bool is_kept() { return keeper() != nullptr; }

void settle() {
    if (const Keeper* keeps = keeper()) keeps->settle();
}

u64 times_forced() {
    const Keeper* keeps = keeper();
    return keeps == nullptr ? 0 : keeps->forced();
}

u64 order_slack() {
    u64 least = ~u64{0};
    for_each_active([&](const Consumer& consumer) {
        if (consumer.ordered == nullptr) return;
        const u64 slack = consumer.slack == nullptr ? 0 : consumer.slack();
        if (slack < least) least = slack;
    });
    return least;
}

void tell_in_order(Thread t, const u64* first, const u64* end) {
    for_each_active([&](const Consumer& consumer) {
        if (consumer.ordered != nullptr) consumer.ordered(t, first, end);
    });
}

void start(const Writer& chosen) {
    writer = chosen;
    for (const Consumer& consumer : *consumers)
        if (consumer.from_start) switch_writing(true);
}

bool is_writing() { return writing; }
void follow_one_thread() {
    if (!several && !has_keeper) second_thread({});
}

threads::ThreadListener thread_events() {
    return {.created = created,
            .exited = exited,
            .started = started,
            .stopped = stopped,
            .before_call = before_call,
            .call_accessed = call_accessed,
            .forked = forked};
}

NextRoom chunk_full(u32 guest_id, u64* end) {
    Station& station = station_of(guest_id);
    tell(station, end);
    // A sampled log is also read before that.
    const bool full = is_full(end);
    const Keeper* keeps = keeper();
    const bool yield = full && keeps != nullptr && keeps->renew(station.thread);
    station.passed = room_of(station);
    const u64 bit = full ? quiet_bit(station) : QuietLines::kNobody;
    return {station.passed, yield, bit, is_sampled() ? sample(station, full) : WordSample{}};
}

void written(u32 guest_id, const Record& record, u64 bit) {
    const Keeper* const keeps = keeper();
    if (keeps != nullptr && keeps->written != nullptr)
        keeps->written(station_of(guest_id).thread, record, bit);
}

void watch_stores(bool on) { stores_watched = on; }
bool are_stores_watched() { return stores_watched; }
u32 stored(u32 guest_id, const Record& record) {
    const Keeper* const keeps = keeper();
    if (keeps == nullptr || keeps->stored == nullptr) return ~u32{0};
    return keeps->stored(station_of(guest_id).thread, record);
}

}  // namespace memspy::log
