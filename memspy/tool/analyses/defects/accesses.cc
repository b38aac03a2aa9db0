// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/accesses.h"

#include "analyses/defects/place.h"
#include "analyses/defects/quiet_ranges.h"
#include "analyses/defects/stack_memory.h"
#include "analyses/defects/value_options.h"
#include "analyses/defects/whole_calls.h"
#include "client/guards.h"
#include "instrument/core/policy.h"
#include "instrument/core/unchecked.h"
#include "instrument/stack/stack_window.h"
#include "options.h"
#include "places/origins.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/prefix.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

using findings::Finding;
using findings::FindingKind;
using instrument::memory_slot;
using shadow::State;

constexpr u64 kInvalidBits = 0xAAAA'AAAA'AAAA'AAAAu;
constexpr u64 kVectorBytes = 16;

// Code whose vector loads may reach beyond the end of a block.
enum class LoadCode : u8 {
    Other,
    // The C library and the dynamic linker: their string functions load whole vectors and use only the bytes
    // up to the terminator. Identified by the module, not by a function's name, which a user's function may
    // have, too.
    String,
    // Code made by the program while it runs, so without a name: PCRE's compiled patterns search for their
    // first character like a string function.
    Made,
};

LoadCode load_code(Address instruction) {
    static rt::Global<rt::HashMap<LoadCode>> known;
    if (const LoadCode* answer = known->find(instruction)) return *answer;
    LoadCode answer = LoadCode::Made;
    const HChar* name = nullptr;
    if (VG_(get_objname)(VG_(current_DiEpoch)(), instruction, &name)) {
        const HChar* file = VG_(strrchr)(name, '/');
        file = file == nullptr ? name : file + 1;
        constexpr const HChar* kLibraries[] = {"libc.so", "libc-", "ld-linux", "ld-2."};
        answer = rt::starts_with_one_of(file, kLibraries) ? LoadCode::String : LoadCode::Other;
    }
    (*known)[instruction] = answer;
    return answer;
}

// Code made at run time lies in a mapping with similar code; no smaller unit is known. Returns true the first
// time for each mapping.
bool is_first_in_mapping(Address instruction) {
    static rt::Global<rt::HashMap<bool>> met;
    const NSegment* segment = VG_(am_find_nsegment)(instruction);
    bool& known = (*met)[segment == nullptr ? instruction : segment->start];
    const bool first = !known;
    known = true;
    return first;
}

// Whether a vector load with some good bytes is not a defect of the program. The load must not be able to
// fault: bytes of one cache line are in one page.
bool is_forgiven_overhang(Address a, u64 bytes, u64 states) {
    constexpr u64 kLine = 64;
    const Address instruction = VG_(get_IP)(VG_(get_running_tid)());
    switch (load_code(instruction)) {
        case LoadCode::Other: return false;
        case LoadCode::String: return true;
        case LoadCode::Made:
            return (states & kInvalidBits & 3) == 0 && a % kLine + bytes <= kLine &&
                   !is_first_in_mapping(instruction);
    }
    return false;
}

void report_access(FindingKind kind, Address a, u64 bytes, Address bad) {
    if (is_quiet(a)) return;
    Finding finding;
    finding.kind = kind;
    if (is_replacement(VG_(get_IP)(VG_(get_running_tid)()))) {
        finding.whole_call = true;
        const CallRange range = range_of_call(a, bytes, kind == FindingKind::InvalidWrite);
        const Address end = range.bytes == 0 ? a + bytes : range.begin + range.bytes;
        if (range.bytes != 0) {
            settle_stack(range.begin, range.bytes);
            bad = range.begin + shadow::find_first(range.begin, range.bytes, shadow::kInvalidBit);
        }
        // Where the function reads and writes words, C's own definition begins at this byte.
        a = bad;
        bytes = end - bad;
    }
    finding.address = a;
    finding.size = bytes;
    finding.place = place_of(a, bad);
    findings::report(VG_(get_running_tid)(), finding);
}

