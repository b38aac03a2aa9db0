// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a call through a function pointer with undefined bits is reported.
#include <stdlib.h>
#include "case.h"

static void callback(void) { BARRIER(); }

struct Hooks { void (*f)(void); unsigned long noise; };

int main(void) {
    struct Hooks* hooks = HIDE((struct Hooks*)malloc(sizeof *hooks));  /* label: A */
    ESCAPE(hooks);
    // Really zero, but with undefined bits, so the call can be made.
    unsigned long noise = HIDE(hooks->noise);
    unsigned long other = HIDE(noise);
    hooks->f = (void (*)(void))((unsigned long)callback + (noise - other));
    ESCAPE(hooks);
    hooks->f();  /* expect: UninitValue origin=A */
    free(hooks);
    return 0;
}
