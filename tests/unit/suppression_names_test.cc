// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words of suppressions: each kind's own name matches that kind and no other, Memcheck's names match the
// same errors as in Memcheck, extra lines are parsed or refused, and the suppression generated for an error
// matches it. Wildcards and lists of leak kinds against plain models on random input.
#include "findings/suppression_names.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace memspy;
using namespace memspy::findings;

int failures = 0;

#define EXPECT(condition)                                                       \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
            if (++failures > 20) std::exit(1);                                  \
        }                                                                       \
    } while (false)

constexpr int kKinds = static_cast<int>(FindingKind::Count);
FindingKind kind_at(int i) { return static_cast<FindingKind>(i); }

// A suppression as in a file: the name and, unless null, the extra line.
struct Entry {
    const SuppressionRule* rule;
    std::vector<char> line;
    SuppressionExtra extra;
    bool valid = true;

    explicit Entry(const char* name, const char* text = nullptr) : rule(find_rule(name)) {
        if (rule == nullptr) {
            valid = false;
        } else if (text != nullptr) {
            line.assign(text, text + std::string(text).size() + 1);
            valid = parse_extra(rule->extra, line.data(), extra);
        }
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    bool hides(const ErrorFacts& error) const { return valid && matches(*rule, extra, error); }
};

void own_names() {
    std::set<std::string> names;
    for (int i = 0; i < kKinds; ++i) {
        names.insert(kind_name(kind_at(i)));
        const Entry entry(kind_name(kind_at(i)));
        EXPECT(entry.valid);
        for (int j = 0; j < kKinds; ++j)
            for (usize size : {0, 1, 4, 7, 64})
                EXPECT(entry.hides({.kind = kind_at(j), .size = size, .name = "read(buf)"}) == (i == j));
    }
    EXPECT(names.size() == static_cast<usize>(kKinds));
    EXPECT(names.count("Leak_StillReachable") == 1 && names.count("UninitCondition") == 1);
    EXPECT(find_rule("") == nullptr && find_rule("Leak_") == nullptr && find_rule("leak") == nullptr);
    EXPECT(find_rule("InvalidReadX") == nullptr && find_rule("Addr3") == nullptr);
    for (int i = 0; i < kKinds; ++i) EXPECT(!matches(never_rule(), {}, {.kind = kind_at(i)}));
}

// Kinds made of sums: each has its own name, none of Memcheck's names covers them, they have no extra line,
// and they are not leaks.
void sharing_kinds() {
    const std::map<FindingKind, std::string> names{{FindingKind::FalseSharing, "FalseSharing"},
                                            {FindingKind::TrueSharing, "TrueSharing"},
                                            {FindingKind::Contention, "Contention"},
                                            {FindingKind::RedundantZeros, "RedundantZeros"},
                                            {FindingKind::HeapLimit, "HeapLimit"},
                                            {FindingKind::Race, "Race"},
                                            {FindingKind::LockOrder, "LockOrder"}};
    for (int i = 0; i < kKinds; ++i) EXPECT(is_summed(kind_at(i)) == (names.count(kind_at(i)) == 1));
    for (const auto& [kind, name] : names) {
        EXPECT(kind_name(kind) == name && generated_name(kind) == name);
        EXPECT(!is_leak(kind) && leak_word(kind) == nullptr);
        EXPECT(Entry(name.c_str()).hides({.kind = kind}));
        for (const char* line : {"write(buf)", "match-leak-kinds: all", "fun:main"})
            EXPECT(!Entry(name.c_str(), line).valid);
        for (const char* other : {"Leak", "Addr4", "Value8", "Cond", "Overlap", "User", "Free", "InvalidWrite"})
            EXPECT(!Entry(other).hides({.kind = kind, .size = 4}));
    }
}

void numbers_lead_back() {
    for (const char* name : {"InvalidRead", "Addr4", "Leak", "BadSize", "Param"}) {
        const SuppressionRule* rule = find_rule(name);
        EXPECT(rule != nullptr && &rule_at(number_of(*rule)) == rule && same_text(rule->name, name));
    }
    EXPECT(number_of(never_rule()) == 0);
}

void memcheck_names() {
    struct Meaning {
        const char* name;
        std::set<FindingKind> kinds;
        usize size;
    };
    const std::set<FindingKind> access{FindingKind::InvalidRead, FindingKind::InvalidWrite};
    std::vector<Meaning> meanings{
        {"Cond", {FindingKind::UninitCondition}, 0},
        {"Value0", {FindingKind::UninitCondition}, 0},
        {"Jump", {FindingKind::InvalidJump}, 0},
        {"User", {FindingKind::ClientCheck}, 0},
        {"Mempool", {FindingKind::InvalidMemPool}, 0},
        {"Overlap", {FindingKind::Overlap}, 0},
        {"FishyValue", {FindingKind::FishyValue}, 0},
        {"ReallocZero", {FindingKind::ReallocSizeZero}, 0},
        {"ConflictingAccess", {FindingKind::Race}, 0},
        {"CoreMem", {}, 0},
        {"BadAlign", {}, 0},
        {"BadSize", {}, 0},
        {"SizeMismatch", {FindingKind::MismatchedFree}, 0},
        {"AlignMismatch", {FindingKind::MismatchedFree}, 0},
        {"Free", {FindingKind::InvalidFree, FindingKind::MismatchedFree}, 0},
        {"Leak",
         {FindingKind::Leak_DefinitelyLost, FindingKind::Leak_IndirectlyLost, FindingKind::Leak_PossiblyLost,
          FindingKind::Leak_StillReachable},
         0},
    };
    std::vector<std::string> sized;
    for (int size : {1, 2, 4, 8, 16, 32}) {
        sized.push_back("Addr" + std::to_string(size));
        sized.push_back("Value" + std::to_string(size));
    }
    for (const std::string& name : sized)
        meanings.push_back({name.c_str(), name[0] == 'A' ? access : std::set<FindingKind>{FindingKind::UninitValue},
                            std::stoul(name.substr(name[0] == 'A' ? 4 : 5))});
    for (const Meaning& meaning : meanings) {
        const Entry entry(meaning.name);
        EXPECT(entry.valid);
        for (int i = 0; i < kKinds; ++i)
            for (usize size : {0, 1, 2, 3, 4, 8, 16, 32, 64}) {
                const bool wanted =
                    meaning.kinds.count(kind_at(i)) == 1 && (meaning.size == 0 || meaning.size == size);
                EXPECT(entry.hides({.kind = kind_at(i), .size = size}) == wanted);
            }
    }
}

void parameters() {
    const ErrorFacts write{.kind = FindingKind::SyscallParam, .name = "write(buf)"};
    EXPECT(Entry("Param", "write(buf)").hides(write));
    EXPECT(Entry("SyscallParam", "write(buf)").hides(write));
    EXPECT(Entry("SyscallParam").hides(write));
    EXPECT(Entry("Param", "*(buf)").hides(write));
    EXPECT(Entry("Param", "writ?(buf)").hides(write));
    EXPECT(!Entry("Param", "read(buf)").hides(write));
    EXPECT(!Entry("Param", "write(buf").hides(write));
    EXPECT(!Entry("Param", "write").hides(write));
    EXPECT(!Entry("SyscallParam", "write(count)").hides(write));
    // A buffer that is reported as an invalid access is a parameter, too; an ordinary access is not.
    EXPECT(Entry("Param", "write(buf)").hides({.kind = FindingKind::InvalidRead, .name = "write(buf)"}));
    EXPECT(!Entry("Addr4").hides({.kind = FindingKind::InvalidRead, .size = 4, .name = "write(buf)"}));
    EXPECT(!Entry("Param", "*").hides({.kind = FindingKind::InvalidRead, .size = 4}));
    EXPECT(!Entry("SyscallParam").hides({.kind = FindingKind::InvalidRead, .name = "write(buf)"}));
    EXPECT(!Entry("Param").hides(write));
    EXPECT(!Entry("Param", "}").valid && !Entry("Param", "").valid);
}

void arguments() {
    const ErrorFacts fishy{.kind = FindingKind::FishyValue, .name = "malloc", .argument = "size"};
    EXPECT(Entry("FishyValue", "malloc(size)").hides(fishy));
    EXPECT(Entry("FishyValue").hides(fishy));
    EXPECT(!Entry("FishyValue", "malloc(count)").hides(fishy));
    EXPECT(!Entry("FishyValue", "calloc(size)").hides(fishy));
    for (const char* bad : {"malloc", "malloc(size", "malloc)size(", "}"})
        EXPECT(!Entry("FishyValue", bad).valid);
}

void leak_kinds() {
    EXPECT(Entry("Leak", "match-leak-kinds: definite").hides({.kind = FindingKind::Leak_DefinitelyLost}));
    EXPECT(!Entry("Leak", "match-leak-kinds: definite").hides({.kind = FindingKind::Leak_PossiblyLost}));
    for (const char* bad : {"match-leak-kinds:", "match-leak-kinds: definit", "match-leak-kinds: definite,",
                            "match-leak-kinds: ,definite", "match-leak-kinds: definite possible", "definite",
                            "match-leak-kind: definite", "match-leak-kinds: Definite"})
        EXPECT(!Entry("Leak", bad).valid);
    EXPECT(!Entry("InvalidRead", "match-leak-kinds: definite").valid);

    // Random lists with random blanks against a set.
    const std::map<std::string, std::set<FindingKind>> words{
        {"definite", {FindingKind::Leak_DefinitelyLost}},
        {"indirect", {FindingKind::Leak_IndirectlyLost}},
        {"possible", {FindingKind::Leak_PossiblyLost}},
        {"reachable", {FindingKind::Leak_StillReachable}},
        {"none", {}},
        {"all",
         {FindingKind::Leak_DefinitelyLost, FindingKind::Leak_IndirectlyLost, FindingKind::Leak_PossiblyLost,
          FindingKind::Leak_StillReachable}},
    };
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string text = "match-leak-kinds:";
        std::set<FindingKind> wanted;
        const auto count = 1 + random() % 4;
        for (auto left = count; left > 0; --left) {
            auto word = std::next(words.begin(), static_cast<long>(random() % words.size()));
            wanted.insert(word->second.begin(), word->second.end());
            text += std::string(random() % 3, ' ') + word->first + std::string(random() % 2, '\t');
            if (left > 1) text += ',';
        }
        const Entry entry("Leak", text.c_str());
        EXPECT(entry.valid);
        for (int i = 0; i < kKinds; ++i)
            EXPECT(entry.hides({.kind = kind_at(i)}) == (wanted.count(kind_at(i)) == 1));
    }
}

