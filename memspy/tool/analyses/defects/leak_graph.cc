// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/leak_graph.h"

namespace memspy::defects {

namespace {

// Words read at a time: enough to make the call's cost negligible, few enough for the tool's stack.
constexpr usize kWordsAtOnce = 256;
constexpr usize kWord = sizeof(u64);
// The first page holds no table of functions, and small numbers are frequent.
constexpr Address kFirstPage = 4096;

bool may_be_table(u64 word) { return word % kWord == 0 && word >= kFirstPage; }

}  // namespace

void LeakGraph::add_block(Address payload, usize size, u32 tag) {
    if (!blocks_.empty()) CHECK_LE(end_of(blocks_.back()), payload);
    blocks_.push_back({.payload = payload,
                       .size = size,
                       .indirect_bytes = 0,
                       .found_from = kNoBlock,
                       .tag = tag,
                       .reach = Reach::Definite,  // until a pointer to it is found
                       .heuristic = Heuristic::None,
                       .waiting = false});
}

void LeakGraph::prepare() {
    if (blocks_.empty()) return;
    CHECK_LT(blocks_.size(), static_cast<usize>(kNoBlock));
    span_begin_ = blocks_[0].payload;
    span_end_ = end_of(blocks_.back());
    usize wanted = 2 * blocks_.size();
    while ((span_end_ - 1 - span_begin_) >> bucket_shift_ >= wanted) ++bucket_shift_;

    usize count = static_cast<usize>((span_end_ - 1 - span_begin_) >> bucket_shift_) + 1;
    buckets_.resize(count + 1);
    u32 block = 0;
    for (usize b = 0; b < count; ++b) {
        Address begin = span_begin_ + (static_cast<Address>(b) << bucket_shift_);
        while (end_of(blocks_[block]) <= begin) ++block;
        buckets_[b] = block;
    }
    buckets_[count] = static_cast<u32>(blocks_.size() - 1);
}

u32 LeakGraph::find(Address address) const {
    if (address < span_begin_ || address >= span_end_) return kNoBlock;
    usize bucket = static_cast<usize>((address - span_begin_) >> bucket_shift_);
    // The result is the first block that ends behind the address; it lies in [low, high].
    u32 low = buckets_[bucket];
    u32 high = buckets_[bucket + 1];
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (end_of(blocks_[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return blocks_[low].payload <= address ? low : kNoBlock;
}

Heuristic LeakGraph::match(u32 index, Address address, u32 set) const {
    const GraphBlock& block = blocks_[index];
    Address start = block.payload;
    usize size = block.size;
    auto wanted = [set](Heuristic heuristic) { return (set & heuristic_bit(heuristic)) != 0; };
    auto read = [this](Address at, u64& value) { return reader_.read_word(reader_.argument, at, value); };

    if (wanted(Heuristic::StdString) && address == start + 3 * kWord) {
        // The count has only 32 bits and leaves a hole, so the third word may be undefined.
        u64 length = 0, capacity = 0;
        if (read(start + kWord, capacity) && capacity == size - 3 * kWord - 1 && read(start, length) &&
            length <= capacity)
            return Heuristic::StdString;
    }
    if (address == start + kWord && (wanted(Heuristic::Length64) || wanted(Heuristic::NewArray))) {
        u64 first = 0;
        // `first` <= `rest` makes an array of that many elements plausible.
        usize rest = size - kWord;
        if (read(start, first) && first != 0) {
            if (wanted(Heuristic::Length64) && first == rest) return Heuristic::Length64;
            if (wanted(Heuristic::NewArray) && rest % first == 0) return Heuristic::NewArray;
        }
    }
    if (wanted(Heuristic::ThreadVector) && address == start + 2 * kWord && size % (2 * kWord) == 0) {
        // The first pair has the number, the second one how often the list of modules has changed.
        u64 modules = 0;
        if (read(start, modules) && modules != 0 && modules == size / (2 * kWord) - 2)
            return Heuristic::ThreadVector;
    }
    if (wanted(Heuristic::MultipleInheritance) && address % kWord == 0 && size - (address - start) >= kWord) {
        u64 inner = 0, outer = 0;
        if (read(address, inner) && may_be_table(inner) && read(start, outer) && may_be_table(outer) &&
            reader_.is_function_table(reader_.argument, inner) &&
            reader_.is_function_table(reader_.argument, outer))
            return Heuristic::MultipleInheritance;
    }
    return Heuristic::None;
}

void LeakGraph::wait(u32 block) {
    if (blocks_[block].waiting) return;
    blocks_[block].waiting = true;
    waiting_.push_back(block);
}

template <typename F>
void LeakGraph::for_each_word(const GraphBlock& block, F&& f) const {
    FoundWord words[kWordsAtOnce];
    Address at = block.payload;
    Address end = block.payload + block.size;
    while (at < end) {
        usize count = reader_.read(reader_.argument, at, end, words, kWordsAtOnce);
        for (usize i = 0; i < count; ++i) f(words[i].value);
    }
}

void LeakGraph::point_at(Address address, bool from_reachable) {
    u32 index = find(address);
    if (index == kNoBlock) return;
    GraphBlock& block = blocks_[index];
    bool at_start = address == block.payload;

    if (block.reach == Reach::Reachable) {
        // A true start pointer makes the heuristic unnecessary.
        if (at_start && from_reachable) block.heuristic = Heuristic::None;
        return;
    }
    if (from_reachable) {
        Heuristic heuristic = Heuristic::None;
        if (!at_start && heuristics_ != 0) heuristic = match(index, address, heuristics_);
        if (at_start || heuristic != Heuristic::None) {
            block.reach = Reach::Reachable;
            block.heuristic = heuristic;
            wait(index);
            return;
        }
    }
    if (block.reach != Reach::Possible) {
        block.reach = Reach::Possible;
        wait(index);
    }
}

void LeakGraph::solve() {
    while (!waiting_.empty()) {
        u32 index = waiting_.back();
        waiting_.pop_back();
        blocks_[index].waiting = false;
        bool reachable = blocks_[index].reach == Reach::Reachable;
        for_each_word(blocks_[index], [this, reachable](u64 word) { point_at(word, reachable); });
    }
    for (u32 i = 0; i < blocks_.size(); ++i)
        if (blocks_[i].reach == Reach::Definite) collect_clique(i);
}

void LeakGraph::collect_clique(u32 leader) {
    u32 index = leader;
    for (;;) {
        for_each_word(blocks_[index], [this, leader, index](u64 word) {
            u32 target = find(word);
            if (target == kNoBlock || target == leader) return;
            GraphBlock& found = blocks_[target];
            if (found.reach != Reach::Definite) return;
            found.reach = Reach::Indirect;
            found.found_from = index;
            blocks_[leader].indirect_bytes += found.size + found.indirect_bytes;
            found.indirect_bytes = 0;
            // A block below the leader has led a clique of its own, so everything it points to is already
            // collected.
            if (target > leader) wait(target);
        });
        if (waiting_.empty()) return;
        index = waiting_.back();
        waiting_.pop_back();
        blocks_[index].waiting = false;
    }
}

}  // namespace memspy::defects