// Gives the accessed bytes a shadow that generated code can read. Returns whether they had none. A block that
// is filled from one end meets one shared leaf after the other, each by a trip. So the number of leaves made
// in advance doubles as long as this goes on, up to kMaxAhead bytes of client memory.
bool prepare_shadow(Address a, u64 bytes) {
    constexpr usize kMaxAhead = usize{16} << 20;
    constexpr usize kLeafSpan = usize{1} << shadow::kLeafBits;
    static Address expected = 0;
    static usize ahead = 0;  // less than a leaf counts as none: ahead starts after two hits in a row
    if (!shadow::materialise(a, bytes)) return shadow::reveal_beyond(a);
    const heap::Block* block = heap::find_near(a);
    if (block == nullptr || !block->contains(a)) return true;
    Address next = ((a + bytes - 1) | (kLeafSpan - 1)) + 1;
    if (a - expected >= kLeafSpan)
        ahead = kLeafSpan / 2;
    else if (ahead < kMaxAhead)
        ahead *= 2;
    usize rest = block->payload + block->size > next ? block->payload + block->size - next : 0;
    usize run = ahead < kLeafSpan ? 0 : (ahead < rest ? ahead : rest);
    if (run != 0) shadow::materialise(next, run);
    expected = next + run;
    return true;
}

bool prepare(Address a) {
    constexpr u64 kWidestCheck = 32;
    return prepare_shadow(a, kWidestCheck);
}

// The states of the access, without those that are invalid only because of an earlier stack pointer.
u64 states_of(Address a, u64 bytes) {
    u64 states = shadow::get_bits(a, static_cast<unsigned>(bytes));
    if ((states & kInvalidBits) != 0 && instrument::policy().follow_stack) {
        settle_stack(a, bytes);
        states = shadow::get_bits(a, static_cast<unsigned>(bytes));
    }
    return states;
}

u64 first_invalid(u64 states) { return static_cast<u64>(__builtin_ctzll(states & kInvalidBits)) / 2; }

u8* slot_bytes() { return reinterpret_cast<u8*>(memory_slot.undefined); }

// Up to eight bytes of the slot from its byte `at`; what is behind `count` is not theirs.
u64 slot_bits(u64 at, u64 count) {
    const u64 shift = 8 * (at % 8);
    u64 bits = memory_slot.undefined[at / 8] >> shift;
    if (shift + 8 * count > 64) bits |= memory_slot.undefined[at / 8 + 1] << (64 - shift);
    return bits;
}
// Adds undefined bits from the slot's byte `at` on.
void add_to_slot(u64 at, u64 bits) {
    const u64 shift = 8 * (at % 8);
    memory_slot.undefined[at / 8] |= bits << shift;
    if (shift != 0 && bits >> (64 - shift) != 0) memory_slot.undefined[at / 8 + 1] |= bits >> (64 - shift);
}

// A part of an access, in one group of the side table.
struct GroupPart {
    Address begin;  // its first byte
    u64 at;         // that byte's number in the access
    u64 count;
    unsigned shift;  // of the first byte in the group, in bits
    u64 mask() const { return shadow::first_bytes(count); }
};
template <typename F>
void for_each_group(Address a, u64 bytes, F&& f) {
    for (u64 at = 0; at < bytes;) {
        const u64 in_group = (a + at) & 7;
        const u64 count = bytes - at < 8 - in_group ? bytes - at : 8 - in_group;
        f(GroupPart{a + at, at, count, static_cast<unsigned>(8 * in_group)});
        at += count;
    }
}

// The origins of the undefined bytes of one load; each is added, from low to high addresses.
class LoadOrigin {
public:
    // `undefined`: bits of the bytes from `a` on, which are in one group.
    void add(Address a, u64 undefined, const shadow::SideEntry* entry) {
        while (undefined != 0) {
            const u64 byte = static_cast<u64>(__builtin_ctzll(undefined)) / 8;
            undefined &= ~(u64{0xff} << 8 * byte);
            const Address at = a + byte;
            const ContextId stored = entry == nullptr ? ContextId::None : entry->origin(at);
            if (first_ == 0) {
                first_ = at;
                stored_ = stored;
            }
            several_ = several_ || stored != stored_;
            last_ = at;
        }
    }
    ContextId get() const {
        if (first_ == 0) return ContextId::None;
        const ContextId origin =
            stored_ == ContextId::None ? memory_origin(first_, last_ - first_ + 1) : stored_;
        return several_ ? places::without_variable(origin) : origin;
    }

private:
    Address first_ = 0, last_ = 0;
    ContextId stored_{};
    bool several_ = false;
};

