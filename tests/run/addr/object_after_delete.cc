// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a method called on a deleted object is a use after free with new's and delete's stacks, and
// names are demangled.
#include <cstdio>
#include "case.h"

struct Account {
    virtual ~Account() { total = -1; }  /* label: F */
    NOINLINE int balance() const { return total; }  /* expect: InvalidRead alloc=A free=F */
    int total = 5;
};

NOINLINE Account* make() {
    return new Account;  /* label: A */
}

int main() {
    Account* account = HIDE(make());
    NEED(account->total);
    delete account;  /* label: F */
    // Through a pointer: a direct call would become part of this line's translation.
    int (Account::*volatile method)() const = &Account::balance;
    NEED((HIDE(account)->*method)());
}