// The suppression printed by --gen-suppressions for an error hides it, and no error of another kind.
void generated() {
    for (int i = 0; i < kKinds; ++i) {
        const bool fishy = kind_at(i) == FindingKind::FishyValue;
        const ErrorFacts error{
            .kind = kind_at(i), .size = 4, .name = fishy ? "malloc" : "write(buf)", .argument = "size"};
        std::string line;
        if (const char* word = leak_word(kind_at(i))) line = std::string("match-leak-kinds: ") + word;
        if (kind_at(i) == FindingKind::SyscallParam) line = error.name;
        if (fishy) line = std::string(error.name) + "(" + error.argument + ")";
        EXPECT((leak_word(kind_at(i)) != nullptr) == is_leak(kind_at(i)));
        const Entry entry(generated_name(kind_at(i)), line.empty() ? nullptr : line.c_str());
        EXPECT(entry.valid);
        for (int j = 0; j < kKinds; ++j) {
            ErrorFacts other = error;
            other.kind = kind_at(j);
            EXPECT(entry.hides(other) == (i == j));
        }
    }
}

// Wildcards by definition: exponential, for short strings.
bool model_glob(const char* pattern, const char* text) {
    if (*pattern == '\0') return *text == '\0';
    if (*pattern == '*')
        return model_glob(pattern + 1, text) || (*text != '\0' && model_glob(pattern, text + 1));
    return *text != '\0' && (*pattern == '?' || *pattern == *text) && model_glob(pattern + 1, text + 1);
}