bool load(Address a, u64 bytes) {
    u64 states = shadow::get_bits(a, static_cast<unsigned>(bytes));
    const bool guarded = (states & kInvalidBits) != 0 && client::guards_stand();
    if (guarded) states = client::states_behind_guards(a, static_cast<unsigned>(bytes), states);
    if ((states & kInvalidBits) != 0) states = states_of(a, bytes);
    prepare_shadow(a, bytes);
    if (states == 0) return guarded;
    bool forgiven = false;
    if (states & kInvalidBits) {
        bool all_invalid =
            (~states & kInvalidBits & (bytes >= 32 ? ~u64{0} : (u64{1} << (2 * bytes)) - 1)) == 0;
        forgiven = !all_invalid && bytes >= kVectorBytes && options().partial_loads_ok &&
                   is_forgiven_overhang(a, bytes, states);
        if (!forgiven) report_access(FindingKind::InvalidRead, a, bytes, a + first_invalid(states));
    }
    if (!instrument::policy().undefined) return true;
    LoadOrigin origin;
    for_each_group(a, bytes, [&](const GroupPart& part) {
        const u64 part_states = states >> (2 * part.at);
        u64 undefined = shadow::bytes_with(part_states, State::Uninitialised) & part.mask();
        if (undefined != 0) {
            const shadow::SideEntry* entry = shadow::side_find(part.begin);
            if (entry != nullptr) undefined &= entry->bits() >> part.shift;
            origin.add(part.begin, undefined, entry);
        }
        if (forgiven) undefined |= part.mask() & shadow::invalid_bytes(part_states);
        add_to_slot(part.at, undefined);
    });
    memory_slot.origin = origin.get();
    return true;
}

// Sets the bytes' states and exact bits from the slot; invalid bytes keep theirs.
bool record(Address a, u64 bytes, u64 states) {
    bool poison = false;
    u64 after = states & kInvalidBits;
    after |= states & after >> 1;
    for_each_group(a, bytes, [&](const GroupPart& part) {
        const u64 valid = part.mask() & ~shadow::invalid_bytes(states >> (2 * part.at));
        const u64 bits = slot_bits(part.at, part.count) & valid;
        if (bits == 0) return;
        poison = true;
        const u64 undefined = shadow::nonzero_bytes(bits);
        shadow::SideEntry& entry = shadow::side_make(part.begin);
        entry.store_bytes(undefined << part.shift, bits << part.shift, memory_slot.origin);
        if (instrument::policy().follow_stack)
            instrument::note_poison(VG_(get_running_tid)(), part.begin, entry);
        after |= shadow::uninitialised_states(undefined) << (2 * part.at);
    });
    if (after != states) shadow::set_bits(a, static_cast<unsigned>(bytes), after);
    if (poison) note_state_outside_heap(a);
    return poison;
}

bool store(Address a, u64 bytes) {
    client::meet_guards(VG_(get_running_tid)(), a, bytes);
    u64 states = states_of(a, bytes);
    prepare_shadow(a, bytes);
    bool invalid = (states & kInvalidBits) != 0;
    if (invalid) report_access(FindingKind::InvalidWrite, a, bytes, a + first_invalid(states));
    if (!instrument::policy().undefined) return invalid;
    return record(a, bytes, states) || invalid;
}

bool update(Address a, u64 bytes) {
    if (!instrument::policy().undefined) return true;
    record(a, bytes, shadow::get_bits(a, static_cast<unsigned>(bytes)));
    return true;  // fast translations cannot make bytes fine by an atomic store
}

bool load_range(Address a, u64 bytes) {
    client::lift_guards(a, bytes);
    settle_stack(a, bytes);
    usize invalid = shadow::find_first(a, bytes, shadow::kInvalidBit);
    if (invalid < bytes) report_access(FindingKind::InvalidRead, a, bytes, a + invalid);
    if (!instrument::policy().undefined) return true;
    memory_slot.undefined[0] = 0;
    for (usize i = 0; i < bytes; ++i) {
        if (shadow::get(a + i) != State::Uninitialised || undefined_bits(a + i) == 0) continue;
        memory_slot.undefined[0] = ~u64{0};
        memory_slot.origin = origin_of(a + i);
        break;
    }
    return true;
}

