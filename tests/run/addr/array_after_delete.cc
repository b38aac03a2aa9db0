// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: use of an array of objects with destructors after delete[] is reported.
#include "case.h"

struct Item {
    ~Item() { value = 0; }
    int value = 3;
};

int main() {
    Item* items = HIDE(new Item[10]);  /* label: A */
    NEED(items[9].value);
    delete[] items;  /* label: F */
    items = HIDE(items);
    NEED(items[9].value);  /* expect: InvalidRead alloc=A free=F */
}