void globs() {
    std::mt19937 random(2);
    int hits = 0;
    for (int round = 0; round < 200000; ++round) {
        std::string pattern, text;
        for (auto i = random() % 7; i > 0; --i) pattern += "ab*?"[random() % 4];
        for (auto i = random() % 9; i > 0; --i) text += "ab*"[random() % 12 == 0 ? 2 : random() % 2];
        const bool wanted = model_glob(pattern.c_str(), text.c_str());
        hits += wanted ? 1 : 0;
        if (matches_glob(pattern.c_str(), text.c_str()) != wanted) {
            std::printf("pattern \"%s\" text \"%s\"\n", pattern.c_str(), text.c_str());
            EXPECT(!"wildcards differ from the model");
        }
    }
    EXPECT(hits > 10000 && hits < 190000);
    // Many stars over a long text that does not match must not take exponential time.
    EXPECT(!matches_glob("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a').c_str()));
}

// A suppression file may have any bytes: parsing must stay inside the line (AddressSanitizer checks that).
void noise() {
    std::mt19937 random(3);
    const std::string letters = "match-leak-kinds: definite,possible()*?}\t ";
    const ExtraLine forms[] = {ExtraLine::None, ExtraLine::Parameter, ExtraLine::OptionalParameter,
                               ExtraLine::LeakKinds, ExtraLine::Argument};
    for (int round = 0; round < 100000; ++round) {
        std::string text = random() % 2 ? "match-leak-kinds:" : "";
        for (auto i = random() % 24; i > 0; --i) text += letters[random() % letters.size()];
        std::vector<char> line(text.begin(), text.end());
        line.push_back('\0');
        SuppressionExtra extra;
        if (!parse_extra(forms[random() % 5], line.data(), extra)) continue;
        EXPECT(extra.name == nullptr ||
               (extra.name >= line.data() && extra.name < line.data() + line.size()));
        EXPECT((extra.leak_kinds & ~kAllLeaks) == 0);
    }
}

}  // namespace

int main() {
    own_names();
    sharing_kinds();
    numbers_lead_back();
    memcheck_names();
    parameters();
    arguments();
    leak_kinds();
    generated();
    globs();
    noise();
    if (failures == 0) std::printf("suppression names: all as expected\n");
    return failures == 0 ? 0 : 1;
}
