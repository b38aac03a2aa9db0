// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/pattern.h"

#include "analyses/zeros/client_memory.h"
#include "instrument/zeros/byte_marks.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::zeros {

using instrument::kLoadedBits;
using instrument::marks_at;
using instrument::next_marked;
namespace {

// The block is processed in words of eight bytes.
constexpr u64 kWord = 8;
// Strides are looked for in the first part of a large block.
constexpr u64 kMostOfSearch = u64{16} << 20;
constexpr u64 kMostOfColumns = u64{16} << 10;
constexpr u32 kMostCandidates = 24;

u64 smaller(u64 a, u64 b) { return a < b ? a : b; }

u64 greatest_common_divisor(u64 a, u64 b) {
    while (b != 0) {
        const u64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

enum class WordContent : u8 { Untouched, Zero, Significant };

WordContent word_at(Address a, Address end) {
    u32 marks = marks_at(a);
    if (end - a < kWord) marks &= (1u << 2 * (end - a)) - 1;
    return marks == 0                          ? WordContent::Untouched
           : (marks & (kLoadedBits << 1)) == 0 ? WordContent::Zero
                                               : WordContent::Significant;
}

// Counts rows of `stride` bytes from consecutive words.
class RowCounter {
public:
    explicit RowCounter(u64 stride) : stride_(stride) {}
    void add(u64 offset, WordContent word) {
        if (offset >= row_end_) {
            finish_row();
            row_end_ = offset - offset % stride_ + stride_;
        }
        touched_ = touched_ || word != WordContent::Untouched;
        significant_ = significant_ || word == WordContent::Significant;
    }
    ZeroShare finish() {
        finish_row();
        return share_;
    }

private:
    void finish_row() {
        if (touched_) ++share_.accessed;
        if (touched_ && !significant_) ++share_.zero;
        touched_ = significant_ = false;
    }
    u64 stride_, row_end_ = 0;
    bool touched_ = false, significant_ = false;
    ZeroShare share_;
};

// Strides to try: the more often runs start at a distance, the better it is.
class Candidates {
public:
    void vote(u64 stride) {
        if (stride >= kLeastRow) ++votes_[stride];
    }
    // Calls f(stride) for the best strides.
    template <typename F>
    void for_each_best(F f) {
        for (u32 i = 0; i < kMostCandidates && !votes_.empty(); ++i) {
            u64 best = 0;
            u32 most = 0;
            votes_.for_each([&](u64 stride, u32 votes) {
                if (votes > most || (votes == most && stride < best)) {
                    best = stride;
                    most = votes;
                }
            });
            votes_.erase(best);
            f(best);
        }
    }

private:
    rt::HashMap<u32> votes_;
};

void vote_for_distances(Candidates& candidates, const rt::Vector<WordContent>& words) {
    constexpr u32 kMostRuns = 4096;
    u32 runs = 0;
    u64 last_start[2] = {}, last_distance[2] = {};
    bool started[2] = {};
    for (usize i = 0; i < words.size() && runs < kMostRuns;) {
        const usize start = i;
        const WordContent kind = words[i];
        while (i < words.size() && (words[i] == kind || words[i] == WordContent::Untouched)) ++i;
        if (kind == WordContent::Untouched || (i - start) * kWord < kLeastRow) continue;
        ++runs;
        const u32 which = kind == WordContent::Zero ? 0 : 1;
        candidates.vote((i - start) * kWord);
        if (started[which]) {
            const u64 distance = (start - last_start[which]) * kWord;
            candidates.vote(distance);
            if (last_distance[which] != 0)
                candidates.vote(greatest_common_divisor(distance, last_distance[which]));
            last_distance[which] = distance;
        }
        started[which] = true;
        last_start[which] = start;
    }
}

}  // namespace

ZeroShare count_rows(Address begin, Address end, u64 stride) {
    RowCounter rows(stride);
    // Rows without marks do not count.
    for (Address a = begin; (a = next_marked(a, end)) < end;) {
        a -= (a - begin) % kWord;
        rows.add(a - begin, word_at(a, end));
        a += kWord;
    }
    return rows.finish();
}

RowPattern find_rows(Address begin, Address end) {
    RowPattern found;
    const Address stop = begin + smaller(end - begin, kMostOfSearch);
    if (stop - begin < 4 * kLeastRow) return found;
    rt::Vector<WordContent> words;
    words.reserve((stop - begin) / kWord + 1);
    u64 zero = 0, significant = 0;
    for (Address a = begin; a < stop; a += kWord) {
        const WordContent word = word_at(a, end);
        words.push_back(word);
        zero += word == WordContent::Zero;
        significant += word == WordContent::Significant;
    }
    if (zero == 0 || significant == 0) return found;

    Candidates candidates;
    vote_for_distances(candidates, words);
    // A tenth must be saved.
    u64 least = (zero + significant) * kWord / 10 * 9;
    auto consider = [&](u64 stride) {
        if (stride > (stop - begin) / 4) return;
        RowCounter rows(stride);
        for (usize i = 0; i < words.size(); ++i) rows.add(i * kWord, words[i]);
        const ZeroShare share = rows.finish();
        const u64 cost = (share.accessed - share.zero) * stride + share.accessed * kRowCost;
        if (share.zero == 0 || cost > least || (cost == least && stride < found.stride)) return;
        least = cost;
        found.stride = stride;
    };
    candidates.for_each_best(consider);
    for (u64 stride = kLeastRow; stride <= (u64{1} << 20); stride *= 2) consider(stride);
    if (found.stride != 0) found.share = count_rows(begin, end, found.stride);
    return found;
}

Columns find_columns(Address begin, Address end) {
    const Address stop = begin + smaller(end - begin, kMostOfColumns);
    const usize bytes = stop - begin;
    // One byte each: 0 never accessed, 1 redundant, 3 significant.
    rt::Vector<u8> seen;
    seen.resize(bytes);
    u64 accessed = 0, redundant = 0;
    for (usize i = 0; i < bytes; i += kWord) {
        const u32 marks = marks_at(begin + i);
        for (usize j = i; j < i + kWord && j < bytes; ++j) {
            seen[j] = static_cast<u8>(marks >> 2 * (j - i) & 3);
            accessed += seen[j] != 0;
            redundant += seen[j] == 1;
        }
    }
    Columns found;
    if (redundant == 0 || redundant == accessed) return found;

    auto is_candidate = [](u32 stride) { return stride == 2 || stride % 4 == 0; };
    for (u32 stride = 2; stride <= kMostColumns && u64{stride} * 4 <= bytes; ++stride) {
        if (!is_candidate(stride)) continue;
        u32 zeros[kMostColumns] = {};
        bool significant[kMostColumns] = {};
        u32 column = 0;
        for (usize i = 0; i < bytes; ++i) {
            if (seen[i] == 1) ++zeros[column];
            if (seen[i] == 3) significant[column] = true;
            if (++column == stride) column = 0;
        }
        u64 explained = 0;
        for (u32 i = 0; i < stride; ++i)
            if (!significant[i]) explained += zeros[i];
        if (explained * 20 < redundant * 19) continue;

        // The columns found in the first part must hold for the whole block.
        for (Address a = next_marked(stop, end); a < end; a = next_marked(a + 1, end))
            if ((marks_at(a) & 2) != 0) significant[(a - begin) % stride] = true;
        found.stride = stride;
        bool any = false;
        for (u32 i = 0; i < stride; ++i)
            if (!significant[i] && zeros[i] != 0) {
                found.set_redundant(i);
                any = true;
            }
        return any ? found : Columns{};
    }
    return found;
}

Columns without_addresses(Columns columns, Address begin, Address end) {
    for (u32 word = 0; columns.stride % kWord == 0 && word < columns.stride; word += kWord)
        if (holds_addresses(begin, end, columns.stride, word))
            for (u32 i = word; i < word + kWord; ++i) columns.clear_redundant(i);
    return columns.any() ? columns : Columns{};
}

}  // namespace memspy::zeros
