// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: each function that memspy puts in place of one of libc's gives the same result and leaves the same
// memory behind, on random operands; it touches no byte outside its operands (they stand flush against
// inaccessible pages at either end); it reports overlap exactly when its operands overlap, and still copies
// right; and the _FORTIFY_SOURCE forms stop exactly at the size of the destination.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <wchar.h>

#include <strings.h>
#include <clocale>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>

#include "hooks.h"

extern "C" {
#define UNDER_TEST(name) under_test_##name
void* UNDER_TEST(memmove)(void*, const void*, size_t);
void* UNDER_TEST(memcpy)(void*, const void*, size_t);
void* UNDER_TEST(public_memcpy)(void*, const void*, size_t);
void* UNDER_TEST(public___memcpy_chk)(void*, const void*, size_t, size_t);
void* UNDER_TEST(__memmove_chk)(void*, const void*, size_t, size_t);
void* UNDER_TEST(__mempcpy_chk)(void*, const void*, size_t, size_t);
void* UNDER_TEST(__memset_chk)(void*, int, size_t, size_t);
void* UNDER_TEST(mempcpy)(void*, const void*, size_t);
void UNDER_TEST(bcopy)(const void*, void*, size_t);
void* UNDER_TEST(memset)(void*, int, size_t);
int UNDER_TEST(memcmp)(const void*, const void*, size_t);
int UNDER_TEST(bcmp)(const void*, const void*, size_t);
void* UNDER_TEST(memchr)(const void*, int, size_t);
void* UNDER_TEST(memrchr)(const void*, int, size_t);
void* UNDER_TEST(rawmemchr)(const void*, int);
size_t UNDER_TEST(strlen)(const char*);
size_t UNDER_TEST(strnlen)(const char*, size_t);
char* UNDER_TEST(strcpy)(char*, const char*);
char* UNDER_TEST(stpcpy)(char*, const char*);
char* UNDER_TEST(strncpy)(char*, const char*, size_t);
char* UNDER_TEST(stpncpy)(char*, const char*, size_t);
char* UNDER_TEST(strcat)(char*, const char*);
char* UNDER_TEST(strncat)(char*, const char*, size_t);
size_t UNDER_TEST(strlcpy)(char*, const char*, size_t);
size_t UNDER_TEST(strlcat)(char*, const char*, size_t);
char* UNDER_TEST(strchr)(const char*, int);
char* UNDER_TEST(index)(const char*, int);
char* UNDER_TEST(strchrnul)(const char*, int);
char* UNDER_TEST(strrchr)(const char*, int);
char* UNDER_TEST(rindex)(const char*, int);
int UNDER_TEST(strcmp)(const char*, const char*);
int UNDER_TEST(strncmp)(const char*, const char*, size_t);
int UNDER_TEST(strcasecmp)(const char*, const char*);
int UNDER_TEST(strncasecmp)(const char*, const char*, size_t);
int UNDER_TEST(strcasecmp_l)(const char*, const char*, locale_t);
int UNDER_TEST(strncasecmp_l)(const char*, const char*, size_t, locale_t);
char* UNDER_TEST(strstr)(const char*, const char*);
char* UNDER_TEST(strcasestr)(const char*, const char*);
size_t UNDER_TEST(strspn)(const char*, const char*);
size_t UNDER_TEST(strcspn)(const char*, const char*);
char* UNDER_TEST(strpbrk)(const char*, const char*);
char* UNDER_TEST(__strcpy_chk)(char*, const char*, size_t);
char* UNDER_TEST(__stpcpy_chk)(char*, const char*, size_t);
char* UNDER_TEST(__strncpy_chk)(char*, const char*, size_t, size_t);
char* UNDER_TEST(__strcat_chk)(char*, const char*, size_t);
char* UNDER_TEST(__strncat_chk)(char*, const char*, size_t, size_t);
size_t UNDER_TEST(wcslen)(const wchar_t*);
size_t UNDER_TEST(wcsnlen)(const wchar_t*, size_t);
wchar_t* UNDER_TEST(wcscpy)(wchar_t*, const wchar_t*);
wchar_t* UNDER_TEST(wcpcpy)(wchar_t*, const wchar_t*);
wchar_t* UNDER_TEST(wcsncpy)(wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(wcpncpy)(wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(wcscat)(wchar_t*, const wchar_t*);
wchar_t* UNDER_TEST(wcsncat)(wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(wcschr)(const wchar_t*, wchar_t);
wchar_t* UNDER_TEST(wcschrnul)(const wchar_t*, wchar_t);
wchar_t* UNDER_TEST(wcsrchr)(const wchar_t*, wchar_t);
int UNDER_TEST(wcscmp)(const wchar_t*, const wchar_t*);
int UNDER_TEST(wcsncmp)(const wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(wmemcpy)(wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(wmemmove)(wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(wmempcpy)(wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(wmemset)(wchar_t*, wchar_t, size_t);
wchar_t* UNDER_TEST(wmemchr)(const wchar_t*, wchar_t, size_t);
int UNDER_TEST(wmemcmp)(const wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(__wcscpy_chk)(wchar_t*, const wchar_t*, size_t);
wchar_t* UNDER_TEST(__wmemcpy_chk)(wchar_t*, const wchar_t*, size_t, size_t);
}

namespace {

unsigned overlaps = 0;
std::string overlap_function;
size_t overlap_bytes = 0;
std::jmp_buf overflow_exit;

constexpr size_t kPage = 4096;
constexpr int kRounds = 3000;

// One page between two inaccessible ones.
struct Arena {
    unsigned char* begin;

    Arena() {
        auto* memory = static_cast<unsigned char*>(
            mmap(nullptr, 3 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        begin = memory + kPage;
        if (memory == MAP_FAILED || mprotect(begin, kPage, PROT_READ | PROT_WRITE) != 0) abort();
    }
};

// Each operand exists twice, for the replacement and for libc, at the same place in its page.
struct Operand {
    Arena ours, libc;
    size_t offset = 0;

    template <typename T>
    T* mine() const {
        return reinterpret_cast<T*>(ours.begin + offset);
    }
    template <typename T>
    T* theirs() const {
        return reinterpret_cast<T*>(libc.begin + offset);
    }
    bool same_memory() const { return memcmp(ours.begin, libc.begin, kPage) == 0; }
};

Operand left, right;
std::mt19937 generator(20240917);

size_t below(size_t limit) { return limit == 0 ? 0 : generator() % limit; }

size_t some_length() {
    size_t kind = below(10);
    return kind < 5 ? below(24) : kind < 9 ? below(150) : below(700);
}

// A place for `bytes` bytes in the page: its very end, its very beginning, or anywhere.
size_t some_place(size_t bytes, size_t alignment = 1) {
    size_t room = kPage - bytes, kind = below(4);
    size_t place = kind < 2 ? room : kind == 2 ? 0 : below(room + 1);
    return place / alignment * alignment;
}

// Few different characters, so that searches find and comparisons go far; some above 127 and both cases.
template <typename T>
T some_character() {
    static const int kCharacters[] = {'a', 'b', 'A', 'B', 0xe4, 0xc4, 0xff, 'z', '@', '['};
    return static_cast<T>(kCharacters[below(below(3) == 0 ? 10 : 2)]);
}

// Puts `length` random characters (and a NUL, if asked for) at a random place; the rest of the page is noise.
template <typename T>
void place(Operand& operand, size_t length, bool terminated, size_t reserve = 0) {
    size_t total = length + terminated + reserve;
    for (size_t i = 0; i < kPage; i++) operand.ours.begin[i] = static_cast<unsigned char>(0x30 + i % 7);
    operand.offset = some_place(total * sizeof(T), alignof(T));
    T* at = operand.mine<T>();
    for (size_t i = 0; i < length; i++) at[i] = some_character<T>();
    if (terminated) at[length] = 0;
    memcpy(operand.libc.begin, operand.ours.begin, kPage);
}

// Makes `right`, which has room for it, begin as `left`, so that comparisons go further than by chance.
template <typename T>
void share_prefix(size_t length) {
    size_t shared = below(3) == 0 ? length : below(length + 1);
    memcpy(right.mine<T>(), left.mine<T>(), shared * sizeof(T));
    memcpy(right.libc.begin, right.ours.begin, kPage);
}

int sign(int value) { return (value > 0) - (value < 0); }

#define LEFT(T) left.mine<T>()
#define LEFT0(T) left.theirs<T>()
#define RIGHT(T) right.mine<T>()
#define RIGHT0(T) right.theirs<T>()
#define EXPECT_SAME_MEMORY() ASSERT_TRUE(left.same_memory() && right.same_memory())

class Preload : public testing::Test {
  protected:
    void SetUp() override { overlaps = 0; }
    void TearDown() override { EXPECT_EQ(overlaps, expected_overlaps_); }
    unsigned expected_overlaps_ = 0;
};

template <typename F>
bool overflows(F call) {
    if (setjmp(overflow_exit) != 0) return true;
    call();
    return false;
}

// Copies between separate operands.
TEST_F(Preload, CopiesMemory) {
    for (int round = 0; round < 4 * kRounds; round++) {
        size_t bytes = some_length();
        place<char>(left, bytes, false);
        place<char>(right, bytes, false);
        switch (round % 5) {
            case 0: ASSERT_EQ(under_test_memmove(LEFT(char), RIGHT(char), bytes), LEFT(char)); break;
            case 1: ASSERT_EQ(under_test_memcpy(LEFT(char), RIGHT(char), bytes), LEFT(char)); break;
            case 2: ASSERT_EQ(under_test_public_memcpy(LEFT(char), RIGHT(char), bytes), LEFT(char)); break;
            case 3: ASSERT_EQ(under_test_mempcpy(LEFT(char), RIGHT(char), bytes), LEFT(char) + bytes); break;
            case 4: under_test_bcopy(RIGHT(char), LEFT(char), bytes); break;
        }
        memcpy(LEFT0(char), RIGHT0(char), bytes);
        EXPECT_SAME_MEMORY();
    }
}

// Copies within one operand, in both directions and over every distance; memcpy and mempcpy say so, the
// others do not; a copy onto itself is none.
TEST_F(Preload, CopiesOverlappingMemory) {
    for (int round = 0; round < 4 * kRounds; round++) {
        size_t bytes = some_length(), distance = below(bytes < 40 ? bytes + 2 : 70);
        place<char>(left, bytes + distance, false);
        bool up = below(2) == 0;
        size_t to = up ? distance : 0, from = up ? 0 : distance;
        bool overlapping = distance < bytes, reported = false;
        switch (round % 5) {
            case 0: under_test_memmove(LEFT(char) + to, LEFT(char) + from, bytes); break;
            case 1: under_test_memcpy(LEFT(char) + to, LEFT(char) + from, bytes); break;
            case 2: under_test_bcopy(LEFT(char) + from, LEFT(char) + to, bytes); break;
            case 3:
                under_test_public_memcpy(LEFT(char) + to, LEFT(char) + from, bytes);
                reported = overlapping && distance != 0;
                break;
            case 4:
                under_test_mempcpy(LEFT(char) + to, LEFT(char) + from, bytes);
                reported = overlapping && distance != 0;
                break;
        }
        memmove(LEFT0(char) + to, LEFT0(char) + from, bytes);
        expected_overlaps_ += reported;
        ASSERT_EQ(overlaps, expected_overlaps_) << bytes << ' ' << distance << ' ' << up;
        if (reported) {
            ASSERT_EQ(overlap_function, round % 5 == 3 ? "memcpy" : "mempcpy");
            ASSERT_EQ(overlap_bytes, bytes);
        }
        EXPECT_SAME_MEMORY();
    }
    EXPECT_GT(expected_overlaps_, 500U);
}

TEST_F(Preload, FillsMemory) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t bytes = some_length();
        int value = static_cast<int>(generator());
        place<char>(left, bytes, false);
        ASSERT_EQ(under_test_memset(LEFT(char), value, bytes), LEFT(char));
        memset(LEFT0(char), value, bytes);
        EXPECT_SAME_MEMORY();
    }
}

TEST_F(Preload, ComparesMemory) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t bytes = some_length();
        place<char>(left, bytes, false);
        place<char>(right, bytes, false);
        share_prefix<char>(bytes);
        int expected = sign(memcmp(LEFT0(char), RIGHT0(char), bytes));
        ASSERT_EQ(sign(under_test_memcmp(LEFT(char), RIGHT(char), bytes)), expected);
        ASSERT_EQ(under_test_bcmp(LEFT(char), RIGHT(char), bytes) != 0, expected != 0);
    }
}

// memchr and rawmemchr may be given a length beyond the end of the memory if the byte stands before.
TEST_F(Preload, SearchesMemory) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t bytes = some_length();
        place<char>(left, bytes, false);
        int value = some_character<unsigned char>() | static_cast<int>(below(2) << 8);
        auto* expected = memchr(LEFT(char), value, bytes);
        ASSERT_EQ(under_test_memchr(LEFT(char), value, bytes), expected);
        ASSERT_EQ(under_test_memrchr(LEFT(char), value, bytes), memrchr(LEFT(char), value, bytes));
        if (expected != nullptr) {
            ASSERT_EQ(under_test_rawmemchr(LEFT(char), value), expected);
            ASSERT_EQ(under_test_memchr(LEFT(char), value, SIZE_MAX), expected);
        }
    }
}

TEST_F(Preload, MeasuresAndSearchesText) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t length = some_length(), limit = below(2) ? some_length() : SIZE_MAX;
        place<char>(left, length, true);
        int value = below(5) == 0 ? 0 : some_character<unsigned char>();
        ASSERT_EQ(under_test_strlen(LEFT(char)), length);
        ASSERT_EQ(under_test_strnlen(LEFT(char), limit), std::min(length, limit));
        ASSERT_EQ(under_test_strchr(LEFT(char), value), strchr(LEFT(char), value));
        ASSERT_EQ(under_test_index(LEFT(char), value), strchr(LEFT(char), value));
        ASSERT_EQ(under_test_strchrnul(LEFT(char), value), strchrnul(LEFT(char), value));
        ASSERT_EQ(under_test_strrchr(LEFT(char), value), strrchr(LEFT(char), value));
        ASSERT_EQ(under_test_rindex(LEFT(char), value), strrchr(LEFT(char), value));
        place<char>(left, length, false);
        ASSERT_EQ(under_test_strnlen(LEFT(char), length), length);
    }
}

TEST_F(Preload, SearchesTextForText) {
    for (int round = 0; round < 2 * kRounds; round++) {
        place<char>(left, some_length(), true);
        place<char>(right, below(5), true);
        ASSERT_EQ(under_test_strstr(LEFT(char), RIGHT(char)), strstr(LEFT(char), RIGHT(char)));
        ASSERT_EQ(under_test_strcasestr(LEFT(char), RIGHT(char)), strcasestr(LEFT(char), RIGHT(char)));
        ASSERT_EQ(under_test_strspn(LEFT(char), RIGHT(char)), strspn(LEFT(char), RIGHT(char)));
        ASSERT_EQ(under_test_strcspn(LEFT(char), RIGHT(char)), strcspn(LEFT(char), RIGHT(char)));
        ASSERT_EQ(under_test_strpbrk(LEFT(char), RIGHT(char)), strpbrk(LEFT(char), RIGHT(char)));
    }
}

void compare_texts() {
    locale_t locale = duplocale(LC_GLOBAL_LOCALE);
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t length = some_length(), limit = below(2) ? some_length() : SIZE_MAX;
        place<char>(left, length, true);
        place<char>(right, length, true);
        share_prefix<char>(length);
        if (below(2))  // otherwise they differ in the case of letters only
            for (size_t i = 0; i < length; i++) right.mine<unsigned char>()[i] ^= below(4) == 0 ? 0x20 : 0;
        auto *a = LEFT(char), *b = RIGHT(char);
        ASSERT_EQ(sign(under_test_strcmp(a, b)), sign(strcmp(a, b)));
        ASSERT_EQ(sign(under_test_strncmp(a, b, limit)), sign(strncmp(a, b, limit)));
        ASSERT_EQ(sign(under_test_strcasecmp(a, b)), sign(strcasecmp(a, b)));
        ASSERT_EQ(sign(under_test_strncasecmp(a, b, limit)), sign(strncasecmp(a, b, limit)));
        ASSERT_EQ(sign(under_test_strcasecmp_l(a, b, locale)), sign(strcasecmp_l(a, b, locale)));
        ASSERT_EQ(sign(under_test_strncasecmp_l(a, b, limit, locale)),
                  sign(strncasecmp_l(a, b, limit, locale)));
    }
    freelocale(locale);
}

TEST_F(Preload, ComparesText) {
    compare_texts();
    // Any locale of the machine other than "C": both must use its tables.
    setlocale(LC_ALL, "C.UTF-8");
    compare_texts();
    setlocale(LC_ALL, "C");
}

// Limited comparisons and copies of text without a NUL.
TEST_F(Preload, LimitedFunctionsStopAtTheLimit) {
    for (int round = 0; round < kRounds; round++) {
        size_t length = some_length();
        place<char>(left, length, false);
        place<char>(right, length, false);
        share_prefix<char>(length);
        ASSERT_EQ(sign(under_test_strncmp(LEFT(char), RIGHT(char), length)),
                  sign(strncmp(LEFT(char), RIGHT(char), length)));
        ASSERT_EQ(sign(under_test_strncasecmp(LEFT(char), RIGHT(char), length)),
                  sign(strncasecmp(LEFT(char), RIGHT(char), length)));
        under_test_strncpy(LEFT(char), RIGHT(char), length);
        strncpy(LEFT0(char), RIGHT0(char), length);
        EXPECT_SAME_MEMORY();
    }
}

TEST_F(Preload, CopiesText) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t length = some_length(), limit = some_length();
        place<char>(right, length, true);
        place<char>(left, length + 1, false);
        auto *to = LEFT(char), *to0 = LEFT0(char);
        auto *from = RIGHT(char), *from0 = RIGHT0(char);
        if (below(2)) {
            ASSERT_EQ(under_test_strcpy(to, from), to);
            strcpy(to0, from0);
        } else {
            ASSERT_EQ(under_test_stpcpy(to, from) - to, stpcpy(to0, from0) - to0);
        }
        EXPECT_SAME_MEMORY();
        place<char>(left, limit, false);
        to = LEFT(char), to0 = LEFT0(char);
        if (below(2)) {
            ASSERT_EQ(under_test_strncpy(to, from, limit), to);
            strncpy(to0, from0, limit);
        } else {
            ASSERT_EQ(under_test_stpncpy(to, from, limit) - to, stpncpy(to0, from0, limit) - to0);
        }
        EXPECT_SAME_MEMORY();
    }
}

