// SPDX-License-Identifier: GPL-2.0-or-later
#include "log/records.h"

#include <algorithm>
#include <new>

#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::log {
namespace {

struct StoredShape {
    Shape* shape;
    u32 next;  // number + 1 of the next shape with the same hash
};
rt::Global<rt::Vector<StoredShape>> shapes;
rt::Global<rt::Vector<ShapeEntry>> table;
rt::Global<rt::HashMap<u32>> shapes_by_hash;  // number + 1

class Hash {
public:
    void add(u64 value) { value_ = (value_ ^ value) * 0x9E3779B97F4A7C15u ^ value_ >> 29; }
    u64 value() const { return value_; }

private:
    u64 value_ = 1;
};

u64 hash_of(const Shape& shape) {
    Hash hash;
    hash.add(shape.words);
    hash.add(shape.yields);
    hash.add(shape.may_spin);
    hash.add(shape.early_yield.any);
    hash.add(static_cast<u64>(shape.event));
    for (const AccessUse& use : shape.uses) {
        hash.add(use.instruction);
        hash.add(static_cast<u64>(use.offset));
        hash.add(use.word);
    }
    for (const Segment& segment : shape.segments) hash.add(segment.instructions);
    return hash.value();
}

bool same(const AccessUse& a, const AccessUse& b) {
    return a.instruction == b.instruction && a.offset == b.offset && a.ordinal == b.ordinal &&
           a.bytes == b.bytes && a.word == b.word && a.proof == b.proof && a.loads == b.loads &&
           a.stores == b.stores && a.atomic == b.atomic && a.update == b.update && a.values == b.values;
}
bool same(const Segment& a, const Segment& b) {
    return a.marker == b.marker && a.instructions == b.instructions;
}

// Spans and counts need no comparison, because they follow from the uses.
bool same(const Shape& a, const Shape& b) {
    if (a.words != b.words || a.yields != b.yields || a.may_spin != b.may_spin ||
        a.early_yield.any != b.early_yield.any || a.early_yield.not_reached != b.early_yield.not_reached ||
        a.event != b.event || a.uses.size() != b.uses.size() || a.segments.size() != b.segments.size())
        return false;
    for (usize i = 0; i < a.uses.size(); ++i)
        if (!same(a.uses[i], b.uses[i])) return false;
    for (usize i = 0; i < a.segments.size(); ++i)
        if (!same(a.segments[i], b.segments[i])) return false;
    return true;
}

template <typename T>
void copy(ShapeVector<T>& to, const ShapeVector<T>& from) {
    to.reserve(from.size());
    for (const T& item : from) to.push_back(item);
}

u8 place_of(u8 word) { return word == kNoWord ? kZeroPlace : static_cast<u8>(word + kRecordHead); }

// The segment with this proof; the number of segments if the proof is not a marker.
usize segment_of(const Shape& shape, u8 proof) {
    usize segment = 0;
    while (segment < shape.segments.size() && shape.segments[segment].marker != proof) ++segment;
    return segment;
}

// The executed part if the segment is the last one reached.
QuickExit quick_exit(const Shape& shape, usize segment) {
    QuickExit exit{};
    exit.instructions = shape.segments[segment].instructions;
    exit.place = shape.segments[segment].marker == kNoWord ? u8{0} : place_of(shape.segments[segment].marker);
    for (const AccessUse& use : shape.uses) {
        const usize within = segment_of(shape, use.proof);
        if (within <= segment || within == shape.segments.size())
            exit.word_accesses = static_cast<u16>(exit.word_accesses + use.word_accesses());
        if (within > segment) continue;
        exit.loads = static_cast<u16>(exit.loads + use.loads);
        exit.stores = static_cast<u16>(exit.stores + use.stores);
    }
    for (const Span& span : shape.spans)
        if (segment_of(shape, span.proof) <= segment) ++exit.spans;
    return exit;
}

bool is_plain(const Shape& shape) {
    usize last = 0;
    for (const Span& span : shape.spans) {
        const usize segment = segment_of(shape, span.proof);
        if (segment < last || segment == shape.segments.size()) return false;
        last = segment;
    }
    return shape.always && !shape.may_wait() && !shape.updates && shape.event == LockEvent::None;
}

bool is_solid(const Span& span) {
    return span.bytes <= 64 && (span.stores == 0 ? span.read : span.written) == ~u64{0} >> (64 - span.bytes);
}

const QuickShape* quick_copy(const Shape& shape) {
    const usize exits = shape.segments.size() - 1;
    const usize bytes =
        sizeof(QuickShape) + shape.spans.size() * sizeof(QuickSpan) + exits * sizeof(QuickExit);
    auto* copied = new (rt::small_blocks<kShapeMemory>().take(bytes)) QuickShape{};
    copied->spans = static_cast<u16>(shape.spans.size());
    copied->is_plain = is_plain(shape);
    copied->whole = quick_exit(shape, exits);
    auto* spans = reinterpret_cast<QuickSpan*>(copied + 1);
    for (const Span& span : shape.spans)
        *spans++ = QuickSpan{.low = span.low,
                             .reach = static_cast<u16>(span.bytes - 1),
                             .word = span.word,
                             .proof = span.proof,
                             .place = place_of(span.word),
                             .stores = span.stores != 0,
                             .solid = is_solid(span)};
    auto* exit = reinterpret_cast<QuickExit*>(spans);
    for (usize segment = exits; segment-- > 0;) *exit++ = quick_exit(shape, segment);
    return copied;
}

Shape* stored_copy(const Shape& shape) {
    auto* copied = new (rt::small_blocks<kShapeMemory>().take(sizeof(Shape))) Shape;
    copied->words = shape.words;
    copied->loads = shape.loads;
    copied->stores = shape.stores;
    copied->word_accesses = shape.word_accesses;
    copied->always = shape.always;
    copied->instructions = shape.segments[shape.segments.size() - 1].instructions;
    copied->last_marker = shape.segments[shape.segments.size() - 1].marker;
    copied->yields = shape.yields;
    copied->may_spin = shape.may_spin;
    copied->early_yield = shape.early_yield;
    copied->updates = shape.updates;
    copied->event = shape.event;
    copy(copied->uses, shape.uses);
    copy(copied->spans, shape.spans);
    copy(copied->segments, shape.segments);
    return copied;
}

u32 most_chunks = 0, made_chunks = 0, taken_chunks = 0;
u32 most_taken = 0;            // since empty_idle_chunks()
Chunk* free_chunks = nullptr;  // the last one given back comes first
// Many chunks are allocated at a time because of their alignment.
constexpr u32 kChunksAtOnce = 16;

void make_chunks() {
    const usize bytes = (kChunksAtOnce + 1) * kChunkStride;
    auto room = reinterpret_cast<u64>(rt::map_zeroed(bytes, "memspy.access_log"));
    room = (room + kChunkStride - 1) & ~(kChunkStride - 1);
    auto* chunks = static_cast<Chunk*>(rt::allocate(kChunksAtOnce * sizeof(Chunk), "memspy.chunks"));
    for (u32 i = 0; i < kChunksAtOnce; ++i) {
        new (&chunks[i]) Chunk;
        chunks[i].begin = chunks[i].end = reinterpret_cast<u64*>(room + i * kChunkStride);
        chunks[i].next = free_chunks;
        free_chunks = &chunks[i];
    }
    made_chunks += kChunksAtOnce;
}

void note_in(Span& span, const AccessUse& use) {
    const u64 bytes = use.bytes >= 64 ? ~u64{0} : ((u64{1} << use.bytes) - 1) << (use.offset - span.low);
    if (use.loads) span.read |= bytes;
    if (use.stores) span.written |= bytes;
    span.loads = static_cast<u16>(span.loads + use.loads);
    span.stores = static_cast<u16>(span.stores + use.stores);
}

void add_to_spans(ShapeVector<Span>& spans, const AccessUse& use, i64 line_bytes) {
    constexpr i64 kMaskBytes = 64;
    const i64 low = use.offset, high = use.offset + use.bytes;
    for (Span& span : spans) {
        if (span.word != use.word || span.proof != use.proof) continue;
        const i64 least = std::min(low, span.low);
        const i64 most = std::max(high, span.low + span.bytes);
        if (most - least > line_bytes || most - least > kMaskBytes) continue;
        span.read <<= span.low - least;
        span.written <<= span.low - least;
        span.low = least;
        span.bytes = static_cast<u16>(most - least);
        return note_in(span, use);
    }
    Span span{};
    span.low = low;
    span.bytes = use.bytes;
    span.word = use.word;
    span.proof = use.proof;
    note_in(span, use);
    spans.push_back(span);
}

}  // namespace

