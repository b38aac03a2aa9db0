// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of the malloc family, for runs in which the program's own allocator works (--defects=no): blocks
// then lie as they do natively. Each calls the program's function and tells the tool what that gave. Which
// functions of which modules are meant is the core's rule for its replacements: those of libc and of the C++
// library, and functions of these names that any module exports.
//
// Allocators call each other (operator new calls malloc, realloc of some calls free): a call inside another
// one is a part of it. What is freed is told before the call, because another thread may get the memory
// before it is over.
#include <stddef.h>

#include "pub_tool_basics.h"

#include "pub_tool_redir.h"

#include "requests/block_kinds.h"
#include "memspy.h"

#include "redirect.h"

#define INLINE static inline __attribute__((always_inline))

typedef size_t usize;

// The outermost call that a thread is in. Exceptions leave wrappers of operator new without a word, so one
// counts only while its frame is found where it was, not far above the caller's. It is found by the piece of
// the stack that it is in: a static program has no thread-local variables for us. Two pieces of which a slot
// has one only are seldom in use at once; a call inside another one is then told for itself.
typedef struct Call {
    struct Call* volatile self;
} Call;
enum { kFarthest = 16384, kSlotBits = 12 };
static Call* outermost[1 << kSlotBits];

INLINE Call** slot_of(usize at) {
    return &outermost[at / kFarthest * 0x9E3779B97F4A7C15u >> (64 - kSlotBits)];
}
INLINE int is_inside_of(const Call* call, const Call* outer) {
    return outer != 0 && (usize)outer - (usize)call < kFarthest && outer->self == outer;
}
INLINE int is_inside(const Call* call) {
    return is_inside_of(call, *slot_of((usize)call)) || is_inside_of(call, *slot_of((usize)call + kFarthest));
}
INLINE void begin(Call* call) { *slot_of((usize)call) = call->self = call; }
INLINE void end(Call* call) { *slot_of((usize)call) = call->self = 0; }

INLINE void tell_taken(const void* block, usize bytes, usize kind) {
    if (block != 0) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_BLOCK_TAKEN, block, bytes, kind, 0, 0);
}
// Gives the block's size plus one, or 0 when there is no such block.
INLINE usize tell_released(const void* block) {
    return block == 0 ? 0
                      : VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_BLOCK_RELEASED, block, 0, 0, 0, 0);
}

// A wrapper for the function of this name, wherever it is exported, and in `home`.
#define WRAPPER(home, result, name, parameters)                                                              \
    result ANYWHERE(name) parameters;                                                                        \
    MEMSPY_ALIAS(ANYWHERE(name), VG_WRAP_FUNCTION_EZU(10010, home, name))                                    \
    result ANYWHERE(name) parameters
#define ANYWHERE(name) VG_WRAP_FUNCTION_EZU(10010, SO_SYN_MALLOC, name)

// The body of a wrapper: `take` sets `block`, whose size is `bytes`. `original` is the wrapped function.
#define TAKING(kind, bytes, take)                                                                            \
    {                                                                                                        \
        OrigFn original;                                                                                     \
        VALGRIND_GET_ORIG_FN(original);                                                                      \
        void* block;                                                                                         \
        Call call;                                                                                           \
        const int inside = is_inside(&call);                                                                 \
        if (!inside) begin(&call);                                                                           \
        take;                                                                                                \
        if (inside) return block;                                                                            \
        end(&call);                                                                                          \
        tell_taken(block, bytes, kind);                                                                      \
        return block;                                                                                        \
    }
// The same: `release` frees `block`. It is not done for none, which has no effect: the core leaves generated
// code twice for a call from a wrapper, and glibc frees sixteen null pointers for each thread.
#define RELEASING(release)                                                                                   \
    {                                                                                                        \
        OrigFn original;                                                                                     \
        VALGRIND_GET_ORIG_FN(original);                                                                      \
        if (block == 0) return;                                                                              \
        Call call;                                                                                           \
        const int inside = is_inside(&call);                                                                 \
        if (!inside) {                                                                                       \
            tell_released(block);                                                                            \
            begin(&call);                                                                                    \
        }                                                                                                    \
        release;                                                                                             \
        if (!inside) end(&call);                                                                             \
    }

// A function that returns a block of `bytes` bytes. None has more than three parameters, and all are words.
#define TAKES(home, name, kind, bytes)                                                                       \
    WRAPPER(home, void*, name, (usize a, usize b, usize c))                                                  \
    TAKING(kind, bytes, CALL_FN_W_WWW(block, original, a, b, c))

// A function that frees the block that its first parameter points to.
#define RELEASES(home, name)                                                                                 \
    WRAPPER(home, void, name, (void* block, usize b, usize c))                                               \
    RELEASING(CALL_FN_v_WWW(original, block, b, c))

#define LIBC VG_Z_LIBC_SONAME
TAKES(LIBC, malloc, kBlockMalloc, a)
TAKES(LIBC, calloc, kBlockMalloc, a* b)
TAKES(LIBC, memalign, kBlockMalloc, b)
TAKES(LIBC, aligned_alloc, kBlockMalloc, b)
TAKES(LIBC, valloc, kBlockMalloc, a)
TAKES(LIBC, pvalloc, kBlockMalloc, a)
RELEASES(LIBC, free)
RELEASES(LIBC, cfree)