TEST_F(Preload, AppendsText) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t had = some_length(), length = some_length(), limit = some_length();
        place<char>(right, length, true);
        place<char>(left, had, true, below(2) == 0 ? length : length + below(9));
        if (below(2)) {
            ASSERT_EQ(under_test_strcat(LEFT(char), RIGHT(char)), LEFT(char));
            strcat(LEFT0(char), RIGHT0(char));
        } else {
            ASSERT_EQ(under_test_strncat(LEFT(char), RIGHT(char), limit), LEFT(char));
            strncat(LEFT0(char), RIGHT0(char), limit);
        }
        EXPECT_SAME_MEMORY();
    }
}

// glibc 2.36 has no strlcpy and strlcat, so a plain model of them: OpenBSD's definition.
TEST_F(Preload, CopiesAndAppendsWhatFits) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t length = some_length(), room = some_length();
        place<char>(right, length, true);
        std::string source(RIGHT(char));
        place<char>(left, room, false);
        ASSERT_EQ(under_test_strlcpy(LEFT(char), RIGHT(char), room), length);
        if (room > 0) {
            std::string kept = source.substr(0, room - 1);
            memcpy(LEFT0(char), kept.c_str(), kept.size() + 1);
        }
        EXPECT_SAME_MEMORY();

        size_t had = some_length();
        room = had + 1 + below(60);
        place<char>(left, had, true, room - had - 1);
        std::string kept = (std::string(LEFT0(char)) + source).substr(0, room - 1);
        ASSERT_EQ(under_test_strlcat(LEFT(char), RIGHT(char), room), had + length);
        memcpy(LEFT0(char), kept.c_str(), kept.size() + 1);
        EXPECT_SAME_MEMORY();
        place<char>(left, had, false);
        ASSERT_EQ(under_test_strlcat(LEFT(char), RIGHT(char), had), had + length);
        EXPECT_SAME_MEMORY();
    }
}

