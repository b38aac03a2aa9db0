// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the frame is that which a function's first instructions make, whatever else stands between them, and that
// it ends where the stack pointer may be written in another way.
#include "dwarf/fixed_frame.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace memspy;

dwarf::FixedFrame frame(const std::vector<std::vector<u8>>& instructions, u64 end = 0x400) {
    std::vector<u8> code;
    for (const std::vector<u8>& each : instructions) code.insert(code.end(), each.begin(), each.end());
    return dwarf::fixed_frame({code.data(), code.size()}, end);
}

#if defined(__x86_64__)

const std::vector<u8> push_rbp = {0x55}, push_r15 = {0x41, 0x57}, push_rbx = {0x53};
const std::vector<u8> mov_rsp_rbp = {0x48, 0x89, 0xE5}, sub_24 = {0x48, 0x83, 0xEC, 0x18};
const std::vector<u8> and_64 = {0x48, 0x83, 0xE4, 0xC0};

TEST(FixedFrame, is_made_by_pushes_and_one_subtraction) {
    EXPECT_EQ(frame({push_rbp, mov_rsp_rbp, push_rbx, sub_24}).size, 8 + 16 + 24);
    EXPECT_EQ(frame({push_rbp, mov_rsp_rbp, push_rbx, sub_24}).pointer, 16);
    EXPECT_EQ(frame({push_rbp, mov_rsp_rbp, and_64, sub_24}, 0x410).size, 0x10 + 0x40 + 24);
    EXPECT_EQ(frame({push_rbp, push_rbx}).size, 24);
}

TEST(FixedFrame, has_other_instructions_in_between) {
    const std::vector<std::vector<u8>> others = {
        {0x66, 0x0F, 0xEF, 0xC0},                             // pxor %xmm0,%xmm0
        {0xBA, 4, 0, 0, 0},                                   // mov $4,%edx
        {0x49, 0xBC, 1, 2, 3, 4, 5, 6, 7, 8},                 // movabs $...,%r12
        {0x45, 0x31, 0xFF},                                   // xor %r15d,%r15d
        {0x4C, 0x8D, 0x35, 0x83, 0xFF, 0xFF, 0xFF},           // lea -125(%rip),%r14
        {0x48, 0x89, 0x7C, 0x24, 0xF8},                       // mov %rdi,-8(%rsp)
        {0x8B, 0x05, 0, 0, 0, 0},                             // mov 0(%rip),%eax
        {0x48, 0xC7, 0x84, 0x24, 0x80, 0, 0, 0, 1, 0, 0, 0},  // movq $1,128(%rsp)
        {0xC7, 0x04, 0x25, 0, 1, 0, 0, 9, 0, 0, 0},           // movl $9,0x100
        {0xF3, 0x0F, 0x6F, 0x44, 0x24, 0x10},                 // movdqu 16(%rsp),%xmm0
        {0x0F, 0xB6, 0x47, 0x08},                             // movzbl 8(%rdi),%eax
        {0x66, 0xC7, 0x07, 1, 0},                             // movw $1,(%rdi)
        {0x83, 0xFF, 0x05},                                   // cmp $5,%edi
    };
    for (const std::vector<u8>& other : others) {
        EXPECT_EQ(frame({push_rbp, other, mov_rsp_rbp, push_r15, other, sub_24}).size, 8 + 16 + 24)
            << int{other[0]};
        EXPECT_EQ(frame({push_rbp, other, mov_rsp_rbp, push_r15, sub_24}).pointer, 16) << int{other[0]};
    }
}

TEST(FixedFrame, ends_where_the_stack_pointer_may_change) {
    const std::vector<std::vector<u8>> last = {
        {0x48, 0x8B, 0x27},              // mov (%rdi),%rsp
        {0x48, 0x89, 0xC4},              // mov %rax,%rsp
        {0x48, 0x8D, 0x64, 0x24, 0xF0},  // lea -16(%rsp),%rsp
        {0xBC, 0, 0, 0, 0},              // mov $0,%esp
        {0xE8, 0, 0, 0, 0},              // call
        {0x74, 0x05},                    // je
        {0x0F, 0x05},                    // syscall
        {0x6A, 0x01},                    // push $1
    };
    for (const std::vector<u8>& each : last)
        EXPECT_EQ(frame({push_rbp, each, push_rbx, sub_24}).size, 16) << int{each[0]};
}

TEST(FixedFrame, has_no_arguments_that_are_pushed_later) {
    EXPECT_EQ(frame({push_rbp, {0x31, 0xFF}, push_rbx, {0xE8, 0, 0, 0, 0}}).size, 16);
}

TEST(FixedFrame, of_code_that_is_cut_off_is_what_could_be_read) {
    EXPECT_EQ(frame({push_rbp, {0x66, 0x0F}}).size, 16);
    EXPECT_EQ(frame({push_rbp, {0x48, 0xC7, 0x84, 0x24}}).size, 16);
    EXPECT_EQ(frame({}).size, 8);
}

#else

TEST(FixedFrame, is_not_needed_elsewhere) { EXPECT_EQ(frame({{0, 0, 0, 0}}).size, 0); }

#endif

}  // namespace
