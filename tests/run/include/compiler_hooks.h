// SPDX-License-Identifier: GPL-2.0-or-later
//
// The hooks that gcc -fsanitize=thread calls before each access, for a run-time of our own: COMPILER_HOOKS(access) defines them all
// by access(at, size, loads, stores), a function, or a macro where the hook's own return address is wanted. An atomic update does both.
// PLAIN_HOOKS(access) leaves out atomic accesses, and calls of functions.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOOKS_OF_SIZE(access, size)                                                            \
    void __tsan_read##size(void *at) { access(at, size, true, false); }                        \
    void __tsan_write##size(void *at) { access(at, size, false, true); }                       \
    void __tsan_unaligned_read##size(void *at) { access(at, size, true, false); }              \
    void __tsan_unaligned_write##size(void *at) { access(at, size, false, true); }             \
    void __tsan_volatile_read##size(void *at) { access(at, size, true, false); }               \
    void __tsan_volatile_write##size(void *at) { access(at, size, false, true); }              \
    void __tsan_unaligned_volatile_read##size(void *at) { access(at, size, true, false); }     \
    void __tsan_unaligned_volatile_write##size(void *at) { access(at, size, false, true); }

#define HOOK_OF_UPDATE(access, bits, name, builtin)                                            \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t value, int order) { \
        (void)order;                                                                           \
        access(at, bits / 8, true, true);                                                      \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                           \
    }
#define HOOK_OF_EXCHANGE(access, bits, name)                                                   \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t *at, uint##bits##_t *expected, \
                                                      uint##bits##_t value, int order, int failed) { \
        (void)order, (void)failed;                                                             \
        access(at, bits / 8, true, true);                                                      \
        return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
#define HOOKS_OF_ATOMICS(access, bits)                                                         \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) {  \
        (void)order;                                                                           \
        access(at, bits / 8, true, false);                                                     \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                          \
    }                                                                                          \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, int order) { \
        (void)order;                                                                           \
        access(at, bits / 8, false, true);                                                     \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                         \
    }                                                                                          \
    HOOK_OF_UPDATE(access, bits, exchange, __atomic_exchange_n)                                \
    HOOK_OF_UPDATE(access, bits, fetch_add, __atomic_fetch_add)                                \
    HOOK_OF_UPDATE(access, bits, fetch_sub, __atomic_fetch_sub)                                \
    HOOK_OF_UPDATE(access, bits, fetch_and, __atomic_fetch_and)                                \
    HOOK_OF_UPDATE(access, bits, fetch_or, __atomic_fetch_or)                                  \
    HOOK_OF_UPDATE(access, bits, fetch_xor, __atomic_fetch_xor)                                \
    HOOK_OF_UPDATE(access, bits, fetch_nand, __atomic_fetch_nand)                              \
    HOOK_OF_EXCHANGE(access, bits, strong)                                                     \
    HOOK_OF_EXCHANGE(access, bits, weak)

#define PLAIN_HOOKS(access)                                                                    \
    HOOKS_OF_SIZE(access, 1)                                                                   \
    HOOKS_OF_SIZE(access, 2)                                                                   \
    HOOKS_OF_SIZE(access, 4)                                                                   \
    HOOKS_OF_SIZE(access, 8)                                                                   \
    HOOKS_OF_SIZE(access, 16)                                                                  \
    void __tsan_read_range(void *at, size_t size) { access(at, size, true, false); }           \
    void __tsan_write_range(void *at, size_t size) { access(at, size, false, true); }          \
    void __tsan_vptr_read(void *at) { access(at, sizeof(void *), true, false); }               \
    void __tsan_vptr_update(void *at, void *value) {                                           \
        (void)value;                                                                           \
        access(at, sizeof(void *), false, true);                                               \
    }                                                                                          \
    void __tsan_init(void) {}

#define COMPILER_HOOKS(access)                                                                 \
    PLAIN_HOOKS(access)                                                                        \
    void __tsan_func_entry(void *pc) { (void)pc; }                                             \
    void __tsan_func_exit(void) {}                                                             \
    HOOKS_OF_ATOMICS(access, 8)                                                                \
    HOOKS_OF_ATOMICS(access, 16)                                                               \
    HOOKS_OF_ATOMICS(access, 32)                                                               \
    HOOKS_OF_ATOMICS(access, 64)                                                               \
    void __tsan_atomic_thread_fence(int order) {                                               \
        (void)order;                                                                           \
        __atomic_thread_fence(__ATOMIC_SEQ_CST);                                               \
    }                                                                                          \
    void __tsan_atomic_signal_fence(int order) { (void)order; }