// Strings that overlap: reported once, under the function's own name, and the text still arrives.
TEST_F(Preload, ReportsOverlappingText) {
    char memory[64];
    auto fresh = [&](const char* text) {
        memset(memory, '-', sizeof memory);
        strcpy(memory, text);
        overlaps = 0;
    };
    fresh("abcdefghijklmnopqrstuvwxyz");
    under_test_strcpy(memory + 26, memory);  // the copy begins where the source has its NUL
    EXPECT_EQ(overlaps, 1U);
    EXPECT_EQ(overlap_function, "strcpy");
    EXPECT_EQ(overlap_bytes, 0U);
    EXPECT_STREQ(memory + 26, "abcdefghijklmnopqrstuvwxyz");
    fresh("abcdefghijklmnopqrstuvwxyz");
    under_test_strcpy(memory + 27, memory);
    EXPECT_EQ(overlaps, 0U);
    fresh("abcdef");
    under_test_stpcpy(memory, memory + 2);
    EXPECT_EQ(overlaps, 1U);
    EXPECT_STREQ(memory, "cdef");
    fresh("abcdef");
    under_test_strncpy(memory + 3, memory, 4);
    EXPECT_EQ(overlaps, 1U);
    EXPECT_EQ(overlap_function, "strncpy");
    EXPECT_EQ(overlap_bytes, 4U);
    fresh("abcdef");
    under_test_strncpy(memory + 4, memory, 4);
    EXPECT_EQ(overlaps, 0U);
    fresh("abcdef");
    under_test_strncpy(memory + 6, memory, 10);  // in the NUL of the source only
    EXPECT_EQ(overlaps, 1U);
    fresh("abcdef");
    under_test_strncpy(memory + 4, memory, 0);
    EXPECT_EQ(overlaps, 0U);
    fresh("abcdef");
    under_test_strcat(memory, memory + 3);
    EXPECT_EQ(overlaps, 1U);
    EXPECT_EQ(overlap_function, "strcat");
    EXPECT_STREQ(memory, "abcdefdef");
    fresh("abcdef");
    under_test_strncat(memory, memory + 3, 2);
    EXPECT_EQ(overlaps, 1U);
    EXPECT_EQ(overlap_bytes, 2U);
    EXPECT_STREQ(memory, "abcdefde");
    fresh("abcdef");
    under_test_strlcpy(memory + 2, memory, 20);
    EXPECT_EQ(overlaps, 1U);
    EXPECT_EQ(overlap_function, "strlcpy");
    EXPECT_EQ(overlap_bytes, 20U);
    overlaps = 0;
}

