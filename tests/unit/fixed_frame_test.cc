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
    return dwarf::fixed_frame({code.data(), code.size()}, end, dwarf::Processor::Amd64);
}

const std::vector<u8> push_rbp = {0x55}, push_r15 = {0x41, 0x57}, push_rbx = {0x53};
const std::vector<u8> mov_rsp_rbp = {0x48, 0x89, 0xE5}, sub_24 = {0x48, 0x83, 0xEC, 0x18};
const std::vector<u8> and_64 = {0x48, 0x83, 0xE4, 0xC0};

TEST(FixedFrame, is_made_by_pushes_and_one_subtraction) {
    EXPECT_EQ(frame({push_rbp, mov_rsp_rbp, push_rbx, sub_24}).size, 8 + 16 + 24);
    EXPECT_EQ(frame({push_rbp, mov_rsp_rbp, push_rbx, sub_24}).pointer, 16);
    EXPECT_EQ(frame({push_rbp, mov_rsp_rbp, and_64, sub_24}, 0x430).size, 0x30 + 24);
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

dwarf::FixedFrame arm64_frame(const std::vector<u32>& instructions, u64 end = 0x400) {
    return dwarf::fixed_frame({reinterpret_cast<const u8*>(instructions.data()), instructions.size() * 4},
                              end, dwarf::Processor::Arm64);
}

constexpr u32 kSub96 = 0xD10183FF;         // sub sp,sp,#96
constexpr u32 kPush32 = 0xA9BE7BFD;        // stp x29,x30,[sp,#-32]!
constexpr u32 kPointer = 0x910003FD;       // mov x29,sp
constexpr u32 kSubPages = 0xD14047FF;      // sub sp,sp,#17,lsl #12
constexpr u32 kSub = 0xD10643FF;           // sub sp,sp,#400
constexpr u32 kAlignedScratch = 0xD10283E9;  // sub x9,sp,#160
constexpr u32 kAlign = 0x927AE53F;         // and sp,x9,#-64

TEST(FixedFrameArm64, is_made_by_stores_and_subtractions) {
    EXPECT_EQ(arm64_frame({kSub96, 0xD65F03C0}).size, 96);
    EXPECT_TRUE(arm64_frame({kSub96}).ends_by_sub);
    EXPECT_EQ(arm64_frame({kPush32, 0xF9000BFC, kPointer, kSubPages, kSub}).size, 32 + 0x11000 + 400);
    EXPECT_EQ(arm64_frame({kPush32, 0xF9000BFC, kPointer, kSubPages, kSub}).pointer, 32);
    EXPECT_EQ(arm64_frame({0xD10603FF, 0xA9167BFD, 0x910583FD}).pointer, 384 - 0x160);  // add x29,sp,#352
    EXPECT_EQ(arm64_frame({0xF81F0FFE, kSub96}).size, 16 + 96);                         // str x30,[sp,#-16]!
    EXPECT_EQ(arm64_frame({0x6DBE23E9, kSub96}).size, 32 + 96);                         // stp d9,d8,[sp,#-32]!
    EXPECT_EQ(arm64_frame({0xADBF07E0, kSub96}).size, 32 + 96);                         // stp q0,q1,[sp,#-32]!
    // mov x12,#4496; movk x12,#1,lsl #16; sub sp,sp,x12
    EXPECT_EQ(arm64_frame({0xD282320C, 0xF2A0002C, 0xCB2C63FF}).size, 0x11190);
}

TEST(FixedFrameArm64, is_aligned_down) {
    const dwarf::FixedFrame aligned = arm64_frame({kPush32, kPointer, kAlignedScratch, kAlign, 0x910003F3}, 0x410);
    EXPECT_EQ(aligned.size, 0x410 - ((0x410 - 32 - 160) & -64));
    EXPECT_EQ(aligned.base, aligned.size);
    EXPECT_EQ(aligned.pointer, 32);
    EXPECT_TRUE(aligned.is_aligned);
}

TEST(FixedFrameArm64, has_other_instructions_in_between) {
    const std::vector<u32> others = {
        0xD503233F,  // paciasp
        0xB9005FE0,  // str w0,[sp,#92]
        0xA9027BFD,  // stp x29,x30,[sp,#32]
        0xF8408C20,  // ldr x0,[x1,#8]!
        0x0F20A400,  // sxtl v0.2d,v0.2s
        0xEB0003FF,  // cmp xzr,x0
        0xF27A001F,  // tst x0,#64
        0xF100041F,  // cmp x0,#1
        0x52800068,  // mov w8,#3
        0x3DC00BE0,  // ldr q0,[sp,#32]
        0x910013E0,  // add x0,sp,#4
    };
    for (const u32 other : others) {
        EXPECT_EQ(arm64_frame({other, kPush32, other, kPointer, other, kSub96}).size, 128) << std::hex << other;
        EXPECT_EQ(arm64_frame({other, kPush32, other, kPointer}).pointer, 32) << std::hex << other;
    }
}

TEST(FixedFrameArm64, ends_where_the_stack_pointer_may_change) {
    const std::vector<u32> last = {
        0x9100013F,  // mov sp,x9
        0x910183FF,  // add sp,sp,#96
        0xCB2063FF,  // sub sp,sp,x0
        0xA8C27BFD,  // ldp x29,x30,[sp],#32
        0xF84107FE,  // ldr x30,[sp],#16
        0x94000000,  // bl
        0x54000040,  // b.eq
        0xB4000040,  // cbz
        0xD65F03C0,  // ret
        0xD4000001,  // svc
        0x927AE53F,  // and sp,x9,#-64, of an x9 that is not known
    };
    for (const u32 each : last) EXPECT_EQ(arm64_frame({kPush32, each, kSub96}).size, 32) << std::hex << each;
    EXPECT_EQ(arm64_frame({}).size, 0);
}

}  // namespace
