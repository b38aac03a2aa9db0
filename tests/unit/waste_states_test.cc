// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the states of bytes (pending, and whose store) and the values that threads loaded last are those of a
// plain model with a record for each byte, for random loads and stores of all sizes and alignments, ranges,
// blocks that move, and ends of life; and that grains have the number of the block that was set last, in small and large blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "analyses/waste/byte_states.h"
#include "analyses/waste/loaded_values.h"
#include "heap/grains.h"

using namespace memspy;
using namespace memspy::waste;

namespace {

constexpr Address kBase = Address{5} << kStateLeafBits;
constexpr u32 kBytes = 96;

struct ModelByte {
    bool pending = false;
    ContextNumber context = 0;
    std::map<u32, u8> loaded;  // by thread
};
// Dead bytes by (dead, killer).
using DeadBytes = std::map<std::pair<ContextNumber, ContextNumber>, u64>;

class StatesBesideModel {
public:
    StatesBesideModel() { values_.start(states_); }

    template <u32 bytes>
    void store(u32 at, ContextNumber context) {
        const auto kill = [&](Address, ContextNumber dead, u32 count) { found_[{dead, context}] += count; };
        // As the analysis does: the short way first.
        if (!states_.store_new<bytes>(kBase + at, context)) states_.stored<bytes>(kBase + at, context, kill);
        end_in_model(at, bytes, context);
        for (u32 i = at; i < at + bytes; ++i) {
            model_[i].pending = true;
            model_[i].context = context;
            memory_[i] = static_cast<u8>(random_() % 3);
        }
    }
    template <u32 bytes>
    void load(u32 at, u32 thread) {
        values_.switch_to(thread);
        const u8* const value = memory_.data() + at;
        bool same = true, pending = false, known = true;
        u32 used = 0;
        for (u32 i = at; i < at + bytes; ++i) {
            auto [last, is_new] = model_[i].loaded.try_emplace(thread, memory_[i]);
            known = known && !is_new;
            pending = pending || model_[i].pending;
            used += model_[i].pending;
            same = same && !is_new && last->second == memory_[i];
            last->second = memory_[i];
            model_[i].pending = false;
        }
        u8* const last = values_.find_known<bytes>(kBase + at);
        ASSERT_EQ(last != nullptr, known && !pending);
        if (last != nullptr) {
            ASSERT_EQ(LoadedValues::is_same<bytes>(last, value), u64{same});
        }
        const LoadedValues::LoadOutcome outcome = values_.loaded<bytes>(kBase + at, value);
        ASSERT_EQ(outcome.same, u64{same});
        ASSERT_EQ(outcome.known, u64{known});
        ASSERT_EQ(outcome.used, used);
    }
    void end(u32 at, u32 bytes, ContextNumber context) {
        states_.ended(kBase + at, bytes, [&](Address, ContextNumber dead, u32 count) {
            found_[{dead, context}] += count;
        });
        end_in_model(at, bytes, context);
    }
    // Two blocks of half the bytes each.
    void move(u32 groups, bool up) {
        const u32 half = kBytes / 2, from = up ? 0 : half, to = up ? half : 0;
        end(to, half, 1);
        states_.moved(kBase + from, kBase + to, 8 * groups);
        values_.moved(kBase + from, kBase + to, 8 * groups);
        for (u32 i = 0; i < 8 * groups; ++i) {
            model_[to + i] = model_[from + i];
            memory_[to + i] = memory_[from + i];
            model_[from + i].pending = false;
        }
    }
    void step() {
        const u32 at = static_cast<u32>(random_() % 60), thread = static_cast<u32>(random_() % 2);
        const auto context = static_cast<ContextNumber>(1 + random_() % 4);
        switch (random_() % 15) {
            case 0: return store<1>(at, context);
            case 1: return store<2>(at, context);
            case 2: return store<4>(at, context);
            case 3: return store<8>(at, context);
            case 4: return store<16>(at, context);
            case 5: return store<32>(at, context);
            case 6: return load<1>(at, thread);
            case 7: return load<2>(at, thread);
            case 8: return load<4>(at, thread);
            case 9: return load<8>(at, thread);
            case 10: return load<16>(at, thread);
            case 11: return load<32>(at, thread);
            case 13: return move(static_cast<u32>(random_() % 7), at % 2 == 0);
            case 12: return end(at, static_cast<u32>(random_() % 30), context);
            default: return store<1>(at & ~3u, context);
        }
    }
    bool agrees() const { return found_ == wanted_; }

private:
    void end_in_model(u32 at, u32 bytes, ContextNumber killer) {
        for (u32 i = at; i < at + bytes; ++i) {
            if (model_[i].pending) ++wanted_[{model_[i].context, killer}];
            model_[i].pending = false;
        }
    }

    std::mt19937 random_{7};
    ByteStates states_;
    LoadedValues values_;
    std::vector<u8> memory_ = std::vector<u8>(kBytes);
    ModelByte model_[kBytes];
    DeadBytes found_, wanted_;
};

TEST(WasteStates, AsAPlainModel) {
    auto both = std::make_unique<StatesBesideModel>();
    for (u32 i = 0; i < 200'000; ++i) {
        both->step();
        ASSERT_FALSE(HasFatalFailure());
    }
    EXPECT_TRUE(both->agrees());
}

TEST(Grains, AsAPlainModel) {
    std::mt19937 random(3);
    heap::Grains grains;
    grains.start();
    struct Placed {
        usize bytes;
        u32 number;
    };
    std::map<Address, Placed> blocks;
    // Slots of 256 KiB, so that the largest blocks have whole chunks of their own.
    constexpr Address kFirst = 0x4000'5000, kSlot = 256 << 10;
    for (u32 step = 0; step < 3'000; ++step) {
        const Address at = kFirst + kSlot * (random() % 16) + 16 * (random() % 2);
        const auto found = std::find_if(blocks.begin(), blocks.end(),
                                        [&](const auto& each) { return each.first / 64 == at / 64; });
        if (found != blocks.end()) {
            grains.set(found->first, found->second.bytes, 0);
            blocks.erase(found);
        } else {
            const usize bytes = random() % 3 == 0 ? random() % 250'000 : random() % 300;
            blocks[at] = {bytes, static_cast<u32>(1 + random() % 5)};
            grains.set(at, bytes, blocks[at].number);
        }
        for (u32 probe = 0; probe < 20; ++probe) {
            const Address a = kFirst + random() % (16 * kSlot);
            u32 wanted = 0;
            for (const auto& [begin, block] : blocks)
                if (a >= begin && a < begin + (block.bytes + 15) / 16 * 16) wanted = block.number;
            ASSERT_EQ(grains.at(a), wanted);
        }
    }
}

}  // namespace
