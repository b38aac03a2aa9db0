// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/spins/loop_run.h"

#include <algorithm>

#include "instrument/core/known_bits.h"

namespace memspy::instrument {

namespace {

#if defined(VGA_amd64)
constexpr Int kStack = offsetof(VexGuestAMD64State, guest_RSP),
              kNumber = offsetof(VexGuestAMD64State, guest_RAX), kResult = kNumber,
              kFirst = offsetof(VexGuestAMD64State, guest_RDI),
              kSecond = offsetof(VexGuestAMD64State, guest_RSI);
#else
constexpr Int kStack = offsetof(VexGuestARM64State, guest_XSP),
              kNumber = offsetof(VexGuestARM64State, guest_X8),
              kResult = offsetof(VexGuestARM64State, guest_X0), kFirst = kResult,
              kSecond = offsetof(VexGuestARM64State, guest_X1);
#endif

// Of an updated word, in which a mutex has its other fields.
constexpr Address kLockBytes = 64;

}  // namespace

LoopRun::LoopRun(u32 guest_id, Address stack_end) : guest_id_(guest_id), stack_end_(stack_end) {
    UChar state[kWords * kWord] = {};
    VG_(get_shadow_regs_area)(guest_id, state, 0, 0, sizeof(VexGuestArchState));
    for (u32 i = 0; i < kWords; ++i) {
        Register& r = registers_[i];
        r = Register{.known = true, .varies = false, .words = 0, .bits = 0, .before = 0};
        VG_(memcpy)(&r.bits, state + i * kWord, kWord);
        r.before = r.bits;
    }
    constexpr Address kBelow = 4096;  // frames of functions called in the loop
    stack_begin_ = VG_(get_SP)(guest_id) - kBelow;
}

LoopRun::LoopRun(const LoopRun& other)
    : guest_id_(other.guest_id_),
      stack_begin_(other.stack_begin_),
      stack_end_(other.stack_end_),
      updated_(other.updated_),
      compared_(other.compared_) {
    for (u32 i = 0; i < kWords; ++i) registers_[i] = other.registers_[i];
    auto& theirs = const_cast<rt::HashMap<MemoryCell>&>(other.stored_);
    theirs.for_each([&](u64 key, const MemoryCell& cell) { stored_[key] = cell; });
    for (const Address word : other.words_) words_.push_back(word);
}

LoopValue LoopRun::value(const LoopAtom& atom) const {
    if (atom.is_temp) return temps_[atom.bits];
    return {.known = atom.known, .bits = atom.bits};
}

LoopValue LoopRun::get(i32 offset, u32 bytes) const {
    const auto at = static_cast<u32>(offset);
    const Register& r = registers_[at / kWord];
    if (at % kWord + bytes > kWord) return {};
    return {r.known, r.varies, r.words, low_bits(r.bits >> (8 * (at % kWord)), bytes)};
}

void LoopRun::put(i32 offset, u32 bytes, const LoopValue& value) {
    const auto at = static_cast<u32>(offset);
    if (at % kWord + bytes > kWord || bytes == kWord) {
        for (u32 i = at / kWord; i <= (at + bytes - 1) / kWord && i < kWords; ++i) {
            registers_[i].known = value.known && bytes == kWord;
            registers_[i].varies = value.varies;
            registers_[i].words = value.words;
            registers_[i].bits = value.bits;
        }
        return;
    }
    Register& r = registers_[at / kWord];
    const u32 shift = 8 * (at % kWord);
    const u64 mask = low_bits(~u64{0}, bytes) << shift;
    r.bits = (r.bits & ~mask) | (value.bits << shift & mask);
    r.known = r.known && value.known;
    r.varies = r.varies || value.varies;
    r.words = static_cast<u16>(r.words | value.words);
}

bool LoopRun::is_any_off_stack(u16 words) const {
    for (usize i = 0; i < words_.size(); ++i)
        if (((words >> i) & 1) != 0 && !is_on_stack(words_[i])) return true;
    return false;
}

// A bit for the word; none if there are too many of them.
u16 LoopRun::number_of(Address word) {
    for (usize i = 0; i < words_.size(); ++i)
        if (words_[i] == word) return static_cast<u16>(1u << i);
    if (words_.size() == kMostWords) {
        too_many_ = true;
        return 0;
    }
    words_.push_back(word);
    return static_cast<u16>(1u << (words_.size() - 1));
}

// The trip stores there, or would: no other thread's store there is what it waits for.
void LoopRun::changed_at(Address a) {
    for (usize i = 0; i < words_.size(); ++i)
        if (words_[i] / kWord == a / kWord) own_words_ = static_cast<u16>(own_words_ | 1u << i);
}

LoopValue LoopRun::load(const LoopValue& at, u32 bytes) {
    LoopValue result{.known = at.known && bytes <= kWord, .varies = at.varies, .words = at.words};
    if (!at.known || bytes > kWord || !VG_(am_is_valid_for_client)(at.bits, bytes, VKI_PROT_READ))
        return {.varies = at.varies, .words = at.words};
    bool from_memory = false;
    for (u32 i = 0; i < bytes; ++i) {
        const Address a = at.bits + i;
        const MemoryCell* const cell = stored_.find(a / kCell);
        u64 byte = 0;
        if (cell != nullptr && ((cell->stored >> (a % kCell)) & 1) != 0) {
            byte = low_bits(cell->bits >> (8 * (a % kCell)), 1);
            result.known = result.known && cell->known;
            result.varies = result.varies || cell->varies;
            result.words = static_cast<u16>(result.words | cell->words);
        } else {
            byte = *reinterpret_cast<const u8*>(a);
            from_memory = true;
        }
        result.bits |= byte << (8 * i);
    }
    reads_on_ = reads_on_ || (from_memory && at.varies && !is_on_stack(at.bits));
    if (from_memory) result.words = static_cast<u16>(result.words | number_of(at.bits));
    return result;
}

// False if that is not known, or is not near a lock that the run has taken: it may be work.
bool LoopRun::store(const LoopValue& at, u32 bytes, const LoopValue& value) {
    if (!at.known || !VG_(am_is_valid_for_client)(at.bits, bytes, VKI_PROT_WRITE)) return false;
    if (!is_on_stack(at.bits)) {
        if (is_settled() && at.bits + kLockBytes - updated_ > 2 * kLockBytes) return false;
        changed_at(at.bits);
    }
    for (u32 i = 0; i < bytes; ++i) {
        const Address a = at.bits + i;
        MemoryCell& cell = stored_[a / kCell];
        const u32 shift = 8 * (a % kCell);
        const bool whole = bytes >= kCell && a % kCell == 0;
        if (cell.stored == 0 || whole) {
            cell.known = true;
            cell.varies = false;
            cell.words = 0;
        }
        cell.stored = static_cast<u8>(cell.stored | 1u << (a % kCell));
        cell.bits = (cell.bits & ~(u64{0xff} << shift)) |
                    (bytes <= kWord ? low_bits(value.bits >> (8 * i), 1) : 0) << shift;
        cell.known = cell.known && value.known && bytes <= kWord;
        cell.varies = cell.varies || value.varies;
        cell.words = static_cast<u16>(cell.words | value.words);
    }
    return true;
}

namespace {

void depend(LoopValue& result, const LoopValue& on) {
    result.varies = result.varies || on.varies;
    result.words = static_cast<u16>(result.words | on.words);
}

// Whether op(x, other) is x.
bool keeps(IROp op, const LoopValue& other, u32 bytes) {
    for (const u64 x : {u64{0}, low_bits(~u64{0}, bytes)}) {
        const KnownBits made = binary_bits(op, {true, x}, {other.known, other.bits});
        if (!made.known || low_bits(made.bits, bytes) != x) return false;
    }
    return true;
}

}  // namespace

LoopValue LoopRun::call(const LoopCode& code, const LoopStatement& s) const {
    LoopValue result{.known = true};
    u64 given[6] = {};
    for (u32 i = 0; i < s.count; ++i) {
        const LoopValue argument = value(code.arguments[s.arguments + i]);
        given[i] = argument.bits;
        // What does not decide may have any value. The conditions' numbers are constants in effect.
        result.known = result.known && (argument.known || i == 4);
        if (((s.excused >> i) & 1) == 0) depend(result, argument);
    }
    if (!result.known) return result;
    using ConditionHelper = ULong (*)(ULong, ULong, ULong, ULong, ULong, ULong);
    result.bits = reinterpret_cast<ConditionHelper>(reinterpret_cast<u64>(s.helper))(
        given[0], given[1], given[2], given[3], given[4], given[5]);
    return result;
}

LoopValue LoopRun::computed(const LoopCode& code, const LoopStatement& s) {
    using enum LoopStatement::What;
    const LoopValue a = value(s.a);
    LoopValue result;
    switch (s.what) {
        case Copy: return a;
        case Get: return get(s.offset, s.bytes);
        case Load: return load(a, s.bytes);
        case Helper: return call(code, s);
        case Counter:
            return {.known = true,
                    .varies = true,
                    .bits = reinterpret_cast<ULong (*)()>(reinterpret_cast<u64>(s.helper))()};
        case Unary: {
            const KnownBits bits = unary_bits(static_cast<IROp>(s.op), {a.known, a.bits});
            result = {.known = bits.known, .bits = bits.bits};
            depend(result, a);
            return result;
        }
        case Binary: {
            const LoopValue b = value(s.b);
            const KnownBits bits = binary_bits(static_cast<IROp>(s.op), {a.known, a.bits}, {b.known, b.bits});
            result = {.known = bits.known, .bits = bits.bits};
            depend(result, a);
            depend(result, b);
            return result;
        }
        case Choice:
            if (!a.known) return {.varies = a.varies, .words = a.words};
            result = value((a.bits & 1) != 0 ? s.b : s.c);
            depend(result, a);
            return result;
        default: return {};
    }
}

// An update that stores what is there, whatever that is, is a look. One that happens to change nothing, or to fail,
// may be there to take a lock. False if that is not known.
bool LoopRun::update(const LoopStatement& s) {
    const LoopValue at = value(s.a), expected = value(s.b), stored = value(s.c);
    const bool is_same = s.b.is_temp && s.c.is_temp && s.b.bits == s.c.bits,
               are_equal = expected.known && stored.known && expected.bits == stored.bits &&
                           !is_any_off_stack(expected.words | stored.words),
               is_kept = s.op != Iop_INVALID && keeps(static_cast<IROp>(s.op), value(s.other), s.bytes);
    const LoopValue old = load(at, s.bytes);
    temps_[s.temp] = old;
    if (is_same || are_equal || is_kept) {
        looks_.push_back(instructions_.back());
        return true;
    }
    if (!old.known || !expected.known) return false;
    updated_ = at.bits;
    changed_at(at.bits);
    return low_bits(old.bits ^ expected.bits, s.bytes) != 0 || store(at, s.bytes, stored);
}

// Whether the next decision goes the other way.
bool LoopRun::flips(const LoopValue& condition, LoopFlip flip) {
    if (decisions_.size() == flip.number) {
        changed_ = condition.words;
        return true;
    }
    return flip.with_later && (condition.words & changed_) != 0;
}

// Follows the superblock and sets *at to the next one's.
LoopRun::TripEnd LoopRun::block(const LoopCode& code, Address* at, LoopFlip flip) {
    using enum LoopStatement::What;
    temps_.resize(0);
    temps_.resize(code.temps);
    for (const LoopStatement& s : code.statements) {
        switch (s.what) {
            case Instruction:
                if (instructions_.size() == kMostInstructions) return TripEnd::Long;
                instructions_.push_back(s.a.bits);
                if (open_) decisions_.back().next = s.a.bits;
                open_ = false;
                break;
            case Visible: return TripEnd::Visible;
            case Fault:
                if (const LoopValue condition = value(s.a); !condition.known || (condition.bits & 1) != 0)
                    return TripEnd::Visible;
                break;
            case Put: put(s.offset, s.bytes, value(s.a)); break;
            case Store:
                if (!store(value(s.a), s.bytes, value(s.b))) return TripEnd::Visible;
                break;
            case Update:
                if (!update(s)) return TripEnd::Visible;
                break;
            case Exit: {
                const LoopValue condition = value(s.a);
                if (!condition.known) return TripEnd::Unknown;
                const bool other_way = flips(condition, flip);
                decisions_.push_back({instructions_.empty() ? 0 : instructions_.back(), condition, 0,
                                      get(kStack, kWord).bits});
                open_ = true;
                if (((condition.bits & 1) != 0) == other_way) break;
                *at = s.b.bits;
                return TripEnd::Back;
            }
            default: temps_[s.temp] = computed(code, s);
        }
        if (too_many_) return TripEnd::Unknown;
    }
    const LoopValue next = value(code.next);
    // A way that varies is no trip of one loop: a function called at several places in it returns to each in turn.
    if (!next.known || (next.varies && is_settled())) return TripEnd::Unknown;
    *at = next.bits;
    if (code.calls_system) return system_call();
    return code.goes_on ? TripEnd::Back : TripEnd::Visible;
}

LoopRun::TripEnd LoopRun::system_call() {
    const LoopValue number = get(kNumber, kWord);
    if (!number.known) return TripEnd::Unknown;
    switch (number.bits) {
        case __NR_sched_yield:
        case __NR_nanosleep:
        case __NR_clock_nanosleep:
        case __NR_futex: return TripEnd::Waits;
        default: return asks_time(number.bits) ? TripEnd::Back : TripEnd::Visible;
    }
}

// Who waits with a limit asks for the time, which is no trace that others see.
bool LoopRun::asks_time(u64 number) {
    const LoopValue first = get(kFirst, kWord);
    const bool is_day = number == __NR_gettimeofday;
    if (!first.known || (!is_day && number != __NR_clock_gettime)) return false;
    struct vki_timespec now = {};
    VG_(clock_gettime)(&now, is_day ? VKI_CLOCK_REALTIME : static_cast<vki_clockid_t>(first.bits));
    constexpr long kInMicrosecond = 1000;
    const long parts[] = {now.tv_sec, is_day ? now.tv_nsec / kInMicrosecond : now.tv_nsec};
    LoopValue to = is_day ? first : get(kSecond, kWord);
    for (const long part : parts) {
        if (!store(to, kWord, {.known = true, .varies = true, .bits = static_cast<u64>(part)})) return false;
        to.bits += kWord;
    }
    put(kResult, kWord, {.known = true});
    return true;
}

LoopRun::TripEnd LoopRun::trip(Address head, LoopFlip flip) {
    decisions_.resize(0);
    instructions_.resize(0);
    looks_.resize(0);
    open_ = reads_on_ = false;
    changed_ = 0;
    Address at = head;
    do {
        const LoopCode* const code = loop_code(guest_id_, at);
        if (code == nullptr) return TripEnd::Unknown;
        if (const TripEnd outcome = block(*code, &at, flip); outcome != TripEnd::Back) return outcome;
    } while (at != head);
    if (open_) decisions_.back().next = head;
    return leaves_trace() ? TripEnd::Visible : TripEnd::Back;
}

// Whether something off the stack is not as it was: who takes a lock and gives it back leaves none.
bool LoopRun::leaves_trace() {
    bool any = false;
    stored_.for_each([&](u64 key, const MemoryCell& cell) {
        for (u32 i = 0; i < kCell && !is_on_stack(key * kCell); ++i)
            if (((cell.stored >> i) & 1) != 0)
                any = any || !cell.known ||
                      low_bits(cell.bits >> (8 * i), 1) != *reinterpret_cast<const u8*>(key * kCell + i);
    });
    return any;
}

LoopRun::TripEnd LoopRun::leave(Address* head) {
    rt::Vector<Address> inside;
    for (const Address instruction : instructions_) inside.push_back(instruction);
    std::sort(inside.begin(), inside.end());
    instructions_.resize(0);
    while (std::binary_search(inside.begin(), inside.end(), *head)) {
        const LoopCode* const code = loop_code(guest_id_, *head);
        if (code == nullptr) return TripEnd::Unknown;
        decisions_.resize(0);
        open_ = false;
        if (const TripEnd outcome = block(*code, head, {}); outcome != TripEnd::Back) return outcome;
    }
    return TripEnd::Back;
}

void LoopRun::compare() {
    ++compared_;
    for (Register& r : registers_) {
        r.varies = r.bits != r.before;
        r.before = r.bits;
    }
    stored_.for_each([](u64, MemoryCell& cell) {
        cell.varies = cell.bits != cell.before;
        cell.before = cell.bits;
    });
}

bool LoopRun::is_like(const LoopRun& other) const {
    for (u32 i = 0; i < kWords; ++i) {
        const Register &mine = registers_[i], &theirs = other.registers_[i];
        if (mine.bits != theirs.bits && !mine.varies && !theirs.varies) return false;
    }
    return stores_like(other) && other.stores_like(*this);
}

// Whether the stack is the same where this run stored.
bool LoopRun::stores_like(const LoopRun& other) const {
    bool alike = true;
    auto& cells = const_cast<rt::HashMap<MemoryCell>&>(stored_);
    auto& others = const_cast<rt::HashMap<MemoryCell>&>(other.stored_);
    cells.for_each([&](u64 key, const MemoryCell& mine) {
        const MemoryCell* const theirs = others.find(key);
        if (mine.varies || (theirs != nullptr && theirs->varies)) return;
        for (u32 i = 0; i < kCell; ++i) {
            if (((mine.stored >> i) & 1) == 0) continue;
            const bool both = theirs != nullptr && ((theirs->stored >> i) & 1) != 0;
            const u64 byte =
                both ? low_bits(theirs->bits >> (8 * i), 1) : *reinterpret_cast<const u8*>(key * kCell + i);
            alike = alike && low_bits(mine.bits >> (8 * i), 1) == byte;
        }
    });
    return alike;
}

}  // namespace memspy::instrument