TEST_F(Preload, WideMemory) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t count = some_length();
        wchar_t value = below(3) ? some_character<wchar_t>() : static_cast<wchar_t>(generator());
        place<wchar_t>(left, count, false);
        place<wchar_t>(right, count, false);
        share_prefix<wchar_t>(count);
        ASSERT_EQ(sign(under_test_wmemcmp(LEFT(wchar_t), RIGHT(wchar_t), count)),
                  sign(wmemcmp(LEFT(wchar_t), RIGHT(wchar_t), count)));
        ASSERT_EQ(under_test_wmemchr(LEFT(wchar_t), value, count), wmemchr(LEFT(wchar_t), value, count));
        switch (round % 4) {
            case 0: under_test_wmemcpy(LEFT(wchar_t), RIGHT(wchar_t), count); break;
            case 1: under_test_wmemmove(LEFT(wchar_t), RIGHT(wchar_t), count); break;
            case 2:
                ASSERT_EQ(under_test_wmempcpy(LEFT(wchar_t), RIGHT(wchar_t), count), LEFT(wchar_t) + count);
                break;
            case 3: under_test_wmemset(LEFT(wchar_t), value, count); break;
        }
        if (round % 4 == 3)
            wmemset(LEFT0(wchar_t), value, count);
        else
            wmemcpy(LEFT0(wchar_t), RIGHT0(wchar_t), count);
        EXPECT_SAME_MEMORY();
    }
}