bool store_range(Address a, u64 bytes) {
    client::meet_guards(VG_(get_running_tid)(), a, bytes);
    settle_stack(a, bytes);
    usize invalid = shadow::find_first(a, bytes, shadow::kInvalidBit);
    if (invalid < bytes) report_access(FindingKind::InvalidWrite, a, bytes, a + invalid);
    if (!instrument::policy().undefined) return true;
    u64 any = memory_slot.undefined[0];
    for (u64& word : memory_slot.undefined) word = any;
    for (u64 done = 0; done < bytes; done += 32) {
        u64 piece = bytes - done < 32 ? bytes - done : 32;
        record(a + done, piece, shadow::get_bits(a + done, static_cast<unsigned>(piece)));
    }
    return true;
}

void use(FindingKind kind, u64 bytes, ContextId origin) {
    Finding finding;
    finding.kind = kind;
    finding.size = bytes;
    finding.origin = origin;
    finding.whole_call = is_replacement(VG_(get_IP)(VG_(get_running_tid)()));
    findings::report(VG_(get_running_tid)(), finding);
}
void use_condition(ContextId origin) { use(FindingKind::UninitCondition, 0, origin); }
void use_value(u64 bytes, ContextId origin) { use(FindingKind::UninitValue, bytes, origin); }

}  // namespace

instrument::TrackingHooks tracking_hooks() {
    return {.prepare = prepare,
            .load = load,
            .store = store,
            .update = update,
            .load_range = load_range,
            .store_range = store_range,
            .use_condition = use_condition,
            .use_value = use_value,
            .switch_stack = note_stack};
}

usize first_unaddressable(Address begin, usize bytes) {
    const usize invalid = shadow::find_first(begin, bytes, shadow::kInvalidBit);
    for (usize done = 0; done < invalid;) {
        const NSegment* segment = VG_(am_find_nsegment)(begin + done);
        const bool is_mapped = segment != nullptr && (segment->kind == SkAnonC || segment->kind == SkFileC ||
                                                      segment->kind == SkShmC);
        if (!is_mapped) return done;
        done = segment->end - begin + 1;
    }
    return invalid;
}

usize first_undefined(Address begin, usize bytes) {
    usize at = 0;
    while ((at += shadow::find_first(begin + at, bytes - at, 1)) < bytes &&
           shadow::get(begin + at) != State::Uninitialised)
        ++at;
    return at;
}

u8 undefined_bits(Address a) {
    if (shadow::get(a) == shadow::State::Fine) return 0;
    if (shadow::side_empty()) return 0xFF;
    const shadow::SideEntry* entry = shadow::side_find(a);
    return entry == nullptr ? u8{0xFF} : entry->undefined[a & 7];
}

void set_undefined_bits(Address a, const u8* bits, usize bytes) {
    constexpr usize kPiece = sizeof memory_slot.undefined;
    const shadow::SideEntry* before = shadow::side_empty() ? nullptr : shadow::side_find(a);
    memory_slot.origin = before == nullptr ? ContextId::None : before->origin(a);
    for (usize done = 0; done < bytes; done += kPiece) {
        const usize piece = bytes - done < kPiece ? bytes - done : kPiece;
        VG_(memcpy)(slot_bytes(), bits + done, piece);
        record(a + done, piece, shadow::get_bits(a + done, static_cast<unsigned>(piece)));
    }
}

void note_state_outside_heap(Address a) {
    instrument::Policy& policy = instrument::policy();
    if ((policy.check_stack && policy.check_static) || heap::is_heap_memory(a)) return;
    ThreadId thread = VG_(get_running_tid)();
    // Checks the stack of the running thread. Another thread's stack looks like any mapped memory, so both
    // kinds are checked then.
    Addr top = thread == VG_INVALID_THREADID ? 0 : VG_(thread_get_stack_max)(thread);
    bool on_stack =
        thread != VG_INVALID_THREADID && a <= top && a >= VG_(get_SP)(thread) - VG_STACK_REDZONE_SZB;
    bool stack = policy.check_stack || on_stack;
    bool constant = policy.check_static;
    if (!on_stack) {
        // A constant address lies in or beside a mapped object; a thread's stack lies in mapped memory.
        stack = true;
        constant = true;
    }
    if (stack == policy.check_stack && constant == policy.check_static) return;
    policy.check_stack = stack;
    policy.check_static = constant;
    instrument::request_flush();
}

void note_stack(Address stack_pointer) {
    instrument::Policy& policy = instrument::policy();
    if (policy.check_stack || !policy.undefined || !heap::is_heap_memory(stack_pointer - 1)) return;
    policy.check_stack = true;
    instrument::request_flush();
}

}  // namespace memspy::defects
