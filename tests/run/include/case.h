// SPDX-License-Identifier: GPL-2.0-or-later
//
// Macros that keep a planted defect in an optimised program. Each only hides from the compiler where a value
// comes from, or that it is not needed; none changes the program's behaviour.
#pragma once

#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif

// The compiler must assume that everything behind `p` is read and written here.
#define ESCAPE(p) __asm__ volatile("" : : "g"(p) : "memory")
// `x` is copied to memory. A mere register would not do: Valgrind itself drops loads whose value dies in a
// register.
static volatile long need_sink_;
#define NEED(x) (need_sink_ = (long)(x))
// All memory may have changed.
#define BARRIER() __asm__ volatile("" : : : "memory")

#define HIDE(p) __extension__({ __typeof__((p) + 0) hidden_ = (p); __asm__ volatile("" : "+r"(hidden_) : : "memory"); hidden_; })

// A real branch on `condition`, which cannot be replaced by arithmetic.
#define BRANCH_ON(condition) do { if (condition) __asm__ volatile("nop"); else __asm__ volatile("nop; nop"); } while (0)