WRAPPER(LIBC, int, posix_memalign, (void** block, usize alignment, usize bytes)) {
    OrigFn original;
    VALGRIND_GET_ORIG_FN(original);
    int error;
    Call call;
    const int inside = is_inside(&call);
    if (!inside) begin(&call);
    CALL_FN_W_WWW(error, original, block, alignment, bytes);
    if (inside) return error;
    end(&call);
    if (error == 0) tell_taken(*block, bytes, kBlockMalloc);
    return error;
}

WRAPPER(LIBC, void*, realloc, (void* old, usize bytes)) {
    OrigFn original;
    VALGRIND_GET_ORIG_FN(original);
    void* block;
    Call call;
    const int inside = is_inside(&call);
    usize released = 0;
    if (!inside) {
        released = tell_released(old);
        begin(&call);
    }
    CALL_FN_W_WW(block, original, old, bytes);
    if (inside) return block;
    end(&call);
    if (block == 0 && bytes != 0 && released != 0) tell_taken(old, released - 1, kBlockMalloc);
    tell_taken(block, bytes, kBlockMalloc);
    return block;
}

#define LIBSTDCXX VG_Z_LIBSTDCXX_SONAME
// The C++ library's own operators are other functions, as long as there is memory: new is malloc, new[] is
// new, delete is free, and the further ones of delete are that. Wrappers of a higher priority call these
// themselves, by the names that the library calls, which may be the program's own functions: so the core does
// not leave generated code for the operator, too.
#define OPERATOR(name) VG_WRAP_FUNCTION_EZU(10011, LIBSTDCXX, name)
// They are found when this library is loaded, so that no thread's first call takes longer. Null where the C++
// library is not everybody's, as that of a plugin.
#define FOUND_EARLY __attribute__((weak, noplt))
extern void* malloc(usize bytes) FOUND_EARLY;
extern void free(void* block) FOUND_EARLY;
extern void* _Znwm(usize bytes) FOUND_EARLY;
extern void _ZdlPv(void* block) FOUND_EARLY;
extern void _ZdaPv(void* block) FOUND_EARLY;

// Without a block from `by` the operator itself calls the program's handler, or ends with an exception.
#define OPERATOR_NEW(name, kind, by, bytes)                                                                  \
    void* OPERATOR(name)(usize size);                                                                        \
    void* OPERATOR(name)(usize size)                                                                         \
    TAKING(kind, size, block = by != 0 ? by(bytes) : 0; if (block == 0) CALL_FN_W_W(block, original, size))
#define OPERATOR_DELETE(name, by)                                                                            \
    void OPERATOR(name)(void* block, usize size);                                                            \
    void OPERATOR(name)(void* block, usize size)                                                             \
    RELEASING(if (by != 0) by(block); else CALL_FN_v_WW(original, block, size))
OPERATOR_NEW(_Znwm, kBlockNew, malloc, size != 0 ? size : 1)
OPERATOR_NEW(_Znam, kBlockNewArray, _Znwm, size)
OPERATOR_DELETE(_ZdlPv, free)
OPERATOR_DELETE(_ZdlPvm, _ZdlPv)
OPERATOR_DELETE(_ZdaPv, _ZdlPv)
OPERATOR_DELETE(_ZdaPvm, _ZdaPv)

TAKES(LIBSTDCXX, _Znwm, kBlockNew, a)
TAKES(LIBSTDCXX, _ZnwmRKSt9nothrow_t, kBlockNew, a)
TAKES(LIBSTDCXX, _ZnwmSt11align_val_t, kBlockNew, a)
TAKES(LIBSTDCXX, _ZnwmSt11align_val_tRKSt9nothrow_t, kBlockNew, a)
TAKES(LIBSTDCXX, _Znam, kBlockNewArray, a)
TAKES(LIBSTDCXX, _ZnamRKSt9nothrow_t, kBlockNewArray, a)
TAKES(LIBSTDCXX, _ZnamSt11align_val_t, kBlockNewArray, a)
TAKES(LIBSTDCXX, _ZnamSt11align_val_tRKSt9nothrow_t, kBlockNewArray, a)
RELEASES(LIBSTDCXX, _ZdlPv)
RELEASES(LIBSTDCXX, _ZdlPvm)
RELEASES(LIBSTDCXX, _ZdlPvRKSt9nothrow_t)
RELEASES(LIBSTDCXX, _ZdlPvSt11align_val_t)
RELEASES(LIBSTDCXX, _ZdlPvSt11align_val_tRKSt9nothrow_t)
RELEASES(LIBSTDCXX, _ZdlPvmSt11align_val_t)
RELEASES(LIBSTDCXX, _ZdaPv)
RELEASES(LIBSTDCXX, _ZdaPvm)
RELEASES(LIBSTDCXX, _ZdaPvRKSt9nothrow_t)
RELEASES(LIBSTDCXX, _ZdaPvSt11align_val_t)
RELEASES(LIBSTDCXX, _ZdaPvSt11align_val_tRKSt9nothrow_t)
RELEASES(LIBSTDCXX, _ZdaPvmSt11align_val_t)

// Where the program's allocator does not work, it is not set up either, because that begins with its first
// block. tcmalloc announces itself to its extensions all the same, by this constructor, and they crash then.
// Without it they do nothing. As the core's replacements, this is left out where the program's own allocator
// works.
#define TCMALLOC_GUARD VG_REPLACE_FUNCTION_EZU(10500, SO_SYN_MALLOC, _ZN13TCMallocGuardC1Ev)
void TCMALLOC_GUARD(void* guard);
void TCMALLOC_GUARD(__attribute__((unused)) void* guard) {}
