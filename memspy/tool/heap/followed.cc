// SPDX-License-Identifier: GPL-2.0-or-later
#include "heap/followed.h"

#include <bit>
#include <new>

namespace memspy::heap {
namespace {

constexpr unsigned kPageBits = 12, kAddressBits = FollowedWindow::kAddressBits, kLeafBits = 10;
constexpr u64 kPages = u64{1} << (kAddressBits - kPageBits);
constexpr Address kWindow = Address{1} << kAddressBits;
constexpr usize kRecords = 2048;  // made at once

constexpr unsigned word_of(Address a) { return static_cast<unsigned>(a >> 9 & 7); }
constexpr unsigned bit_of(Address a) { return static_cast<unsigned>(a >> 3 & 63); }
constexpr u64 below(u64 bit) { return (u64{1} << bit % 64) - 1; }

bool has_bit(const u64* words, u64 bit) { return (words[bit / 64] >> bit % 64 & 1) != 0; }

// Calls f(word, mask) for each word with bits of [first, last).
template <typename F>
void for_words(u64* words, u64 first, u64 last, F f) {
    if (last > kPages) last = kPages;
    while (first < last) {
        const u64 next = (first | 63) + 1;
        f(words[first / 64], ~below(first) & (next <= last ? ~u64{0} : below(last)));
        first = next;
    }
}

// The last bit of [begin, bit), the first one of [bit, end); kPages when there is none.
u64 bit_before(const u64* words, u64 begin, u64 bit) {
    u64 word = bit / 64;
    u64 bits = words[word] & below(bit);
    while (bits == 0 && word > begin / 64) bits = words[--word];
    const u64 last = word * 64 + static_cast<u64>(std::bit_width(bits)) - 1;
    return bits == 0 || last < begin ? kPages : last;
}
u64 bit_from(const u64* words, u64 bit, u64 end) {
    if (bit >= end) return kPages;
    u64 word = bit / 64;
    u64 bits = words[word] & ~below(bit);
    while (bits == 0 && ++word * 64 < end) bits = words[word];
    const u64 first = word * 64 + static_cast<u64>(std::countr_zero(bits));
    return bits == 0 || first >= end ? kPages : first;
}

// The last bit before `bit` that is in `wanted`, if all between are in `through`; kPages otherwise.
u64 bit_before_through(const u64* wanted, const u64* through, u64 bit) {
    u64 word = bit / 64;
    u64 inside = below(bit);
    for (;; inside = ~u64{0}) {
        const u64 found = wanted[word] & inside, holes = ~through[word] & inside;
        if (found > holes) return word * 64 + static_cast<u64>(std::bit_width(found)) - 1;
        if (holes != 0 || word == 0) return kPages;
        --word;
    }
}

}  // namespace

u64 FollowedWindow::page_of(Address a) { return a % kWindow >> kPageBits; }

Address FollowedWindow::address_of(u64 page) const { return base_ + (page << kPageBits); }

u32 FollowedWindow::Page::rank(Address payload) const {
    const unsigned word = word_of(payload);
    return before[word] + static_cast<u32>(std::popcount(starts[word] & below(bit_of(payload))));
}

void FollowedWindow::Page::set(Address payload, bool starts_here) {
    const unsigned word = word_of(payload);
    starts[word] ^= u64{1} << bit_of(payload);
    for (unsigned i = word + 1; i < 8; ++i) before[i] = static_cast<u16>(before[i] + (starts_here ? 1 : -1));
}

bool FollowedWindow::Page::has(Address payload) const {
    return (starts[word_of(payload)] >> bit_of(payload) & 1) != 0;
}

FollowedWindow::Page* FollowedWindow::page(u64 number) const {
    if (leaves_ == nullptr || number >= kPages) return nullptr;
    const Leaf* leaf = leaves_[number >> kLeafBits];
    return leaf == nullptr ? nullptr : leaf[number & below(kLeafBits)];
}

FollowedWindow::Page& FollowedWindow::make_page(u64 number) {
    Leaf*& leaf = leaves_[number >> kLeafBits];
    if (leaf == nullptr)
        leaf = static_cast<Leaf*>(rt::map_zeroed((usize{1} << kLeafBits) * sizeof(Leaf), "memspy.followed"));
    Page*& page = leaf[number & below(kLeafBits)];
    if (page == nullptr) page = new (rt::allocate(sizeof(Page), "memspy.followed")) Page{};
    return *page;
}

Block* FollowedWindow::take_record() {
    if (spare_ == nullptr) {
        auto* records = static_cast<Block*>(rt::map_zeroed(kRecords * sizeof(Block), "memspy.followed"));
        for (usize i = 0; i < kRecords; ++i) {
            records[i].set_next(spare_);
            spare_ = &records[i];
        }
    }
    Block* record = spare_;
    spare_ = record->next();
    return record;
}

Block* FollowedWindow::add(const Block& block) {
    const Address payload = block.payload;
    base_ = payload / kWindow * kWindow;
    searched_ = 0;
    const u64 first = page_of(payload);
    // A block that reaches into the next window is cut there.
    const Address inside = payload - base_ + (block.size == 0 ? 0 : block.size - 1);
    const u64 last = inside < kWindow ? page_of(inside) : kPages - 1;
    if (leaves_ == nullptr) {
        starting_ = static_cast<u64*>(rt::map_zeroed(kPages / 8, "memspy.followed"));
        memory_ = static_cast<u64*>(rt::map_zeroed(kPages / 8, "memspy.followed"));
        leaves_ =
            static_cast<Leaf**>(rt::map_zeroed((kPages >> kLeafBits) * sizeof(Leaf*), "memspy.followed"));
    }
    for_words(memory_, first, last + 1, [](u64& word, u64 mask) { word |= mask; });
    for_words(starting_, first, first + 1, [](u64& word, u64 mask) { word |= mask; });
    Block* record = take_record();
    *record = block;
    Page& page = make_page(first);
    const u32 rank = page.rank(payload);
    page.blocks.push_back(nullptr);
    for (usize i = page.blocks.size() - 1; i > rank; --i) page.blocks[i] = page.blocks[i - 1];
    page.blocks[rank] = record;
    page.set(payload, true);
    return record;
}

void FollowedWindow::remove(Block& block) {
    const u64 number = page_of(block.payload);
    Page& page = *this->page(number);
    const u32 rank = page.rank(block.payload);
    CHECK_EQ(page.blocks[rank], &block);
    for (usize i = rank; i + 1 < page.blocks.size(); ++i) page.blocks[i] = page.blocks[i + 1];
    page.blocks.pop_back();
    page.set(block.payload, false);
    for (Block*& latest : latest_)
        if (latest == &block) latest = nullptr;
    searched_ = 0;
    if (page.blocks.empty())
        for_words(starting_, number, number + 1, [](u64& word, u64 mask) { word &= ~mask; });
    block.state = BlockState::Unused;
    block.set_next(spare_);
    spare_ = &block;
}

void FollowedWindow::remove_memory(Address begin, usize bytes) {
    if (memory_ == nullptr) return;
    searched_ = 0;
    // Whole pages of this window.
    const Address end = begin + bytes - base_ < kWindow ? begin + bytes - base_ : kWindow;
    const Address from = begin < base_ ? 0 : begin - base_ + below(kPageBits);
    for_words(memory_, from >> kPageBits, end >> kPageBits, [](u64& word, u64 mask) { word &= ~mask; });
}

Block* FollowedWindow::find(Address payload) {
    Page* page = this->page(page_of(payload));
    if (page == nullptr || !page->has(payload)) return nullptr;
    Block* block = page->blocks[page->rank(payload)];
    return block->payload == payload ? block : nullptr;
}

Block* FollowedWindow::around(Address a) {
    Block*& latest = latest_at(a);
    if (latest != nullptr && latest->contains(a)) return latest;
    if (!is_memory(a)) return nullptr;
    u64 number = page_of(a);
    Page* page = this->page(number);
    u32 rank = page == nullptr ? 0 : page->rank(a) + (page->has(a) ? 1 : 0);
    if (rank == 0) {
        if (number > searched_ || number <= found_) {
            found_ = bit_before_through(starting_, memory_, number);
            searched_ = found_ == kPages ? 0 : number;
        }
        number = found_;
        if (number == kPages) return nullptr;
        page = this->page(number);
        rank = static_cast<u32>(page->blocks.size());
    }
    Block* block = page->blocks[rank - 1];
    return block->contains(a) ? latest = block : nullptr;
}

Block* FollowedWindow::first_in(Address begin, Address end) {
    if (starting_ == nullptr) return nullptr;
    begin = begin < base_ ? base_ : (begin + 7) & ~Address{7};
    if (end - base_ > kWindow) end = base_ + kWindow;
    if (begin >= end) return nullptr;
    Block* block = nullptr;
    Page* page = this->page(page_of(begin));
    if (const u32 rank = page == nullptr ? 0 : page->rank(begin);
        page != nullptr && rank < page->blocks.size()) {
        block = page->blocks[rank];
    } else if (const u64 number = bit_from(starting_, page_of(begin) + 1, page_of(end - 1) + 1);
               number != kPages) {
        block = this->page(number)->blocks[0];
    }
    return block != nullptr && block->payload < end ? block : nullptr;
}

bool FollowedWindow::is_memory(Address a) const { return memory_ != nullptr && has_bit(memory_, page_of(a)); }

void FollowedWindow::cut(Address a, Address* begin, Address* end) const {
    if (memory_ == nullptr) return;
    const u64 low = *begin < base_ ? 0 : page_of(*begin);
    const u64 high = *end - base_ > kWindow ? kPages : page_of(*end - 1) + 1;
    if (const u64 last = bit_before(memory_, low, page_of(a)); last != kPages) *begin = address_of(last + 1);
    if (const u64 next = bit_from(memory_, page_of(a), high); next != kPages) *end = address_of(next);
}

void FollowedWindow::give_back_pages() {
    if (leaves_ == nullptr) return;
    for (u64 i = 0; i < kPages; ++i) {
        if (leaves_[i >> kLeafBits] == nullptr) {
            i |= below(kLeafBits);
        } else if (Page*& page = leaves_[i >> kLeafBits][i & below(kLeafBits)]; page != nullptr) {
            page->~Page();
            rt::release(page);
            page = nullptr;
        }
    }
}

// All windows

FollowedWindow& FollowedBlocks::make_window(Address a) {
    CHECK_LT(number_of(a), kWindows);
    FollowedWindow*& made = windows_[number_of(a)];
    if (made == nullptr)
        made = new (rt::allocate(sizeof(FollowedWindow), "memspy.followed")) FollowedWindow{};
    return *made;
}

void FollowedBlocks::remove_memory(Address begin, usize bytes) {
    for (u64 i = number_of(begin); i <= number_of(begin + bytes) && i < kWindows; ++i)
        if (windows_[i] != nullptr) windows_[i]->remove_memory(begin, bytes);
}

Block* FollowedBlocks::find(Address payload) {
    FollowedWindow* const own = window(payload);
    return own == nullptr ? nullptr : own->find(payload);
}

Block* FollowedBlocks::around(Address a) {
    FollowedWindow* const own = window(a);
    return own == nullptr ? nullptr : own->around(a);
}

Block* FollowedBlocks::first_in(Address begin, Address end) {
    for (u64 i = number_of(begin); i <= number_of(end - 1) && i < kWindows; ++i)
        if (windows_[i] != nullptr)
            if (Block* block = windows_[i]->first_in(begin, end)) return block;
    return nullptr;
}

bool FollowedBlocks::is_memory(Address a) const {
    const FollowedWindow* const own = window(a);
    return own != nullptr && own->is_memory(a);
}

void FollowedBlocks::cut(Address a, Address* begin, Address* end) const {
    if (const FollowedWindow* const own = window(a)) own->cut(a, begin, end);
}

void FollowedBlocks::clear() {
    for (Address from = 0; Block* block = first_in(from, ~Address{0});) {
        from = block->payload;
        remove(*block);
    }
    remove_memory(0, usize{1} << 47);
    for (FollowedWindow*& made : windows_) {
        if (made == nullptr) continue;
        made->give_back_pages();
        rt::release(made);
        made = nullptr;
    }
}

}  // namespace memspy::heap
