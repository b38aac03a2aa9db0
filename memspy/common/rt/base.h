// SPDX-License-Identifier: GPL-2.0-or-later
//
// The base of every part of the tool: fixed-width types, CHECK/DCHECK, and memory.
//
// rt/ does not depend on Valgrind. The few services that it needs from its host are declared at the end of
// this file; vg/host.cc implements them inside the tool, tests/unit/host.cc in native unit tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace memspy {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using usize = std::size_t;

// An address of the client's data or code. Portable code never dereferences it.
using Address = std::uintptr_t;
// A client's memory is below 2^37, 128 GiB (vg/low_memory.cc): what tables by address cover.
inline constexpr unsigned kClientAddressBits = 37;

// A call stack, stored once by Valgrind's core (its "ExeContext unique"); 0 stands for none.
enum class ContextId : u32 { None = 0 };

namespace rt {

// Host services. `what` names the user of the memory in Valgrind's own statistics. They never return null: if
// memory is exhausted, the run ends with Valgrind's own message.
void* allocate(usize bytes, const char* what);
// `bytes`: its size if it may be large; its pages then go back to the system, which the allocator would keep.
void release(void* memory, usize bytes = 0);
// Ends an object in memory of allocate, and gives that back.
template <typename T>
void destroy(T* object) {
    object->~T();
    release(object);
}
// Zero-filled memory that costs nothing until it is touched. `bytes` is rounded up to pages.
void* map_zeroed(usize bytes, const char* what);
void* map_zeroed_or_null(usize bytes);  // null: the system has no room
// Whole pages of such memory go back to the system: they are zero-filled again when they are touched.
void empty_pages(void* begin, usize bytes);
// Prints the failed condition with both values and ends the run.
[[noreturn]] void check_failed(const char* condition, const char* file, int line, u64 left, u64 right);

inline u64 check_value(auto value) {
    if constexpr (std::is_pointer_v<decltype(value)>)
        return reinterpret_cast<u64>(value);
    else
        return static_cast<u64>(value);
}

}  // namespace rt
}  // namespace memspy

// CHECK_xx(a, b): an invariant; on failure both values are printed. CHECK(c): a plain condition. DCHECK*
// exist only in debug builds (-DMEMSPY_DEBUG=1), for hot paths.
#define MEMSPY_CHECK_OP(op, left, right)                                                                     \
    do {                                                                                                     \
        auto check_left_ = (left);                                                                           \
        auto check_right_ = (right);                                                                         \
        if (!(check_left_ op check_right_)) [[unlikely]]                                                     \
            ::memspy::rt::check_failed(#left " " #op " " #right, __FILE__, __LINE__,                         \
                                       ::memspy::rt::check_value(check_left_),                               \
                                       ::memspy::rt::check_value(check_right_));                             \
    } while (false)
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) [[unlikely]]                                                                       \
            ::memspy::rt::check_failed(#condition, __FILE__, __LINE__, 0, 0);                                \
    } while (false)
#define CHECK_EQ(left, right) MEMSPY_CHECK_OP(==, left, right)
#define CHECK_NE(left, right) MEMSPY_CHECK_OP(!=, left, right)
#define CHECK_LT(left, right) MEMSPY_CHECK_OP(<, left, right)
#define CHECK_LE(left, right) MEMSPY_CHECK_OP(<=, left, right)
#define CHECK_GT(left, right) MEMSPY_CHECK_OP(>, left, right)
#define CHECK_GE(left, right) MEMSPY_CHECK_OP(>=, left, right)

#if defined(MEMSPY_DEBUG) && MEMSPY_DEBUG
#define DCHECK(condition) CHECK(condition)
#define DCHECK_EQ(left, right) CHECK_EQ(left, right)
#define DCHECK_LT(left, right) CHECK_LT(left, right)
#define DCHECK_LE(left, right) CHECK_LE(left, right)
#else
#define DCHECK(condition) static_cast<void>(0)
#define DCHECK_EQ(left, right) static_cast<void>(0)
#define DCHECK_LT(left, right) static_cast<void>(0)
#define DCHECK_LE(left, right) static_cast<void>(0)
#endif
