/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a subject says where things are and what they are called: the compiler and the loader tell the addresses,
 * the source tells the names, so that debug information has no part in the expectation. Addresses are
 * link-time ones. */
#ifndef REPORTING_H
#define REPORTING_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct bias_search {
    uintptr_t inside, bias;
};

static int look_for_bias(struct dl_phdr_info* info, size_t size, void* argument) {
    struct bias_search* search = (struct bias_search*)argument;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && search->inside >= begin &&
            search->inside < begin + info->dlpi_phdr[i].p_memsz)
            search->bias = info->dlpi_addr;
    }
    return 0;
}

static unsigned long link_time(const volatile void* address) {
    static char here;
    struct bias_search search = {(uintptr_t)&here, 0};
    dl_iterate_phdr(look_for_bias, &search);
    return (uintptr_t)address - search.bias;
}

/* The expression is the name. */
#define PART(expression) PART_AS(#expression, expression)
#define PART_AS(name, expression) \
    printf("part\t%lx\t%zx\t%s\n", link_time(&(expression)), sizeof(expression), name)
#define VARIABLE(name, type, line, variable)                                                                  \
    printf("variable\t%lx\t%s\t%s\t%d\t%zu\n", link_time(&(variable)), name, type, line, sizeof(variable))
#define PADDING(name, expression, behind) \
    printf("padding\t%lx\t%s\n", link_time((char*)(&(expression) + 1) + (behind)), name)

/* The bits that change when the field is filled are where it is. */
#define BITS(expression)                                                                          \
    do {                                                                                          \
        memset((void*)&BITS_IN, 0, sizeof(BITS_IN));                                              \
        BITS_IN.expression = -1;                                                                  \
        report_bits(BITS_NAME "." #expression, (const unsigned char*)&BITS_IN, sizeof(BITS_IN)); \
    } while (0)
static void report_bits(const char* name, const unsigned char* bytes, size_t count) {
    size_t first = 0, bits = 0;
    for (size_t i = 8 * count; i-- > 0;)
        if (bytes[i / 8] >> (i % 8) & 1) {
            first = i;
            ++bits;
        }
    printf("bits\t%lx\t%zu\t%zu\t%s\n", link_time(bytes + first / 8), first % 8, bits, name);
}

/* The address of an instruction of this very line. */
#if defined(__aarch64__)
#define HERE(pc) __asm__ volatile("adr %0, 0f\n0: nop" : "=r"(pc))
#else
#define HERE(pc) __asm__ volatile("leaq 0f(%%rip), %0\n0: nop" : "=r"(pc))
#endif
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))

#endif