const ShapeEntry* shape_table = nullptr;

void add_use(Shape& shape, const AccessUse& use, u32 line_bytes) {
    shape.loads += use.loads;
    shape.stores += use.stores;
    shape.word_accesses += use.word_accesses();
    shape.updates |= use.atomic && use.stores;
    shape.uses.push_back(use);
    add_to_spans(shape.spans, use, line_bytes);
}

u32 number_of_shape(const Shape& given) {
    auto number_at = [&](u32 index) { return index << kLengthBits | given.record_words(); };
    const u64 hash = hash_of(given);
    u32* head = shapes_by_hash->find(hash);
    for (u32 next = head == nullptr ? 0 : *head; next != 0; next = (*shapes)[next - 1].next)
        if (same(*(*shapes)[next - 1].shape, given)) return number_at(next - 1);
    CHECK_LT(shapes->size(), usize{1} << (32 - kLengthBits));
    Shape* const stored = stored_copy(given);
    const QuickShape* const quick = quick_copy(*stored);
    stored->quick = {quick->begin(), quick->spans};
    shapes->push_back(StoredShape{stored, head == nullptr ? 0 : *head});
    table->push_back(ShapeEntry{quick, stored});
    shape_table = table->data();
    const auto count = static_cast<u32>(shapes->size());
    (*shapes_by_hash)[hash] = count;
    return number_at(count - 1);
}