TEST_F(Preload, WideText) {
    for (int round = 0; round < 2 * kRounds; round++) {
        size_t length = some_length(), limit = some_length();
        wchar_t value = below(5) == 0 ? 0 : some_character<wchar_t>();
        place<wchar_t>(left, length, true);
        place<wchar_t>(right, length, true);
        share_prefix<wchar_t>(length);
        auto *a = LEFT(wchar_t), *b = RIGHT(wchar_t);
        if (below(4) == 0 && length > 0)  // the order of characters with the highest bit set
            a[below(length)] = static_cast<wchar_t>(0x80000001);
        memcpy(left.libc.begin, left.ours.begin, kPage);
        ASSERT_EQ(under_test_wcslen(a), length);
        ASSERT_EQ(under_test_wcsnlen(a, limit), std::min(length, limit));
        ASSERT_EQ(under_test_wcschr(a, value), wcschr(a, value));
        ASSERT_EQ(under_test_wcschrnul(a, value), wcschrnul(a, value));
        ASSERT_EQ(under_test_wcsrchr(a, value), wcsrchr(a, value));
        ASSERT_EQ(sign(under_test_wcscmp(a, b)), sign(wcscmp(a, b)));
        ASSERT_EQ(sign(under_test_wcsncmp(a, b, limit)), sign(wcsncmp(a, b, limit)));
        switch (round % 2) {
            case 0: under_test_wcscpy(a, b), wcscpy(LEFT0(wchar_t), RIGHT0(wchar_t)); break;
            case 1:
                ASSERT_EQ(under_test_wcpcpy(a, b) - a,
                          wcpcpy(LEFT0(wchar_t), RIGHT0(wchar_t)) - LEFT0(wchar_t));
                break;
        }
        EXPECT_SAME_MEMORY();

        place<wchar_t>(left, limit, false);
        auto *to = LEFT(wchar_t), *to0 = LEFT0(wchar_t);
        if (below(2))
            under_test_wcsncpy(to, b, limit), wcsncpy(to0, RIGHT0(wchar_t), limit);
        else
            ASSERT_EQ(under_test_wcpncpy(to, b, limit) - to, wcpncpy(to0, RIGHT0(wchar_t), limit) - to0);
        EXPECT_SAME_MEMORY();

        place<wchar_t>(left, below(40), true, length);
        if (below(2))
            under_test_wcscat(LEFT(wchar_t), b), wcscat(LEFT0(wchar_t), RIGHT0(wchar_t));
        else
            under_test_wcsncat(LEFT(wchar_t), b, limit), wcsncat(LEFT0(wchar_t), RIGHT0(wchar_t), limit);
        EXPECT_SAME_MEMORY();
    }
}

