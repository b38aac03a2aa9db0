// SPDX-License-Identifier: GPL-2.0-or-later
#include "advice/advice.h"

#include "advice/words.h"
#include "rt/prefix.h"

namespace memspy::advice {
namespace {

constexpr const char* kRemedies[] = {
#define MEMSPY_REMEDY(name, word) word,
#define MEMSPY_LAYOUT(name, word) word,
#include "advice/remedies.def"
};
constexpr bool kLayouts[] = {
#define MEMSPY_REMEDY(name, word) false,
#define MEMSPY_LAYOUT(name, word) true,
#include "advice/remedies.def"
};
constexpr const char* kMeans[] = {"alignas", "first-member", "repr", "padding"};
constexpr const char* kRoles[] = {"subject", "other", "place", "change"};
constexpr const char* kUsers[] = {"", "one", "several"};

}  // namespace

const char* word(Remedy remedy) { return kRemedies[static_cast<usize>(remedy)]; }
const char* word(Means means) { return kMeans[static_cast<usize>(means)]; }
const char* word(ItemRole role) { return kRoles[static_cast<usize>(role)]; }
const char* word(Users users) { return kUsers[static_cast<usize>(users)]; }
Remedy remedy_of(const char* word) { return value_of<Remedy>(word, kRemedies); }
Means means_of(const char* word) { return value_of<Means>(word, kMeans); }
ItemRole role_of(const char* word) { return value_of<ItemRole>(word, kRoles); }
Users users_of(const char* word) { return value_of<Users>(word, kUsers); }
bool is_layout(Remedy remedy) { return kLayouts[static_cast<usize>(remedy)]; }

bool is_record(const char* type) {
    constexpr const char* kRecords[] = {"struct ", "class ", "union "};
    return rt::starts_with_one_of(type, kRecords) || rt::contains(type, " (");
}

}  // namespace memspy::advice
