// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an illegal instruction ends the program, and its XML conforms to the schema.
// EXPECT: nothing
// EXPECT-EXIT: -4
int main(void) {
#ifdef __aarch64__
    __asm__ volatile(".inst 0");
#else
    __asm__ volatile("ud2");
#endif
    return 0;
}
