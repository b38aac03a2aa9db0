// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/description.h"

namespace memspy::machine {
namespace {

struct TextWords {
    const char* begin;
    const char* end;

    std::uint64_t length() const { return static_cast<std::uint64_t>(end - begin); }
    bool is(const char* word) const {
        const char* at = begin;
        for (; *word != '\0'; ++word, ++at)
            if (at == end || *at != *word) return false;
        return at == end;
    }
    // Removes `word` from the beginning; false if the text does not begin with it.
    bool cut(const char* word) {
        const char* at = begin;
        for (; *word != '\0'; ++word, ++at)
            if (at == end || *at != *word) return false;
        begin = at;
        return true;
    }
};

TextWords trimmed(TextWords words) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (words.begin != words.end && blank(*words.begin)) ++words.begin;
    while (words.begin != words.end && blank(words.end[-1])) --words.end;
    return words;
}

// Digits, and K or M for 1024 and 1024 squared.
bool number(TextWords words, std::uint64_t& value) {
    value = 0;
    if (words.begin == words.end) return false;
    const char* at = words.begin;
    for (; at != words.end && *at >= '0' && *at <= '9'; ++at) {
        if (value > UINT64_MAX / 1000) return false;
        value = value * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    if (at == words.begin) return false;
    if (at != words.end && *at == 'K') return value *= 1024, at + 1 == words.end;
    if (at != words.end && *at == 'M') return value *= 1024 * 1024, at + 1 == words.end;
    return at == words.end;
}

bool yes_or_no(TextWords words, bool& value) {
    value = words.is("yes");
    return value || words.is("no");
}

bool is_power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

bool set_cache(CacheDescription& cache, TextWords key, TextWords value) {
    bool flag = false;
    std::uint64_t amount = 0;
    if (key.is("inclusive")) return yes_or_no(value, cache.inclusive);
    if (key.is("exclusive")) return yes_or_no(value, cache.exclusive);
    if (key.is("policy")) {
        flag = value.is("plru");
        cache.pseudo_lru = flag;
        return flag || value.is("lru");
    }
    if (key.is("shared") && value.is("all")) return cache.shared = 0, true;
    std::uint64_t* const place = key.is("size")     ? &cache.size
                                 : key.is("line")   ? &cache.line
                                 : key.is("ways")   ? &cache.ways
                                 : key.is("cycles") ? &cache.cycles
                                 : key.is("shared") ? &cache.shared
                                                    : &amount;
    return number(value, *place) || place == &amount;
}

bool set_tlb(TlbDescription& tlb, TextWords key, TextWords value) {
    std::uint64_t amount = 0;
    std::uint64_t* const place = key.is("entries")  ? &tlb.entries
                                 : key.is("ways")   ? &tlb.ways
                                 : key.is("cycles") ? &tlb.cycles
                                                    : &amount;
    return number(value, *place) || place == &amount;
}

bool set(Description& description, TextWords key, TextWords value) {
    static constexpr const char* kCaches[] = {"l1.", "l2.", "l3.", "l4."};
    for (unsigned i = 0; i < kMaxLevels; ++i) {
        if (!key.cut(kCaches[i])) continue;
        if (description.cache_levels < i + 1) description.cache_levels = i + 1;
        return set_cache(description.caches[i], key, value);
    }
    static constexpr const char* kTlbs[] = {"tlb1.", "tlb2."};
    for (unsigned i = 0; i < kMaxTlbs; ++i) {
        if (!key.cut(kTlbs[i])) continue;
        if (description.tlb_levels < i + 1) description.tlb_levels = i + 1;
        return set_tlb(description.tlbs[i], key, value);
    }
    if (key.is("name")) {
        std::uint64_t i = 0;
        for (; i + 1 < sizeof description.name && i < value.length(); ++i)
            description.name[i] = value.begin[i];
        description.name[i] = '\0';
        return true;
    }
    if (key.is("prefetch")) return yes_or_no(value, description.prefetch);
    std::uint64_t amount = 0;
    std::uint64_t* const place = key.is("page")              ? &description.page
                                 : key.is("memory.cycles")   ? &description.memory_cycles
                                 : key.is("remote.cycles")   ? &description.remote_cycles
                                 : key.is("transfer.cycles") ? &description.transfer_cycles
                                                             : &amount;
    return place == &amount || number(value, *place);
}

// Null if a hierarchy can be made from it.
const char* fault_of(const Description& description) {
    if (description.cache_levels == 0) return "no cache is described: l1.size, l1.ways, l1.line";
    for (unsigned i = 0; i < description.cache_levels; ++i) {
        const CacheDescription& cache = description.caches[i];
        if (cache.size == 0 || cache.ways == 0) return "a cache has no size or no ways";
        if (!is_power_of_two(cache.line) || cache.line < 16 || cache.line > 512)
            return "a line is a power of two from 16 to 512 bytes";
        if (cache.line != description.caches[0].line) return "all levels have lines of one length";
        if (cache.size % (cache.line * cache.ways) != 0) return "a cache is not a whole number of sets";
        if (cache.ways > 64) return "a cache has more than 64 ways";
        if (cache.size > std::uint64_t{1} << 31) return "a cache is larger than 2 GB";
        if (cache.pseudo_lru && !is_power_of_two(cache.ways))
            return "policy = plru needs a power of two of ways";
        if (i > 0 && cache.exclusive && cache.inclusive) return "a cache is inclusive or exclusive, not both";
    }
    for (unsigned i = 0; i < description.tlb_levels; ++i) {
        const TlbDescription& tlb = description.tlbs[i];
        if (tlb.entries == 0 || tlb.entries > 65536) return "a TLB has 1 to 65536 entries";
        if (tlb.ways != 0 && tlb.entries % tlb.ways != 0) return "a TLB is not a whole number of sets";
    }
    if (!is_power_of_two(description.page) || description.page < 1024)
        return "page is a power of two from 1024";
    return nullptr;
}

}  // namespace

bool parse(const char* text, std::uint64_t length, Description& description, const char*& problem,
           unsigned& line) {
    line = 0;
    const char* const end = text + length;
    for (const char* at = text; at < end;) {
        ++line;
        const char* stop = at;
        while (stop != end && *stop != '\n') ++stop;
        const char* comment = at;
        while (comment != stop && *comment != '#') ++comment;
        const TextWords words = trimmed({at, comment});
        at = stop == end ? end : stop + 1;
        if (words.begin == words.end) continue;
        const char* equals = words.begin;
        while (equals != words.end && *equals != '=') ++equals;
        if (equals == words.end) {
            problem = "no line 'key = value'";
            return false;
        }
        if (!set(description, trimmed({words.begin, equals}), trimmed({equals + 1, words.end}))) {
            problem = "a value that does not fit its key";
            return false;
        }
    }
    problem = fault_of(description);
    return problem == nullptr;
}

}  // namespace memspy::machine