// The checking forms: a destination of exactly the size is enough, one byte less is not, and then nothing has
// been written.
TEST_F(Preload, CheckingFormsStopAtTheDestinationsSize) {
    for (int round = 0; round < kRounds; round++) {
        size_t length = 1 + some_length(), had = below(30);
        place<char>(right, length, true);
        std::string source(RIGHT(char));
        for (size_t missing : {size_t{0}, size_t{1}}) {
            auto expect = [&](size_t room, auto call) {
                place<char>(left, had, true, std::max(length + 1, room));
                bool overflowed = overflows([&] { call(LEFT(char), RIGHT(char), room - missing); });
                ASSERT_EQ(overflowed, missing == 1);
                ASSERT_TRUE(!overflowed || left.same_memory());
            };
            expect(length, [&](char* to, char* from, size_t room) {
                under_test___memmove_chk(to, from, length, room);
            });
            expect(length, [&](char* to, char* from, size_t room) {
                under_test___mempcpy_chk(to, from, length, room);
            });
            expect(length, [&](char* to, char* from, size_t room) {
                under_test_public___memcpy_chk(to, from, length, room);
            });
            expect(length,
                   [&](char* to, char*, size_t room) { under_test___memset_chk(to, '!', length, room); });
            expect(length + 1,
                   [](char* to, char* from, size_t room) { under_test___strcpy_chk(to, from, room); });
            expect(length + 1,
                   [](char* to, char* from, size_t room) { under_test___stpcpy_chk(to, from, room); });
            expect(length, [&](char* to, char* from, size_t room) {
                under_test___strncpy_chk(to, from, length, room);
            });
            expect(had + length + 1,
                   [](char* to, char* from, size_t room) { under_test___strcat_chk(to, from, room); });
            expect(had + length, [&](char* to, char* from, size_t room) {
                under_test___strncat_chk(to, from, length - 1, room);
            });
        }
        wchar_t wide_from[4] = L"abc", wide_to[4];
        ASSERT_FALSE(overflows([&] { under_test___wcscpy_chk(wide_to, wide_from, 4); }));
        ASSERT_TRUE(overflows([&] { under_test___wcscpy_chk(wide_to, wide_from, 3); }));
        ASSERT_TRUE(overflows([&] { under_test___wmemcpy_chk(wide_to, wide_from, 4, 3); }));
    }
}

}  // namespace

extern "C" void test_overlap(const char* function, const void*, const void*, size_t bytes) {
    overlaps++;
    overlap_function = function;
    overlap_bytes = bytes;
}

extern "C" void test_buffer_overflow(void) { std::longjmp(overflow_exit, 1); }
