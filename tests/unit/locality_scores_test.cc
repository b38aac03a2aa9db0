// SPDX-License-Identifier: GPL-2.0-or-later
//
// Locality's scores: those of the matrix product are the published ones, sampled ones are within 0.02 of exact ones
// for ten different programs' accesses, and where they are not their errors are told. Compiled without sanitizers, because it needs many
// accesses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "locality_streams.h"

namespace memspy::locality {
namespace {

// c[i][j] += a[i][k] * b[k][j]; each step loads a, b, c and stores c, `wide` words at a time.
void matrix_product(u32 n, const char* order, u32 wide, const std::function<void(Word, bool)>& access) {
    const Word a = 0x10000, b = a + n * n + 40, c = b + n * n + 40;
    u32 at[3];
    u32& i = at[0];
    u32& j = at[1];
    u32& k = at[2];
    auto axis = [&](u32 level) -> u32& { return at[order[level] - 'i']; };
    for (axis(0) = 0; axis(0) < n; ++axis(0))
        for (axis(1) = 0; axis(1) < n; ++axis(1))
            for (axis(2) = 0; axis(2) < n; axis(2) += wide) {
                access(a + i * n + k, false);  // one, whatever the width: k is not the inner loop then
                for (u32 w = 0; w < wide; ++w) access(b + k * n + j + w, false);
                for (u32 w = 0; w < wide; ++w) access(c + i * n + j + w, false);
                for (u32 w = 0; w < wide; ++w) access(c + i * n + j + w, true);
            }
}

struct Product {
    const char* order;
    double spatial, temporal;
};
constexpr Product kProducts[] = {{"ijk", .250, .388}, {"jik", .250, .388}, {"jki", .000, .388},
                                 {"kji", .002, .388}, {"ikj", .571, .586}, {"kij", .569, .586}};

TEST(Locality, MatrixProductHasThePublishedScores) {
    for (const Product& product : kProducts) {
        const auto streams = make({});
        matrix_product(128, product.order, product.order[2] == 'j' ? 2 : 1,
                       [&](Word word, bool) { tell(*streams, {.word = word, .thread = 1}); });
        const StreamFigures figures = figures_of(*streams, StreamKind::All);
        EXPECT_NEAR(figures.spatial, product.spatial, .0015) << product.order;
        EXPECT_NEAR(figures.temporal, product.temporal, .0015) << product.order;
    }
}

// Sampling costs little precision: accesses of twelve different programs, a sampled and an exact run of each.
TEST(Locality, SampledScoresAreWithinTwoHundredths) {
    using Emit = std::function<void(Word, u32)>;
    std::mt19937 engine(11);
    const auto random = [&] { return static_cast<u32>(engine()); };
    std::vector<u32> shuffled(60'000);
    for (u32 i = 0; i < shuffled.size(); ++i) shuffled[i] = i;
    std::shuffle(shuffled.begin(), shuffled.end(), engine);
    constexpr u32 n = 1'000'000;
    const std::vector<std::pair<const char*, std::function<void(const Emit&)>>> programs = {
        {"product ijk", [](const Emit& f) { matrix_product(64, "ijk", 1, [&](Word w, bool) { f(w, 1); }); }},
        {"product jki", [](const Emit& f) { matrix_product(64, "jki", 1, [&](Word w, bool) { f(w, 1); }); }},
        {"product ikj", [](const Emit& f) { matrix_product(64, "ikj", 1, [&](Word w, bool) { f(w, 1); }); }},
        {"walk",
         [](const Emit& f) {
             for (u32 i = 0; i < n; ++i) f(i % 50'000, 1);
         }},
        {"stream",
         [](const Emit& f) {
             for (u32 i = 0; i < n; ++i) f(i, 1);
         }},
        {"shuffled",
         [&](const Emit& f) {
             for (u32 i = 0; i < n; ++i) f(shuffled[i % shuffled.size()], 1);
         }},
        {"random",
         [&](const Emit& f) {
             for (u32 i = 0; i < n; ++i) f(random() % 30'000, 1);
         }},
        {"stencil",
         [](const Emit& f) {
             for (u32 s = 0; s < 6; ++s)
                 for (u32 y = 1; y < 199; ++y)
                     for (u32 x = 1; x < 199; ++x) {
                         for (const u32 at : {y * 200 + x, y * 200 + x - 1, y * 200 + x + 1,
                                              y * 200 + x - 200, y * 200 + x + 200})
                             f(at, 1);
                         f(100'000 + y * 200 + x, 2);
                     }
         }},
        {"hot and cold",
         [&](const Emit& f) {
             for (u32 i = 0; i < n; ++i)
                 if (i % 3 == 0)
                     f(random() % 200'000, 1);
                 else
                     f(500'000 + random() % 20, 2);
         }},
        // A word of the columns comes back after a column: just above the distances that bursts show.
        {"transposed copy",
         [](const Emit& f) {
             for (u32 i = 0; i < 1200; ++i)
                 for (u32 j = 0; j < 1200; ++j) {
                     if (j % 2 == 0) f(i * 600 + j / 2, 1);
                     f(2'000'000 + j * 600 + i / 2, 2);
                 }
         }},
        {"walks just below and above a thousand words",
         [](const Emit& f) {
             for (u32 i = 0; i < n; ++i) {
                 f(i % 900, 1);
                 f(10'000 + i % 1100, 2);
                 f(20'000 + i % 2500, 3);
             }
         }},
        {"phases", [&](const Emit& f) {
             for (u32 i = 0; i < n; ++i) f(i % 10'000 < 5'000 ? i % 700 : random() % 3'000, 1);
         }}};
    for (const auto& [name, program] : programs) {
        // A shorter first stage than in the tool, so that fewer accesses are enough to leave it.
        const auto exact = make({}),
                   sampled =
                       make({.exact = false, .burst = 1 << 13, .first_stage = 1 << 17, .stage = 1 << 17});
        u64 seen = 0;
        engine.seed(5);
        program([&](Word word, u32 object) {
            const WordAccess a{.word = word, .thread = 1, .object = object, .function = 1, .line = 1};
            tell(*exact, a);
            if (sampled->wants(word)) {
                sampled->access(a);
                ++seen;
            }
            sampled->advance(1);
        });
        exact->for_each([&](Stream& stream) {
            const StreamFigures is = exact->figures(stream);
            const StreamFigures told = figures_of(*sampled, stream.kind, stream.first, stream.second);
            EXPECT_NEAR(told.spatial, is.spatial, .02) << name << " object " << stream.first;
            EXPECT_NEAR(told.temporal, is.temporal, .02) << name << " object " << stream.first;
            EXPECT_NEAR(static_cast<double>(told.accesses) / static_cast<double>(is.accesses), 1, .05)
                << name;
        });
        EXPECT_EQ(sampled->accesses(), exact->accesses());
        EXPECT_LT(seen, exact->accesses());
    }
}

// A program's parts take turns, as in a solver: each part walks through its own arrays in its own way.
void take_turns(u32 seed, u32 accesses, const std::function<void(const WordAccess&)>& access) {
    std::mt19937 engine(seed);
    const auto random = [&](u32 below) { return static_cast<u32>(engine()) % below; };
    struct Part {
        u32 object, words, step, repeat, length;
        bool shuffled;
    };
    std::vector<Part> parts;
    for (u32 function = 0; function < 6; ++function)
        parts.push_back({.object = 1 + random(4),
                         .words = 200 + random(9'000),
                         .step = 1 + random(2) * random(40),
                         .repeat = 1 + random(3),
                         .length = 2'000 + random(30'000),
                         .shuffled = random(5) == 0});
    std::vector<u32> at(parts.size());
    for (u32 done = 0; done < accesses;) {
        for (u32 i = 0; i < parts.size(); ++i) {
            const Part& part = parts[i];
            for (u32 n = 0; n < part.length; ++n) {
                at[i] = part.shuffled ? random(part.words) : (at[i] + part.step) % part.words;
                for (u32 again = 0; again < part.repeat; ++again)
                    access({.word = part.object * 100'000 + at[i],
                            .thread = 1,
                            .object = part.object,
                            .function = 1 + i,
                            .line = 1 + i});
            }
            done += part.length * part.repeat;
        }
    }
}

// Where a program has few bursts for what it does, the scores' errors are larger, and told. They are standard errors, so
// one score in twenty may differ by more than twice as much, and hardly any by more than four times.
TEST(Locality, ErrorsOfSampledScoresAreTold) {
    u32 scores = 0, beyond_two = 0;
    for (u32 seed = 1; seed <= 12; ++seed) {
        const auto exact = make({}), sampled = make({.exact = false, .first_stage = 1 << 17});
        take_turns(seed, 3'000'000, [&](const WordAccess& access) {
            tell(*exact, access);
            tell(*sampled, access);
        });
        exact->for_each([&](Stream& stream) {
            const StreamFigures is = exact->figures(stream);
            const StreamFigures told = figures_of(*sampled, stream.kind, stream.first, stream.second);
            const auto compare = [&](double a, double b, double variance) {
                constexpr double kRounding = .005;
                const double error = std::sqrt(variance);
                ++scores;
                if (std::abs(a - b) > 2 * error + kRounding) ++beyond_two;
                EXPECT_LT(std::abs(a - b), 4 * error + 4 * kRounding)
                    << "seed " << seed << " kind " << static_cast<u32>(stream.kind) << ' ' << stream.first;
            };
            compare(told.spatial, is.spatial, told.spatial_variance);
            compare(told.temporal, is.temporal, told.temporal_variance);
        });
    }
    EXPECT_GT(scores, 600u);
    EXPECT_LT(beyond_two, scores / 20);
}

// A rest below zero, by rounding, made numbers near 2^63 in the profile, which no reader takes.
TEST(Locality, SharesOfSeenReusesAreNotNegative) {
    for (u64 unknown = 0; unknown < 60; ++unknown)
        for (u64 uses = 1; uses < 60; ++uses) {
            SeenReuses reuses;
            reuses.miss(0, unknown);
            reuses.see(0, uses);
            const SeenReuses::Shares shares = reuses.shares();
            EXPECT_GE(shares.longer, 0) << unknown << " unknown, " << uses << " seen";
            EXPECT_NEAR(shares.unknown + shares.buckets[0] + shares.longer, 1, 1e-12);
        }
}

}  // namespace
}  // namespace memspy::locality