u32 shape_count() { return static_cast<u32>(shapes->size()); }

namespace {
u64 passed_accesses = 0;
}
void add_passed(u64 accesses) { passed_accesses += accesses; }
u64 take_passed() {
    const u64 passed = passed_accesses;
    passed_accesses = 0;
    return passed;
}

void limit_chunks(u32 most) { most_chunks = most; }
u32 chunk_limit() { return most_chunks; }
u32 chunks_taken() { return taken_chunks; }

Chunk* take_chunk() {
    if (taken_chunks >= most_chunks) return nullptr;
    if (free_chunks == nullptr) make_chunks();
    Chunk* chunk = free_chunks;
    free_chunks = chunk->next;
    chunk->next = nullptr;
    chunk->touched = true;
    ++taken_chunks;
    most_taken = std::max(most_taken, taken_chunks);
    return chunk;
}

void set_to_zero(u64* begin, u64* end) {
    using WordPair = u64 __attribute__((vector_size(16), may_alias));
    for (auto* pair = reinterpret_cast<WordPair*>(begin); pair < reinterpret_cast<WordPair*>(end); ++pair)
        *pair = WordPair{};
}

void give_back(Chunk* chunk) {
    set_to_zero(chunk->begin, chunk->end);
    // Clear the head of a record that a fault cut off before the cursor moved.
    *chunk->end = 0;
    chunk->end = chunk->begin;
    chunk->runs.resize(0);
    chunk->next = free_chunks;
    free_chunks = chunk;
    --taken_chunks;
}

void empty_idle_chunks() {
    u32 in_use = taken_chunks;
    for (Chunk* chunk = free_chunks; chunk != nullptr; chunk = chunk->next) {
        if (in_use++ < most_taken || !chunk->touched) continue;
        rt::empty_pages(chunk->begin, kChunkStride);
        chunk->runs.clear();
        chunk->touched = false;
    }
    most_taken = taken_chunks;
}

}  // namespace memspy::log
