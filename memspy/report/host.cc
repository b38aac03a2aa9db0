// SPDX-License-Identifier: GPL-2.0-or-later
//
// The host services for the tool's parts that this program shares (the XML writer).
#include <cstdio>
#include <cstdlib>
#include <new>

#include "rt/base.h"

namespace memspy::rt {

void* allocate(usize bytes, const char*) { return ::operator new(bytes); }

void release(void* memory, usize) { ::operator delete(memory); }

void check_failed(const char* condition, const char* file, int line, u64 left, u64 right) {
    std::fprintf(stderr, "memspy-report: %s:%d: %s does not hold (%llu, %llu): a mistake in memspy-report\n",
                 file, line, condition, static_cast<unsigned long long>(left),
                 static_cast<unsigned long long>(right));
    std::abort();
}

}  // namespace memspy::rt
